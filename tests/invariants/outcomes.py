"""Any outcome there is, in any words: what a turn may come to, for tests of what is shown of it."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import strategies as st
from tests.invariants.hostile import PIECES

from firstline.domain import (
    Answered,
    Asks,
    Category,
    Citation,
    Claim,
    ClaimKind,
    Clarify,
    Completeness,
    Deflected,
    Escalated,
    GateReading,
    Handoff,
    HandoffState,
    HighStakes,
    Intent,
    Mood,
    Note,
    Outcome,
    Reason,
    Scores,
    Silent,
    Talk,
    Tried,
    Turn,
)

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SESSION_ID = "5e551077-0000-4000-8000-000000000001"
HANDOFF_ID = "0ddba115-0000-4000-8000-000000000002"
PLAIN = st.sampled_from(["Rotate the log files.", "Logs", "The limit is 16 MB.", "How do I rotate logs?"])
TEXT = PLAIN | PIECES
NO_ADDRESSES = (None, "javascript:alert(1)", "ftp://docs.example/1", "")
URLS = st.sampled_from([*NO_ADDRESSES, "https://docs.example/1"])


def _citation(page: int, start: int, end: int, title: str, url: str | None) -> Citation:
    """A page has one address, and its title is one line."""
    return Citation(
        chunk_id=f"c{page}",
        doc_id=f"d{page}",
        blob="b",
        start=start,
        end=end,
        title=" ".join(title.split()),
        url=f"https://docs.example/{page}" if page % 2 else url,
    )


citations = st.builds(
    _citation, st.integers(0, 7), st.integers(0, 9), st.integers(10, 19), TEXT, st.sampled_from(NO_ADDRESSES)
)
claims = st.builds(
    Claim,
    text=TEXT,
    kind=st.sampled_from(ClaimKind),
    citations=st.lists(citations, min_size=1, max_size=3).map(tuple),
)
handoffs = st.builds(
    Handoff,
    handoff_id=st.just(HANDOFF_ID),
    session_id=st.just(SESSION_ID),
    turn=st.just(1),
    reason=st.sampled_from(Reason),
    question=TEXT,
    summary=TEXT,
    intent=st.sampled_from(Intent),
    entities=st.lists(TEXT, max_size=2).map(tuple),
    tried=st.lists(
        st.builds(Tried, chunk_id=st.just("c1"), title=TEXT, url=URLS, score=st.just(0.5), why_not=TEXT), max_size=2
    ).map(tuple),
    language=st.sampled_from(["en", "de", "ja"]),
    mood=st.sampled_from(Mood),
    next_step=TEXT,
    state=st.just(HandoffState.OPEN),
    created_at=st.just(NOW),
    missing=st.lists(TEXT, max_size=2).map(tuple),
)
answers = st.builds(
    Answered,
    completeness=st.sampled_from(Completeness),
    claims=st.lists(claims, min_size=1, max_size=4).map(tuple),
    confidence=st.floats(0, 1),
    notes=st.lists(TEXT.map(Note.of_text), max_size=2).map(tuple),
)
outcomes: st.SearchStrategy[Outcome] = st.one_of(
    answers,
    answers,
    st.builds(
        Clarify,
        asks=st.sampled_from(Asks),
        names=st.lists(TEXT, max_size=3).map(tuple),
        options=st.lists(TEXT, max_size=3).map(tuple),
    ),
    st.builds(Escalated, handoff=handoffs, again=st.booleans()),
    st.builds(HighStakes, offer=st.none() | st.just("Two months free?"), handoff=handoffs, again=st.booleans()),
    st.builds(Deflected, category=st.sampled_from(Category), topics=st.lists(PLAIN, max_size=2).map(tuple)),
    st.builds(Deflected, category=st.just(Category.IRRELEVANT), topics=st.just(()), talk=st.sampled_from(Talk)),
    st.builds(Silent, handoff=handoffs),
)


def turn_of(outcome: Outcome, *, question: str = "How do I rotate logs?", language: str = "en") -> Turn:
    cited = outcome.claims if isinstance(outcome, Answered) else ()
    ids = dict.fromkeys(citation.chunk_id for claim in cited for citation in claim.citations)
    scores = Scores(dense=0.5, words=1.0, document=0.5, fused=1.0)
    return Turn(
        session_id=SESSION_ID,
        number=1,
        question=question,
        asked_at=NOW,
        scope_hash="0",
        snapshot=1,
        settings_hash="0",
        model_ids=("toy",),
        triage=None,
        plan=None,
        evidence=tuple((chunk_id, scores) for chunk_id in ids),
        gates=(GateReading(name="relevance", value=0.6, threshold=0.5),),
        outcome=outcome,
        timings_ms={"total": 1.0},
        language=language,
    )


turns = st.builds(
    lambda outcome, language: turn_of(outcome, language=language), outcomes, st.sampled_from(["en", "de", "ja", ""])
)
