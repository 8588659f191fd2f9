"""When and where does it happen? How often, at which hour, for whom, from where it works and from where not.

Nothing tells causes apart as well as this, and it is no version, no error and no attempt.
"""

from __future__ import annotations

import re
from typing import Final

_FLAGS: Final = re.IGNORECASE | re.VERBOSE
_SPAN: Final = (
    r"(?:second|minute|hour|day|night|morning|evening|afternoon|noon|week|month|monday|tuesday|wednesday|thursday|friday"
    r"|saturday|sunday|time|weekend)"
)
HAPPENS: Final = re.compile(
    rf"""\b(?:every|each|once\s+(?:a|an|per)|twice\s+(?:a|an)|times\s+(?:a|an|per)|about\s+once)\s+(?:other\s+|few\s+|\d+\s+|about\s+)?{_SPAN}s?\b
    | \b(?:sometimes|now\s+and\s+then|from\s+time\s+to\s+time|randomly|at\s+random|occasionally|intermittent\w*
       |sporadic\w*|always\s+at)\b
    | \bonly\s+(?:on|in|at|for|from|with|when|if|after|during|the|one|some|since|writes|reads)\b | \bmostly\b
    | \b(?:works?|ok|okay|fine|normal|reachable)\s+(?:from|on|in|with|for|when|there|locally)\b
    | \bit\s+works\b | \bthe\s+others?\b.{{0,30}}?\b(?:is|are|work|can)\b | \bother\s+(?:\w+\s+)?(?:users?
       |clients?|nodes?|members?)\s+(?:can|are|work)\b
    | \b(?:for|after)\s+(?:about\s+)?\d+\s+(?:{_SPAN})s?\b | \b(?:the\s+)?(?:rest|others?)\s+(?:is|are)\s+(?:fine
       |ok|normal)\b
    | \bat\s+\d\d?(?::\d\d|\s*(?:am|pm|o'clock))\b | \baround\s+(?:\w+|\d+)\s*(?:o'clock|am|pm)?\W*$
    | \b(?:cpu|disk|memory|load|network|ram)\s+(?:is|are|looks?|at)\b
    | \bjede[nrs]?\s+(?:tag|nacht|morgen|stunde|woche)\b | \bnur\s+(?:bei|auf|in|wenn|für|mit)\b | \bmanchmal\b
    | \bchaque\s+\w+ | \bparfois\b | \bseulement\s+(?:sur|avec|quand|pour)\b | \btous\s+les\s+\w+
    | \bcada\s+\w+ | \ba\s+veces\b | \bs[oó]lo\s+(?:en|con|cuando|para)\b | \btod[ao]s?\s+(?:las?\s+|a\s+|as\s+
       |os\s+)?(?:noches?|noites?|d[ií]as?)\b
    | 毎(?:日|晩|朝|時|週) | だけ | 時々 | たまに""",
    _FLAGS,
)
