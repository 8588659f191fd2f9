"""The process that builds the graphs of a copy of the shard, while the worker goes on serving the shard itself.

Run by the worker as `python -m firstline.engines.qdrant_edge.builder FOLDER FROM TO DIMENSIONS`. It copies the shard
(the worker lets no write through meanwhile), says `copied`, builds, catches up with the journal, says `built` with the
journal's offset or `nothing`, and ends. Nothing that it does counts before the worker's note names the copy.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from pathlib import Path
from typing import Final

from firstline.engines.qdrant_edge.journal import replay
from firstline.engines.qdrant_edge.note import JOURNAL
from firstline.engines.qdrant_edge.shard import Shard

NICE: Final = 10
CATCH_UP_ROUNDS_MAX: Final = 20
CATCH_UP_BYTES: Final = 1024 * 1024
"""A rest of the journal this small is left to the worker: a few hundred chunks, less than 0.2 s."""
_PR_SET_PDEATHSIG: Final = 1
_COPY_BYTES: Final = 8 * 1024 * 1024


def main(arguments: list[str]) -> int:
    folder, source, target, dimensions = Path(arguments[0]), arguments[1], arguments[2], int(arguments[3])
    _die_with_the_worker()
    copy_sparse(folder / source, folder / target)
    print("copied", flush=True)
    # Copying keeps writers waiting and is done at full speed; building keeps nobody waiting.
    os.nice(NICE)
    shard = Shard.open_copy(folder / target, dimensions=dimensions)
    if not shard.optimize():
        print("nothing", flush=True)
        return 0
    offset = 0
    for _ in range(CATCH_UP_ROUNDS_MAX):
        offset = replay(folder / JOURNAL, shard, offset=offset)
        shard.flush()
        if (folder / JOURNAL).stat().st_size - offset < CATCH_UP_BYTES:
            break
    shard.close()
    print("built", offset, flush=True)
    return 0


def _die_with_the_worker() -> None:
    """A thread could not watch for its end: the engine holds the interpreter's lock for minutes."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def copy_sparse(source: Path, target: Path) -> None:
    """Copy a folder. Its files are mostly holes, which stay holes."""
    for root, folders, names in os.walk(source):
        at = target / Path(root).relative_to(source)
        at.mkdir(mode=0o700)
        folders.sort()
        for name in names:
            _copy_file(Path(root) / name, at / name)


def _copy_file(source: Path, target: Path) -> None:
    with source.open("rb", buffering=0) as old, target.open("wb", buffering=0) as new:
        end = old.seek(0, os.SEEK_END)
        new.truncate(end)
        at = 0
        while at < end:
            try:
                at = os.lseek(old.fileno(), at, os.SEEK_DATA)
            except OSError:
                break  # nothing but a hole is left
            stop = os.lseek(old.fileno(), at, os.SEEK_HOLE)
            while at < stop:
                part = os.pread(old.fileno(), min(_COPY_BYTES, stop - at), at)
                if not part:
                    break
                at += os.pwrite(new.fileno(), part, at)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
