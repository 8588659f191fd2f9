"""Which pages stand on a card, and what was wrong with each?"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from firstline.domain import Answered, Evidence, Reason, Tried
from firstline.questions.card.apt import OFTEN, lacks_of_offer, offered_in
from firstline.questions.card.bearing import CODE, bearing
from firstline.questions.card.case import Case, Offered
from firstline.questions.card.codes import holds
from firstline.questions.card.not_enough import NAMES, NO_PASSAGE, NOT_USED, closeness, named_by, not_enough
from firstline.questions.card.running_version import running_version
from firstline.questions.message.language import language_of
from firstline.questions.message.terms import FUNCTION_WORDS, all_stems
from firstline.questions.page.versions import Stated

TRIED_MAX: Final = 4
LOOKED_AT_MAX: Final = 5
ABOUT_MIN: Final = 0.3
WORDS_SHARED_MIN: Final = 2
SHARE_OF_TITLE: Final = 0.5
SHOWN_BEFORE_MAX: Final = 3
CLOSE_MIN: Final = 0.2
CLOSE_MIN_UNUSED: Final = 0.5
CLOSE_TO_BEST: Final = 0.5
"""A page that has less of the words than this, and than this much of the best one's, is not shown."""
CLOSE_OF_BEST: Final = 0.1
CLOSE_OF_ONLY: Final = 0.2
CLOSE_ALONE: Final = 0.45
"""The share of the words that a page needs whose title has next to none of them."""
CLOSE_BESIDE_A_CODE: Final = 0.6
FUSED_WEIGHT: Final = 0.5
"""Of the ranker's score, beside the shares of words that a page's title and passage have."""
UNUSED: Final = frozenset({Reason.HIGH_STAKES, Reason.PRIVATE_DATA, Reason.UNSUPPORTED_CATEGORY, Reason.POLICY})


def keeps(tried: Tried, about: str) -> bool:
    """What was looked at for an earlier message is still worth a look."""
    return bool(named_by(tried.why_not)) or is_about(tried.title.partition(" > ")[0], about)


def shown_before_of(case: Case, done: Collection[int]) -> tuple[Tried, ...]:
    """Pages that the bot answered from, the newest ones."""
    shown: dict[str, Tried] = {}
    answers = [(turn.number, turn.outcome, place in done) for place, turn in enumerate(case.earlier)]
    for number, outcome, thanked in reversed([*answers, (case.turn, case.outcome, False)]):
        if not isinstance(outcome, Answered):
            continue
        how = "was the answer to this message" if number == case.turn else f"was the answer to message {number}"
        after = (
            "; wait for their reply"
            if number == case.turn
            else "; the customer thanked"
            if thanked
            else "; the customer went on asking"
        )
        for citation in (citation for claim in outcome.claims for citation in claim.citations):
            shown.setdefault(
                citation.doc_id,
                Tried(
                    chunk_id=citation.chunk_id,
                    title=citation.title,
                    url=citation.url,
                    score=0.0,
                    why_not=f"{how}{after}",
                ),
            )
    return tuple(shown.values())[:SHOWN_BEFORE_MAX]


def looked_at(case: Case, about: str, *, but: Collection[str]) -> tuple[Tried, ...]:
    """Each page once; pages that have the codes first, then those that have most of what it is `about`. `but` are
    titles that are told already."""
    asked = running_version(case.messages)
    given = case.outcome.claims if isinstance(case.outcome, Answered) else ()
    answered = {citation.doc_id for claim in given for citation in claim.citations}
    coded = bearing(case.coded)
    pages: dict[str, Evidence] = {}
    for piece in (*coded, *case.evidence):
        if piece.chunk.doc_id not in answered and piece.chunk.title not in but:
            pages.setdefault(piece.chunk.doc_id, piece)
    close = {doc: closeness(f"{piece.chunk.title} {piece.text}", about) for doc, piece in pages.items()}
    rank = {
        doc: close[doc] + closeness(piece.chunk.title, about) + FUSED_WEIGHT * piece.scores.fused
        for doc, piece in pages.items()
    }
    best = max(pages.values(), key=lambda piece: piece.scores.fused, default=None)
    least = max(
        CLOSE_MIN_UNUSED if case.reason in UNUSED else CLOSE_MIN, CLOSE_TO_BEST * max(close.values(), default=0.0)
    )
    bears = {piece.chunk.doc_id for piece in coded}
    titled = {piece.chunk.doc_id for piece in coded if any(holds(piece.chunk.title, code) for code in case.coded)}
    # Where one page is the code's own, the others must have the code and be about the matter too.
    first = titled or bears
    if titled:
        least = max(least, CLOSE_BESIDE_A_CODE)
    kept = [
        piece
        for doc, piece in pages.items()
        if doc in first
        or (close[doc] >= least and (close[doc] >= CLOSE_ALONE or is_about(piece.chunk.title, about)))
        or (
            close[doc] >= CLOSE_OF_BEST
            and not first
            and piece is best
            and case.reason not in UNUSED
            and _may_be_it(piece, about, close[doc])
        )
    ]
    # The code's own page of the documentation before tickets about the code, as `bearing` has them.
    place = {piece.chunk.doc_id: at for at, piece in enumerate(coded)} if titled else {}
    kept.sort(key=lambda one: (one.chunk.doc_id not in first, place.get(one.chunk.doc_id, 0), -rank[one.chunk.doc_id]))
    found = [_as_tried(piece, case, about, asked=asked, bears=piece.chunk.doc_id in bears) for piece in kept]
    return tuple(found)[:TRIED_MAX]


def _as_tried(piece: Evidence, case: Case, about: str, *, asked: Stated | None, bears: bool) -> Tried:
    lacking = not_enough(piece, sought=about, asked=asked, versions=case.versions.get(piece.chunk.doc_id, ()))
    if bears and not named_by(lacking):
        own = next(code for code, pieces in case.coded.items() if piece in pieces)
        lacking = "; ".join(
            part for part in (lacking.partition("; ")[0] if "version" in lacking else "", f"{NAMES}{own}") if part
        )
    return Tried(
        chunk_id=piece.chunk.chunk_id,
        title=" > ".join(dict.fromkeys((piece.chunk.title, *piece.chunk.section_path[-1:]))),
        url=piece.chunk.url,
        score=piece.scores.fused,
        why_not=NOT_USED if lacking == NO_PASSAGE and case.reason in UNUSED else lacking,
    )


def _often(offer: Offered, about: str) -> bool:
    words = all_stems(offer.tried.title) - FUNCTION_WORDS
    return len(offer.messages) >= OFTEN and bool(words & all_stems(about))


def _may_be_it(piece: Evidence, about: str, close: float) -> bool:
    """The best that was found, where nothing is near: in the same language, and half of its title was said."""
    same_tongue = language_of(piece.text) == language_of(about)
    return same_tongue and (close >= CLOSE_OF_ONLY or closeness(about, piece.chunk.title) >= SHARE_OF_TITLE)


def with_offers(tried: Sequence[Tried], case: Case, about: str, *, withdrawn: str = "") -> tuple[Tried, ...]:
    """`tried`, with what was offered to the customer before: each page that is about the matter says so."""
    offers = {one.tried.title: one for one in case.offered}
    told: dict[str, Tried] = {}
    for one in tried:
        page = one.title.partition(" > ")[0]
        if page in offers and one.score:
            one = replace(one, why_not="; ".join(part for part in (one.why_not, offered_in(offers[page])) if part))
        told[page] = one
    found = any(one.score for one in told.values())
    for title, offer in offers.items():
        if any(not holds(about, code) for code in CODE.findall(title)):
            continue
        taken_back = bool(withdrawn) and closeness(withdrawn, title) > closeness(about, title)
        if (
            title not in told
            and not taken_back
            and (offer.picked or is_about(title, about) or (not found and _often(offer, about)))
        ):
            told[title] = replace(offer.tried, why_not=lacks_of_offer(offer, case))
    return tuple(told.values())[:LOOKED_AT_MAX]


def is_about(title: str, about: str) -> bool:
    """It shares more than one word in passing: "stays", of twenty, says nothing."""
    words = all_stems(title) - FUNCTION_WORDS
    shared = len(words & all_stems(about))
    if language_of(title) != language_of(about):
        return shared >= WORDS_SHARED_MIN
    share = shared / len(words) if words else 0.0
    return closeness(title, about) >= ABOUT_MIN or (share >= SHARE_OF_TITLE and shared >= WORDS_SHARED_MIN)
