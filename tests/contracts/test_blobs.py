"""What every blob store promises."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from obstore.store import MemoryStore

from firstline.engines.blobs import ObjectBlobs
from firstline.engines.memory.blobs import MemoryBlobs
from firstline.errors import Broken, InvalidInput, NotFound, Unavailable
from firstline.ports import BlobStore

TEXT = "Schlüssel doppelt: E11000 🔑\n".encode()


@pytest.fixture(params=["memory", "local", "object store"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> BlobStore:
    if request.param == "memory":
        return MemoryBlobs()
    if request.param == "local":
        return ObjectBlobs.local(tmp_path / "blobs")
    return ObjectBlobs(MemoryStore())


async def test_a_blob_is_named_by_its_bytes_and_read_in_ranges(blobs: BlobStore) -> None:
    name = await blobs.put(TEXT)

    assert name == hashlib.sha256(TEXT).hexdigest()
    assert await blobs.get_range(name, 0, len(TEXT)) == TEXT
    assert await blobs.get_range(name, 4, 9) == TEXT[4:9]
    assert await blobs.get_range(name, 3, 3) == b""
    assert await blobs.get_range(name, len(TEXT), len(TEXT)) == b""


async def test_the_same_bytes_are_kept_once(blobs: BlobStore) -> None:
    assert await blobs.put(TEXT) == await blobs.put(bytearray(TEXT))
    assert await blobs.size_bytes() == len(TEXT)


async def test_sizes_add_up(blobs: BlobStore) -> None:
    assert await blobs.size_bytes() == 0
    for number in range(60):
        await blobs.put(b"x" * number)
    assert await blobs.size_bytes() == sum(range(60))


async def test_the_empty_blob_is_a_blob(blobs: BlobStore) -> None:
    name = await blobs.put(b"")
    assert await blobs.get_range(name, 0, 0) == b""
    with pytest.raises(InvalidInput):
        await blobs.get_range(name, 0, 1)


@pytest.mark.parametrize("name", ["0" * 64, "", "../../etc/passwd", "AB" * 32, "ab/" + "c" * 61])
async def test_an_unknown_name_is_not_found(blobs: BlobStore, name: str) -> None:
    for end in (0, 1):
        with pytest.raises(NotFound):
            await blobs.get_range(name, 0, end)


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 1), (0, 1000), (900, 1000), (900, 900)])
async def test_a_range_outside_the_blob_is_refused(blobs: BlobStore, start: int, end: int) -> None:
    name = await blobs.put(TEXT)
    with pytest.raises(InvalidInput):
        await blobs.get_range(name, start, end)


async def test_blobs_outlive_the_store_and_a_torn_one_is_written_again(tmp_path: Path) -> None:
    name = await ObjectBlobs.local(tmp_path).put(TEXT)
    path = tmp_path / name[:2] / name[2:]
    assert path.read_bytes() == TEXT
    path.write_bytes(TEXT[:5])

    again = ObjectBlobs.local(tmp_path)
    await again.put(TEXT)

    assert await again.get_range(name, 0, len(TEXT)) == TEXT


async def test_a_folder_that_cannot_be_used_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises((Broken, Unavailable), match="blob folder"):
        ObjectBlobs.local(tmp_path / "file" / "blobs")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
async def test_a_forbidden_folder_needs_an_operator(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(Broken, match="Not allowed"):
        ObjectBlobs.local(tmp_path / "blobs")


def test_an_unusable_address_is_refused() -> None:
    with pytest.raises(InvalidInput, match="usable"):
        ObjectBlobs.at("gopher://bucket")
    assert ObjectBlobs.at("s3://bucket/prefix")


async def test_what_is_deleted_is_gone_and_may_be_stored_again(blobs: BlobStore) -> None:
    name, other = await blobs.put(TEXT), await blobs.put(b"other")
    assert await blobs.holds(name) and not await blobs.holds("0" * 64) and not await blobs.holds("../../etc/passwd")

    await blobs.delete(name)
    await blobs.delete(name)
    await blobs.delete("../../etc/passwd")

    assert not await blobs.holds(name) and await blobs.holds(other)
    with pytest.raises(NotFound):
        await blobs.get_range(name, 0, 1)
    assert await blobs.put(TEXT) == name and await blobs.holds(name)
