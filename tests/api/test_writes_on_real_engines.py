"""What the API writes as documents, on the engines that serve it: behind the wall between tenants."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from conftest import client_of

from firstline.api.auth import new_key
from firstline.domain import EVERYONE, DocumentKind, Failure, Level, RegisteredSource, SourceItem
from firstline.settings import load_settings
from firstline.wiring import Firstline, open_firstline

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
ALL = frozenset({EVERYONE})
PAGE = "# Keys\n\nA key is made with `firstline key create`.\n"


class One:
    async def items(self) -> AsyncIterator[SourceItem | Failure]:
        yield SourceItem(
            item_id="keys.md",
            kind=DocumentKind.DOCUMENTATION,
            media_type="text/markdown",
            raw=PAGE.encode(),
            content_hash="1",
            acl=ALL,
            level=Level.PUBLIC,
        )


@pytest.fixture
def folder() -> Generator[Path]:
    """Not pytest's own folder: Postgres run by root is another user, who must be able to enter."""
    found = Path(tempfile.mkdtemp(prefix="firstline-writes-"))
    found.chmod(0o711)
    yield found
    shutil.rmtree(found, ignore_errors=True)


@pytest.fixture
async def served(folder: Path) -> AsyncGenerator[tuple[Firstline, httpx.AsyncClient]]:
    settings = load_settings(flags={"data_folder": folder / "data"}, environ={})
    async with open_firstline(settings) as firstline:
        assert firstline.ledgers.database.walled, "without the wall these tests show nothing"
        await firstline.documents.ingest(One(), tenant="default", kb="docs")
        key, token = new_key(name="team", tenant="default", kb="docs", level=Level.RESTRICTED)
        await firstline.ledgers.keys.add_key(key)
        async with client_of(firstline) as client:
            client.headers["Authorization"] = f"Bearer {token}"
            yield firstline, client


async def test_a_curated_answer_is_posted_read_changed_and_deleted(
    served: tuple[Firstline, httpx.AsyncClient],
) -> None:
    firstline, client = served
    wanted = {"question": "How do I make a key?", "answer": "Say `firstline key create`.", "cites": ["keys.md"]}
    made = await client.post("/v1/faq", json=wanted)
    assert made.status_code == 201, made.text
    assert made.json()["published"]
    path = f"/v1/faq/{made.json()['doc_id']}"
    shown = (await client.get(path)).json()
    assert (shown["question"], shown["cites"]) == (wanted["question"], ["keys.md"])
    assert shown["answer"].strip() == wanted["answer"]
    again = await client.post("/v1/faq", json={**wanted, "answer": "Say it shortly."})
    assert again.status_code == 201, again.text
    changed = await client.patch(path, json={"owner": "docs team"})
    assert (changed.status_code, changed.json()["owner"]) == (200, "docs team")
    assert (await client.get(path)).json()["answer"].strip() == "Say it shortly."
    gone = await client.delete(path)
    assert gone.status_code == 200, gone.text
    assert (await client.get(path)).status_code == 404
    assert set(await standing(firstline)) == {"keys.md"}


async def test_a_source_is_synced_and_ended(served: tuple[Firstline, httpx.AsyncClient], folder: Path) -> None:
    firstline, client = served
    pages = folder / "pages"
    pages.mkdir()
    (pages / "a.md").write_text("# Ports\n\nIt listens on port 7000.\n")
    await firstline.sources.add_source(
        RegisteredSource(
            tenant="default",
            kb="docs",
            name="pages",
            kind="folder",
            config={"path": str(pages)},
            document_kind=DocumentKind.DOCUMENTATION,
            acl=ALL,
            level=Level.PUBLIC,
            added_at=datetime.now(UTC),
        )
    )
    assert (await client.post("/v1/sources/pages/sync")).status_code == 202
    shown = (await client.get("/v1/sources/pages")).json()
    for _ in range(1_000):
        if shown["last_report"] and not shown["syncing"]:
            break
        await asyncio.sleep(0.05)
        shown = (await client.get("/v1/sources/pages")).json()
    assert (shown["state"], shown["last_report"]["error"]) == ("ok", "")
    assert set(await standing(firstline)) == {"keys.md", "pages/a.md"}
    ended = await client.delete("/v1/sources/pages", params={"documents": True})
    assert ended.json()["documents_ended"] == 1
    forgotten = await client.post("/v1/documents/forget", json={"documents": ["keys.md"]})
    assert forgotten.status_code == 200, forgotten.text
    assert await standing(firstline) == []


async def standing(firstline: Firstline) -> list[str]:
    number = (await firstline.knowledge.published(tenant="default", kb="docs")).number
    current = await firstline.knowledge.current(tenant="default", kb="docs")
    return [doc_id for doc_id, document in current.items() if document.until > number]
