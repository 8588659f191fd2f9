"""Which language is a text written in? Scripts first, then the share of each language's commonest short words."""

from __future__ import annotations

import re
from typing import Final

DEFAULT: Final = "en"
CHARS_MAX: Final = 2_000
WORDS_MIN: Final = 2
"""Fewer telling words than this say nothing: product names and error texts look English everywhere."""

# Kana before Han, since Japanese writes both; Ukrainian letters before the Cyrillic that they stand among.
SCRIPTS: Final = tuple(
    (language, re.compile(pattern))
    for language, pattern in (
        ("ja", "[\u3040-\u30ff]"),
        ("ko", "[\uac00-\ud7af\u1100-\u11ff]"),
        ("zh", "[\u4e00-\u9fff]"),
        ("uk", "[іїєґІЇЄҐ]"),
        ("ru", "[\u0400-\u04ff]"),
        ("ar", "[\u0600-\u06ff]"),
        ("he", "[\u0590-\u05ff]"),
        ("el", "[\u0370-\u03ff]"),
        ("hi", "[\u0900-\u097f]"),
        ("th", "[\u0e00-\u0e7f]"),
    )
)
SCRIPT_SHARE_MIN: Final = 0.2
"""Share of the letters: one foreign character in an English log does not change the language."""

_WORDS: Final = {
    # With the words that others write alike ("a", "as", "no"): what both languages say tells neither.
    "en": "the and is are you of to in it not for how what why with this that my can does have was when i do on from "
    "a as no or at be an they if we",
    "de": "der die das und ist nicht ich wie kann mein meine warum ein eine zu mit auf für wir sie werden bei den dem "
    "es habe wo von nach wird möchte",
    "fr": "le la les des et est je pas comment pourquoi mon ma mes un une pour avec dans vous nous que qui sur ne du "
    "où il j'ai c'est puis-je peut",
    "es": "el la los las y es no cómo como por qué mi mis un una para con en que de se puedo tengo está del al cuando",
    "it": "il lo la gli e è non come perché mio mia un una per con nel che di si posso ho sono del della quando dei",
    "pt": "o a os as e é não como por que meu minha um uma para com em no na do da se posso tenho está quando você",
    "nl": "de het een en is niet ik hoe waarom mijn kan met voor op van wij je dat te zijn heb wordt naar bij er",
}
WORDS: Final = {language: frozenset(words.split()) for language, words in _WORDS.items()}
WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def language_of(text: str) -> str:
    """ISO 639-1 code; 'en' when nothing tells."""
    words = [word.casefold() for word in WORD.findall(text[:CHARS_MAX])]
    letters = sum(map(len, words))
    if not letters:
        return DEFAULT
    joined = "".join(words)
    if sum(len(pattern.findall(joined)) for _, pattern in SCRIPTS) >= SCRIPT_SHARE_MIN * letters:
        return next(language for language, pattern in SCRIPTS if pattern.search(joined))
    counts = {language: sum(word in telling for word in words) for language, telling in WORDS.items()}
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] >= WORDS_MIN and counts[best] > counts[DEFAULT] else DEFAULT
