"""Labelled claims made from the documents of FIRSTLINE_DATA, for `benchmarks.verification`.

Documents are halved by a hash of their id. A claim is a sentence of a document, or one said in other words, or one
that was changed; it cites the sentence, or the sentence with its neighbours. Nothing of the data is written anywhere.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from benchmarks import perturb, planted
from benchmarks.workbench import real_data
from firstline.documents.chunk import chunk as cut
from firstline.documents.parse import parse
from firstline.domain import Chunk, ChunkKind, Citation, Claim, ClaimKind, Evidence, Level, Scores, SourceItem
from firstline.evals.datasets import DataSource, present
from firstline.questions.page.units import units_of
from firstline.wiring import count_tokens

HELD_OUT: Final = "held-out"
DEVELOPMENT: Final = "development"
CHUNK_TOKENS: Final = 200
WORDS_MIN, WORDS_MAX = 5, 60
MARK_CHARS_MAX: Final = 3
"""Between two sentences that follow each other there is at most a list mark."""
DOCUMENT_CHUNKS_MAX: Final = 12
DOCUMENT_KIND_MAX: Final = 4
"""Chunks, and claims of a kind, of one document: long ones do not speak for all."""
NO_SCORES: Final = Scores(dense=0.0, words=0.0, document=0.0, fused=0.0)


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One labelled claim with the evidence of its turn."""

    kind: str
    supported: bool
    claim: Claim
    evidence: tuple[Evidence, ...]
    cited: str


@dataclass(frozen=True, kw_only=True)
class Place:
    """A sentence or step of a chunk, in characters of its text."""

    text: str
    kind: ClaimKind
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Page:
    """A document's chunk with its sentences."""

    evidence: Evidence
    places: tuple[Place, ...]
    document: str
    folded: str
    """The document's text as `_folded` gives it."""


def half_of(doc_id: str) -> str:
    return HELD_OUT if hashlib.sha256(doc_id.encode()).digest()[0] % 2 else DEVELOPMENT


async def pages(half: str) -> list[list[Page]]:
    """The chunks of every document of a half, as the document journey would cut them."""
    data = real_data()
    found: list[list[Page]] = []
    async for item in DataSource(data, present(data)).items():
        if not isinstance(item, SourceItem) or half_of(item.item_id) != half:
            continue
        text = parse(item).text
        folded = _folded(text)
        spans = cut(text, tokens_aim=CHUNK_TOKENS, count_tokens=count_tokens)
        raw = text.encode()
        cuts = [(span.start, span.end, raw[span.start : span.end].decode()) for span in spans]
        whole = [_page(item.item_id, at, *one, text, folded) for at, one in enumerate(cuts)]
        found.append([page for page in whole if page.places])
    return [one for one in found if one]


def _page(doc_id: str, ordinal: int, start: int, end: int, text: str, document: str, folded: str) -> Page:
    places = tuple(
        Place(text=unit.text, kind=unit.kind, start=unit.start, end=unit.end)
        for unit in units_of(text)
        if unit.kind in (ClaimKind.SENTENCE, ClaimKind.STEP) and _is_prose(unit.text)
    )
    held = Chunk(
        chunk_id=f"{doc_id}#{ordinal}",
        tenant="t",
        kb="k",
        doc_id=doc_id,
        blob="b" * 64,
        ordinal=ordinal,
        start=start,
        end=end,
        kind=ChunkKind.SECTION,
        title=doc_id,
        section_path=(),
        url=None,
        acl=frozenset(),
        level=Level.PUBLIC,
        since=1,
    )
    return Page(
        evidence=Evidence(chunk=held, text=text, lead_text="", scores=NO_SCORES),
        places=places,
        document=document,
        folded=folded,
    )


def _is_prose(text: str) -> bool:
    """A sentence of ordinary length, mostly words."""
    words = text.split()
    letters = sum(character.isalpha() or character.isspace() for character in text)
    return WORDS_MIN <= len(words) <= WORDS_MAX and letters > 0.8 * len(text) and len(set(words)) > 3


def samples(documents: Sequence[Sequence[Page]], *, claims: int, seed: int) -> list[Sample]:
    """About `claims` of them, half supported, spread evenly over kinds as far as the documents allow."""
    draw = random.Random(seed)  # noqa: S311 - repeatable samples, no secret
    by_kind: dict[tuple[bool, str], list[Sample]] = defaultdict(list)
    for own in documents:
        chosen = own if len(own) <= DOCUMENT_CHUNKS_MAX else draw.sample(list(own), DOCUMENT_CHUNKS_MAX)
        made = list(_of_document(chosen, documents, draw))
        draw.shuffle(made)
        kinds: Counter[tuple[bool, str]] = Counter()
        for sample in made:
            key = (sample.supported, sample.kind)
            kinds[key] += 1
            if kinds[key] <= DOCUMENT_KIND_MAX:
                by_kind[key].append(sample)
    found: list[Sample] = []
    for label in (True, False):
        found += _evenly({kind: own for (is_so, kind), own in by_kind.items() if is_so is label}, claims // 2, draw)
    return found


def _evenly(by_kind: dict[str, list[Sample]], wanted: int, draw: random.Random) -> list[Sample]:
    """The rare kinds whole, the others in equal shares of what is left."""
    found: list[Sample] = []
    rest = sorted(by_kind.items(), key=lambda entry: len(entry[1]))
    for at, (_, own) in enumerate(rest):
        draw.shuffle(own)
        found += own[: (wanted - len(found)) // (len(rest) - at)]
    return found


_SAME: Final[tuple[tuple[str, perturb.Change], ...]] = (
    ("as written", lambda text, _: text),
    ("Markdown stripped", perturb.plain),
    ("aside dropped", perturb.aside_dropped),
    ("list in another order", perturb.list_reordered),
    ("contraction", perturb.contracted),
    ("contraction in full", perturb.expanded),
    ("synonym", perturb.synonym),
)
_OTHER: Final[tuple[tuple[str, perturb.Change], ...]] = (
    ("number changed", perturb.changed_number),
    ("version changed", perturb.changed_version),
    ("unit changed", perturb.changed_unit),
    ("negation added", perturb.negated),
    ("negation removed", perturb.negation_removed),
    ("modality changed", perturb.modality),
    ("names swapped", perturb.names_swapped),
    ("opposite", perturb.opposite),
    ("comparator flipped", perturb.comparator),
    ("order word flipped", perturb.order_word),
    ("quantifier changed", perturb.quantity),
    ("condition dropped", perturb.condition_dropped),
)
_OF_DOCUMENT: Final = (("other name", perturb.other_name), ("other identifier", perturb.other_identifier))


def _of_document(own: Sequence[Page], documents: Sequence[Sequence[Page]], draw: random.Random) -> Iterator[Sample]:
    for page in own:
        for at, place in enumerate(page.places):
            for kind, change in _SAME:
                said = change(place.text, draw)
                if said:
                    yield _sample(kind, True, said, page, at, draw)
            for kind, change in _OTHER:
                said = change(place.text, draw)
                if said and said != place.text:
                    yield from _if_new(kind, said, page, at, draw)
            for kind, change_of in _OF_DOCUMENT:
                said = change_of(place.text, draw, page.document)
                if said:
                    yield from _if_new(kind, said, page, at, draw)
            yield from _planted(page, at, draw)
        yield from _of_two(page, draw)
        yield from _of_two_documents(page, documents, draw)


def _planted(page: Page, at: int, draw: random.Random) -> Iterator[Sample]:
    """Claims on a copy of the chunk that says at this place what was planted into it."""
    place = page.places[at]
    for supported, plants in ((True, planted.SAME), (False, planted.FALSE)):
        for kind, plant in plants:
            found = plant(place.text, draw)
            if found is None or found[0] == found[1]:
                continue
            yield _sample(kind, supported, found[1], _with_text(page, at, found[0]), at, draw)


def _with_text(page: Page, at: int, said: str) -> Page:
    place, held = page.places[at], page.evidence.chunk
    text = page.evidence.text[: place.start] + said + page.evidence.text[place.end :]
    longer = len(said) - len(place.text)
    places = (
        *page.places[:at],
        replace(place, text=said, end=place.end + longer),
        *(replace(one, start=one.start + longer, end=one.end + longer) for one in page.places[at + 1 :]),
    )
    chunk = replace(held, end=held.start + len(text.encode()))
    return replace(page, evidence=replace(page.evidence, chunk=chunk, text=text), places=places)


def _of_two(page: Page, draw: random.Random) -> Iterator[Sample]:
    for at, (one, two) in enumerate(pairwise(page.places)):
        between = page.evidence.text[one.end : two.start].strip()
        if (
            len(one.text) + len(two.text) > 500
            or len(between) > MARK_CHARS_MAX
            or one.text.endswith(":")
            or one.kind is not two.kind
        ):
            continue
        yield _sample(
            "two sentences merged", True, perturb.merged(one.text, two.text, draw), page, at, draw, last=at + 1
        )
        if two.kind is ClaimKind.STEP:
            said = f"{perturb.plain(two.text, draw) or two.text} {perturb.plain(one.text, draw) or one.text}"
            yield _sample("steps swapped", False, said, page, at, draw, last=at + 1)
            first, second = (_low(perturb.plain(each.text, draw) or each.text) for each in (two, one))
            said = f"First {first.rstrip('. ')}, then {second}"
            yield _sample("steps swapped", False, said, page, at, draw, last=at + 1)


def _low(text: str) -> str:
    return text[0].lower() + text[1:]


def _of_two_documents(page: Page, documents: Sequence[Sequence[Page]], draw: random.Random) -> Iterator[Sample]:
    other = draw.choice(draw.choice(documents))
    if other.evidence.chunk.doc_id == page.evidence.chunk.doc_id:
        return
    at, beside = draw.randrange(len(page.places)), draw.randrange(len(other.places))
    mine, theirs = page.places[at], other.places[beside]
    first, second = perturb.halves(mine.text), perturb.halves(theirs.text)
    if first and second:
        mixed = first[0] + second[1]
        yield _sample("two documents mixed", False, mixed, page, at, draw)
        cited = (_citation(page, at, at), _citation(other, beside, beside))
        yield Sample(
            kind="two documents mixed, both cited",
            supported=False,
            claim=Claim(text=mixed, kind=ClaimKind.SENTENCE, citations=cited),
            evidence=(page.evidence, other.evidence),
            cited=f"{mine.text} // {theirs.text}",
        )
    if _words(mine.text) - _words(theirs.text):
        claim = Claim(text=mine.text, kind=mine.kind, citations=(_citation(other, beside, beside),))
        yield Sample(
            kind="cited to another document",
            supported=False,
            claim=claim,
            evidence=(page.evidence, other.evidence),
            cited=theirs.text,
        )
    away = draw.randrange(len(page.places))
    if away != at and len(_words(mine.text) - _words(page.places[away].text)) > 2:
        yield _sample("cited to another sentence", False, mine.text, page, away, draw, alone=True)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def _if_new(kind: str, said: str, page: Page, at: int, draw: random.Random) -> Iterator[Sample]:
    """A changed sentence that its document says elsewhere is not false."""
    if _folded(said) not in page.folded:
        yield _sample(kind, False, said, page, at, draw)


def _sample(
    kind: str,
    supported: bool,
    said: str,
    page: Page,
    at: int,
    draw: random.Random,
    *,
    last: int = -1,
    alone: bool = False,
) -> Sample:
    last = max(last, at)
    if not alone and draw.random() < 0.5:
        first, last = max(0, at - 1), min(len(page.places) - 1, last + 1)
    else:
        first = at
    citation = _citation(page, first, last)
    text = page.evidence.text[page.places[first].start : page.places[last].end]
    claim = Claim(text=said, kind=page.places[at].kind, citations=(citation,))
    return Sample(kind=kind, supported=supported, claim=claim, evidence=(page.evidence,), cited=text)


def _citation(page: Page, first: int, last: int) -> Citation:
    held, text = page.evidence.chunk, page.evidence.text
    return Citation(
        chunk_id=held.chunk_id, doc_id=held.doc_id, blob=held.blob, title=held.title, url=None,
        start=held.start + len(text[: page.places[first].start].encode()),
        end=held.start + len(text[: page.places[last].end].encode()),
    )  # fmt: skip
