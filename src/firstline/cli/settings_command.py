"""`firstline settings`"""

from __future__ import annotations

import click


@click.command("settings")
def command() -> None:
    """List every setting: its name, default and meaning. Set it in firstline.toml or as FIRSTLINE_<NAME>."""
    from firstline.settings import Settings

    for name, info in Settings.model_fields.items():
        click.echo(f"{name} = {info.default!r}\n    {info.description}")
