"""Which patterns of an operator may be used? Those that end in good time on every text.

A pattern is a regular expression of Python without what can make it slow: every repetition has an upper bound, nothing
is
referred back to, and the ways in which it can be tried at one place are limited.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from firstline.documents.redact.spans import Span
from firstline.errors import InvalidInput

CHARS_MAX: Final = 500
REPEATS_MAX: Final = 256
WAYS_MAX: Final = 4_096
PATTERNS_MAX: Final = 50
_NAME: Final = re.compile(r"[A-Z][A-Z_]{1,18}[A-Z]")


@dataclass(frozen=True, kw_only=True, slots=True)
class OwnPattern:
    """`name` is the type in its placeholders: [CUSTOMER_1]."""

    name: str
    pattern: re.Pattern[str]

    def spans(self, text: str) -> Iterator[Span]:
        for match in self.pattern.finditer(text):
            if match.end() > match.start():
                yield Span(start=match.start(), end=match.end(), type=self.name)


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
    if _ways(tree, name) > WAYS_MAX:
        raise InvalidInput(
            f"The pattern {name} can be tried in more than {WAYS_MAX:,} ways at one place.",
            remedy="Give its repetitions smaller bounds, such as {1,8}, or fewer of them.",
        )
    return OwnPattern(name=name, pattern=compiled)


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
