"""A hand-over in words, for channels that people read. Plain text: each channel escapes it as it must."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from firstline.domain import Handoff, HandoffEvent, HandoffMessage, Intent

QUESTION_CHARS_MAX: Final = 2_000
SUMMARY_CHARS_MAX: Final = 4_000
TITLE_CHARS_MAX: Final = 120
TRIED_MAX: Final = 5
NOTHING_MISSING: Final = "nothing that is needed to begin"
UNTOLD: Final = frozenset({Intent.OTHER, Intent.SMALL_TALK})
"""Intents that say nothing."""
TEST: Final = "TEST: nobody asked this. Somebody tries whether hand-overs arrive here."

HEADS: Final = {HandoffEvent.OPENED: "Hand-over", HandoffEvent.UPDATED: "Hand-over changed"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A heading and what stands under it, several lines perhaps."""

    heading: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Wording:
    title: str
    parts: tuple[Part, ...]
    footer: str


def wording(message: HandoffMessage, *, idempotency_key: str) -> Wording:
    """The title is one line; control characters are out of all of it."""
    handoff = message.handoff
    head = f"TEST: {HEADS[message.event]}" if message.test else HEADS[message.event]
    reason = handoff.reason.value.replace("_", " ")
    tried = "\n".join(f"- {_line(one.title, 200)}: {_line(one.why_not, 300)}" for one in handoff.tried[:TRIED_MAX])
    found = (
        ("Test", TEST if message.test else ""),
        ("Question", _clean(handoff.question, QUESTION_CHARS_MAX)),
        ("Summary", _clean(handoff.summary, SUMMARY_CHARS_MAX)),
        ("Missing", _line("; ".join(handoff.missing) or NOTHING_MISSING, 300)),
        ("Tried", tried),
        ("Facts", _facts(handoff)),
        ("Resolution", _clean(handoff.resolution, QUESTION_CHARS_MAX)),
        ("Next step", "" if handoff.resolution else _clean(handoff.next_step, 1_000)),
        ("Where", "" if message.test else _where(handoff)),
    )
    return Wording(
        title=_line(f"{head} ({reason}): {handoff.question}", TITLE_CHARS_MAX),
        parts=tuple(Part(heading=heading, text=text) for heading, text in found if text),
        footer=f"hand-over {_line(handoff.handoff_id, 64)}, conversation {_line(handoff.session_id, 64)}, "
        f"tenant {_line(message.tenant, 64)}, delivery {idempotency_key}",
    )


def _facts(handoff: Handoff) -> str:
    facts = [
        f"state {handoff.state.value.replace('_', ' ')}",
        f"taken by {_line(handoff.owner, 64)}" if handoff.owner else "",
        "" if handoff.intent in UNTOLD else f"intent {handoff.intent.value.replace('_', ' ')}",
        f"mood {handoff.mood.value}",
        f"language {_line(handoff.language, 20)}",
        f"names {_line(', '.join(handoff.entities), 300)}" if handoff.entities else "",
        f"came back {handoff.returns} times lately" if handoff.returns else "",
    ]
    return "; ".join(fact for fact in facts if fact)


def _where(handoff: Handoff) -> str:
    handoff_id = _line(handoff.handoff_id, 64)
    shown = f"`firstline handoffs show {handoff_id} --transcript`"
    if handoff.transcript:
        shown += f" or GET {_line(handoff.transcript, 200)}"
    return shown if handoff.owner else f"{shown}; to take it: `firstline handoffs take {handoff_id}`"


def _line(text: str, chars_max: int) -> str:
    return _cut(" ".join(_without_controls(text).split()), chars_max)


def _clean(text: str, chars_max: int) -> str:
    return _cut(_without_controls(text).strip(), chars_max)


def _without_controls(text: str) -> str:
    """Control characters can end a header line or move a terminal's cursor; half surrogates cannot be sent."""
    kept = "".join(c if c == "\n" or c.isprintable() else " " for c in text.replace("\r\n", "\n"))
    return kept.encode("utf-8", "replace").decode()


def _cut(text: str, chars_max: int) -> str:
    return text if len(text) <= chars_max else text[: chars_max - 1].rstrip() + "…"
