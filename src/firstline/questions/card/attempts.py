"""Which sentences tell of what the customer tried themselves, and what came of it?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from firstline.questions.card.asides import withdraws
from firstline.questions.card.matters import LEAVES
from firstline.questions.card.problem import corrects
from firstline.questions.card.said import WORD, Sentence, shortened
from firstline.questions.card.telling_words import CHANGED, TRIED, UNHELPED

ATTEMPTS_MAX: Final = 8
RESULT_WORDS_MAX: Final = 8
_FLAGS: Final = re.IGNORECASE | re.VERBOSE

_ALREADY: Final = re.compile(r"\b(?:already|schon|bereits|déjà|ya|já|già)\b", re.IGNORECASE)
# What became of it, in a sentence of its own or behind the attempt.
_RESULT: Final = re.compile(
    r"""\b(?:(?:the\s+)?same(?!\s+(?:as|time|host|server|machine|version|for))|no\s+(?:change|effect|luck|difference|improvement|success)
       |(?:did\s+)?nothing(?:\s+(?:changed|happened|helped))?|(?:did|does|do|has)(?:n't|\s+not)\s+(?:help|change|fix|solve|work|matter)\w*
       |(?:came|comes|is)\s+back(?:\s+again)?|twice|three\s+times|again|helped|still\s+\w+|not\s+either|neither|in\s+vain|0\s+\w+\s+(?:as\s+well|too)
       |wonderful|worked\s+for|helped\s+for|results?\s*:|as\s+\w+\s+as\s+before|(?:no|not)\s+better|worse|nichts\s+geändert|gleiche[rs]?|dasselbe|rien\s+n?'?a?\s*chang\w+|pareil|lo\s+mismo|igual|stesso|mesmo|mesma)\b
    | 同じ | 変わりません | 改善しません""",
    _FLAGS,
)
_LOOKED: Final = re.compile(r"(?:i\s+|we\s+)?(?:checked|verified|looked|tested|confirmed)\b", re.IGNORECASE)
_SENDS: Final = re.compile(
    r"\b(?:i|we)(?:'ve|\s+have|\s+already)*\s+(?:attached|enclosed|uploaded|(?:sent|mailed|e-?mailed)\s+(?:you|it|them|the\s+\w+)\b)",
    re.IGNORECASE,
)
"""A file is sent, and nothing is tried."""
_THEY_DID: Final = re.compile(r"\W*(?:and\s+|but\s+)?you\s+(?!told|said)\w+", re.IGNORECASE)
_RESULT_IS: Final = re.compile(r"^\W*(?:the\s+)?results?\s*:\s*", re.IGNORECASE)
TERSE_PARTS_MIN: Final = 3
TERSE_WORDS_MAX: Final = 9
_SINCE: Final = re.compile(r"\b(?:since|after)\s+(?:we|i|they|you)\s+(?!tried\b)\w+", re.IGNORECASE)
"""When it began, and no attempt."""
_DID: Final = re.compile(
    r"(?:already\s+|then\s+)?(?!need|managed|dedicated|shared|hosted|embedded|unrelated|based|failed|crashed)[a-z]{3,}ed\b|(?:re-?)?(?:ran|set|reset|rebuilt|built|sent|put|took|made|did)\b",
    re.IGNORECASE,
)
_DONE: Final = (
    r"(?:import|exclud|includ|expand|grant|allow|whitelist|retri|resync|re-?index|compact|vacuum|analy[sz]|profil|trac|debugg|recreat"
    r"|re-?appli|appli|patch|tun|adjust|trim|purg|flush|migrat|rebas|re-?deploy|deploy|unset|tweak|limit|cap|bump|detach|attach|mount"
    r"|remount|re-?join|rejoin|force|promot|demot|block|unblock|renew|re-?issu|regenerat|generat|exempt|whitelist|truncat|prun|pin"
    r"|rewrit|re-?creat|rotat|scann|inspect|review|examin|rais|uninstall|re-?install|configur)(?:t?ed|ied|ten)"
)
_ATTEMPT: Final = re.compile(
    rf"""\b(?:i|we)(?:'ve|\s+have|\s+had)?\s+(?:(?:also|already|just|then|even|now|both|all|once|manually)\s+)*{_DONE}\b
    | ^\W*(?:(?:then|and|also|already|yes)\s+)*{_DONE}\s+\w
    | \b(?:i|we|have|has)\s+already\s+\w+(?:ed|en|t)\b | ^\W*already\s+(?!(?:on|at|in|a|the)\b)\w+
    | \b(?:ping|telnet|curl|wget|nc|netcat|dig|nslookup|traceroute|openssl|tcpdump|netstat)\b.{{0,60}}?\b(?:works?
       |worked|fails?|ok|returns?
       |hangs?|times?\s+out|is\s+refused|shows?|says?|gets?\s+through)\b
    | ^\W*(?:[\w\s]{{1,20}}:\s*)?(?:(?:then|and|also|already)\s+)*(?!(?:need|managed|shared|hosted|indeed|based
       |used)\b)[a-z]{{3,}}ed\s+
       (?:it|them|this|that|the|an?|all|both|its|our|my|pool|everything)\b
    | ^\W*(?:(?:then|and|also|already|i|we)\s+)*did\s+(?:an?|the|another|it)\b
    | ^\W*(?:then\s+|also\s+|we\s+|i\s+)*(?:gave|bought|doubled|halved)\s+(?:the|it|our|them|my)\b
    | \b(?:i|we)\s+did\s+(?:exactly\s+)?(?:what|everything|all)\b | \b(?:second|third|fourth|fifth
       |\d\w\w)\s+time\s+(?:that\s+)?(?:i|we)\s+\w+
    | \b(?:i|we)\s+(?:already\s+)?asked\s+for\b.{{0,120}}?(?:\b(?:gives?|says?|refused|rejected)\b)
    | \bsent\s+SIG\w+ | \b(?:j[aá])\s+\w+(?:ei|amos|i)\b | \b(?:ho|abbiamo)\s+(?:già\s+)?\w+(?:ato|uto|ito|tto|lto
       |sto|rso|nto)\b
    | \b\w+\s+(?:fatto|fatta|feito|feita|gemacht|fait|faite|hecho|hecha)\b
    | \b(?:i|we)\s+(?:cancel|paus)l?ed\b.{{0,80}}?\balready\b
    | (?:しました|した)(?:が|けど|けれど)""",
    _FLAGS,
)
# "Setting the pool to 1 helped for a day": what was done is the subject of what it came to.
_DOING: Final = re.compile(
    r"""^\W*(?:(?:even|also|but|and|just)\s+)*(?!(?:nothing|something|anything|everything|during|according|loading|starting|morning|evening)\b)
       [a-z]{3,}ing\s+.{2,80}?\b(?:helped|(?:did|does|do|made|makes|changed|changes|brought|worked|works|had|has|fixed|solved)
       (?:n't|\s+not)?\s*(?:nothing|no\s+\w+|not|help\w*|work\w*|for\s+a|only|it|little|change)?)\b""",
    _FLAGS,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempts:
    """`lines`: in their order, each with the result that is told right behind it. `sentences`: the texts they are made
    of."""

    lines: tuple[str, ...]
    sentences: frozenset[str]


def attempts(stating: Sequence[Sentence]) -> Attempts:
    """A change with a date and no result told is no attempt."""
    found: dict[str, None] = {}
    parts: set[str] = set()
    for place, one in enumerate(stating):
        terse = _done_in(one.text)
        if len(found) >= ATTEMPTS_MAX or not (terse or is_attempt(one)):
            continue
        after = stating[place + 1] if place + 1 < len(stating) else None
        text = terse or one.text
        if terse in ("", one.text):
            parts.add(one.text)
        if after is not None and _is_told_of(after, one, stating):
            parts.add(after.text)
            apart = "" if after.message == one.message or not text[-1:].isalnum() else ":"
            text = f"{text}{apart} {_RESULT_IS.sub('', after.text)}"
        if not any(text in line for line in found):
            found.setdefault(shortened(text))
    return Attempts(lines=tuple(found), sentences=frozenset(parts))


def _is_told_of(after: Sentence, one: Sentence, stating: Sequence[Sentence]) -> bool:
    """`after` tells what became of `one`: in the same message, or as the whole of the next one."""
    if one.tried or not is_result(after):
        return False
    alone = sum(1 for each in stating if each.message == after.message) == 1
    return after.message == one.message or (after.message == one.message + 1 and alone and not is_attempt(after))


def _done_in(text: str) -> str:
    """Of a terse list of everything at once ("import fails on 5.0.7, restarted, same") what was done; else ""."""
    parts = [part.strip() for part in text.split(",")]
    if corrects(text):
        return ""
    if len(parts) > 1 and any(_LOOKED.match(part) for part in parts):
        # What was looked at stands in the other parts.
        return text
    if len(parts) < TERSE_PARTS_MIN or any(len(WORD.findall(part)) > TERSE_WORDS_MAX for part in parts):
        return ""
    own = [place for place, part in enumerate(parts) if _DID.match(part)]
    return ", ".join(parts[own[0] :]) if own and own[0] else ""


def is_attempt(one: Sentence) -> bool:
    text = one.text
    if one.tried:
        return True
    if _SENDS.search(text) and not _RESULT.search(text):
        return False
    if (
        _THEY_DID.match(text)
        or text.rstrip().endswith(("?", "？"))
        or corrects(text)
        or withdraws(text)
        or _SINCE.search(text)
    ):
        return False
    if LEAVES.search(text) and not _ALREADY.search(text):
        return False
    dated = CHANGED.search(text) and not (UNHELPED.search(text) or _ALREADY.search(text) or _RESULT.search(text))
    if dated:
        return False
    return any(pattern.search(text) for pattern in (TRIED, _ATTEMPT, _DOING))


def is_result(one: Sentence) -> bool:
    """A few words on what became of an attempt, without one of their own."""
    text = one.text
    return (
        not one.tried
        and len(WORD.findall(text)) <= RESULT_WORDS_MAX
        and "?" not in text
        and _RESULT.search(text) is not None
    )
