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
_DE: Final = (
    r"häufig(?:st)?e?[nr]?|üblich(?:st)?e?[nr]?|typisch(?:st)?e?[nr]?|gängig(?:st)?e?[nr]?|gewöhnlich(?:st)?e?[nr]?"
)
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
    | \b(?:{_DE}){_GAP}?(?:ursachen?|grund|gründe?|auslöser)\b | \bhaupt(?:ursachen?|grund|gründe?)\b
    | \b(?:warum|wieso|weshalb|woran|wodurch)\b(?:\s+\S+){{0,12}}?\s+(?:{_DE_OFTEN})\b
    | \bwas\s+(?:sind|ist)\s+(?:{_DE_OFTEN})\s+(?:die|der)\s+(?:ursachen?|gründe?)\b
    | \bwas\s+(?:verursacht|führt)\s+(?:{_DE_OFTEN})\b
    | \bcauses?\s+(?:(?:les?|la)\s+plus\s+)?(?:{_FR})\b | \b(?:principales|fréquentes)\s+(?:causes|raisons)\b
    | \braisons?\s+(?:(?:les?|la)\s+plus\s+)?(?:{_FR})\b
    | \bquelles?\s+(?:est|sont)\s+(?:{_FR_OFTEN})\s+(?:les?|la)\s+(?:causes?|raisons?)\b
    | \bpourquoi\b(?:\s+\S+){{0,12}}?\s+(?:{_FR_OFTEN})\b
    | \bqu['’]est-ce\s+qui\s+(?:cause|provoque)\s+(?:{_FR_OFTEN})\b
    | \b(?:causas?|razones|motivos?)\s+(?:más\s+)?(?:{_ES})\b | \bprincipales\s+(?:causas|razones|motivos)\b
    | \b(?:cuál|cuáles)\s+suelen?\s+ser\s+(?:la|el|las|los)\s+(?:causas?|razones|motivos?)\b
    | \bpor\s+qué\b(?:\s+\S+){{0,12}}?\s*(?:{_ES_OFTEN})\b
    | \bqué\s+(?:suele\s+causar|(?:causa|provoca)\s+(?:{_ES_OFTEN}))\b
    | (?:よくある|一般的な|主な|主要な|典型的な|代表的な|多い)\s*(?:原因|理由)
    | (?:原因|理由)\s*(?:として|で)\s*(?:多い|よくある)
    | (?:通常|普通|よく|たいてい)[^。？?]{{0,40}}(?:の原因は|なぜ|原因は何)""",
    re.IGNORECASE | re.VERBOSE,
)
_USUAL_EN: Final = rf"(?:(?:all|any|one|of|the|its|these|those|a|an)\s+){{0,4}}(?:{_EN}|causes?|reasons?)\b"
_NOT_ASKED: Final = re.compile(
    rf"""(?:\b(?:not|none|besides|apart\s+from|aside\s+from|other\s+than|except(?:\s+for)?|excluding|beyond
      |in\s+addition\s+to|instead\s+of|rather\s+than)|n['’]t)\s+{_USUAL_EN}
    | \b(?:i|we|they|he|she)(?:['’](?:ve|d)|\s+(?:have|had|did))?\s+(?:(?:already|just|also|now)\s+)?
      (?:check|tr(?:y|i)|went|gone|look|rul|exclud|eliminat|read|know|knew|see|saw|verif|test|follow|work)\w*
      (?:\s+\S+){{0,2}}?\s+{_USUAL_EN}
    | \b(?:causes?|leads?|triggers?)\s+(?:you|us|me|him|her|them|support|people|users|customers)\s+to\b
    | \breasons?\s+(?:not\s+)?to\b
    | \b(?:außer|abgesehen\s+von|neben|keine[rs]?|nicht)\s+(?:(?:de[rnm]|die|zu)\s+){{0,2}}(?:{_DE}|ursachen?)\b
    | \b(?:hormis|outre|à\s+part|en\s+dehors\s+des?|aucune\s+des|pas)\s+(?:(?:les?|la)\s+)?(?:causes?|raisons?)\b
    | \b(?:aparte|además|excepto|salvo|ninguna|no\s+(?:es|son))\s+(?:de\s+)?(?:l[ao]s?\s+)?(?:causas?|motivos?)\b
    | (?:原因|理由)(?:以外|のほか|ではな)""",
    re.IGNORECASE | re.VERBOSE,
)
"""What speaks of usual causes and asks for something else: what they are not, what is left without them, what moves a
person to something."""
_FRAME: Final = re.compile(
    rf"""\b(?:{_EN}|{_OFTEN}|{_DE}|{_DE_OFTEN}|{_FR}|{_ES}|{_FR_OFTEN}|{_ES_OFTEN})\b
    | よくある|一般的な|主な|主要な|典型的な|代表的な|通常|普通|たいてい""",
    re.IGNORECASE | re.VERBOSE,
)


def asks_usual_causes(text: str) -> bool:
    """Linear in the length of the message; a long one is a report."""
    return len(text) <= CHARS_MAX and USUAL.search(text) is not None and _NOT_ASKED.search(text) is None


def without_usual(text: str) -> str:
    """The question without the words that ask for what is usual: pages say what causes something, not that it is
    usual."""
    return " ".join(_FRAME.sub(" ", text).split()) if asks_usual_causes(text) else text
