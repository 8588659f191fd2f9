"""Where does a message say that nobody is wanted? "No person, please" names one and asks for none."""

from __future__ import annotations

import re
from typing import Final

_WHO: Final = (
    r"(?:(?:an?|the|any|your|some|more|other|real|live|actual|human|support|service|customer|one\s+of\s+your)\s+)*"
    r"(?:humans?(?:\s+beings?)?|persons?|people|someone|somebody|anyone|anybody|agents?|operators?|representatives?"
    r"|reps?|supervisors?|managers?|staff|colleagues?|engineers?|technicians?|experts?|support|team)"
    r"(?:\s+(?:help|support|agents?|assistance))?\b"
)
_MEET: Final = (
    r"(?:speak|talk|chat|connect|transfer|escalate|be\s+(?:connected|transferred|put\s+through)|put)(?:ing)?"
    r"(?:\s+(?:me|us|this|it))?(?:\s+through)?\s+(?:to|with)"
)
_NOT: Final = (
    r"(?:do\s+not|don['’]?t|did\s+not|didn['’]?t|would\s+not|wouldn['’]?t|never)\s+(?:(?:really|even|actually)\s+)?"
)
_END: Final = r"(?=\W*(?:please|pls|thanks|thank\s+you|needed|required|necessary|now|yet|here)?\W*(?:[.,;!?]|$))"

_DECLINED: Final = re.compile(
    rf"""
    (?:^\W*|[.!?,;]\s[^\w.!?,;]*)(?:please\W+)?no\s+{_WHO}{_END}
  | \b{_NOT}(?:need|want|wanna|require|ask(?:ed)?\s+for|like)\s+(?:to\s+{_MEET}\s+)?{_WHO}
  | \b{_NOT}{_MEET}\s+{_WHO}
  | \bno\s+need\s+(?:for|of|to\s+{_MEET})\s+{_WHO}
  | \bwithout\s+(?:having\s+to\s+|me\s+)?{_MEET}\s+{_WHO}
  | \bkein(?:e|en)?\s+(?:menschen?|person|mitarbeiter\w*|berater\w*)\b(?:\s+(?:bitte|nötig|sprechen))*
  | \bnicht\s+mit\s+(?:einem|einer|jemande?m?)\s*(?:\w+\s+){{0,2}}?(?:menschen|mitarbeiter\w*|person|sprechen|reden)\b
  | \b(?:pas|ni)\s+(?:besoin\s+)?(?:d['’]\s?|de\s+|parler\s+(?:à|avec)\s+)(?:une?\s+)?(?:vraie?\s+)?(?:humain|personne
       |conseill\w+|agent|quelqu['’]un)\b
  | \bno\s+(?:quiero|necesito)\s+(?:hablar\s+con\s+)?(?:a\s+)?(?:un|una|ning[uú]n\w*)?\s*(?:humano|persona|agente
       |operador|asesor|alguien)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)


def without_declined(text: str) -> str:
    """The text without every place that declines a person: what is left may still ask for one. Linear in its length."""
    return _DECLINED.sub(" ", text)
