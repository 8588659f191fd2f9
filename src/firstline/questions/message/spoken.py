"""Which language does a customer write in, as far as a message tells? A pasted log is not what they speak."""

from __future__ import annotations

import re
from typing import Final

from firstline.questions.message.language import CHARS_MAX, DEFAULT, WORD, WORDS, WORDS_MIN, language_of

SHORT_WORDS_MAX: Final = 8
_OWN: Final = {
    "de": "danke dankeschön vielen hallo moin servus bitte tschüss ja nein geholfen wiedersehen guten tag fehler "
    "fehlermeldung bekomme bekommen diese dieser diesen dieses bedeutet heißt funktioniert kündigen löschen konto "
    "rechnung mitarbeiter menschen möchte brauche hilfe leider immer noch bei geht kein keine können könnte sie uns "
    "ihr soll muss seit gibt etwas was",
    "fr": "merci bonjour bonsoir salut oui d'accord revoir beaucoup erreur j'ai cette ce ces veux voudrais parler "
    "résilier compte facture personne signifie veut fonctionne marche besoin aide toujours être avoir sont il n'est "
    "qu'est-ce",
    "es": "gracias hola buenos buenas días tardes sí adiós vale funciona muchas error quiero hablar persona cuenta "
    "factura cancelar significa necesito ayuda este esta estos hay puede pueden sigue hacer qué",
    "en": "thanks thank hello hi hey bye goodbye please i'm don't doesn't can't it's works solved want need help still "
    "get getting our we be there which where should would could",
}
TOLD_BY: Final = {language: words | frozenset(_OWN.get(language, "").split()) for language, words in WORDS.items()}
SHARED: Final = frozenset(
    "error bei ja was sie persona tag hay vale works solved want need help still get getting our we be there which "
    "where should would could".split()
)
"""Words that stand in commands and queries too, or in several languages."""
_SURE: Final = {word: language for language, words in _OWN.items() for word in words.split() if word not in SHARED}
"""Words of which one tells the language of a message of a few words."""
_CODE: Final = re.compile(r"`[^`]*`|(?<!\w)[A-Z][A-Z_]+(?!\w)")
"""Code, and keywords and codes in capitals: English wherever they stand."""


def spoken(text: str) -> str:
    """ISO 639-1 code; "" when nothing tells."""
    cut = text[:CHARS_MAX].replace("’", "'")
    cut = cut if cut.isupper() else _CODE.sub(" ", cut)
    lines = [line for line in cut.splitlines() if line.strip()]
    asking = [line for line in reversed(lines) if line.rstrip().endswith(("?", "？"))]
    # A customer's own words are what asks, or stand before or after what they pasted, which is mostly English.
    for line in (*asking, *lines[:1], *lines[-1:]):
        told = _told_by_words(line)
        if told and (told != DEFAULT or line in asking):
            return told
    return _told_by_words(cut)


def written_in(text: str) -> str:
    """As `spoken`, of a text without regard to who wrote which line of it."""
    found = language_of(text)
    if found != DEFAULT:
        return found
    words = [word.casefold() for word in WORD.findall(text[:CHARS_MAX])]
    return DEFAULT if sum(word in WORDS[DEFAULT] for word in words) >= WORDS_MIN else ""


def _told_by_words(text: str) -> str:
    words = [word.casefold() for word in WORD.findall(text)]
    counts = {language: sum(word in telling for word in words) for language, telling in TOLD_BY.items()}
    best, second = sorted(counts, key=lambda language: counts[language], reverse=True)[:2]
    if counts[best] >= WORDS_MIN and counts[best] > counts[second]:
        return best
    script = language_of(text)
    if script not in (DEFAULT, *WORDS):
        return script
    sure = {_SURE[word] for word in words if word in _SURE}
    return sure.pop() if len(sure) == 1 and len(words) <= SHORT_WORDS_MAX else ""
