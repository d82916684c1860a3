# SPDX-License-Identifier: GPL-2.0-or-later
"""Puts a conversation into TLS 1.2, with a key log. The cipher needs no certificates."""

import ssl
from pathlib import Path

from others import Talk

CIPHER = "AECDH-AES128-SHA:@SECLEVEL=0"


def _context(purpose: int) -> ssl.SSLContext:
    context = ssl.SSLContext(purpose)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(CIPHER)
    return context


def encrypted(talk: Talk, key_log: Path) -> Talk:
    """The bytes that TCP carries: the handshake, then each message of the conversation."""
    client_context = _context(ssl.PROTOCOL_TLS_CLIENT)
    client_context.check_hostname = False
    client_context.verify_mode = ssl.CERT_NONE
    client_context.keylog_filename = str(key_log)
    to_client, to_server, from_client, from_server = (ssl.MemoryBIO() for _ in range(4))
    client = client_context.wrap_bio(to_client, from_client)
    server = _context(ssl.PROTOCOL_TLS_SERVER).wrap_bio(to_server, from_server, server_side=True)
    carried: Talk = []

    def carry() -> None:
        for is_client, source, target in ((True, from_client, to_server), (False, from_server, to_client)):
            if source.pending:
                carried.append((is_client, source.read()))
                target.write(carried[-1][1])

    for _ in range(3):
        for side in (client, server):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                pass
            carry()
    for is_client, payload in talk:
        (client if is_client else server).write(payload)
        carry()
        (server if is_client else client).read(len(payload))
    key_log.chmod(0o644)
    return carried
