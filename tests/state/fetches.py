# SPDX-License-Identifier: GPL-2.0-or-later
"""Fetch requests and responses of version 7, the first with sessions."""

from collections.abc import Sequence

from common.messages import FETCH, array, int8, int16, int32, int64, request, response, string

Partitions = Sequence[tuple[str, Sequence[int]]]


def _topics(topics: Partitions, partition) -> bytes:
    return array([string(name) + array([partition(number) for number in numbers]) for name, numbers in topics])


def fetch_request(
    correlation_id: int, session: int, epoch: int, topics: Partitions = (), forgotten: Partitions = (), wait: int = 500
) -> bytes:
    body = int32(-1) + int32(wait) + int32(1) + int32(10**6) + int8(0) + int32(session) + int32(epoch)
    body += _topics(topics, lambda number: int32(number) + int64(0) + int64(-1) + int32(1000))
    return request(FETCH, 7, correlation_id, body + _topics(forgotten, int32))


def fetch_response(
    correlation_id: int,
    session: int,
    topics: Sequence[tuple[str, Sequence[tuple[int, int, bytes | None]]]] = (),
    error: int = 0,
) -> bytes:
    """Of each partition: number, high watermark, records."""

    def partition(number: int, watermark: int, records: bytes | None) -> bytes:
        head = int32(number) + int16(0) + int64(watermark) + int64(watermark) + int64(0) + int32(-1)
        return head + (int32(-1) if records is None else int32(len(records)) + records)

    shown = [string(name) + array([partition(*row) for row in rows]) for name, rows in topics]
    return response(correlation_id, int32(0) + int16(error) + int32(session) + array(shown))
