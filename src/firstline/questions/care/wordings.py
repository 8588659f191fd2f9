"""From turns to wordings: redacted once more, the same wording once, and no more of them than can be compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from firstline.domain import AskedTurn, question_key
from firstline.ports import Redactor
from firstline.questions.care.cluster import Wording
from firstline.questions.claims.quantities import NUMBER_WORDS
from firstline.questions.message.opposites import asks_reverse, wants_undone
from firstline.questions.message.same_asked import PLACEHOLDER
from firstline.questions.message.terms import TOKEN

WORDINGS_MAX: Final = 5_000
"""Compared at once: some ten seconds of embedding on two cores."""
CHARS_MAX: Final = 600
"""A question is compared by its beginning: what follows is a log or a stack trace."""
_NEGATIONS: Final = frozenset(
    """not no without never cannot dont nicht nie niemals ohne kein keine keinen keiner keinem pas jamais sans aucun
    aucune nunca jamás sin ningún ninguna""".split()
)
_COUNTS: Final = {word: value for word, value in NUMBER_WORDS.items() if word != "one"} | {
    "once": "1times",
    "thrice": "3times",
}
"""Words that are figures. "One" seldom is."""
_FIGURES_MAX: Final = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """One wording with the turns that used it, oldest first. `text` is that of the newest of them."""

    key: str
    text: str
    turns: tuple[AskedTurn, ...]

    @property
    def wording(self) -> Wording:
        return Wording(text=self.key, count=len(self.turns), kind=kind_of(self.text))


def wordings(turns: Iterable[AskedTurn], *, redactor: Redactor, limit: int = WORDINGS_MAX) -> tuple[list[Asked], int]:
    """The `limit` wordings asked most often, ties newest first, and how many turns used another one. Turns without a
    word are left out. Older records may hold what is redacted today: nothing goes on before that."""
    same: defaultdict[str, list[AskedTurn]] = defaultdict(list)
    for turn in turns:
        same[turn.question].append(turn)
    merged: defaultdict[str, list[tuple[str, list[AskedTurn]]]] = defaultdict(list)
    for question, own in same.items():
        # Cut afterwards: a cut can leave half an address that no rule knows for one.
        text = " ".join(redactor.redact(question).text.split())[:CHARS_MAX].rstrip()
        key = question_key(text)
        if key:
            merged[key].append((text, own))
    found = [_asked(key, said) for key, said in merged.items()]
    found.sort(key=lambda one: one.key)
    found.sort(key=lambda one: (len(one.turns), one.turns[-1].asked_at), reverse=True)
    return found[:limit], sum(len(one.turns) for one in found[limit:])


def kind_of(text: str) -> Hashable:
    """What must be the same for two questions to be one: figures and codes, negation, which of two opposite operations
    is asked for, and whether something is to be done or is not to be."""
    lowered = PLACEHOLDER.sub(" ", text).casefold().replace("’", "'")
    words: list[str] = TOKEN.findall(lowered)
    tokens = [_COUNTS[word] if word in _COUNTS else word.strip(".-_") for word in words]
    figures = sorted({token for token in tokens if any(sign.isdigit() for sign in token)})[:_FIGURES_MAX]
    negated = "n't" in lowered or not _NEGATIONS.isdisjoint(tokens)
    return tuple(figures), negated, asks_reverse(text), wants_undone(text)


def _asked(key: str, said: Sequence[tuple[str, list[AskedTurn]]]) -> Asked:
    turns = sorted(
        (turn for _, own in said for turn in own), key=lambda turn: (turn.asked_at, turn.session_id, turn.number)
    )
    newest = turns[-1]
    text = next(text for text, own in said if newest in own)
    return Asked(key=key, text=text, turns=tuple(turns))
