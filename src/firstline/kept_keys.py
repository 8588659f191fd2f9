"""Keys that this installation makes for itself, once, and keeps in files of its data folder."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path
from typing import Final

from firstline.errors import Broken

KEY_BYTES: Final = 32


def kept_key(path: Path) -> bytes:
    """The key in this file, made with the first call, of this process or another. Whole or not there at all: it gets
    its name when it is written. Broken when the file holds something else."""
    if not path.exists():
        made = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        try:
            descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(secrets.token_bytes(KEY_BYTES))
                file.flush()
                os.fsync(descriptor)
            with contextlib.suppress(FileExistsError):
                os.link(made, path)
        finally:
            made.unlink(missing_ok=True)
    key = path.read_bytes()
    if len(key) != KEY_BYTES:
        raise Broken(
            f"The key file {path} is damaged.",
            remedy="Restore it from a backup, or remove it: what was signed with it proves nothing any more.",
        )
    return key
