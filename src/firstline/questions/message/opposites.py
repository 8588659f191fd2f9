"""Which operation does a question ask for, and does a text speak of its opposite alone?

A page on switching a thing on is, by its words, very close to a question about switching it off. Nothing here
understands either: a question asks for an operation when it says so ("how do I ...", "I want to ...", an order), and a
text is opposed when it names the other operation and no word at all that could stand for the one asked for. Who asks
how not to do a thing is told nothing by a text that says how to do it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from firstline.questions.message.terms import FUNCTION_WORDS, TOKEN, all_stems, stem
from firstline.questions.message.told_to import told_to
from firstline.questions.message.unwanted import unwanted

CHARS_MAX: Final = 2_000
FRAME_WORDS: Final = 3
"""Between "how do I" and the operation: "permanently", "safely", "go about"."""


@dataclass(frozen=True, slots=True)
class _Side:
    """`asks`: stems of the operation. `says`: further stems that may stand for it in an answer."""

    asks: frozenset[str]
    says: frozenset[str]


def _stems(words: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words.split())


def _side(asks: str, says: str = "") -> _Side:
    own = _stems(asks)
    return _Side(own, own | _stems(says))


_UNDO: Final = "undo revert clear clean purge drop reset unset exclude detach discard revoke erase wipe"
# "turn on", "switch it off": both words become one before the table is read.
_PAIRS: Final[tuple[tuple[_Side, _Side], ...]] = (
    (
        _side("enable activate turn_on switch_on", "true yes allow start"),
        _side(
            "disable deactivate turn_off switch_off",
            f"off false none never stop skip prevent suppress remove delete uncheck unselect {_UNDO}",
        ),
    ),
    (
        _side("install reinstall", "setup set add deploy download upgrade update pull run"),
        _side("uninstall", f"remove delete deinstall {_UNDO}"),
    ),
    (
        _side("add", "create insert append upload include new attach enter put register assign install set enable"),
        _side("remove delete", f"uninstall disable cancel cut unassign {_UNDO}"),
    ),
    (
        _side("create", "add new make build generate define insert write set register"),
        _side("delete", f"remove destroy uninstall cancel close {_UNDO}"),
    ),
    (
        _side("start restart", "run launch begin open boot enable up resume on execute"),
        _side("stop", "end kill disable shutdown shut terminate quit cancel pause exit down abort off prevent no not"),
    ),
    (
        _side("allow permit", "enable grant open accept let add whitelist allowlist can"),
        _side("deny block forbid", "disallow prevent restrict reject refuse disable not no never only hide ban"),
    ),
    (_side("lock", "protect block close freeze restrict"), _side("unlock", "reset release open unblock enable")),
    (
        _side("increase", "raise larger higher more grow extend expand up add maximum max set change adjust"),
        _side(
            "decrease reduce",
            "lower less smaller fewer shrink limit minimum min cut down save compress optimize optimise avoid set "
            "change adjust disable",
        ),
    ),
    (
        _side("upgrade", "update newer latest migrate install"),
        _side("downgrade", f"older previous earlier rollback roll back uninstall {_UNDO}"),
    ),
    (_side("encrypt"), _side("decrypt", "unencrypted plain plaintext clear key")),
    (_side("subscribe", "join register add follow"), _side("unsubscribe", "leave remove cancel stop opt unfollow")),
    (_side("mount", "attach"), _side("unmount umount", "detach eject remove")),
    (
        _side("show display", "see view visible list print open enable unhide include add"),
        _side("hide", "invisible remove disable suppress off uncheck unselect no not collapse exclude none false"),
    ),
)

_PHRASAL: Final = re.compile(r"\b(turn|switch)(?:ed|es|ing|s)?((?:\s+[\w-]+){0,4}?)\s+(on|off)\b", re.IGNORECASE)
_DROP_DOWN: Final = re.compile(r"\bdrop[\s-]down\b", re.IGNORECASE)
_SET_ON: Final = re.compile(r"""(?:=|:|\bto|\bis)\s*["'`*]*on\b""", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"[.!?;\n]+(?:\s+|$)")
_ASKED: Final = re.compile(
    r"""\b(?:how\s+(?:do|can|could|should|would|does\s+one)\s+(?:i|we|you|one|somebody|someone|it\s+possible)
         | how\s+to | (?:i|we)(?:\s+\w+){0,1}?\s+(?:want|need|like|wish)\s+to
         | (?:way|steps?|procedure|command)\s+(?:to|for) | possible\s+to | (?:can|may)\s+(?:i|we))
      ((?:\W+[\w-]+){1,4})""",
    re.IGNORECASE | re.VERBOSE,
)
_KEPT: Final = re.compile(
    r"\b(?:keep|leave|have)\s+(?:[\w-]+\s+){1,4}?(disabled|deactivated|enabled|activated|off|on|locked|hidden|stopped)\W*$",
    re.IGNORECASE,
)
"""A state that is to stay is asked for like the operation that leads to it."""
_ORDER: Final = re.compile(r"\W*(?:please\s+)?([\w-]+)", re.IGNORECASE)
_HOW: Final = re.compile(r"\b(?:how|can|could|possible|way|run|use|is\s+there)\b", re.IGNORECASE)
_WITHOUT: Final = re.compile(r"\bwithout\s+(.{2,80})", re.IGNORECASE)
_WORD: Final = re.compile(r"[\w-]+")


def opposed(question: str, text: str) -> bool:
    """The question asks for an operation that `text` never names, while it names the opposite one; or it asks how not
    to do what `text` tells to do.

    `text`: the answer with the titles and headings of the pages it cites. A question that names both sides ("I enabled
    it, how do I disable it again?") is left alone, and so is a text that names both.
    """
    asked = _joined(question[:CHARS_MAX])
    operations = _asked_for(asked)
    said = all_stems(_joined(text)) if operations else frozenset[str]()
    named = all_stems(asked) if operations else said
    for one, other in _PAIRS:
        for side, opposite in ((one, other), (other, one)):
            if not side.asks & operations or opposite.asks & named:
                continue
            if opposite.asks & said and not side.says & said:
                return True
    return _with_what_is_not_wanted(asked, text) or _tells_to_do_it(asked, text)


def wants_undone(question: str) -> bool:
    """It asks how, or why, not to do something."""
    return bool(unwanted(_joined(question[:CHARS_MAX])))


def _tells_to_do_it(asked: str, text: str) -> bool:
    wishes = unwanted(asked)
    said = _joined(text) if wishes else ""
    for wish in wishes:
        verb = stem(wish.verb)
        sides = [(one, two) for pair in _PAIRS for one, two in (pair, pair[::-1]) if verb in one.asks]
        same = frozenset({verb}).union(*(one.asks for one, _ in sides))
        against = frozenset[str]().union(*(two.asks for _, two in sides))
        if told_to(wish, said, same=same, against=against):
            return True
    return False


def _joined(text: str) -> str:
    """ "turn the log on" and "log = on" are one word each, which a table can hold; a drop-down list drops nothing."""
    text = _DROP_DOWN.sub("list", text)
    return _SET_ON.sub(" turn_on ", _PHRASAL.sub(lambda found: f"{found[1]}_{found[3]}{found[2]}", text))


def _asked_for(question: str) -> frozenset[str]:
    """Stems of the words that stand where an operation is asked for."""
    found: set[str] = set()
    for sentence in _SENTENCE.split(question):
        order = _ORDER.match(sentence)
        for words in (order[1] if order else "", *_ASKED.findall(sentence)):
            found.update(stem(word.casefold()) for word in _WORD.findall(words)[: FRAME_WORDS + 1])
        kept = _KEPT.search(sentence)
        if kept is not None:
            state = kept[1].casefold()
            found.add(f"turn_{state}" if state in ("on", "off") else stem("hide" if state == "hidden" else state))
    return frozenset(found)


def _with_what_is_not_wanted(question: str, text: str) -> bool:
    """ "without X" is asked for, and the text has X, or the tool that steers it, without any such word before it."""
    for sentence in _SENTENCE.split(question):
        found = _WITHOUT.search(sentence)
        if found is None or not _HOW.search(sentence):
            continue
        words = (word.casefold() for word in TOKEN.findall(found[1]))
        unwanted = next((word for word in words if word not in FUNCTION_WORDS and len(word) > 2), None)
        if unwanted is not None and _has(unwanted, text) and not _avoids(unwanted, text):
            return True
    return False


def _has(unwanted: str, text: str) -> bool:
    stems = all_stems(text)
    # A daemon and the command that controls it share a name: xd, xctl.
    return stem(unwanted) in stems or (unwanted.endswith("d") and f"{unwanted[:-1]}ctl" in stems)


_AVOID: Final = _stems("without no not instead disable skip omit avoid except free never alternative unless optional")


def _avoids(unwanted: str, text: str) -> bool:
    return bool(_AVOID & all_stems(text)) or f"{unwanted}less" in text.casefold()


def asks_reverse(question: str) -> bool:
    """It asks for the second operation of a pair above (disable, remove, stop ...) and not for the first: questions
    that differ in this do not ask the same, however near their words are."""
    operations = _asked_for(_joined(question[:CHARS_MAX]))
    return any(second.asks & operations and not first.asks & operations for first, second in _PAIRS)
