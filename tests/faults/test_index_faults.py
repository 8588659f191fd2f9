"""Kill, stop, starve and corrupt the index worker: nothing acknowledged is lost, and every error says what to do."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import stat
import struct
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from index_client import DIMENSIONS, chunk
from tests.cost import ends_within

from firstline.domain import EVERYONE, Level
from firstline.engines.qdrant_edge import QdrantEdgeIndex, address, open_qdrant_edge, search, shard
from firstline.engines.qdrant_edge.shard import Shard
from firstline.errors import Broken, DataTooNew, Unavailable
from firstline.ports import IndexQuery, Scope, SparseVector

SCOPE = Scope(tenant="t", kb="k", acl_tags=frozenset({EVERYONE}), level_max=Level.PUBLIC, snapshot=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
async def index(folder: Path) -> AsyncIterator[QdrantEdgeIndex]:
    async with open_qdrant_edge(folder=folder, dimensions=DIMENSIONS) as opened:
        yield opened


def asked(number: int, *, limit: int = 1) -> IndexQuery:
    return IndexQuery(
        scope=SCOPE,
        dense=chunk(number).dense,
        words=SparseVector(indices=(number,), values=(1.0,)),
        limit=limit,
    )


def client_process(folder: Path, first: int, last: int) -> subprocess.Popen[str]:
    script = Path(__file__).with_name("index_client.py")
    return subprocess.Popen(
        [sys.executable, str(script), str(folder), str(first), str(last)], stdout=subprocess.PIPE, text=True
    )


def is_alive(pid: int) -> bool:
    """A zombie is dead: only its parent's note of it is missing."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def gone(pid: int, *, within_s: float) -> bool:
    deadline = time.monotonic() + within_s
    while is_alive(pid):
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.05)
    return True


async def test_killing_the_worker_loses_nothing_acknowledged_and_the_writer_goes_on(index: QdrantEdgeIndex) -> None:
    workers: set[int] = set()
    for number in range(120):
        if number % 30 == 29:
            pid = await index.ready()
            workers.add(pid)
            writing = asyncio.create_task(index.upsert([chunk(number)]))
            await asyncio.sleep(0.001 * (number % 4))
            os.kill(pid, signal.SIGKILL)
            await writing
        else:
            await index.upsert([chunk(number)])

    assert len(workers) == 4
    assert await index.count(tenant="t", kb="k") == 120
    for number in range(120):
        (hit,) = await index.search(asked(number))
        assert (hit.chunk_id, round(hit.dense, 2)) == (chunk(number).chunk_id, 1.0)
        assert hit.words > 0


async def test_killing_the_client_leaves_no_worker_behind_and_keeps_what_it_was_told(folder: Path) -> None:
    process = client_process(folder, 0, 100_000)
    assert process.stdout is not None
    worker = int((await asyncio.to_thread(process.stdout.readline)).split()[1])
    acknowledged = [int(await asyncio.to_thread(process.stdout.readline)) for _ in range(50)][-1]
    process.kill()
    rest = await asyncio.to_thread(process.stdout.read)
    process.stdout.close()
    process.wait()
    whole = [line for line in rest.split("\n")[:-1] if line]
    acknowledged = int(whole[-1]) if whole else acknowledged

    assert await gone(worker, within_s=6)
    assert not (folder / "index.sock").exists()
    async with open_qdrant_edge(folder=folder, dimensions=DIMENSIONS) as index:
        assert await index.ready() != worker
        assert await index.count(tenant="t", kb="k") >= acknowledged + 1
        (hit,) = await index.search(asked(acknowledged))
        assert hit.chunk_id == chunk(acknowledged).chunk_id


async def test_processes_that_start_together_share_one_worker(folder: Path) -> None:
    processes = [client_process(folder, 100 * n, 100 * n + 100) for n in range(3)]
    outputs = await asyncio.gather(*(asyncio.to_thread(process.communicate) for process in processes))

    assert [process.returncode for process in processes] == [0, 0, 0]
    assert len({output.splitlines()[0] for output, _ in outputs}) == 1
    async with open_qdrant_edge(folder=folder, dimensions=DIMENSIONS) as index:
        assert await index.count(tenant="t", kb="k") == 300


async def test_opening_again_and_again_around_the_workers_departure(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clients that come while a worker is leaving wait for the next one."""
    for number in range(4):
        async with open_qdrant_edge(folder=folder, dimensions=DIMENSIONS) as index:
            await index.upsert([chunk(number)])
            pid = await index.ready()
        os.kill(pid, signal.SIGTERM)
        await asyncio.sleep(0.01 * number)
    async with open_qdrant_edge(folder=folder, dimensions=DIMENSIONS) as index:
        assert await index.count(tenant="t", kb="k") == 4


async def test_a_worker_that_hangs_is_unavailable_in_time_and_forgiven_afterwards(folder: Path) -> None:
    index = QdrantEdgeIndex(folder=folder, dimensions=DIMENSIONS, search_s_max=0.3)
    await index.upsert([chunk(1)])
    pid = await index.ready()
    os.kill(pid, signal.SIGSTOP)
    try:

        async def refused() -> None:
            with pytest.raises(Unavailable, match=r"within 0\.3 s"):
                await index.search(asked(1))

        assert await ends_within(refused, 2)
    finally:
        os.kill(pid, signal.SIGCONT)
    await asyncio.sleep(0.1)
    assert [hit.chunk_id for hit in await index.search(asked(1))] == [chunk(1).chunk_id]
    await index.close()
    with pytest.raises(Unavailable, match="closed"):
        await index.search(asked(1))


async def test_a_worker_that_cannot_start_is_reported(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    index = QdrantEdgeIndex(folder=folder, dimensions=DIMENSIONS)
    with pytest.raises(Unavailable, match=r"ended \(1\).*worker\.log"):
        await index.count(tenant="t", kb="k")


async def test_ctrl_c_in_the_terminal_does_not_reach_the_worker(index: QdrantEdgeIndex) -> None:
    pid = await index.ready()
    assert os.getsid(pid) == pid
    assert os.getpgid(pid) != os.getpgid(0)


async def test_the_socket_is_for_this_user_alone(index: QdrantEdgeIndex, folder: Path) -> None:
    status = (folder / "index.sock").stat()
    assert stat.S_ISSOCK(status.st_mode)
    assert stat.S_IMODE(status.st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        struct.pack("<II", 2**32 - 1, 10),
        struct.pack("<II", 4 + 2, 2) + b"{}",
        struct.pack("<II", 4 + 4, 4) + b"null",
        struct.pack("<II", 4 + 40, 40) + b'{"arrays":[["<f4",[99999999,99999999]]]}',
        struct.pack("<II", 4 + 31, 31) + b'{"arrays":[["|O",[1]]],"id":0} ',
    ],
)
async def test_nonsense_on_the_socket_closes_that_connection_only(
    index: QdrantEdgeIndex, folder: Path, sent: bytes
) -> None:
    await index.upsert([chunk(1)])
    pid = await index.ready()

    def knock() -> bytes:
        with socket.socket(socket.AF_UNIX) as raw:
            raw.settimeout(5)
            raw.connect(str(folder / "index.sock"))
            raw.sendall(sent)
            raw.shutdown(socket.SHUT_WR)
            with contextlib.suppress(ConnectionResetError):
                return raw.recv(1000)
            return b""

    assert await asyncio.to_thread(knock) == b""
    assert len(await index.search(asked(1))) == 1
    assert await index.ready() == pid


async def test_a_path_too_long_for_a_socket_works_too(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 20) / ("path" * 20)
    async with open_qdrant_edge(folder=folder, dimensions=DIMENSIONS) as index:
        await index.upsert([chunk(1)])
        assert await index.count(tenant="t", kb="k") == 1
    path = address.socket_path(folder)
    assert path.parent != folder
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


async def test_other_dimensions_need_an_operator(folder: Path, index: QdrantEdgeIndex) -> None:
    pid = await index.ready()
    await index.close()
    os.kill(pid, signal.SIGTERM)
    assert await gone(pid, within_s=5)

    with pytest.raises(Broken, match=r"holds vectors of 8 dimensions.*ingest again"):
        async with open_qdrant_edge(folder=folder, dimensions=DIMENSIONS + 1):
            pass


@pytest.mark.parametrize(
    ("damage", "error"),
    [
        ("index.json", "is damaged"),
        ("shard/edge_config.json", "Could not open"),
        ("shard/wal/first-index", "Could not open"),
        ("shard/segments/*/segment.json", "Could not open"),
        ("shard/segments/*/payload_index/*-acl-map/tracker.dat", "Could not open"),
    ],
)
def test_a_damaged_folder_needs_an_operator(folder: Path, damage: str, error: str) -> None:
    held = Shard.open(folder, dimensions=DIMENSIONS)
    held.upsert([chunk(number) for number in range(10)])
    held.close()
    (damaged,) = folder.glob(damage)
    with damaged.open("r+b") as file:
        file.write(b"\xff" * min(damaged.stat().st_size, 4096))

    with pytest.raises(Broken, match=rf"(?s){error}.*Move the folder .* away and ingest again"):
        Shard.open(folder, dimensions=DIMENSIONS)


def test_damaged_vectors_are_not_taken_for_scores(folder: Path) -> None:
    held = Shard.open(folder, dimensions=DIMENSIONS)
    held.upsert([chunk(number) for number in range(10)])
    held.close()
    (damaged,) = folder.glob("shard/segments/*/vector_storage-chunk/vectors/chunk_0.mmap")
    with damaged.open("r+b") as file:
        file.write(b"\xff" * 4096)

    opened = Shard.open(folder, dimensions=DIMENSIONS)
    with pytest.raises(Broken, match=r"not numbers.*ingest again"):
        opened.search(asked(1))
    opened.close()


async def test_the_client_hears_why_the_folder_cannot_be_opened(folder: Path) -> None:
    Shard.open(folder, dimensions=DIMENSIONS).close()
    (folder / "index.json").write_text("{")
    with pytest.raises(Broken, match="is damaged"):
        async with open_qdrant_edge(folder=folder, dimensions=DIMENSIONS):
            pass


def test_a_newer_folder_is_left_alone(folder: Path) -> None:
    Shard.open(folder, dimensions=DIMENSIONS).close()
    (folder / "index.json").write_text(json.dumps({"format": 99, "dimensions": DIMENSIONS}))
    with pytest.raises(DataTooNew, match="Upgrade"):
        Shard.open(folder, dimensions=DIMENSIONS)


def test_a_first_start_that_died_half_way_is_started_over(folder: Path) -> None:
    Shard.open(folder, dimensions=DIMENSIONS).close()
    (folder / "index.json").unlink()
    (folder / "shard" / "edge_config.json").unlink()

    opened = Shard.open(folder, dimensions=DIMENSIONS + 4)
    assert opened.count(tenant="t", kb="k") == 0
    opened.close()


def test_a_full_disk_stops_writing_and_not_reading(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Shard.open(folder, dimensions=DIMENSIONS)
    opened.upsert([chunk(1)])
    monkeypatch.setattr(shard, "FREE_BYTES_MIN", 2**62)
    with pytest.raises(Unavailable, match="disk is full"):
        opened.upsert([chunk(2)])
    with pytest.raises(Unavailable, match="disk is full"):
        opened.set_until([chunk(1).chunk_id], 2)
    assert [hit.chunk_id for hit in opened.search(asked(1))] == [chunk(1).chunk_id]
    opened.close()


def test_a_folder_that_is_a_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "index").write_text("")
    index = QdrantEdgeIndex(folder=tmp_path / "index", dimensions=DIMENSIONS)
    with pytest.raises(Broken, match="not usable"):
        asyncio.run(index.ready())


def test_large_scopes_take_the_statistics_of_the_shard(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Past the limit the same chunks are found, with scores that differ by the statistics alone."""
    opened = Shard.open(folder, dimensions=DIMENSIONS, exact_max=search.EXACT_MAX)
    opened.upsert([chunk(number) for number in range(50)])
    few = opened.search(asked(7, limit=5))
    opened.close()
    opened = Shard.open(folder, dimensions=DIMENSIONS, exact_max=0)
    assert [hit.chunk_id for hit in opened.search(asked(7, limit=5))] == [hit.chunk_id for hit in few]
    opened.close()
