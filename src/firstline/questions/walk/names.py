"""Which documents go by the names that a text uses? Looked up for texts that are at hand, never for a whole corpus.

A name needs no marked-up link: "replica sets" in a passage is a way to the page called *ReplicaSet*. What is looked up
is every run of words that could be a name (`entity_names.keys_in`); the graph says which of them are one. Of two
names that overlap the longer one counts: "New York Times" is not New York.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from firstline.domain import Edge, EntityKind
from firstline.entity_names import keys_in
from firstline.ports import Scope
from firstline.questions.message.terms import FUNCTION_WORDS
from firstline.questions.walk.checked import Ways

IDS_MAX: Final = 6_000
"""Looked up at once: some ten passages' worth. What stands behind is not looked for."""
SHORT_CHARS: Final = 3
"""A word of so few letters, written like any other, names nothing."""
PLAIN_WORDS_MAX: Final = 3
"""Of a name that begins with a small letter: a longer one is a piece of a sentence."""
NAMESAKES_MAX: Final = 4
"""Documents that go by one name; with more of them it tells nothing."""
LARGE_WORDS_MAX: Final = 3
LARGE_MAX: Final = 150
_COMPONENT: Final = f"{EntityKind.COMPONENT}:"
_ERROR: Final = f"{EntityKind.ERROR}:"
_OPENERS: Final = frozenset(word.capitalize() for word in FUNCTION_WORDS)
_CODE: Final = re.compile(r"\d|[a-z][A-Z]|[A-Z_]{4}")
"""Codes and alerts are called so: E11000, DiskPressure, ENOSPC."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Named:
    """A name in a text, at characters `start` to `end`, and the edges that say who goes by it (1 to NAMESAKES_MAX)."""

    start: int
    end: int
    written: str
    edges: tuple[Edge, ...]


async def names_in(
    texts: Sequence[str], scope: Scope, *, graph: Ways, ordinary: Collection[str] = frozenset()
) -> list[tuple[Named, ...]]:
    """For each text its names, in order of appearance. `ordinary` words in lower case are no names by themselves."""
    runs: list[list[tuple[str, int, int]]] = []
    wanted: dict[str, None] = {}
    for text in texts:
        # A turn beside this one, or the end of this one's time, waits for one text and not for all.
        await asyncio.sleep(0)
        runs.append(_runs(text, ordinary, wanted))
    called: defaultdict[str, list[Edge]] = defaultdict(list)
    if wanted:
        for edge in await graph.named(wanted, scope, limit_each=NAMESAKES_MAX + 1):
            called[edge.target.key].append(edge)
    return [_longest(text, run, called) for text, run in zip(texts, runs, strict=True)]


def _runs(text: str, ordinary: Collection[str], wanted: dict[str, None]) -> list[tuple[str, int, int]]:
    """Words in a row that may be a name, as far as there is room for their ids in `wanted`."""
    found: list[tuple[str, int, int]] = []
    if len(wanted) >= IDS_MAX:
        return found
    for key, start, end in keys_in(text):
        if not _may_name(text[start:end], ordinary):
            continue
        found.append((key, start, end))
        wanted[_COMPONENT + key] = None
        if _CODE.search(text, start, end):
            wanted[_ERROR + key] = None
        if len(wanted) >= IDS_MAX:
            break
    return found


def written_large(text: str, *, ordinary: Collection[str] = frozenset()) -> dict[str, str]:
    """Keys of the runs of a few words that all begin with a capital letter, with how they are written: what may be a
    name although no document goes by it. One word that is `ordinary` when written small is none."""
    found: dict[str, str] = {}
    for key, start, end in keys_in(text, words_max=LARGE_WORDS_MAX):
        words = text[start:end].split()
        large = len(words) <= LARGE_WORDS_MAX and all(word[:1].isupper() for word in words)
        if large and words[0] not in _OPENERS and (len(words) > 1 or words[0].casefold() not in ordinary):
            found.setdefault(key, text[start:end])
        if len(found) == LARGE_MAX:
            break
    return found


def _longest(text: str, run: Sequence[tuple[str, int, int]], called: dict[str, list[Edge]]) -> tuple[Named, ...]:
    found: list[Named] = []
    covered = -1
    for key, start, end in run:
        if start < covered or key not in called:
            continue
        covered = end
        edges = {edge.doc_id: edge for edge in reversed(called[key])}
        if len(edges) <= NAMESAKES_MAX:
            found.append(Named(start=start, end=end, written=text[start:end], edges=tuple(edges.values())))
    return tuple(found)


def _may_name(written: str, ordinary: Collection[str]) -> bool:
    """A name begins and ends with a word that means something, or that is written large ("The Works", "Log It")."""
    words = written.split()
    first, last = words[0], words[-1]
    if last in FUNCTION_WORDS or first in FUNCTION_WORDS:
        return False
    if len(words) == 1 and (written.islower() or written.istitle()):
        # "Services" and "Message" are titles of pages, and begin many a sentence and heading.
        return len(written) > SHORT_CHARS and written.casefold() not in ordinary
    return len(words) <= PLAIN_WORDS_MAX or not first[0].islower()
