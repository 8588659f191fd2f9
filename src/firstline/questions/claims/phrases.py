"""Which phrases come to one word? "Has to" is "must", "4.2 or later" is at least 4.2, "5-10" is 5 to 10.

Read before a text is cut into words, so that a claim and its source meet whichever way each of them says it.
"""

from __future__ import annotations

import re
from typing import Final

_BE: Final = r"(?:is|are|was|were|be|being)"
_NUMBER: Final = (
    r"(?:[-\u2212$€£]?\d"
    r"|(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|half|an?\s+(?:hour|minute))\b)"
)
_QUANTITY: Final = r"(?:(?<![\w.)\]-])[-\u2212])?v?\d[\w.,]*(?:\s(?!or\b|and\b)[A-Za-z]{1,12})?"
_AND_MORE: Final = "more|higher|above|later|newer|greater|up|beyond|upwards|onwards"
_AND_LESS: Final = "less|lower|below|earlier|older|fewer"


def _joined(words: str) -> str:
    return "|".join(f"{join} {word}" for word in words.split("|") for join in ("or", "and"))


def _compiled(pattern: str) -> re.Pattern[str]:
    # Where the phrase may begin with a number, a minus in front of it is part of it.
    begins = r"(?:\b|(?<!\w)(?=[-\u2212]\d))" if _QUANTITY in pattern else r"\b"
    return re.compile(rf"{begins}(?:{pattern})(?![\w'’])", re.IGNORECASE)


# Longer phrases first. A phrase is looked for only where one of the words in front of it stands in the text at all.
_PHRASES: Final = tuple(
    (tuple(cores.split("|")), _compiled(pattern), said)
    for cores, pattern, said in (
        (
            "not re|not ne|not ob|not ma",
            rf"{_BE}\s+not\s+(?:required|necessary|needed|obliged|mandatory)(?:\s+(?:to|that))?",
            " needless ",
        ),
        ("have to|need to", r"(?:do|does|did)\s+not\s+(?:have|need)\s+to", " needless "),
        ("need", r"need\s+not", " needless "),
        ("must|shall", r"(?:must|shall)\s+not", " must not "),
        ("allowed", rf"{_BE}\s+(?:not|never)\s+allowed\s+to", " must not "),
        ("has to|have to|had to|need", r"(?:has|have|had|need|needs|needed)\s+to", " must "),
        (
            "requir|need|necess|oblig|mandat|essent",
            rf"(?:it\s+is\s+|{_BE}\s+)(?:required|obliged|needed|necessary|mandatory|essential)\s+(?:to|that|for)",
            " must ",
        ),
        (
            "recommend|advis|suggest",
            rf"(?:it\s+is\s+|{_BE}\s+)?(?:recommended|advised|advisable|suggested)(?:\s+(?:to|that))?",
            " should ",
        ),
        (
            "recommend|advise|suggest",
            r"(?:we|i)\s+(?:strongly\s+)?(?:recommend|advise|suggest)(?:\s+(?:to|that|you\s+to|you))?",
            " should ",
        ),
        ("able to", rf"(?:{_BE}\s+)?(?:not\s+able|unable)\s+to", " can not "),
        ("fail", r"(?:fails?|failed)\s+to", " can not "),
        ("can|could", r"(?:can|could)\s*not", " can not "),
        ("able to|allowed to|permitted to", rf"(?:{_BE}\s+)?able\s+to|{_BE}\s+(?:allowed|permitted)\s+to", " can "),
        ("possible", r"it\s+is\s+possible\s+(?:to|that)", " can "),
        ("longer|more", r"no\s+longer|not\s+any\s*(?:more|longer)", " not anymore "),
        ("than", r"(?:no|not)\s+(?:more|greater|later|higher|larger)\s+than", " upmost "),
        ("than", r"(?:no|not)\s+(?:less|fewer|lower|smaller|earlier)\s+than", " least "),
        ("least|minimum", r"at\s+(?:the\s+very\s+)?least|(?:a\s+)?minimum\s+of", " least "),
        ("most|up to|maximum", r"at\s+(?:the\s+very\s+)?most|up\s+to|(?:a\s+)?maximum\s+of", " upmost "),
        ("within|many|much", rf"(?:within|as\s+(?:many|much)\s+as)(?=\s+{_NUMBER})", " upmost "),
        ("since", r"since(?=\s+(?:version\s+|(?-i:[A-Z])\w*\s+){0,3}v?\d)", " least "),
        ("as of", r"as\s+of(?=\s+(?:version\s+)?v?\d)", " least "),
        ("upward|excess", r"(?:upwards?\s+of|in\s+excess\s+of)", " more "),
        (
            "about|around|approx|circa|rough|some",
            rf"(?:about|around|approximately|approx\.?|circa|roughly|some)(?=\s+{_NUMBER})",
            " approximately ",
        ),
        ("or so", rf"({_QUANTITY})\s+or\s+so", r" approximately \1 "),
        (_joined(_AND_MORE), rf"({_QUANTITY}\s+)?(?:or|and)\s+(?:{_AND_MORE})(?!\s+than)", r" least \1 "),
        (_joined(_AND_LESS), rf"({_QUANTITY}\s+)?(?:or|and)\s+(?:{_AND_LESS})(?!\s+than)", r" upmost \1 "),
        ("than", r"(?:more|greater|higher|larger)\s+than", " more "),
        ("than", r"(?:less|fewer|lower|smaller)\s+than", " less "),
        (
            "as |case|provided|condition",
            r"as\s+(?:long|soon)\s+as|in\s+case(?:\s+(?:of|that))?|provided\s+that|on\s+condition\s+that",
            " if ",
        ),
        ("prior to|ahead of|advance of", r"prior\s+to|ahead\s+of|in\s+advance\s+of", " before "),
        ("subsequent|following this|after that", r"subsequent\s+to|following\s+this|after\s+that", " after "),
        ("well as|with", r"as\s+well\s+as|along\s+with|together\s+with", " and "),
        ("order to|so as", r"in\s+order\s+to|so\s+as\s+to", " to "),
        ("other than|apart from", r"other\s+than|apart\s+from", " except "),
        ("nothing", r"nothing\s+(?:but|except)", " only "),
        ("example|instance|e.g.|i.e.|such as", r"for\s+example|for\s+instance|e\.g\.|i\.e\.|such\s+as", " , which "),
        ("note|mind|aware", r"(?:please\s+)?note\s+that|keep\s+in\s+mind\s+that|be\s+aware\s+that", " "),
        ("switch", r"switch(?:ed|es|ing)?(?=\s+(?:on|off))", " turn "),
    )
)
_SHORT_CAN: Final = re.compile(r"\b(ca|wo)n['’]t\b", re.IGNORECASE)
_SHORT_NOT: Final = re.compile(r"n['’]t\b", re.IGNORECASE)
_SHORT_IS: Final = re.compile(r"\b(it|that|there|here|what|he|she)['’]s\b", re.IGNORECASE)
_SHORT_FORM: Final = re.compile(r"(?<=\w)['’](?:s|re|ve|ll|d|m)\b", re.IGNORECASE)


def with_phrases_read(text: str) -> str:
    """Phrases as the words that they come to ("has to": "must"), contractions in full."""
    text = with_quantities_read(text)
    if "'" in text or "’" in text:
        text = _SHORT_CAN.sub(lambda found: "can not" if found[1].casefold() == "ca" else "will not", text)
        text = _SHORT_NOT.sub(" not", text)
        text = _SHORT_FORM.sub(" ", _SHORT_IS.sub(r"\1 is", text))
    lowered = text.casefold().replace("\n", " ")
    for cores, pattern, said in _PHRASES:
        for core in cores:
            if core in lowered:
                text = pattern.sub(said, text)
                break
    return text


_MONTHS: Final = {
    name: f"{number:02}"
    for number, names in enumerate(
        "jan january,feb february,mar march,apr april,may,jun june,jul july,aug august,sep sept september,oct october,"
        "nov november,dec december".split(","),
        start=1,
    )
    for name in names.split()
}
_MONTH: Final = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})"
_DAY: Final = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR: Final = r"(?P<year>[12]\d{3})"
_DATES: Final = (
    re.compile(rf"\b{_MONTH}\.?\s+{_DAY},?\s+{_YEAR}(?![\w-])", re.IGNORECASE),
    re.compile(rf"(?<![\w.-]){_DAY}\s+(?:of\s+)?{_MONTH}\.?,?\s+{_YEAR}(?![\w-])", re.IGNORECASE),
)
_RANGE_FRONT: Final = r"(?<![\w./:)+-])(?P<low>[-\u2212]?\d+(?:\.\d+)?)"
_RANGE_BACK: Final = r"(?P<high>[-\u2212]?\d+(?:\.\d+)?)(?![\w]*[-/:]\d|\.\d)"
_RANGES: Final = (
    re.compile(rf"{_RANGE_FRONT}\s?[-\u2013\u2014]\s?{_RANGE_BACK}"),
    re.compile(
        rf"{_RANGE_FRONT}(?P<unit>\s?[A-Za-z%]{{1,12}})?\s+(?:to|through|thru|till)\s+{_RANGE_BACK}"
        r"(?(unit)(?=(?P=unit)\b))"
    ),
)
_BETWEEN: Final = re.compile(rf"\bbetween\s+{_RANGE_FRONT}\s+and\s+{_RANGE_BACK}", re.IGNORECASE)
_CIRCA: Final = re.compile(r"[~\u2248]\s?(?=\d)")
_DEGREES: Final = re.compile(r"\s?(?:\u00b0\s?|\bdegrees?\s+)([CF])(?:elsius|ahrenheit)?\b", re.IGNORECASE)
_MINUS: Final = re.compile(r"\b(?:minus|negative)\s+(?=\d)", re.IGNORECASE)
_YEARS: Final = re.compile(r"[12]\d{3}(?!\w)")
_SIGNS: Final = {">=": "least", ">": "more", "<=": "upmost", "<": "less"}
_COMPARED: Final = re.compile(r"(?<![-=<>])([<>]=?)(?=\s?v?\d)")
_DIGIT: Final = re.compile(r"\d")


def with_quantities_read(text: str) -> str:
    """Dates as 2026-05-03, ranges as "5 to_range 10", degrees as C or F, "~5" as approximately 5."""
    if not _DIGIT.search(text):
        return text
    if _YEARS.search(text):
        for pattern in _DATES:
            text = pattern.sub(_iso, text)
    if "inus" in text or "egative" in text:
        text = _MINUS.sub(" -", text)
    for pattern in _RANGES:
        text = pattern.sub(_spelled_range, text)
    if "etween" in text:
        text = _BETWEEN.sub(_spelled_range, text)
    if "\u00b0" in text or "degree" in text:
        text = _DEGREES.sub(lambda found: f" {found[1].upper()}", text)
    if "<" in text or ">" in text:
        text = _COMPARED.sub(lambda found: f" {_SIGNS[found[1]]} ", text)
    return _CIRCA.sub(" approximately ", text)


def _iso(found: re.Match[str]) -> str:
    return f"{found['year']}-{_MONTHS[found['month'].casefold()]}-{int(found['day']):02}"


def _spelled_range(found: re.Match[str]) -> str:
    return f"{found['low']}{found.groupdict().get('unit') or ''} to_range {found['high']}"
