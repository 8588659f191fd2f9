"""Is a message English, as far as triage must know? What the classifier says of another language means nothing.

Less is enough to tell than where the language of a reply is chosen: a message that is wrongly taken for another
language is looked up, and one that is wrongly taken for English may be turned away.
"""

from __future__ import annotations

import re
from typing import Final

from firstline.questions.message.language import CHARS_MAX, DEFAULT, WORD
from firstline.questions.message.spoken import SHARED, TOLD_BY, spoken

ALONE_WORDS_MAX: Final = 12
"""One word tells the language of a message of so many; in a pasted log any word may stand."""
_FURTHER: Final = {
    "de": "eines einer einem alle alles beim unter ohne durch zwischen welche welcher welches wann jede jeden "
    "ihre ihren "
    "anderen andere als meines meinem zeige bitte zum zur vom anlegen ändern erstellen entfernen abbrechen "
    "einrichten hochladen "
    "herunterladen starten beenden sichern einstellen umstellen zurücksetzen wiederherstellen anzeigen hinzufügen "
    "verbinden",
    "fr": "toutes cela chaque depuis quelle quelle quels puis créer creer changer supprimer annuler arrêter "
    "arreter activer "
    "désactiver configurer trouver télécharger votre notre autre fichier",
    "es": "cada desde hasta todos todas donde dónde cuál cuándo borrar eliminar crear cambiar anular desactivar "
    "configurar "
    "descargar subir restaurar nuestro otro ya",
}
_SAID_IN: Final = {
    language: words | frozenset(_FURTHER.get(language, "").split()) for language, words in TOLD_BY.items()
}
_IN_ENGLISH_TOO: Final = frozenset("a as do no o e y in is on an me die men con per de en over met was".split())
"""Two of these are found in English sentences: "write a letter as a cook" has the commonest words of Portuguese."""
_TELLING: Final = {language: words - _IN_ENGLISH_TOO - {"error"} for language, words in _SAID_IN.items()}
_NAMES_AND_ENGLISH: Final = frozenset(
    "com come comment pour plus main door cause tag sans unter la el los las san al du son lo un es se van ne da "
    "at er em um "
    "na je ist at so ma mes mon si my op que una del".split()
)
_ALONE: Final = {
    word: language
    for language, words in _SAID_IN.items()
    for word in sorted(words - _SAID_IN[DEFAULT] - SHARED - _IN_ENGLISH_TOO - _NAMES_AND_ENGLISH)
    if language != DEFAULT
}
"""Words that no English sentence has. Where languages share one, either will do."""
_LETTERS: Final = {"es": frozenset("ñ¿¡íóú"), "de": frozenset("äöüß"), "fr": frozenset("àâçèéêëîïôœùû")}
_ENDINGS: Final = {
    "de": re.compile(
        r"\w{5,}ung(?:en)?|\w{4,}(?:keit|heit|ieren|schaft)(?:en)?|\w{4,}(?:ngen|chen|ssen|lten|rten|llen|igen"
        r"|isse|lich)"
    ),
    "es": re.compile(r"\w{3,}(?:ci[oó]n|ciones|dades|idad|mente)|\w{5,}(?:ad[oa]s?|id[oa]s|ando|iendo|aron|ieron)"),
    "fr": re.compile(r"[dlnjcmst]'[aeéèêiouyh]\w*|qu'\w+"),
}


def tongue_of(text: str) -> str:
    """ISO 639-1 code; "" when nothing tells."""
    words = [word.casefold() for word in WORD.findall(text[:CHARS_MAX].replace("’", "'"))]
    told = spoken(text)
    if told in _SAID_IN and told != DEFAULT and not any(word in _TELLING[told] for word in words):
        told = ""
    if told:
        return told
    if any(word in _TELLING[DEFAULT] for word in words):
        return DEFAULT
    return _by_letters(text) or (_by_one_word(words) if len(words) <= ALONE_WORDS_MAX else "")


def _by_letters(text: str) -> str:
    cut = text[:CHARS_MAX].casefold()
    return next((language for language, letters in _LETTERS.items() if not letters.isdisjoint(cut)), "")


def _by_one_word(words: list[str]) -> str:
    alone = next((_ALONE[word] for word in words if word in _ALONE), "")
    return alone or next((language for language, ends in _ENDINGS.items() if any(map(ends.fullmatch, words))), "")
