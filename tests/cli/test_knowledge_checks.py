"""What `eval` and `doctor` find out about knowledge bases before anybody wonders about an answer."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from tests.contracts.ledger_samples import stored

from firstline.cli.doctor_command import knowledge_base_is_fine
from firstline.cli.eval_command import MISSING_SHOWN, documents_of, warn
from firstline.cli.table_checks import table_warnings
from firstline.engines.memory.index import MemoryIndex
from firstline.engines.memory.ledger import MemoryKnowledgeLedger
from firstline.errors import InvalidInput
from firstline.settings import KnowledgeBaseSettings, Settings


async def ledger_with(*doc_ids: str, kb: str = "col") -> MemoryKnowledgeLedger:
    ledger = MemoryKnowledgeLedger()
    await ledger.open_candidate(tenant="t", kb=kb, embedder_id="first")
    await ledger.write([stored("t", doc_id, since=1, kb=kb, chunks=0) for doc_id in doc_ids])
    await ledger.publish(tenant="t", kb=kb, candidate=1)
    return ledger


async def test_cases_are_scored_on_the_documents_that_are_there() -> None:
    assert await documents_of(await ledger_with("a", "b"), "t", "col") == {"a", "b"}


async def test_a_knowledge_base_that_does_not_exist_or_is_empty_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no knowledge base 'nokb'") as refused:
        await documents_of(await ledger_with("a"), "t", "nokb")
    assert "There are: col." in refused.value.remedy
    with pytest.raises(InvalidInput, match="'col' is empty"):
        await documents_of(await ledger_with(), "t", "col")


def test_gold_documents_that_are_not_there_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    warn([], "col")
    assert capsys.readouterr().err == ""
    warn([f"d{number}" for number in range(MISSING_SHOWN + 3)], "col")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "notice: the gold document 'd0' is not in the knowledge base 'col'."
    assert lines[-2:] == [
        "notice: 3 more gold documents are not there.",
        "notice: a case without any of its gold documents counts as unanswerable.",
    ]


@pytest.mark.parametrize(("model_id", "fine"), [("first", True), ("other", False)])
async def test_doctor_finds_another_embedder(model_id: str, fine: bool, capsys: pytest.CaptureFixture[str]) -> None:
    opened = SimpleNamespace(
        knowledge=await ledger_with("a"), index=MemoryIndex(dimensions=4), embedder=SimpleNamespace(model_id=model_id)
    )
    assert await knowledge_base_is_fine(opened, "t", "col") is fine
    assert ("BAD   col was embedded with first" in capsys.readouterr().out) is not fine


def test_doctor_warns_of_tables_that_do_something_else_than_they_seem_to() -> None:
    tables = {
        "docs": KnowledgeBaseSettings(refused_topics=("billing", "roadmap")),
        "dosc": KnowledgeBaseSettings(refused_topics=("biling", "Private data")),
        "zebra": KnowledgeBaseSettings(),
    }
    found = list(table_warnings(Settings(knowledge_bases=tables), ["docs", "api"]))
    assert [warning.partition("]")[0] for warning in found] == ["[knowledge_bases.dosc"] * 3 + [
        "[knowledge_bases.zebra"
    ]
    assert "Did you mean 'docs'?" in found[0] and "There are: docs, api." in found[3]
    assert "'biling', which is not the built-in topic 'billing'" in found[1]
    assert "'Private data', which is not the built-in topic 'private_data'" in found[2]
    assert list(table_warnings(Settings(), [])) == []
