"""What is a model told that writes an answer, beside its prompt: passages and question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from firstline.domain import Evidence, Part
from firstline.orders import doubtful
from firstline.questions.page.units import units_of
from firstline.questions.prompted import harmless, language_name

CLAIMS_MAX: Final = 40
CITES_MAX: Final = 4
KINDS: Final = ("sentence", "step", "code", "refusal")
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "claims": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "kind": {"type": "string", "enum": list(KINDS)},
                    "cites": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["text", "kind", "cites"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["claims"],
    "additionalProperties": False,
}


def fitting(evidence: Sequence[Evidence], *, chars_max: int) -> list[Evidence]:
    """The pieces, in rank order, that fit together; the first one in any case."""
    kept: list[Evidence] = []
    room = chars_max
    for piece in evidence:
        room -= len(piece.text) + len(piece.lead_text)
        if kept and room < 0:
            break
        kept.append(piece)
    return kept


def parts_of(question: str, issued: Sequence[Evidence], *, language: str) -> tuple[Part, ...]:
    """Passages by index from 1, then the question: what questions about the same page have in common stands first."""
    name = language_name(language)
    passages = [
        Part(text=harmless(_passage(piece)), label=f"passage {index}") for index, piece in enumerate(issued, start=1)
    ]
    return (*passages, Part(text=f"Answer in {name}."), Part(text=harmless(question), label="question"))


def _passage(piece: Evidence) -> str:
    """Without what might be an order to whoever answers: nothing of it could be shown in any case."""
    chunk, text = piece.chunk, piece.text
    for unit in reversed(units_of(text, lead=piece.lead_text)):
        if doubtful(unit.text):
            text = text[: unit.start] + text[unit.end :]
    heading = " > ".join(dict.fromkeys((chunk.title, *chunk.section_path)))
    return "\n".join(part for part in (heading, piece.lead_text.strip(), text.strip()) if part)
