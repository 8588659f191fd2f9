"""Going back takes the places along that sources were read up to."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from ledger_samples import KB, publish, published, stored

from firstline.domain import DocumentKind, Level, RegisteredSource
from firstline.engines.postgres import open_postgres


@pytest.mark.parametrize(("number", "kept"), [(1, True), (2, False)])
async def test_a_rollback_rewinds_what_was_read_into_the_abandoned(
    postgres_url: str, tmp_path: Path, tenant: str, number: int, kept: bool
) -> None:
    async with open_postgres(data_folder=tmp_path, database_url=postgres_url) as ledgers:
        await published(ledgers.knowledge, tenant, stored(tenant, "a", since=1))
        await publish(ledgers.knowledge, tenant, 2)
        source = RegisteredSource(
            tenant=tenant,
            kb=KB,
            name="wiki",
            kind="website",
            config={"url": "https://docs.example/"},
            document_kind=DocumentKind.DOCUMENTATION,
            acl=frozenset({"everyone"}),
            level=Level.PUBLIC,
            schedule="",
            added_at=datetime.now(UTC),
        )
        await ledgers.sources.add_source(source)
        claimed = await ledgers.sources.claim_source("wiki", tenant=tenant, kb=KB, lease_s=60)
        await ledgers.sources.advance_source(claimed, cursor="page 7", snapshot=number, shape="")
        await ledgers.snapshots.point_back(1, tenant=tenant, kb=KB)
        found = await ledgers.sources.source("wiki", tenant=tenant, kb=KB)
        # The place itself is for who claims the source.
        assert found is not None and (found.cursor_snapshot == number) == kept
