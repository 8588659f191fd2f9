"""Invariant 2: the same turn says the same on every surface: outcome, claims, citations, links, caveats."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.invariants.outcomes import HANDOFF_ID, answers, turn_of, turns
from tests.invariants.surfaces import Surfaces, expected

from firstline.cli.printing import plain
from firstline.domain import Answered, Completeness, Escalated, HighStakes, Note, Silent, Turn
from firstline.questions.render import render_turn
from firstline.questions.wording.voice import shipped

LINKS_MAX = {Completeness.FULL: 2, Completeness.PARTIAL: 1, Completeness.UNSURE: 0}
ADDRESS = re.compile(r"https?://")
LINK_LINE = re.compile(r"^[^\n]*: .* <(https?://[^>\s]*)>$", re.MULTILINE)


@pytest.fixture(scope="module")
def surfaces() -> Iterator[Surfaces]:
    opened = Surfaces()
    yield opened
    opened.close()


def squeezed(text: str) -> str:
    return " ".join(plain(text).split())


@given(turn=turns)
@settings(max_examples=50, deadline=None)
def test_every_surface_says_what_the_one_function_says(surfaces: Surfaces, turn: Turn) -> None:
    shown = surfaces.of(turn)
    said = expected(turn)
    for surface, reply in shown.replies.items():
        assert reply == said, surface
    assert shown.streamed["notice"] == ([said["notice"]] if said["notice"] else [])
    assert shown.streamed["blocks"] == said["blocks"]
    if said["notice"]:
        assert "notice" in shown.streamed["first"], "what must be known comes before the answer"
    for surface, text in shown.printed.items():
        at = 0
        words = squeezed(text)
        for part in (said["notice"], *(block["text"] for block in said["blocks"])):
            found = words.find(squeezed(part), at)
            assert found >= 0, (surface, part)
            at = found + len(squeezed(part))
        for option in said["options"]:
            assert squeezed(option) in words, surface
    terminal = shown.printed["command line"]
    for block in said["blocks"]:
        assert "".join(f"[{number}]" for number in block["citations"]) in terminal
    handed = isinstance(turn.outcome, Escalated | HighStakes | Silent)
    assert (HANDOFF_ID in terminal) == handed == (said["handoff_id"] == HANDOFF_ID)


@given(outcome=answers, notes=st.lists(st.just("This page is about version 4.1."), max_size=1))
@settings(max_examples=50, deadline=None)
def test_links_are_as_many_as_the_outcome_allows_and_caveats_stand_above(
    surfaces: Surfaces, outcome: Answered, notes: list[str]
) -> None:
    outcome = Answered(
        completeness=outcome.completeness,
        claims=outcome.claims,
        confidence=outcome.confidence,
        notes=tuple(Note.of_text(note) for note in notes),
    )
    shown = surfaces.of(turn_of(outcome))
    allowed = LINKS_MAX[outcome.completeness]
    urls = {one.url for claim in outcome.claims for one in claim.citations if one.url and ADDRESS.match(one.url)}
    for surface, reply in shown.replies.items():
        linked = {url for _, url in reply["links"]}
        assert len(linked) == len(reply["links"]) == min(allowed, len(urls)), surface
        assert linked <= urls
        # A widget could make a link of any address that comes with a citation.
        assert {entry["citation"]["url"] for entry in reply["citations"]} - {None} <= linked, surface
        assert reply["person"] == ("none" if outcome.completeness is Completeness.FULL else "soft")
    terminal = shown.printed["command line"]
    assert {url for url in LINK_LINE.findall(terminal) if url in urls} == {
        url for _, url in shown.replies["json"]["links"]
    }
    disclaimer = shipped().voice("en").say("answered.unsure")
    for surface, text in shown.printed.items():
        words = squeezed(text)
        block = words.rfind(squeezed(shown.replies["json"]["blocks"][0]["text"]))
        for above in (*notes, *([disclaimer] if outcome.completeness is Completeness.UNSURE else [])):
            assert 0 <= words.find(squeezed(above)) < block, (surface, above)
    assert (disclaimer in shown.replies["json"]["notice"]) == (outcome.completeness is Completeness.UNSURE)


@given(turn=turns)
@settings(max_examples=60, deadline=None)
def test_numbers_name_the_citations_that_they_stand_for(turn: Turn) -> None:
    """Block by block, what the numbers lead to is what the claim cites, in its order."""
    reply = render_turn(turn, shipped())
    numbered = {entry.number: entry.citation for entry in reply.citations}
    assert sorted(numbered) == list(range(1, len(numbered) + 1))
    if not isinstance(turn.outcome, Answered):
        assert not reply.blocks and not reply.citations and not reply.links and reply.confidence is None
        return
    for block, claim in zip(reply.blocks, turn.outcome.claims, strict=True):
        places = [
            (numbered[number].chunk_id, numbered[number].start, numbered[number].end) for number in block.citations
        ]
        assert places == [(one.chunk_id, one.start, one.end) for one in claim.citations]
