# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests share: running tshark, reading and writing captures, an independent splitter of Kafka's streams."""
