"""Who says it, where `--by` was not given."""

from __future__ import annotations

import getpass
import os


def who_says(by: str | None) -> str:
    """`by`, else the user of this machine; by number where the machine has no name for it, as in some containers."""
    try:
        return by or getpass.getuser()
    except (KeyError, OSError, ImportError):
        return f"uid {os.getuid()}" if hasattr(os, "getuid") else "unknown"
