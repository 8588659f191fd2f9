"""Which page may be named as the one to read? Only one that is clearly apt; when in doubt none.

It says most of what it is about in its title, or is the page of the code; it fits the version; it stands first under
"Looked at" or was offered; and nothing that the customer did, ruled out or took back speaks against it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from firstline.domain import Tried
from firstline.questions.card.bearing import CODE, titles_first
from firstline.questions.card.case import Case, Offered
from firstline.questions.card.codes import apart, codes_of, holds
from firstline.questions.card.not_enough import closeness, named_by
from firstline.questions.card.running_version import running_version
from firstline.questions.message.language import language_of
from firstline.questions.message.terms import FUNCTION_WORDS, all_stems
from firstline.questions.page.versions import Stated, numbers_of

BY_CHANGE: Final = 0.5
BY_WORD: Final = 0.3
WORDS_COUNTED_MAX: Final = 4
SHARE_MIN: Final = 0.6
"""Of a title's words, to be apt by them alone."""
SHARE_BESIDE_A_CODE: Final = 0.5
WORDS_MIN: Final = 3
WORDS_OF_WHOLE_MIN: Final = 2
"""Shared words that are enough where they are the whole title, or where the title is in another language."""
BY_CODE: Final = 0.3
BY_OFFER: Final = 0.15
BY_PLACE: Final = 0.2
OFFERS_MAX: Final = 3
OFTEN: Final = 2
"""Offers after which a page that bears the code is apt whatever else its title says."""
CODES_MAX: Final = 4
CHARS_MAX: Final = 2_000
LINE_PARTS: Final = 2
"""Of a version's numbers, those that make the line that a page must be about."""
_OTHER: Final = re.compile(r"is about version ([^,;]+), asked: ([^,;]+)")
_LISTS_CODES: Final = all_stems("error errors code codes message messages")
_SINCE: Final = all_stems("since after")
_OF_VERSION: Final = re.compile(r"\d{1,2}|\d+(?:\.\d+)+")
"""That two have a number in common says nothing of what they are about."""
_AFTER_CHANGE: Final = re.compile(
    r"\b(?:after|since)\s+(?:an?\s+|the\s+)?(?:\w+\s+)?(?:upgrade|update|\d)", re.IGNORECASE
)
_UPGRADE: Final = re.compile(
    r"\b(?:upgrad\w*|updat\w*|aktualisier\w*|mise\s+à\s+jour|actualiz\w*|aggiornament\w*)\b", re.IGNORECASE
)
_RECOVERS: Final = re.compile(r"\b(?:restor|recover|undelet|undrop)\w*", re.IGNORECASE)
_WANTS_BACK: Final = re.compile(
    r"\b(?:get|bring|have|need|want)\s+(?:it|them|this|that|\w+\s+\w+)\s+back\b|\brecover\w*|\bundo\b", re.IGNORECASE
)
_FOLLOWED: Final = re.compile(
    r"""\b(?:like|as|what)\s+(?:in\s+)?(?:your|the|that|this)\s+(?:\S+\s+)?(?:docs?|documentation|page|article|manual|answer)\s+(?:sa(?:y|id)s?|suggest\w*|tells?|recommends?|describes?)\b
    | \b(?:followed|did|applied|tried)\s+(?:exactly\s+)?(?:everything\s+|all\s+)?(?:(?:that\s+is\s+
       |the\s+steps\s+)?(?:on|in|of)\s+)?(?:your|the|that|this)\s+(?:\S+\s+)?(?:docs?|documentation|page|article
       |manual|steps)\b
    | \bwie\s+(?:in\s+der\s+doku|auf\s+(?:der|ihrer)\s+seite)\w*\b | \bcomme\s+(?:dit|indiqué)\b.{0,20}?\b(?:page
       |doc\w*)""",
    re.IGNORECASE | re.VERBOSE,
)
_NOT_THAT: Final = re.compile(
    r"""\b(?:it\s+is|it's|is|that\s+is|that's)\s+(?:also\s+)?not\s+(?:about\s+)?(?:the\s+|your\s+)?(?P<page>[\w$.-]{4,})(?:\s+(?:page|article|one|case|problem))?
    | \b(?:do|does)(?:n't|\s+not)\s+(?:use|have|run|need|want)\s+(?:an?\s+|any\s+|the\s+)?(?P<unused>[\w$.-]{4,})
    | \b(?:no|without)\s+(?P<without>[\w$.-]{5,})\b(?=\s*(?:at\s+all|here|involved|used|in\s+use)?\s*(?:[,.;!]|$))
    | \b(?:is|are)\s+(?:an?\s+)?(?:real|proper|valid|correct)\s+(?P<real>\w{4,})
    | \b(?:adding|using|with)?\s*(?:an?\s+|the\s+)?(?P<barred>[\w$.-]{4,})\s+is\s+(?:forbidden|not\s+allowed
       |not\s+an\s+option|out\s+of\s+the\s+question)""",
    re.IGNORECASE | re.VERBOSE,
)
_SAYS_LITTLE: Final = frozenset(
    """help work error errors problem change changes effect luck difference success answer idea longer that this same
    there case disk full pattern more reason""".split()
)


def apt(case: Case, about: str, tried: Sequence[Tried], *, but: Collection[str] = (), withdrawn: str = "") -> list[str]:
    """Titles, the best first. `about` is what was told of the matter in the customer's words, without attempts;
    `tried` what stands under "Looked at"; `but` are titles that were shown already or did not help."""
    ruled = ruled_out(case.messages)
    codes = codes_of([about], codes_max=CODES_MAX)
    own = titles_first(case.coded)
    offers = {one.tried.title: one for one in case.offered}
    read = [one for one in tried if one.score]
    scored: dict[str, float] = {}
    for place, one in enumerate(read):
        page = one.title.partition(" > ")[0]
        if page in but or other_line(one.why_not) or is_ruled_out(page, _text_of(case, page), ruled):
            continue
        if withdrawn and closeness(withdrawn, page) > closeness(about, page):
            continue
        if not (place == 0 or page in offers or page in own or named_by(one.why_not)):
            continue
        often = page in offers and len(offers[page].messages) >= OFTEN
        weight = _weight(one.title, about, codes, often=often)
        if not weight and place == 0 and _WANTS_BACK.search(about) and _RECOVERS.search(page):
            weight = BY_CODE
        if weight:
            offered = BY_OFFER * min(OFFERS_MAX, len(offers[page].messages)) if page in offers else 0.0
            # The section is named where it is what bears the code.
            whole = any(holds(one.title, code) and not holds(page, code) for code in codes)
            scored.setdefault(one.title if whole else page, weight + offered + BY_PLACE * (place == 0))
    return sorted(scored, key=lambda title: -scored[title])


def _weight(title: str, about: str, codes: Collection[str], *, often: bool) -> float:
    """How clearly the title speaks of the matter; 0: not clearly."""
    page = title.partition(" > ")[0]
    others = [one for one in CODE.findall(page) if one not in codes]
    if others or all_stems(page) <= _LISTS_CODES:
        return 0.0
    words = all_stems(page) - FUNCTION_WORDS - _SINCE - {code.casefold() for code in codes}
    words = frozenset(word for word in words if not _OF_VERSION.fullmatch(word))
    shared = words & all_stems(apart(about))
    share = len(shared) / len(words) if words else 1.0
    same_tongue = language_of(about) == language_of(page)
    weight = BY_WORD * min(WORDS_COUNTED_MAX, len(shared))
    if _AFTER_CHANGE.search(page) and _UPGRADE.search(about):
        weight += BY_CHANGE
    titled = next((code for code in codes if holds(page, code)), "")
    if titled:
        generic = page.startswith(f"{titled}:")
        return BY_CODE + weight if generic or often or not same_tongue or share >= SHARE_BESIDE_A_CODE else 0.0
    if any(holds(title, code) for code in codes):
        return BY_CODE + weight
    enough = len(shared) >= WORDS_MIN or (share == 1.0 and len(shared) >= WORDS_OF_WHOLE_MIN)
    if not same_tongue:
        return weight if len(shared) >= WORDS_OF_WHOLE_MIN else 0.0
    return weight if share >= SHARE_MIN and enough else 0.0


def other_line(why_not: str) -> bool:
    """The page is about another line of versions than the one asked about: 4.4.8 for 5.0.2, and not 5.0.6."""
    found = _OTHER.search(why_not)
    if found is None:
        return False
    page, asked = numbers_of(found[1]), numbers_of(found[2])
    parts = min(len(page), len(asked), LINE_PARTS)
    return page[:parts] != asked[:parts]


def lacks_of_offer(one: Offered, case: Case) -> str:
    """Why an offered page is no answer: another version, and that it was offered."""
    asked = running_version(case.messages)
    about = case.versions.get(one.doc_id, ())
    return "; ".join(part for part in (_other(about, asked), offered_in(one)) if part)


def offered_in(one: Offered) -> str:
    *others, newest = map(str, one.messages[-OFFERS_MAX:])
    after = f"messages {', '.join(others)} and {newest}" if others else f"message {newest}"
    return f"was offered after {after}, {'picked' if one.picked else 'not picked'}"


def _other(about: Sequence[Stated], asked: Stated | None) -> str:
    numbers = asked.low or asked.high if asked is not None else None
    if not numbers or not about or any(stated.covers(numbers) for stated in about):
        return ""
    return f"is about version {about[0]}, asked: {asked}"


def followed(case: Case, about: str, tried: Sequence[Tried]) -> list[str]:
    """Titles of the page whose advice they say they followed: of the code that they name beside it, else the newest
    that they picked, else the one that is clearly apt."""
    found: list[str] = []
    for message in case.messages:
        said = _FOLLOWED.search(message[:CHARS_MAX])
        if said is None:
            continue
        named = [
            one.title.partition(" > ")[0]
            for one in tried
            for code in codes_of([said.group()], codes_max=1)
            if holds(one.title, code)
        ]
        picked = [one.tried.title for one in case.offered if one.picked]
        found += [*named, *picked, *apt(case, about, tried)][:1]
    return list(dict.fromkeys(found))


def ruled_out(messages: Sequence[str]) -> frozenset[str]:
    """What the customer says it is not, or may not be."""
    found = {
        word.strip(".-").casefold()
        for message in messages
        for one in _NOT_THAT.finditer(message[:CHARS_MAX])
        for word in one.groups()
        if word
    }
    return frozenset(found - _SAYS_LITTLE - FUNCTION_WORDS)


def is_ruled_out(title: str, text: str, ruled: Collection[str]) -> bool:
    """The title speaks of it, or the page is about nothing without it: a name with a sign in it."""
    stems = all_stems(title)
    return any(
        bool(all_stems(word) & stems) or (not word.isalnum() and word in text) or holds(title, word) for word in ruled
    )


def _text_of(case: Case, title: str) -> str:
    return " ".join(piece.text for piece in case.evidence if piece.chunk.title == title).casefold()
