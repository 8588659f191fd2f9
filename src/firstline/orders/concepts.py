"""What do the words of a sentence stand for, when somebody may be giving orders to an assistant?

A sentence is read as the things that it speaks of, in order (`concepts.toml`): "replies about this open with the line
below" becomes reply, here, edge, message, below. So a wording that nobody listed is read like those that somebody did.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

CONCEPTS_PATH: Final = Path(__file__).with_name("concepts.toml")
CONCEPTS_MAX: Final = 40
"""Of a sentence, the first ones: its cost does not grow with the square of its length."""
BEFORE_MAX: Final = 8
"""How many things before another one are looked at together with it."""
WORDS_KEPT: Final = 50_000
WORD: Final = re.compile(r"[^\W\d_]+(?:['’]t)?")
_JAPANESE: Final = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


@cache
def _words() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[tuple[str, str], ...]]]:
    """Whole words; beginnings of words, by their first two letters."""
    whole: dict[str, tuple[str, ...]] = {}
    begin: dict[str, tuple[tuple[str, str], ...]] = {}
    for concept, words in _section("words").items():
        for word in words.split():
            if word.endswith("*"):
                begin[word[:2]] = (*begin.get(word[:2], ()), (word[:-1], concept))
            else:
                whole[word] = (*whole.get(word, ()), concept)
    return whole, begin


@cache
def _japanese() -> tuple[re.Pattern[str], dict[str, str]]:
    words = {word: concept for concept, some in _section("ja").items() for word in some.split()}
    return re.compile("|".join(sorted(map(re.escape, words), key=len, reverse=True))), words


def _section(name: str) -> dict[str, str]:
    return tomllib.loads(CONCEPTS_PATH.read_text(encoding="utf-8"))[name]


@lru_cache(WORDS_KEPT)
def _of_word(word: str) -> tuple[str, ...]:
    whole, begin = _words()
    starts = [concept for stem, concept in begin.get(word[:2], ()) if word.startswith(stem)]
    return tuple(dict.fromkeys((*whole.get(word, ()), *starts)))


def concepts(sentence: str) -> list[str]:
    """In the order of the words, at most CONCEPTS_MAX; Japanese ones last. `sentence` is in lower case."""
    found: list[str] = []
    for word in WORD.findall(sentence):
        found.extend(_of_word(word))
    if not sentence.isascii() and _JAPANESE.search(sentence):
        pattern, words = _japanese()
        found.extend(words[word] for word in pattern.findall(sentence))
    return found[:CONCEPTS_MAX]


def features(said: Sequence[str]) -> Iterator[str]:
    """What the classifier weighs, each once: the things spoken of, which comes first, and which before which."""
    yield f"first {said[0]}"
    yield f"things {min(5, len(said) // 4)}"
    yield from dict.fromkeys(said)
    pairs: dict[str, None] = {}
    for at, concept in enumerate(said):
        for before in said[max(0, at - BEFORE_MAX) : at]:
            if before != concept:
                pairs[f"{before} {concept}"] = None
    yield from pairs
