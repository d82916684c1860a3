# SPDX-License-Identifier: GPL-2.0-or-later
"""Filter names and labels from Kafka's names (docs/display.md)."""

from __future__ import annotations

import re

# Words that are not written like ordinary ones.
SPECIAL = {
    "2pc": "2PC", "acl": "ACL", "acls": "ACLs", "api": "API", "crc": "CRC", "dir": "Directory", "dirs": "Directories",
    "elr": "ELR", "hmac": "HMAC", "hw": "HW", "id": "ID", "ids": "IDs", "isr": "ISR", "kraft": "KRaft", "len": "Length",
    "num": "Number of", "ops": "Operations", "pid": "PID", "readonly": "Read-Only", "sasl": "SASL", "scram": "SCRAM",
    "txn": "Transaction", "url": "URL", "zk": "ZooKeeper",
}
SMALL = {"and", "by", "for", "from", "in", "of", "or", "the", "to", "with"}


def snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def title(snake: str) -> str:
    """Title Case of words in snake_case; milliseconds are shown with the value, not in the label."""
    words = snake.replace("k_raft", "kraft").split("_")
    if len(words) > 1 and words[-1] == "ms":
        words.pop()
    return " ".join(
        SPECIAL.get(word) or (word if word in SMALL and index else word[:1].upper() + word[1:])
        for index, word in enumerate(words))


def field_label(name: str) -> str:
    return title(snake_case(name))


def filter_label(filter_name: str) -> str:
    """The label of a filter: of its last part, as in kafka.api_versions.min_version."""
    return title(filter_name.rpartition(".")[2])


def singular(label: str) -> str:
    """The label of one element of an array with this label."""
    if label.endswith(" Data"):
        return singular(label[:-len(" Data")])
    head, space, last = label.rpartition(" ")
    if last.endswith("ies"):
        last = last[:-3] + "y"
    elif last.endswith("ches"):
        last = last[:-2]
    elif last.endswith("s") and not last.endswith(("ss", "us")):
        last = last[:-1]
    return head + space + last
