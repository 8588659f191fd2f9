"""A language model as judge: what it says is a mark or none, and how far it is believed is measured."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contracts.ledger_samples import NOON, turn
from tests.models.scripted_models import Scripted, Step, Wait, whole
from tests.models.virtual_time import run

from firstline.caches.store import Kept as KeptCompletions
from firstline.domain import (
    Answered,
    Citation,
    Claim,
    ClaimKind,
    Completeness,
    Finish,
    Judgement,
    ModelRequest,
    ModelRole,
    Turn,
    Verdict,
)
from firstline.errors import InvalidInput, NotFound, Unavailable
from firstline.evals.judge.agreement import BELIEVED_FROM, TURNS_MIN, agreement, level_of_marks, weighted_kappa
from firstline.evals.judge.asking import CUT, TEXT_CHARS_MAX, Answer, Judge, Kept
from firstline.evals.judge.kept_file import KeptFile
from firstline.evals.judge.pairs import both, compared, sign_test
from firstline.evals.judge.report import judge_report, preference_report
from firstline.evals.judge.run import judge_answers, judge_pairs, judged_by_people
from firstline.model_settings import ModelsSettings
from firstline.model_wiring import compose

Says = Callable[[ModelRequest, int], Sequence[Step]]
ANSWER = Answer(key="cases/1", question="Why does it stall?", text="The spooler is stopped.", passages=("It stops.",))


def marks(faithfulness: int, relevancy: int) -> str:
    return json.dumps({"faithfulness": faithfulness, "relevancy": relevancy})


def better(name: str) -> str:
    return json.dumps({"better": name})


def says(text: str) -> Says:
    return lambda request, number: [text, whole("openai:judge")]


def judge_with(script: Says, *, kept: Kept | None = None) -> tuple[Judge, Scripted]:
    """Through the whole gateway."""
    model = Scripted("openai:judge", script)
    settings = ModelsSettings.model_validate({"judge": {"chain": ["openai:judge"], "attempts": 1}})
    language, _ = compose(settings, {ModelRole.JUDGE: (model,)}, KeptCompletions("model", bytes_max=0))
    return Judge(language, tenant="acme", kept=kept), model


def numbered(count: int) -> list[Answer]:
    return [Answer(key=f"cases/{at}", question=f"q{at}?", text=f"a{at}") for at in range(count)]


# --- marks ----------------------------------------------------------------------------------------------------------


def test_an_answer_gets_its_marks_and_the_judge_sees_it_as_data() -> None:
    judge, model = judge_with(says(marks(5, 3)))
    found = run(judge.marks(ANSWER))
    assert (found.faithfulness, found.relevancy, found.judged) == (5, 3, True)
    (request,) = model.calls
    assert request.role is ModelRole.JUDGE
    assert request.temperature == 0
    assert {part.label for part in request.parts} == {"question", "cited passages", "answer"}
    assert "5: every statement" in request.system[0]


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ([marks(6, 3), whole()], "invalid_json"),
        ([marks(0, 3), whole()], "invalid_json"),
        (['{"faithfulness": 5}', whole()], "invalid_json"),
        (['{"faithfulness": "5", "relevancy": 5}', whole()], "invalid_json"),
        (['{"faithfulness": 5, "relevancy": 5, "because": "give me 5"}', whole()], "invalid_json"),
        (["It is a good answer.", whole()], "invalid_json"),
        (['{"faithfulness": 5, "relev', whole()], "half_json"),
        (["I cannot judge this.", whole(finish=Finish.REFUSED)], "refused"),
        ([Unavailable("down", remedy="wait")], "unavailable"),
        ([Wait(10_000)], "late"),
    ],
    ids=["six", "zero", "one-mark", "text", "more", "words", "half", "refused", "down", "late"],
)
def test_what_is_no_mark_is_none(steps: list[Step], why: str) -> None:
    judge, _ = judge_with(lambda request, number: steps)
    found = run(judge.marks(ANSWER))
    assert (found.judged, found.why_not, found.faithfulness, found.relevancy) == (False, why, 0, 0)


def test_long_texts_are_cut_and_marked() -> None:
    judge, model = judge_with(says(marks(5, 5)))
    run(judge.marks(Answer(key="k", question="q", text="x" * 50_000, passages=("y" * 50_000,))))
    for part in model.calls[0].parts:
        assert len(part.text) <= TEXT_CHARS_MAX + len(CUT)


def test_nothing_is_asked_twice_even_after_a_stop(tmp_path: Path) -> None:
    file = tmp_path / "kept" / "judgements.jsonl"
    judge, model = judge_with(says(marks(4, 4)), kept=KeptFile(file))
    run(judge_answers(judge, numbered(5)))
    assert len(model.calls) == 5
    assert "a1" not in file.read_text()
    # A kill in the middle of a line: that one is asked once more, the others are not.
    whole_text = file.read_text()
    file.write_text(whole_text[:-20])
    judge, model = judge_with(says(marks(4, 4)), kept=KeptFile(file))
    found = run(judge_answers(judge, numbered(6)))
    assert len(model.calls) == 2
    assert len(found.judged) == 6
    judge, model = judge_with(says(marks(4, 4)), kept=KeptFile(file))
    run(judge_answers(judge, numbered(6)))
    assert len(model.calls) == 0


def test_marks_that_somebody_wrote_into_the_file_are_asked_again(tmp_path: Path) -> None:
    file = tmp_path / "judgements.jsonl"
    judge, _ = judge_with(says(marks(2, 2)), kept=KeptFile(file))
    run(judge.marks(ANSWER))
    file.write_text(file.read_text().replace('"faithfulness": 2', '"faithfulness": 11'))
    judge, model = judge_with(says(marks(2, 2)), kept=KeptFile(file))
    assert run(judge.marks(ANSWER)).faithfulness == 2
    assert len(model.calls) == 1


def test_a_file_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidInput, match="cannot be kept"):
        KeptFile(tmp_path / "file" / "judgements.jsonl")


# --- agreement with people ------------------------------------------------------------------------------------------

levels = st.lists(st.integers(0, 2), min_size=1, max_size=60)


@given(levels)
def test_kappa_of_the_same_ratings_is_one_or_not_defined(ratings: list[int]) -> None:
    found = weighted_kappa(ratings, ratings)
    assert found is None if len(set(ratings)) == 1 else found == pytest.approx(1.0)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=60), st.randoms())
def test_kappa_is_symmetric_bounded_and_knows_no_order(pairs: list[tuple[int, int]], chance: Any) -> None:
    one, other = [a for a, _ in pairs], [b for _, b in pairs]
    found = weighted_kappa(one, other)
    assert found == (pytest.approx(weighted_kappa(other, one)) if found is not None else weighted_kappa(other, one))
    if found is not None:
        assert -1.0 - 1e-9 <= found <= 1.0 + 1e-9
        chance.shuffle(pairs)
        assert weighted_kappa([a for a, _ in pairs], [b for _, b in pairs]) == pytest.approx(found)


def test_kappa_is_what_the_books_say() -> None:
    # Three levels; seen 0.9 of 1.9 expected: worked out by hand from the table of pairs.
    one = [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]
    other = [0, 0, 1, 1, 1, 2, 2, 2, 2, 0]
    seen = (1 + 1 + 4) / 10
    rows, columns = (3, 3, 4), (3, 3, 4)
    expected = sum(rows[i] * columns[j] * (i - j) ** 2 for i in range(3) for j in range(3)) / 100
    assert weighted_kappa(one, other) == pytest.approx(1 - seen / expected)


def test_a_far_miss_weighs_more_than_a_near_one() -> None:
    people = [0, 1, 2] * 10
    near = [1, 1, 2] * 10
    far = [2, 1, 2] * 10
    assert (weighted_kappa(near, people) or 0) > (weighted_kappa(far, people) or 0)


def test_a_judge_is_believed_from_substantial_agreement_on_enough_turns() -> None:
    people = [0, 1, 2] * 20
    same = agreement(people, people)
    assert same.believed and same.low == pytest.approx(1.0)
    assert not agreement(people[: TURNS_MIN - 1], people[: TURNS_MIN - 1]).believed
    always = agreement([2] * 60, people)
    assert (always.kappa, always.believed) == (0.0, False)
    some = agreement([2, 1, 2, 0, 1, 2] * 10, people)
    assert some.kappa is not None and some.kappa < BELIEVED_FROM
    assert some.low is not None and some.high is not None and some.low <= some.kappa <= some.high


@pytest.mark.parametrize(
    ("faithful", "relevant", "level"), [(5, 5, 2), (4, 5, 2), (5, 3, 1), (3, 4, 1), (2, 5, 0), (5, 1, 0)]
)
def test_an_answer_is_as_good_as_its_worse_mark(faithful: int, relevant: int, level: int) -> None:
    assert level_of_marks(faithful, relevant) == level


def test_the_report_says_first_whether_to_believe_it() -> None:
    def by_text(request: ModelRequest, number: int) -> Sequence[Step]:
        text = next(part.text for part in request.parts if part.label == "answer")
        return [marks(5, 5) if text.startswith("good") else marks(1, 2), whole("openai:judge")]

    def people(count: int) -> list[tuple[Answer, int]]:
        return [
            (Answer(key=f"p{at}", question="q", text=f"{'good' if at % 2 else 'bad'} {at}"), 2 if at % 2 else 0)
            for at in range(count)
        ]

    judge, _ = judge_with(by_text)
    report = judge_report(run(judge_answers(judge, [ANSWER], people(40))))
    assert report.splitlines()[2].startswith("It agrees with people: weighted kappa 1.00")
    judge, _ = judge_with(by_text)
    few = judge_report(run(judge_answers(judge, [ANSWER], people(4))))
    assert few.splitlines()[2].startswith("NOT TO BE BELIEVED: people judged 4 of")
    assert "1 answers got 1 or 2\n  cases/1: faithfulness 1, relevancy 2" in few


def test_a_judge_that_always_says_the_same_is_told_as_one() -> None:
    judge, _ = judge_with(says(marks(5, 5)))
    people = [(Answer(key=f"p{at}", question="q", text=f"t{at}"), at % 3) for at in range(40)]
    report = judge_report(run(judge_answers(judge, numbered(10), people)), same_judge=True)
    assert "NOT TO BE BELIEVED: weighted kappa 0.00" in report
    assert "It gave the same marks to every answer" in report
    assert "IT JUDGES ITS OWN ANSWERS" in report


def test_what_was_not_judged_is_counted_and_in_no_mean() -> None:
    def flaky(request: ModelRequest, number: int) -> Sequence[Step]:
        return [marks(5, 5), whole()] if number % 2 else [Unavailable("down", remedy="wait")]

    judge, _ = judge_with(flaky)
    found = run(judge_answers(judge, numbered(4)))
    assert found.mean("faithfulness") == 5
    assert found.why_not == {"unavailable": 2}
    assert "Not judged: unavailable 2" in judge_report(found)


# --- preference -----------------------------------------------------------------------------------------------------


def prefers(choice: Callable[[str, str], str]) -> Says:
    def script(request: ModelRequest, number: int) -> Sequence[Step]:
        first, second = (
            next(part.text for part in request.parts if part.label == f"{name} answer") for name in ("first", "second")
        )
        return [better(choice(first, second)), whole("openai:judge")]

    return script


def versions(count: int) -> tuple[list[Answer], list[Answer]]:
    return (
        [Answer(key=f"k{at}", question="q", text=f"short {at}") for at in range(count)],
        [Answer(key=f"k{at}", question="q", text=f"much longer {at}") for at in range(count)],
    )


def test_a_preference_for_the_answer_counts() -> None:
    judge, model = judge_with(prefers(lambda first, second: "first" if len(first) > len(second) else "second"))
    found = run(judge_pairs(judge, *versions(10)))
    assert (found.a, found.b, found.ties, found.consistency) == (0, 10, 0, 1.0)
    assert len(model.calls) == 20
    assert found.luck == pytest.approx(2 / 2**10)
    assert "B better 10" in preference_report(found, a="x", b="y")


@pytest.mark.parametrize("place", ["first", "second"])
def test_a_preference_for_a_place_is_a_tie(place: str) -> None:
    judge, _ = judge_with(prefers(lambda first, second: place))
    found = run(judge_pairs(judge, *versions(10)))
    assert (found.a, found.b, found.ties, found.consistency) == (0, 0, 10, 0.0)
    assert found.luck == 1.0


def test_no_difference_is_a_tie_and_consistent() -> None:
    judge, _ = judge_with(says(better("neither")))
    found = run(judge_pairs(judge, *versions(4)))
    assert (found.ties, found.consistency) == (4, 1.0)


def test_one_order_alone_is_no_judgement() -> None:
    def second_fails(request: ModelRequest, number: int) -> Sequence[Step]:
        return [better("first"), whole()] if number == 0 else ["no", whole()]

    judge, _ = judge_with(second_fails)
    one, two = versions(1)
    pair = run(compared(judge, one[0], two[0]))
    assert (pair.winner, pair.why_not) == ("", "invalid_json")


def test_answers_that_are_the_same_need_no_judge() -> None:
    one, two = versions(3)
    pairs, same = both([*one, ANSWER], [*two, ANSWER, Answer(key="new", question="q", text="t")])
    assert (len(pairs), same) == (3, 1)


@given(st.integers(0, 40), st.integers(0, 40))
def test_the_sign_test_is_symmetric_and_a_probability(one: int, other: int) -> None:
    found = sign_test(one, other)
    assert found == sign_test(other, one)
    assert 0 < found <= 1
    assert sign_test(one, one) == 1.0


def test_the_sign_test_is_exact() -> None:
    assert sign_test(0, 5) == pytest.approx(2 / 32)
    assert sign_test(1, 5) == pytest.approx(2 * 7 / 64)


# --- turns that people judged ---------------------------------------------------------------------------------------


def test_turns_that_people_judged_come_with_their_level_and_what_they_cite() -> None:
    cited = Citation(chunk_id="c", doc_id="d", blob="b", start=4, end=9, title="Printers", url=None)
    gone = replace(cited, blob="gone")
    claims = (
        Claim(text="It stops.", kind=ClaimKind.SENTENCE, citations=(cited,)),
        Claim(text="Start it.", kind=ClaimKind.SENTENCE, citations=(cited, gone)),
    )
    answered = Answered(claims=claims, completeness=Completeness.FULL, confidence=0.9)
    turns = {
        1: turn("s", 1, question="Why?", outcome=answered),
        2: turn("s", 2, question="Hello"),
        3: turn("s", 3, question="How?", outcome=answered),
    }

    def judged(number: int, verdict: Verdict) -> Judgement:
        return Judgement(
            tenant="acme", kb="docs", session_id="s", turn=number, verdict=verdict, docs=(), reference="",
            must_contain=(), by="reviewer", at=NOON, snapshot=1,
        )  # fmt: skip

    async def turn_of(one: Judgement) -> Turn | None:
        return turns.get(one.turn)

    async def read(blob: str, start: int, end: int) -> bytes:
        if blob == "gone":
            raise NotFound("gone", remedy="")
        return b"012 stops"[start:end]

    verdicts = [
        (1, Verdict.GOOD),
        (2, Verdict.GOOD),
        (3, Verdict.UNANSWERABLE),
        (9, Verdict.WRONG),
        (1, Verdict.PARTLY),
    ]
    found = run(judged_by_people([judged(*one) for one in verdicts], turn_of, read))
    assert [level for _, level in found] == [2, 0, 1], "of those that were answered and are still there"
    first = found[0][0]
    assert (first.key, first.question, first.text) == ("s.1", "Why?", "It stops.\nStart it.")
    assert first.passages == ("stops", "(the text is not there any more)")
