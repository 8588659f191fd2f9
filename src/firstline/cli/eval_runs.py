"""One run of `firstline eval` for each settings file, on the same knowledge."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firstline.cli.main import settings_from
from firstline.errors import InvalidInput
from firstline.settings import Settings, load_settings

if TYPE_CHECKING:
    from firstline.evals.cases import Case
    from firstline.evals.results import Results

SAME: tuple[str, ...] = ("data_folder", "database_url", "tenant", "kb", "embedder", "embedder_model", "chunk_tokens")
"""What settings that are compared must agree on: else they would not ask the same knowledge."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Named:
    """`name`: the file's; empty: the settings in force."""

    name: str
    settings: Settings


def settings_with(ctx: click.Context, files: Sequence[Path], *, kb: str | None) -> list[Named]:
    """The settings of each file, flags and environment on top as always. InvalidInput when a file is none, or when two
    would not ask the same knowledge."""
    if not files:
        return [Named(name="", settings=settings_from(ctx, kb=kb))]
    flags = {**ctx.obj, **({} if kb is None else {"kb": kb})}
    settings_from(ctx, kb=kb)  # sets up the log
    found = [Named(name=str(file), settings=_from(file, flags)) for file in files]
    first = found[0]
    for other in found[1:]:
        for name in SAME:
            if getattr(first.settings, name) != getattr(other.settings, name):
                raise InvalidInput(
                    f"{other.name} has another `{name}` than {first.name}, so they would not ask the same knowledge.",
                    remedy="Compare settings of how questions are answered; for this one make a data folder of each, "
                    "run both with --save, and --compare the two.",
                )
    return found


def _from(file: Path, flags: Mapping[str, Any]) -> Settings:
    return load_settings(flags=flags, environ={**os.environ, "FIRSTLINE_CONFIG": str(file)})


async def run_with(settings: Settings, cases: Sequence[Case], *, name: str) -> Results:
    from firstline.cli.eval_command import documents_of, warn
    from firstline.evals.cases import with_known_documents
    from firstline.evals.run import Runner, run_cases
    from firstline.wiring import check_gates, open_firstline

    async with open_firstline(settings) as firstline:
        known = await documents_of(firstline.knowledge, settings.tenant, settings.kb)
        asked, missing = with_known_documents(list(cases), known)
        warn(missing, settings.kb)
        await check_gates(firstline, kb=settings.kb)
        runner = Runner(
            rank_question=firstline.questions.rank,
            ask_question=firstline.questions.ask,
            create_session=firstline.conversations.create_session,
            tenant=settings.tenant,
            kb=settings.kb,
        )
        return await run_cases(asked, runner, name=name)
