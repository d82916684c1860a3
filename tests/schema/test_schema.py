# SPDX-License-Identifier: GPL-2.0-or-later
"""The schema that is committed, against what is known about Kafka's protocol."""

from pathlib import Path

import notation
import pytest
from model import Api, Field, Message, in_version, layout
from resolve import Schema, resolve


@pytest.fixture(scope="module")
def apis(schema_folder: Path) -> dict[str, Api]:
    return {api.name: api for api in notation.read_folder(schema_folder / "messages")[0]}


@pytest.fixture(scope="module")
def schema(schema_folder: Path, meaning_header: Path) -> Schema:
    return resolve(schema_folder, meaning_header)


def field_names(message: Message, version: int) -> list[str]:
    return [entry[0] for entry in layout(message.fields, version)]


def find(fields: list[Field], *path: str) -> Field:
    field = next(field for field in fields if field.name == path[0])
    return find(field.members or [], *path[1:]) if len(path) > 1 else field


def test_every_api_and_version(apis: dict[str, Api]) -> None:
    assert sorted(api.key for api in apis.values()) == list(range(95))
    pairs = 0
    for api in apis.values():
        request, response = api.messages["request"], api.messages["response"]
        assert request.versions == response.versions, api.name
        assert request.flexible == response.flexible, api.name
        pairs += len(list(request.versions))
    assert pairs == 368


@pytest.mark.parametrize(("name", "key", "versions", "flexible"), [
    ("Produce", 0, "0-13", "9+"),
    ("Fetch", 1, "0-18", "12+"),
    ("Metadata", 3, "0-13", "9+"),
    ("LeaderAndIsr", 4, "0-7", "4+"),
    ("StopReplica", 5, "0-4", "2+"),
    ("UpdateMetadata", 6, "0-8", "6+"),
    ("ControlledShutdown", 7, "0-3", "3+"),
    ("SaslHandshake", 17, "0-1", "none"),
    ("ApiVersions", 18, "0-5", "3+"),
    ("AlterPartition", 56, "0-3", "0+"),
    ("ListConfigResources", 74, "0-1", "0+"),
])
def test_versions_of(apis: dict[str, Api], name: str, key: int, versions: str, flexible: str) -> None:
    api = apis[name]
    request = api.messages["request"]
    assert (api.key, str(request.versions), str(request.flexible)) == (key, versions, flexible)


def test_produce_request(apis: dict[str, Api]) -> None:
    request = apis["Produce"].messages["request"]
    assert field_names(request, 0) == ["Acks", "TimeoutMs", "TopicData"]
    assert field_names(request, 3) == ["TransactionalId", "Acks", "TimeoutMs", "TopicData"]
    topic = find(request.fields, "TopicData")
    assert [field.name for field in in_version(topic.members or [], 12)] == ["Name", "PartitionData"]
    assert [field.name for field in in_version(topic.members or [], 13)] == ["TopicId", "PartitionData"]
    records = find(request.fields, "TopicData", "PartitionData", "Records")
    assert (records.type, str(records.nullable)) == ("records", "0+")


def test_a_field_that_became_tagged(apis: dict[str, Api]) -> None:
    request = apis["Fetch"].messages["request"]
    replica = find(request.fields, "ReplicaState")
    assert (str(replica.versions), str(replica.tagged), replica.tag) == ("15+", "15+", 1)
    assert str(find(request.fields, "ReplicaId").versions) == "0-14"
    cluster = find(request.fields, "ClusterId")
    assert (str(cluster.tagged), cluster.tag, str(cluster.nullable)) == ("12+", 0, "12+")


def test_the_tag_that_kafka_writes_as_a_string(apis: dict[str, Api]) -> None:
    assert find(apis["BrokerHeartbeat"].messages["request"].fields, "OfflineLogDirs").tag == 0


def test_a_nullable_structure(apis: dict[str, Api]) -> None:
    assignment = find(apis["ConsumerGroupHeartbeat"].messages["response"].fields, "Assignment")
    assert (assignment.is_array, str(assignment.nullable), assignment.tag) == (False, "0+", None)


def test_layouts_that_early_access_releases_had(apis: dict[str, Api]) -> None:
    summary = apis["ReadShareGroupStateSummary"].messages["response"]
    assert summary.variant is not None
    main = find(summary.fields, "Results", "Partitions")
    other = find(summary.variant.fields, "Results", "Partitions")
    names = {field.name for field in in_version(main.members or [], 0)}
    assert names - {field.name for field in other.members or []} == {"LeaderEpoch"}
    varied = {api.name for api in apis.values() for message in api.messages.values() if message.variant is not None}
    assert varied == {"ConsumerGroupDescribe", "ConsumerGroupHeartbeat", "ReadShareGroupStateSummary"}


def test_other_messages(schema_folder: Path) -> None:
    data = {message.name for message in notation.read_folder(schema_folder / "messages")[1]}
    assert data >= {"ConsumerProtocolAssignment", "ConsumerProtocolSubscription", "DefaultPrincipalData",
                    "EndTxnMarker", "KRaftVersionRecord", "LeaderChangeMessage", "SnapshotFooterRecord",
                    "SnapshotHeaderRecord", "VotersRecord"}


def test_every_field_ends_with_a_filter_or_members(schema: Schema) -> None:
    for api in schema.apis:
        for message in api.messages.values():
            for field in message.fields:
                assert (schema.fields[id(field)].filter is None) == (field.members is not None)


def test_error_codes_have_one_filter(schema: Schema) -> None:
    assert [name for name, display in schema.displays.items() if display.meaning == "error_code"] == ["kafka.error"]


def test_one_alias_finds_a_group_everywhere(schema: Schema) -> None:
    assert schema.displays["kafka.consumer_group"].alias == "kafka.group_id"
    assert {name for name, display in schema.displays.items() if display.meaning == "group_id"} == {
        "kafka.consumer_group", "kafka.group_id"}


# Filters that do not stand for a field of a message: the header's, those of batches and records, generated ones.
NOT_IN_MESSAGES = """
    api_key api_version batch_base_sequence batch_codec batch_control_batch batch_crc
    batch_first_timestamp batch_last_offset_delta batch_last_timestamp batch_size batch_timestamp_type
    batch_transactional correlation_id header_key header_value len message_codec message_compression_reduction message_crc message_key
    message_magic message_size message_timestamp message_timestamp_type message_value record_attributes request.version
    request_frame request_key response.version response_frame response_key tagged_field_data tagged_field_tag
    truncated_content""".split()


def test_no_filter_of_the_built_in_is_missing(schema: Schema, schema_folder: Path) -> None:
    rows = [line.split("\t") for line in (schema_folder / "builtin.tsv").read_text(encoding="utf-8").splitlines()
            if line and not line.startswith("#")]
    # Its expert infos have the type "none".
    fields = {row[0] for row in rows if row[1] != "none"}
    assert fields - schema.displays.keys() == {f"kafka.{name}" for name in NOT_IN_MESSAGES}
