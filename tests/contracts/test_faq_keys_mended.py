"""Curated answers of before: their keys follow their redacted titles once the database is brought up to date."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from ledger_samples import KB, published, scope, stored

from firstline.domain import DocumentKind, question_key
from firstline.engines.postgres import PostgresLedgers, open_postgres
from firstline.engines.postgres.migrate import MIGRATIONS
from firstline.ports import StoredDocument

OLD = {
    "Why is [SECRET_1] refused?": "why is akiaabcdefghijklmnop refused",
    "[EMAIL_1] can't log in to v4.1 — what now?!": "jane roe corp de cant log in to v4.1 what now",
    "Call  [PHONE_2]: “who” answers (C# or node.js)?": "call 49 30 901820 who answers c# or node.js",
    "Warum ist [PERSON_1] überall gesperrt?": "warum ist jane roe überall gesperrt",
}
KEPT = {
    "How do I reset [EMAIL_1]?": "how do i reset email_1",
    "How do I reset it?": "another key altogether",
    "What does [Error] 404_1 mean": "its own key",
}


@pytest.fixture
async def ledgers(postgres_url: str, tmp_path: Path) -> AsyncGenerator[PostgresLedgers]:
    async with open_postgres(data_folder=tmp_path, database_url=postgres_url) as opened:
        yield opened


def mending() -> bytes:
    """What the migration does to documents that are there."""
    sql = (MIGRATIONS / "0014_care.sql").read_bytes()
    return sql[sql.index(b"UPDATE firstline.documents") :]


async def test_old_keys_become_those_of_their_titles(ledgers: PostgresLedgers, tenant: str) -> None:
    titles = {**OLD, **KEPT}
    documents: list[StoredDocument] = []
    for at, (title, key) in enumerate(titles.items()):
        one = stored(tenant, f"faq#{at}", since=1, kind=DocumentKind.FAQ, metadata={"question_key": key, "x": "y"})
        documents.append(replace(one, document=replace(one.document, title=title)))
    page = stored(tenant, "page", since=1, metadata={"question_key": "why"})
    documents.append(replace(page, document=replace(page.document, title="Why is [SECRET_1] there?")))
    await published(ledgers.knowledge, tenant, *documents)
    for _ in range(2):
        async with ledgers.database.connection() as connection:
            await connection.execute(mending())
    found = {one.title: one.metadata for one in await ledgers.care.published_documents(tenant=tenant, kb=KB, limit=99)}
    for title in OLD:
        assert found[title] == {"question_key": question_key(title), "x": "y"}
        answer = await ledgers.knowledge.faq(question_key(title), scope(tenant, 1))
        assert answer is not None and answer.title == title
    assert {title: found[title]["question_key"] for title in KEPT} == KEPT
    assert found["Why is [SECRET_1] there?"]["question_key"] == "why"
