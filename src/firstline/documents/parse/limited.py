"""Runs a program that may crash, hang or eat memory, within limits that the system enforces.

    python -m firstline.documents.parse.limited MEMORY_BYTES CPU_SECONDS FILE_BYTES PROGRAM [ARGUMENT...]

sets them on itself and becomes the program: whatever that starts inherits them.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

CANNOT_START: Final = 127
_PASSED_ON: Final = ("PATH", "LANG", "LC_ALL", "TESSDATA_PREFIX", "OMP_THREAD_LIMIT")


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """`seconds` on the clock; the others are the system's. `output_bytes` bounds every file that is written, too."""

    memory_bytes: int
    cpu_s: int
    output_bytes: int
    seconds: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Ended:
    """How a program ended. `code` is negative for a signal, None when it was stopped for want of time."""

    code: int | None
    said: bytes
    complained: bytes


def limit(*, memory_bytes: int, cpu_s: int, file_bytes: int | None = None) -> None:
    """Set limits on this process, for good."""
    for what, value in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, file_bytes),
    ):
        # A lower hard limit of the host stays in force; some hosts allow no change at all.
        with contextlib.suppress(ValueError, OSError):
            if value is not None:
                resource.setrlimit(what, (value, value))


def run_limited(arguments: Sequence[str], given: bytes, limits: Limits) -> Ended:
    """Run a program in a folder of its own, which is gone afterwards, without this process's variables: they hold
    secrets. What it leaves running ends with it."""
    with tempfile.TemporaryDirectory(prefix="firstline-run-") as folder:
        places = [Path(folder) / name for name in ("in", "out", "error")]
        places[0].write_bytes(given)
        # Files instead of pipes: nobody has to read while the other writes, and the system bounds them.
        with places[0].open("rb") as stdin, places[1].open("wb") as stdout, places[2].open("wb") as stderr:
            process = subprocess.Popen(  # noqa: S603 (a list of words that an operator wrote, no shell)
                [
                    *(sys.executable, "-P", "-m", "firstline.documents.parse.limited"),
                    *map(str, (limits.memory_bytes, limits.cpu_s, limits.output_bytes)),
                    *arguments,
                ],
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                cwd=folder,
                env=own_variables(),
                start_new_session=True,
            )
            code: int | None = None
            try:
                code = process.wait(limits.seconds)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        said = _head(places[1], limits.output_bytes)
        return Ended(code=code, said=said, complained=_head(places[2], limits.output_bytes))


def own_variables() -> dict[str, str]:
    """What a program that reads documents is told of ours: they may hold secrets, and a document may be hostile."""
    return {name: os.environ[name] for name in _PASSED_ON if name in os.environ}


def _head(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        return file.read(size)


def main(arguments: Sequence[str]) -> None:
    memory_bytes, cpu_s, file_bytes = map(int, arguments[:3])
    limit(memory_bytes=memory_bytes, cpu_s=cpu_s, file_bytes=file_bytes)
    try:
        os.execvp(arguments[3], list(arguments[3:]))  # noqa: S606 (no shell: that is the point)
    except OSError as error:
        sys.stderr.write(error.strerror or "it cannot be started")
        sys.exit(CANNOT_START)


if __name__ == "__main__":
    main(sys.argv[1:])
