"""An index worker that begins a rebuild which is due without the usual pause: `index_worker.py FOLDER`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from index_client import DIMENSIONS

from firstline.engines.qdrant_edge.worker import lock, run


def main(folder: Path) -> None:
    held = lock(folder, wait_s_max=5)
    assert held is not None
    asyncio.run(run(folder, dimensions=DIMENSIONS, rebuild_quiet_s=0.0))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
