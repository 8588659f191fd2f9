"""Does a message ask what usually causes something? The form alone decides. Shared vocabulary; it calls no step.

"The usual causes of E4711" asks for what many tell; "the cause of E4711" for what one page says.
"""

from __future__ import annotations

import re
from typing import Final

CHARS_MAX: Final = 600
"""A longer message is a report: what it asks for is told in it."""

_EN: Final = r"usual|common|commonest|typical|frequent|main|likely|likeliest|most\s+(?:common|frequent|likely)|top"
_OFTEN: Final = r"usually|commonly|typically|often|frequently|generally|normally|most\s+often|mostly"
_DE: Final = r"häufig(?:st)?e?n?|üblich(?:st)?e?n?|typisch(?:st)?e?n?|gängig(?:st)?e?n?|gewöhnlich(?:st)?e?n?"
_DE_OFTEN: Final = r"meistens?|normalerweise|üblicherweise|typischerweise|häufig|gewöhnlich|in\s+der\s+regel"
_FR: Final = r"habituelles?|courantes?|fréquentes?|typiques?|principales?|communes?|probables?|usuelles?"
_ES: Final = r"habituales?|comunes|común|frecuentes?|típic[ao]s?|principales|usuales|probables?"
_FR_OFTEN: Final = r"d['’]habitude|habituellement|généralement|souvent|normalement|typiquement|en\s+général"
_ES_OFTEN: Final = r"normalmente|habitualmente|generalmente|frecuentemente|a\s+menudo|suele[n]?|típicamente"
_GAP: Final = r"(?:\s+\S+){0,3}?\s+"

USUAL: Final = re.compile(
    rf"""\b(?:{_EN})(?:\s+(?:and|or|root|possible|known|\w+ed))*\s+(?:causes?|reasons?|culprits?|triggers?)\b
    | \b(?:causes?|reasons?)\s+(?:are|is)\s+(?:the\s+)?(?:{_EN})\b
    | \bwhat\s+(?:{_OFTEN})\s+(?:causes?|triggers?|leads?\s+to|is\s+the\s+(?:cause|reason))\b
    | \bwhat\s+(?:is|are|does|do)\s+(?:\S+\s+){{0,8}}?(?:{_OFTEN})\s+(?:caused\s+by|the\s+(?:causes?|reasons?))\b
    | \bwhat\s+(?:{_OFTEN})\s+(?:goes|is)\s+wrong\b
    | \bwhy\s+(?:do|does|is|are|did|would|will|can)\s+(?:\S+\s+){{0,12}}?(?:{_OFTEN})\b
    | \bwhy\s+(?:{_OFTEN})\b
    | \b(?:{_DE}){_GAP}?(?:ursachen?|gründe?|auslöser)\b
    | \b(?:warum|wieso|weshalb|woran|wodurch)\b(?:\s+\S+){{0,12}}?\s+(?:{_DE_OFTEN})\b
    | \bwas\s+(?:sind|ist)\s+(?:{_DE_OFTEN})\s+(?:die|der)\s+(?:ursachen?|gründe?)\b
    | \bwas\s+(?:verursacht|führt)\s+(?:{_DE_OFTEN})\b
    | \bcauses?\s+(?:(?:les?|la)\s+plus\s+)?(?:{_FR})\b | \b(?:principales|fréquentes)\s+(?:causes|raisons)\b
    | \braisons?\s+(?:(?:les?|la)\s+plus\s+)?(?:{_FR})\b
    | \bpourquoi\b(?:\s+\S+){{0,12}}?\s+(?:{_FR_OFTEN})\b
    | \bqu['’]est-ce\s+qui\s+(?:cause|provoque)\s+(?:{_FR_OFTEN})\b
    | \b(?:causas?|razones|motivos?)\s+(?:más\s+)?(?:{_ES})\b | \bprincipales\s+(?:causas|razones|motivos)\b
    | \bpor\s+qué\b(?:\s+\S+){{0,12}}?\s*(?:{_ES_OFTEN})\b
    | \bqué\s+(?:suele\s+causar|(?:causa|provoca)\s+(?:{_ES_OFTEN}))\b
    | (?:よくある|一般的な|主な|典型的な|代表的な|多い)\s*(?:原因|理由)
    | (?:原因|理由)\s*(?:として|で)\s*(?:多い|よくある)
    | (?:通常|普通|よく|たいてい)[^。？?]{{0,40}}(?:の原因は|なぜ|原因は何)""",
    re.IGNORECASE | re.VERBOSE,
)
_FRAME: Final = re.compile(
    rf"""\b(?:{_EN}|{_OFTEN}|{_DE}|{_DE_OFTEN}|{_FR}|{_ES}|{_FR_OFTEN}|{_ES_OFTEN})\b
    | よくある|一般的な|主な|典型的な|代表的な|通常|普通|たいてい""",
    re.IGNORECASE | re.VERBOSE,
)


def asks_usual_causes(text: str) -> bool:
    """Linear in the length of the message; a long one is a report."""
    return len(text) <= CHARS_MAX and USUAL.search(text) is not None


def without_usual(text: str) -> str:
    """The question without the words that ask for what is usual: pages say what causes something, not that it is
    usual."""
    return " ".join(_FRAME.sub(" ", text).split()) if asks_usual_causes(text) else text
