"""A sign is only looked for about the words that it needs, so every wording of its pattern must hold one of them."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import pytest

from firstline.documents.quarantine.near import signs_in
from firstline.documents.quarantine.signs import SIGNS, Sign

PARSER: Any = importlib.import_module("re._parser")
"""What `re` itself reads a pattern with; it has no public name."""
CATEGORIES = {"CATEGORY_WORD": "x", "CATEGORY_SPACE": " ", "CATEGORY_DIGIT": "7", "CATEGORY_NOT_SPACE": "x"}


def spellings(parsed: Any, needs: tuple[str, ...]) -> list[str]:
    """Texts of this part of a pattern: each of its words once, beside words of the others that nobody looks for."""
    slots = [found for operation, value in parsed if (found := slot(str(operation), value, needs))]
    plainest = [min(options, key=lambda text: any(need in text for need in needs)) for options in slots]
    found = ["".join(plainest)]
    for at, options in enumerate(slots):
        found.extend("".join((*plainest[:at], option, *plainest[at + 1 :])) for option in options)
    return list(dict.fromkeys(found))


def slot(operation: str, value: Any, needs: tuple[str, ...]) -> list[str]:
    match operation:
        case "LITERAL":
            return [chr(value)]
        case "NOT_LITERAL" | "ANY":
            return ["x"]
        case "IN":
            return list(of_class(value))
        case "BRANCH":
            return [text for part in value[1] for text in spellings(part, needs)]
        case "SUBPATTERN":
            return spellings(value[3], needs)
        case "MAX_REPEAT" | "MIN_REPEAT":
            low, _, part = value
            once = spellings(part, needs)
            if low:
                return [text * low for text in once]
            return [*once, ""] if once[0] == " " else ["", *once]
        case _:
            return []


def of_class(members: Any) -> Iterator[str]:
    if str(members[0][0]) == "NEGATE":
        yield " "
        yield "x"
        return
    for operation, value in members:
        match str(operation):
            case "LITERAL":
                yield chr(value)
            case "RANGE":
                yield chr(value[0])
            case _:
                yield CATEGORIES[str(value)]


@pytest.mark.parametrize("sign", SIGNS, ids=lambda sign: sign.says)
def test_every_wording_of_a_sign_is_found_when_it_stands_alone(sign: Sign) -> None:
    wordings = [text for text in spellings(PARSER.parse(sign.pattern.pattern), sign.needs) if sign.pattern.search(text)]
    assert wordings, "the pattern has wordings"
    # The costliest sign is looked for only near another one.
    missed = [text for text in wordings if sign.says not in {one.says for one in signs_in(f"{text}\n\n[inst]")}]
    assert missed == []
