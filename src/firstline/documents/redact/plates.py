"""Which signs are on somebody's vehicle? Said to be so: by form alone a plate is a part number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from firstline.documents.redact.spans import Span

_PLATE: Final = re.compile(
    r"(?i:\b(?:(?:licen[cs]e|number|registration|vehicle|car|tag)[ -]plates?|plates?[ -](?:no\b|number|#)|kfz[ -]?ke"
    r"nnzeichen|kennzeichen"
    r"|nummernschild|plaque(?: d[’']immatriculation)?|immatriculation|matr[íi]cula|placa|targa|kenteken(?:plaat)?|ta"
    r"blica rejestracyjna"
    r"|(?:car|vehicle|truck|van)(?:'s|’s)? registration(?: number)?|ナンバープレート)\b)"
    r"(?i:(?:[ \t]{0,2}(?:is|was|are|no\.?|number|ist|lautet|war|est|es|[ée]|del|de|of|the|my|our|car|vehicle|auto|c"
    r"oche|:|#|=|\(|\"|'|`|“))){0,5}[ \t\n:]{0,3}"
    r"(?P<value>(?=[A-ZÄÖÜ0-9·. -]{0,14}\d)(?=[A-ZÄÖÜ0-9·. -]{0,14}[A-ZÄÖÜ])[A-ZÄÖÜ0-9]{1,8}(?:[ ·.-]{1,3}[A-ZÄÖÜ0-9"
    r"]{1,7}){0,3})(?![\w-])"
)
_CUES: Final = (
    "plate",
    "kennzeichen",
    "schild",
    "immatric",
    "matr",
    "placa",
    "targa",
    "kenteken",
    "tablica",
    "registration",
    "ナンバー",
)
"""One of them stands in every text that names a plate; looking for them is quicker than for the pattern."""


def plates(text: str) -> Iterator[Span]:
    """Capitals and figures right behind a word for a number plate. `text` holds a digit."""
    low = text.lower()
    if not any(cue in low for cue in _CUES):
        return
    for match in _PLATE.finditer(text):
        yield Span(start=match.start("value"), end=match.end("value"), type="PLATE")
