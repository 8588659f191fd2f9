"""The demo knowledge base, served for as long as somebody looks: for the picture of the graph's page, and its tests."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
LINES_MAX = 60


@contextmanager
def demo_server() -> Generator[tuple[str, str]]:
    """Its address and a customer's key; the data folder goes afterwards. RuntimeError, with what was printed, when it
    does not start."""
    folder = Path(tempfile.mkdtemp(prefix="firstline-demo-"))
    folder.chmod(0o711)  # Postgres runs as a user of its own
    command = [str(Path(sys.executable).parent / "firstline"), "--data", str(folder / "data"), "demo"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # noqa: S603  # our own command
    try:
        assert process.stdout is not None  # noqa: S101  # it is piped
        seen: list[str] = []
        link = None
        while link is None and len(seen) < LINES_MAX and (line := process.stdout.readline()):
            seen.append(line)
            link = re.search(r"(http://\S+)/#key=(\S+)", line)
        if link is None:
            raise RuntimeError("The demo did not start:\n" + "".join(seen))
        yield link[1], link[2]
    finally:
        process.terminate()
        process.communicate(timeout=30)
        shutil.rmtree(folder, ignore_errors=True)
