"""Which of the places that the name finder sees are persons and addresses? Not those in code, and no name of a
thing."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Final

from firstline.documents.redact.spans import Span
from firstline.ports import NamedSpan, NameFinder

_CODE: Final = re.compile(
    r"(?ms)^[ \t>]*(?P<fence>`{3,}+|~{3,}+)[^\n]*\n.*?(?:^[ \t>]*(?P=fence)|\Z)|`[^`\n]{1,400}`|https?://[^\s<>\")\]]+"
)
# Right before or behind it stands what makes it a part of an identifier: a path, a call, a member, a flag, a
# placeholder.
_JOINED_BEFORE: Final = re.compile(r"[\w/\\._$=#%&+~-]\Z|(?<![.!?)\]\"'”’\s])[:]\Z|--?\Z|\[$")
_JOINED_AFTER: Final = re.compile(r"[\w/\\_$=&+~]|\(\)|[.:-]\w|::|\]")
_CAMEL: Final = re.compile(r"[a-zß-ÿ][A-Z](?!cC)|[A-Z]{2}[a-z]|\d")
_CAMEL_NAME: Final = re.compile(r"\b(?:Mc|Mac|O[’']|D[’']|De|Di|Le|La|Van|Von|Du|Fitz)[A-Z]\w+")
_BETWEEN_BLANKS: Final = re.compile(r"\S+")
_PARTICLES: Final = frozenset(
    "van von de der den del della di da dos du la le el al bin ben ter ten zu y e af av und and".split()
)
_SHORTENED: Final = re.compile(r"\w['’][a-zß-ÿ]{2,}")
_TOLD: Final = re.compile(
    r"(?i)(?:\b(?:name(?:'?s| is|:)|names?|named|called|hi|hello|hey|dear|thanks|thank you|regards|cheers|mrs?|ms|dr"
    r"|miss|i'?m|i am)"
    r"[.,:]?[ \t\n]{1,2})$"
)
_KNOWN: Final = re.compile(
    r"(?i)(?:\b(?:name(?:'?s| is)?|names|named|called|hi|hello|hey|dear|thanks|thank you|regards|cheers|grüßen?|gruß"
    r"|danke|hallo"
    r"|cordialement|bonjour|merci|saludos?|hola|gracias|mrs?|ms|dr|prof|miss|sir|herrn?|frau|madame|monsieur|señora?"
    r"|i'?m|i am"
    r"|this is|colleagues?|co-?worker|manager|boss|wife|husband|son|daughter|brother|sister|mother|father|mom|dad|un"
    r"cle|aunt"
    r"|friend|partner|assistant|neighbou?r|employee|customer|client|patient|tenant|passenger|guest|contact|engineer|"
    r"agent"
    r"|technician|spoke (?:with|to)|talk(?:ed|ing)? (?:with|to)|speak(?:ing)? (?:with|to)|called|ask(?:ed)?|tell|tol"
    r"d|e-?mailed|add|invite"
    r"|cc|attn|author|reporter|reported by|assignee|assigned to|signed|in the name of|behalf of|c/o|kollegen?|kolleg"
    r"in|chef)"
    r"[.,:;]{0,2}[ \t\n>*]{1,4}|(?:^|\n)[ \t>*]{0,6}--[ ]?\n?|(?<!\S)@)\Z"
)
_NOBODY: Final = frozenset(
    "all folks team everyone everybody there guys support sir madam friend friends community experts colleagues cust"
    "omer support"
    " user users admin thanks thank's again please".split()
)
_CORNER: Final = re.compile(r"(?i)(?:\bthe )?\b(?:corner|intersection) of (?:the )?$")
_GLUED_BEFORE: Final = re.compile(r"[\w/\\._$=%&~-]\Z|[:#]\Z")
_GLUED_AFTER: Final = re.compile(r"[\w\\_$=&~%]|[-/:.][\w]")
_CODES: Final = re.compile(
    r"\b[A-Z]{2,}[-_]?\d{3,}|\b[A-Z]{2,}-\d{4}-\d|\d\.\d+\.\d|\b0x|[_={}\[\]]|::|\b[a-z]+[A-Z]\w|[a-z]{3}[A-Z]"
)
_NO_PHONE: Final = re.compile(r"\d+(?:\.\d+){3}|0+|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}|(?:19|20)\d{6}|.*[A-WYZa-wyz].*")
_DATE: Final = re.compile(
    r"(?i)^(?:(?:mon|tue|wed|thu|fri|sat|sun)\w{0,6},? )?(?:\d{1,2}\.? )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|"
    r"nov|dec)\w{0,6}"
    r"(?: \d{1,4})?(?:,? \d{4})?$"
)
_POSTCODE: Final = re.compile(r"\d{3,6}(?:[ -]\d{2,4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d|[A-Z]{1,2}\d{1,2}[A-Z]? \d[A-Z]{2}")
_SAID_CODE: Final = re.compile(r"(?i)\b(?:zip|post(?:al)?)(?:[ -]?code)?(?: is|:)?\s{0,2}$")
_ADDRESS_WORD: Final = re.compile(
    r"\b[^\W\d_a-z][^\W\d_A-Z]{2,}|\b(?:Box|PSC|APO|FPO|DPO)\b|[^\W\d_]{3,}(?:stra(?:ß|ss)e|gasse|weg|gata|katu|laan"
    r"|vej)\b|[^\x00-\u02ff]{2,}"
)
_THING_AND_NUMBER: Final = re.compile(
    r"(?:[^\W\d_][\w'’-]*[ ]){0,3}\d{1,4}(?:[ ](?:SP|R|RC|U|LTS|v)[ .]?\d*)?|\d{1,4}[ ][A-Z]{1,3}\d{0,2}"
)
_PROSE: Final = re.compile(r"^[a-zß-ÿ]{4,} |(?<=, )(?:[a-zß-ÿ]{1,12} )?[a-zß-ÿ]{5,}$")
_STREET: Final = re.compile(
    r"(?i)\b(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|court|ct|square|sq|place|pl|way|close|terrace|blvd|boulevard"
    r"|highway|hwy|box|rue|allée|impasse|quai|via|viale|piazza|calle|avenida|plaza|paseo|rua|travessa|ul|ulica|ulitsa|laan"
    r"|straat|gade|vej|gata|gatan|katu|tie)\b|(?:str(?:\.|a(?:ß|ss)e)|gasse|weg|platz|allee|damm|ufer|ring|hof|steig)\b"
)
_LIVES: Final = re.compile(
    r"(?i)(?:address|live|lives|living|reside|ship|send|deliver|mail|post|office|visit|located|moved|home|house|flat"
    r"|adresse|wohn|liefer|schick|zieh|habit|livr|envoy|demeur|direcci|vivo|vive|envi|domicil|endereço|moro|indirizzo|abito)"
)
_CORNER_IN: Final = re.compile(r"(?i)(?:the )?(?:corner|intersection) ")
_CROSSING: Final = re.compile(
    r"\.? (?:and|&) (?:(?:[^\W\d_a-z][\w.'’-]{0,30}|\d{1,5}|ul\.|d[eou]|la|van)(?: |(?=\W|"
    r"$))){1,5}(?<! )"
)
CORNER_CHARS: Final = 24
LIVES_CHARS: Final = 48
ASSIGNED_CHARS: Final = 48
ADDRESS_MIN: Final = 0.6
ADDRESS_WORDS_MIN: Final = 0.95
"""Chances from which words with and without a figure are an address."""
ADDRESS_CHARS_MIN, ADDRESS_CHARS_MAX = 6, 400
CODE_MIN: Final = 0.97
"""Chance from which a postcode by itself is part of one."""
TOLD_MIN: Final = 0.3
LISTED_MIN: Final = 0.5
LOWER_LISTED_MIN: Final = 0.95
UNKNOWN_MIN: Final = 0.7
PLAIN_MIN: Final = 0.9
NEVER: Final = 2.0
PHONE_MIN: Final = 0.8
SAME_NAMES_MAX: Final = 200
VALUES_COUNTED_MAX: Final = 200
THING_MIN: Final = 3


def persons_and_addresses(text: str, finder: NameFinder, *, told_only: bool) -> list[Span]:
    """`told_only`: of persons those whom somebody introduces, greets or knows."""
    # Asked once: for every name it would be quadratic.
    small, shouted = text.islower(), text.isupper()
    found = [
        span
        for one in finder.spans(text)
        if (span := _judged(text, one, small=small, shouted=shouted, told_only=told_only)) is not None
    ]
    if not found:
        return []
    code = [match.span() for match in _CODE.finditer(text)]
    kept = [span for span in found if not _within(span.start, span.end, code)]
    kept = _without_things(text, kept)
    return kept + list(_again(text, kept, code))


def _without_things(text: str, spans: list[Span]) -> list[Span]:
    """What is a person in fewer than half of the places where it stands is none: a product that is named all over."""
    seen = Counter(text[span.start : span.end] for span in spans if span.type == "PERSON")
    things = {
        value
        for value, times in islice(seen.items(), VALUES_COUNTED_MAX)
        if 2 * times < (stands := text.count(value)) and stands >= THING_MIN
    }
    return [span for span in spans if span.type != "PERSON" or text[span.start : span.end] not in things]


def _within(start: int, end: int, code: list[tuple[int, int]]) -> bool:
    """Does any of these ranges, which are in order, touch it?"""
    at = bisect_left(code, (end, 0)) - 1
    return at >= 0 and code[at][1] > start


def _judged(text: str, span: NamedSpan, *, small: bool, shouted: bool, told_only: bool) -> Span | None:
    """`small`: the whole text is in small letters; `shouted`: in capitals."""
    if span.type == "PERSON":
        person = _person(text, span, small=small, shouted=shouted)
        return person if person is None or not told_only or _known_to(text, person.start) else None
    if _GLUED_BEFORE.search(text, max(0, span.start - 2), span.start) or _GLUED_AFTER.match(text, span.end):
        return None
    value = text[span.start : span.end]
    if span.type == "PHONE":
        stands = span.chance >= PHONE_MIN and not _NO_PHONE.fullmatch(value) and 6 <= sum(map(str.isdigit, value)) <= 15
        return Span(start=span.start, end=span.end, type="PHONE") if stands else None
    if not _is_address(text, span, value, cased=not (small or shouted)):
        return None
    start, end = span.start, span.end
    corner = _CORNER.search(text, max(0, start - CORNER_CHARS), start)
    start = corner.start() if corner else start
    if corner or _CORNER_IN.match(value):
        crossing = _CROSSING.match(text, end)
        end = crossing.end() if crossing else end
    return Span(start=start, end=end, type="ADDRESS")


def _is_address(text: str, span: NamedSpan, value: str, *, cased: bool) -> bool:
    """`cased`: the text has capitals and small letters, so that names are told by theirs."""
    figures = sum(map(str.isdigit, value))
    if _CODES.search(value) or _DATE.search(value):
        return False
    if _POSTCODE.fullmatch(value):
        assigned = text[max(0, span.start - ASSIGNED_CHARS) : span.start].rstrip()[-1:] in (":", "=")
        return (span.chance >= CODE_MIN and not assigned) or _SAID_CODE.search(
            text, max(0, span.start - 24), span.start
        ) is not None
    named = _ADDRESS_WORD.search(value) is not None or not cased
    like_prose = _PROSE.search(value) is not None and cased
    if (
        (like_prose or _THING_AND_NUMBER.fullmatch(value))
        and not _STREET.search(value)
        and not _told_where(text, span.start)
    ):
        return False  # Debian 12, SUSE 15 SP4; "sous Debian 12, les sauvegardes"
    if not named or not ADDRESS_CHARS_MIN <= len(value) <= ADDRESS_CHARS_MAX:
        return False
    return span.chance >= (ADDRESS_MIN if figures else ADDRESS_WORDS_MIN) and " " in value


def _told_where(text: str, start: int) -> bool:
    """What stands before says that a place comes: a name with a figure is a product and its version otherwise."""
    return _LIVES.search(text, max(0, start - LIVES_CHARS), start) is not None


def _person(text: str, span: NamedSpan, *, small: bool, shouted: bool) -> Span | None:
    start, end = span.start, span.end
    if not small:
        start, end = _without_prose(text, start, end)
    value = text[start:end]
    if (
        value.lower() in _NOBODY
        or sum(map(str.isalpha, value)) < 2
        or _SHORTENED.search(value)
        or _CAMEL.search(_CAMEL_NAME.sub("", value))
    ):
        return None
    if _JOINED_BEFORE.search(text, max(0, start - 2), start) or _JOINED_AFTER.match(text, end):
        return None
    if value == text.strip() and value.islower() and not span.listed:
        return None  # a fingerprint, a name of a thing
    told = _told(text, start)
    if value.islower() and not (told or small) and not (span.listed and span.chance >= LOWER_LISTED_MIN):
        return None
    return (
        Span(start=start, end=end, type="PERSON")
        if span.chance >= _enough(value, span, told=told, shouted=shouted)
        else None
    )


def _enough(value: str, span: NamedSpan, *, told: bool, shouted: bool) -> float:
    """The chance from which it is a person: what is known as a name, or announced as one, needs least."""
    if told:
        return TOLD_MIN
    if value.isupper() and " " not in value and not shouted:
        return NEVER  # letters that stand for a thing, or a heading
    if span.listed:
        return LISTED_MIN if " " not in value else 0.0
    return PLAIN_MIN if span.plain else UNKNOWN_MIN


def _told(text: str, start: int) -> bool:
    """What stands before says that a name comes: in small letters among capitals that is needed."""
    return _TOLD.search(text, max(0, start - 24), start) is not None


def _known_to(text: str, start: int) -> bool:
    """Is it somebody who writes, is written to, or is known to who writes?"""
    return _KNOWN.search(text, max(0, start - 28), start) is not None


def _without_prose(text: str, start: int, end: int) -> tuple[int, int]:
    """Words in small letters at the edges of a run with capitals are not of the name."""
    words = [match.span() for match in _BETWEEN_BLANKS.finditer(text, start, end)]
    if text[start:end].islower():
        return start, end
    while len(words) > 1 and text[slice(*words[0])].islower() and text[slice(*words[0])] not in _PARTICLES:
        words.pop(0)
    while len(words) > 1 and text[slice(*words[-1])].islower():
        words.pop()
    return words[0][0], words[-1][1]


def _again(text: str, kept: list[Span], code: list[tuple[int, int]]) -> Iterator[Span]:
    """A full name that was found once is taken out wherever it stands outside of code."""
    names = {
        text[span.start : span.end] for span in kept if span.type == "PERSON" and " " in text[span.start : span.end]
    }
    for name in sorted(names)[:SAME_NAMES_MAX]:
        at = text.find(name)
        while at >= 0:
            end = at + len(name)
            edges = text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()
            if not edges and not _within(at, end, code):
                yield Span(start=at, end=end, type="PERSON")
            at = text.find(name, end)
