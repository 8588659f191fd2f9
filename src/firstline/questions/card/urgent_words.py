"""Which words show that a person must come at once: something is down, data may be lost, a day is named?

Shared vocabulary of the summary for persons and of replies that offer one; it calls nothing.
"""

from __future__ import annotations

import re
from typing import Final

CHARS_MAX: Final = 2_000
_FLAGS: Final = re.IGNORECASE | re.VERBOSE

OUTAGE: Final = re.compile(
    r"""\b(?:(?:is|are|was|went|goes|completely|all|everything|production|prod)\s+(?:\w+\s+)?down\b(?!\s+(?:to|the|by|from)\b)|outage
       |cannot\s+(?:sell|work|operate|ship|trade|serve|take\s+orders)|can't\s+(?:sell|work|operate|ship|trade|serve
       |take\s+orders)
       |production\s+(?:is|has)\s+(?:stopped|dead|broken|offline)|nobody\s+can\s+(?:work|log|use|order)
       |customers\s+(?:are\s+)?
       (?:call|complain|cannot|can't|waiting)|(?:nichts|alles)\s+(?:geht|steht)\b|tout\s+est\s+(?:en\s+panne|bloqué)
       |(?:won't|wont|doesn't|doesnt|will\s+not|does\s+not|cannot|can't)\s+come\s+(?:up|back)
       |block(?:s|ed|ing)?\s+all\s+(?:\w+\s+)?(?:writes|reads|traffic|requests|users|orders|queries)
       |(?:writes|inserts|logins|orders|checkouts|payments)\s+(?:all\s+)?(?:fail|are\s+(?:failing|blocked|rejected
       |refused))
       |(?:lose|losing|costs?\s+us)\s+(?:\w+\s+)?(?:money|revenue|sales|customers)
       |(?:verlieren|kostet\s+uns)\s+(?:\w+\s+)?geld|perdons\s+de\s+l'argent|perdiendo\s+(?:dinero|ventas)
       |(?:is|are|went)\s+offline|emergency|urgent(?:ly)?|asap|hurry|immediately|critical|dringend|notfall|urgence
       |urgente)\b
    | 至急 | 緊急 | 全部止ま""",
    _FLAGS,
)
_RECORDS: Final = r"(?:data|documents?|records?|rows?|orders?|files?|entries|messages|writes|inserts)"
DATA_LOST: Final = re.compile(
    rf"""(?<!never\s)(?<!not\s)(?<!n't\s)(?<!without\s)\b(?:lost|losing|lose|loses)\s+(?:\w+\s+){{0,3}}?(?:{_RECORDS}|everything)\b
    | (?<!\bno\s)(?<!without\s)\bdata\s+(?:loss|is\s+gone|are\s+gone|has\s+gone)\b
    | \b(?:half|all|most|part|some)\s+of\s+(?:\w+\s+){{1,4}}?(?:is|are)\s+(?:gone|missing|lost|deleted|wiped)\b
    | \b{_RECORDS}\b(?:\s+\w+){{0,5}}?\s+(?:is|are|was|were|be|get|got|have\s+been)\s+(?:\w+\s+)?lost\b
    | \b(?:documents|records|rows|orders|files|entries|messages)\s+(?:(?:are|have|were)\s+)?(?:\w+\s+)?(?:missing|gone
       |vanished|disappeared)\b
    | \bchecksum\s+(?:mismatch|error|failure)\b | \bcorrupt(?:ed|ion)?\b
    | \b(?:ran|deleted|dropped|truncated|wiped|overwrote|overwritten|executed)\b.{{0,40}}?\b(?:the\s+wrong
       |by\s+(?:mistake|accident))\b
    | \bdaten(?:verlust|\s+(?:sind|verloren|weg)) | \bdonnées\s+(?:perdues|effacées) | \bdatos\s+(?:perdidos|borrados)
    | データが(?:消え|失われ|なくな)""",
    _FLAGS,
)
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?"
    r"|dec(?:ember)?)"
)
_BY: Final = r"(?<!worked\s)(?<!fine\s)(?<!ok\s)(?:by|before|until|till|due(?:\s+on)?)"
DEADLINE: Final = re.compile(
    rf"""\b{_BY}\s+(?:(?:next|this|coming)\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)day\b
    | \b{_BY}\s+(?:tomorrow|tonight|noon|the\s+end\s+of\s+(?:the\s+|this\s+)?(?:day|week|month|{_MONTH})
       |\d{{1,2}}[:.]\d\d(?![.\d])\b)
    | \b{_BY}\s+(?:the\s+)?(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH}|{_MONTH}\s+\d{{1,2}}
       |(?:the\s+)?end\s+of\s+{_MONTH}
       |\d{{4}}-\d\d-\d\d|\d{{1,2}}/\d{{1,2}})\b
    | \b(?:audit(?!\s+(?:log|trail|event))|release|launch|go-?live|demo|migration|presentation|opening|inspection
       |deadline)\b.{{0,20}}?\b(?:tomorrow|tonight
       |(?:on\s+|next\s+|this\s+)(?:mon|tues|wednes|thurs|fri|satur|sun)day|on\s+(?:the\s+)?\d)
    | \bplan\w*\s+(?:it\s+|this\s+|that\s+)?for\s+(?:the\s+)?(?:\d|(?:mon|tues|wednes|thurs|fri|satur|sun)day|next)
    | \b(?:i|we)\s+(?:will|am\s+going\s+to|are\s+going\s+to)\b.{{0,40}}?\bon\s+(?:mon|tues|wednes|thurs|fri|satur
       |sun)day\b
    | \bbefore\s+(?:the\s+|our\s+|my\s+)?(?:access|account|contract|audit)\s+(?:is|are|ends?|closes?|expires?|starts?)\b
    | \b(?:at|by)\s+the\s+end\s+of\s+the\s+(?:day|week|month|year)\b | \bdeadline\b
    | \bbis\s+(?:zum\s+)?(?:morgen|\w+tag|ende|\d{{1,2}}\.) | \bspätestens\b
    | \bavant\s+(?:le\s+\d|la\s+fin|demain|\w+di\b) | \bd'ici\s+(?:le|la|à|demain|\w+di)\b
    | \bantes\s+del?\s+(?:\d|lunes|martes|miércoles|jueves|viernes|mañana|fin)
    | (?:日|曜|時|明日|今週中|今月中|末)まで""",
    _FLAGS,
)


_SELDOM: Final = re.compile(
    r"\b(?:once|sometimes|now\s+and\s+then|occasionally|from\s+time\s+to\s+time|sporadic\w*|randomly|intermittent\w*|a\s+few"
    r"|for\s+(?:repairs?|maintenance|an?\s+upgrade)|on\s+purpose|planned|some\s+of|one\s+(?:of\s+\w+\s+)?(?:\w+\s+)?is|no\s+hurry|not\s+urgent|(?:test|staging|dev)\s+\w+\s+is|in\s+(?:the\s+)?(?:test|staging|dev)\w*|manchmal|parfois|a\s+veces)\b",
    re.IGNORECASE,
)
_CLAUSE_END: Final = re.compile(r"(?<=[.!?])\s+|\n+")


_PRESSING: Final = re.compile(
    r"\b(?:emergency|urgent(?:ly)?|asap|hurry|immediately|critical|dringend|notfall|urgence|urgente)\b|至急|緊急",
    re.IGNORECASE,
)


def without_pressing(text: str) -> str:
    """What is left of it beside words that only press."""
    return _PRESSING.sub(" ", text)


def is_outage(text: str) -> bool:
    """Something is down or presses. What fails now and then, or in a test system, is not down."""
    return any(OUTAGE.search(clause) and not _SELDOM.search(clause) for clause in _CLAUSE_END.split(text))


def tells_of_harm(message: str) -> bool:
    """Something is down, presses, or data may be lost."""
    read = message[:CHARS_MAX]
    return is_outage(read) or DATA_LOST.search(read) is not None
