"""A branch of a git repository: its documents, and between two syncs what commits changed and deleted of them."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import AsyncIterator
from pathlib import PurePosixPath
from typing import Annotated, Final, cast
from urllib.parse import quote, urlsplit

from pydantic import AfterValidator, Field

from firstline.connectors.gitrepo import Entry, Repository
from firstline.connectors.gitrepo.program import MIB, PINS_SINCE, Git, token_setting
from firstline.connectors.http import shown_url
from firstline.connectors.http.addresses import refusal
from firstline.connectors.kind import FoldersConfig, Opening, Place, SecretRef, SourceKind, WebConfig
from firstline.connectors.overrides import Access
from firstline.connectors.reading import MEDIA_TYPES, SNIFF_BYTES, TABLES, items_of, mismatch, refused
from firstline.connectors.table import table_items
from firstline.domain import Alert, Change, Complete, Cursor, Failure, Removed, SourceItem
from firstline.errors import Broken, Forbidden, Unavailable

LFS: Final = b"version https://git-lfs.github.com/spec/"
REMOVED_SHARE_MAX: Final = 0.5
"""More deletions than that are not taken from the difference alone: the whole list is looked at, and its guard."""
_HOSTS_WITH_PAGES: Final = {"github.com": "blob", "gitlab.com": "-/blob", "codeberg.org": "src/branch"}


def _plain(value: str) -> str:
    if value.startswith("-") or any(sign in value for sign in ("..", "~", "^", ":", "\\", "*", "?", "[", " ", "\n")):
        raise ValueError("is no name of a branch or folder")
    return value.strip("/")


class GitConfig(FoldersConfig, WebConfig):
    url: Place = Field(description="https address of the repository, or the path of one on this machine.")
    branch: Annotated[str, AfterValidator(_plain)] = Field("", description="The branch; empty: the repository's own.")
    subfolder: Annotated[str, AfterValidator(_plain)] = Field("", description="Only what is below this folder.")
    token: SecretRef = Field("", description="Where a token that may read it is: env:NAME or file:PATH.")
    user: str = Field("x-access-token", description="User that goes with the token.", pattern=r"[A-Za-z0-9._@+-]{1,80}")
    link: str = Field("", description="Address of a page, with {path} in it: https://docs.example.com/{stem}.")
    timeout_s: float = Field(600.0, ge=10, le=1_500, description="Longest that a fetch may take.")

    mib_max: int = Field(2_048, ge=1, le=1_048_576, description="Most that its copy may take on disk, in MiB.")

    @property
    def reads_this_machine(self) -> bool:
        return not self.url.startswith(("http://", "https://"))


class GitSource:
    """Implements `ports.Incremental`. Item ids are the source's name and the path in the repository below `subfolder`;
    the cursor is a commit."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._config = cast("GitConfig", opening.config)
        self._prefix = f"{opening.name}/"
        self._rules = self._config.rules

    async def changes(self, cursor: str | None) -> AsyncIterator[Change]:
        repository = await self._repository()
        commit = await repository.fetch()
        if commit == cursor and not self._rules:
            return
        subfolder = self._config.subfolder
        known = cursor is not None and await repository.has(cursor)
        there = await repository.holds(commit, subfolder)
        # Git keeps no empty folders: one that goes with its last file is a list with nothing in it, and is believed no
        # sooner. A folder that never was is an error of whoever wrote its name.
        files = await repository.files(commit, subfolder) if there or not known else []
        entries = [entry for entry in files if _is_document(entry)]
        self._rules.see(entry.path for entry in entries)
        if self._rules:
            yield self._rules.fit()
        changed: set[str] | None = None
        if cursor is not None and known and there and await repository.holds(cursor, subfolder):
            changed, gone = await repository.changed(cursor, commit, subfolder)
            # What became a link or a submodule is no file any more.
            gone |= changed - {entry.path for entry in entries}
            gone = {path for path in gone if _suffix(path) in MEDIA_TYPES and not _hidden(path)}
            if len(gone) > REMOVED_SHARE_MAX * (len(gone) + len(entries)):
                changed = None
            else:
                for path in sorted(gone):
                    yield self._gone(path)
        wanted = entries if changed is None else [entry for entry in entries if entry.path in changed]
        async for change in self._read(repository, wanted):
            yield change
        if changed is None:
            yield Complete(prefix=self._prefix)
        # Told with every sync: a rule that fits nothing is not mended because nobody commits.
        for said in self._rules.unmet():
            yield Alert(said=said, keeps=False)
        await repository.keep_only(commit)
        yield Cursor(value=commit)

    def _gone(self, path: str) -> Change:
        item_id = self._prefix + path
        table = MEDIA_TYPES[_suffix(path)] in TABLES
        return Complete(prefix=f"{item_id}#", certain=True) if table else Removed(item_id=item_id)

    async def _read(self, repository: Repository, entries: list[Entry]) -> AsyncIterator[Change]:
        bytes_max = self._opening.bytes_max
        for entry in entries:
            if entry.size > bytes_max:
                reason = f"It has {entry.size:,} bytes, more than the limit. Raise the setting `file_bytes_max`."
                yield self._refused(entry.path, reason)
        small = [entry for entry in entries if entry.size <= bytes_max]
        async for entry, raw in repository.contents(small):
            item_id = self._prefix + entry.path
            media_type = MEDIA_TYPES[_suffix(entry.path)]
            if raw.startswith(LFS):
                yield self._refused(entry.path, "It is kept in Git LFS, which is not read. Put the text itself there.")
            elif problem := mismatch(raw[:SNIFF_BYTES], _suffix(entry.path), media_type):
                yield self._refused(entry.path, problem, raw)
            elif media_type in TABLES:
                async for change in self._rows(item_id, raw, media_type, entry.path):
                    yield change
            else:
                made = await asyncio.to_thread(self._items, item_id, raw, media_type, entry.path)
                for item in made:
                    yield item

    def _items(self, item_id: str, raw: bytes, media_type: str, path: str) -> list[SourceItem | Failure]:
        found = items_of(raw, item_id, media_type=media_type, access=self._access(path), url=self._link(path))
        return [item for item in found if isinstance(item, SourceItem | Failure)]

    def _refused(self, path: str, reason: str, raw: bytes = b"") -> Failure:
        media_type = MEDIA_TYPES[_suffix(path)]
        return refused(self._prefix + path, reason, access=self._access(path), head=raw, media_type=media_type)

    def _access(self, path: str) -> Access:
        return self._rules.access(self._opening.access, [path])

    async def _rows(self, item_id: str, raw: bytes, media_type: str, path: str) -> AsyncIterator[Change]:
        kept = self._opening.folder / "table"
        await asyncio.to_thread(kept.write_bytes, raw)
        rows = table_items(kept, item_id, media_type=media_type, access=self._access(path), columns={})
        while (row := await asyncio.to_thread(next, rows, None)) is not None:
            if isinstance(row, SourceItem | Failure):
                yield row
        yield Complete(prefix=f"{item_id}#", certain=True)

    def _link(self, path: str) -> str | None:
        config = self._config
        whole = f"{config.subfolder}/{path}" if config.subfolder else path
        if config.link:
            stem = path.rsplit(".", 1)[0].removesuffix("index").removesuffix("README").rstrip("/")
            return config.link.replace("{path}", quote(path)).replace("{stem}", quote(stem))
        parts = urlsplit(config.url)
        kind = _HOSTS_WITH_PAGES.get(parts.hostname or "", "")
        if not kind or not config.branch:
            return None
        return f"https://{parts.hostname}{parts.path.removesuffix('.git').rstrip('/')}/{kind}/{config.branch}/{quote(whole)}"

    async def _repository(self) -> Repository:
        config, folder = self._config, self._opening.folder / "repository"
        settings: dict[str, str] = {}
        where = config.url
        if not config.reads_this_machine:
            where = shown_url(config.url)
            settings |= await self._pinned()
            token = self._opening.secret(config.token)
            if token:
                if config.url.startswith("http:") and not config.allow_private:
                    raise Forbidden(f"A token would go to {where} in clear.", remedy="Write https://.")
                settings |= token_setting(config.url, config.user, token)
        url = config.url if "://" in config.url else f"file://{config.url}"
        git = Git(folder=folder, settings=settings)
        if not (config.reads_this_machine or config.allow_private):
            await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True, mode=0o700)
            await _require_pins(git, where)
        return Repository(
            folder,
            git=git,
            url=url,
            branch=config.branch,
            where=where,
            timeout_s=config.timeout_s,
            bytes_max=config.mib_max * MIB,
        )

    async def _pinned(self) -> dict[str, str]:
        """The host's address, looked up and checked once: git connects to that one and to no other."""
        parts = urlsplit(self._config.url)
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise Unavailable(f"The name {host} is not known.", remedy="Check the address and the network.") from error
        addresses = [str(entry[4][0]) for entry in found]
        for address in addresses:
            problem = refusal(ipaddress.ip_address(address.split("%")[0]), allow_private=self._config.allow_private)
            if problem:
                raise Forbidden(
                    f"{host} has {problem}: nothing is read from there.",
                    remedy="When that is meant, add `allow_private=true` to the source on the machine itself.",
                )
        address = f"[{addresses[0]}]" if ":" in addresses[0] else addresses[0]
        return {"http.curloptResolve": f"{host}:{port}:{address}"}


async def _require_pins(git: Git, where: str) -> None:
    """Without it the address that was checked and the one that is read could be two."""
    version = await git.version()
    if version < PINS_SINCE:
        has, needs = (".".join(map(str, each)) for each in (version, PINS_SINCE))
        raise Broken(
            f"The `git` program here is version {has}, which cannot be held to the checked address of {where}.",
            remedy=f"Install git {needs} or newer, or add `allow_private=true` to the source on the machine itself.",
        )


def _suffix(path: str) -> str:
    return PurePosixPath(path).suffix.lower()


def _hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split("/"))


def _is_document(entry: Entry) -> bool:
    return _suffix(entry.path) in MEDIA_TYPES and not _hidden(entry.path)


KIND = SourceKind(name="git", says="A branch of a git repository.", config=GitConfig, open=GitSource, main="url")
