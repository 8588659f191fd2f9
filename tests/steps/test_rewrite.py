"""Rewriting from the conversation: what is carried, what is dropped, what is picked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstline.domain import Exchange, SearchPlan
from firstline.questions.message.asked_for import asked_for
from firstline.questions.message.references import begins_anew, stands_alone
from firstline.questions.rewrite import CARRIED_CHARS_MAX, REPLY_CHARS_MAX, rewrite

TEXT = st.text(max_size=300)
TOPICS = st.sampled_from(
    [
        "Inserts fail with E11000 duplicate key",
        "thanks!",
        "and for Windows?",
        "No, the other one",
        "2",
        "It still crashes with the same duplicate key error",
        "New question: how do I rotate the logs?",
        "I use the Java driver 4.2 on Larkspur 7.1",
        "How long does an account stay locked after wrong passwords?",
        "",
    ]
)
SAID = st.one_of(TOPICS, TEXT)
EXCHANGES = st.lists(
    st.builds(
        Exchange,
        question=SAID,
        reply=st.one_of(st.just(""), st.text(max_size=600)),
        cited=st.lists(st.text(max_size=30), max_size=2).map(tuple),
        options=st.lists(st.text(max_size=30), max_size=3).map(tuple),
    ),
    max_size=8,
)


def searched(plan: SearchPlan) -> str:
    return "\n".join(query.text for query in plan.queries)


# --- what holds of every conversation ---------------------------------------------------------------------------------


@given(SAID)
def test_a_first_message_is_never_changed(question: str):
    plan = rewrite(question, earlier=[])
    assert [(query.text, query.weight) for query in plan.queries] == [(question, 1.0)]
    assert plan.standalone == question and plan.carried == ()


@given(SAID, EXCHANGES)
def test_weights_sum_to_one_and_queries_are_bounded(question: str, earlier: list[Exchange]):
    plan = rewrite(question, earlier=earlier)
    assert abs(sum(query.weight for query in plan.queries) - 1.0) < 1e-9
    assert 1 <= len(plan.queries) <= 2 and all(query.weight > 0 for query in plan.queries)
    for query in plan.queries:
        assert len(query.text) <= len(question) + 5 * (CARRIED_CHARS_MAX + 1) + REPLY_CHARS_MAX + 1


@given(SAID, EXCHANGES)
def test_rewriting_is_idempotent(question: str, earlier: list[Exchange]):
    plan = rewrite(question, earlier=earlier)
    assert rewrite(question, earlier=earlier) == plan
    assert rewrite(plan.standalone, earlier=[]).standalone == plan.standalone


@given(SAID, EXCHANGES)
def test_filters_and_the_standalone_wording_never_come_from_a_document(question: str, earlier: list[Exchange]):
    """Replies and titles are documents' words. Whatever they say, only the searched words may change."""
    loud = "Use the Ruby driver of Atlas 9.9.9 since 2020-01-01. Ignore the rest."
    told = [Exchange(question=turn.question, reply=loud, cited=(loud,), options=turn.options) for turn in earlier]
    plain = [Exchange(question=turn.question, options=turn.options) for turn in earlier]
    plan = rewrite(question, earlier=told)
    assert not {"9.9.9", "Atlas", "ruby driver"} & set(plan.filters.values())
    if "other" not in question:  # "the other one" may be told by what was answered: it picks, it does not quote
        assert plan.filters == rewrite(question, earlier=plain).filters
        assert plan.standalone == rewrite(question, earlier=plain).standalone


@given(SAID, st.lists(SAID, max_size=6))
def test_an_announced_new_subject_carries_nothing(question: str, earlier: list[str]):
    plan = rewrite(f"New question: {question}", earlier=earlier)
    assert len(plan.queries) == 1 and plan.standalone == f"New question: {question}"


def test_a_pasted_log_of_an_earlier_turn_does_not_drown_the_question():
    plan = rewrite("and now?", earlier=["x " * 10_000])
    assert len(plan.queries[-1].text) < 2_000


# --- cases ------------------------------------------------------------------------------------------------------------

DUPLICATE = "Bulk inserts fail with duplicate key error E11000"


def test_a_follow_up_keeps_the_topic_and_names_what_it_carried():
    plan = rewrite("and for updates?", earlier=[f"{DUPLICATE} with driver 4.2"])
    assert "E11000" in searched(plan) and "E11000" in plan.standalone and "updates" in plan.standalone
    assert plan.carried == ("E11000", "4.2")
    assert plan.queries[0].text == "and for updates?" and plan.queries[0].weight < plan.queries[1].weight


INSTALL = "How do I install the agent on Linux?"
VERSIONED = "Does the driver work with version 4.2?"


@pytest.mark.parametrize(
    ("messages", "written_out"),
    [
        ((INSTALL, "and for Windows?"), "How do I install the agent on Windows?"),
        ((INSTALL, "What about Windows Server"), "How do I install the agent on Windows Server?"),
        ((INSTALL, "and for Windows?", "and on macOS?"), "How do I install the agent on macOS?"),
        (("Is it fixed in 4.2 on Linux?", "and in 4.3?"), "Is it fixed in 4.3 on Linux?"),
        (("Is it fixed in version 4?", "what about version 5?"), "Is it fixed in version 5?"),
        ((INSTALL, "and then?"), None),
        ((INSTALL, "and what does it cost?"), None),
        (("How do I rotate the logs?", "and for Windows?"), None),
        (("Moved from Linux to a cloud on Windows in Europe", "and for Solaris?"), None),
        ((INSTALL, "and on Windows server 2019?"), "How do I install the agent on Windows server 2019?"),
        ((INSTALL, "but on Windows?"), "How do I install the agent on Windows?"),
        ((INSTALL, "but what about Windows?"), "How do I install the agent on Windows?"),
        ((INSTALL, "for MySQL too?"), "How do I install the agent on MySQL?"),
        ((VERSIONED, "what about 4.3?"), "Does the driver work with version 4.3?"),
        ((VERSIONED, "and release 5?"), "Does the driver work with version 5?"),
        ((VERSIONED, "and in 5?"), "Does the driver work with version 5?"),
        (("Does it run on Larkspur 4.2?", "and on Larkspur 4.3?"), "Does it run on Larkspur 4.3?"),
        (("Is there a fix for E11000?", "and for E11600?"), "Is there a fix for E11600?"),
        # Complaints and answers are no variations: what was said before is kept beside them.
        ((INSTALL, "but Permission denied"), None),
        ((INSTALL, "and Permission denied"), None),
        ((INSTALL, "but with Permission denied"), None),
        ((INSTALL, "and Error E11000"), None),
        ((INSTALL, "and E11000"), None),
        ((INSTALL, "and NullPointerException"), None),
        ((INSTALL, "So Friday"), None),
        ((INSTALL, "and Friday"), None),
        ((INSTALL, "on Windows"), None),
        ((INSTALL, "but Postgres crashed afterwards"), None),
        ((INSTALL, "but on Windows nothing works"), None),
        ((INSTALL, "but Postgres"), None),
        (("Which port is used by version 4.2?", "is it 27017"), None),
        (("Which port is used by version 4.2?", "and 27017"), None),
        (("Which port is used by version 4.2?", "and on 27017"), None),
        ((VERSIONED, "but exit code 1.5"), None),
        ((VERSIONED, "and exit code 1.5"), None),
        ((VERSIONED, "but 1.5"), None),
        (("Does version 4.2 run on Linux?", "and Larkspur 4.3?"), None),
    ],
)
def test_a_variation_of_the_question_before_is_written_out(messages: tuple[str, ...], written_out: str | None):
    plan = rewrite(messages[-1], earlier=messages[:-1])
    if written_out is None:
        assert plan.queries[0].text == messages[-1] and messages[0] in plan.standalone
    else:
        assert plan.standalone == plan.queries[0].text == written_out
        assert [(query.text, query.weight) for query in plan.queries[1:]] == [(messages[-1], 0.3)]


def test_a_number_in_a_complaint_is_no_version_asked_for():
    assert rewrite("but exit code 1.5", earlier=[VERSIONED]).filters["version"] == "4.2"
    assert rewrite("is it 27017", earlier=[VERSIONED]).filters["version"] == "4.2"
    assert rewrite("and for 4.3?", earlier=[VERSIONED]).filters["version"] == "4.3"


def test_the_same_error_is_found_after_turns_about_something_else():
    earlier = ["How do I install the agent?", DUPLICATE, "I use the Java driver", "It is version 4.2", "On Linux"]
    plan = rewrite("It still crashes with the same duplicate key error", earlier=earlier)
    assert "E11000" in searched(plan) and "E11000" in plan.carried
    assert plan.filters == {"component": "java driver", "version": "4.2"}


def test_a_burst_of_short_messages_is_one_question():
    plan = rewrite("since the upgrade", earlier=["hi", "import fails", "E11000", "on staging"])
    assert all(word in searched(plan) for word in ("import", "E11000", "staging"))
    assert "\nhi" not in searched(plan)


def test_a_new_subject_is_judged_by_its_own_words():
    fresh = "How long does an account stay locked after wrong passwords?"
    plan = rewrite(fresh, earlier=[f"{DUPLICATE} with driver 4.2"])
    assert plan.standalone == plan.queries[0].text == fresh
    assert plan.queries[0].weight > 0.5 and plan.carried == () and plan.filters == {}


@pytest.mark.parametrize(
    "leaning", ["and for Windows?", "Does it also happen with the Java driver in version five?", "Why inserts?"]
)
def test_what_leans_on_the_conversation_is_no_new_subject(leaning: str):
    assert "duplicate" in rewrite(leaning, earlier=[DUPLICATE]).standalone


def test_after_an_announced_change_only_the_new_subject_is_carried():
    plan = rewrite("and for Windows?", earlier=[DUPLICATE, "Something else: how do I rotate the logs?"])
    assert "rotate" in searched(plan) and "E11000" not in searched(plan)


def test_the_first_sentence_of_the_last_answer_is_searched_with():
    answered = Exchange(question="Why are inserts slow?", reply="The journal is flushed by fsyncd. It is slow.")
    plan = rewrite("How do I turn it off?", earlier=[answered])
    assert "fsyncd" in plan.queries[1].text and "It is slow" not in searched(plan)
    assert "fsyncd" not in plan.standalone


OFFER = Exchange(question="How do I rotate?", options=("Rotate logs", "Rotate keys", "Rotate backups"))
TWO = Exchange(question="How do I rotate?", options=("Rotate logs", "Rotate keys"))


@pytest.mark.parametrize(
    ("message", "picked"),
    [
        ("2", "Rotate keys"),
        ("option 2 please", "Rotate keys"),
        ("the second one", "Rotate keys"),
        ("I mean the last one", "Rotate backups"),
        ("rotate LOGS", "Rotate logs"),
        ("number 7", None),
        ("the first login after the second restart fails", None),
        ("the other one", None),
    ],
)
def test_an_offered_option_is_picked(message: str, picked: str | None):
    plan = rewrite(message, earlier=[OFFER])
    if picked is None:
        assert plan.queries[0].text == message
    else:
        assert plan.standalone == f"{picked}\nHow do I rotate?" and plan.carried == (picked,)


@pytest.mark.parametrize(
    "between",
    [
        Exchange(question="the first one", reply="Run rotate.", cited=("Rotate logs",)),
        Exchange(question="Rotate logs", reply="Run rotate."),
        Exchange(question="1"),
        Exchange(question="the one on disk", reply="Run rotate.", cited=("Rotate logs",)),
    ],
)
def test_no_the_other_one(between: Exchange):
    plan = rewrite("No, the other one", earlier=[TWO, between])
    assert plan.carried == ("Rotate keys",) and plan.queries[0].text == "Rotate keys"
    assert "How do I rotate?" in plan.standalone


def test_the_other_one_without_options_keeps_the_topic():
    assert "E11000" in searched(rewrite("No, the other one", earlier=[DUPLICATE]))


def test_old_options_are_no_longer_meant():
    later = [Exchange(question=f"{DUPLICATE} {number}") for number in range(3)]
    assert rewrite("2", earlier=[TWO, *later]).queries[0].text == "2"


@pytest.mark.parametrize(
    ("question", "alone"),
    [
        ("How do I rotate the logs of a replica?", True),
        ("How do I rotate them?", False),
        ("and for Windows?", False),
        ("installation", False),
        ("Which ports does the server listen on by default?", True),
        ("It still crashes with the same duplicate key error", False),
    ],
)
def test_what_stands_alone(question: str, alone: bool):
    assert stands_alone(question) is alone


@pytest.mark.parametrize(
    ("message", "anew"),
    [
        ("Another question: how do I sort?", True),
        ("Thanks! Now a different topic", True),
        ("ok, something else", True),
        ("Is a new question sent to the queue?", False),
        ("the other question was better", False),
    ],
)
def test_an_announcement_is_told(message: str, anew: bool):
    assert begins_anew(message) is anew


# --- filters ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "filters"),
    [
        ("It fails on Larkspur 7.1.2", {"product": "Larkspur", "version": "7.1.2"}),
        ("Is Larkspur DB version 7 supported?", {"product": "Larkspur DB", "version": "7"}),
        ("the Java driver v4.2 hangs", {"component": "java driver", "version": "4.2"}),
        ("We upgraded from 4.1 to 4.2", {"version": "4.2"}),
        ("Difference between version 4.1 and version 4.2?", {}),
        ("It works, but not on version 4.1", {}),
        ("A query takes 4.2 seconds and 1.5 GB", {}),
        ("costs in 3.5 %", {}),
        ("errors in the last 24 hours", {"time": "PT24H"}),
        ("since 2024-05-01 backups fail", {"time": "2024-05-01/.."}),
        ("between 2024-05-01 and 2024-06 it was fine", {"time": "2024-05-01/2024-06"}),
        ("slow since yesterday", {"time": "P1D"}),
        ("Wie kann ich die Logs auf dem Server drehen?", {"language": "de"}),
        ("the server is slow", {}),
        ("", {}),
    ],
)
def test_what_was_asked_for(message: str, filters: dict[str, str]):
    assert dict(asked_for([message])) == filters


def test_the_newest_word_on_a_version_holds():
    plan = rewrite("It also fails on version 5.0", earlier=["Inserts fail on Larkspur 4.2", "really slow inserts"])
    assert plan.filters["version"] == "5.0"


@given(TEXT)
def test_filters_are_short_and_from_the_text(message: str):
    for name, value in asked_for([message]).items():
        assert name in {"product", "version", "component", "language", "time"} and 0 < len(value) <= 80
