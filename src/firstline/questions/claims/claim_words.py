"""Which words turn a statement into another one, and which words say the same? English, of software in general.

A *telling* word (a negation, "must", "only", "at least", "before") may neither appear nor vanish between a claim and
what it cites. A *plain* word of a claim must stand in what it cites, itself or one that says the same. *Empty* words
are not compared at all.
"""

from __future__ import annotations

from typing import Final

from firstline.questions.message.terms import stem

NOT: Final = "not"
CONDITIONS: Final = frozenset("if unless except until before after only without while".split())
"""A clause that begins with one of these limits what stands beside it."""

_TELLING: Final = {
    "not": "not no non never none nor neither nothing nobody nowhere hardly",
    "without": "without",
    "except": "except excluding excepting",
    "unless": "unless",
    "can": "can could able",
    "may": "may might maybe perhaps possibly optionally",
    "must": "must shall mandatory obligatory compulsory",
    "should": "should ought advisable",
    "if": "if when whenever provided assuming whether",
    "until": "until till",
    "before": "before",
    "after": "after afterwards once",
    "then": "then next subsequently thereafter",
    "while": "while during meanwhile simultaneously",
    "first": "first firstly initially",
    "last": "last lastly finally",
    "second_of": "secondly",
    "all": "all every each everything everyone",
    "any": "any anything anyone",
    "only": "only solely exclusively",
    "some": "some several certain",
    "most": "most mostly",
    "few": "few",
    "many": "many much",
    "both": "both",
    "either": "either",
    "always": "always",
    "usually": "usually typically normally generally commonly",
    "sometimes": "sometimes occasionally",
    "often": "often frequently",
    "rarely": "rarely seldom",
    "more": "more greater above exceed exceeds exceeding exceeded over beyond",
    "less": "less fewer below under beneath",
    "least": "minimum min least minimal",
    "upmost": "maximum max maximal",
    "to_range": "to_range",
    "higher": "higher",
    "lower": "lower",
    "larger": "larger bigger",
    "smaller": "smaller",
    "newer": "newer later",
    "older": "older earlier prior previous",
    "up": "up",
    "down": "down",
    "off": "off",
    "out": "out",
    "same": "same identical equal",
    "different": "different unlike",
}
TELLING: Final = {word: name for name, words in _TELLING.items() for word in words.split()}

_KINDS: Final = (
    ("negation", frozenset("not without".split())),
    ("must, should, may or can", frozenset("can may must should".split())),
    ("condition", frozenset("if unless until except while".split())),
    ("order", frozenset("before after then first last second_of".split())),
    ("all, some or only", frozenset("all any only some most few many both either".split())),
    ("how often", frozenset("always usually sometimes often rarely".split())),
)


def kind_of(telling: str) -> str:
    """What a telling word is about, in plain words for a reason."""
    return next((kind for kind, names in _KINDS if telling in names), "comparison or direction")


EMPTY: Final = frozenset(
    """
    a an the this that these those it its he she his her they them their you your yours we us our ours i me my one's
    is are was were be been being am do does did done doing has have had having will would
    of in at to for as with into onto on about per via upon within through and or but so than also too
    there here like which who whom whose what how where why etc please simply just very quite really easily already
    however therefore thus hence because since such itself themselves yourself let get gets got getting now still well
    """.split()
)

_ALIKE: Final = (
    "use utilize utilise employ",
    "click press tap hit",
    "choose pick select",
    "remove delete erase",
    "begin start commence",
    "finish complete",
    "show display",
    "make create",
    "need require",
    "let allow permit enable",
    "help assist",
    "fix solve resolve correct rectify",
    "problem issue trouble",
    "error fault failure",
    "get obtain receive",
    "give provide supply",
    "keep retain",
    "change modify alter",
    "check verify ensure confirm",
    "see view look",
    "buy purchase",
    "happen occur",
    "set configure",
    "run execute",
    "stop halt",
    "end terminate",
    "fast quick rapid",
    "big large",
    "step instruction",
    "mistake slip",
    "further additional extra",
    "default standard",
    "parameter option",
    "folder directory",
    "build construct",
    "find locate",
    "describe explain",
    "contain include",
    "possible feasible",
    "wrong incorrect",
    "right correct",
    "support assist",
    "store save",
    "important crucial vital",
    "various multiple",
    "full complete entire whole",
    "attempt try",
    "info information detail",
    "app application",
    "repo repository",
    "config configuration",
    "doc documentation document",
    "admin administrator",
    "approximately roughly approx",
)


def _one_word_for_each() -> dict[str, str]:
    found: dict[str, str] = {}
    for words in _ALIKE:
        stems = [stem(word) for word in words.split()]
        # A word of two groups ("correct") stays in the first: meanings must not be chained from group to group.
        name = stems[0]
        for one in stems:
            found.setdefault(one, name)
    return found


ALIKE: Final = _one_word_for_each()

LIGHT: Final = frozenset(stem(word) for word in "follow following mentioned said follows user customer".split())
"""A claim may say these though its span does not: they tell nothing by themselves."""

ACTIONS: Final = frozenset(
    stem(word)
    for word in """
    click select choose press tap open close set run stop start restart delete remove add create enable disable install
    uninstall go enter type copy paste save log sign check make move drag drop edit update upgrade download upload
    configure change export import navigate verify apply hover scroll switch turn reset rename scale drain reboot wait
    """.split()
)
"""A list of these is a procedure: its order counts."""
