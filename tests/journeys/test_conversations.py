"""Stories of conversations: what a later message means is found through the whole journey."""

from collections.abc import Sequence

import pytest
from tests.journeys.world import KB, World, asker, page

from firstline.domain import Answered, Clarify, Escalated, Turn

DRIVER = "# Driver versions\n\nThe Java driver 4.2 is supported on Larkspur 7.1. Update the driver with the installer."
DUPLICATE = (
    "# Duplicate key error E11000 on inserts\n\n"
    "A duplicate key error E11000 crashes the batch import when two documents carry the same key. "
    "Remove the repeated key to stop the duplicate key error."
)
OTHERS = (
    ("indexes", "# Unique indexes\n\nA unique index refuses a key that is there already. Indexes speed up a search."),
    ("inserts", "# Bulk inserts\n\nBulk inserts write many documents in one batch with one journal flush."),
    ("crash", "# Crash reports\n\nA crash of the server writes a crash report to the report folder."),
    ("passwords", "# Locked accounts\n\nAn account stays locked for ten minutes after five wrong passwords."),
    ("install-linux", "# Install the agent on Linux\n\nTo install the agent on Linux run the package manager."),
    ("install-windows", "# Install the agent on Windows\n\nTo install the agent on Windows start the setup wizard."),
    ("paint-windows", "# Paint windows\n\nWindows are painted by the console for every dashboard."),
    ("rotate-logs", "# Rotate logs\n\nRotate the logs with larkctl. Seven files are kept by the rotation."),
    ("rotate-keys", "# Rotate keys\n\nRotate the keys in the vault. The old keys expire after the rotation."),
)


async def conversation(*messages: str, **changes: object) -> list[Turn]:
    world = World()
    await world.ingest(page("driver", DRIVER), page("duplicate", DUPLICATE), *(page(*one) for one in OTHERS))
    session = await world.session()
    questions = world.questions(**changes)
    return [await questions.ask(session=session, principal=asker(), question=message) for message in messages]


def document(turn: Turn) -> str:
    """The document that was answered from."""
    assert isinstance(turn.outcome, Answered), turn.outcome
    return turn.outcome.claims[0].citations[0].doc_id


@pytest.mark.parametrize(
    ("messages", "doc"),
    [
        (("How do I install the agent on Linux?", "and for Windows?"), "install-windows"),
        (
            (
                "The batch import crashes with a duplicate key error E11000",
                "How long does an account stay locked after wrong passwords?",
            ),
            "passwords",
        ),
        (
            (
                "The batch import crashes with a duplicate key error E11000",
                "New question: how do I install the agent on Linux?",
                "and for Windows?",
            ),
            "install-windows",
        ),
    ],
    ids=["and for Windows", "another subject", "an announced subject"],
)
async def test_the_last_message_is_answered_from_the_right_page(messages: Sequence[str], doc: str):
    turns = await conversation(*messages)
    assert document(turns[-1]) == doc


@pytest.mark.parametrize(
    "messages",
    [
        (
            "The batch import crashes with a duplicate key error E11000",
            "I use the Java driver",
            "It is driver version 4.2",
            "on Larkspur 7.1",
            "It still crashes with the same duplicate key error",
        ),
        ("the batch import crashes", "E11000", "duplicate key"),
    ],
    ids=["the same error", "a burst"],
)
async def test_who_goes_on_is_understood_and_not_told_the_same_again(messages: Sequence[str]):
    world = World()
    await world.ingest(page("driver", DRIVER), page("duplicate", DUPLICATE), *(page(*one) for one in OTHERS))
    *earlier, last = messages
    found = await world.questions().rank(principal=asker(), kb=KB, question=last, history=earlier)
    assert found[0].doc_id == "duplicate"
    told = [turn.outcome for turn in await conversation(*messages) if isinstance(turn.outcome, Answered)]
    said = [frozenset(claim.text for claim in answer.claims) for answer in told]
    assert said and len(set(said)) == len(said)


async def test_no_the_other_one():
    asked, picked, other = await conversation(
        "rotation zebra crossing of a harvest lantern", "the first one", "No, the other one", documents_ranked=2
    )
    assert isinstance(asked.outcome, Clarify)
    assert set(asked.outcome.options) == {"rotate-logs", "rotate-keys"}
    first, second = asked.outcome.options
    assert picked.plan is not None and picked.plan.carried == (first,)
    assert other.plan is not None and other.plan.carried == (second,)
    assert other.plan.queries[0].text == second


@pytest.mark.parametrize("pick", ["1", "the first one", "the {word} one, please"])
async def test_a_page_that_the_asker_picks_is_shown_whatever_a_gate_would_guess(pick: str):
    asked, _ = await conversation("rotation zebra crossing of a harvest lantern", "2", documents_ranked=2)
    assert isinstance(asked.outcome, Clarify)
    first = asked.outcome.options[0]
    message = pick.format(word=first.split("-")[-1])
    _, picked = await conversation("rotation zebra crossing of a harvest lantern", message, documents_ranked=2)
    assert isinstance(picked.outcome, Answered)
    assert {citation.title for claim in picked.outcome.claims for citation in claim.citations} == {first}
    assert not any(gate.passed for gate in picked.gates if gate.name == "confidence")


async def test_a_code_in_the_middle_of_a_conversation_is_answered_as_one_by_itself():
    messages = ("How do I install the agent on Linux?", "E11000")
    (alone,) = await conversation(messages[1])
    later = (await conversation(*messages))[-1]
    assert isinstance(alone.outcome, Answered) and isinstance(later.outcome, Answered)
    assert [claim.text for claim in later.outcome.claims] == [claim.text for claim in alone.outcome.claims]


async def test_the_filters_of_a_conversation_are_recorded_with_its_turn():
    turns = await conversation("The Java driver 4.2 fails on import", "It still crashes")
    assert turns[-1].plan is not None
    assert turns[-1].plan.filters == {"component": "java driver", "version": "4.2"}


async def test_a_new_subject_has_no_filter_of_the_old_one():
    turns = await conversation(
        "The Java driver 4.2 fails on import", "How long does an account stay locked after wrong passwords?"
    )
    assert turns[-1].plan is not None and turns[-1].plan.filters == {} and turns[-1].plan.carried == ()


@pytest.mark.parametrize("messages", [("zebra crossing hours", "zebra crossing hours"), ("the zebra", "not that")])
async def test_a_repeated_or_empty_follow_up_is_handed_over_and_not_asked_about_again(messages: Sequence[str]):
    first, second = await conversation(*messages)
    assert isinstance(first.outcome, Clarify) and isinstance(second.outcome, Escalated)
