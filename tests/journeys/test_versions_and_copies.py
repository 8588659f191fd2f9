"""Stories of pages that exist more than once: in two versions, superseded, copied, or in pieces."""

from __future__ import annotations

import pytest
from tests.journeys.world import KB, World, asker, page

from firstline.domain import EVERYONE, Answered, Clarify, Completeness, Note, SourceItem, Turn
from firstline.questions.missed import Missed
from firstline.questions.render import render

TEXT = "# Rotate logs\n\nRotate the logs with the command larkctl rotate. {number} old log files are kept on the disk."


def version(number: str, *, files: str, title: str = "", **metadata: str) -> SourceItem:
    return page(
        f"logs-{number}",
        TEXT.format(number=files),
        title=title or f"Rotate logs ({number})",
        metadata={"version": number, "product": "Larkspur", **metadata},
    )


OLD, NEW = version("4.1", files="Three"), version("5.0", files="Seven")
KEYS = page("keys", "# Rotate keys\n\nRotate the keys in the vault. The old keys expire after the rotation.")


async def asked(world: World, question: str, **changes: object) -> Turn:
    session = await world.session(question)
    return await world.questions(**changes).ask(session=session, principal=asker(), question=question)


def answer(turn: Turn) -> Answered:
    assert isinstance(turn.outcome, Answered), turn.outcome
    return turn.outcome


def documents(turn: Turn) -> set[str]:
    return {citation.doc_id for claim in answer(turn).claims for citation in claim.citations}


async def world_of(*items: SourceItem) -> World:
    world = World()
    await world.ingest(*items)
    return world


@pytest.mark.parametrize(
    ("question", "doc_id"),
    [
        ("How do I rotate the log files on Larkspur 4.1?", "logs-4.1"),
        ("How do I rotate the log files on Larkspur 5.0?", "logs-5.0"),
        ("How do I rotate the log files?", "logs-5.0"),
    ],
)
async def test_the_version_asked_for_answers_and_the_newest_when_none_is(question: str, doc_id: str) -> None:
    turn = await asked(await world_of(OLD, NEW, KEYS), question)
    assert documents(turn) == {doc_id}
    assert answer(turn).notes == ()


async def test_it_says_when_only_another_version_is_covered() -> None:
    turn = await asked(await world_of(OLD, KEYS), "How do I rotate the log files on Larkspur 4.2?")
    assert answer(turn).notes == (Note(key="answered.version_page", values={"versions": ("4.1",), "asked": ("4.2",)}),)
    assert answer(turn).completeness is not Completeness.FULL
    assert render(turn.outcome).notice.startswith("This page is about version 4.1; you asked about 4.2.")


async def test_a_superseded_page_stands_back() -> None:
    old = page("old", TEXT.format(number="Three"), title="Rotate logs", metadata={"superseded_by": "the new page"})
    new = page("zz-new", TEXT.format(number="Seven"), title="Rotate logs")
    turn = await asked(await world_of(old, new, KEYS), "How do I rotate the log files?")
    assert documents(turn) == {"zz-new"}


SHARED = "# Rotate logs\n\nRotate the logs with the command larkctl rotate. Seven old log files are kept on the disk."


async def test_identical_pages_in_two_spaces_count_once_and_outlive_each_other() -> None:
    copies = [
        page(f"space-{name}/logs", SHARED, title="Rotate logs", acl=frozenset({EVERYONE, name})) for name in ("a", "b")
    ]
    world = await world_of(*copies, KEYS)
    question = "How do I rotate the log files?"
    both = await asked(world, question)
    assert documents(both) == {"space-a/logs"}
    read = await world.knowledge.chunks([chunk_id for chunk_id, _ in both.evidence], scope_of(both))
    assert [chunk.doc_id for chunk in read].count("space-b/logs") == 0, "a copy crowds nobody out"

    await world.ingest(copies[1], KEYS, prune=["space-a/"])
    deleted = await asked(world, f"{question} ")
    assert documents(deleted) == {"space-b/logs"}


async def test_hiding_one_copy_leaves_the_other() -> None:
    hidden = page("space-a/logs", SHARED, acl=frozenset({"staff"}))
    shown = page("space-b/logs", SHARED)
    turn = await asked(await world_of(hidden, shown, KEYS), "How do I rotate the log files?")
    assert documents(turn) == {"space-b/logs"}


async def test_near_duplicates_do_not_crowd_out_the_rest() -> None:
    many = [
        page(
            f"copy-{number}",
            "# Rotate logs\n\n"
            + " ".join(f"To rotate the logs step {step} of the rotation is done by larkctl." for step in range(12))
            + f" Seen on host {number}.",
        )
        for number in range(6)
    ]
    world = await world_of(*many, page("other", "# Logs elsewhere\n\nLogs rotate by themselves under systemd."))
    turn = await asked(world, "rotate logs", evidence_chunks=3)
    read = await world.knowledge.chunks([chunk_id for chunk_id, _ in turn.evidence], scope_of(turn))
    found = [chunk.doc_id for chunk in read]
    assert "other" in found
    assert sum(name.startswith("copy-") for name in found) == 1


async def test_a_summary_brings_the_steps_below_it() -> None:
    steps = "\n".join(f"{n}. Press button {n} and wait until lamp {n} glows green on the panel." for n in range(1, 20))
    text = (
        "# Certificates\n\n## Renew the gateway certificate\n\n"
        "An expired gateway certificate stops every client. Renewal of the gateway certificate takes ten minutes and "
        "needs no restart of the gateway.\n\n"
        f"### Procedure\n\n{steps}\n"
    )
    world = await world_of(page("certificates", text), KEYS)
    turn = await asked(world, "expired gateway certificate renewal")
    ids = [chunk_id for chunk_id, _ in turn.evidence]
    chunks = await world.knowledge.document_chunks("certificates", scope_of(turn))
    summary = next(chunk for chunk in chunks if chunk.chunk_id == ids[0])
    below = [chunk for chunk in chunks if chunk.ordinal > summary.ordinal]
    assert below and below[0].chunk_id in ids


async def test_a_hit_in_the_middle_of_a_procedure_brings_its_other_steps() -> None:
    steps = "\n".join(f"{n}. Press button {n} and wait until lamp {n} glows green on the panel." for n in range(1, 40))
    world = await world_of(page("panel", f"# Start the panel\n\n## Procedure\n\n{steps}\n"), KEYS)
    turn = await asked(world, "press button 20 and wait until lamp 20 glows green")
    ids = [chunk_id for chunk_id, _ in turn.evidence]
    parts = await world.knowledge.document_chunks("panel", scope_of(turn))
    assert len(parts) > 2
    assert {part.chunk_id for part in parts} <= set(ids)


async def test_homonyms_of_two_products_are_told_apart_by_the_product_named() -> None:
    def console(product: str, menu: str) -> SourceItem:
        text = (
            f"# Open the console of {product}\n\nThe console of {product} shows every node and its load. "
            f"To open the {product} console choose {menu} in the main menu and sign in with your key."
        )
        return page(f"{product.lower()}-console", text, metadata={"product": product, "version": "2.0"})

    world = await world_of(console("Larkspur", "Insight"), console("Robin", "Overview"), KEYS)
    for product, menu in (("Robin", "Overview"), ("Larkspur", "Insight")):
        turn = await asked(world, f"How do I open the console of {product}?")
        assert documents(turn) == {f"{product.lower()}-console"}
        assert menu in " ".join(claim.text for claim in answer(turn).claims)


# --- why not? -------------------------------------------------------------------------------------------------------


async def why(world: World, turn: Turn, doc_id: str, **changes: object) -> Missed:
    return await world.questions(**changes).why_not(turn, doc_id, asker(), kb=KB)


async def test_why_a_page_was_not_found_names_the_limit_that_dropped_it() -> None:
    filler = [page(f"logs-{n}", f"# Logs {n}\n\nRotate logs number {n}, host h{n}, rack r{n}.") for n in range(15)]
    paint = page("paint", "# Paint windows\n\nWindows are painted by the console for every dashboard.")
    world = await world_of(*filler, KEYS, paint)
    question = "How do I rotate the logs?"
    turn = await asked(world, question)
    first = turn.evidence and (await world.knowledge.chunks([turn.evidence[0][0]], scope_of(turn)))[0].doc_id
    found = await why(world, turn, str(first))
    assert (found.lost_at, found.preferred_place) == ("", 1)
    assert found.chunks[0].read and found.gate is not None and found.gate.passed

    narrow: dict[str, object] = {"documents_ranked": 2}
    ranked = await why(world, turn, "keys", **narrow)
    assert ranked.lost_at == "documents_ranked" and ranked.fused_place is not None and ranked.preferred_place is None
    assert "logs" in ranked.lacks and "rotate" not in ranked.lacks
    assert "place" in ranked.verdict

    squeezed = await why(world, turn, "keys", evidence_chunks=1, documents_ranked=50)
    assert squeezed.lost_at == "evidence_chunks" and not any(chunk.read for chunk in squeezed.chunks)

    unseen = await why(world, turn, "paint", candidates=1)
    assert unseen.lost_at == "candidates" and unseen.fused_place is None
    assert unseen.queries[0].dense_place is not None, "places behind the limit are told"


async def test_why_not_blames_the_gate() -> None:
    world = await world_of(KEYS)
    turn = await asked(world, "zebra crossing hours in autumn")
    assert isinstance(turn.outcome, Clarify)
    found = await why(world, turn, "keys")
    assert found.lost_at == "gate" and found.gate is not None and not found.gate.passed
    assert found.lacks == ("zebra", "crossing", "hours", "autumn")


async def test_why_not_knows_nothing_of_what_the_asker_may_not_see() -> None:
    hidden = page("pay", "# Salary bands\n\nThe salary bands are reviewed in March.", acl=frozenset({"hr"}))
    world = await world_of(hidden, KEYS)
    turn = await asked(world, "salary bands")
    secret, unknown = await why(world, turn, "pay"), await why(world, turn, "nothing")
    assert secret.verdict == unknown.verdict == "There is no such page for you."
    assert secret.title == "" and secret.chunks == () and secret.queries == () and secret.lacks == ()


async def test_why_not_forgets_a_page_that_was_deleted_since() -> None:
    world = await world_of(KEYS, OLD)
    turn = await asked(world, "How do I rotate the keys?")
    assert (await why(world, turn, "keys")).title
    await world.ingest(OLD, prune=["keys"])
    assert (await why(world, turn, "keys")).verdict == "There is no such page for you."


def scope_of(turn: Turn):
    from firstline.ports import Scope

    return Scope.of(asker(), kb=KB, snapshot=turn.snapshot)
