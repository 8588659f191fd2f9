"""What every GraphRules ledger promises: nothing is overwritten, all or none, a mark that rises with each change."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from ledger_samples import KB, published, stored

from firstline.domain import GraphRule, RuleKind, RulesRead, acting_for
from firstline.engines.memory.ledger import MemoryKnowledgeLedger
from firstline.engines.postgres import open_postgres
from firstline.errors import NotFound
from firstline.ports import GraphRules, KnowledgeLedger, TombstoneLedger

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
LONG = "component:" + "数" * 4_096


@dataclass(frozen=True, kw_only=True)
class Opened:
    rules: GraphRules
    elsewhere: GraphRules
    knowledge: KnowledgeLedger
    tombstones: TombstoneLedger


@pytest.fixture(params=["memory", "postgres"])
async def opened(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[Opened]:
    if request.param == "memory":
        knowledge = MemoryKnowledgeLedger()
        yield Opened(rules=knowledge, elsewhere=knowledge, knowledge=knowledge, tombstones=knowledge)
        return
    url: str = request.getfixturevalue("postgres_url")
    async with (
        open_postgres(data_folder=tmp_path, database_url=url) as here,
        open_postgres(data_folder=tmp_path, database_url=url) as there,
    ):
        yield Opened(
            rules=here.graph_rules,
            elsewhere=there.graph_rules,
            knowledge=here.knowledge,
            tombstones=here.tombstones,
        )


def rule(tenant: str, first: str = "component:rs", second: str = "component:replicaset", **changes: Any) -> GraphRule:
    made = GraphRule(tenant=tenant, kb=KB, kind=RuleKind.SAME, first=first, second=second, by="ann", at=NOON)
    return replace(made, **changes)


async def said(opened: Opened, *rules: GraphRule) -> list[GraphRule]:
    where = {"tenant": rules[0].tenant, "kb": rules[0].kb}
    kept = await opened.rules.say_graph_rules(rules, seen=(await opened.rules.graph_rules(**where)).mark)
    assert kept is not None
    return kept


async def test_rules_come_back_as_they_were_said(opened: Opened, tenant: str) -> None:
    await published(opened.knowledge, tenant, stored(tenant, "page.md", since=1))
    where = {"tenant": tenant, "kb": KB}
    before = await opened.rules.graph_rules(**where)
    assert before.rules == ()
    told = [
        rule(tenant, note="Both stand in the handbook."),
        rule(tenant, "component:gateway", "document:edge.md", kind=RuleKind.APART),
        rule(tenant, "null", "", kind=RuleKind.NOT_A_NAME),
        rule(tenant, LONG, "component:'; DROP TABLE firstline.graph_rules; --"),
    ]
    kept = await said(opened, *told)
    assert kept == [replace(one, number=number) for number, one in enumerate(told, start=1)]
    read = await opened.elsewhere.graph_rules(**where)
    assert read.rules == tuple(kept)
    assert read.mark > before.mark
    assert await opened.rules.graph_rules_said(**where, limit=2) == [kept[3], kept[2]]
    assert (await opened.knowledge.published(**where)).forgotten == read.mark, "what is cached is cached for one mark"


async def test_undone_is_kept_and_said_again_is_another_one(opened: Opened, tenant: str) -> None:
    await published(opened.knowledge, tenant, stored(tenant, "page.md", since=1))
    where = {"tenant": tenant, "kb": KB}
    (first,) = await said(opened, rule(tenant))
    mark = (await opened.rules.graph_rules(**where)).mark
    later = NOON + timedelta(hours=1)
    undone = await opened.rules.undo_graph_rule(first.number, **where, by="bob", at=later)
    assert undone == replace(first, undone_at=later, undone_by="bob")
    read = await opened.rules.graph_rules(**where)
    assert read.rules == () and read.mark > mark
    again = await opened.rules.undo_graph_rule(first.number, **where, by="cy", at=later + timedelta(hours=1))
    assert again == undone, "undone before, it stays as it was"
    assert (await opened.rules.graph_rules(**where)).mark == read.mark
    (second,) = await said(opened, rule(tenant))
    assert second.number == 2
    assert await opened.rules.graph_rules_said(**where, limit=9) == [second, undone]


async def test_who_comes_second_is_told_so_and_nothing_is_kept(opened: Opened, tenant: str) -> None:
    await published(opened.knowledge, tenant, stored(tenant, "page.md", since=1))
    where = {"tenant": tenant, "kb": KB}
    seen = (await opened.rules.graph_rules(**where)).mark
    both = await asyncio.gather(
        opened.rules.say_graph_rules([rule(tenant), rule(tenant, "a:b", "a:c")], seen=seen),
        opened.elsewhere.say_graph_rules([rule(tenant, "x:y", "x:z")], seen=seen),
    )
    assert sum(one is None for one in both) == 1
    (kept,) = [one for one in both if one is not None]
    assert (await opened.rules.graph_rules(**where)).rules == tuple(kept)
    assert await opened.rules.say_graph_rules([], seen=-1) == []


async def test_what_is_not_there(opened: Opened, tenant: str) -> None:
    where = {"tenant": tenant, "kb": KB}
    assert await opened.rules.graph_rules(**where) == RulesRead()
    assert await opened.rules.graph_rules_said(**where, limit=9) == []
    assert await opened.rules.undo_graph_rule(1, **where, by="ann", at=NOON) is None
    with pytest.raises(NotFound):
        await opened.rules.say_graph_rules([rule(tenant)], seen=0)
    await published(opened.knowledge, tenant, stored(tenant, "page.md", since=1))
    for number in (0, -1, 2):
        assert await opened.rules.undo_graph_rule(number, **where, by="ann", at=NOON) is None


async def test_no_rule_reaches_another_tenant_or_knowledge_base(opened: Opened, tenant: str) -> None:
    other = f"{tenant}-other"
    await published(opened.knowledge, tenant, stored(tenant, "page.md", since=1))
    await published(opened.knowledge, other, stored(other, "page.md", since=1))
    await said(opened, rule(tenant))
    for where in ({"tenant": other, "kb": KB}, {"tenant": tenant, "kb": "other"}):
        assert (await opened.rules.graph_rules(**where)).rules == ()
        assert await opened.rules.graph_rules_said(**where, limit=9) == []
        assert await opened.rules.undo_graph_rule(1, **where, by="eve", at=NOON) is None
    with acting_for(tenant):
        assert len((await opened.rules.graph_rules(tenant=tenant, kb=KB)).rules) == 1
        await said(opened, rule(tenant, "a:b", "a:c"))


async def test_a_rule_about_a_forgotten_document_loses_its_names(opened: Opened, tenant: str) -> None:
    await published(opened.knowledge, tenant, stored(tenant, "page.md", since=1), stored(tenant, "other.md", since=1))
    where: dict[str, Any] = {"tenant": tenant, "kb": KB}
    now = datetime.now(UTC)
    kept = await said(
        opened,
        rule(tenant, "component:gateway", "document:page.md", kind=RuleKind.APART, note="It is a plan.", at=now),
        rule(tenant, "component:gateway", "document:other.md", kind=RuleKind.APART, at=now),
    )
    for stone in await opened.tombstones.bury(["page.md"], **where, by="operator"):
        assert await opened.tombstones.purged(stone)
    newest, oldest = await opened.rules.graph_rules_said(**where, limit=9)
    assert newest == kept[1]
    assert (oldest.first, oldest.second, oldest.note, oldest.by) == ("", "", "", "ann")
    assert oldest.undone_at is not None
    assert (await opened.rules.graph_rules(**where)).rules == (kept[1],)
