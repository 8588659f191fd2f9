"""Labelled questions, one JSON object a line.

| field | meaning |
|---|---|
| `id` | names the case; unique in its file |
| `question` or `turns` | one user message, or several of one conversation, oldest first: the last one is scored |
| `docs` | gold document ids; any of them is a hit, recall counts all of them; may be empty |
| `answerable` | true, false, or left out when it is not labelled |
| `outcome` | an outcome's name, or a list of acceptable names |
| `must_contain` | texts that a shown answer must contain, whatever their case |
| `level` | how much the asker may see: public, customer, internal, restricted |
| `reference` | an answer written by a person, for token F1 |
| `set` | the data set's name in reports |
| `note` | for people; ignored |

Outcome names: answered, clarify, escalated, high_stakes, deflected, silent; `answered:full`, `answered:partial` and
`answered:unsure` ask for one completeness. An unknown field is an error, so that a misspelt one is not ignored.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

from firstline.domain import (
    Answered,
    Clarify,
    Completeness,
    Deflected,
    Escalated,
    HighStakes,
    Level,
    Outcome,
)
from firstline.errors import InvalidInput

CASES_MAX: Final = 100_000
LINE_CHARS_MAX: Final = 1_000_000

FIELDS: Final = frozenset(
    {"id", "question", "turns", "docs", "answerable", "outcome", "must_contain", "level", "reference", "set", "note"}
)
KINDS: Final = ("answered", "clarify", "escalated", "high_stakes", "deflected", "silent")
OUTCOMES: Final = frozenset(KINDS) | {f"answered:{completeness.value}" for completeness in Completeness}


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One labelled conversation. `outcomes` is empty when none is expected; `answerable` is None when not labelled."""

    case_id: str
    turns: tuple[str, ...]
    docs: tuple[str, ...] = ()
    answerable: bool | None = None
    outcomes: tuple[str, ...] = ()
    must_contain: tuple[str, ...] = ()
    level: Level | None = None
    reference: str | None = None
    set_name: str = "cases"

    @property
    def question(self) -> str:
        return self.turns[-1]

    @property
    def history(self) -> tuple[str, ...]:
        """Earlier user messages, oldest first."""
        return self.turns[:-1]

    @property
    def key(self) -> str:
        """Unique over sets."""
        return f"{self.set_name}/{self.case_id}"


def outcome_kind(outcome: Outcome) -> str:
    """The name of an outcome, as cases and reports write it."""
    match outcome:
        case Answered():
            return "answered"
        case Clarify():
            return "clarify"
        case Escalated():
            return "escalated"
        case HighStakes():
            return "high_stakes"
        case Deflected():
            return "deflected"
        case _:
            return "silent"


def outcome_matches(expected: Iterable[str], outcome: Outcome) -> bool:
    """Whether the outcome is one of those named. `answered` accepts every completeness."""
    names = {outcome_kind(outcome)}
    if isinstance(outcome, Answered):
        names.add(f"answered:{outcome.completeness.value}")
    return not names.isdisjoint(expected)


def load_cases(path: Path) -> list[Case]:
    """Read a JSONL file of cases. InvalidInput names the file, the line and what is wrong with it."""
    if not path.is_file():
        raise InvalidInput(f"There is no file of cases at {path}.", remedy="Name a JSONL file, one case a line.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (UnicodeDecodeError, OSError) as error:
        raise InvalidInput(f"{path} cannot be read as UTF-8 text: {error}.", remedy="Save it as UTF-8.") from error
    found: list[Case] = []
    seen: set[str] = set()
    # Not splitlines(): a question may hold U+2028, which JSON leaves as it is.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        case = _parse_line(line, where=f"{path}, line {number}")
        if case.key in seen:
            raise _wrong(f"{path}, line {number}", f"the id {case.case_id!r} was used before")
        if len(found) >= CASES_MAX:
            raise InvalidInput(f"{path} holds more than {CASES_MAX:,} cases.", remedy="Split the file.")
        seen.add(case.key)
        found.append(case)
    if not found:
        raise InvalidInput(f"{path} holds no case.", remedy="Write one JSON object a line.")
    return found


def each_once(cases: Sequence[Case]) -> tuple[list[Case], int]:
    """The cases without those whose conversation was given before (same messages, whatever their white space), and how
    many these were. A question asked twice proves no more than once: counting it twice would feign certainty."""
    kept: dict[tuple[str, ...], Case] = {}
    for case in cases:
        kept.setdefault(tuple(" ".join(turn.split()).casefold() for turn in case.turns), case)
    return list(kept.values()), len(cases) - len(kept)


def with_known_documents(cases: Sequence[Case], known: Collection[str]) -> tuple[list[Case], list[str]]:
    """The cases on a knowledge base of these document ids, and the gold ids that it does not have, each once.

    Missing gold documents are left out; a case that loses all of its own counts as unanswerable.
    """
    missing = dict.fromkeys(doc for case in cases for doc in case.docs if doc not in known)
    found: list[Case] = []
    for case in cases:
        docs = tuple(doc for doc in case.docs if doc in known)
        lost = bool(case.docs) and not docs
        found.append(replace(case, docs=docs, answerable=False if lost else case.answerable))
    return found, list(missing)


def parse_case(record: Mapping[str, Any], *, where: str = "case") -> Case:
    """Check one record. `where` stands at the front of the error message."""
    unknown = sorted(set(record) - FIELDS)
    if unknown:
        raise _wrong(where, f"the field {unknown[0]!r} is not known")
    case_id = record.get("id")
    if not isinstance(case_id, str) or not case_id:
        raise _wrong(where, "the field 'id' must be a text")
    answerable = record.get("answerable")
    if answerable is not None and not isinstance(answerable, bool):
        raise _wrong(where, "the field 'answerable' must be true, false or left out")
    outcomes = _texts(record, "outcome", where)
    for name in outcomes:
        if name not in OUTCOMES:
            raise _wrong(where, f"the outcome {name!r} is none of {', '.join(sorted(OUTCOMES))}")
    return Case(
        case_id=case_id,
        turns=_turns(record, where),
        docs=_texts(record, "docs", where),
        answerable=answerable,
        outcomes=outcomes,
        must_contain=_texts(record, "must_contain", where),
        level=_level(record, where),
        reference=_text(record, "reference", where),
        set_name=_text(record, "set", where) or "cases",
    )


def _parse_line(line: str, *, where: str) -> Case:
    if len(line) > LINE_CHARS_MAX:
        raise _wrong(where, f"the line has more than {LINE_CHARS_MAX:,} characters")
    try:
        record = json.loads(line)
    except ValueError as error:
        raise _wrong(where, f"this is not JSON: {error}") from error
    if not isinstance(record, dict):
        raise _wrong(where, "a case must be a JSON object")
    return parse_case(cast("dict[str, Any]", record), where=where)


def _turns(record: Mapping[str, Any], where: str) -> tuple[str, ...]:
    if ("question" in record) == ("turns" in record):
        raise _wrong(where, "give either 'question' or 'turns'")
    turns = _texts(record, "turns" if "turns" in record else "question", where)
    if not turns or not all(turn.strip() for turn in turns):
        raise _wrong(where, "a message is missing or empty")
    return turns


def _texts(record: Mapping[str, Any], name: str, where: str) -> tuple[str, ...]:
    value = record.get(name)
    if value is None:
        return ()
    values: list[Any] = cast("list[Any]", value) if isinstance(value, list) else [value]
    if not all(isinstance(one, str) for one in values):
        raise _wrong(where, f"the field {name!r} must be a text or a list of texts")
    return tuple(values)


def _text(record: Mapping[str, Any], name: str, where: str) -> str | None:
    value = record.get(name)
    if value is not None and not isinstance(value, str):
        raise _wrong(where, f"the field {name!r} must be a text")
    return value


def _level(record: Mapping[str, Any], where: str) -> Level | None:
    name = _text(record, "level", where)
    if name is None:
        return None
    try:
        return Level.parse(name)
    except KeyError as error:
        raise _wrong(where, f"the level {name!r} is none of {', '.join(level.label for level in Level)}") from error


def _wrong(where: str, what: str) -> InvalidInput:
    return InvalidInput(f"{where}: {what}.", remedy="docs/evaluation.md describes the format.")
