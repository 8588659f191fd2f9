"""Every text that a customer reads, from one catalogue: a file per language, and the operator's own file over it.

A text has forms: by tone, where one is worded in several, or by number. What is wrong in the operator's file is said
with its line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Final, cast

from firstline.errors import InvalidInput
from firstline.questions.wording.text_keys import KEYS, LANGUAGES, OPTIONAL, PLURALS, TONES, Key

FILE_CHARS_MAX: Final = 1_000_000
TEXT_CHARS_MAX: Final = 1_000
PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")
_FORMS: Final = frozenset((*TONES, *PLURALS))
_PART: Final = r"""(?:"[^"\n]*"|'[^'\n]*'|[\w-]+)"""
_DOTTED: Final = rf"{_PART}(?:\s*\.\s*{_PART})*"
_TABLE: Final = re.compile(rf"^\s*\[\s*({_DOTTED})\s*\]")
_ENTRY: Final = re.compile(rf"^\s*({_DOTTED})\s*=")

Forms = Mapping[str, str]
"""A text by form: neutral, warm and formal, or one and other; under "" when it has a single one."""
Catalogue = Mapping[str, Forms]


def read_catalogue(language: str, own: Path | None = None) -> Catalogue:
    """The texts of a language, with the operator's own in their place. InvalidInput when that file is not usable."""
    texts = _shipped(language)
    if own is not None:
        for key, form, text in _own_texts(own).get(language, ()):
            # One wording for a text of several forms is meant for all of them.
            texts[key] = {"": text} if not form else {**_spread(texts[key], form), form: text}
    return texts


def placeholders_of(text: str) -> frozenset[str]:
    return frozenset(PLACEHOLDER.findall(text))


def problem_of(key: str, form: str, text: object) -> str:
    """What is wrong with this wording, in words; "" when nothing is."""
    known = KEYS[key]
    if not isinstance(text, str) or not text.strip():
        return "is empty or no text"
    if len(text) > TEXT_CHARS_MAX:
        return f"has more than {TEXT_CHARS_MAX:,} characters"
    if form in PLURALS and not known.counts:
        return f"has no form {form!r}: it counts nothing"
    if form in TONES and known.counts:
        return f"has no form {form!r}: it differs by number (one, other)"
    if re.search(r"[{}]", PLACEHOLDER.sub("", text)):
        return "has a brace that belongs to no placeholder; placeholders are written {name}"
    return _placeholder_problem(known, form, placeholders_of(text))


def _placeholder_problem(known: Key, form: str, found: frozenset[str]) -> str:
    unknown = found - known.placeholders.keys()
    if unknown:
        allowed = ", ".join(f"{{{name}}}" for name in known.placeholders) or "none"
        return f"has no placeholder {{{min(unknown)}}} (allowed: {allowed})"
    # "once" says the number in a word.
    spoken = {name for name, kind in known.placeholders.items() if kind == "number"} if form == "one" else set[str]()
    missing = known.placeholders.keys() - found - OPTIONAL - spoken
    return f"lacks its placeholder {{{min(missing)}}}" if missing else ""


def _shipped(language: str) -> dict[str, Forms]:
    path = files("firstline.questions").joinpath("texts", f"{language}.toml")
    texts: dict[str, dict[str, str]] = {}
    for path_of, text in _leaves(tomllib.loads(path.read_text(encoding="utf-8"))):
        key, form = _split(path_of)
        texts.setdefault(key, {})[form] = str(text)
    return dict(texts)


def _spread(forms: Forms, form: str) -> Forms:
    """The forms of the kind that `form` is of, so that one of them can be put in: the others stay as they were."""
    kind = TONES if form in TONES else PLURALS
    return {name: forms.get(name) or next(iter(forms.values())) for name in kind}


def _own_texts(path: Path) -> dict[str, list[tuple[str, str, str]]]:
    """By language: (key, form, text)."""
    content = _content(path)
    try:
        tables = tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{path} is not valid TOML: {error}.", remedy="Correct that line.") from error
    lines = _lines(content)
    found: dict[str, list[tuple[str, str, str]]] = {}
    for place, text in _leaves(tables):
        language, rest = place[0], place[1:]
        at = f"{path}, line {_line_of(place, lines)}"
        if language not in LANGUAGES or not rest:
            raise InvalidInput(
                f"{at}: {language!r} is no language of the texts.", remedy=f"Languages: {', '.join(LANGUAGES)}."
            )
        key, form = _split(rest)
        if key not in KEYS:
            near = get_close_matches(key, KEYS, n=1)
            remedy = f"Did you mean {near[0]!r}?" if near else "docs/texts.md lists every text."
            raise InvalidInput(f"{at}: there is no text {key!r}.", remedy=remedy)
        problem = problem_of(key, form, text)
        if problem:
            raise InvalidInput(f"{at}: the text {key!r} {problem}.", remedy="docs/texts.md shows it as shipped.")
        found.setdefault(language, []).append((key, form, str(text)))
    return found


def _content(path: Path) -> str:
    try:
        content = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = "is not UTF-8" if isinstance(error, UnicodeDecodeError) else "cannot be read"
        raise InvalidInput(
            f"The file of texts {path} {why}.", remedy="Correct or unset the setting `texts`."
        ) from error
    if len(content) > FILE_CHARS_MAX:
        raise InvalidInput(f"The file of texts {path} is too long.", remedy="Keep only the texts that you change.")
    return content


def _leaves(table: Mapping[str, object], before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:
    """(path, value) of everything that is no table; a path's parts are cut at dots, however they were written."""
    for name, value in table.items():
        path = (*before, *name.split("."))
        if isinstance(value, dict):
            yield from _leaves(cast(dict[str, object], value), path)
        else:
            yield path, value


def _split(path: tuple[str, ...]) -> tuple[str, str]:
    """(key, form)."""
    return (".".join(path[:-1]), path[-1]) if path[-1] in _FORMS else (".".join(path), "")


def _lines(content: str) -> dict[tuple[str, ...], int]:
    """Line numbers by path, counted from 1: what reads TOML tells none."""
    table: tuple[str, ...] = ()
    found: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(content.splitlines(), start=1):
        header, entry = _TABLE.match(line), _ENTRY.match(line)
        if header:
            table = _parts(header[1])
            found.setdefault(table, number)
        elif entry:
            found.setdefault((*table, *_parts(entry[1])), number)
    return found


def _parts(dotted: str) -> tuple[str, ...]:
    bare = (part.strip("\"'") for part in re.findall(_PART, dotted))
    return tuple(name for part in bare for name in part.split("."))


def _line_of(path: tuple[str, ...], lines: Mapping[tuple[str, ...], int]) -> int:
    """Where it stands, or the table around it."""
    return next((lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in lines), 1)
