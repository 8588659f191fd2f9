"""Which questions ask the same, how often, and since when: the same for the same questions, in whatever order."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firstline.documents.redact import PatternRedactor
from firstline.domain import AskedAs, AskedTurn, Document, DocumentKind, Level, Trend
from firstline.errors import InvalidInput
from firstline.ports import Vectors
from firstline.questions.care.cluster import Wording, cluster
from firstline.questions.care.gaps import gap, trend, week_of
from firstline.questions.care.since import since_of, span_of, until_of
from firstline.questions.care.wordings import kind_of, wordings

NOW = datetime(2026, 7, 1, tzinfo=UTC)
SINCE = NOW - timedelta(days=28)


def at_angles(*degrees: float) -> Vectors:
    """Vectors whose cosine is that of the angle between them."""
    radians = np.radians(np.array(degrees, dtype=np.float32))
    return np.stack([np.cos(radians), np.sin(radians)], axis=1).astype(np.float32)


def said(*counts: int, kinds: str = "") -> list[Wording]:
    return [Wording(text=f"q{at:03}", count=count, kind=kinds[at : at + 1]) for at, count in enumerate(counts)]


def test_the_most_frequent_wording_leads_and_the_largest_cluster_comes_first() -> None:
    found = cluster(said(1, 9, 2, 12), at_angles(0, 5, 10, 90), alike_min=0.9)
    assert found == [[1, 2, 0], [3]]


def test_who_came_before_a_better_leader_moves_to_it() -> None:
    # 20 is within reach of 0 alone when it comes, and nearer to 32, which leads later.
    assert cluster(said(9, 5, 4), at_angles(0, 20, 32), alike_min=0.9) == [[0], [2, 1]]


def test_kinds_never_meet() -> None:
    assert cluster(said(3, 2, 1, kinds="aba"), at_angles(0, 0, 0), alike_min=0.5) == [[0, 2], [1]]


def test_leaders_are_limited_and_nobody_is_lost() -> None:
    found = cluster(said(4, 3, 2, 1), at_angles(0, 60, 120, 180), alike_min=0.95, leaders_max=2)
    assert sorted(at for group in found for at in group) == [0, 1, 2, 3]
    assert cluster([], at_angles(), alike_min=0.5) == []


@settings(max_examples=30, derandomize=True, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 900))
def test_the_order_of_arrival_changes_nothing(seed: int, size: int) -> None:
    draw = np.random.default_rng(seed)
    centres = draw.standard_normal((max(1, size // 8), 8))
    rows = centres[draw.integers(0, len(centres), size)] + 0.2 * draw.standard_normal((size, 8))
    vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    asked = [
        Wording(text=f"q{at}", count=int(draw.integers(1, 5)), kind=int(draw.integers(0, 2))) for at in range(size)
    ]
    found = cluster(asked, vectors, alike_min=0.8)
    assert sorted(at for group in found for at in group) == list(range(size))
    for group in found:
        assert all(asked[at].kind == asked[group[0]].kind for at in group)
        assert all(vectors[at] @ vectors[group[0]] >= 0.8 - 1e-5 for at in group)
    order = [int(at) for at in draw.permutation(size)]
    again = cluster([asked[at] for at in order], vectors[order], alike_min=0.8)
    texts = [{asked[at].text for at in group} for group in found]
    assert [{asked[order[at]].text for at in group} for group in again] == texts
    assert [asked[order[group[0]]].text for group in again] == [asked[group[0]].text for group in found]


SAME = [
    ("How do I reset my password?", "how can i reset the password"),
    ("How do I remove a user?", "How do I delete a user?"),
    ("Why does it not start?", "why won't it start"),
    ("Error E11000 on insert", "what is E11000"),
    ("Why is [EMAIL_1] locked?", "Why is the account locked?"),
    ("Why does the export not start?", "Why doesn't the export start?"),
    ("I cannot enable backups", "I can’t enable backups"),
    ("How do I enable twelve backups?", "How do I enable 12 backups?"),
    ("How do I add one?", "How do I add it?"),
]
DIFFERENT = [
    ("How do I enable TLS?", "How do I disable TLS?"),
    ("What does 404 mean?", "What does 500 mean?"),
    ("Upgrade from 4.1", "Upgrade from 4.2"),
    ("Can I use it with a proxy?", "Can I use it without a proxy?"),
    ("How do I install the agent?", "How do I uninstall the agent?"),
    ("How do I turn the log on?", "How do I turn the log off?"),
    ("Wie mit TLS starten?", "Wie ohne TLS starten?"),
    ("start the server", "stop the server"),
    ("How do I enable backups?", "How do I not enable backups?"),
    ("How do I enable backups?", "How can I avoid enabling backups?"),
    ("How do I enable backups?", "Why shouldn't I enable backups?"),
    ("How do I enable backups?", "How do I enable backups twice?"),
    ("How do I enable backups?", "How do I enable backups every 12 hours?"),
    ("How do I enable backups?", "How do I enable three backups?"),
    ("How do I not enable backups?", "Why can I not enable backups?"),
    ("Do I get a refund?", "Do I not, by chance, get a refund?"),
    ("Wie aktiviere ich Backups?", "Wie vermeide ich es, Backups zu aktivieren?"),
    ("Comment activer les sauvegardes ?", "Comment éviter d'activer les sauvegardes ?"),
    ("¿Cómo activo las copias?", "¿Cómo evitar activar las copias?"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_questions_that_may_be_one(one: str, other: str) -> None:
    assert kind_of(one) == kind_of(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_questions_that_are_never_one(one: str, other: str) -> None:
    assert kind_of(one) != kind_of(other)


def turn(
    question: str,
    *,
    session: str = "s",
    days: float = 1,
    became: AskedAs = AskedAs.ESCALATED,
    nearest: tuple[str, ...] = (),
) -> AskedTurn:
    return AskedTurn(
        session_id=session,
        number=1,
        asked_at=NOW - timedelta(days=days),
        question=question,
        became=became,
        nearest=nearest,
    )


def test_wordings_are_redacted_before_anything_else_and_counted_once() -> None:
    turns = [
        turn("Why is jane.roe@corp-mail.de locked?"),
        turn("why is john.doe@corp-mail.de  LOCKED", days=2),
        turn("What is TLS?", days=3),
        turn("?!"),
    ]
    found, left_out = wordings(turns, redactor=PatternRedactor())
    assert left_out == 0
    assert [(len(one.turns), one.text) for one in found] == [
        (2, "Why is [EMAIL_1] locked?"),
        (1, "What is TLS?"),
    ]
    assert not any("corp-mail" in one.text or "corp-mail" in one.key for one in found)


def test_what_is_too_much_to_compare_is_told_and_the_most_frequent_stay() -> None:
    turns = [turn("rare one"), turn("rare two", days=2), *[turn("often")] * 3]
    found, left_out = wordings(turns, redactor=PatternRedactor(), limit=2)
    assert [one.key for one in found] == ["often", "rare one"] and left_out == 1


def document(doc_id: str) -> Document:
    return Document(
        tenant="t",
        kb="k",
        doc_id=doc_id,
        kind=DocumentKind.DOCUMENTATION,
        title=f"About {doc_id}",
        url=None,
        blob="b",
        size_bytes=1,
        content_hash="h",
        acl=frozenset({"everyone"}),
        level=Level.PUBLIC,
        since=1,
    )


def test_a_gap_tells_weeks_sessions_and_the_pages_that_the_reader_may_see() -> None:
    turns = [
        turn("how to mount", session="a", days=20, nearest=("c1", "c2")),
        turn("how to mount", session="b", days=2, nearest=("c1", "hidden", "gone")),
        turn("how to mount?", session="b", days=1, became=AskedAs.ASKED_BACK, nearest=("c2", "c1")),
    ]
    asked, _ = wordings(turns, redactor=PatternRedactor())
    document_of = {"c1": "a.md", "c2": "a.md", "hidden": "secret.md"}
    found = gap(asked, document_of=document_of, documents={"a.md": document("a.md")}, since=SINCE, now=NOW)
    assert (found.turns, found.sessions, found.trend) == (3, 2, Trend.RISING)
    assert found.became == {AskedAs.ASKED_BACK: 1, AskedAs.ESCALATED: 2}
    assert [(page.doc_id, page.turns) for page in found.nearest] == [("a.md", 3)]
    assert "secret" not in repr(found)
    assert list(found.weeks.values()) == [1, 2] and list(found.weeks) == sorted(found.weeks)
    assert found.first_at < found.last_at


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ([1, 2], Trend.NEW),
        ([20, 1], Trend.STEADY),
        ([20, 1, 2], Trend.RISING),
        ([20, 21, 22, 1, 2], Trend.FALLING),
        ([20], Trend.FALLING),
    ],
)
def test_trends(days: list[int], expected: Trend) -> None:
    assert trend([NOW - timedelta(days=day) for day in days], since=SINCE, now=NOW) is expected


def test_a_week_belongs_to_its_own_year() -> None:
    assert week_of(datetime(2027, 1, 1, tzinfo=UTC)) == "2026-W53"
    assert week_of(datetime(2026, 2, 9, tzinfo=UTC)) == "2026-W07"


@pytest.mark.parametrize(
    ("text", "days"), [("30d", 30), ("2w", 14), ("48h", 2), (" 1D ", 1), ("2026-06-01", 30), ("2026-06-30T00:00Z", 1)]
)
def test_how_far_back(text: str, days: int) -> None:
    assert since_of(text, now=NOW) == NOW - timedelta(days=days)


@pytest.mark.parametrize("text", ["", "soon", "30", "30x", "99999d", "2026-13-01", "-3d", "1e9d"])
def test_what_is_no_time(text: str) -> None:
    with pytest.raises(InvalidInput):
        since_of(text, now=NOW)
    with pytest.raises(InvalidInput):
        span_of(text)


def test_until_when() -> None:
    assert until_of("never", now=NOW) is None and until_of("now", now=NOW) == NOW
    assert until_of("1w", now=NOW) == NOW + timedelta(days=7)
    with pytest.raises(InvalidInput, match="expired already"):
        until_of("2026-06-30", now=NOW)
    for text in ("9999-12-31T23:59-14:00", "tomorrow", "0d", "-1d"):
        with pytest.raises(InvalidInput):
            until_of(text, now=NOW)


@pytest.mark.parametrize("text", ["2026-07-02", "2999-01-01", "0001-01-01T00:00+14:00", "9999-12-31T23:59-14:00"])
def test_what_is_not_in_the_past_is_no_beginning(text: str) -> None:
    with pytest.raises(InvalidInput):
        since_of(text, now=NOW)


@pytest.mark.parametrize("before", range(575, 605))
def test_a_long_question_is_redacted_before_it_is_cut(before: int) -> None:
    told = "x" * before + " write to jane.roe@corp-mail.de about it " + "y" * 300
    (found,), _ = wordings([turn(told)], redactor=PatternRedactor())
    assert "jane" not in found.text and len(found.text) <= 600


def test_long_questions_that_begin_alike_are_one_wording() -> None:
    told = "How do I free a lock? " + "log " * 200
    found, _ = wordings([turn(told + "one"), turn(told + "two")], redactor=PatternRedactor())
    assert [len(one.turns) for one in found] == [2]
