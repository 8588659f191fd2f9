"""`firstline settings`"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from firstline.cli.main import settings_from
from firstline.cli.printing import say

if TYPE_CHECKING:
    from firstline.settings import Settings

HIDDEN: Final = "(set, not shown)"
_PASSWORD: Final = re.compile(r"(?<=://)([^/@\s:]*):[^/@\s]*@")
"""Of a URL: `postgresql://user:password@host`."""


@click.command("settings")
@click.pass_context
def command(ctx: click.Context) -> None:
    """List every setting: the value in force, where it comes from, its default and its meaning.

    Set it in firstline.toml or as FIRSTLINE_<NAME>. Secrets are not shown.
    """
    from firstline.settings import given

    settings = settings_from(ctx)
    _, origin = given(flags=ctx.obj)
    for line in lines(settings, origin):
        say(line)


def lines(settings: Settings, origin: Mapping[str, str]) -> list[str]:
    """One entry a setting; `origin`: the source by the settings that one was given for."""
    shown, defaults = settings.model_dump(mode="json"), type(settings).model_validate({}).model_dump(mode="json")
    return [
        f"{name} = {_value(shown[name], secret=info.repr is False)}"
        f"  ({_where(origin.get(name), defaults[name])})\n    {info.description}"
        for name, info in type(settings).model_fields.items()
    ]


def _where(source: str | None, default: Any) -> str:
    return f"from the {source}; default {_value(default)}" if source else "default"


def _value(value: Any, *, secret: bool = False) -> str:
    """As the settings file writes it; a table as JSON."""
    if secret and value:
        return HIDDEN
    return _PASSWORD.sub(r"\1:***@", json.dumps(value, ensure_ascii=False))
