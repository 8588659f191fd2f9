"""Which message says what the customer wants now? The newest one that asks or complains.

"yes", "5.0.3" and "it is the index on orders" are details of a question asked before; "I restarted it, no change" is
an attempt, "please hurry" a wish, and "get me a person" says nothing of what it is about: each stands on the card
elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from firstline.questions.card.asides import in_passing, of_us, presses, withdraws
from firstline.questions.card.attempts import is_attempt
from firstline.questions.card.said import WORD, only_wish, sentences_of
from firstline.questions.card.telling_words import CODE, FAILS, SAID_ERROR, UNHELPED, has_code
from firstline.questions.message.person_wanted import wants_person, without_wish
from firstline.questions.message.signs import ENDS_IT, HIGH_STRONG, first_sign
from firstline.questions.message.small_talk import small_talk
from firstline.questions.message.terms import terms

CHARS_MAX: Final = 2_000
OPENING_WORDS_MIN: Final = 3
BRIEF_WORDS_MAX: Final = 2
_SAYS_LITTLE: Final = frozenset({"yes", "no", "still", "again", "ok", "same", "ye"})
_ASKS: Final = re.compile(
    r"""[?？] | ^\W*(?:(?:and|but|so|ok|okay|please|well|then|at\s+least|just|now)\W+)*(?:how|what|which|why|where
       |when|who|whose|can
       |could|will|would
       |is|are|does|do|did|should|may|give|show|send|tell|explain|cancel|delete|remove|fix|help|let|get|confirm|need|reset|undo|restore|transfer|unlock|activate|refund|move|stop
       |want)\b
    | \b(?:please|(?:i|we)\s+(?:(?:rather|really|just|still|now|only|also)\s+)*(?:need|want|would\s+like|expect)
       |i'd\s+like
       |also\s+wants?|wants?\s+(?:it
       |them|a)|wonder|tell\s+me|let\s+me\s+know|bitte|wie|warum|wieso|welche\w*|können\s+sie|kann\s+ich|comment
       |pourquoi
       |est-ce|pouvez|cómo|por\s+qué|puede[ns]?|quiero|quisiera)\b | ですか|ますか|ください|たいです|でしょうか|お願い
    | \b(?:will|would|going\s+to)\s+(?:file|sue|cancel|leave|hear|report)\b""",
    re.IGNORECASE | re.VERBOSE,
)


_GIVES_DETAIL: Final = re.compile(
    r"\W*(?:(?:and|but|so)\s+)?(?:it\s+is|it's|(?:the\s+)?(?:exact\s+)?(?:error|message|command|log|version|server|driver)\b|in\s+the\s+\w*\s*log"
    r"|no\s+error|(?:yes|no)\s*(?:[,.;:]|$)|im\s+protokoll|die\s+meldung|dans\s+le\s+journal|en\s+el\s+registro)",
    re.IGNORECASE,
)
_THREATENS: Final = re.compile(
    r"\b(?:lawyers?|solicitors?|attorneys?|court|sue|chargeback|(?:to|with)\s+(?:my|our|the)\s+bank|press|regulator|anwalt|avocat|abogado)\b.{0,60}?\b(?:hear|write|know|tell|contact|will)\b"
    r"|\b(?:will|going\s+to|'ll)\b.{0,60}?\b(?:lawyers?|solicitors?|attorneys?|court|sue|chargeback|(?:to|with)\s+(?:my|our|the)\s+bank|regulator)\b",
    re.IGNORECASE,
)
_REMARKS: Final = re.compile(r"\b(?:strange|weird|odd|funny|curious)\s+(?:thing|part|fact)\b", re.IGNORECASE)
_WHY: Final = re.compile(r"\b(?:why|warum|wieso|pourquoi|por\s+qué|reason|cause)\b|なぜ", re.IGNORECASE)


def pointed(messages: Sequence[str], *, settled: Collection[int] = (), answers: Collection[int] = ()) -> str:
    """Of the customer's messages, oldest first; the last one when none asks or complains.

    `settled` are the places of those that were answered and thanked for; `answers` of replies to a question back: what
    went wrong in one of them is a detail of what was asked before, where that was a failure too.
    """
    aside = detail = brief = ""
    for at in range(len(messages) - 1, -1, -1):
        own = _own_part(messages[at])
        if at in settled or not own or not is_pointed(own):
            continue
        if brief_of(own):
            brief = brief or messages[at]
            continue
        if _REMARKS.search(own):
            return messages[at]
        if not _ASKS.search(own) and not _of_failure(own.replace("\n", " ")) and not UNHELPED.search(own):
            aside = aside or messages[at]
        elif not _ASKS.search(own) and (at in answers or _GIVES_DETAIL.match(own) or not CODE.sub("", own).strip()):
            # It may be what they want as well, where nothing before it is.
            detail = detail or messages[at]
        elif in_passing(own) and not UNHELPED.search(own):
            aside = aside or messages[at]
        elif detail and not _of_failure(own):
            return detail
        else:
            return messages[at]
    wish = next((message for message in reversed(messages) if wants_person(message)), "")
    opening = next((one for one in messages if _opens(one)), "")
    telling = next((message for message in reversed(messages) if not presses(message)), "")
    return detail or aside or brief or opening or wish or telling or (messages[-1] if messages else "")


def brief_of(own: str) -> bool:
    """ "Still dies." says nothing of what it is about."""
    return (
        UNHELPED.search(own) is not None
        and len(WORD.findall(own)) <= BRIEF_WORDS_MAX
        and not _ASKS.search(own)
        and not has_code(own)
    )


def _own_part(message: str) -> str:
    """Without attempts, wishes for a person and what only presses or takes something back."""
    kept: list[str] = []
    for one in sentences_of(message[:CHARS_MAX], 0):
        text = without_wish(one.text) if wants_person(one.text) else one.text
        idle = is_attempt(one) or presses(text) or withdraws(text) or _THREATENS.search(text) is not None
        idle = idle or (text is not one.text and not FAILS.search(UNHELPED.sub(" ", text)) and not has_code(text))
        if not (only_wish(one.text) or of_us(text) or (idle and "?" not in text)):
            kept.append(text)
    return "\n".join(kept)


def _opens(message: str) -> bool:
    """It says what it is about, if only in words that are not known here."""
    own = _own_part(message)
    return small_talk(message) is None and len(own.split()) >= OPENING_WORDS_MIN


def _of_failure(text: str) -> bool:
    return complains(text) or _WHY.search(text) is not None


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
