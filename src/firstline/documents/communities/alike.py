"""Which statements say the same in other words? Without a model: none but those in the same words.

A model may group them; two are one only if their words allow it too. So what it merges wrongly was near to the same
anyway, and every statement that is shown stays a sentence of a document.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any, Final, Protocol, cast

from firstline.domain import Finish, ModelRequest, ModelRole, Part
from firstline.errors import FirstlineError
from firstline.ports import LanguageModel
from firstline.prompt_files import prompt_of

STATEMENTS_MAX: Final = 60
"""Of a part and kind that are looked at together, those told by most first."""
CHARS_MAX: Final = 300
ANSWER_TOKENS_MAX: Final = 600
ASK_S_MAX: Final = 60.0
SHARED_MIN: Final = 0.67
"""Of the words of the shorter one."""
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"groups": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}},
    "required": ["groups"],
    "additionalProperties": False,
}
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_EXACT: Final = re.compile(r"[\w./:-]*\d[\w./:-]*|`[^`]+`")
_NOT: Final = re.compile(
    r"\b(?:no|not|never|without|cannot|\w+n['’]t|nicht|kein\w*|nie|ohne|pas|jamais|sans|nunca|sin)\b|ない|ません", re.I
)
_SMALL: Final = frozenset(
    "the and was were are has had have been for with that this from its his her der die das und".split()
)


class Alike(Protocol):
    async def groups(self, statements: Sequence[str], *, tenant: str) -> list[list[int]]:
        """Places (from 0) of statements that say the same. Raises nothing: where nobody could tell, there are none."""
        ...


class SameWords:
    """Those in the same words are one before anybody is asked."""

    async def groups(self, statements: Sequence[str], *, tenant: str) -> list[list[int]]:
        return []


class AlikeByModel:
    """Asks the models of the role `small`, once for each list."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self.asked = self.failed = 0

    async def groups(self, statements: Sequence[str], *, tenant: str) -> list[list[int]]:
        prompt = prompt_of("firstline.documents", "alike")
        parts = tuple(
            Part(text=text[:CHARS_MAX], label=f"sentence {number}") for number, text in enumerate(statements, start=1)
        )
        request = ModelRequest(
            role=ModelRole.SMALL,
            system=(prompt.text,),
            parts=parts,
            schema=SCHEMA,
            max_tokens=ANSWER_TOKENS_MAX,
            deadline_at_s=asyncio.get_running_loop().time() + ASK_S_MAX,
            tenant=tenant,
        )
        self.asked += 1
        try:
            done = await self._model.complete(request)
        except FirstlineError:
            self.failed += 1
            return []
        parsed: object = done.parsed
        if done.finish is not Finish.WHOLE or not isinstance(parsed, dict):
            self.failed += 1
            return []
        return _places(cast("dict[str, Any]", parsed).get("groups"), len(statements))


async def merged(statements: Sequence[str], alike: Alike, *, tenant: str) -> dict[str, str]:
    """Each statement that another one stands for, and which: the first of its group. `statements` in the order they
    would be told; behind the first STATEMENTS_MAX nothing is merged."""
    looked_at = statements[:STATEMENTS_MAX]
    if len(looked_at) < 2:
        return {}
    found: dict[str, str] = {}
    for group in await alike.groups(looked_at, tenant=tenant):
        first = min(group)
        for place in sorted(group)[1:]:
            if looked_at[place] not in found and may_be_one(looked_at[first], looked_at[place]):
                found[looked_at[place]] = looked_at[first]
    # Who stands for others is no other one's: chains would merge what nobody compared.
    return {one: other for one, other in found.items() if other not in found}


def may_be_one(one: str, other: str) -> bool:
    """Their words allow it: the same numbers, codes and paths, both or neither denied, and two thirds of the shorter
    one's words in the other."""
    if set(_EXACT.findall(one)) != set(_EXACT.findall(other)):
        return False
    if bool(_NOT.search(one)) != bool(_NOT.search(other)):
        return False
    words = [{word.casefold() for word in _WORD.findall(text)} - _SMALL for text in (one, other)]
    shorter = min(map(len, words))
    return shorter > 0 and len(words[0] & words[1]) / shorter >= SHARED_MIN


def _places(groups: object, count: int) -> list[list[int]]:
    """Numbers from 1 to places from 0; a number counts in the first group that has it."""
    taken: set[int] = set()
    found: list[list[int]] = []
    for group in cast("list[object]", groups) if isinstance(groups, list) else ():
        numbers = cast("list[object]", group) if isinstance(group, list) else []
        known = [one for one in numbers if type(one) is int and 1 <= one <= count]
        own = [number for number in dict.fromkeys(known) if number not in taken]
        taken.update(own)
        if len(own) > 1:
            found.append([number - 1 for number in own])
    return found
