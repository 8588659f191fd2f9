"""Stops the embedded server when its last user was killed: nobody was left to do it.

A process of its own beside the server, run as a file so that it imports nothing but what stands below:

    python watchdog.py DATA_FOLDER STOP_SECONDS_MAX

It waits for DATA/postgres.users to be free, which the kernel makes it when the last user is gone, however that ended.
Then it stops the server under the start lock, unless a new user was quicker. When the last user closed in order, there
is no server any more and the watchdog just leaves.
"""

import fcntl
import os
import signal
import sys
import time
from pathlib import Path

POLL_S = 0.05


def main(data_folder: Path, stop_s_max: float) -> None:
    users = os.open(data_folder / "postgres.users", os.O_RDWR)
    start = os.open(data_folder / "postgres.start", os.O_RDWR)
    while True:
        fcntl.flock(users, fcntl.LOCK_EX)
        # Given back at once: a new user holds the start lock and waits for this one, so we take them in that order.
        fcntl.flock(users, fcntl.LOCK_UN)
        fcntl.flock(start, fcntl.LOCK_EX)
        try:
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(start, fcntl.LOCK_UN)
            continue
        stop(data_folder / "postgres" / "data", stop_s_max)
        return


def stop(cluster: Path, stop_s_max: float) -> None:
    """A fast shutdown: sessions are cut, what was committed is written. Returns when the postmaster is gone."""
    pid = postmaster(cluster)
    if pid is None:
        return
    os.kill(pid, signal.SIGINT)
    deadline = time.monotonic() + stop_s_max
    while postmaster(cluster) == pid and time.monotonic() < deadline:
        time.sleep(POLL_S)


def postmaster(cluster: Path) -> int | None:
    """A stale pid file may name a process that has nothing to do with us: a postmaster works IN its folder."""
    try:
        pid = int((cluster / "postmaster.pid").read_text(encoding="utf-8").split("\n", 1)[0])
        return pid if Path(f"/proc/{pid}/cwd").readlink() == cluster else None
    except (OSError, ValueError):
        return None


if __name__ == "__main__":
    # The parent waits for its child: the watchdog itself is the grandchild, which nobody has to wait for.
    if os.fork() == 0:
        main(Path(sys.argv[1]), float(sys.argv[2]))
