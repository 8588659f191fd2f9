"""Blobs in an object store: a local folder, S3, Google Cloud Storage or Azure, by way of obstore.

A blob's path is its sha256 in two steps (`ab/cdef...`), so that no folder grows beyond a few thousand names.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import LocalStore, from_url

from firstline.errors import Broken, FirstlineError, InvalidInput, NotFound, Unavailable

if TYPE_CHECKING:
    from obstore.store import ObjectStore

_NAME: Final = re.compile(r"[0-9a-f]{64}")


class ObjectBlobs:
    """A `BlobStore` over any obstore store. `folder` is set when it is a local one, whose writes need an fsync."""

    def __init__(self, store: ObjectStore, *, folder: Path | None = None) -> None:
        self._store = store
        self._folder = folder

    @classmethod
    def local(cls, folder: Path) -> ObjectBlobs:
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            return cls(LocalStore(folder), folder=folder)
        except (OSError, BaseError) as error:
            raise _translated(error, "open the blob folder") from error

    @classmethod
    def at(cls, url: str) -> ObjectBlobs:
        """`s3://bucket/prefix`, `gs://...` or `az://...`; credentials come from the environment, as is usual there."""
        try:
            return cls(from_url(url))
        except (BaseError, ValueError) as error:
            raise InvalidInput(
                f"{url} is not a usable object store: {error}.",
                remedy="Write it like s3://bucket/prefix, gs://... or az://..., and check the credentials.",
            ) from error

    async def put(self, data: bytes) -> str:
        name = hashlib.sha256(data).hexdigest()
        path = _path(name)
        try:
            if await self._holds(path, len(data)):
                return name
            # Written beside and renamed by the store: a reader sees all of it or nothing.
            await obstore.put_async(self._store, path, data)
            if self._folder is not None:
                await asyncio.to_thread(_sync, self._folder / path)
        except AlreadyExistsError:
            return name
        except (BaseError, OSError) as error:
            raise _translated(error, "store a blob") from error
        return name

    async def get_range(self, name: str, start: int, end: int) -> bytes:
        if not _NAME.fullmatch(name):
            raise _no_blob(name)
        if not 0 <= start <= end:
            raise _outside(start, end)
        path = _path(name)
        try:
            if start == end:
                size = (await obstore.head_async(self._store, path))["size"]
                if start > size:
                    raise _outside(start, end)
                return b""
            data = bytes(await obstore.get_range_async(self._store, path, start=start, end=end))
        except FileNotFoundError:
            raise _no_blob(name) from None
        except BaseError as error:
            if "range" in str(error).lower():
                raise _outside(start, end) from error
            raise _translated(error, "read a blob") from error
        except OSError as error:
            raise _translated(error, "read a blob") from error
        if len(data) != end - start:
            raise _outside(start, end)
        return data

    async def holds(self, name: str) -> bool:
        if not _NAME.fullmatch(name):
            return False
        try:
            await obstore.head_async(self._store, _path(name))
        except FileNotFoundError:
            return False
        except (BaseError, OSError) as error:
            raise _translated(error, "look for a blob") from error
        return True

    async def delete(self, name: str) -> None:
        if not _NAME.fullmatch(name):
            return
        path = _path(name)
        try:
            await obstore.delete_async(self._store, path)
            if self._folder is not None:
                await asyncio.to_thread(_sync_folder, (self._folder / path).parent)
        except FileNotFoundError:
            return
        except (BaseError, OSError) as error:
            raise _translated(error, "delete a blob") from error

    async def size_bytes(self) -> int:
        total = 0
        try:
            # Its other overloads speak of Arrow tables, which are not installed.
            async for batch in self._store.list():  # pyright: ignore[reportUnknownMemberType]
                total += sum(meta["size"] for meta in batch)
        except (BaseError, OSError) as error:
            raise _translated(error, "list the blobs") from error
        return total

    async def _holds(self, path: str, size: int) -> bool:
        """A file of another size is what a power cut left of a blob; it is written again."""
        try:
            return (await obstore.head_async(self._store, path))["size"] == size
        except FileNotFoundError:
            return False


def _path(name: str) -> str:
    return f"{name[:2]}/{name[2:]}"


def _sync(path: Path) -> None:
    """The file, its folder, and the folder's own name, which may be new."""
    for each in (path, path.parent, path.parent.parent):
        descriptor = os.open(each, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _sync_folder(folder: Path) -> None:
    """What was deleted must not come back after a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _outside(start: int, end: int) -> InvalidInput:
    return InvalidInput(f"Bytes {start} to {end} are outside the blob.", remedy="Ask for a range inside it.")


def _no_blob(name: str) -> NotFound:
    return NotFound(f"There is no blob {name!r}.", remedy="Run `firstline doctor`; restore the blobs from a backup.")


def _translated(error: Exception, attempt: str) -> FirstlineError:
    first_line = str(error).splitlines()[0] if str(error) else type(error).__name__
    if isinstance(error, PermissionDeniedError | UnauthenticatedError | PermissionError):
        return Broken(
            f"Not allowed to {attempt}: {first_line}.", remedy="Give firstline's user access to it, then repeat."
        )
    if "No space left" in str(error) or "os error 28" in str(error):
        return Unavailable(f"No room to {attempt}: the disk is full.", remedy="Free some space, then repeat.")
    return Unavailable(f"Could not {attempt}: {first_line}.", remedy="Repeat later.")
