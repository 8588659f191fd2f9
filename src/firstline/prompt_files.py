"""Prompts are Markdown files with a name and a version, beside the code that asks with them."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

HASH_SIGNS: Final = 12
_FRONT: Final = re.compile(r"---\nname: (?P<name>[a-z-]+)\nversion: (?P<version>\d+)\n---\n(?P<text>.+)", re.DOTALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class Prompt:
    """`prompt_id` names it with its version and the hash of its file: what a record says of it."""

    prompt_id: str
    text: str


@cache
def prompt_of(package: str, name: str) -> Prompt:
    """PACKAGE/prompts/NAME.md."""
    raw = (files(package) / "prompts" / f"{name}.md").read_text(encoding="utf-8")
    found = _FRONT.fullmatch(raw)
    if found is None or found["name"] != name:
        raise ValueError(f"the prompt {name!r} does not begin with its name and version")
    digest = hashlib.sha256(raw.encode()).hexdigest()[:HASH_SIGNS]
    return Prompt(prompt_id=f"{name}-{found['version']}-{digest}", text=found["text"].strip())
