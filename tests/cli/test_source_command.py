"""`firstline source`: registered, shown and changed without a secret, and synced for real."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firstline.cli.main import group
from firstline.domain import DocumentKind, RawChange, RawDocument, SourceItem
from firstline.errors import Conflict, FirstlineError, InvalidInput, NotFound
from firstline.settings import load_settings
from firstline.wiring import open_ledgers


@pytest.fixture
def data() -> Generator[Path]:
    """Not pytest's own folder: Postgres run by root is another user, who must be able to enter."""
    folder = Path(tempfile.mkdtemp(prefix="firstline-source-"))
    folder.chmod(0o711)
    yield folder / "data"
    shutil.rmtree(folder, ignore_errors=True)


def firstline(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(group, ["--data", str(data), "source", *arguments])


def refused(data: Path, *arguments: str) -> FirstlineError:
    error = firstline(data, *arguments).exception
    assert isinstance(error, FirstlineError), error
    return error


def test_kinds_and_their_options_are_listed() -> None:
    shown = CliRunner().invoke(group, ["source", "kinds"]).output
    assert all(kind in shown for kind in ("folder", "git", "website", "table", "openapi"))
    options = CliRunner().invoke(group, ["source", "kinds", "website"]).output
    assert "pages_max" in options and "(needed)" in options


@pytest.mark.timeout(120)
def test_sources_are_registered_changed_listed_and_removed(data: Path) -> None:
    added = firstline(
        data, "add", "docs", "website", "https://docs.example/", "--set", "within=/a/,/b/", "--set", "pages_max=7",
        "--set", "authorization=env:DOCS_AUTH", "--every", "6h", "--level", "customer", "--acl", "staff",
    )  # fmt: skip
    assert added.exit_code == 0, added.exception
    shown = firstline(data, "show", "docs").output
    for part in ("website of 'docs', new", "['/a/', '/b/']", "pages_max: 7", "env:DOCS_AUTH", "level customer", "6h"):
        assert part in shown, shown
    assert isinstance(refused(data, "add", "docs", "website", "https://x.example/"), Conflict)
    firstline(data, "change", "docs", "--set", "pages_max=9", "--every", "")
    shown = firstline(data, "show", "docs").output
    assert "pages_max: 9" in shown and "by hand" in shown and "['/a/', '/b/']" in shown and "acl staff" in shown
    assert "docs  website  new  0 documents  never synced" in firstline(data, "list").output
    assert isinstance(refused(data, "show", "nothing"), NotFound)
    assert isinstance(refused(data, "sync"), InvalidInput)
    assert "its documents stay" in firstline(data, "remove", "docs").output
    assert "No source is registered" in firstline(data, "list").output


@pytest.mark.timeout(120)
def test_folders_of_a_source_have_rules(data: Path) -> None:
    docs = data.parent / "docs"
    (docs / "internal").mkdir(parents=True)
    (docs / "internal" / "a.md").write_text("# Keys\n\nClosed words.")
    (docs / "b.md").write_text("# Start\n\nOpen words.")
    closed = ("--access", "Internal/../internal/=staff,board:internal", "--access", "nowhere/**=x")
    assert firstline(data, "add", "docs", "folder", str(docs), *closed).exit_code == 0
    shown = firstline(data, "show", "docs").output
    assert "access: internal/=staff,board:internal" in shown and "access: nowhere/**=x" in shown
    synced = firstline(data, "sync", "docs")
    assert synced.exit_code == 1 and "alert: The access rule for 'nowhere/**' fits no document" in synced.output
    again = firstline(data, "sync", "docs").output
    assert "2 unchanged" in again

    firstline(data, "change", "docs", "--set", "hook_secret=env:NONE")
    assert "nowhere/**" in firstline(data, "show", "docs").output, "what is not named stays"
    firstline(data, "change", "docs", "--access", "internal=")
    shown = firstline(data, "show", "docs").output
    assert "access: internal=nobody" in shown and "access: nowhere" not in shown
    firstline(data, "change", "docs", "--set", "access=**=staff+board")
    assert "access: **=staff,board" in firstline(data, "show", "docs").output
    synced = firstline(data, "sync", "docs")
    assert synced.exit_code == 0 and "2 changed" in synced.output, synced.output
    firstline(data, "change", "docs", "--set", "access=")
    assert "access: " not in firstline(data, "show", "docs").output
    for wrong in ("internal", "=x", "../x=y"):
        assert isinstance(refused(data, "change", "docs", "--access", wrong), InvalidInput)
    assert isinstance(refused(data, "add", "x", "zendesk", "https://x.example", "--access", "a=b"), InvalidInput)


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "arguments",
    [
        ("x", "website", "https://me:hush-hush@docs.example/"),
        ("x", "website", "https://docs.example/?token=ghp_0123456789abcdefghijABCDEFGHIJ012345"),
        ("x", "website", "https://docs.example/", "--set", "authorization=hush-hush"),
        ("x", "website", "https://docs.example/", "--set", "pages_max"),
        ("x", "website", "https://docs.example/", "--every", "sometimes"),
        ("X", "website", "https://docs.example/"),
        ("x", "sites", "https://docs.example/"),
        ("x", "website"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_kept(data: Path, arguments: tuple[str, ...]) -> None:
    error = refused(data, "add", *arguments)
    assert isinstance(error, InvalidInput) and error.remedy
    assert "hush" not in str(error) and "ghp_" not in str(error)
    assert not data.exists(), "no engine was started for it"


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_a_folder_is_synced_for_real(data: Path, tmp_path: Path) -> None:
    for name in ("keys", "logs", "disks"):
        (tmp_path / f"{name}.md").write_text(f"# {name}\n\nAll there is to know about {name}.")
    firstline(data, "add", "docs", "folder", str(tmp_path), "--every", "1h")
    first = firstline(data, "sync", "--due")
    assert (first.exit_code, "docs: ok; 3 added" in first.output) == (0, True), first.output
    assert "No source is due." in firstline(data, "sync", "--due").output
    (tmp_path / "logs.md").unlink()
    (tmp_path / "bad.pdf").write_text("none")
    second = firstline(data, "sync", "docs")
    assert second.exit_code == 1 and "1 removed, 2 unchanged" in second.output and "docs/bad.pdf" in second.output
    assert "partial" in firstline(data, "list").output

    async def claim(*, lease_s: float) -> None:
        async with open_ledgers(load_settings(flags={"data_folder": data})) as ledgers:
            held = await ledgers.sources.claim_source("docs", tenant="default", kb="docs", lease_s=60)
            await ledgers.sources.renew_source(held, lease_s=lease_s)

    asyncio.run(claim(lease_s=20))
    assert isinstance(refused(data, "remove", "docs", "--documents"), Conflict)
    time.sleep(20)
    assert "2 of its documents ended" in firstline(data, "remove", "docs", "--documents").output


@pytest.mark.timeout(120)
def test_what_a_removed_source_has_announced_is_not_taken_and_one_that_is_synced_is_not_removed(data: Path) -> None:
    assert firstline(data, "add", "push", "push", "--set", "hook_secret=env:HUSH").exit_code == 0
    place = {"tenant": "default", "kb": "docs"}
    page = SourceItem(item_id="push/a", kind=DocumentKind.DOCUMENTATION, media_type="text/markdown", raw=b"A page.")

    async def announced() -> list[tuple[str, str]]:
        async with open_ledgers(load_settings(flags={"data_folder": data})) as ledgers:
            change = RawChange(item_id="push/a", document=RawDocument.of(page))
            await ledgers.changes.accept([change], **place, source="push", event_id="1")
            await ledgers.sources.claim_source("push", **place, lease_s=1.0)
            return await ledgers.changes.places(limit=9)

    async def places() -> list[tuple[str, str]]:
        async with open_ledgers(load_settings(flags={"data_folder": data})) as ledgers:
            return await ledgers.changes.places(limit=9)

    assert asyncio.run(announced()) == [("default", "docs")]
    assert isinstance(refused(data, "remove", "push"), Conflict)
    time.sleep(1.0)
    assert firstline(data, "remove", "push").exit_code == 0
    assert asyncio.run(places()) == []
