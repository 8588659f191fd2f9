"""Which numbers name a person to an authority? By form and checksum, and where that says little by the words before.

Countries: United States, United Kingdom, Germany, France, Spain, Italy, Netherlands, Belgium, Poland, Sweden, Finland,
Norway, Denmark, Switzerland, Austria, Portugal, Brazil, India, Canada, Australia; passports and driving licences of
any.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from firstline.documents.redact import checksums
from firstline.documents.redact.spans import Span

WORDS_BEFORE: Final = 64
"""How many characters before a number are read for what it is."""

_NAMES: Final = (
    r"(?i)\b(?:ssn|sin|tfn|nhs|nino|bsn|sofi|dni|nie|nif|niss|nir|insee|cpf|cpr|pesel|hetu|ahv|avs|svnr|aadhaar|aadh"
    r"ar|itin"
    r"|social (?:security|insurance)|s[ée]curit[ée] sociale|sozialversicherung\w{0,8}|steuer(?:liche)?[ -]?(?:id\w{0"
    r",24}|nummer)|idnr"
    r"|tax(?:payer)? (?:id\w{0,16}|file|no\b|number)|national (?:id\w{0,10}|insurance|number)|identity (?:card|numbe"
    r"r|no)|id card"
    r"|ausweis\w{0,8}|personal (?:number|code|id)|person(?:nummer|nr)|f[øo]dsels\w{0,8}|burgerservicenummer|rijksreg"
    r"ister\w{0,8}"
    r"|num[ée]ro national|codice fiscale|contribuinte|henkil[öo]tunnus|medicare|id number)\b"
)
_SAID: Final = re.compile(_NAMES)
_WORDS: Final = re.compile(_NAMES + r"[^\n]{0,40}$")
_PAPERS: Final = re.compile(
    r"(?i:\b(?:passport|reisepass|passeport|pasaporte|passaporto|driv(?:er|ing)(?:'?s|’s)? licen[cs]e|driver(?:'?s|’"
    r"s)? permit"
    r"|f[üu]hrerschein\w{0,8}|permis de conduire|id card|identity card|personalausweis\w{0,8})"
    r"(?:[ \t]{0,2}(?:#|nr\.?|no\.?|n°|num(?:ber|mer|[ée]ro)|id|is|was|ist|est|es|:|=|\())*)[ \t\n:=#(\"']{1,4}"
    r"(?P<value>(?=[A-Z0-9 -]{0,16}\d)[A-Z0-9](?:[ -]?[A-Z0-9]){5,18})(?![\w-])"
)
_PAPER_CUES: Final = ("pass", "pasa", "licen", "permi", "schein", "card", "ausweis")
_MARKS: Final = re.compile(r"[\s./·-]")


def _scheme(
    pattern: str, check: Callable[[str], bool], *, named: bool
) -> tuple[re.Pattern[str], Callable[[str], bool], bool]:
    """`named`: only behind a word that says what it is."""
    return re.compile(rf"(?<![\w.+-])(?:{pattern})(?![\w-]|[.,]\d)"), check, named


_SCHEMES: Final = (
    _scheme(r"\d{3}-\d{2}-\d{4}", checksums.american, named=False),
    _scheme(r"\d{3}[ .]?\d{2}[ .]?\d{4}", checksums.american, named=True),
    _scheme(r"9\d\d-[5-9]\d-\d{4}", lambda _: True, named=False),
    _scheme(
        r"(?![DFIQUV]|GB|BG|NK|KN|TN|NT|ZZ)[A-Z](?![DFIOQUV])[A-Z] ?\d\d ?\d\d ?\d\d ?[A-D]",
        lambda _: True,
        named=False,
    ),
    _scheme(r"\d{3} ?\d{3} ?\d{4}", checksums.british_health, named=True),
    _scheme(r"\d{2} ?\d{3} ?\d{3} ?\d{3}", checksums.german_tax, named=True),
    _scheme(
        r"[12] ?\d\d ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d", checksums.french, named=False
    ),
    _scheme(r"(?:\d{8}|[XYZ]-?\d{7})-?[A-HJ-NP-TV-Z]", checksums.spanish, named=False),
    _scheme(r"[A-Z]{6}[\dL-NP-V]{2}[ABCDEHLMPRST][\dL-NP-V]{2}[A-Z][\dL-NP-V]{3}[A-Z]", checksums.italian, named=False),
    _scheme(r"\d{3,4}[. ]?\d\d[. ]?\d{3}", checksums.dutch, named=True),
    _scheme(r"\d\d\.\d\d\.\d\d-\d{3}\.\d\d", checksums.belgian, named=False),
    _scheme(r"\d{11}", checksums.belgian, named=True),
    _scheme(r"\d{11}", checksums.polish, named=True),
    _scheme(r"(?:19|20)?\d{6}[+-]\d{4}", checksums.swedish, named=False),
    _scheme(r"(?:19|20)?\d{10}", checksums.swedish, named=True),
    _scheme(r"\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]", checksums.finnish, named=False),
    _scheme(r"\d{6} ?\d{5}", checksums.norwegian, named=True),
    _scheme(r"\d{6}-?\d{4}", checksums.danish, named=True),
    _scheme(r"756[. ]?\d{4}[. ]?\d{4}[. ]?\d\d", checksums.swiss, named=False),
    _scheme(r"\d{4} ?\d{6}", checksums.austrian, named=True),
    _scheme(r"\d{3} ?\d{3} ?\d{3}", checksums.portuguese, named=True),
    _scheme(r"\d{3}\.\d{3}\.\d{3}-\d\d", checksums.brazilian, named=False),
    _scheme(r"\d{11}", checksums.brazilian, named=True),
    _scheme(r"\d{4}[ -]\d{4}[ -]\d{4}", checksums.indian, named=True),
    _scheme(r"\d{12}", checksums.indian, named=True),
    _scheme(r"\d{3}[ -]?\d{3}[ -]?\d{3}", checksums.luhn, named=True),
    _scheme(r"\d{3} ?\d{3} ?\d{2,3}", checksums.australian, named=True),
)


def national_ids(text: str) -> Iterator[Span]:
    """Numbers of persons. `text` holds a digit."""
    said = _SAID.search(text) is not None
    for pattern, check, named in _SCHEMES:
        if named and not said:
            continue
        for match in pattern.finditer(text):
            if named and not _WORDS.search(text[max(0, match.start() - WORDS_BEFORE) : match.start()]):
                continue
            if check(_MARKS.sub("", match.group()) if pattern.pattern.find("[-+A-FU-Y]") < 0 else match.group()):
                yield Span(start=match.start(), end=match.end(), type="NATIONAL_ID")


def papers(text: str) -> Iterator[Span]:
    """Numbers right behind a word for a passport, an identity card or a driving licence. `text` holds a digit."""
    low = text.lower()
    if not any(cue in low for cue in _PAPER_CUES):
        return
    for match in _PAPERS.finditer(text):
        yield Span(start=match.start("value"), end=match.end("value"), type="NATIONAL_ID")
