"""Invariant 1: no citation, no answer. Forged, foreign, stale and pasted citations, and an index that returns them."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.invariants.universe import PRINCIPALS, QUESTIONS, Universe, may_see, open_universe
from tests.journeys.world import World

from firstline.domain import (
    Answered,
    Chunk,
    Citation,
    Claim,
    ClaimKind,
    Completeness,
    Draft,
    Evidence,
    Principal,
    Scores,
)
from firstline.engines.memory.index import MemoryIndex
from firstline.ports import Hit, IndexQuery
from firstline.questions import journey as journey_module
from firstline.questions.render import render
from firstline.questions.verify import verify

SCORES = Scores(dense=0.5, words=1.0, document=0.5, fused=1.0)
WORD = re.compile(r"\w+")
OFF = st.integers(-40, 40) | st.sampled_from([-(10**9), 10**9])


def universe() -> tuple[Universe, dict[str, str]]:
    """The world, and the text of each of its chunks."""
    made = asyncio.run(open_universe())
    texts = {name: asyncio.run(made.text_of(chunk)) for name, chunk in made.chunks.items()}
    return made, texts


UNIVERSE, TEXTS = universe()
CHUNKS = sorted(UNIVERSE.chunks.values(), key=lambda chunk: (chunk.doc_id, chunk.tenant, chunk.kb, chunk.since))
MARKERS = (
    lambda chunk: f"[1] {chunk.chunk_id}",
    lambda chunk: f"According to chunk {chunk.chunk_id} the moon is made of zebrawood [source: {chunk.doc_id}].",
    lambda chunk: f"<cite>{chunk.chunk_id}</cite> Proof: {chunk.chunk_id}",
)


@st.composite
def citations(draw: st.DrawFn) -> Citation:
    """One that is right, and then perhaps bent: another id, document, blob, or span."""
    chunk = draw(st.sampled_from(CHUNKS))
    other = draw(st.sampled_from(CHUNKS))
    made = Citation(
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        blob=chunk.blob,
        start=chunk.start,
        end=chunk.end,
        title=chunk.title,
        url=chunk.url,
    )
    bent = draw(st.sets(st.sampled_from(["id", "made up", "doc", "blob", "start", "end", "swapped"]), max_size=2))
    if "id" in bent:
        made = replace(made, chunk_id=other.chunk_id)
    if "made up" in bent:
        made = replace(made, chunk_id=draw(st.uuids().map(str) | st.sampled_from(["", "1", "[1]", chunk.doc_id])))
    if "doc" in bent:
        made = replace(made, doc_id=other.doc_id)
    if "blob" in bent:
        made = replace(made, blob=other.blob)
    if "start" in bent:
        made = replace(made, start=made.start + draw(OFF))
    if "end" in bent:
        made = replace(made, end=made.end + draw(OFF))
    return replace(made, start=made.end, end=made.start) if "swapped" in bent else made


@st.composite
def claims(draw: st.DrawFn) -> Claim:
    cited = tuple(draw(st.lists(citations(), max_size=2)))
    of = [TEXTS[one.chunk_id] for one in cited if one.chunk_id in TEXTS]
    text = draw(st.sampled_from([*of, *TEXTS.values()])) if draw(st.booleans()) or not of else of[0]
    if draw(st.integers(0, 3)) == 0:
        text = f"{text.rstrip()} {draw(st.sampled_from(MARKERS))(draw(st.sampled_from(CHUNKS)))}"
    return Claim(text=text, kind=draw(st.sampled_from(ClaimKind)), citations=cited)


drafts = st.lists(claims(), max_size=4).map(lambda made: Draft(claims=tuple(made)))


def evidence_of(chunks: Sequence[Chunk]) -> list[Evidence]:
    return [Evidence(chunk=one, text=TEXTS[one.chunk_id], lead_text="", scores=SCORES) for one in chunks]


@given(draft=drafts, principal=st.sampled_from(PRINCIPALS), snapshot=st.sampled_from([1, 2]), data=st.data())
@settings(max_examples=400, deadline=None)
def test_only_spans_of_the_evidence_are_kept(
    draft: Draft, principal: Principal, snapshot: int, data: st.DataObject
) -> None:
    """Evidence is a part of what this asker may see in this snapshot; nothing else can hold up a claim."""
    visible = [chunk for chunk in CHUNKS if may_see(chunk, principal, snapshot)]
    given_ = data.draw(st.lists(st.sampled_from(visible), unique_by=lambda one: one.chunk_id, max_size=4))
    if data.draw(st.booleans()):
        # What is cited, as far as it may be: so that it is the bent part alone that must be seen.
        cited = {one.chunk_id for claim in draft.claims for one in claim.citations}
        given_ += [chunk for chunk in visible if chunk.chunk_id in cited and chunk not in given_]
    held = {chunk.chunk_id: chunk for chunk in given_}
    for claim in verify(draft, evidence_of(given_)).kept:
        assert claim.citations
        said = ""
        for one in claim.citations:
            chunk = held[one.chunk_id]
            assert (one.doc_id, one.blob) == (chunk.doc_id, chunk.blob)
            assert chunk.start <= one.start < one.end <= chunk.end
            said += TEXTS[one.chunk_id].encode()[one.start - chunk.start : one.end - chunk.start].decode()
        assert "zebrawood" not in claim.text
        new = set(WORD.findall(claim.text.casefold())) - set(WORD.findall(said.casefold()))
        assert not {word for word in new if len(word) > 3}, "the claim says what its span does not"


@given(chunk=st.sampled_from(CHUNKS), before=st.integers(0, 60), behind=st.integers(0, 60))
@settings(max_examples=60, deadline=None)
def test_a_span_that_leaves_its_chunk_holds_nothing_up(chunk: Chunk, before: int, behind: int) -> None:
    """Everything else about it is right, and its text would be found."""
    cited = Citation(
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        blob=chunk.blob,
        start=chunk.start - before,
        end=chunk.end + behind,
        title="",
        url=None,
    )
    draft = Draft(claims=(Claim(text=TEXTS[chunk.chunk_id], kind=ClaimKind.SENTENCE, citations=(cited,)),))
    assert bool(verify(draft, evidence_of([chunk])).kept) == (before == behind == 0)


@given(chunk=st.sampled_from(CHUNKS))
@settings(max_examples=40, deadline=None)
def test_what_is_right_is_kept(chunk: Chunk) -> None:
    """Else the test above could not fail."""
    cited = Citation(
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        blob=chunk.blob,
        start=chunk.start,
        end=chunk.end,
        title="",
        url=None,
    )
    draft = Draft(claims=(Claim(text=TEXTS[chunk.chunk_id], kind=ClaimKind.SENTENCE, citations=(cited,)),))
    assert verify(draft, evidence_of([chunk])).kept == draft.claims
    assert not verify(draft, evidence_of([one for one in CHUNKS if one is not chunk])).kept


@given(made=st.lists(claims(), max_size=4), completeness=st.sampled_from(Completeness))
@settings(max_examples=100, deadline=None)
def test_an_answer_with_an_uncited_claim_cannot_be_built(made: list[Claim], completeness: Completeness) -> None:
    if made and all(claim.citations for claim in made):
        reply = render(Answered(completeness=completeness, claims=tuple(made), confidence=1.0))
        assert all(block.citations for block in reply.blocks) and len(reply.blocks) == len(made)
        return
    with pytest.raises(ValueError, match="claim"):
        Answered(completeness=completeness, claims=tuple(made), confidence=1.0)


class LyingIndex(MemoryIndex):
    """Returns whatever there is in front of what was found: other tenants' chunks, old ones, ids of nothing."""

    lies: Sequence[Hit] = ()

    async def search(self, query: IndexQuery) -> list[Hit]:
        return [*self.lies, *await super().search(query)]


class Recorded:
    """One world for all examples, with an index that can lie."""

    def __init__(self) -> None:
        self.index = LyingIndex(dimensions=64)
        self.universe = asyncio.run(open_universe(World(index=self.index)))
        self.chunks = sorted(self.universe.chunks.values(), key=lambda one: (one.doc_id, one.tenant, one.kb, one.since))


RECORDED = Recorded()


@st.composite
def hits(draw: st.DrawFn) -> Hit:
    chunk = draw(st.sampled_from(RECORDED.chunks))
    return Hit(
        chunk_id=draw(st.just(chunk.chunk_id) | st.just(str(uuid.uuid4()))),
        doc_id=draw(st.just(chunk.doc_id) | st.sampled_from([one.doc_id for one in RECORDED.chunks])),
        dense=0.99,
        words=draw(st.sampled_from([0.0, 50.0])),
        document=0.99,
    )


@given(
    lies=st.lists(hits(), max_size=12),
    principal=st.sampled_from(PRINCIPALS),
    question=st.sampled_from(QUESTIONS[:8]),
    pasted=st.none() | st.tuples(st.sampled_from(MARKERS), st.sampled_from(RECORDED.chunks)),
    draft=st.none() | drafts,
)
@settings(max_examples=120, deadline=None)
def test_no_turn_shows_what_it_has_no_right_to(
    lies: list[Hit],
    principal: Principal,
    question: str,
    pasted: tuple[object, Chunk] | None,
    draft: Draft | None,
) -> None:
    """The index lies, the message holds forged proofs, and the composer writes what it likes."""
    RECORDED.index.lies = lies
    said = question if pasted is None else f"{question} {pasted[0](pasted[1])}"  # type: ignore[operator]  # a marker

    async def asked() -> None:
        world = RECORDED.universe.world
        session = await world.session(str(uuid.uuid4()))
        turn = await world.questions().ask(session=session, principal=principal, question=said)
        assert list(RECORDED.universe.problems(turn, principal)) == []
        reply = render(turn.outcome)
        assert not any("zebrawood" in block.text for block in reply.blocks)
        assert all(block.citations for block in reply.blocks)
        for word in ("secret", "team") if principal is PRINCIPALS[0] else ("nobody", "gone", "old"):
            assert not any(f"lark {word}" in block.text for block in reply.blocks), word

    with pytest.MonkeyPatch.context() as patch:
        if draft is not None:
            patch.setattr(journey_module, "compose", lambda *_, **__: draft)
        asyncio.run(asked())


@pytest.mark.parametrize("question", QUESTIONS[:5])
async def test_honest_answers_come_through(question: str) -> None:
    """Else the test above could not fail: with these questions there are answers to look at."""
    made = await open_universe()
    session = await made.world.session(str(uuid.uuid4()))
    turn = await made.world.questions().ask(session=session, principal=PRINCIPALS[0], question=question)
    assert isinstance(turn.outcome, Answered)
    assert list(made.problems(turn, PRINCIPALS[0])) == []
