# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the builders of record batches importable."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "records"))
