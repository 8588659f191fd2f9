"""Ways to say the same and ways to say something else, for the labelled claims of `benchmarks.verification`.

The words here are lists of their own, apart from the verifier's and broader: a verifier that is tested on its own words
proves nothing. Common words ("must", "before") stand in both, as in any two lists of English.
Each function gives the changed sentence, or None where it does not fit.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

Change = Callable[[str, random.Random], str | None]

_NUMBER: Final = re.compile(r"(?<![\w.,/:#-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w.,]*\d|[\w/:-])")
_MONTH: Final = (
    "jan|january|feb|february|mar|march|apr|april|may|june?|july?|aug|august|sept?|september|oct|october|nov|november"
    "|dec|december"
)
quantity_number: Final = re.compile(
    r"(?<![\w.,/:#$€£+~<>=()\u2013-])(?<!version )(?<!step )(?<!than )(?<!least )(?<!most )(?<!to )(?<!about )"
    r"(?<![a-z] [-–] )(?!0\d|(?:19|20)\d\d\b)\d+(?:\.\d+)?(?![\w/:%+-]|[.,]\d|[.)] |\)"
    rf"| (?:to|or|and|through|of|x|{_MONTH})\b| [-–])",
    re.IGNORECASE,
)
"""A number that can take a sign, a bound or an "about" in front of it."""
_VERSION: Final = re.compile(r"(?<![\w./:-])v?\d+(?:\.\d+)+(?![\w/:-])")
_IDENTIFIER: Final = re.compile(
    r"(?<![\w./-])(?:[A-Za-z]+_\w+|[a-z]+[A-Z]\w+|[A-Z]{2,}\d{2,}\w*|--[a-z][\w-]+|[\w-]+(?:\.[A-Za-z][\w-]+)+)(?![\w/-])"
)
_NAME: Final = re.compile(r"(?<=[a-z,] )(?:[A-Z][A-Za-z]{2,})(?: [A-Z][A-Za-z]{2,})*")
_SPELLED: Final = "two three four five six seven eight nine ten eleven twelve".split()
_UNITS: Final = {
    "seconds": "minutes", "second": "minute", "minutes": "hours", "minute": "hour", "hours": "days", "hour": "day",
    "days": "weeks", "weeks": "months", "months": "years", "GB": "MB", "MB": "GB", "KB": "MB", "Gi": "Mi", "Mi": "Gi",
    "GiB": "GB", "MiB": "MB", "ms": "s", "s": "ms", "%": " GB", "px": "cm", "bytes": "kilobytes", "bits": "bytes",
    "pixels": "points", "percent": "dollars", "times": "percent", "nodes": "replicas", "characters": "words",
}  # fmt: skip
_OPPOSITE_PAIRS: Final = """
    enable disable|enabled disabled|enables disables|start stop|starts stops|started stopped|open close
    opened closed|add remove|added removed|adds removes|create delete|created deleted|install uninstall
    installed uninstalled|increase decrease|increases decreases|allow prevent|allows prevents
    allowed prevented|accept reject|accepted rejected|attach detach|connect disconnect
    connected disconnected|import export|upload download|show hide|shows hides|shown hidden|lock unlock
    grant revoke|granted revoked|include exclude|includes excludes|included excluded|encrypt decrypt
    encrypted unencrypted|mount unmount|mounted unmounted|upgrade downgrade|succeeds fails|succeed fail
    successful unsuccessful|successfully unsuccessfully|valid invalid|available unavailable
    supported unsupported|healthy unhealthy|public private|internal external|manual automatic
    manually automatically|expand collapse|publish unpublish|published unpublished|subscribe unsubscribe
    push pull|read write|send receive|sends receives|sent received|raise lower|join leave|true false
    yes no|on off|up down|push drop|success failure|secure insecure|synchronous asynchronous
    active inactive|visible invisible|ascending descending|inbound outbound|primary secondary
    online offline|static dynamic|temporary permanent|optional mandatory|empty full|left right|top bottom
    inside outside|allow forbid|activate deactivate|register deregister|scale shrink|keep discard
    pass reject|correct incorrect|same different|first last
"""
_OPPOSITES: Final = {
    word: other
    for pair in re.split(r"[|\n]", _OPPOSITE_PAIRS)
    if len(words := pair.split()) == 2
    for word, other in (words, reversed(words))
}
_COMPARATORS: Final = (
    ("at least", "at most"), ("at most", "at least"), ("more than", "fewer than"), ("less than", "more than"),
    ("greater than", "less than"), ("fewer than", "more than"), ("minimum", "maximum"), ("maximum", "minimum"),
    ("or higher", "or lower"), ("or later", "or earlier"), ("or above", "or below"), ("up to", "at least"),
    ("higher", "lower"), ("lower", "higher"), ("larger", "smaller"), ("smaller", "larger"), ("newer", "older"),
    ("older", "newer"), ("exceeds", "stays below"), ("above", "below"), ("below", "above"), ("longer", "shorter"),
    ("faster", "slower"), ("or more", "or fewer"), ("earlier than", "later than"), ("equal to", "different from"),
)  # fmt: skip
_ORDERS: Final = (
    ("before", "after"), ("after", "before"), ("first", "finally"), ("prior to", "following"), ("until", "after"),
    ("previous", "next"), ("finally", "first"), ("preceding", "subsequent"), ("earlier", "later"),
)  # fmt: skip
_QUANTITIES: Final = (
    ("all", "some"), ("every", "almost no"), ("each", "only one"), ("only", "also"), ("some", "all"),
    ("always", "sometimes"), ("usually", "always"), ("any", "no"), ("most", "all"), ("typically", "invariably"),
    ("sometimes", "always"), ("both", "neither"), ("several", "all"), ("many", "few"), ("often", "always"),
    ("never", "sometimes"),
)  # fmt: skip
_MODALS: Final = (
    ("must not", "may"), ("must", "may"), ("must", "can"), ("should", "must"), ("should", "may"), ("can", "must"),
    ("may", "must"), ("might", "will definitely"), ("has to", "is free to"), ("have to", "might want to"),
    ("need to", "could"), ("needs to", "may choose to"), ("required", "optional"), ("recommended", "mandatory"),
    ("optional", "required"), ("will", "might"), ("could", "must"), ("shall", "may"),
    ("is recommended", "is obligatory"), ("cannot", "should not"),
)  # fmt: skip
_SAME: Final = (
    ("has to", "must"), ("have to", "must"), ("must", "has to"), ("need to", "have to"), ("needs to", "has to"),
    ("in order to", "to"), ("click", "press"), ("select", "choose"), ("choose", "pick"), ("shows", "displays"),
    ("display", "show"), ("remove", "delete"), ("delete", "erase"), ("error", "failure"), ("issue", "problem"),
    ("problem", "issue"), ("fix", "repair"), ("resolve", "fix"), ("use", "employ"), ("using", "utilizing"),
    ("verify", "check"), ("ensure", "make sure"), ("make sure", "ensure"), ("additional", "further"),
    ("large", "big"), ("create", "make"), ("allows", "permits"), ("begin", "start"), ("is able to", "can"),
    ("are able to", "can"), ("can", "is able to"), ("prior to", "before"), ("cannot", "is unable to"),
    ("when", "whenever"), ("folder", "directory"), ("contains", "holds"), ("application", "app"),
    ("occurs", "happens"), ("obtain", "get"), ("requires", "needs"), ("modify", "change"), ("e.g.", "for example"),
    ("such as", "like"), ("more than", "over"), ("however", "but"), ("is required to", "must"), ("purchase", "buy"),
    ("receive", "get"), ("enter", "type"), ("provide", "supply"),
)  # fmt: skip
_CONTRACTED: Final = (
    ("is not", "isn't"), ("are not", "aren't"), ("do not", "don't"), ("does not", "doesn't"), ("cannot", "can't"),
    ("can not", "can't"), ("will not", "won't"), ("did not", "didn't"), ("has not", "hasn't"), ("it is", "it's"),
    ("you are", "you're"), ("should not", "shouldn't"), ("was not", "wasn't"), ("have not", "haven't"),
)  # fmt: skip
_AUXILIARY: Final = re.compile(
    r"\b(is|are|was|were|can|could|will|would|should|must|may|might|has been|have been|does|do|did)\b(?! not\b|n't)",
)
_ORDERED_VERB: Final = re.compile(
    r"^(?:Click|Select|Use|Run|Set|Enter|Go|Add|Check|Create|Make|Open|Choose|Install|Restart|Verify|Delete|Remove|Apply"
    r"|Ensure|Configure|Copy|Start|Stop|Upgrade|Update|Contact|Move|Edit|Download|Change|Specify|Log|Enable|Disable)\b"
)
_NEGATIONS: Final = (
    (re.compile(r"\b(is|are|was|were|do|does|did|can|could|will|would|should|must|may|has|have) not\b"), r"\1"),
    (re.compile(r"\b(is|are|was|were|do|does|did|could|would|should|has|have)n['’]t\b"), r"\1"),
    (re.compile(r"\bcan(?:not|['’]t)\b"), "can"),
    (re.compile(r"\bwon['’]t\b"), "will"),
    (re.compile(r"\bDo not (\w)"), None),
    (re.compile(r"\bnever\b"), "always"),
    (re.compile(r"\b[Nn]o (?=[a-z])"), "a "),
    (re.compile(r"\bwithout\b"), "with"),
)


def _swap_word(pairs: Sequence[tuple[str, str]], *, whole: bool = True) -> Change:
    def change(text: str, draw: random.Random) -> str | None:
        fitting = [
            (found, new)
            for old, new in pairs
            for found in re.finditer(rf"(?<![\w-]){re.escape(old)}(?![\w-])", text, re.IGNORECASE)
        ]
        if not fitting:
            return None
        found, new = draw.choice(fitting)
        new = new[0].upper() + new[1:] if found[0][0].isupper() else new
        return text[: found.start()] + new + text[found.end() :]

    return change


def changed_number(text: str, draw: random.Random) -> str | None:
    found = [one for one in _NUMBER.finditer(text) if not re.match(r"\s*\d+[.)]\s", text) or one.start() > 4]
    spelled = [one for word in _SPELLED for one in re.finditer(rf"\b{word}\b", text, re.IGNORECASE)]
    if not found and not spelled:
        return None
    one = draw.choice([*found, *spelled])
    if one[0][0].isdigit():
        digits = [at for at, character in enumerate(one[0]) if character.isdigit()]
        at = draw.choice(digits)
        other = draw.choice([digit for digit in "123456789" if digit != one[0][at]])
        new = one[0][:at] + other + one[0][at + 1 :]
    else:
        new = draw.choice([word for word in _SPELLED if word != one[0].casefold()])
    return text[: one.start()] + new + text[one.end() :]


def changed_version(text: str, draw: random.Random) -> str | None:
    found = list(_VERSION.finditer(text))
    if not found:
        return None
    one = draw.choice(found)
    parts = one[0].split(".")
    at = draw.randrange(len(parts))
    digits = re.sub(r"\D", "", parts[at])
    parts[at] = parts[at].replace(digits, str(int(digits) + draw.choice((1, 2, 3, 10))))
    new = ".".join(parts)
    if draw.random() < 0.3 and len(parts) > 2:
        new = ".".join([*one[0].split(".")[:-1], "99"])
    return text[: one.start()] + new + text[one.end() :]


def changed_unit(text: str, draw: random.Random) -> str | None:
    found = [one for unit in _UNITS for one in re.finditer(rf"(?<=\d)([ -]?){re.escape(unit)}(?![\w/])", text)]
    if not found:
        return None
    one = draw.choice(found)
    unit = one[0].strip(" -")
    return text[: one.start()] + one[1] + _UNITS[unit] + text[one.end() :]


def negated(text: str, draw: random.Random) -> str | None:
    ordered = _ORDERED_VERB.match(text)
    if ordered:
        return f"{draw.choice(('Do not', 'Never', 'Avoid: do not', 'You need not'))} {text[0].lower()}{text[1:]}"
    found = list(_AUXILIARY.finditer(text))
    if not found:
        return None
    one = draw.choice(found)
    said = one[0]
    no = {"can": "cannot", "will": "will not", "is": draw.choice(("is not", "isn't", "is never", "is no longer"))}
    return text[: one.start()] + no.get(said, f"{said} not") + text[one.end() :]


def negation_removed(text: str, draw: random.Random) -> str | None:
    fitting = [(found, new) for pattern, new in _NEGATIONS for found in pattern.finditer(text)]
    if not fitting:
        return None
    found, new = draw.choice(fitting)
    said = found.expand(new) if new is not None else found[1].upper()
    return text[: found.start()] + said + text[found.end() :]


def other_of_document(pattern: re.Pattern[str]) -> Callable[[str, random.Random, str], str | None]:
    """A name of the sentence becomes another name of the same document."""

    def change(text: str, draw: random.Random, document: str) -> str | None:
        found = list(pattern.finditer(text))
        if not found:
            return None
        one = draw.choice(found)
        own = {match[0] for match in found}
        others = sorted({match[0] for match in pattern.finditer(document)} - own)
        # A name and its longer or shorter form may be one thing.
        others = [other for other in others if other.casefold() not in text.casefold() and one[0] not in other]
        if not others:
            return None
        return text[: one.start()] + draw.choice(others) + text[one.end() :]

    return change


other_name = other_of_document(_NAME)
other_identifier = other_of_document(_IDENTIFIER)
opposite: Final = _swap_word(tuple(_OPPOSITES.items()))
comparator: Final = _swap_word(_COMPARATORS)
order_word: Final = _swap_word(_ORDERS)
quantity: Final = _swap_word(_QUANTITIES)
modality: Final = _swap_word(_MODALS)
synonym: Final = _swap_word(_SAME)
contracted: Final = _swap_word(_CONTRACTED)


def expanded(text: str, draw: random.Random) -> str | None:
    return _swap_word(tuple((new, old) for old, new in _CONTRACTED))(text, draw)


def condition_dropped(text: str, draw: random.Random) -> str | None:
    """What was said with a condition or an exception, said without it."""
    del draw
    tail = re.sub(
        r",? (?:only )?(?:if|unless|except|until|provided that|as long as|when|before|after|without)"
        r" [^,.;:()]{8,}(?=[.;](?:\s|$)|$)",
        "",
        text,
        count=1,
    )
    if tail != text and len(tail.split()) >= 4:
        return tail
    found = re.match(
        r"(?:If|Unless|When|Before|After|Until|As long as|Only if) [^,.;:]{6,100}, (?:then )?(\w.{12,})$",
        text,
        re.DOTALL,
    )
    return found[1][0].upper() + found[1][1:] if found else None


def names_swapped(text: str, draw: random.Random) -> str | None:
    """Two names of one sentence change places, unless it only lists them."""
    found = [*_NAME.finditer(text), *_IDENTIFIER.finditer(text)]
    found.sort(key=lambda one: one.start())
    pairs = [
        (one, two)
        for one, two in pairwise(found)
        if one.end() < two.start()
        and one[0] not in two[0]
        and two[0] not in one[0]
        and len(between := text[one.end() : two.start()].split()) >= 2
        and not re.search(r",|\b(?:and|or)\b|/", text[one.end() : two.start()])
        and between
    ]
    if not pairs:
        return None
    one, two = draw.choice(pairs)
    return text[: one.start()] + two[0] + text[one.end() : two.start()] + one[0] + text[two.end() :]


def plain(text: str, draw: random.Random) -> str | None:
    """Without Markdown."""
    del draw
    said = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    said = re.sub(r"\*\*|__|`|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)", "", said)
    said = re.sub(r"^\s*(?:[-*+]|\d+[.)])\s+", "", said)
    return said if said != text and said.strip() else None


def aside_dropped(text: str, draw: random.Random) -> str | None:
    """Without what stands in brackets, an example, a relative clause or a lead that says nothing."""
    del draw
    for pattern in (
        r"\s*\((?!s\))[^()]{4,80}\)",
        r",? (?:for example|for instance|such as|e\.g\.)[^.;:()]{3,80}(?=[.;](?:\s|$)|$)",
        r", which [^,.;:]{5,80}(?=[.;](?:\s|$)|$)",
        r"^(?:Note|Please note|Note that|Keep in mind that|In general|Additionally|Moreover|Basically|Also),?"
        r" (?:that )?",
    ):
        said = re.sub(pattern, "", text, count=1)
        if said != text and len(said.split()) >= 4:
            return said[0].upper() + said[1:]
    return None


def list_reordered(text: str, draw: random.Random) -> str | None:
    """A, B and C: in another order. Single words in lower case only, none of which is an action."""
    del draw
    found = re.search(r"\b([a-z]{3,}s), ((?:[a-z]{3,}s, )*)([a-z]{3,}s),? (and|or) ([a-z]{3,}s)(?=[.,;)])", text)
    if found is None:
        return None
    items = [found[1], *[item for item in found[2].split(", ") if item], found[3], found[5]]
    items = items[-1:] + items[:-1]
    return f"{text[: found.start()]}{', '.join(items[:-1])} {found[4]} {items[-1]}{text[found.end() :]}"


def merged(one: str, two: str, draw: random.Random) -> str:
    """Two sentences as one text, sometimes as one sentence."""
    two = re.sub(r"^(?:[-*+]|\d+[.)])\s+", "", two)
    if draw.random() < 0.5:
        return f"{one} {two}"
    joined = draw.choice((", and ", "; "))
    return f"{one.rstrip('. ')}{joined}{two[0].lower() if two[1:2].islower() else two[0]}{two[1:]}"


def halves(text: str) -> tuple[str, str] | None:
    """A sentence cut at a clause, both parts of at least four words."""
    for found in re.finditer(r", (?!and |or |\w+ing\b)|; |: | (?:because|so that|when|if|unless|but) ", text):
        front, back = text[: found.start()], text[found.start() :]
        if len(front.split()) >= 4 and len(back.split()) >= 4:
            return front, back
    return None
