"""What a person reads of a hand-over, whatever the channel."""

from __future__ import annotations

from messages import HOSTILE, KEY, hostile, message

from firstline.connectors.handover.wording import TITLE_CHARS_MAX, Wording, wording
from firstline.domain import HandoffEvent, HandoffMessage


def read(sent: HandoffMessage) -> tuple[Wording, dict[str, str]]:
    said = wording(sent, idempotency_key=KEY)
    return said, {part.heading: part.text for part in said.parts}


def test_a_hand_over_can_be_acted_on_from_what_is_read() -> None:
    said, parts = read(message(missing=("the log",), transcript="/v1/handoffs/h-1/transcript"))
    assert said.title == "Hand-over (low confidence): Why does the upgrade to 4.2 fail?"
    assert list(parts) == ["Question", "Summary", "Missing", "Tried", "Facts", "Next step", "Where"]
    assert parts["Tried"] == "- Upgrading: is about version 4.1"
    assert parts["Facts"] == "state open; intent cause; mood upset; language en; names E11000, 4.2"
    assert "firstline handoffs take h-1" in parts["Where"]
    assert "GET /v1/handoffs/h-1/transcript" in parts["Where"]
    assert KEY in said.footer


def test_an_update_says_who_has_it_and_how_it_ended() -> None:
    said, parts = read(message(event=HandoffEvent.UPDATED, owner="Ada", returns=2, resolution="Set the flag."))
    assert said.title.startswith("Hand-over changed")
    assert "taken by Ada" in parts["Facts"]
    assert "came back 2 times" in parts["Facts"]
    assert parts["Resolution"] == "Set the flag."
    assert "Next step" not in parts
    assert "take" not in parts["Where"]


def test_a_test_is_marked_first() -> None:
    said, parts = read(message(test=True))
    assert said.title.startswith("TEST: ")
    assert next(iter(parts)) == "Test"
    assert "Where" not in parts


def test_every_text_is_bounded_and_without_control_characters() -> None:
    for sent in (hostile(), message(question="x" * 50_000, summary="y" * 50_000, next_step="z" * 50_000)):
        said, parts = read(sent)
        assert len(said.title) <= TITLE_CHARS_MAX
        assert "\n" not in said.title + said.footer
        assert sum(map(len, parts.values())) < 12_000
        for text in (said.title, said.footer, *parts.values()):
            assert all(character == "\n" or character.isprintable() for character in text), text
            text.encode()
    assert HOSTILE.split()[0] in read(hostile())[1]["Question"]
