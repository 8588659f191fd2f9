"""Which patterns of an operator may be used? Those that end in good time on every text.

A pattern is a regular expression of Python without what can make it slow: every repetition has an upper bound, nothing
is
referred back to, and the ways in which it can be tried at one place are limited. For a whole document there is a limit
of time, too.
"""

from __future__ import annotations

import importlib
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from firstline.documents.redact.spans import Span
from firstline.domain import Redacted
from firstline.errors import InvalidInput, NotAccepted

CHARS_MAX: Final = 500
REPEATS_MAX: Final = 256
WAYS_MAX: Final = 4_096
WIDTH_MAX: Final = 4_096
PATTERNS_MAX: Final = 50
DOCUMENT_S_MAX: Final = 10.0
"""Of the processor, for all patterns together."""
PART_CHARS_MAX: Final = 65_536
PART_STEPS_MAX: Final = 4_000_000
"""Tried between two looks at the clock: a tenth of a second."""
_NAME: Final = re.compile(r"[A-Z][A-Z_]{1,18}[A-Z]")


class OwnTime:
    """What the patterns of an operator may take of the processor for one document, and which of them it ended before
    they were through."""

    def __init__(self, seconds: float = DOCUMENT_S_MAX) -> None:
        self._left_s = seconds
        self.unapplied: dict[str, None] = {}

    def take(self, seconds: float) -> None:
        self._left_s -= seconds

    @property
    def is_over(self) -> bool:
        return self._left_s <= 0


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnPattern:
    """`name` is the type in its placeholders: [CUSTOMER_1]. A match has at most `width` characters and looks at `look`
    more behind it; `ways` bounds what is tried at one place."""

    name: str
    pattern: re.Pattern[str]
    width: int
    look: int
    ways: int

    def spans(self, text: str, within: OwnTime) -> Iterator[Span]:
        """In order. A search cannot be interrupted: it is done in parts that each end soon. When the time is over, all
        that was not looked at is one span: what nobody looked at is shown to nobody."""
        part = max(1, min(PART_CHARS_MAX, PART_STEPS_MAX // (self.ways * self.width)))
        at = 0
        while at < len(text):
            if within.is_over:
                within.unapplied[self.name] = None
                yield Span(start=at, end=len(text), type=self.name)
                return
            began = time.thread_time()
            end = at + part
            found = self._part(text, at, end)
            within.take(time.thread_time() - began)
            yield from found
            at = max(end, found[-1].end if found else 0)

    def _part(self, text: str, start: int, end: int) -> list[Span]:
        """Matches that begin in start..end. What stands before and behind is seen all the same."""
        found: list[Span] = []
        for match in self.pattern.finditer(text, start, end + self.width + self.look + 1):
            if match.start() >= end:
                break
            if match.end() > match.start():
                found.append(Span(start=match.start(), end=match.end(), type=self.name))
        return found


def wholly(redacted: Redacted) -> Redacted:
    """As it is. NotAccepted when something was not looked for in all of it."""
    if redacted.unapplied:
        named = ", ".join(redacted.unapplied)
        raise NotAccepted(
            f"Of your own patterns {named} could not be tried on all of it within {DOCUMENT_S_MAX:.0f} s.",
            remedy="Give the pattern smaller bounds, or split the document.",
        )
    return redacted


def own_pattern(name: str, expression: str) -> OwnPattern:
    """InvalidInput says what is wrong with the name or the expression, and what to write instead."""
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            f"{name!r} cannot name a pattern.", remedy="Use 3 to 20 capitals and underscores, such as CUSTOMER_NUMBER."
        )
    if not expression or len(expression) > CHARS_MAX:
        raise InvalidInput(f"The pattern {name} has no or too many characters.", remedy=f"Write 1 to {CHARS_MAX}.")
    try:
        compiled = re.compile(expression)
        tree: Any = importlib.import_module("re._parser").parse(expression)
    except (re.error, OverflowError, RecursionError) as error:
        raise InvalidInput(
            f"The pattern {name} is no regular expression: {error}.", remedy="Try it with Python's `re` module."
        ) from error
    if compiled.search("") is not None:
        raise InvalidInput(f"The pattern {name} fits on nothing at all.", remedy="Let it need one sign at least.")
    ways, width = _ways(tree, name), int(tree.getwidth()[1])
    if ways > WAYS_MAX:
        raise InvalidInput(
            f"The pattern {name} can be tried in more than {WAYS_MAX:,} ways at one place.",
            remedy="Give its repetitions smaller bounds, such as {1,8}, or fewer of them.",
        )
    look = _look(tree)
    if width + look > WIDTH_MAX:
        raise InvalidInput(
            f"What the pattern {name} fits can have more than {WIDTH_MAX:,} signs.",
            remedy="Give its repetitions smaller bounds.",
        )
    return OwnPattern(name=name, pattern=compiled, width=max(1, width), look=look, ways=max(1, ways))


def _look(tree: Iterable[tuple[Any, Any]]) -> int:
    """How far at most what it looks ahead at reaches."""
    total = 0
    for operation, held in tree:
        kind = str(operation)
        if kind in ("ASSERT", "ASSERT_NOT"):
            total += int(held[1].getwidth()[1]) + _look(held[1])
        elif kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            total += _look(held[2])
        elif kind == "BRANCH":
            total += max((_look(branch) for branch in held[1]), default=0)
        elif kind == "SUBPATTERN":
            total += _look(held[-1])
        elif kind == "ATOMIC_GROUP":
            total += _look(held)
    return total


def _ways(tree: Iterable[tuple[Any, Any]], name: str) -> int:
    """In how many ways at most a sequence can be tried from one place: what bounds the time it takes."""
    total = 1
    for operation, held in tree:
        total *= _ways_of(str(operation), held, name)
        if total > WAYS_MAX:
            break
    return total


def _ways_of(operation: str, held: Any, name: str) -> int:
    if operation in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        low, high, inner = held
        if int(high) > REPEATS_MAX:
            raise InvalidInput(
                f"The pattern {name} repeats something without a bound, or more than {REPEATS_MAX} times.",
                remedy="Write {1,20} instead of + and {0,20} instead of *.",
            )
        within = _ways(inner, name)
        # Each round may end in each of its ways: what varies inside is raised to the number of rounds.
        return min(WAYS_MAX + 1, (int(high) - int(low) + 1) * within ** min(int(high), 64))
    if operation == "BRANCH":
        return sum(_ways(branch, name) for branch in held[1])
    if operation == "SUBPATTERN":
        return _ways(held[-1], name)
    if operation == "ATOMIC_GROUP":
        return _ways(held, name)
    if operation in ("ASSERT", "ASSERT_NOT"):
        return _ways(held[1], name)
    if operation in ("GROUPREF", "GROUPREF_EXISTS", "GROUPREF_IGNORE"):
        raise InvalidInput(f"The pattern {name} refers back to a group.", remedy="Write out what may stand there.")
    return 1
