# SPDX-License-Identifier: GPL-2.0-or-later
"""Conformance: what Kafka's own classes write, field by field, against what Wireshark shows."""
