"""The command group: shared flags, lazy commands, and one place where errors become sentences and exit codes."""

from __future__ import annotations

import asyncio
import importlib
import logging
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import click

from firstline import __version__
from firstline.cli.printing import say
from firstline.errors import FirstlineError

T = TypeVar("T")

COMMANDS = {
    "ingest": "Take documents into a knowledge base and publish it.",
    "source": "Register sources and keep them in step with a knowledge base.",
    "snapshot": "List snapshots, check, publish, try out, compare, go back, prune.",
    "forget": "Forget documents, a source, a person or a tenant, and prove it.",
    "ask": "Ask a question.",
    "serve": "Serve the API and the chat page.",
    "worker": "Take changes in and sync sources; list and retry what was given up.",
    "status": "Show documents, chunks, snapshot, sizes and age.",
    "graph": "Look at what documents say of things and of each other; count, build, correct.",
    "redact": "Show what would be redacted, and where.",
    "quarantine": "Look at documents that are held back, release or reject them.",
    "faq": "Add curated answers, list those that need somebody, expire, remove.",
    "gaps": "Show what is asked without an answer, stale pages, duplicates.",
    "audit": "List who asked for private data.",
    "key": "Create, list and revoke API keys.",
    "handoffs": "List hand-overs, act on them, publish what came of them.",
    "review": "Judge turns one after the other, and export them as cases.",
    "trace": "Show a recorded turn as a tree: its steps, gates and model calls with times.",
    "replay": "Take a recorded turn once more and show what differs.",
    "deliveries": "Show where hand-overs were sent, retry what failed, try the channels.",
    "eval": "Score a file of cases.",
    "calibrate": "Set the gates from labelled cases.",
    "gates": "List calibrated gates, go back to others, see drift.",
    "doctor": "Check the installation and name remedies.",
    "settings": "List every setting.",
    "demo": "Ingest the demo knowledge base and serve it.",
}
EXIT_INTERRUPTED = 130
EXIT_UNFORESEEN = 70

logger = logging.getLogger(__name__)


class LazyGroup(click.Group):
    """Commands are modules of this package, imported when they are named."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"firstline.cli.{cmd_name}_command")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--data", type=click.Path(path_type=Path), help="Data folder (default: .firstline).")
@click.version_option(__version__, prog_name="firstline")
@click.pass_context
def group(ctx: click.Context, data: Path | None) -> None:
    """First-line support that answers only what it can prove, and hands over the rest."""
    ctx.obj = {} if data is None else {"data_folder": data}


def settings_from(ctx: click.Context, **flags: Any) -> Any:
    """Settings from file, environment and flags; a flag that is None was not given."""
    from firstline.cli.logs import configure_logs
    from firstline.settings import load_settings

    given = {**ctx.obj, **{key: value for key, value in flags.items() if value is not None}}
    settings = load_settings(flags=given)
    configure_logs(level=settings.log_level, form=settings.log_format)
    return settings


def level_named(name: str) -> Any:
    """A level by its name, for flags."""
    from firstline.domain import Level
    from firstline.errors import InvalidInput

    try:
        return Level.parse(name)
    except KeyError:
        names = ", ".join(level.label for level in Level)
        raise InvalidInput(f"There is no level {name}.", remedy=f"Use one of: {names}.") from None


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


def main() -> None:
    """Entry point: errors become a sentence that says what to do, and a proper exit code."""
    try:
        # `ctx.exit(1)` comes back as a value here.
        code = group.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        if isinstance(error, click.NoSuchOption) and error.option_name == "--data" and error.ctx is not None:
            say(f"--data stands before the command: `firstline --data FOLDER {error.ctx.info_name}`.", err=True)
        sys.exit(error.exit_code)
    except FirstlineError as error:
        say(f"firstline: {error.message}", err=True)
        if error.remedy:
            say(f"           {error.remedy}", err=True)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        say("\nInterrupted. What was committed is kept; run the command again to go on.", err=True)
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        sys.exit(0)
    except OSError as error:
        say(f"firstline: {error.strerror or error}: {error.filename or 'no file named'}.", err=True)
        say("           Check free space (df -h) and permissions, then run the command again.", err=True)
        sys.exit(6)
    except Exception as error:
        logger.debug("unforeseen", exc_info=error)
        say(f"firstline: something happened that was not foreseen ({type(error).__name__}: {error}).", err=True)
        say("           Run it again with FIRSTLINE_LOG_LEVEL=debug to see where, and report it.", err=True)
        sys.exit(EXIT_UNFORESEEN)
    if isinstance(code, int) and code:
        sys.exit(code)
