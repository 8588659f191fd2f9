"""Commands name what they looked for and did not find, and what they are about to drop, before they do."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.journeys.test_snapshots_and_forgetting import WHERE, purger
from tests.journeys.world import KB, TENANT, Items, World, asker, page

from firstline.cli import forget_command, ingest_command, key_command
from firstline.cli.ask_command import _with_documents
from firstline.cli.printing import named
from firstline.cli.replay_command import as_values, print_replay
from firstline.documents.sweep import prune
from firstline.domain import Turn
from firstline.errors import NotFound
from firstline.questions.replay import Replay
from firstline.questions.replay_reasons import reasons


def opened(world: World) -> Any:
    return SimpleNamespace(
        settings=SimpleNamespace(tenant=TENANT, kb=KB),
        knowledge=world.knowledge,
        snapshots=world.knowledge,
        purger=purger(world),
    )


# --- ingest after a rollback ---


async def told_before(world: World, capsys: pytest.CaptureFixture[str]) -> str:
    await ingest_command.tell_what_is_dropped(opened(world))
    return capsys.readouterr().err


async def test_an_ingest_says_what_a_rollback_has_left_and_it_drops(capsys: pytest.CaptureFixture[str]) -> None:
    world = World()
    assert await told_before(world, capsys) == "", "there is no knowledge base yet"
    for version in range(3):
        await world.ingest(page("a", f"A {version}."), page(f"b{version}", "B."))
    assert await told_before(world, capsys) == ""
    await world.knowledge.point_back(1, **WHERE)
    told = await told_before(world, capsys)
    assert "snapshots 2, 3, which stayed behind when it was gone back to 1, are dropped" in told
    assert "2 added, 1 changed beyond 1" in told and "firstline snapshot publish 3" in told
    await world.ingest(page("c", "C."))
    assert await told_before(world, capsys) == "", "they are dropped"


async def test_a_snapshot_that_waits_is_not_dropped(capsys: pytest.CaptureFixture[str]) -> None:
    from firstline.documents.journey import Publish

    world = World()
    await world.ingest(page("a", "A."))
    await world.documents.ingest(Items(page("b", "B.")), **WHERE, publish=Publish.NEVER)
    assert await told_before(world, capsys) == ""
    await world.knowledge.discard(**WHERE)
    assert "snapshot 2, which stayed behind" in await told_before(world, capsys)


# --- keys and questions of a knowledge base that is not there ---


def test_a_key_for_an_unknown_knowledge_base_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    key_command._refuse_unknown("docs", ["docs", "other"])
    assert capsys.readouterr().err == ""
    with pytest.raises(NotFound, match=r"'dosc'.*No key was made") as refused:
        key_command._refuse_unknown("dosc", ["docs", "other"])
    assert "'docs', 'other'" in refused.value.remedy and "firstline ingest PATH --kb dosc" in refused.value.remedy
    key_command._refuse_unknown("docs", [])
    assert "there is no knowledge base yet" in capsys.readouterr().err


async def test_an_empty_knowledge_base_names_those_that_are_not() -> None:
    world = World()
    await world.documents.ingest(Items(page("a", "A.")), tenant=TENANT, kb="other")
    await world.knowledge.open_candidate(tenant=TENANT, kb="empty", embedder_id="toy")
    await world.documents.ingest(Items(page("a", "A.")), tenant="somebody else", kb="theirs")
    assert await _with_documents(world.knowledge, TENANT) == ["other"]


def test_many_names_are_counted() -> None:
    assert named(["a", "b", "c"], shown=2) == "'a', 'b' and 1 more"
    assert named(["a"]) == "'a'"


# --- forgetting somebody who is not there ---


async def test_nobody_found_says_what_was_looked_through(capsys: pytest.CaptureFixture[str]) -> None:
    world = World()
    await world.ingest(page("a", "A."), page("b", "B."))
    await world.ingest(page("a", "A anew."))
    flags: dict[str, Any] = {"resume": False, "subject": "Jane Roe", "tenant": None, "prefix": None, "yes": True}
    made = await forget_command._made(cast(Any, opened(world)), (), by="somebody", **flags)
    told = capsys.readouterr().out
    assert made == [] and "Nothing names that" in told
    assert f"{KB} (3 revisions)" in told and "turns" in told and "hand-overs" in told
    assert "Jane" not in told
    assert len(await world.knowledge.known_documents("", **WHERE)) == 2


# --- replay of what is not there any more ---


async def asked(world: World) -> Turn:
    return await world.questions().ask(
        session=await world.session(), principal=asker(), question="How do I frobnicate the widget?"
    )


async def why(world: World, turn: Turn) -> str:
    session = await world.conversations.session(turn.session_id, tenant=TENANT, user="u")
    assert session is not None
    found = await reasons(turn, session, asker(), knowledge=world.knowledge, snapshots=world.knowledge)
    return " ".join(found)


FROB = "# Frobnicate\n\nTo frobnicate the widget, run the frob command"


async def test_a_replay_says_that_its_snapshot_was_pruned(capsys: pytest.CaptureFixture[str]) -> None:
    world = World()
    await world.ingest(page("a", f"{FROB}."))
    turn = await asked(world)
    assert await why(world, turn) == ""
    await world.ingest(page("a", f"{FROB} twice."))
    assert await why(world, turn) == ""
    await prune(**WHERE, keep=1, snapshots=world.knowledge, index=world.index, blobs=world.blobs)
    told = await why(world, turn)
    assert "Snapshot 1 is not there any more: it was pruned, and 2 is the oldest that is kept" in told
    assert "1 of the 1 pieces of its evidence are not there any more" in told
    found = Replay(recorded=turn, again=turn, differences=(), reasons=(told,))
    print_replay(found)
    assert f"although  {told}" in capsys.readouterr().out
    assert as_values(found)["reasons"] == [told]


async def test_a_replay_says_that_its_snapshot_was_undone() -> None:
    world = World()
    await world.ingest(page("b", "B."))
    await world.ingest(page("a", f"{FROB}."))
    turn = await asked(world)
    await world.knowledge.point_back(1, **WHERE)
    assert await why(world, turn) == "", "it can be returned to"
    await world.ingest(page("c", "C."))
    assert "Snapshot 2 is not there any more: it was gone back from" in await why(world, turn)


async def test_a_replay_says_that_something_was_forgotten() -> None:
    world = World()
    await world.ingest(page("a", f"{FROB}."), page("b", "B."))
    turn = await asked(world)
    await purger(world).bury(["a"], **WHERE, by="somebody")
    assert "pieces of its evidence are not there any more" in await why(world, turn)
    await purger(world).resume(tenant=TENANT)
    (recorded,) = await world.conversations.turns(turn.session_id, limit=1)
    assert "forgotten since, and blanked there" in await why(world, recorded)
    subject = await purger(world).look_for("frobnicate the widget", tenant=TENANT)
    await purger(world).forget_subject(subject, tenant=TENANT, by="somebody")
    (recorded,) = await world.conversations.turns(turn.session_id, limit=1)
    assert "Words of the question were forgotten" in await why(world, recorded)
