"""One turn on the terminal, as a reviewer reads it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from firstline.cli.printing import plain

if TYPE_CHECKING:
    from firstline.domain import Reply, ReviewItem, Turn
    from firstline.questions.review_desk import ReviewFile
    from firstline.questions.wording.voice import Wording

WIDTH = 110
LABEL = 10
EARLIER_SHOWN = 6
REPLY_SHOWN = 160
QUESTION_SHOWN = 80
LINES_MAX = 400


def screen(file: ReviewFile, wording: Wording, *, waiting: int) -> str:
    """Everything that a verdict needs, top to bottom as it happened."""
    return "\n".join([_head(file, waiting), *_conversation(file, wording), *_answer(file, wording), *_behind(file)])


def line_of(item: ReviewItem, question: str) -> str:
    from firstline.domain import turn_id_of

    why = ",".join(item.reasons)
    asked = plain(" ".join(question.split()))[:QUESTION_SHOWN]
    return f"{turn_id_of(item.session_id, item.turn)}  {item.rank:4.2f}  {why:<24} {asked}"


def _head(file: ReviewFile, waiting: int) -> str:
    why = ", ".join(reason.replace("_", " ") for reason in file.item.reasons) if file.item else "named by you"
    told = f" {waiting} waiting | {why} | {file.session.kb} | {file.turn.asked_at:%Y-%m-%d %H:%M} UTC "
    return told.center(WIDTH, "-")


def _conversation(file: ReviewFile, wording: Wording) -> Iterator[str]:
    left_out = len(file.earlier) - EARLIER_SHOWN
    if left_out > 0:
        yield from _field("Earlier", f"({left_out} messages before these)")
    for turn in file.earlier[-EARLIER_SHOWN:]:
        yield from _field("Customer", turn.question[: 4 * REPLY_SHOWN])
        yield from _field("Bot", _short(_reply(turn, wording)))
    yield from _field("QUESTION", file.turn.question)


def _answer(file: ReviewFile, wording: Wording) -> Iterator[str]:
    reply = _reply(file.turn, wording)
    kind = f"{reply.outcome} {reply.completeness or ''}".strip()
    sure = "" if reply.confidence is None else f", confidence {reply.confidence:.2f}"
    yield from _field("SHOWN", f"({kind}{f', {reply.reason}' if reply.reason else ''}{sure})")
    if reply.notice:
        yield from _field("", reply.notice)
    for option in reply.options:
        yield from _field("", f"- {option}")
    for block in reply.blocks:
        yield from _field("", block.text + "".join(f" [{number}]" for number in block.citations))
    for quote in file.quotes:
        yield from _field(f"[{quote.number}]", f"{quote.title} ({quote.doc_id})")
        yield from _field("", f"“{quote.text.strip()}”")


def _behind(file: ReviewFile) -> Iterator[str]:
    from firstline.questions.review_desk import gates_in_words

    for place, words in enumerate(gates_in_words(file.turn)):
        yield from _field("" if place else "Gates", words)
    if file.feedback is not None:
        reason = f", {file.feedback.reason.replace('_', ' ')}" if file.feedback.reason else ""
        correction = f": “{file.feedback.correction}”" if file.feedback.correction else ""
        yield from _field("Feedback", f"{file.feedback.rating}{reason}{correction}")
    for entry in file.said:
        if entry.text:
            yield from _field("Team", f"{entry.by}: {entry.text}")
    for place, page in enumerate(file.pages, start=1):
        cited = ", cited" if page.cited else ""
        yield from _field("" if place > 1 else "Pages", f"{place} {page.title} ({page.doc_id}{cited})")


def _field(label: str, text: str) -> Iterator[str]:
    lines = [
        part
        for line in plain(text).split("\n")[:LINES_MAX]
        for part in (textwrap.wrap(line, WIDTH - LABEL - 1, replace_whitespace=False) or [""])
    ]
    for place, line in enumerate(lines):
        yield f"{label if place == 0 else '':<{LABEL}} {line}".rstrip()


def _short(reply: Reply) -> str:
    text = " ".join(" ".join((reply.notice, *(block.text for block in reply.blocks))).split())
    return text if len(text) <= REPLY_SHOWN else f"{text[:REPLY_SHOWN]}..."


def _reply(turn: Turn, wording: Wording) -> Reply:
    """As the customer read it."""
    from firstline.questions.render import render_turn

    return render_turn(turn, wording)
