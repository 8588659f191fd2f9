"""Which words turn a statement into another one, and which words say the same? English, of software in general.

A *telling* word (a negation, "must", "only", "at least", "before") may neither appear nor vanish between a claim and
what it cites. A *plain* word of a claim must stand in what it cites, itself or one that says the same. *Empty* words
are not compared at all.
"""

from __future__ import annotations

import re
from typing import Final

from firstline.questions.message.terms import stem

NOT: Final = "not"
CONDITIONS: Final = frozenset("if unless except until before after only without while".split())
"""A clause that begins with one of these limits what stands beside it."""

_TELLING: Final = {
    "not": "not no never none nor neither nothing nobody nowhere hardly",
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
    "least": "minimum least minimal",
    "upmost": "maximum maximal",
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


_BE: Final = r"(?:is|are|was|were|be|being)"
# Longer phrases first. A phrase is looked for only where one of the words in front of it stands in the text at all.
_PHRASES: Final = tuple(
    (tuple(cores.split("|")), re.compile(rf"\b(?:{pattern})(?![\w'’])", re.IGNORECASE), said)
    for cores, pattern, said in (
        (
            "not re|not ne|not ob|not ma",
            rf"{_BE}\s+not\s+(?:required|necessary|needed|obliged|mandatory)(?:\s+(?:to|that))?",
            " needless ",
        ),
        ("have to|need to", r"(?:do|does|did)\s+not\s+(?:have|need)\s+to", " needless "),
        ("need", r"need\s+not", " needless "),
        ("must|shall", r"(?:must|shall)\s+not", " must not "),
        ("allowed", rf"{_BE}\s+(?:not|never)\s+allowed\s+to", " must not "),
        ("has to|have to|had to|need", r"(?:has|have|had|need|needs|needed)\s+to", " must "),
        (
            "requir|need|necess|oblig|mandat|essent",
            rf"(?:it\s+is\s+|{_BE}\s+)(?:required|obliged|needed|necessary|mandatory|essential)\s+(?:to|that|for)",
            " must ",
        ),
        (
            "recommend|advis|suggest",
            rf"(?:it\s+is\s+|{_BE}\s+)?(?:recommended|advised|advisable|suggested)(?:\s+(?:to|that))?",
            " should ",
        ),
        (
            "recommend|advise|suggest",
            r"(?:we|i)\s+(?:strongly\s+)?(?:recommend|advise|suggest)(?:\s+(?:to|that|you\s+to|you))?",
            " should ",
        ),
        ("able to", rf"(?:{_BE}\s+)?(?:not\s+able|unable)\s+to", " can not "),
        ("fail", r"(?:fails?|failed)\s+to", " can not "),
        ("can|could", r"(?:can|could)\s*not", " can not "),
        ("able to|allowed to|permitted to", rf"(?:{_BE}\s+)?able\s+to|{_BE}\s+(?:allowed|permitted)\s+to", " can "),
        ("possible", r"it\s+is\s+possible\s+(?:to|that)", " can "),
        ("longer|more", r"no\s+longer|not\s+any\s*(?:more|longer)", " not anymore "),
        ("than", r"(?:no|not)\s+(?:more|greater|later|higher|larger)\s+than", " upmost "),
        ("than", r"(?:no|not)\s+(?:less|fewer|lower|smaller|earlier)\s+than", " least "),
        ("least|minimum", r"at\s+(?:the\s+very\s+)?least|(?:a\s+)?minimum\s+of", " least "),
        ("most|up to|maximum", r"at\s+(?:the\s+very\s+)?most|up\s+to|(?:a\s+)?maximum\s+of", " upmost "),
        (
            "more|higher|above|later|newer|greater|up",
            r"(?:or|and)\s+(?:more|higher|above|later|newer|greater|up)",
            " least ",
        ),
        ("less|lower|below|earlier|older|fewer", r"(?:or|and)\s+(?:less|lower|below|earlier|older|fewer)", " upmost "),
        ("than", r"(?:more|greater|higher|larger)\s+than", " more "),
        ("than", r"(?:less|fewer|lower|smaller)\s+than", " less "),
        (
            "as |case|provided|condition",
            r"as\s+(?:long|soon)\s+as|in\s+case(?:\s+(?:of|that))?|provided\s+that|on\s+condition\s+that",
            " if ",
        ),
        ("prior to|ahead of|advance of", r"prior\s+to|ahead\s+of|in\s+advance\s+of", " before "),
        ("subsequent|following this|after that", r"subsequent\s+to|following\s+this|after\s+that", " after "),
        ("well as|with", r"as\s+well\s+as|along\s+with|together\s+with", " and "),
        ("order to|so as", r"in\s+order\s+to|so\s+as\s+to", " to "),
        ("other than|apart from", r"other\s+than|apart\s+from", " except "),
        ("nothing", r"nothing\s+(?:but|except)", " only "),
        ("example|instance|e.g.|i.e.|such as", r"for\s+example|for\s+instance|e\.g\.|i\.e\.|such\s+as", " , which "),
        ("note|mind|aware", r"(?:please\s+)?note\s+that|keep\s+in\s+mind\s+that|be\s+aware\s+that", " "),
        ("switch", r"switch(?:ed|es|ing)?(?=\s+(?:on|off))", " turn "),
    )
)
_SHORT_CAN: Final = re.compile(r"\b(ca|wo)n['’]t\b", re.IGNORECASE)
_SHORT_NOT: Final = re.compile(r"n['’]t\b", re.IGNORECASE)
_SHORT_IS: Final = re.compile(r"\b(it|that|there|here|what|he|she)['’]s\b", re.IGNORECASE)
_SHORT_FORM: Final = re.compile(r"(?<=\w)['’](?:s|re|ve|ll|d|m)\b", re.IGNORECASE)


def with_phrases_read(text: str) -> str:
    """Phrases as the words that they come to ("has to": "must"), contractions in full."""
    if "'" in text or "’" in text:
        text = _SHORT_CAN.sub(lambda found: "can not" if found[1].casefold() == "ca" else "will not", text)
        text = _SHORT_NOT.sub(" not", text)
        text = _SHORT_FORM.sub(" ", _SHORT_IS.sub(r"\1 is", text))
    lowered = text.casefold()
    for cores, pattern, said in _PHRASES:
        for core in cores:
            if core in lowered:
                text = pattern.sub(said, text)
                break
    return text


EMPTY: Final = frozenset(
    """
    a an the this that these those it its he she his her they them their you your yours we us our ours i me my one's
    is are was were be been being am do does did done doing has have had having will would
    of in at to for by as with from into onto on about per via upon within through and or but so than also too
    there here like which who whom whose what how where why etc please simply just very quite really easily already
    however therefore thus hence because since such itself themselves yourself let get gets got getting now still well
    user users customer customers
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

LIGHT: Final = frozenset(stem(word) for word in "follow following mentioned said follows".split())
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
