"""How is a text of the catalogue said? Its values put in, lists and quotes as the language has them, no markup."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from firstline.questions.wording.catalogue import PLACEHOLDER, Catalogue, Forms, read_catalogue
from firstline.questions.wording.text_keys import DEFAULT_LANGUAGE, KEYS, LANGUAGES, TONES

VALUE_CHARS_MAX: Final = 240
NAMES_MAX: Final = 12
"""Members of a list that are named."""
Value = str | int | Sequence[str]

_QUOTES: Final = {"en": "“{}”", "de": "„{}“", "fr": "«\u00a0{}\u00a0»", "es": "«{}»", "ja": "「{}」"}
_AND: Final = {"en": " and ", "de": " und ", "fr": " et ", "es": " y ", "ja": "、"}
_OR: Final = {"en": " or ", "de": " oder ", "fr": " ou ", "es": " o ", "ja": "、または"}
_COMMA: Final = {"ja": "、"}
# What moves or hides the text around it has no place in a sentence.
_UNSEEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+")
# What a Markdown or HTML reader would not show as it is written.
_MARKUP: Final = re.compile(r"[*`\[\]\\]|~~|__|(?<!\w)_|_(?!\w)|<(?=[A-Za-z/!?])|&#?\w+;")


@dataclass(frozen=True, kw_only=True, slots=True)
class Voice:
    """One language of the catalogue in one tone. `texts`: by key, the forms that number can still choose from."""

    language: str
    texts: Mapping[str, Forms]

    def say(self, key: str, **values: Value) -> str:
        """The text, on one line. Values are put in once: a placeholder that stands in a value stays as it is."""
        known = KEYS[key]
        forms = self.texts[key]
        template = forms[_plural(_count(values[known.counts]), self.language)] if len(forms) > 1 else forms[""]
        return PLACEHOLDER.sub(lambda found: self._written(known.placeholders[found[1]], values[found[1]]), template)

    def join(self, *sentences: str) -> str:
        """Sentences one after the other; Japanese ones need no blank between them."""
        said = ""
        for sentence in filter(None, sentences):
            close = self.language == "ja" and said.endswith(("。", "？", "！", "」"))
            said += sentence if not said or close else f" {sentence}"
        return said

    @property
    def page(self) -> dict[str, str]:
        """The chat page's own texts, by key without its beginning; placeholders are filled in there."""
        return {key.removeprefix("page."): forms[""] for key, forms in self.texts.items() if key.startswith("page.")}

    def _written(self, kind: str, value: Value) -> str:
        if kind == "own":
            return _UNSEEN.sub(" ", _only(value)).strip()
        if kind in ("day", "language"):
            return self.say(f"{kind}.{_only(value)}")
        if kind == "number":
            return _only(value)
        names = [plain(name) for name in ([value] if isinstance(value, str | int) else value)[:NAMES_MAX]]
        if kind == "versions":
            names = [self._version(name) for name in names]
        if kind == "quoted":
            names = [_QUOTES[self.language].format(name) for name in names]
        return self._listed(names, _OR if kind == "or" else _AND)

    def _version(self, span: str) -> str:
        first, dash, last = span.partition("–")
        if not dash:
            return span
        if not last:
            return self.say("version.later", version=first)
        return (
            self.say("version.between", first=first, last=last) if first else self.say("version.earlier", version=last)
        )

    def _listed(self, names: Sequence[str], last: Mapping[str, str]) -> str:
        if len(names) < 2:
            return "".join(names)
        joint = last[self.language]
        if self.language == "es":
            joint = _euphonic(joint, names[-1])
        return f"{_COMMA.get(self.language, ', ').join(names[:-1])}{joint}{names[-1]}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Wording:
    """All voices of one tone. `language`: the one for who writes in none of them."""

    voices: Mapping[str, Voice]
    language: str

    def voice(self, language: str) -> Voice:
        return self.voices.get(language) or self.voices[self.language]


def open_wording(*, language: str = DEFAULT_LANGUAGE, tone: str = TONES[0], own: Path | None = None) -> Wording:
    """Read the catalogue. `own`: a file of the operator's own texts; InvalidInput says which line of it is wrong."""
    voices = {
        each: Voice(language=each, texts={key: _in_tone(forms, tone) for key, forms in _read(each, own).items()})
        for each in LANGUAGES
    }
    return Wording(voices=voices, language=language)


@cache
def shipped() -> Wording:
    """The catalogue as it comes: neutral, English for who writes in no language of it."""
    return open_wording()


def plain(value: str | int) -> str:
    """A value as words within a sentence: on one line, of limited length, and in a code span when it holds markup."""
    text = " ".join(_UNSEEN.sub(" ", str(value)).split())
    if len(text) > VALUE_CHARS_MAX:
        text = f"{text[:VALUE_CHARS_MAX].rstrip()}…"
    return _as_code(text) if _MARKUP.search(text) else text or "…"


def _as_code(text: str) -> str:
    runs = {len(run) for run in re.findall("`+", text)}
    fence = "`" * next(length for length in range(1, len(runs) + 2) if length not in runs)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _read(language: str, own: Path | None) -> Catalogue:
    return _shipped_catalogue(language) if own is None else read_catalogue(language, own)


@cache
def _shipped_catalogue(language: str) -> Catalogue:
    return read_catalogue(language)


def _in_tone(forms: Forms, tone: str) -> Forms:
    if "neutral" in forms:
        return {"": forms[tone]}
    return forms


def _only(value: Value) -> str:
    return str(value if isinstance(value, str | int) else value[0])


def _count(value: Value) -> int:
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, str) else len(value)


def _plural(count: int, language: str) -> str:
    if language == "ja":
        return "other"
    return "one" if count == 1 or (language == "fr" and count == 0) else "other"


def _euphonic(joint: str, word: str) -> str:
    """Spanish "y" and "o" change before a word that begins with their sound."""
    begins = word.casefold().lstrip("«`“")
    if joint == " y " and re.match(r"h?[ií](?![aeo])", begins):
        return " e "
    return " u " if joint == " o " and re.match(r"h?[oó]|8", begins) else joint
