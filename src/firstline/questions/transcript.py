"""A conversation as people read it: the customer, the bot and the persons, in the order they spoke."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from firstline.domain import HandoffAct, HandoffEntry, Turn
from firstline.questions.render import render_turn
from firstline.questions.wording.voice import Wording

TAKEN: Final = "(took the conversation over)"
TAKEN_FROM: Final = "(took the conversation over from {owner})"
RESOLVED: Final = "(resolved) {text}"
RETURNED: Final = "(handed the conversation back to the bot) {text}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """`who` is customer, bot, person (said to the customer) or team (seen by colleagues alone). `by` names the person;
    `turn` the message that was asked or answered."""

    at: datetime
    who: str
    text: str
    by: str = ""
    turn: int | None = None


def transcript(turns: Sequence[Turn], entries: Sequence[HandoffEntry], wording: Wording) -> tuple[Line, ...]:
    """Both oldest first. For the team: notes and resolutions are in it, the bot's lines as the customer read them."""
    spoken = [(turn.asked_at, line) for turn in turns for line in _turn_lines(turn, wording)]
    spoken += [(entry.at, _entry_line(entry)) for entry in entries]
    return tuple(line for _, line in sorted(spoken, key=lambda pair: pair[0]))


def _turn_lines(turn: Turn, wording: Wording) -> tuple[Line, Line]:
    reply = render_turn(turn, wording)
    said = "\n".join(part for part in (reply.notice, *reply.options, *(block.text for block in reply.blocks)) if part)
    return (
        Line(at=turn.asked_at, who="customer", text=turn.question, turn=turn.number),
        Line(at=turn.asked_at, who="bot", text=said, turn=turn.number),
    )


def _entry_line(entry: HandoffEntry) -> Line:
    match entry.act:
        case HandoffAct.TAKE:
            from_other = entry.owner_before not in (None, entry.by)
            text = TAKEN_FROM.format(owner=entry.owner_before) if from_other else TAKEN
        case HandoffAct.RESOLVE:
            text = RESOLVED.format(text=entry.text)
        case HandoffAct.RETURN:
            text = RETURNED.format(text=entry.text).rstrip()
        case _:
            text = entry.text
    return Line(at=entry.at, who="person" if entry.act is HandoffAct.REPLY else "team", text=text, by=entry.by)
