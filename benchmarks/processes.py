"""Servers and memory of this machine, read from /proc."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import AsyncGenerator, Generator, Iterable, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

READY_S_MAX: Final = 60.0
STOP_S_MAX: Final = 20.0
POLL_S: Final = 0.01


def firstline_command(*arguments: str) -> list[str]:
    """The console script that belongs to this Python."""
    return [str(Path(sys.executable).with_name("firstline")), *arguments]


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


@dataclass(frozen=True, kw_only=True, slots=True)
class Served:
    pid: int
    url: str
    started_s: float


@contextmanager
def serve(data_folder: Path, *, environ: Mapping[str, str] | None = None) -> Generator[Served]:
    """A server on this data folder. `started_s`: from the start of its process to the first /readyz that is 200."""
    port = free_port()
    began = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603 - our own command
        firstline_command("--data", str(data_folder), "serve", "--port", str(port)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **(environ or {})},
    )
    url = f"http://127.0.0.1:{port}"
    try:
        _await_ready(process, f"{url}/readyz", began)
        yield Served(pid=process.pid, url=url, started_s=time.perf_counter() - began)
    finally:
        process.send_signal(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(STOP_S_MAX)
        if process.poll() is None:
            process.kill()
            process.wait()


def _await_ready(process: subprocess.Popen[bytes], url: str, began: float) -> None:
    while time.perf_counter() - began < READY_S_MAX:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with exit code {process.returncode} before it was ready")
        with contextlib.suppress(urllib.error.URLError, OSError), urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310 - a loopback address made above
            if answer.status == 200:
                return
        time.sleep(POLL_S)
    raise RuntimeError(f"the server was not ready within {READY_S_MAX:.0f} s")


# --- memory and processor time ---------------------------------------------------------------------------------------


def descendants(pid: int) -> list[int]:
    """The process and everything it started, by parent."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                # The command, in parentheses, may hold anything; the fields after it do not.
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found = [pid]
    for one in found:
        found += children.get(one, [])
    return found


def postmaster(data_folder: Path) -> int | None:
    """The process of the embedded Postgres, which may be nobody's child."""
    for path in data_folder.rglob("postmaster.pid"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            return int(path.read_text().splitlines()[0])
    return None


def proportional_mb(pids: list[int]) -> float:
    """Proportional set size: a page shared by n processes counts 1/n in each, so sums are true."""
    total = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            for line in (Path("/proc") / str(pid) / "smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
    return total / 1024


def cpu_s(pids: Iterable[int]) -> float:
    """Processor seconds so far, of children that have ended too."""
    ticks = 0
    for pid in pids:
        with contextlib.suppress(OSError, IndexError, ValueError):
            fields = (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()
            ticks += sum(int(field) for field in fields[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


@asynccontextmanager
async def scratch_folder(prefix: str) -> AsyncGenerator[Path]:
    """A folder that is gone afterwards. The embedded Postgres, which may run as another user, is able to enter."""
    folder = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix=prefix))
    try:
        await asyncio.to_thread(folder.chmod, 0o711)
        yield folder
    finally:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


def kill_at_once(pid: int, folder: Path, *, everything: bool) -> None:
    """SIGKILL for a process; with `everything` for its children and the data folder's database, too."""
    kill(doomed(pid, folder, everything=everything))


def doomed(pid: int, folder: Path, *, everything: bool) -> list[int]:
    """Whom `kill_at_once` kills. Looking for them takes longer than many a thing that is to be interrupted."""
    found = descendants(pid)
    database = postmaster(folder)
    if everything and database is not None:
        found += descendants(database)
    return list(dict.fromkeys(found if everything else found[:1]))


def kill(pids: Iterable[int]) -> None:
    for each in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(each, signal.SIGKILL)
