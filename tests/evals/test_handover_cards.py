"""The forty conversations are well-formed, and the first count of what stands on a card looks in the right places."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.handover_cards import FOR_READING, NEEDS, Card, Conversation, fields_of, load_conversations

from firstline.errors import InvalidInput

CARD = """\
Hand-over             open, nobody has it; low_confidence
Question              Which port is it?
Runs on               5.0.4 on Debian 12, those are new
Since then            it is 5.1 after all
Since then            and a person please
Missing               the version
Next                  Ask for the version.
Looked at             Ports (1.20): does not mention “person”
                      Firewalls (1.10): does not mention Zebra
Gate                  unsure 0.50, needed 0.85
"""


def card(need: str, *phrases: str, never: tuple[str, ...] = ()) -> Card:
    needs = {name: phrases if name == need else () for name in NEEDS}
    conversation = Conversation(conversation_id="one", turns=("a", "b", "c"), needs=needs, never=never)
    return Card(conversation=conversation, outcomes=(), text=CARD)


def test_there_are_forty_conversations_and_each_says_what_its_card_must_show() -> None:
    conversations = load_conversations()
    assert len(conversations) == 40
    for one in conversations:
        assert all(one.needs[need] for need in ("question", "problem", "next")), one.conversation_id


def test_a_field_printed_over_several_lines_is_one_text() -> None:
    fields = fields_of(CARD)
    assert fields["Since then"] == "it is 5.1 after all and a person please"
    assert "Zebra" in fields["Looked at"]


@pytest.mark.parametrize(
    ("need", "phrase", "stands"),
    [
        ("question", "which PORT", True),
        ("question", "zebra", False),
        ("environment", "Fedora|Debian 12", True),
        ("environment", "ose are", False),
        ("missing", "version", True),
        ("tried", "the version", False),
        ("next", "ask for", True),
        ("next", "person", False),
    ],
)
def test_a_phrase_counts_where_its_need_stands(need: str, phrase: str, stands: bool) -> None:
    assert (card(need, phrase).absent[need] == []) is stands


def test_what_must_never_stand_on_a_card_is_told() -> None:
    assert card("next", never=("5.0.4",)).leaked == ["5.0.4"]
    assert card("next", never=("hunter2",)).leaked == []


def test_the_conversations_without_phrases_are_read_too() -> None:
    found = [one for file in FOR_READING for one in load_conversations(file)]
    assert len(found) == 69 and not any(one.needs for one in found)


def test_a_conversation_without_a_message_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "conversations.jsonl"
    file.write_text('{"id": "short", "turns": []}\n', "utf-8")
    with pytest.raises(InvalidInput, match="0 messages"):
        load_conversations(file)
