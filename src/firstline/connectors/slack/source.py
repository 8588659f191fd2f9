"""An export of a Slack workspace, a folder or a zip: every thread of a channel is a document.

Direct messages are never read, whatever the export holds. Each run reads the whole of it.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from pydantic import Field

from firstline.connectors.kind import Opening, Place, SourceConfig, SourceKind
from firstline.connectors.slack.words import markdown
from firstline.connectors.vendors.answers import Json, inner_list, records, text
from firstline.connectors.vendors.exported import Archive
from firstline.connectors.vendors.item import LevelName, Making, at_least, only
from firstline.connectors.vendors.thread import Remark, Thread
from firstline.domain import Change, Complete, DocumentKind, Failure
from firstline.errors import InvalidInput

TITLE_CHARS: Final = 100
LISTS: Final = {"channels.json": False, "groups.json": True}
_DAY: Final = re.compile(r"^(?:.*/)?([^/]+)/\d{4}-\d{2}-\d{2}\.json$")
_WRITTEN: Final = frozenset({"", "thread_broadcast", "file_share", "me_message"})
"""Messages that people wrote; every other subtype is Slack's or a bot's own."""


class SlackExportConfig(SourceConfig):
    path: Place = Field(description="The export: a zip, or the folder that it was unpacked to.")
    channels: tuple[str, ...] = Field((), description="Only these channels, by name; empty: all.")
    without: tuple[str, ...] = Field((), description="Channels that are left out, by name.")
    replies_min: int = Field(1, ge=0, le=100, description="Threads with fewer replies are left out; 0: none is.")
    solved_by: tuple[str, ...] = Field(
        ("white_check_mark", "heavy_check_mark"), description="A reply with one of these reactions is the solution."
    )
    least_level: LevelName = Field("internal", description="Least level of threads.")
    url: str = Field("", description="Address of the workspace, for links: https://example.slack.com")
    tags: dict[str, str] = Field(
        default_factory=dict[str, str], description="Other tags for private channels: slack:ops=staff."
    )

    @property
    def reads_this_machine(self) -> bool:
        return True


@dataclass(frozen=True, kw_only=True, slots=True)
class _Channel:
    number: str
    name: str
    private: bool


class SlackExportSource:
    """Implements `ports.Incremental`. Ids: `NAME/CHANNEL-ID/TS-of-the-first-message`."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._config = cast("SlackExportConfig", opening.config)
        self._making = Making(opening=opening)

    async def changes(self, cursor: str | None) -> AsyncIterator[Change]:
        changes = self._all()
        try:
            while (change := await asyncio.to_thread(next, changes, None)) is not None:
                yield change
        finally:
            # Stopped while a thread is at work in it, it cannot be closed; its file closes with it.
            with contextlib.suppress(ValueError):
                changes.close()
        yield Complete(prefix=f"{self._opening.name}/")

    def _all(self) -> Any:
        with Archive(self._config.path) as archive:
            names = archive.names()
            channels = self._channels(archive, names)
            days: dict[str, list[str]] = {}
            for name in names:
                met = _DAY.match(name)
                if met is not None and met[1] in channels:
                    days.setdefault(met[1], []).append(name)
            called = {channel.number: channel.name for channel in channels.values()}
            for folder, files in sorted(days.items()):
                yield from self._channel(archive, channels[folder], files, called)

    def _channels(self, archive: Archive, names: Sequence[str]) -> dict[str, _Channel]:
        """By the name of their folder. What no list of channels names (direct messages) is not there."""
        found: dict[str, _Channel] = {}
        lists = [name for name in names if name.rpartition("/")[2] in LISTS]
        if not any(name.endswith("channels.json") for name in lists):
            raise InvalidInput(
                f"{self._config.path} has no channels.json: it is no export of Slack.",
                remedy="Name the zip, or the folder that holds channels.json; nothing was removed.",
            )
        for name in lists:
            for channel in records(archive.load(name, bytes_max=self._opening.bytes_max), "", name):
                called = text(channel, "name")
                if not called or (self._config.channels and called not in self._config.channels):
                    continue
                if called in self._config.without:
                    continue
                closed = LISTS[name.rpartition("/")[2]] or channel.get("is_private") is True
                found[called] = _Channel(number=text(channel, "id") or called, name=called, private=closed)
        return found

    def _channel(
        self, archive: Archive, channel: _Channel, files: Sequence[str], called: Mapping[str, str]
    ) -> Iterator[Change]:
        threads: dict[str, list[Json]] = {}
        for name in files:
            try:
                messages = records(archive.load(name, bytes_max=self._opening.bytes_max), "", name)
            except InvalidInput as error:
                # Threads go over several days: none of the channel's is whole without this one.
                item_id = f"{self._opening.name}/{channel.number}/"
                yield Failure(item_id=item_id, reason=f"{error.message} {error.remedy}")
                return
            for message in messages:
                if _is_written(message):
                    threads.setdefault(text(message, "thread_ts") or text(message, "ts"), []).append(message)
        for stamp, messages in sorted(threads.items()):
            unique = {text(message, "ts"): message for message in messages}
            said = [unique[each] for each in sorted(unique, key=_order)]
            if len(said) > self._config.replies_min:
                yield self._thread(channel, stamp, said, called)

    def _thread(self, channel: _Channel, stamp: str, messages: Sequence[Json], called: Mapping[str, str]) -> Change:
        asker = text(messages[0], "user")
        remarks = [
            Remark(
                text=markdown(text(message, "text"), called),
                form="markdown",
                role="Asker" if text(message, "user") == asker else "Member",
            )
            for message in messages
        ]
        solved = [
            remark
            for message, remark in zip(messages, remarks, strict=True)
            if any(text(each, "name") in self._config.solved_by for each in inner_list(message, "reactions"))
        ]
        answer = next((each for each in reversed(solved) if each is not remarks[0]), None)
        title = _title(remarks[0].text) or f"#{channel.name}"
        media_type, raw = Thread(title=title, problem=remarks[0], remarks=remarks[1:], answer=answer).page()
        access = at_least(self._opening.access, self._config.least_level, DocumentKind.FORUM_POST)
        if channel.private:
            access = only(access, frozenset({f"slack:{channel.name}"}), self._config.tags)
        site = self._config.url.rstrip("/")
        return self._making.item(
            f"{channel.number}/{stamp}",
            media_type=media_type,
            raw=raw,
            title=title,
            url=f"{site}/archives/{channel.number}/p{stamp.replace('.', '')}" if site else "",
            fields={"channel": channel.name, "status": "solved" if answer else ""},
            access=access,
        )


def _is_written(message: Json) -> bool:
    if text(message, "type") != "message" or message.get("hidden") is True:
        return False
    return text(message, "subtype") in _WRITTEN and not text(message, "bot_id") and bool(text(message, "text").strip())


def _order(stamp: str) -> tuple[int, int]:
    """Seconds and the count within the second: as a number the last digits would be lost."""
    seconds, _, count = stamp.partition(".")
    return (int(seconds) if seconds.isdigit() else 0, int(count) if count.isdigit() else 0)


def _title(said: str) -> str:
    line = next((line for line in said.split("\n") if line.strip() and not line.startswith("```")), "")
    words = " ".join(re.sub(r"[*_`~]", "", line).split())
    return words if len(words) <= TITLE_CHARS else words[: TITLE_CHARS - 3].rsplit(" ", 1)[0] + "..."


KIND = SourceKind(
    name="slack-export",
    says="Threads of channels from an export of Slack.",
    config=SlackExportConfig,
    open=SlackExportSource,
    main="path",
    local=True,
)
