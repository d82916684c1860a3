# SPDX-License-Identifier: GPL-2.0-or-later
"""How Wireshark writes a value into the "show" attribute of PDML.

What 4.0, 4.4 and 4.6 have in common: strings and bytes are never cut short (only "showname" is); control characters
other than tab, line feed and carriage return appear as a backslash, an x and the hex digits without leading zero.
Where they differ stands at the functions.
"""

import base64
import math
import re
import struct

NULL_TEXT = "[ Null ]"
# Two code points that a string may have and XML may not: pdml.py puts private ones in their place.
STAND_INS = {"\ufffe": "\uf8fe", "\uffff": "\uf8ff"}
# Authorized operations when the request did not ask for them.
NOT_ASKED_FOR = -(1 << 31)
FIRST_OPERATION = 3
OPERATIONS = (
    "read write create delete alter describe cluster_action describe_configs alter_configs idempotent_write"
    " create_tokens describe_tokens two_phase_commit"
).split()
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
WIDTHS = {"8": 8, "16": 16, "32": 32, "64": 64}

Version = tuple[int, int, int]


def string(value: str | None) -> str:
    if value is None:
        return NULL_TEXT
    text = value.replace("\0", "\u2400")
    text = text.translate(str.maketrans(STAND_INS))
    return re.sub(r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]", lambda match: f"\\x{ord(match.group()):x}", text)


def hex_bytes(digits: str | None) -> str:
    """Null and empty look alike here: a child tells."""
    return ":".join(re.findall("..", digits or ""))


def guid(digits: str) -> str:
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def uuid_text(digits: str) -> str:
    """Kafka's own form."""
    return base64.urlsafe_b64encode(bytes.fromhex(digits)).decode("ascii").rstrip("=")


def reserved_name(digits: str, is_directory: bool) -> str | None:
    """Kafka's name of an id that it keeps for itself (DirectoryId.java, Uuid.java)."""
    reserved = ("MIGRATING", "UNASSIGNED", "LOST") if is_directory else ("ZERO_UUID", "METADATA_TOPIC_ID")
    number = int(digits, 16)
    return reserved[number] if number < len(reserved) else None


def operations(bits: int) -> dict[str, bool]:
    """What a set of authorized operations says of each of them (AclOperation.java)."""
    return {name: bool(bits >> number & 1) for number, name in enumerate(OPERATIONS, FIRST_OPERATION)}


def integer(value: int, kind: str) -> int:
    """The number as a field of that type holds it."""
    match = re.fullmatch(r"(u?)int(8|16|32|64)", kind)
    if match is None:
        raise ValueError(f"{kind} is no type of integer")
    bits = WIDTHS[match.group(2)]
    value &= (1 << bits) - 1
    signed = not match.group(1)
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def boolean(value: bool) -> str:
    """A number, as 4.0 writes it; common/tshark.py makes that of the words of later versions."""
    return str(int(value))


def is_double(shown: str, bits: str, version: Version) -> bool:
    """Up to 4.4 fifteen digits, later the shortest text that gives the same eight bytes again."""
    (value,) = struct.unpack(">d", bytes.fromhex(bits))
    if version < (4, 6):
        return shown == f"{value:.15g}"
    if math.isnan(value):
        return shown == "NaN"
    number = re.fullmatch(r"-?(Infinity|[0-9.]+(e[+-][0-9]+)?)", shown)
    return number is not None and struct.pack(">d", float(shown)).hex() == bits


def _civil(days: int) -> tuple[int, int, int]:
    """Year, month and day of a day counted from 1970, for any year (datetime ends at 9999)."""
    # Years that begin with March put the leap day last; 719468 days lie between 0000-03-01 and 1970.
    era, day_of_era = divmod(days + 719468, 146097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    march_month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * march_month + 2) // 5 + 1
    month = march_month + 3 if march_month < 10 else march_month - 9
    return year_of_era + era * 400 + (1 if month <= 2 else 0), month, day


def time(milliseconds: int, version: Version) -> str:
    """A point in time; 4.6 writes the ISO form, older ones a date in words."""
    days, rest = divmod(milliseconds, 86_400_000)
    year, month, day = _civil(days)
    seconds, fraction = divmod(rest, 1000)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:03}000000"
    if version < (4, 6):
        return f"{MONTHS[month - 1]} {day:2}, {year} {clock} UTC"
    return f"{year:04}-{month:02}-{day:02}T{clock}Z"
