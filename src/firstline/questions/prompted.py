"""What is the same in whatever a model is told: a prompt with a version, and text that cannot look like its fences."""

from __future__ import annotations

import re
from typing import Final

from firstline.prompt_files import Prompt, prompt_of

PROMPTS: Final = ("answer", "rewrite", "triage", "critique")
LANGUAGES: Final = {"en": "English", "de": "German", "fr": "French", "es": "Spanish", "ja": "Japanese"}
_FENCE: Final = re.compile(r"<(?=[\s/]*data\s*-)", re.IGNORECASE)


def prompt_named(name: str) -> Prompt:
    """One of questions/prompts/*.md."""
    return prompt_of("firstline.questions", name)


def prompt_ids() -> tuple[str, ...]:
    """Of all prompts of a question's journey: what is kept was made with these."""
    return tuple(prompt_named(name).prompt_id for name in PROMPTS)


def language_name(language: str) -> str:
    """For a prompt; `language` is "" when nothing tells."""
    return LANGUAGES.get(language, f"the language {language!r}") if language else "the language of the question"


def harmless(text: str) -> str:
    """Nothing in it looks like the tag of a fence, whatever its mark."""
    return _FENCE.sub("‹", text)
