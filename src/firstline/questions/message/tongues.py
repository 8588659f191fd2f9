"""What do a message's words say in German, French, Spanish or Japanese? Asked where a message is not English.

The classifier was trained on English and says nothing here: signs alone decide, so each is worded narrowly, and what
has none is looked up.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

from firstline.domain import Intent
from firstline.questions.message.signs import Tongue, first_sign
from firstline.questions.message.signs_de import GERMAN
from firstline.questions.message.signs_es import SPANISH
from firstline.questions.message.signs_fr import FRENCH
from firstline.questions.message.signs_ja import JAPANESE

CHARS_MAX: Final = 2_000
_TONGUES: Final = {"de": GERMAN, "fr": FRENCH, "es": SPANISH, "ja": JAPANESE}
_LATIN: Final = (GERMAN, FRENCH, SPANISH)
_ACCENTS: Final = range(0x0300, 0x0370)
"""The accents of Latin letters. Marks that tell two kana apart are no accents."""


def fold(text: str) -> str:
    """Lower case, without accents, letters and digits in one width: "KÜNDIGEN" and "kundigen" come out alike."""
    spread = unicodedata.normalize("NFKD", text[:CHARS_MAX].replace("’", "'")).casefold()
    return unicodedata.normalize("NFC", "".join(letter for letter in spread if ord(letter) not in _ACCENTS))


def has_signs(language: str) -> bool:
    return language in _TONGUES


def high_stakes_sign(folded: str, language: str) -> Intent | None:
    """`folded`: of `fold`. A message that asks for rules ("what if I cancel") has none."""
    for tongue in _read_as(language):
        found = None if tongue.policy.search(folded) else first_sign(tongue.high, folded)
        if found is not None:
            return found
    return None


def asks_for_rules(folded: str, language: str) -> bool:
    """It asks what would happen, or for the form of it."""
    return any(tongue.policy.search(folded) for tongue in _read_as(language))


def asks_for_private_data(folded: str, language: str) -> bool:
    return any(tongue.private.search(folded) for tongue in _read_as(language))


def needs_account(folded: str, language: str) -> bool:
    """A look into the asker's own records, or something done for the asker; how it is done is a question."""
    return any(
        tongue.account.search(folded) and first_sign(tongue.intents[:1], folded) is not Intent.HOW_TO
        for tongue in _read_as(language)
    )


def off_task(folded: str, language: str) -> bool:
    return any(tongue.off_task.search(folded) for tongue in _read_as(language))


def kind_of_question(folded: str, language: str) -> Intent | None:
    return next(filter(None, (first_sign(tongue.intents, folded) for tongue in _read_as(language))), None)


def says_upset(folded: str, language: str) -> bool:
    return any(tongue.upset.search(folded) for tongue in _read_as(language))


def _read_as(language: str) -> Iterator[Tongue]:
    """The language's own signs; for one without any, or that nothing tells, those of every language that shares its
    letters."""
    if language in _TONGUES:
        yield _TONGUES[language]
    yield from (tongue for tongue in _LATIN if tongue is not _TONGUES.get(language))
