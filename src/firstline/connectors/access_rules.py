"""Who may see what lies in which folder of a source? The most specific rule that fits decides.

A rule names files by their path below the source's folder: `internal/**`, `*/drafts/**`, `faq.md`. `*` and `?` stay in
one name, `**` is any number of folders; what names a folder means everything below it. Letter case and the ways in
which Unicode can write a letter make no difference. Where two rules fit equally well, both hold.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from firstline.connectors.overrides import Access, tags_both
from firstline.domain import Level, RulesFit
from firstline.errors import InvalidInput

RULES_MAX: Final = 200
TAGS_MAX: Final = 100
PATH_CHARS_MAX: Final = 500
_REMEDY: Final = "Write --access 'internal/**=staff:internal'."


class AccessRule(BaseModel):
    """`acl` are the tags that may see what the path names; none of them means nobody. `level` "": the source's."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    path: Annotated[str, Field(max_length=PATH_CHARS_MAX), BeforeValidator(lambda value: tidy_pattern(value))]
    acl: tuple[Annotated[str, Field(min_length=1, max_length=200)], ...] = Field((), max_length=TAGS_MAX)
    level: Annotated[str, BeforeValidator(lambda value: _level(value))] = ""

    def __str__(self) -> str:
        who = ",".join(self.acl) or "nobody"
        return f"{self.path}={who}" + (f":{self.level}" if self.level else "")


def rule_of(written: object, *, between: str = ",+") -> object:
    """A rule as a command line writes it, `PATH=TAG,TAG:LEVEL`; anything else is left as it is. `between` are the signs
    between tags: a list of options is parted at commas itself, so a rule in one has a plus instead. ValueError says
    what is wrong with it."""
    if not isinstance(written, str):
        return written
    path, sign, who = written.rpartition("=")
    if not sign or not path.strip():
        raise ValueError(f"{written[:80]!r} is no rule: it is written like internal/**=staff:internal")
    tags, colon, last = who.rpartition(":")
    level = last.strip().lower()
    told = colon and level in _LEVELS
    if not told:
        tags, last = who, ""
    parts = [tags]
    for sign in between:
        parts = [part.strip() for each in parts for part in each.split(sign)]
    if "" in parts and len(parts) > 1:
        # A tag like c++ must not be taken for another, which more people may hold.
        raise ValueError(f"{written[:80]!r} has an empty tag")
    for number, part in enumerate(parts, start=1):
        if _ends_like_a_level(part, may_be_a_tag=bool(told) or number < len(parts)):
            raise ValueError(
                f"{written[:80]!r} names no level with {part[:80]!r}: a rule has one level, at its end, of {_NAMED}; "
                f"where that is a tag, write one behind it, like {part[:80]}:public"
            )
    return {
        "path": path,
        "acl": [part for part in parts if part],
        "level": last,
    }


def rules_written(written: Sequence[str], *, trusted: bool) -> AccessRules:
    """Rules as a command line gives them. InvalidInput says what is wrong with one."""
    try:
        rules = tuple(AccessRule.model_validate(rule_of(one, between=",")) for one in written)
        return AccessRules(rules=no_twins(rules), trusted=trusted)
    except ValidationError as error:
        said = str(error.errors()[0].get("ctx", {}).get("error", "is not understood"))
        raise InvalidInput(f"An --access {said}.", remedy=_REMEDY) from None
    except ValueError as error:
        raise InvalidInput(f"--access {error}.", remedy=_REMEDY) from None


def rules_kept(value: object) -> tuple[AccessRule, ...]:
    """Rules as a source's options hold them."""
    return TypeAdapter(tuple[AccessRule, ...]).validate_python(value or ())


def no_twins(rules: tuple[AccessRule, ...]) -> tuple[AccessRule, ...]:
    """ValueError when two rules name the same, or there are too many."""
    if len(rules) > RULES_MAX:
        raise ValueError(f"holds more than {RULES_MAX} rules")
    seen: set[tuple[str, ...]] = set()
    for rule in rules:
        names = _names(rule.path)
        if names in seen:
            raise ValueError(f"says twice who may see {rule.path!r}; keep the rule that is meant")
        seen.add(names)
    return rules


@dataclass(kw_only=True)
class AccessRules:
    """The rules of one source. `trusted`: what a document says of its own access may open it wider than its rule does.
    Remembers which rules fitted something."""

    rules: Sequence[AccessRule] = ()
    trusted: bool = False
    _split: tuple[tuple[str, ...], ...] = field(init=False, repr=False)
    _met: set[int] = field(init=False, repr=False, default_factory=set[int])

    def __post_init__(self) -> None:
        self._split = tuple(_names(rule.path) for rule in self.rules)

    def __bool__(self) -> bool:
        return bool(self.rules)

    def access(self, access: Access, paths: Iterable[str]) -> Access:
        """What holds for a document that goes by these paths (a link has two: its own, and that of what it leads to).
        Where they differ, all of them hold. Without a rule that fits, `access` as it is."""
        if not self.rules:
            return access
        found = [self._of(access, path) for path in dict.fromkeys(paths)]
        return _all_of(found) if found else access

    def see(self, paths: Iterable[str]) -> None:
        """Remember the rules that fit these paths, of documents that are not read this time."""
        for path in paths:
            self._fitting(path)

    def fit(self) -> RulesFit:
        """The rules that fitted something so far, and those that did not."""
        paths = [rule.path for rule in self.rules]
        return RulesFit(
            met=tuple(path for number, path in enumerate(paths) if number in self._met),
            unmet=tuple(path for number, path in enumerate(paths) if number not in self._met),
        )

    def unmet(self) -> list[str]:
        """What is to be told of rules that fitted nothing so far."""
        return [
            f"The access rule for {path!r} fits no document. Check how the folder is written."
            for path in self.fit().unmet
        ]

    def lost(self, before: Iterable[str]) -> list[str]:
        """Paths of rules that fit one of these paths, of documents of earlier runs, and nothing so far in this one."""
        waiting = {number for number in range(len(self.rules)) if number not in self._met}
        found: set[int] = set()
        for path in before:
            names = _names_of(path)
            found |= {number for number in waiting - found if _fits(names, self._split[number])}
        return [self.rules[number].path for number in sorted(found)]

    def _of(self, access: Access, path: str) -> Access:
        fitting = self._fitting(path)
        if not fitting:
            return access
        best = max(_weight(self._split[number]) for number in fitting)
        return _all_of(
            [
                replace(
                    access,
                    acl=frozenset(self.rules[number].acl),
                    level=Level.parse(self.rules[number].level) if self.rules[number].level else access.level,
                    bound=not self.trusted,
                )
                for number in fitting
                if _weight(self._split[number]) == best
            ]
        )

    def _fitting(self, path: str) -> list[int]:
        names = _names_of(path)
        fitting = [number for number, pattern in enumerate(self._split) if _fits(names, pattern)]
        self._met.update(fitting)
        return fitting


def _all_of(found: Sequence[Access]) -> Access:
    first = found[0]
    for each in found[1:]:
        first = replace(
            first,
            acl=tags_both(first.acl, each.acl),
            level=max(first.level, each.level),
            bound=first.bound or each.bound,
        )
    return first


_LEVELS: Final = frozenset(level.label for level in Level)
_NAMED: Final = ", ".join(level.label for level in Level)
_VENDORS: Final = frozenset(
    {"confluence", "discourse", "freshdesk", "github", "gitlab", "intercom", "notion", "slack", "zendesk"}
)
"""What tags that are taken from a vendor begin with: `github:acme/app`."""
_ALIKE: Final = 0.8


def _ends_like_a_level(tag: str, *, may_be_a_tag: bool) -> bool:
    """Whether somebody may have meant a level by the end of this tag: a misspelt one must not open a page to everyone
    who has the tag. `may_be_a_tag`: another stands behind it, or its level does."""
    first, colon, _ = tag.partition(":")
    if not colon:
        return False
    last = tag.rpartition(":")[2].strip().lower()
    if first.strip().lower() in _VENDORS:
        return not may_be_a_tag and bool(get_close_matches(last, _LEVELS, n=1, cutoff=_ALIKE))
    return not may_be_a_tag or bool(get_close_matches(last, _LEVELS, n=1, cutoff=_ALIKE))


def _level(value: object) -> str:
    written = str(value).strip().lower() if value is not None else ""
    if written and written not in _LEVELS:
        raise ValueError(f"names a level that does not exist; use {', '.join(level.label for level in Level)}")
    return written


def tidy_pattern(value: object) -> str:
    """The path of a rule without `.`, `..` and doubled slashes. ValueError says what is wrong with it."""
    if not isinstance(value, str) or not value.strip():
        raise ValueError("has a rule without a path; `**` means everything")
    if "\\" in value or any(ord(sign) < 32 for sign in value):
        raise ValueError("has a path with a backslash or control sign; put / between folders")
    names: list[str] = []
    for name in unicodedata.normalize("NFC", value.strip()).split("/"):
        if name == "..":
            if not names or "*" in names[-1]:
                raise ValueError("has a path that leads out of the source")
            names.pop()
        elif name == "**" and names[-1:] == ["**"]:
            continue
        elif name not in ("", "."):
            names.append(name)
    if not names:
        raise ValueError("has a rule without a path; `**` means everything")
    return "/".join(names) + ("/" if value.rstrip().endswith("/") else "")


def _names(path: str) -> tuple[str, ...]:
    """A folder means what is below it; so does a plain name, and the file of that name."""
    names = [_folded(name) for name in path.split("/") if name]
    return tuple(names) if names[-1] == "**" else (*names, "**")


def _names_of(path: str) -> tuple[str, ...]:
    return tuple(_folded(name) for name in path.split("/") if name and name != ".")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _weight(pattern: Collection[str]) -> tuple[int, int, int]:
    """How specific: names that are told, those of them told in full, letters."""
    told = [name for name in pattern if name != "**"]
    plain = [name for name in told if "*" not in name and "?" not in name]
    return len(told), len(plain), sum(len(name.replace("*", "").replace("?", "")) for name in told)


def _fits(names: Sequence[str], pattern: Sequence[str]) -> bool:
    """Wildcards over names, `**` for any number of them: the last one met alone is tried again."""
    at = place = 0
    again: tuple[int, int] | None = None
    while at < len(names):
        if place < len(pattern) and pattern[place] == "**":
            again = (at, place)
            place += 1
        elif place < len(pattern) and _name_fits(names[at], pattern[place]):
            at, place = at + 1, place + 1
        elif again is not None:
            again = (again[0] + 1, again[1])
            at, place = again[0], again[1] + 1
        else:
            return False
    return all(name == "**" for name in pattern[place:])


def _name_fits(name: str, pattern: str) -> bool:
    at = place = 0
    again: tuple[int, int] | None = None
    while at < len(name):
        if place < len(pattern) and pattern[place] == "*":
            again = (at, place)
            place += 1
        elif place < len(pattern) and pattern[place] in ("?", name[at]):
            at, place = at + 1, place + 1
        elif again is not None:
            again = (again[0] + 1, again[1])
            at, place = again[0], again[1] + 1
        else:
            return False
    return all(sign == "*" for sign in pattern[place:])
