"""Memory of a process with everything it started, its embedded database too."""

from __future__ import annotations

import subprocess
import time
from typing import Final

from benchmarks.peers.folder import FOLDER, SCRATCH
from benchmarks.processes import descendants, proportional_mb

SAMPLE_S: Final = 0.5
STOP_S_MAX: Final = 30.0


def memory_mb(pid: int) -> float:
    """Proportional set size in MB."""
    return proportional_mb(_all_processes(pid))


def wait_and_watch(process: subprocess.Popen[bytes], *, wait_s_max: float) -> float:
    """Wait for the end of the process; its largest memory in MB, sampled twice a second.

    TimeoutError when it takes longer: it is stopped then."""
    ends, peak_mb = time.monotonic() + wait_s_max, 0.0
    while process.poll() is None:
        peak_mb = max(peak_mb, memory_mb(process.pid))
        if time.monotonic() > ends:
            _stop(process)
            raise TimeoutError(f"it was not done within {wait_s_max:.0f} s")
        time.sleep(SAMPLE_S)
    return peak_mb


def _all_processes(pid: int) -> list[int]:
    own = descendants(pid)
    # The database may have detached itself from who started it.
    for path in FOLDER.glob(f"{SCRATCH}*/data/postgres/*/postmaster.pid"):
        try:
            first = int(path.read_text().splitlines()[0])
        except (OSError, ValueError, IndexError):
            continue
        if first not in own:
            own += descendants(first)
    return own


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()  # it stops what it started and removes its folder
    try:
        process.wait(STOP_S_MAX)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
