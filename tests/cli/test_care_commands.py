"""`firstline faq` and `firstline gaps`, from the shell's side."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.contracts.ledger_samples import KB, published, stored

from firstline.cli.main import group
from firstline.domain import DocumentKind, FaqEntry
from firstline.errors import InvalidInput, NotFound
from firstline.settings import load_settings
from firstline.wiring import open_ledgers

QUESTION = "How do I free a lock?"


@pytest.fixture
def data() -> Generator[Path]:
    """Not pytest's own folder: Postgres run by root is another user, who must be able to enter."""
    folder = Path(tempfile.mkdtemp(prefix="firstline-care-"))
    folder.chmod(0o711)
    yield folder / "data"
    shutil.rmtree(folder, ignore_errors=True)


def firstline(data: Path, *arguments: str) -> Result:
    return CliRunner().invoke(group, ["--data", str(data), *arguments])


def well(data: Path, *arguments: str) -> str:
    result = firstline(data, *arguments)
    assert result.exception is None, result.exception
    return result.output


async def fill(data: Path) -> None:
    """An answer that nobody looks after, one that has expired, and the page that they rest on."""
    async with open_ledgers(load_settings(flags={"data_folder": data})) as ledgers:
        answers = [stored("default", f"faq#{at}\x1b", since=1, kind=DocumentKind.FAQ) for at in (1, 2)]
        await published(ledgers.knowledge, "default", stored("default", "page.md", since=1), *answers)
        await ledgers.care.put_faq(
            FaqEntry(
                tenant="default",
                kb=KB,
                doc_id="faq#2\x1b",
                owner="docs \x1b[2Jteam",
                expires_at=datetime(2001, 1, 1, tzinfo=UTC),
                cites=(),
                changed_by="me",
                changed_at=datetime(2001, 1, 1, tzinfo=UTC),
            )
        )


@pytest.mark.timeout(120)
def test_answers_are_listed_changed_and_expired_without_a_model(data: Path) -> None:
    asyncio.run(fill(data))
    listed = well(data, "faq", "list")
    assert "\x1b" not in listed
    assert "no owner, never expires; no_owner" in listed and "expired 2001-01-01 00:00 UTC" in listed
    assert isinstance(firstline(data, "faq", "change", "faq#1\x1b").exception, InvalidInput)
    assert isinstance(firstline(data, "faq", "change", "faq#1\x1b", "--expires", "2001-01-01").exception, InvalidInput)
    assert isinstance(firstline(data, "faq", "change", "faq#1\x1b", "--cite", "no.md").exception, NotFound)
    assert isinstance(firstline(data, "faq", "expire", "page.md").exception, NotFound)
    assert isinstance(firstline(data, "faq", "show", "page.md").exception, NotFound)
    well(data, "faq", "change", "faq#1\x1b", "--owner", "team b", "--cite", "page.md", "--expires", "12w", "--by", "x")
    (changed,) = json.loads(well(data, "faq", "list", "--owner", "team b", "--json"))
    assert (changed["state"], changed["cites"], changed["changed_by"]) == ("live", ["page.md"], "x")
    well(data, "faq", "expire", "faq#1\x1b")
    assert {one["state"] for one in json.loads(well(data, "faq", "list", "--json"))} == {"expired"}


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_from_a_gap_to_an_answer_and_back(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "ports.md").write_text("# Ports\n\nThe server listens on port 27100 by default. See [old](old.md).\n")
    (folder / "locks.md").write_text("# Locks\n\nA lock is released when its holder ends.\n")
    well(data, "ingest", str(folder))
    for _ in range(3):
        well(data, "ask", "On which port does the server listen?")
    well(data, "ask", "How do I brew espresso with the frobnicator?")
    report = json.loads(well(data, "gaps", "--json"))
    assert (report["turns"], report["unanswered"]) == (4, 1) and "espresso" in report["gaps"][0]["question"]
    (draft,) = json.loads(well(data, "gaps", "--suggest-faq", "--json"))
    assert f"faq add --suggestion {draft['suggestion_id']}" in well(data, "gaps", "--suggest-faq")
    assert "dead link: old.md" in well(data, "gaps", "--stale")
    assert "0 groups of duplicates among 2 documents." in well(data, "gaps", "--duplicates")
    well(data, "faq", "add", "--suggestion", draft["suggestion_id"], "--owner", "docs team")
    assert json.loads(well(data, "gaps", "--suggest-faq", "--json")) == []
    (shown,) = json.loads(well(data, "faq", "list", "--json"))
    assert "27100" in json.loads(well(data, "faq", "show", shown["doc_id"], "--json"))["answer"]
    answer = well(data, "ask", "on WHICH port does the server listen")
    assert shown["doc_id"] in answer
    well(data, "faq", "expire", shown["doc_id"])
    assert shown["doc_id"] not in well(data, "ask", "on WHICH port does the server listen")
    well(data, "faq", "remove", shown["doc_id"])
    assert json.loads(well(data, "faq", "list", "--json")) == []
    assert isinstance(firstline(data, "faq", "add", QUESTION).exception, InvalidInput)


@pytest.mark.parametrize("held", [b"\xff\xfe not text", None])
def test_an_answer_that_cannot_be_read_is_refused_in_words(data: Path, tmp_path: Path, held: bytes | None) -> None:
    file = tmp_path / "answer.md"
    file.write_bytes(held or b"Run it.")
    given = ["--file", str(file), *([] if held else ["--answer", "Run it."])]
    found = firstline(data, "faq", "add", QUESTION, *given).exception
    assert isinstance(found, InvalidInput) and ("cannot be read" if held else "two answers") in str(found)
