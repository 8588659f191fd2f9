"""Beyond the knowledge base, or only without evidence? By distance and by the classifier's reading."""

from __future__ import annotations

import pytest

from firstline.domain import Category, Intent, Mood, RankedDocument, Scores, Triage
from firstline.questions.out_of_scope import off_topic, out_of_scope, scope_features, settled


def ranked(cosine: float, words: float) -> tuple[RankedDocument, ...]:
    scores = Scores(dense=cosine, words=words, document=cosine, fused=cosine)
    return (RankedDocument(doc_id="d", score=cosine, hits=(("c", scores),)),)


def shares(**given: float) -> dict[Category, float]:
    rest = (1 - sum(given.values())) / (len(Category) - len(given))
    return {each: given.get(each.value, rest) for each in Category}


def found(category: Category, *, is_settled: bool = True, intent: Intent = Intent.OTHER) -> Triage:
    return Triage(
        category=category,
        confidence=0.8,
        intent=intent,
        entities=(),
        language="en",
        mood=Mood.NEUTRAL,
        reason="r",
        settled=is_settled,
    )


def test_near_pages_bring_a_question_into_scope_whatever_it_reads_like() -> None:
    odd = shares(irrelevant=0.7, answerable=0.2)
    assert out_of_scope(scope_features("capital of Peru", ranked(0.8, 30.0), odd)).passed
    assert not out_of_scope(scope_features("capital of Peru", ranked(0.1, 2.0), odd)).passed


def test_a_plain_question_is_not_sent_away_for_being_off_the_pages() -> None:
    far = out_of_scope(scope_features("torque of the blade bolts", ranked(0.05, 0.0), shares(answerable=0.95)))
    question = found(Category.ANSWERABLE)
    assert off_topic(question, far, shares(answerable=0.95)) is question


def test_without_any_page_nothing_is_near() -> None:
    assert scope_features("x", (), shares(answerable=0.5))["dense"] == 0.0


def test_the_pages_settle_what_only_the_meaning_said() -> None:
    unsettled = found(Category.IRRELEVANT, is_settled=False)
    assert settled(unsettled, beyond=True).category is Category.IRRELEVANT
    assert settled(unsettled, beyond=False).category is Category.ANSWERABLE
    assert settled(unsettled, beyond=False).settled
    outright = found(Category.OUT_OF_SCOPE)
    assert settled(outright, beyond=False) is outright


@pytest.mark.parametrize(
    ("likeliest", "category"),
    [("irrelevant", Category.IRRELEVANT), ("out_of_scope", Category.OUT_OF_SCOPE)],
)
def test_weak_evidence_far_from_every_page_is_named(likeliest: str, category: Category) -> None:
    read = shares(**{likeliest: 0.8})
    far = out_of_scope(scope_features("q", ranked(0.05, 0.0), read))
    assert off_topic(found(Category.ANSWERABLE), far, read).category is category


def test_a_wish_for_a_person_and_a_classifier_that_knows_nothing_change_nothing() -> None:
    even = dict.fromkeys(Category, 0.2)
    far = out_of_scope(scope_features("q", ranked(0.05, 0.0), even))
    question = found(Category.ANSWERABLE)
    assert off_topic(question, far, even) is question
    person = found(Category.ANSWERABLE, intent=Intent.PERSON)
    assert off_topic(person, far, shares(irrelevant=0.9)) is person
