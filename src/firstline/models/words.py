"""Words for BM25: how an engineer's text becomes weighted term ids.

Plain English words are stemmed. Everything that looks like code (error numbers, versions, dotted, snake_case,
kebab-case and camelCase names, flags, paths, addresses) is kept whole, to the letter, AND in its parts, so that
`NodeNotReady`, `node not ready` and `--node-not-ready` meet. Text without spaces between words (Chinese, Japanese,
Korean, Thai) becomes overlapping pairs of characters.
"""

from __future__ import annotations

import math
import re
import threading
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol, cast

import snowballstemmer  # pyright: ignore[reportMissingTypeStubs]  # the package ships none

from firstline.ports import SparseVector

_STOP_WORDS: Final = frozenset(
    re.findall(
        r"[a-z]+",
        """
        a an the this that these those there here i me my mine we us our ours you your yours he him his she
        her hers it its they them their theirs myself yourself itself themselves who whom whose which what
        when where why how is am are was were be been being do does did doing done have has had having will
        would shall should can could may might must and or but nor so if then than as at by for from in into
        of on onto off to too with without within about after before between during over under again once
        until while because also just only very such some any each both few more most other own same all no
        not don t s d ll m re ve isn aren wasn weren doesn didn hasn haven hadn won wouldn couldn shouldn
        please hi hello thanks thank
        """,
    )
)

_NEGATORS: Final = frozenset(
    "without no not non never except cannot dont doesnt cant unable disable disabled disabling".split()
)
_NEGATION_REACH: Final = 3
"""How many words after a negation it may be about: "not yet been encrypted"."""
_NEGATED: Final = "\x00not "

# Scripts that are written without spaces: Thai to Khmer, Hiragana, Katakana, Han, Hangul.
_UNSPACED: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_RUN: Final = re.compile(
    rf"[{_UNSPACED}]+"  # unspaced text
    rf"|(?:(?<!\w)--?(?=[^\W\d]))?[^\W{_UNSPACED}]+(?:(?:::|->|[.\-/\\:@+#=])[^\W{_UNSPACED}]+)*"  # a word or a name
)
_IS_UNSPACED: Final = re.compile(rf"[{_UNSPACED}]")
_JOINT: Final = re.compile(r"[\W_]+")
_HUMPS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[^\W\d_A-Z]+|[A-Z]|\d+")
_VERSION: Final = re.compile(r"[vV]?(\d+(?:\.\d+)+)")
_VOLATILE: Final = re.compile(
    r"0x[0-9a-f]{9,}|(?=[0-9a-f-]*\d)[0-9a-f]{8}-?[0-9a-f-]{8,}"  # addresses, hashes, UUIDs
    r"|\d{4}[-/]\d\d[-/]\d\d(?:t\d.*)?|\d\d?[:.]\d\d[:.]\d\d(?:[:.]\d+)?|\d{9,}"  # dates, times, long counters
)
_PARTS_MAX: Final = 24
_RUN_CHARS_MAX: Final = 512
_CACHE_RUNS: Final = 1 << 17

_NAME_RARITY: Final = 7.0
_PART_RARITY: Final = 3.0


@dataclass(frozen=True, kw_only=True, slots=True)
class EngineerWords:
    """A `WordEncoder`. Term ids are CRC-32 of the term: the same in every process and version of Python.

    `length_average` is the weighted number of terms of a usual chunk with its title (about 200 model tokens). It is
    a constant so that a chunk's weights never depend on its neighbours.
    """

    k1: float = 1.2
    b: float = 0.75
    length_average: float = 100.0
    part_weight: float = 0.6
    query_terms_max: int = 64

    def encode_document(self, text: str, *, title: str = "") -> SparseVector:
        weights: dict[int, float] = {}
        for run, count in Counter(_marked(_runs(f"{title}\n{text}"))).items():
            for term, whole in _terms(run):
                share = count if whole else count * self.part_weight
                weights[term] = weights.get(term, 0.0) + share
        norm = self.k1 * (1 - self.b + self.b * sum(weights.values()) / self.length_average)
        gain = self.k1 + 1
        return _sparse({term: tf * gain / (tf + norm) for term, tf in weights.items()})

    def encode_query(self, text: str) -> SparseVector:
        """Damped term frequencies. Of a pasted log, the terms that look rarest are kept and volatile ones go first."""
        counts = Counter(_marked(_runs(text)))
        weights: dict[int, float] = {}
        rarity: dict[int, float] = {}
        for run, count in counts.items():
            damped = 1 + math.log(count)
            looks = _rarity(run)
            for term, whole in _terms(run):
                share = damped if whole else damped * self.part_weight
                weights[term] = weights.get(term, 0.0) + share
                rarity[term] = max(rarity.get(term, -math.inf), looks if whole else looks - _PART_RARITY)
        if len(weights) > self.query_terms_max:
            kept = sorted(weights, key=lambda term: (-rarity[term], -weights[term], term))[: self.query_terms_max]
            weights = {term: weights[term] for term in kept if rarity[term] > -math.inf}
        return _sparse(weights)


def _sparse(weights: dict[int, float]) -> SparseVector:
    indices = tuple(sorted(weights))
    return SparseVector(indices=indices, values=tuple([weights[index] for index in indices]))


def _runs(text: str) -> list[str]:
    return _RUN.findall(text if text.isascii() else _fold(text))


def _marked(runs: list[str]) -> list[str]:
    """The runs, and for each negated word one more that only other negations of it match: "without downtime" is
    said of the pages that a search for it must tell apart from those "with downtime"."""
    found = list(runs)
    reach = 0
    for run in runs:
        if run.lower() in _NEGATORS:
            reach = _NEGATION_REACH
        elif reach:
            reach -= 1
            if _is_plain(run) and run.lower() not in _STOP_WORDS:
                found.append(_NEGATED + run.lower())
                reach = 0
    return found


def _fold(text: str) -> str:
    """Without accents, and full-width forms as plain ones. Composed again: Hangul would stay in pieces."""
    bare = "".join(char for char in unicodedata.normalize("NFKD", text) if not _is_accent(char))
    return unicodedata.normalize("NFC", bare)


def _is_accent(char: str) -> bool:
    # Only the accents of Latin, Greek and Cyrillic. The marks of Thai or Devanagari carry the vowels.
    return "\u0300" <= char <= "\u036f"


@lru_cache(maxsize=_CACHE_RUNS)
def _terms(run: str) -> tuple[tuple[int, bool], ...]:
    """(term id, is it the whole run or a plain word?) of one run, each term once."""
    found: dict[str, bool] = {}
    for term, whole in _split(run[:_RUN_CHARS_MAX]):
        found.setdefault(term, whole)
    return tuple((zlib.crc32(term.encode("utf-8", "surrogatepass")), whole) for term, whole in found.items())


def _split(run: str) -> Iterator[tuple[str, bool]]:
    if run.startswith(_NEGATED):
        yield _NEGATED + _stem(run[len(_NEGATED) :]), True
        return
    if _IS_UNSPACED.match(run):
        yield from ((pair, True) for pair in _pairs(run))
        return
    if _is_plain(run):
        yield from ((word, True) for word in _plain(run))
        return
    whole = run.strip("_").lower()
    if len(whole) > 1 or whole.isdigit():
        yield whole, True
    for number, part in enumerate(_parts(run)):
        if number == _PARTS_MAX:
            return
        yield part, False


def _pairs(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[at : at + 2] for at in range(len(run) - 1)]


def _is_plain(run: str) -> bool:
    """A word of ordinary prose: `word`, `Word` or `WORD`. Not `camelCase`, nor anything with digits or joints."""
    return run.isalpha() and (run.islower() or run.isupper() or run[1:].islower())


def _plain(word: str) -> Iterator[str]:
    lowered = word.lower()
    if lowered not in _STOP_WORDS:
        yield _stem(lowered)


def _parts(run: str) -> Iterator[str]:
    version = _VERSION.fullmatch(run)
    if version:
        numbers = version.group(1).split(".")
        # 4.1.1.2 is also a 4.1.1 and a 4.1; its single figures say nothing.
        yield from (".".join(numbers[:length]) for length in range(len(numbers), 1, -1))
        return
    for piece in _JOINT.split(run):
        if _is_plain(piece):
            yield from _plain(piece)
            continue
        if piece and piece.lower() != run.lower():
            yield piece.lower()
        humps: list[str] = _HUMPS.findall(piece)
        if len(humps) > 1:
            for hump in humps:
                if len(hump) > 1:
                    yield from _plain(hump) if hump.isalpha() else (hump,)


def _rarity(run: str) -> float:
    """How rare a run looks without having seen the collection: names before long words before short ones."""
    if _is_plain(run) or _IS_UNSPACED.match(run):
        return float(min(len(run), 12))
    if _VOLATILE.fullmatch(run.lower()):
        return -math.inf
    # A run of digits alone is a line number or a size more often than an error code.
    return float(min(len(run), 12)) + (0.0 if run.isdigit() else _NAME_RARITY)


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # the library's name


_STEMMER: Final = cast(_Stemmer, snowballstemmer.stemmer("english"))  # pyright: ignore[reportUnknownMemberType]
_STEMMER_LOCK: Final = threading.Lock()  # a stemmer works on itself, and documents are encoded in threads


@lru_cache(maxsize=_CACHE_RUNS)
def _stem(word: str) -> str:
    if not word.isascii():
        return word
    with _STEMMER_LOCK:
        return _STEMMER.stemWord(word)
