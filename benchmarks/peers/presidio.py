"""Where Presidio lives: an environment of its own under .cache/peers, made when it is first needed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.measured import NotMeasurable
from benchmarks.peers.folder import FOLDER

HERE: Final = Path(__file__).parent
ENVIRONMENT: Final = FOLDER / "presidio"
INSTALL_S_MAX: Final = 900
RUN_S_MAX: Final = 1_800


@dataclass(frozen=True, kw_only=True)
class Found:
    """`spans` per text: (start, end, Presidio's name of the kind). `cpu_s`: processor time of all texts."""

    cpu_s: float
    spans: list[list[tuple[int, int, str]]]


def presidio(texts: Sequence[str]) -> Found:
    """NotMeasurable when it can be neither found nor installed."""
    python = _installed()
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    try:
        done = subprocess.run(  # noqa: S603 - our own command
            [python, HERE / "presidio_peer.py"],
            input=lines,
            capture_output=True,
            text=True,
            timeout=RUN_S_MAX,
            check=True,
        )
    except (subprocess.SubprocessError, OSError) as error:
        raise NotMeasurable(f"Presidio did not run: {_last_line(error)}") from error
    answer = json.loads(done.stdout)
    return Found(cpu_s=answer["cpu_s"], spans=[[(a, b, kind) for a, b, kind in each] for each in answer["spans"]])


def _installed() -> Path:
    python, stamp = ENVIRONMENT / "bin" / "python", ENVIRONMENT / ".installed"
    if stamp.is_file():
        return python
    print("installing Presidio into", ENVIRONMENT, file=sys.stderr)
    wanted = ["-c", HERE / "presidio_constraints.txt", "-r", HERE / "presidio_requirements.txt"]
    try:
        for command in (
            [sys.executable, "-m", "venv", ENVIRONMENT],
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted],
        ):
            subprocess.run(command, check=True, capture_output=True, text=True, timeout=INSTALL_S_MAX)  # noqa: S603
    except (subprocess.SubprocessError, OSError) as error:
        raise NotMeasurable(f"Presidio cannot be installed here: {_last_line(error)}") from error
    stamp.touch()
    return python


def _last_line(error: Exception) -> str:
    told = getattr(error, "stderr", "") or str(error)
    return str(told).strip().splitlines()[-1] if str(told).strip() else type(error).__name__
