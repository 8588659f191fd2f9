"""The one way to the terminal: what customers, documents and colleagues wrote is data, which no terminal may obey."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

import click

NAMED_MAX: Final = 10
OBEYED: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters but for line ends and tabs, other ends of lines, signs that turn text around, half surrogates."""


def say(text: str = "", *, err: bool = False, nl: bool = True, bold: bool = False, dim: bool = False) -> None:
    """Print it, plain. Style is given here, because a text that brings its own has lost it."""
    shown = plain(text)
    click.echo(click.style(shown, bold=bold or None, dim=dim or None) if bold or dim else shown, err=err, nl=nl)


def plain(text: str) -> str:
    """Without characters that a terminal would obey: control characters (the 8-bit ones too) and signs that turn the
    direction of writing become blanks."""
    return OBEYED.sub(" ", text)


def named(names: Sequence[str], *, shown: int = NAMED_MAX) -> str:
    """Names in a sentence, not more than somebody reads."""
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return ", ".join(repr(name) for name in names[:shown]) + more


def say_json(value: Any) -> None:
    """For programs: nothing is lost, and what a terminal would obey is written as an escape."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    click.echo("".join(c if c == "\n" or c.isprintable() else _escaped(c) for c in text))


def _escaped(character: str) -> str:
    return json.dumps(character)[1:-1] if ord(character) > 0x7F else f"\\u{ord(character):04x}"
