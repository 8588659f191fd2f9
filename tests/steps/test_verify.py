"""Verification tries to let nothing through that its span does not carry."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.steps.evidence import piece

from firstline.domain import Answered, Citation, Claim, ClaimKind, Completeness, Draft
from firstline.questions.compose import compose
from firstline.questions.verify import verify

TEXT = "Set retryWrites to false in version 4.2. Do not restart the primary. The limit is 16 MB."


LIMIT = TEXT.index("The limit")


def draft_of(text: str, start: int, end: int) -> Draft:
    chunk = piece(TEXT).chunk
    citation = Citation(
        chunk_id=chunk.chunk_id, doc_id=chunk.doc_id, blob=chunk.blob, start=start, end=end, title="t", url=None
    )
    return Draft(claims=(Claim(text=text, kind=ClaimKind.SENTENCE, citations=(citation,)),))


def test_a_sentence_that_stands_in_its_span_is_kept():
    verification = verify(draft_of("The limit is 16 MB.", LIMIT, len(TEXT)), [piece(TEXT)])
    assert [claim.text for claim in verification.kept] == ["The limit is 16 MB."]
    assert verification.share == 1.0


@pytest.mark.parametrize(
    ("said", "cited", "why"),
    [
        ("The limit is 32 MB.", "The limit is 16 MB.", "32"),
        ("Set retryWrites to false in version 4.4.", "Set retryWrites to false in version 4.2.", "4.4"),
        ("Do restart the primary.", "Do not restart the primary.", "negation"),
        ("The limit is not 16 MB.", "The limit is 16 MB.", "negation"),
        ("Elephants like the limit of 16 MB very much indeed.", "The limit is 16 MB.", "words"),
    ],
)
def test_a_changed_fact_is_dropped(said: str, cited: str, why: str):
    start = TEXT.index(cited)
    verification = verify(draft_of(said, start, start + len(cited)), [piece(TEXT)])
    assert not verification.kept
    assert why in verification.dropped[0][1]


def test_a_citation_outside_the_evidence_of_this_turn_is_dropped():
    draft = draft_of("The limit is 16 MB.", LIMIT, len(TEXT))
    assert not verify(draft, []).kept
    other = piece(TEXT)
    other = replace(other, chunk=replace(other.chunk, chunk_id="another"))
    assert not verify(draft, [other]).kept


def test_a_span_beyond_its_chunk_is_dropped():
    assert not verify(draft_of("The limit is 16 MB.", 0, len(TEXT) + 1), [piece(TEXT)]).kept
    assert not verify(draft_of("The limit is 16 MB.", 5, 5), [piece(TEXT)]).kept


def test_an_answer_without_a_citation_cannot_be_built():
    bare = Claim(text="Trust me.", kind=ClaimKind.SENTENCE, citations=())
    with pytest.raises(ValueError, match="citation"):
        Answered(completeness=Completeness.FULL, claims=(bare,), confidence=1.0)
    with pytest.raises(ValueError, match="at least one"):
        Answered(completeness=Completeness.FULL, claims=(), confidence=1.0)


@given(
    st.lists(
        st.sampled_from(["Run `lk --fix` now.", "1. Stop it.", "- ünïcode ✓ items", "| a | b |\n|---|---|\n| 1 | 2 |"])
    )
)
def test_what_compose_cuts_always_verifies(parts: list[str]):
    text = "\n\n".join(parts)
    evidence = [piece(text, start=7)] if text else []
    draft = compose("fix items", evidence, chars_max=5000)
    verification = verify(draft, evidence)
    assert not verification.dropped
