#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes tests/capture/golden/*.txt again from what the plugin shows. Read the difference before you commit it."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

from common.manifest import capture  # noqa: E402
from common.tshark import Tshark  # noqa: E402
from golden import FOLDER, GOLDEN, path_of, text_of  # noqa: E402
from view import View  # noqa: E402


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for name in GOLDEN:
        text = text_of(View(capture(name), Tshark()).shown_two_pass)
        path_of(name).write_text(text, encoding="utf-8")
        print(f"{name}: {len(text.split(chr(10) * 2))} messages")


if __name__ == "__main__":
    main()
