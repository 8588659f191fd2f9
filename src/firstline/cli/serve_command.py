"""`firstline serve`"""

from __future__ import annotations

import click

from firstline.cli.main import settings_from
from firstline.cli.printing import say


@click.command("serve")
@click.option("--host", help="Address to listen on (default: 127.0.0.1).")
@click.option("--port", type=int, help="Port; 0: any free one (default: 8080).")
@click.pass_context
def command(ctx: click.Context, host: str | None, port: int | None) -> None:
    """Serve the API and the chat page. Needs a key: `firstline key create`."""
    from firstline.api.serve import serve

    settings = settings_from(ctx, host=host, port=port)
    serve(settings, host=settings.host, port=settings.port, on_ready=lambda url: say(f"firstline serves {url}"))
