"""Where are persons named, and where do postal addresses stand? A small network over the words of a text, in numpy.

It ships with firstline (`training/names`). It sees the words' ends and forms, lists of names, and five words to each
side.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from firstline.errors import Broken
from firstline.models.embedder import REINSTALL
from firstline.models.name_features import LISTS, WORD, listed_name, plain_word, rows_of
from firstline.ports import NamedSpan

WEIGHTS_PATH: Final = Path(__file__).with_name("names.npz")
WORDS_KEPT: Final = 6_000
"""Words whose rows are kept; then the memory begins anew."""
WORDS_AT_ONCE: Final = 2_000
WEIGHTS: Final = {"PERSON": 3.0, "ADDRESS": 1.5, "PHONE": 1.0}
"""What is missed costs more than what is taken out for nothing: a kind wins with less than half of the chance."""
WANTED: Final = frozenset(WEIGHTS)
GAP_MAX, PLACE_GAP_MAX = 7, 3
"""Marks between two parts of an address, and between one and the town that belongs to it; a word counts as two."""
Floats = npt.NDArray[np.float32]


class NameFinder:
    """Implements `ports.NameFinder`. May be called from several threads."""

    def __init__(self, held: Any) -> None:
        scale = np.asarray(held["scale"], dtype=np.float32)
        self._table = np.asarray(held["table"], dtype=np.float32) * scale[:, None]
        self._lists = tuple(np.asarray(held[name], dtype=np.uint32) for name in LISTS)
        self._near, self._near_2 = (int(one) for one in held["near"])
        self._labels = tuple(str(one) for one in held["labels"])
        w1, w2 = (np.asarray(held[key], dtype=np.float32) for key in ("w1", "w2"))
        self._b1, self._b2, self._w3, self._b3 = (
            np.asarray(held[key], dtype=np.float32) for key in ("b1", "b2", "w3", "b3")
        )
        self._width, self._hidden = self._table.shape[1], w1.shape[1]
        # One product per word instead of one per word and place beside it: (width, places * hidden).
        places = 2 * self._near + 1
        self._first = np.ascontiguousarray(
            w1.reshape(places, self._width, self._hidden).transpose(1, 0, 2).reshape(self._width, -1)
        )
        self._second = w2.reshape(2 * self._near_2 + 1, self._hidden, -1)
        self._weights = np.array([1.0, *(WEIGHTS.get(label, 1.0) for label in self._labels[1:])], dtype=np.float32)
        self._address, self._place = (self._labels.index(label) for label in ("ADDRESS", "PLACE"))
        self._lock = threading.Lock()
        self._forget()

    def _forget(self) -> None:
        self._known: dict[str, int] = {}
        self._rows = np.zeros((256, self._first.shape[1]), dtype=np.float32)

    def spans(self, text: str) -> Iterator[NamedSpan]:
        """Runs of words of one kind, in order; the chance is the least of theirs."""
        words = [(match.group(), match.start(), match.end()) for match in WORD.finditer(text)]
        margin = self._near + self._near_2
        for at in range(0, len(words), WORDS_AT_ONCE):
            begin, end = max(0, at - margin), min(len(words), at + WORDS_AT_ONCE + margin)
            chances = self._chances([word for word, _, _ in words[begin:end]])[at - begin : at - begin + WORDS_AT_ONCE]
            yield from self._runs(words[at : at + len(chances)], chances)

    def _runs(self, words: list[tuple[str, int, int]], chances: Floats) -> Iterator[NamedSpan]:
        """A word is of the kind that is likeliest, or of one that is likely enough."""
        kinds: list[int] = (chances * self._weights).argmax(axis=1).tolist()
        self._join_places(kinds, words)
        at = 0
        while at < len(kinds):
            kind, begin = kinds[at], at
            while at < len(kinds) and kinds[at] == kind:
                at += 1
            label = self._labels[kind]
            if label not in WANTED:
                continue
            while begin < at and not words[begin][0][0].isalnum():
                begin += 1
            end = at
            while end > begin and not words[end - 1][0][-1].isalnum():
                end -= 1
            if end > begin:
                yield NamedSpan(
                    start=words[begin][1],
                    end=words[end - 1][2],
                    type=label,
                    chance=float(chances[begin:end, kind].max()),
                    listed=any(listed_name(word, self._lists) for word, _, _ in words[begin:end]),
                    plain=all(plain_word(word, self._lists) for word, _, _ in words[begin:end]),
                )

    def _join_places(self, kinds: list[int], words: list[tuple[str, int, int]]) -> None:
        """A town or country beside an address is part of it, and so are the marks between."""
        if self._address not in kinds:
            return
        for order in (range(len(kinds)), range(len(kinds) - 1, -1, -1)):
            last, gap = -1, 0
            for at in order:
                kind, word = kinds[at], words[at][0]
                joins = last >= 0 and gap <= (GAP_MAX if kind == self._address else PLACE_GAP_MAX)
                if kind == self._address or (kind == self._place and joins):
                    if joins:
                        for between in range(min(last, at) + 1, max(last, at)):
                            kinds[between] = self._address
                    kinds[at] = self._address
                    last, gap = at, 0
                elif last >= 0:
                    # A region's letters or a part of town may stand between; prose ends it.
                    gap += 1 if not word[0].isalnum() else GAP_MAX if word.islower() else 2
                    last = -1 if gap > GAP_MAX else last

    def _chances(self, words: list[str]) -> Floats:
        with self._lock:
            ids = self._ids(words)
            rows = self._rows[ids]
        count, near, hidden = len(words), self._near, self._hidden
        summed = np.zeros((count + 2 * near, hidden), dtype=np.float32)
        for place in range(2 * near + 1):
            # The word at i stands at `place` in the window of the word at i + near - place.
            at = 2 * near - place
            summed[at : at + count] += rows[:, place * hidden : (place + 1) * hidden]
        h1 = np.maximum(summed[near : near + count] + self._b1, 0)
        # A product per place: small ones stay on one thread, which for a short text is the quicker way.
        near = self._near_2
        summed = np.zeros((count + 2 * near, len(self._b2)), dtype=np.float32)
        for place, weights in enumerate(self._second):
            at = 2 * near - place
            summed[at : at + count] += h1 @ weights
        h2 = np.maximum(summed[near : near + count] + self._b2, 0)
        logits = h2 @ self._w3 + self._b3
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        return chances

    def _ids(self, words: list[str]) -> list[int]:
        if len(self._known) > WORDS_KEPT:
            self._forget()
        known = self._known
        new = [word for word in dict.fromkeys(words) if word not in known]
        if new:
            needed = len(known) + len(new)
            if needed > len(self._rows):
                grown = np.zeros((2 * needed, self._rows.shape[1]), dtype=np.float32)
                grown[: len(known)] = self._rows[: len(known)]
                self._rows = grown
            vectors = np.stack([self._vector(word) for word in new])
            self._rows[len(known) : needed] = vectors @ self._first
            for word in new:
                known[word] = len(known)
        return [known[word] for word in words]

    def _vector(self, word: str) -> Floats:
        rows = rows_of(word, lists=self._lists, rows=len(self._table))
        return cast("Floats", self._table[rows].sum(axis=0) / np.sqrt(np.float32(len(rows))))


@cache
def open_name_finder() -> NameFinder:
    """The one that ships, opened once per process (some 20 ms; blocking). Broken when its file is missing or
    damaged."""
    try:
        with np.load(WEIGHTS_PATH, allow_pickle=False) as held:
            return NameFinder(held)
    except (OSError, ValueError, KeyError) as error:
        raise Broken(f"The name finder {WEIGHTS_PATH} cannot be read.", remedy=REINSTALL) from error
