"""A draft of a curated answer from what a cluster of repeated questions was answered with."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import groupby
from typing import Final

from firstline.domain import Answered, Claim, ClaimKind, Document, DocumentKind, FaqSuggestion
from firstline.questions.care.gaps import EXAMPLES_MAX, named
from firstline.questions.care.wordings import Asked
from firstline.questions.message.opposites import opposed

_LINES: Final = frozenset({ClaimKind.STEP, ClaimKind.ROW, ClaimKind.CODE})
_FENCE: Final = "```"


def suggestion(
    members: Sequence[Asked], answered: Answered, *, shown: int, documents: Mapping[str, Document]
) -> FaqSuggestion | None:
    """None when the reader may not see all that the answer quotes, when one of its pages has another text by now, when
    nobody may see all of them, when one is a curated answer itself (what such an answer is made of is its owner's
    matter), or when the answer is against what was asked. `documents`: those of today that the reader may see, by
    id."""
    cited = list(dict.fromkeys(one for claim in answered.claims for one in claim.citations))
    pages = [documents.get(one.doc_id) for one in cited]
    known = [page for page, one in zip(pages, cited, strict=True) if page is not None and page.blob == one.blob]
    if len(known) < len(cited) or any(page.kind is DocumentKind.FAQ for page in known):
        return None
    acl = reduce(lambda shared, acl: shared & acl, (page.acl for page in known))
    if not acl:
        return None
    doc_ids = tuple(dict.fromkeys(page.doc_id for page in known))
    answer = as_markdown(answered.claims)
    # Turns are kept for long: what an earlier version answered may be what it would not answer today.
    if opposed(members[0].text, "\n".join((answer, *(page.title for page in known)))):
        return None
    turns = [turn for one in members for turn in one.turns]
    return FaqSuggestion(
        suggestion_id=f"{named(members[0].key)}-{hashlib.sha256(answer.encode()).hexdigest()[:6]}",
        question=members[0].text,
        answer=answer,
        cites=doc_ids,
        titles=tuple(documents[doc_id].title for doc_id in doc_ids),
        level=max(page.level for page in known),
        acl=acl,
        turns=len(turns),
        sessions=len({turn.session_id for turn in turns}),
        shown=shown,
        examples=tuple(one.text for one in members[:EXAMPLES_MAX]),
    )


def as_markdown(claims: Sequence[Claim]) -> str:
    """Sentences are one paragraph; steps, rows and code stand line by line."""
    parts: list[str] = []
    for kind, group in groupby(claims, key=lambda claim: claim.kind):
        texts = [claim.text for claim in group]
        if kind is ClaimKind.CODE:
            texts = [text if text.lstrip().startswith(_FENCE) else f"{_FENCE}\n{text}\n{_FENCE}" for text in texts]
        parts.append((" " if kind is ClaimKind.SENTENCE else "\n" if kind in _LINES else "\n\n").join(texts))
    return "\n\n".join(parts)
