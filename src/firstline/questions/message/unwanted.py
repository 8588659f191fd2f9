"""What does a question ask how NOT to do? "How do I not enable backups?", "why should I never ...", "avoid enabling".

A failure that is told is no wish: "why can I not enable backups?", "I cannot ...", "when it does not start". English,
German, French and Spanish, each by the frames in which such a wish is put. A wish that no frame has is not seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from firstline.questions.message.terms import FUNCTION_WORDS, stem

CHARS_MAX: Final = 2_000
WISHES_MAX: Final = 4
WORDS_MAX: Final = 12
"""Words of a wish that are read: the verb and what it is about."""
THING_CHARS_MIN: Final = 4
"""In languages whose empty words are not known here, a shorter word names no thing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Wish:
    """`verb`: as written, lower case. `things`: what it is about, stems in English, else words as they are written."""

    verb: str
    things: frozenset[str]
    language: str


_WHO: Final = r"(?:i|we|you|one|someone|somebody|people|users?)"
_GAP: Final = r"(?:[\w-]+\s+){0,4}?"
_DOING: Final = r"(?:(?:being|getting)\s+[\w-]+|[\w-]+ing|\w+_o(?:n|ff))\b"
"""What is done, as "turn_on" where two words are one."""
_INVOLUNTARY: Final = r"(?:receive|get|see|find|have|know|remember|hear|understand|want|need|recogni[sz]e)\b"
_ENGLISH: Final = tuple(
    re.compile(pattern, re.IGNORECASE | re.VERBOSE)
    for pattern in (
        rf"""\bhow\s+(?:do|can|could|should|would|must)\s+{_WHO}\s+(?:(?:simply|best|just|permanently)\s+)?
            (?:not|never)\s+(?!only\b|just\b)(?P<tail>.+)""",
        r"""\b(?:how|ways?|possible|steps?|options?|prefer|like|want|wants|choose|decide|reasons?|ok|okay|fine|safe|allowed
            |better|best)\s+
            (?:to\s+(?:not|never)|not\s+to|for\s+not)\s+(?!only\b|just\b)(?P<tail>.+)""",
        rf"""\b(?:why|when|what|which(?:\s+\w+)?)\s+(?:should|must|shall)\s+(?:the\s+|an?\s+|my\s+|our\s+)?[\w-]+\s+(?:better\s+)?
            (?:not|never)\s+(?P<tail>.+)
          | \b(?:why|when)\s+would\s+{_WHO}\s+(?:not|never)\s+(?:want\s+to\s+)?(?P<would>.+)
          | \b(?:why|when)\s+(?:should|must|would)(?:n['’]t|\s+not)\s+{_WHO}\s+(?P<short>.+)""",
        rf"""\b(?:how|ways?|possible|want|need|like|steps?|please|best|can\s+{_WHO})\b.{{0,40}}?
            \b(?:avoid(?:ing)?|bypass|circumvent|skip|(?:refrain|abstain|keep)\s+from|get\s+(?:around|out\s+of)
            |opt\s+out\s+of|do\s+without|prevent|stop|undo|revert)\s+(?P<tail>{_DOING}.*)""",
        rf"""\b(?:make\s+sure|ensure|guarantee)\s+(?:that\s+)?(?P<who>{_GAP}[\w-]+)\s+
            (?:(?:is|are|does|do|will|can|gets?)(?:n['’]t|not|\s+not|\s+never)|never)\s+(?P<tail>.+)""",
        rf"""\bwhat\s+(?:(?:happens|would\s+happen|will\s+happen)\s+)?(?:if|when)\s+{_WHO}\s+(?:do\s+not|don['’]?t|never)\s+
            (?!{_INVOLUNTARY})(?P<tail>.+)""",
        rf"""\bhow\b.{{0,20}}?\b(?:make|have|let|get)\s+(?P<who>{_GAP}[\w-]+)\s+(?:not|never)\s+(?P<tail>.+)""",
        r"""\bwhy\s+(?:is|are|was)\s+(?:it\s+)?(?:not\s+(?:recommended|advised|advisable|wise|good|allowed|safe)|bad|wrong
            |dangerous|unwise|unsafe|discouraged|forbidden|(?:a\s+)?bad\s+idea)\s+(?:to\s+)?(?P<tail>.+)""",
        rf"\b(?:how|can\s+{_WHO})\b.{{1,60}}?\band\s+(?:not|never)\s+(?:to\s+)?(?!only\b|just\b)(?P<tail>.+)",
        r"^\W*(?:please\s+)?(?:do\s+not|don['’]?t|never)\s+(?P<tail>.+)",
        rf"^\W*avoid\s+(?P<tail>{_DOING}.*)",
        rf"""\b(?:prevent|stop|keep|block|hinder)\s+(?P<who>{_GAP}[\w-]+)\s+from\s+(?P<tail>{_DOING}.*)""",
        rf"""\b(?:prevent|avoid)\s+(?:that\s+)?(?P<who>{_GAP}[\w-]+)\s+(?:is|are|gets?|being|getting)\s+(?P<tail>.+)""",
    )
)
_DO_NOT_WANT: Final = re.compile(
    r"\b(?:do\s+not|don['’]?t|never)\s+(?:ever\s+)?(?:want|wish|like|intend)\s+(?:\w+\s+)?to\s+(?P<tail>.+)",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(r"\?|\bhow\s+(?:do|can|could|should|would|to)\b", re.IGNORECASE)
_ASKS_ITSELF: Final = re.compile(
    r"\b(?:how|why|when|ways?|possible|steps?|reasons?|options?|can\s+(?:i|we|you)|please)\b|\?", re.IGNORECASE
)
_ASKS_HOW: Final = re.compile(r"\bhow\s+(?:do|can|could|should|would|to)\b", re.IGNORECASE)
_BEFORE_VERB: Final = frozenset("be being been get getting have having to ever again even it the a an".split())
_ENDS: Final = frozenset(
    "if when because although though while after before and but so by with unless until since where that".split()
)

_GERMAN: Final = tuple(
    re.compile(pattern, re.IGNORECASE | re.VERBOSE)
    for pattern in (
        # The negation stands at the end, or right before the verb: "nicht benötigte Seiten" are pages.
        r"""\bwie\s+(?!kann|ko[eö]nn|soll|darf|muss|m[uü]ss)(?P<verb>\w+)\s+(?:ich|wir|man)\s+(?P<rest>[^,]*?)
            \s*\b(?:nicht|nie|niemals)\W*$""",
        r"""\bwie\s+(?:kann|ko?[eö]?nn\w*|soll\w*|darf|muss)\s+(?:ich|wir|man)\s+(?P<rest>[^,]*?)
            \s*\b(?:nicht|nie|niemals)\s+(?P<verb>\w+en)\W*$""",
        r"""\b(?:warum|wieso|weshalb|wann)\s+(?:soll\w*|darf|d[uü]rf\w*|muss)\s+(?:ich|wir|man)\s+
            (?P<rest>[^,]*?\b(?:nicht|nie|niemals|kein\w*)\b[^,]*?)\s*(?P<verb>\b\w+en)\W*$""",
        r"""\b(?:wie|kann|m[oö]e?chte|will|wollen)\b.{0,40}?\b(?:vermeide\w*|verhinder\w*|umgeh\w*)\b
            (?P<rest>.{0,80}?)\bzu\s+(?P<verb>\w+en)\b""",
        r"""\b(?:wie|kann|m[oö]e?chte|will|wollen)\b.{0,40}?\b(?:vermeide\w*|verhinder\w*)\b.{0,20}?\bdass\s+
            (?P<rest>.{0,80}?)\b(?P<verb>\w+t)\s+(?:wird|werden)\b""",
    )
)
_FRENCH: Final = tuple(
    re.compile(pattern, re.IGNORECASE | re.VERBOSE)
    for pattern in (
        r"\bcomment\s+(?:\w+\s+){0,2}?ne\s+(?:pas|jamais|plus)\s+(?P<verb>\w+)\b(?P<rest>.*)",
        r"""\b(?:comment|puis-je|peut-on|veux|voudrais)\b.{0,40}?\b(?:[ée]vite\w*|emp[êe]che\w*)\s+
            (?:.{0,40}?\s)?(?:de\s+|d['’])(?P<verb>\w+(?:er|ir|re))\b(?P<rest>.*)""",
        r"""\b(?:pourquoi|quand)\s+ne\s+(?:dev\w+|doi\w+|faut|faudrait)(?:-(?:je|on|nous|il))?\s+(?:pas|jamais)\s+
            (?P<verb>\w+)\b(?P<rest>.*)""",
    )
)
_SPANISH: Final = tuple(
    re.compile(pattern, re.IGNORECASE | re.VERBOSE)
    for pattern in (
        r"\bc[óo]mo\s+(?:(?:puedo|podemos|podr[íi]a|hago\s+para)\s+)?(?:no|nunca)\s+(?P<verb>\w+[aei]r)\b(?P<rest>.*)",
        r"""\b(?:c[óo]mo|puedo|quiero)\b.{0,40}?\b(?:evit\w+|imp[ei]d\w+)\s+(?:a\s+\w+\s+)?(?P<verb>\w+[aei]r)\b
            (?P<rest>.*)""",
        r"\b(?:por\s+qu[ée]|cu[áa]ndo)\s+(?:no|nunca)\s+(?:deb\w+|hay\s+que)\s+(?P<verb>\w+[aei]r)\b(?P<rest>.*)",
    )
)
_OTHERS: Final = (("de", _GERMAN), ("fr", _FRENCH), ("es", _SPANISH))

_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+|\n+")
_WORD: Final = re.compile(r"[\w-]+")
_SIGN: Final = re.compile(
    r"\b(?:not|never|avoid\w*|bypass|circumvent|skip|from|out\s+of|around|without|prevent|stop|undo|revert"
    r"|bad|wrong|dangerous|unwise|unsafe|discouraged|forbidden|\w+n['’]t|dont"
    r"|nicht|nie|niemals|kein\w*|vermeide\w*|verhinder\w*|umgeh\w*|ne|[ée]vit\w*|emp[êe]ch\w*|no|nunca|imp[ei]d\w*)\b",
    re.IGNORECASE,
)


def unwanted(question: str) -> tuple[Wish, ...]:
    """What the question asks how, or why, not to do; () when it asks for nothing of the kind."""
    return tuple(islice(_wishes(question[:CHARS_MAX]), WISHES_MAX))


def _wishes(question: str) -> Iterator[Wish]:
    sentences = _SENTENCE.split(question)
    asking = [_ASKS.search(sentence) is not None for sentence in sentences]
    for at, sentence in enumerate(sentences):
        # Where something else is asked, what is not wanted may be told on the way: "I want to avoid copying it".
        told = any(asking[:at] + asking[at + 1 :]) and not _ASKS_ITSELF.search(sentence)
        if told or not _SIGN.search(sentence):
            continue
        for pattern in (*_ENGLISH, *(() if _ASKS_HOW.search(sentence) else (_DO_NOT_WANT,))):
            found = pattern.search(sentence)
            if found is not None and (wish := _in_english(found)) is not None:
                yield wish
        for language, patterns in _OTHERS:
            for pattern in patterns:
                found = pattern.search(sentence)
                if found is not None:
                    yield _in_another(found, language)


def _in_english(found: re.Match[str]) -> Wish | None:
    groups = found.groupdict()
    tail = next((groups[name] for name in ("tail", "would", "short") if groups.get(name)), "")
    words = [word.casefold() for word in islice((one[0] for one in _WORD.finditer(tail)), WORDS_MAX)]
    while words and (words[0] in _BEFORE_VERB or words[0].endswith("ly")):
        words = words[1:]
    if not words:
        return None
    verb, behind = words[0], words[1:]
    end = next((at for at, word in enumerate(behind) if word in _ENDS), len(behind))
    about = (*_WORD.findall((groups.get("who") or "").casefold()), *behind[:end])
    things = frozenset(stem(word) for word in about if word not in FUNCTION_WORDS and len(word) > 1)
    return Wish(verb=verb, things=things, language="en")


def _in_another(found: re.Match[str], language: str) -> Wish:
    words = islice((one[0].casefold() for one in _WORD.finditer(found["rest"])), WORDS_MAX)
    things = frozenset(word for word in words if len(word) >= THING_CHARS_MIN and not _SIGN.fullmatch(word))
    return Wish(verb=found["verb"].casefold(), things=things, language=language)
