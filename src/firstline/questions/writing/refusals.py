"""Does a model decline to answer, in place of a claim?"""

from __future__ import annotations

import re
from typing import Final

_REFUSES: Final = re.compile(
    r"""\W*(?:
      (?:i['’]?m\s+sorry|i\s+am\s+sorry|sorry|i\s+apologi[sz]e|unfortunately)\b
    | (?:i|we)\s+(?:can(?:no|['’])?t|cannot|can\s+not|am\s+(?:not\s+able|unable)|won['’]?t|do\s+not|don['’]?t)\b
    | as\s+an?\s+(?:ai|language\s+model|assistant)\b
    | (?:es\s+)?tut\s+mir\s+leid | ich\s+kann\b.{0,60}\bnicht\b | leider\b
    | (?:je\s+suis\s+)?désolée?\b | je\s+ne\s+(?:peux|puis)\b | lo\s+siento\b | no\s+puedo\b
    | 申し訳 | すみません
    )""",
    re.IGNORECASE | re.VERBOSE,
)


def refuses(text: str) -> bool:
    """For claims without a citation alone: a page may say the same words."""
    return _REFUSES.match(text) is not None
