"""Which page may be named on a card: only one that is clearly apt, and never one that was followed or ruled out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from firstline.domain import Reason, Tried
from firstline.questions.card.apt import apt, followed, other_line, ruled_out
from firstline.questions.card.case import Case, Offered
from firstline.questions.card.pages import with_offers
from firstline.questions.card.said import sentences_of
from firstline.questions.card.two_matters import matters_of


def tried(title: str, why_not: str = "") -> Tried:
    return Tried(chunk_id=title, title=title, url=None, score=1.0, why_not=why_not)


def offered(title: str, *messages: int, picked: bool = False) -> Offered:
    return Offered(doc_id=title, tried=tried(title), messages=messages, picked=picked)


def case(*messages: str, offers: Sequence[Offered] = ()) -> Case:
    return Case(
        session_id="s",
        turn=len(messages),
        reason=Reason.LOW_CONFIDENCE,
        question="\n".join(messages),
        earlier=(),
        triage=None,
        offered=offers,
    )


@pytest.mark.parametrize(
    ("about", "looked_at", "named"),
    [
        ("writes fail with EX-17", [tried("EX-17: write refused", "names EX-17")], ["EX-17: write refused"]),
        ("writes fail with EX-17", [tried("Error codes", "names EX-17")], []),
        ("writes fail with EX-17", [tried("EX-18: read refused")], []),
        ("writes slow after the upgrade", [tried("Writes slow after upgrade")], ["Writes slow after upgrade"]),
        ("writes slow after the upgrade", [tried("Metrics")], []),
        (
            "writes slow after the upgrade",
            [tried("Writes slow after upgrade", "is about version 4.4.8, asked: 5.0.2")],
            [],
        ),
        (
            "restore stops with EX-17",
            [tried("Restore > It stops with EX-17", "names EX-17")],
            ["Restore > It stops with EX-17"],
        ),
        ("the export stops", [tried("Other thing"), tried("Export stops halfway through")], []),
    ],
)
def test_a_page_is_named_only_where_it_is_clearly_apt(about: str, looked_at: list[Tried], named: list[str]) -> None:
    assert apt(case(about), about, looked_at) == named


def test_what_was_shown_ruled_out_or_taken_back_is_not_named() -> None:
    about = "dates in the index do not expire"
    page = tried("Dates in the index do not expire")
    assert apt(case(about), about, [page]) == [page.title]
    assert apt(case(about), about, [page], but=[page.title]) == []
    assert apt(case(about, "it is a real date"), about, [page]) == []
    assert apt(case(about), about, [page], withdrawn="forget the dates in the index that do not expire, please") == [
        page.title
    ]
    assert apt(case("x"), "no more space", [tried("Move a region without downtime")], withdrawn="move a region") == []


def test_a_page_that_they_say_they_followed_is_told() -> None:
    said = "EX-17 again. I raised it to 50 like your page says, still the same"
    page = tried("EX-17: write refused", "names EX-17")
    assert followed(case(said), said, [page]) == [page.title]
    assert followed(case("EX-17 again"), "EX-17 again", [page]) == []


@pytest.mark.parametrize(
    ("why_not", "other"),
    [
        ("is about version 5.0.6, asked: 5.0.2", False),
        ("is about version 4.4.8, asked: 5.0.2; names EX-1", True),
        ("is about version 5, asked: 5.0.2", False),
        ("names EX-1", False),
    ],
)
def test_a_patch_is_of_the_same_line(why_not: str, other: bool) -> None:
    assert other_line(why_not) is other


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("That page is about $lookup, we do not use $lookup", "$lookup"),
        ("so it is not the EX-1405 page", "ex-1405"),
        ("adding an arbiter is forbidden by compliance", "arbiter"),
        ("the field is a real date", "date"),
    ],
)
def test_what_they_rule_out_is_read(said: str, word: str) -> None:
    assert word in ruled_out([said])
    assert not ruled_out(["no change, and it does not help"])


def test_a_card_says_what_was_offered() -> None:
    offers = [offered("Writes slow after upgrade", 2, 4), offered("Billing and plans", 3)]
    told = with_offers([], case("x", offers=offers), "writes are slow since the upgrade")
    assert [(one.title, one.why_not) for one in told] == [
        ("Writes slow after upgrade", "was offered after messages 2 and 4, not picked")
    ]
    picked = with_offers([], case("x", offers=[offered("Billing and plans", 3, picked=True)]), "writes are slow")
    assert picked[0].why_not == "was offered after message 3, picked"


@pytest.mark.parametrize(
    ("messages", "matters"),
    [
        (
            ["Two. First: the backup lags. Second: the bill is wrong."],
            ["The backup lags.", "The bill is wrong."],
        ),
        (["The disk is full", "another thing: the log has grown"], ["The disk is full", "The log has grown"]),
        (["1. Since Monday it fails.", "2. The bill is wrong."], ["Since Monday it fails.", "The bill is wrong."]),
        (["What I did so far:\n1. restarted it\n2. checked the disk"], []),
        (["the second half dies too", "first one: only user ro"], []),
        (["First: the backup lags."], []),
    ],
)
def test_several_matters_are_told_one_by_one(messages: list[str], matters: list[str]) -> None:
    stating = [one for at, message in enumerate(messages) for one in sentences_of(message, at)]
    assert [one.text for one, _ in matters_of(stating)] == matters
