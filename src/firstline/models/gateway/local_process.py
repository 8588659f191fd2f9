"""A model in a file, served by llama.cpp in a process of its own.

Not in this one: a damaged file, or one that does not fit into memory, ends the process that loads it. The server
listens on loopback with a key that nobody else knows, and ends with us, however we end.
"""

from __future__ import annotations

import importlib.util
import json
import os
import secrets
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from firstline.errors import Broken, InvalidInput, Unavailable

EXTRA: Final = "Install it: `pip install 'firstline[local-llm]'` (docs/models.md)."
MAGIC: Final = b"GGUF"
VERSIONS: Final = (2, 3)
HEADER_BYTES: Final = 24
CONTEXT_TOKENS: Final = 8_192
AT_ONCE: Final = 4
"""Answers written at once; they share the context."""
START_S_MAX: Final = 120.0
STOP_S_MAX: Final = 5.0
MEMORY_SHARE_MAX: Final = 0.9
"""Of the free memory that the file may have; context and scratch come on top."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LocalFile:
    """`context_tokens` and `threads`: 0 takes the default."""

    path: Path
    context_tokens: int = 0
    threads: int = 0


class LocalProcess:
    def __init__(self, file: LocalFile) -> None:
        self._file = file
        self._key = secrets.token_urlsafe(32)
        self._process: subprocess.Popen[str] | None = None
        self._url = ""
        self._starting = threading.Lock()

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> tuple[str, str]:
        """(address, key) of the server, once it answers; the running one's when it runs. Blocking: as long as loading
        the file takes. InvalidInput for a file that cannot be one, Broken when it cannot be loaded or llama.cpp is not
        installed, Unavailable when it takes longer than two minutes."""
        with self._starting:
            if not self.alive:
                check_file(self._file.path)
                self._url = self._begin()
            return self._url, self._key

    def stop(self) -> None:
        with self._starting:
            process, self._process = self._process, None
        if process is None:
            return
        if process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(STOP_S_MAX)
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()

    def _begin(self) -> str:
        if importlib.util.find_spec("xllamacpp") is None:
            raise Broken("A model in a file is configured, and llama.cpp is not installed.", remedy=EXTRA)
        # -P: the folder we were started in may hold a module of the same name as one of theirs.
        process = self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "firstline.models.local_server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        late = threading.Timer(START_S_MAX, process.kill)
        late.start()
        try:
            return self._answered(process, late)
        finally:
            late.cancel()

    def _answered(self, process: subprocess.Popen[str], late: threading.Timer) -> str:
        order = {
            "file": str(self._file.path.resolve()),
            "context": self._file.context_tokens or CONTEXT_TOKENS,
            "threads": self._file.threads or len(os.sched_getaffinity(0)),
            "at_once": AT_ONCE,
            "key": self._key,
        }
        said = ""
        if process.stdin is not None and process.stdout is not None:
            with suppress(OSError):
                process.stdin.write(json.dumps(order) + "\n")
                process.stdin.flush()
                said = process.stdout.readline()
        if said:
            return str(json.loads(said)["url"])
        process.wait()
        if late.finished.is_set():
            raise Unavailable(
                f"{self._file.path.name} was not loaded within {START_S_MAX:.0f} s.", remedy="Take a smaller model."
            )
        raise Broken(
            f"llama.cpp cannot load {self._file.path.name} (its process ended with {process.returncode}).",
            remedy="The file may be damaged, cut short, of a kind that this version does not know, or too large for "
            "this machine: download it again, or take a smaller one.",
        )


def check_file(path: Path) -> None:
    """InvalidInput says what is wrong with a file that llama.cpp would only fail on."""
    remedy = "Name a model in the GGUF format in `file`."
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            head = file.read(HEADER_BYTES)
    except OSError as error:
        raise InvalidInput(f"The model file {path} cannot be read: {error.strerror}.", remedy=remedy) from error
    if head[:4] != MAGIC or len(head) < HEADER_BYTES:
        raise InvalidInput(f"{path} is no GGUF file.", remedy=remedy)
    version = int.from_bytes(head[4:8], "little")
    if version not in VERSIONS:
        raise InvalidInput(f"{path} is a GGUF file of version {version}.", remedy="Convert it anew to version 3.")
    free = free_bytes()
    if free and size > free * MEMORY_SHARE_MAX:
        raise InvalidInput(
            f"{path} has {size / 2**30:.1f} GiB, and {free / 2**30:.1f} GiB of memory are free.",
            remedy="Take a smaller model, or one with fewer bits.",
        )


def free_bytes() -> int:
    """0 where the system does not say."""
    with suppress(OSError, ValueError, IndexError, StopIteration):
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return int(next(line for line in lines if line.startswith("MemAvailable:")).split()[1]) * 1024
    return 0
