"""Jobs, dead ones included, and what is told of them name nobody who is forgotten; the proof looks there too."""

from __future__ import annotations

from pathlib import Path

import pytest
from ledger_samples import KB, published, stored

from firstline.domain import Failure, Job, RawChange
from firstline.engines.postgres import PostgresLedgers, open_postgres
from firstline.engines.postgres.jobs import PostgresJobs
from firstline.engines.scrub import told
from firstline.ports import Marks

DOC = "wiki/jane.md"
JANE = Marks(texts=frozenset({"Jane Roe"}))
DEAD = {
    "jobs, dead ones included": 1,
    "reasons of dead jobs": 2,
    "reasons of announced changes": 2,
    "lists of failures": 1,
    "reasons of snapshots that wait": 1,
}


async def given_up(jobs: PostgresJobs, tenant: str, *problems: str) -> None:
    for number, problem in enumerate(problems):
        await jobs.put(Job(name="work", args={"tenant": tenant, "kb": KB, "name": f"source-{number}"}))
        connector = (await jobs._opened())._app.connector
        await connector.execute_query_async(
            """WITH failed AS (
                UPDATE procrastinate_jobs SET status = 'failed'
                WHERE status = 'todo' AND args ->> 'tenant' = %(tenant)s RETURNING id
            ) INSERT INTO firstline.job_problems (job_id, problem) SELECT id, %(problem)s FROM failed""",
            tenant=tenant,
            problem=problem,
        )


async def filled(jobs: PostgresJobs, ledgers: PostgresLedgers, tenant: str) -> None:
    """Everything that is told of work names a document, a person, or both."""
    await given_up(jobs, tenant, f"The document {DOC!r} is broken.", "Jane Roe's page is broken.", "It failed.")
    await jobs.put(Job(name="work", args={"tenant": tenant, "kb": KB, "name": "Jane Roe"}))
    await published(ledgers.knowledge, tenant, stored(tenant, DOC, since=1))
    failures = [Failure(item_id=DOC, reason="Jane Roe wrote it."), Failure(item_id="other", reason="Broken.")]
    await ledgers.knowledge.record_failures(tenant=tenant, kb=KB, candidate=2, failures=failures)
    await ledgers.database.rows(
        "UPDATE firstline.snapshots SET waits = %s WHERE tenant = %s RETURNING 1 AS one",
        [f"1 documents lost their ACL: {DOC}, Jane Roe", tenant],
    )
    for doc, problem in (("one", f"It refers to {DOC}."), ("two", "Jane Roe said no.")):
        gone = RawChange(item_id=doc, document=None)
        await ledgers.changes.accept([gone], tenant=tenant, kb=KB, source="wiki", event_id="")
        (change,) = [
            found for found in await ledgers.changes.due(tenant=tenant, kb=KB, limit=9) if found.change.item_id == doc
        ]
        await ledgers.changes.postpone(change, problem=problem, again_in_s=None)


@pytest.mark.parametrize("whom", ["document", "person"])
async def test_what_is_told_of_work_names_nobody_who_is_forgotten(
    whom: str, postgres_url: str, tmp_path: Path, tenant: str
) -> None:
    marks = JANE if whom == "person" else Marks(kb=KB, doc_ids=frozenset({DOC}))
    found = DEAD if whom == "person" else DEAD | {"jobs, dead ones included": 0}
    single = {"reasons of dead jobs": 1, "reasons of announced changes": 1}
    async with open_postgres(data_folder=tmp_path, database_url=postgres_url) as ledgers:
        jobs = PostgresJobs(ledgers.database)
        for owner in (tenant, f"{tenant}-other"):
            await filled(jobs, ledgers, owner)
        quoted = await ledgers.records.quoting(marks, tenant=tenant)
        assert {name: quoted[name] for name in found} == found | single
        scrubbed = await ledgers.records.scrub(marks, tenant=tenant)
        assert {name: scrubbed[name] for name in found} == found | single
        left = await ledgers.records.quoting(marks, tenant=tenant)
        assert set(found) <= set(left) and not any(left.values())
        kept = {dead.problem for dead in await jobs.dead(limit=100) if dead.job.args["tenant"] == tenant}
        assert "It failed." in kept and "[forgotten]" in " ".join(kept)
        rest = [one.item_id for one in await ledgers.knowledge.failures(tenant=tenant, kb=KB)]
        assert ("other" in rest and DOC not in rest) or whom == "person"
        assert await ledgers.records.quoting(marks, tenant=f"{tenant}-other") == quoted, "others keep theirs"
        await jobs.close()


async def test_a_tenant_loses_its_jobs_dead_ones_included(postgres_url: str, tmp_path: Path, tenant: str) -> None:
    async with open_postgres(data_folder=tmp_path, database_url=postgres_url) as ledgers:
        jobs = PostgresJobs(ledgers.database)
        for owner in (tenant, f"{tenant}-other"):
            await given_up(jobs, owner, "It failed.")
            await jobs.put(Job(name="work", args={"tenant": owner, "kb": KB}))
        assert (await ledgers.records.forget_tenant(tenant))["jobs, dead ones included"] == 2
        assert (await ledgers.records.of_tenant(tenant))["jobs, dead ones included"] == 0
        assert (await ledgers.records.of_tenant(f"{tenant}-other"))["jobs, dead ones included"] == 2
        await jobs.close()


@pytest.mark.parametrize(
    ("doc", "sentence", "goes"),
    [
        ("a", "a document failed", False),
        ("a", "The knowledge base holds no document 'a'.", True),
        ("docs/a.md", "docs/a.md: It could not be read.", True),
        ("docs/a.md", "See docs/a.md.", True),
        ("docs/a.md", "docs/a.md.bak could not be read.", False),
        ("docs/a.md", "old/docs/a.md could not be read.", False),
        ("docs/a", "docs/a/b could not be read.", False),
        ("tickets.csv#7", "tickets.csv#7 and 2 more", True),
        ("tickets.csv#7", "tickets.csv#71 and 2 more", False),
        ("wiki/(x)", 'The document "wiki/(x)" is broken.', True),
    ],
)
def test_a_sentence_that_names_a_forgotten_document_goes_as_a_whole(doc: str, sentence: str, goes: bool) -> None:
    assert told(sentence, Marks(doc_ids=frozenset({doc}))) == ("[forgotten]" if goes else sentence)
