"""What does a message in German, French, Spanish or Japanese sound like? Learned where signs end.

Signs (`signs_de.py` and so on) know the wordings that somebody thought of. This is a linear reading of the pieces of
words, fitted by `training/triage/tongues.py` on sentences of the four languages: it knows a wording again that is put
in another order or form. English has the classifier, which reads the meaning too.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

import numpy as np

from firstline.domain import Category, Intent

WORDS_MAX: Final = 60
WORD_CHARS_MAX: Final = 40
CHARS_MAX: Final = 300
"""Of a script without blanks; what somebody wants stands at the start."""
PIECE_LENGTHS: Final = (3, 4, 5, 6)
RUN_LENGTHS: Final = (1, 2, 3, 4)
TELLING_WORDS_MIN: Final = 2
TELLING_SHARE_MIN: Final = 0.6
_WORD: Final = re.compile(r"[^\W_]+")
_DIGITS: Final = re.compile(r"\d+")
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_STAKES: Final = (
    (
        Intent.LEGAL,
        re.compile(
            r"anwal|gericht|\bklag|verklag|polizei|behor|avocat|tribunal|justice|police|abogad|juicio|policia|denunci"
            r"|弁護士|裁判|訴|警察|当局"
        ),
    ),
    (
        Intent.BILLING_DISPUTE,
        re.compile(
            r"geld|euro|abgebuch|abgezog|rechnung|erstatt|\bzahl|argent|rembours|factur|prelev|debit|dinero|cobr|cargo"
            r"|reembols|返金|請求|払|引き落と|お金"
        ),
    ),
    (
        Intent.DELETION,
        re.compile(r"losch|entfern|daten\b|effac|supprim|donnees|borr|elimin|datos|削除|消|情報"),
    ),
    (
        Intent.CANCELLATION,
        re.compile(
            r"kundig|vertrag|\babo|mitglied|beend|verlang|resili|contrat|abonn|annul|renouvel|cancel|\bbaja|suscri|renov"
            r"|解約|契約|退会|終わ|更新|やめ"
        ),
    ),
)
"""Stems of the folded words; the first that is found names the matter."""


def read_as(folded: str) -> Mapping[Category, float]:
    """Shares that sum to 1; `folded`: of `tongues.fold`. Of a message without any known piece they are those of the
    sentences that it was fitted on."""
    places, weights, bias = _model()
    known = [places[piece] for piece in pieces_of(folded) if piece in places]
    logits = bias + weights[known].sum(axis=0) / math.sqrt(max(1, len(known)))
    shares = np.exp(logits - logits.max())
    return MappingProxyType(dict(zip(Category, map(float, shares / shares.sum()), strict=True)))


def stakes_of(folded: str) -> Intent:
    """Which of the high stakes a message is about that sounds like one of them."""
    return next((intent for intent, stems in _STAKES if stems.search(folded)), Intent.COMPLAINT)


def made_of_known_words(folded: str) -> bool:
    """Most of its words stand in the sentences of the four languages: what no short word tells, its own words do."""
    places, _, _ = _model()
    words = [word for word in _WORD.findall(_DIGITS.sub("", folded))[:WORDS_MAX] if len(word) > 1]
    known = sum(f" {word} " in places for word in words)
    return len(words) >= TELLING_WORDS_MIN and known >= TELLING_SHARE_MIN * len(words)


def pieces_of(folded: str) -> frozenset[str]:
    """Words, neighbours, words with one between them, and pieces of words; of Japanese every short run of letters."""
    plain = _DIGITS.sub("", folded)
    if _UNSPACED.search(plain):
        line = f"^{' '.join(plain.split())[:CHARS_MAX]}$"
        return frozenset(line[at : at + size] for size in RUN_LENGTHS for at in range(len(line) - size + 1))
    words = _WORD.findall(plain)[:WORDS_MAX]
    marked = ["^", *words, "$"]
    found = {" ".join(marked[at : at + 2]) for at in range(len(marked) - 1)}
    found |= {f"{marked[at]}\t{marked[at + 2]}" for at in range(len(marked) - 2)}
    for word in words:
        edged = f" {word[:WORD_CHARS_MAX]} "
        found.add(edged)
        found |= {edged[at : at + size] for size in PIECE_LENGTHS for at in range(len(edged) - size + 1)}
    return frozenset(found)


@cache
def _model() -> tuple[Mapping[str, int], np.ndarray, np.ndarray]:
    raw = files("firstline.questions.message").joinpath("tongues.npz").read_bytes()
    with np.load(io.BytesIO(raw), allow_pickle=False) as file:
        vocabulary = str(file["vocabulary"]).split("\n")
        weights, bias = file["weights"].astype(np.float32), file["bias"].astype(np.float32)
    return {piece: place for place, piece in enumerate(vocabulary)}, weights, bias
