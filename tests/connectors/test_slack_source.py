"""Exports of Slack: threads, private channels, what is never read."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from opened import hear, opened

from firstline.connectors.slack.words import markdown
from firstline.domain import DocumentKind, Level
from firstline.errors import InvalidInput

FIRST = "1700000000.000100"


def message(said: str, ts: str, thread: str = "", user: str = "U1", **more: Any) -> dict[str, Any]:
    return {
        "type": "message",
        "text": said,
        "ts": ts,
        "user": user,
        **({"thread_ts": thread} if thread else {}),
        **more,
    }


def export(folder: Path, days: Mapping[str, object], **lists: list[dict[str, Any]]) -> Path:
    path = folder / "export"
    told: dict[str, object] = {
        "channels.json": lists.get("channels", [{"id": "C1", "name": "help"}]),
        "groups.json": lists.get("groups", [{"id": "G1", "name": "ops"}]),
        "dms.json": [{"id": "D1", "members": ["U1", "U2"]}],
        "users.json": [{"id": "U1", "real_name": "Nobody Told"}],
        **days,
    }
    for name, value in told.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def thread(*more: dict[str, Any]) -> dict[str, object]:
    return {
        "help/2023-11-14.json": [message("The pump *stops* &amp; hangs\nsince <@U2> left", FIRST, FIRST)],
        "help/2023-11-15.json": [
            message("Turn it on", "1700086400.000200", FIRST, "U2", reactions=[{"name": "white_check_mark"}]),
            message("Which one?", "1700086300.000200", FIRST, "U2"),
            message("Alone", "1700086500.000200"),
            *more,
        ],
    }


async def test_a_thread_over_two_days_is_one_document(tmp_path: Path):
    path = export(tmp_path, thread())
    said = await hear(opened("slack-export", tmp_path, path=str(path), url="https://acme.example/"))
    assert said.error is None and said.complete == ["src/"]
    assert set(said.items) == {f"C1/{FIRST}"}
    item = said.items[f"C1/{FIRST}"]
    assert item.raw.decode() == (
        "# The pump stops & hangs\n\n## Symptom\n\nThe pump **stops** & hangs\nsince @member left\n\n"
        "## Conversation\n\n**Member:**\n\nWhich one?\n\n## Resolution\n\nTurn it on\n"
    )
    assert (item.kind, item.level, set(item.acl)) == (DocumentKind.FORUM_POST, Level.INTERNAL, {"everyone"})
    assert item.url == "https://acme.example/archives/C1/p1700000000000100"
    assert (item.metadata["channel"], item.metadata["status"]) == ("help", "solved")


async def test_a_zip_gives_the_same(tmp_path: Path):
    path = export(tmp_path, thread())
    packed = tmp_path / "export.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for file in path.rglob("*.json"):
            archive.write(file, file.relative_to(path))
    folder = await hear(opened("slack-export", tmp_path, path=str(path)))
    zipped = await hear(opened("slack-export", tmp_path, path=str(packed)))
    assert zipped.items == folder.items != {}


async def test_single_messages_when_they_are_wanted(tmp_path: Path):
    path = export(tmp_path, thread())
    said = await hear(opened("slack-export", tmp_path, path=str(path), replies_min=0))
    assert set(said.items) == {f"C1/{FIRST}", "C1/1700086500.000200"}


async def test_private_channels_have_tags_of_their_own(tmp_path: Path):
    days = {
        "ops/2023-11-14.json": [message("Q", FIRST, FIRST), message("A", "1700000001.000100", FIRST)],
        "locked/2023-11-14.json": [message("Q", FIRST, FIRST), message("A", "1700000001.000100", FIRST)],
    }
    channels = [{"id": "C9", "name": "locked", "is_private": True}]
    path = export(tmp_path, days, channels=channels)
    said = await hear(opened("slack-export", tmp_path, path=str(path), tags={"slack:ops": "staff"}))
    assert {name: set(item.acl) for name, item in said.items.items()} == {
        f"G1/{FIRST}": {"staff"}, f"C9/{FIRST}": {"slack:locked"},
    }  # fmt: skip


async def test_direct_messages_are_never_read(tmp_path: Path):
    secret = [message("secret", FIRST, FIRST), message("secret", "1700000001.000100", FIRST)]
    days = {f"{name}/2023-11-14.json": secret for name in ("D1", "mpdm-a--b--c-1", "unlisted")}
    said = await hear(opened("slack-export", tmp_path, path=str(export(tmp_path, days))))
    assert (said.items, said.error) == ({}, None)


@pytest.mark.parametrize(
    "more",
    [
        {"subtype": "channel_join"}, {"subtype": "bot_message"}, {"bot_id": "B1"}, {"subtype": "tombstone"},
        {"hidden": True}, {"type": "other"}, {"text": "  "},
    ],
)  # fmt: skip
async def test_what_nobody_wrote_is_left_out(tmp_path: Path, more: dict[str, Any]):
    noise = {**message("noise", "1700086600.000200", FIRST, "U3"), **more}
    said = await hear(opened("slack-export", tmp_path, path=str(export(tmp_path, thread(noise)))))
    assert "noise" not in said.texts[f"C1/{FIRST}"]


async def test_only_channels_that_are_wanted(tmp_path: Path):
    path = str(export(tmp_path, thread()))
    assert (await hear(opened("slack-export", tmp_path, path=path, channels=["other"]))).items == {}
    assert (await hear(opened("slack-export", tmp_path, path=path, without=["help"]))).items == {}


@pytest.mark.parametrize("broken", ['[{"type": "message", "te', '{"ok": false}', "null"])
async def test_a_broken_day_spares_its_channel(tmp_path: Path, broken: str):
    days = thread() | {
        "help/2023-11-16.json": broken,
        "ops/2023-11-14.json": [message("Q", FIRST, FIRST), message("A", "1700000001.000100", FIRST)],
    }
    said = await hear(opened("slack-export", tmp_path, path=str(export(tmp_path, days))))
    assert set(said.items) == {f"G1/{FIRST}"}
    assert set(said.failures) == {"C1/"}, "ends in a slash: what stands of the channel is kept"


async def test_what_is_no_export(tmp_path: Path):
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "empty", tmp_path / "nowhere"):
        said = await hear(opened("slack-export", tmp_path, path=str(path)))
        assert isinstance(said.error, InvalidInput) and said.complete == []


async def test_names_in_a_zip_lead_nowhere(tmp_path: Path):
    packed = tmp_path / "x.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("channels.json", json.dumps([{"id": "C1", "name": ".."}]))
        archive.writestr("../../2023-11-14.json", json.dumps([message("Q", "1"), message("A", "2", "1")]))
    said = await hear(opened("slack-export", tmp_path, path=str(packed)))
    assert said.error is None
    assert sorted(each.name for each in tmp_path.iterdir()) == ["x.zip"]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"),
        ("*bold* and 2*3*4 and _it_", "**bold** and 2*3*4 and _it_"),
        ("~gone~ ~/bin", "~~gone~~ ~/bin"),
        ("<https://a.example/x|the page>, <https://b.example>", "[the page](https://a.example/x), https://b.example"),
        ("<mailto:a@b.example|a@b.example>", "a@b.example"),
        ("<#C1|help> <#C1> <#C7> <@U1> <@U1|someone>", "#help #help #channel @member @member"),
        ("<!here> <!subteam^S1|@ops> <!date^1^{date}|May 1>", "@here @ops May 1"),
        ("run `a *b* &lt;c&gt;` now", "run `a *b* <c>` now"),
        ("see ```x = *y*\n&lt;z&gt;``` ok", "see \n```\nx = *y*\n<z>\n```\n ok"),
        ("<javascript:x|click>", "javascript:x"),
    ],
)
def test_markup(said: str, expected: str):
    assert markdown(said, {"C1": "help"}) == expected
