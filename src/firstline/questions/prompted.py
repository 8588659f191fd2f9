"""What is the same in whatever a model is told: a prompt with a version, and text that cannot look like its fences."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

HASH_SIGNS: Final = 12
PROMPTS: Final = ("answer", "rewrite", "triage", "critique")
LANGUAGES: Final = {"en": "English", "de": "German", "fr": "French", "es": "Spanish", "ja": "Japanese"}
_FRONT: Final = re.compile(r"---\nname: (?P<name>[a-z-]+)\nversion: (?P<version>\d+)\n---\n(?P<text>.+)", re.DOTALL)
_FENCE: Final = re.compile(r"<(?=[\s/]*data\s*-)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Prompt:
    """`prompt_id` names it with its version and the hash of its file: what a record says of it."""

    prompt_id: str
    text: str


@cache
def prompt_named(name: str) -> Prompt:
    """One of questions/prompts/*.md."""
    raw = (files("firstline.questions") / "prompts" / f"{name}.md").read_text(encoding="utf-8")
    found = _FRONT.fullmatch(raw)
    if found is None or found["name"] != name:
        raise ValueError(f"the prompt {name!r} does not begin with its name and version")
    digest = hashlib.sha256(raw.encode()).hexdigest()[:HASH_SIGNS]
    return Prompt(prompt_id=f"{name}-{found['version']}-{digest}", text=found["text"].strip())


def prompt_ids() -> tuple[str, ...]:
    """Of all prompts of a question's journey: what is kept was made with these."""
    return tuple(prompt_named(name).prompt_id for name in PROMPTS)


def language_name(language: str) -> str:
    """For a prompt; `language` is "" when nothing tells."""
    return LANGUAGES.get(language, f"the language {language!r}") if language else "the language of the question"


def harmless(text: str) -> str:
    """Nothing in it looks like the tag of a fence, whatever its mark."""
    return _FENCE.sub("‹", text)
