"""Can the rest of a draft be read alone when some of its claims are gone?

A procedure that lost a step, a sentence that leans on one that was dropped ("Otherwise ...", "This ..."), and an
introduction without what it introduces cannot.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from firstline.domain import Claim, ClaimKind

_LEANS: Final = re.compile(
    r"""[\s\-*_>"'“(\d.)]*(?:
      otherwise|then|this|that|these|those|it|its|they|them|their|he|she|such|so|thus|hence|therefore|consequently
    | however|but|instead|nevertheless|still|also|moreover|furthermore|additionally|likewise|similarly|alternatively
    | afterwards?|next|finally|lastly|meanwhile|again|both|neither|either|else|or|and|nor
    | once\s+(?:done|finished|complete\w*)
    | as\s+a\s+(?:result|consequence)|in\s+(?:this|that|these|those|such|either|both)\b.*?|in\s+(?:addition|contrast)
    | if\s+(?:so|not|yes|it|this|that|they|none|neither)
    | after(?:\s+(?:that|this|it|doing\s+so)|wards)
    | before\s+(?:that|this|it|doing\s+so)
    | on\s+the\s+other\s+hand|for\s+(?:this|that|these)|with\s+(?:this|that|these)|doing\s+(?:so|this|that)
    | when\s+(?:it|this|that|they|done)
    | the\s+(?:former|latter|same|above|following\s+one|other|others|second|third|result)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_INTRODUCES: Final = re.compile(r":[\s*_`\"')]*$")
_NUMBERED: Final = re.compile(r"\s*\d{1,3}[.)]\s")
_ALONG: Final = frozenset({ClaimKind.STEP, ClaimKind.CODE, ClaimKind.ROW})


def cannot_stand(claims: Sequence[Claim], dropped: Collection[int]) -> str:
    """Why a draft cannot be read without the claims at these places; "" when it can."""
    for at in sorted(dropped):
        if _procedure_loses(claims, at, dropped):
            return "a step of a procedure is not supported"
        if at + 1 < len(claims) and at + 1 not in dropped:
            problem = _leans_on(claims[at], claims[at + 1])
            if problem:
                return problem
        if at and at - 1 not in dropped and _INTRODUCES.search(claims[at - 1].text):
            rest = claims[at + 1] if at + 1 < len(claims) and at + 1 not in dropped else None
            if rest is None or rest.kind not in _ALONG:
                return "what a sentence introduces is not supported"
    return ""


def leans(text: str) -> bool:
    """Whether it is understood from what stands before it alone."""
    return _LEANS.match(text) is not None


def introduces(text: str) -> bool:
    return _INTRODUCES.search(text) is not None


def _leans_on(gone: Claim, following: Claim) -> str:
    if _LEANS.match(following.text):
        return "a sentence leans on one that is not supported"
    if _INTRODUCES.search(gone.text) and following.kind in _ALONG:
        return "what introduces a list or code is not supported"
    return ""


def _procedure_loses(claims: Sequence[Claim], at: int, dropped: Collection[int]) -> bool:
    """A numbered step is gone and another one of the same run is left."""
    if not _is_numbered(claims[at]):
        return False
    for step in (-1, 1):
        beside = at + step
        # Code and notes between two steps belong to them.
        while 0 <= beside < len(claims) and (beside in dropped or not _is_numbered(claims[beside])):
            if claims[beside].kind is ClaimKind.SENTENCE and beside not in dropped:
                break
            beside += step
        if 0 <= beside < len(claims) and beside not in dropped and _is_numbered(claims[beside]):
            return True
    return False


def _is_numbered(claim: Claim) -> bool:
    return claim.kind is ClaimKind.STEP and _NUMBERED.match(claim.text) is not None
