"""How is a message put? Its kind of question, the names in it, its mood."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from firstline.domain import Intent
from firstline.questions.message.signs import first_sign, signs
from firstline.questions.message.terms import codes

UPSET: Final = re.compile(
    r"""!{2,} | \?\?\?+ | \b(?:angry|furious|ridiculous|unacceptable|terrible|horrible|worst|awful|useless
        |frustrat(?:ed|ing)|annoy(?:ed|ing)
    |disgust\w*|disgrace|outrag\w*|fed\s+up|sick\s+of|damn|ffs|wtf|stupid|pathetic|scam|joke\s+of|mad|third\s+time
        |driving\s+me)\b""",
    re.IGNORECASE | re.VERBOSE,
)

INTENTS: Final = signs(
    (
        Intent.CAUSE,
        r"""^\W*(?:\w+\W+){0,6}?why\b | \b(?:reason|cause[sd]?|what(?:'s|\s+is)\s+(?:going\s+on|wrong))\b
        | \b(?:error|exception|fails?|failed|crash(?:es|ed)?
        |fatal|traceback|timed\s+out|times?\s+out|refused|denied|hangs?|stuck|broken|not\s+work(?:ing)?|doesn'?t\s+work|won'?t
        |can'?t|cannot|unable)\b""",
    ),
    (
        Intent.HOW_TO,
        r"""\bhow\s+(?:do|can|to|should|could|would|does\s+one)\b | \b(?:steps|way|procedure)\s+(?:to|for|needed)\b
        | \bwhere\s+(?:do|can)\s+(?:i|we)\b
        | ^\W*(?:please\s+)?(?:set\s+up|install|configure|remove|delete|change|create|add|move|enable|disable|restore
        |reset|connect|export|import|cancel|stop
        |update|upgrade|turn)\b | \b(?:i|we)\s+(?:want|need|would\s+like)\s+to\b""",
    ),
    (Intent.WHICH, r"""\b(?:which|what\s+kind|what\s+type|difference\s+between|who|whose|when|better)\b"""),
    (Intent.YES_NO, r"""^\W*(?:is|are|does|do|did|can|could|will|would|should|has|have|am|may|was|were)\b"""),
    (
        Intent.REFERENCE,
        r"\b(?:what|list|limits?|default|meaning|mean|definition|options?|reference|supported|requirements|price"
        r"|pricing|version)\b|^\W*\S+(?:\s+\S+){0,3}\W*$",
    ),
)
# A cause word inside a plain how-to ("how do I handle an error") does not make it a cause.
HOW_FIRST: Final = re.compile(r"^\W*(?:\w+\W+){0,3}?how\s+(?:do|can|to|should)\b", re.IGNORECASE)

WHY: Final = re.compile(r"\b(?:why|causes?|caused|causing|reasons?)\b", re.IGNORECASE)
HOW: Final = re.compile(
    r"\bhow\s+(?:do|can|to|should|would|could|did|does)\b|\bsteps?\b|\bprocedures?\b|\bway\s+to\b", re.IGNORECASE
)
ASKING: Final = re.compile(
    r"[?？]|^\W*(?:how|what|which|where|when|who|is|are|does|do|can|could|will|would|should|may|has|have)\b"
    r"|\b(?:how to|i (?:want|need|would like) to|show me|explain|tell me)\b",
    re.IGNORECASE,
)
TOLD_WORDS_MIN: Final = 5
ASKED_IN_CHARS: Final = 1_500
"""A message says what it wants at its start; a log follows."""

ENTITY: Final = re.compile(
    r"""(?<![\w.-])(?:
      --?[A-Za-z][\w-]{2,}                                   # --max-old-space-size
    | [A-Z]{1,10}[-_ ]?\d{2,6}[A-Z]?                          # E11000, SQL0911N, CE-34878
    | 0x[0-9A-Fa-f]{3,16}
    | v?\d+(?:\.\d+){1,4}(?:-[\w.]+)?                         # 4.1.1.2
    | [A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+                           # ERR_TIMEOUT
    | [A-Za-z_]\w*(?:[._]\w+)+(?:\(\))?                       # dotted and snake_case names
    | [a-z]+(?:[A-Z][a-z0-9]+)+                               # camelCase
    | (?:[A-Z][a-z0-9]+){2,}                                  # PascalCase, an exception's name
    | [A-Z]{2,}[A-Za-z0-9]*                                   # TLS, DNSSEC
    | [A-Z][a-z]+(?:\s[A-Z][A-Za-z0-9]+){1,3}                 # Query Monitor
    )(?![\w])""",
    re.VERBOSE,
)


def reports_problem(text: str) -> bool:
    """Somebody tells what goes wrong for them, or names an error; how something is done in general is no report."""
    start = text[:ASKED_IN_CHARS]
    if HOW_FIRST.match(start):
        return False
    if first_sign(INTENTS, start) is Intent.CAUSE or codes(start):
        return True
    # Whoever says what happens, and asks nothing, tells of a problem; a few words are a search.
    return not ASKING.search(start) and len(start.split()) >= TOLD_WORDS_MIN


def asks_why(text: str) -> bool:
    return WHY.search(text[:ASKED_IN_CHARS]) is not None


def asks_how(text: str) -> bool:
    return HOW.search(text[:ASKED_IN_CHARS]) is not None


def entities(text: str, *, entities_max: int, chars_max: int) -> tuple[str, ...]:
    """Codes, versions, identifiers, flags and product-like names, each once, in order of appearance."""
    found: dict[str, None] = {}
    # A message in capitals is not made of acronyms.
    shouted = is_shouted(text)
    for match in ENTITY.finditer(text[:chars_max]):
        value = match.group()
        if shouted and value.isalpha():
            continue
        found.setdefault(value)
        if len(found) >= entities_max:
            break
    return tuple(found)


def is_shouted(text: str) -> bool:
    letters = [letter for letter in text if letter.isalpha()]
    return len(letters) >= 12 and sum(letter.isupper() for letter in letters) > 0.7 * len(letters)


def upset(text: str, earlier: Sequence[str]) -> bool:
    """By capitals, repeated marks or words, in this message or the one before it."""
    return any(is_shouted(turn) or UPSET.search(turn) is not None for turn in (text, *earlier[-1:]))
