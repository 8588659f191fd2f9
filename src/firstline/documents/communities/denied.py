"""Does a sentence under "Cause" or "Resolution" tell nothing? Not what the cause was, but what it was not, that nobody
knows it, or that a list follows. By the shapes such sentences have.

"The disk was not the cause" tells no cause; "The disk was not mounted" does, and so does "not the disk but the key".
"""

from __future__ import annotations

import re
from typing import Final

_CAUSE: Final = r"(?:causes?|reasons?|culprits?|triggers?|explanation)"
_FOUND: Final = r"(?:known|found|clear|determined|identified|established|understood|confirmed)"
_NOT: Final = r"(?:(?:\s+\w+ly)?\s+(?:not|never)|n['’]t)"

_DENIED: Final = re.compile(
    rf"""\b(?:is|was|are|were|be|been){_NOT}\s+(?:\w+ly\s+)?(?:(?:the|a|an|our|its)\s+)?(?:\w+\s+)?{_CAUSE}\b
    | \b{_CAUSE}\s+(?:is|was|are|were){_NOT}\s+(?:the|an?|our|its|your|this|that|in|with|due|related)\b
    | \b(?:can|could){_NOT}\s+be\s+(?:the|a)\s+(?:\w+\s+)?{_CAUSE}\b | \bcannot\s+be\s+(?:the|a)\s+(?:\w+\s+)?{_CAUSE}\b
    | \b(?:is|was|are|were){_NOT}\s+(?:\w+ly\s+)?
      (?:caused\s+by|due\s+to|because\s+of|related\s+to|responsible|to\s+blame)\b
    | \b(?:do|does|did){_NOT}\s+cause\b
    | \A\W*(?:it|this|that|these)\s+(?:is|was|are|were){_NOT}\s+(?:the|a|an|our|because)\b
    | \brul(?:ed|e|ing)\s+(?:\w+\s+){{0,4}}out\b | \b(?:excluded|eliminated|discounted)\s+as\b
    | \bunrelated\s+to\b | \bnothing\s+to\s+do\s+with\b
    | \bnicht\s+(?:die|der|das)\s+(?:\w+\s+)?(?:ursache|grund|auslöser)\b | \bals\s+(?:ursache|grund)\s+ausgeschlossen\b
    | \b(?:ursache|grund|auslöser)\s+(?:ist|war|sind|waren|liegt|lag)\s+nicht
      \s+(?:der|die|das|de[nm]|eine?|a[nm]|i[nm])\b
    | \b(?:wurden?|haben|hat|ist|sind)\s+(?:\w+\s+){{0,4}}ausgeschlossen\b | \bausgeschlossen\s+werden\b
    | \A\W*(?:es|das)\s+(?:war|lag|liegt|ist)\s+nicht\s+(?:an|am|der|die|das|de[nm])\b
    | \bpas\s+(?:la|le|une?)\s+(?:\w+\s+)?(?:causes?|raison)\b | \A\W*ce\s+n['’](?:est|était)\s+pas\b
    | \b(?:cause|raison)\s+n['’](?:est|était)\s+pas\s+(?:l[ea]\b|l['’]|une?\b)
    | \b(?:a|ont)\s+été\s+(?:écart|exclu)\w*
    | \bno\s+(?:es|era|fue)\s+(?:la|el|una?)\s+(?:causa|motivo|razón|culpable)\b | \b(?:se|hemos|han?)\s+descart\w+
    | \b(?:causa|motivo|razón)\s+no\s+(?:es|era|fue)\s+(?:el|la|un|una)\b
    | \A\W*no\s+(?:es|era|fue)\s+(?:el|la|un|una|por)\b
    | 原因は[^。]{{0,20}}では(?:な|あ) | (?:原因|理由)で(?:は|も)な | のせいではな | 不是[^。]{{0,12}}原因""",
    re.IGNORECASE | re.VERBOSE,
)
_BUT: Final = re.compile(
    r";|[—–]|\b(?:but|instead|rather|sondern|vielmehr|mais|plutôt|sino)\b|なく|而是", re.IGNORECASE
)
"""What follows a denial and tells what it was."""
_UNKNOWN: Final = re.compile(
    rf"""\b{_CAUSE}\b[^.]{{0,40}}?\b(?:unknown|unclear|undetermined|not\s+(?:yet\s+|been\s+|be\s+){{0,2}}{_FOUND}|n['’]t\s+{_FOUND})\b
    | \A\W*(?:(?:still|as\s+yet|currently)\s+)?(?:unknown|unclear|undetermined|not\s+(?:yet\s+)?{_FOUND})\b
    | \bunder\s+investigation\b | \b(?:to\s+be|being|still)\s+investigat\w+
    | \b(?:no|without\s+a)\s+(?:\w+\s+){{0,2}}{_CAUSE}\s+(?:was|were|has|have|could|is|{_FOUND})\b
    | \b(?:could|can)(?:\s*not|n['’]t)\s+(?:be\s+)?reproduced?\b
    | \A\W*(?:please\s+)?(?:see|refer\s+to|same\s+as|duplicate\s+of)\b | \A\W*(?:siehe|voir|véase|ver)\s
    | \b(?:ursache|grund)\b[^.]{{0,40}}?\b(?:unbekannt|unklar|nicht\s+(?:bekannt|geklärt|gefunden))\b
    | \bkeine\s+ursache\b | \A\W*(?:noch\s+)?(?:unbekannt|unklar)\b
    | \b(?:cause|raison)\b[^.]{{0,40}}?\b(?:inconnue?|indéterminée?)\b | \A\W*(?:encore\s+)?inconnue?\b
    | \b(?:causa|motivo)\b[^.]{{0,40}}?\bdesconocid[oa]\b | \A\W*(?:aún\s+)?desconocid[oa]\b
    | 原因[はも](?:まだ)?(?:不明|わか|分か) | 原因(?:不明|未知|尚不) | \A\W*(?:不明|未定|未知|調査中)""",
    re.IGNORECASE | re.VERBOSE,
)


_LETTERS: Final = re.compile(r"[^\W\d_]")


def tells_nothing(words: str) -> bool:
    """The head of a list or of a table, or the number of its first entry."""
    bare = words.strip("*_ ")
    return not _LETTERS.search(bare) or bare.startswith("|") or bare.endswith((":", "："))


def tells_no_cause(words: str) -> bool:
    """A sentence with more to say than the denial tells something. Linear in its length."""
    if _UNKNOWN.search(words) is not None:
        return True
    denied = _DENIED.search(words)
    return denied is not None and _BUT.search(words, denied.start()) is None
