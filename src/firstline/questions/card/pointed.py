"""Which message says what the customer wants now? The newest one that asks or complains.

"yes", "5.0.3" and "it is the index on orders" are details of a question asked before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from firstline.questions.card.telling_words import FAILS, SAID_ERROR, UNHELPED, has_code
from firstline.questions.message.person_wanted import wants_person
from firstline.questions.message.signs import ENDS_IT, HIGH_STRONG, first_sign
from firstline.questions.message.small_talk import small_talk
from firstline.questions.message.terms import terms

CHARS_MAX: Final = 2_000
_SAYS_LITTLE: Final = frozenset({"yes", "no", "still", "again", "ok", "same", "ye"})
_ASKS: Final = re.compile(
    r"""[?？] | ^\W*(?:(?:and|but|so|ok|okay|please|well|then)\W+)*(?:how|what|which|why|where|when|who|whose|can
       |could|will|would
       |is|are|does|do|did|should|may|give|show|send|tell|explain|cancel|delete|remove|fix|help|let|get|confirm|need
       |want)\b
    | \b(?:please|i\s+(?:need|want|would\s+like|expect)|we\s+(?:need|want|would\s+like|expect)|i'd\s+like
       |also\s+wants?|wants?\s+(?:it
       |them|a)|wonder|tell\s+me|let\s+me\s+know|bitte|wie|warum|wieso|welche\w*|können\s+sie|kann\s+ich|comment
       |pourquoi
       |est-ce|pouvez|cómo|por\s+qué|puede[ns]?|quiero|quisiera)\b | ですか|ますか|ください|たいです|でしょうか|お願い
    | \b(?:will|would|going\s+to)\s+(?:file|sue|cancel|leave|hear|report)\b""",
    re.IGNORECASE | re.VERBOSE,
)


def pointed(messages: Sequence[str]) -> str:
    """Of the customer's messages, oldest first; the last one when none asks or complains."""
    newest = next((message for message in reversed(messages) if is_pointed(message)), None)
    return newest if newest is not None else (messages[-1] if messages else "")


def is_pointed(message: str) -> bool:
    text = message[:CHARS_MAX]
    if small_talk(text) is not None or not (set(terms(text)) - _SAYS_LITTLE):
        return wants_person(text)
    return bool(
        _ASKS.search(text)
        or wants_person(text)
        or complains(text)
        or ENDS_IT.search(text)
        or first_sign(HIGH_STRONG, text) is not None
    )


def complains(message: str) -> bool:
    text = message[:CHARS_MAX]
    return any(pattern.search(text) for pattern in (FAILS, UNHELPED, SAID_ERROR)) or has_code(text)
