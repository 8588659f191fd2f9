"""Which words may a claim leave out in front of words that it keeps?

"The server refuses to start" does not carry "the server starts", nor "unsigned packages are deleted" that packages are.
No list holds all words that turn or narrow what follows them. So it is the other way round: none may be left out, but
those here, which tell nothing about it. Words behind the last one that is kept may be left out, except those that turn
what stands in front of them ("... stopped").
"""

from __future__ import annotations

from typing import Final

from firstline.questions.claims.claim_words import ALIKE, EMPTY, LIGHT
from firstline.questions.message.terms import stem


def _keys(words: str) -> frozenset[str]:
    return frozenset(ALIKE.get(stem(word), stem(word)) for word in words.split())


SAYS_NOTHING: Final = LIGHT | _keys(
    """
    additionally furthermore moreover basically actually simple simply easy quickly handy useful convenient great good
    nice powerful respective particular specific obviously course kindly corresponding appropriate desired relevant
    given provided called named general try want wish like well first-class follow
    """
)
NAMES_ITS_KIND: Final = _keys(
    """
    command option parameter setting flag field button file method function property class value variable keyword
    attribute environment package module menu tab page key code error message endpoint command-line
    """
)
"""May be left out in front of what it announces: "the command `lark drain`", "the file alder.conf"."""
TURNS: Final = _keys(
    """
    refuse decline fail cease stop halt prevent avoid lack deny reject forbid prohibit miss missing ignore skip omit
    exclude block disallow abort quit cancel discontinue neglect forget hinder impede preclude bar false wrong incorrect
    myth untrue impossible unable unsupported deprecated obsolete invalid failure instead against between
    """
)
"""May not be left out behind a word that is kept either."""


def may_be_left_out(key: str, *, exact_behind: bool) -> bool:
    """In front of a key that is kept, which is a number or a name when `exact_behind`."""
    return key in SAYS_NOTHING or (exact_behind and key in NAMES_ITS_KIND) or key.casefold() in EMPTY
