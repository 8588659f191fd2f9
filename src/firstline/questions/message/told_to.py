"""Does a text tell its reader to do something, and does it say a word about not doing it?

"To enable backups, run ...", "Enable backups", "you can enable them" tell to; "backups are enabled" does not.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from firstline.questions.message.terms import all_stems, stem
from firstline.questions.message.unwanted import Wish

CHARS_MAX: Final = 20_000
SENTENCES_MAX: Final = 400

_SENTENCE: Final = re.compile(r"[.!?;:\n]+(?:\s+|$)")
_WORD: Final = re.compile(r"[\w-]+")
_LEADS: Final = frozenset("to and then or please by i you we first now".split())
_GIVES_COMMAND: Final = frozenset("run use execute call type enter click press tap select choose pick open".split())
_MODAL: Final = frozenset("can must should may could do".split())
_WHO: Final = frozenset("i you we".split())
_IT: Final = frozenset("it them this these that those".split())
_TURNS: Final = frozenset("not no never without cannot".split())
_SPARES: Final = frozenset(
    stem(word)
    for word in """avoid prevent disable deactivate stop skip bypass instead optional optionally unless exclude omit
    turn_off switch_off off opt deny forbid refuse restrict permission role protect danger dangerous risk warning
    caution keep kept retain preserve""".split()
)
_SHORT_NOT: Final = re.compile(r"\b\w+n['’]t\b", re.IGNORECASE)

_FOREIGN: Final = {
    "de": (
        ("en", "ern", "eln", "e"),
        re.compile(
            r"\b(?:nicht|nie|niemals|kein\w*|ohne|statt|vermeid\w*|verhinder\w*|deaktivier\w*|abschalt\w*|ausschalt\w*"
            r"|stopp\w*|umgeh\w*|[uü]berspring\w*)\b",
            re.IGNORECASE,
        ),
    ),
    "fr": (
        ("er", "ez", "ir", "re", "ant"),
        re.compile(
            r"\b(?:pas|jamais|aucun\w*|sans|[ée]vit\w*|emp[êe]ch\w*|d[ée]sactiv\w*|arr[êe]t\w*|ignor\w*|plut[ôo]t)\b",
            re.I,
        ),
    ),
    "es": (
        ("ar", "er", "ir", "e", "a", "en", "an"),
        re.compile(
            r"\b(?:no|nunca|jam[áa]s|ning[úu]n\w*|sin|evit\w*|imp[ei]d\w*|desactiv\w*|deshabilit\w*|deten\w*|omit\w*)\b",
            re.IGNORECASE,
        ),
    ),
}


def told_to(wish: Wish, text: str, *, same: Collection[str], against: Collection[str]) -> bool:
    """`text` tells to do what the wish is against, and has no sentence on not doing it. `same`: stems that stand for
    the verb; `against`: those of its opposite."""
    sentences = _SENTENCE.split(text[:CHARS_MAX])[:SENTENCES_MAX]
    if wish.language != "en":
        return _told_abroad(wish, sentences)
    about = not wish.things.isdisjoint(all_stems(text))
    told = False
    for sentence in sentences:
        words = [word.casefold() for word in _WORD.findall(sentence)]
        stems = [stem(word) for word in words]
        does = not frozenset(same).isdisjoint(stems)
        concerns = does or not wish.things.isdisjoint(stems)
        if concerns and not (_SPARES | frozenset(against)).isdisjoint(stems):
            return False
        if does and (not _TURNS.isdisjoint(words) or _SHORT_NOT.search(sentence)):
            return False
        if does and (not wish.things or not wish.things.isdisjoint(stems) or (about and not _IT.isdisjoint(words))):
            told = told or any(one in same and _is_order(words, at) for at, one in enumerate(stems))
    return told


def _is_order(words: list[str], at: int) -> bool:
    """The verb at this place is one that the reader is told: it begins, or follows "to", "and", "you can"."""
    word, before = words[at], words[at - 1] if at else ""
    if word.endswith("ed") and stem(word) != word:
        return False
    # "Run `backup enable`", "click Enable backups".
    if not at or before in _LEADS or before.isdigit() or words[0] in _GIVES_COMMAND:
        return True
    return before in _MODAL and at > 1 and words[at - 2] in _WHO


def _told_abroad(wish: Wish, sentences: list[str]) -> bool:
    endings, spares = _FOREIGN[wish.language]
    root = wish.verb[: max(4, len(wish.verb) - 3)]
    told = False
    for sentence in sentences:
        words = _WORD.findall(sentence.casefold())
        does = any(word.startswith(root) for word in words)
        concerns = not wish.things or not wish.things.isdisjoint(words)
        if (does or concerns) and spares.search(sentence):
            return False
        if does and concerns:
            told = told or any(word.startswith(root) and word.endswith(endings) for word in words)
    return told
