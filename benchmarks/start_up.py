"""How long until it answers: the command line's help, and a server on an existing folder. And what it holds then."""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.processes import descendants, firstline_command, postmaster, proportional_mb, serve

STARTS: Final = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class StartUp:
    """Seconds and megabytes (proportional set size). `server_mb` includes its index worker."""

    help_s: float
    server_s: float
    server_mb: float
    postgres_mb: float


def help_s() -> float:
    return statistics.median(_help_once() for _ in range(STARTS))


def _help_once() -> float:
    began = time.perf_counter()
    subprocess.run(firstline_command("--help"), check=True, capture_output=True)  # noqa: S603 - our own command
    return time.perf_counter() - began


def measure_start(folder: Path) -> StartUp:
    """`folder`: an existing data folder, with documents. The median of a few starts, the first of which warms the
    disk cache and does not count."""
    seconds: list[float] = []
    server_mb = postgres_mb = 0.0
    for _ in range(STARTS + 1):
        with serve(folder) as served:
            seconds.append(served.started_s)
            own = descendants(served.pid)
            database = postmaster(folder)
            databases = descendants(database) if database else []
            server_mb = proportional_mb([pid for pid in own if pid not in databases])
            postgres_mb = proportional_mb(databases)
    return StartUp(
        help_s=help_s(), server_s=statistics.median(seconds[1:]), server_mb=server_mb, postgres_mb=postgres_mb
    )


def demo_folder(cache: Path) -> Path:
    """A data folder with the demo in it, kept between runs."""
    folder = cache / "start"
    subprocess.run(  # noqa: S603 - our own command
        firstline_command("--data", str(folder), "demo", "--no-serve"),
        check=True,
        stdout=subprocess.DEVNULL,  # what it says on stderr is the reason when it fails
    )
    return folder


async def measure_start_async(folder: Path) -> StartUp:
    return await asyncio.to_thread(measure_start, folder)
