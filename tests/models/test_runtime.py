"""What the runtime remembers of past shapes is bounded: memory does not grow with every new length of a question."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import asyncio, random
from firstline.models.embedder import open_embedder
def resident_mb():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmRSS")).split()[1]) // 1024
async def work():
    model, chance = open_embedder(name="", model="", api_key="", threads=2), random.Random(1)
    async def shapes(count):
        for _ in range(count):
            words = ["word"] * chance.randint(2, 80)
            await model.embed([" ".join(words)] * chance.randint(1, 8))
    await shapes(80)
    before = resident_mb()
    await shapes(160)
    print(resident_mb() - before)
asyncio.run(work())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_new_shapes_do_not_grow_the_process() -> None:
    """160 more shapes took 400 MB while each was kept."""
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 120
