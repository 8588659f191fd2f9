"""`firstline source kinds|add|change|list|show|sync|remove`"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import click

from firstline.cli.ingest_command import ACCESS_OPTION
from firstline.cli.main import level_named, run, settings_from
from firstline.cli.printing import say
from firstline.cli.source_options import document_kind_named, folders_from, values_from
from firstline.cli.source_prints import print_report

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from firstline.domain import RegisteredSource

DUE_MAX: Final = 1_000
REMOVING_S: Final = 60.0
"""More than removing one takes; who dies meanwhile keeps nobody for longer."""
EXIT_SOME_FAILED: Final = 1
KB_OPTION = click.option("--kb", help="Knowledge base (default: docs).")
SET_OPTION = click.option(
    "--set", "options", multiple=True, metavar="OPTION=VALUE", help="An option of its kind, repeatable."
)
EVERY_OPTION = click.option(
    "--every", "schedule", metavar="SCHEDULE", help='When it is due again: "6h", "1d" or a cron line in UTC.'
)
LEVEL_OPTION = click.option("--level", help="Level of its documents (default: public).")
ACL_OPTION = click.option("--acl", multiple=True, help="Tags that may see its documents (default: everyone).")
KIND_OPTION = click.option("--as-kind", "document_kind", help="documentation, ticket, issue, forum_post, note or faq.")


@click.group("source", invoke_without_command=True)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Register folders, repositories, websites and feeds, and keep them in step with a knowledge base."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_sources)


@command.command("kinds")
@click.argument("kind", required=False)
def kinds(kind: str | None) -> None:
    """List the kinds of sources, or the options of one."""
    from firstline.connectors.kinds import KINDS, kind_named

    if kind is None:
        for name in KINDS:
            say(f"{name:<12} {kind_named(name).says}")
        say("`firstline source kinds KIND` lists its options.")
        return
    found = kind_named(kind)
    say(f"{found.name}: {found.says}")
    for name, field in found.config.model_fields.items():
        needed = " (needed)" if field.is_required() else ""
        say(f"  {name:<16} {field.description or ''}{needed}")


@command.command("add")
@click.argument("name")
@click.argument("kind")
@click.argument("place", required=False)
@SET_OPTION
@EVERY_OPTION
@KB_OPTION
@LEVEL_OPTION
@ACL_OPTION
@ACCESS_OPTION
@KIND_OPTION
@click.pass_context
def add(
    ctx: click.Context,
    name: str,
    kind: str,
    place: str | None,
    options: tuple[str, ...],
    schedule: str | None,
    kb: str | None,
    level: str | None,
    acl: tuple[str, ...],
    folders: tuple[str, ...],
    document_kind: str | None,
) -> None:
    """Register a source: its NAME, its KIND and PLACE, the address or folder it is read from."""
    from firstline.api.sources import new_source
    from firstline.connectors.kinds import checked_config, kind_named
    from firstline.domain import EVERYONE, DocumentKind

    settings = settings_from(ctx, kb=kb)
    values = {**values_from(kind_named(kind), options, place), **folders_from(folders)}
    source = new_source(
        tenant=settings.tenant,
        kb=settings.kb,
        name=name,
        kind=kind,
        config=checked_config(kind, values),
        schedule=schedule or "",
        document_kind=document_kind_named(document_kind) or DocumentKind.DOCUMENTATION,
        level=level_named(level or "public"),
        acl=frozenset(acl) or frozenset({EVERYONE}),
    )

    async def register() -> None:
        from firstline.wiring import open_ledgers

        async with open_ledgers(settings) as ledgers:
            await ledgers.sources.add_source(source)

    run(register())
    say(f"{name} is registered. `firstline source sync {name}` reads it.")


@command.command("change")
@click.argument("name")
@SET_OPTION
@EVERY_OPTION
@KB_OPTION
@LEVEL_OPTION
@ACL_OPTION
@ACCESS_OPTION
@KIND_OPTION
@click.pass_context
def change(
    ctx: click.Context,
    name: str,
    options: tuple[str, ...],
    schedule: str | None,
    kb: str | None,
    level: str | None,
    acl: tuple[str, ...],
    folders: tuple[str, ...],
    document_kind: str | None,
) -> None:
    """Change options, schedule or access; what is not named stays. The next sync reads everything anew."""
    run(
        _change(
            settings_from(ctx, kb=kb),
            name,
            options=options,
            folders=folders,
            schedule=schedule,
            level=level_named(level) if level else None,
            acl=frozenset(acl),
            document_kind=document_kind_named(document_kind),
        )
    )
    say(f"{name} is changed. `firstline source sync {name}` reads it anew.")


@command.command("list")
@click.option("--kb", help="Knowledge base (default: every one).")
@click.pass_context
def list_sources(ctx: click.Context, kb: str | None = None) -> None:
    """List sources with their state."""
    settings = settings_from(ctx)

    async def show() -> None:
        from firstline.wiring import open_ledgers

        async with open_ledgers(settings) as ledgers:
            found = await ledgers.sources.sources(tenant=settings.tenant, kb=kb)
        for one in found:
            when = f"synced {_time(one.finished_at)}" if one.finished_at else "never synced"
            due = f", due {_time(one.due_at)}" if one.due_at else ""
            say(f"{one.kb}  {one.name}  {one.kind}  {one.state}  {one.documents} documents  {when}{due}")
        if not found:
            say("No source is registered. `firstline source add NAME KIND PLACE` registers one.")

    run(show())


@command.command("show")
@click.argument("name")
@KB_OPTION
@click.pass_context
def show(ctx: click.Context, name: str, kb: str | None) -> None:
    """Show a source, and what its last sync came to."""
    settings = settings_from(ctx, kb=kb)

    async def print_it() -> None:
        from firstline.connectors.access_rules import rules_kept
        from firstline.wiring import open_ledgers

        async with open_ledgers(settings) as ledgers:
            source = await _found(ledgers.sources, settings, name)
        say(f"{source.name}: {source.kind} of {source.kb!r}, {source.state}")
        for option, value in sorted(source.config.items()):
            if option == "access":
                for rule in rules_kept(value):
                    say(f"  access: {rule}")
            elif value not in ("", None, {}, []):
                say(f"  {option}: {value}")
        say(f"  documents: {source.document_kind}, level {source.level.label}, acl {', '.join(sorted(source.acl))}")
        say(f"  schedule: {source.schedule or 'by hand'}" + (f", due {_time(source.due_at)}" if source.due_at else ""))
        if source.last_report is not None:
            say(f"  last sync: {_time(source.finished_at)}")
            print_report(source.name, source.last_report)

    run(print_it())


@command.command("sync")
@click.argument("names", nargs=-1)
@click.option("--due", is_flag=True, help="Those that are due now.")
@click.option("--all", "everything", is_flag=True, help="Every source of the knowledge base.")
@click.option("--full", is_flag=True, help="Read everything, whatever was read before.")
@click.option("--force", is_flag=True, help="Believe a source that misses much of what it had: what is gone, ends.")
@click.option("--moved", is_flag=True, help="Take over documents of its name that came from elsewhere.")
@KB_OPTION
@click.pass_context
def sync(ctx: click.Context, names: tuple[str, ...], due: bool, everything: bool, kb: str | None, **how: bool) -> None:
    """Bring the knowledge base up to date with sources. Run it again after it was stopped: it goes on."""
    from firstline.errors import InvalidInput

    if sum((bool(names), due, everything)) != 1:
        raise InvalidInput("It is not told what to sync.", remedy="Name sources, or add --due or --all.")
    settings = settings_from(ctx, kb=kb)
    well = run(_sync(settings, names, due=due, every_kb=due and kb is None, how=how))
    if not well:
        sys.exit(EXIT_SOME_FAILED)


@command.command("remove")
@click.argument("name")
@click.option("--documents", is_flag=True, help="End the documents that came from it, too.")
@KB_OPTION
@click.pass_context
def remove(ctx: click.Context, name: str, documents: bool, kb: str | None) -> None:
    """Take a source out of the registry. Its documents stay, unless --documents says otherwise."""
    settings = settings_from(ctx, kb=kb)

    async def end() -> int:
        from firstline.wiring import open_firstline, open_ledgers

        if documents:
            async with open_firstline(settings) as firstline:
                return await firstline.sync.remove(name, tenant=settings.tenant, kb=settings.kb, documents=True)
        async with open_ledgers(settings) as ledgers:
            place = {"tenant": settings.tenant, "kb": settings.kb}
            # Not while somebody syncs it: what they have in hand would come after it.
            await ledgers.sources.claim_source(name, **place, lease_s=REMOVING_S)
            await ledgers.sources.remove_source(name, **place)
            await ledgers.changes.forget_source(name, **place)
        return 0

    ended = run(end())
    say(f"{name} is removed; " + (f"{ended} of its documents ended." if documents else "its documents stay."))


async def _change(
    settings: Any,
    name: str,
    *,
    options: Sequence[str],
    folders: Sequence[str],
    schedule: str | None,
    acl: frozenset[str],
    **access: Any,
) -> None:
    from dataclasses import replace
    from datetime import UTC, datetime

    from firstline.api.sources import refuse_secrets
    from firstline.connectors.kinds import checked_config, kind_named
    from firstline.domain import next_due
    from firstline.wiring import open_ledgers

    async with open_ledgers(settings) as ledgers:
        source = await _found(ledgers.sources, settings, name)
        values = {**source.config, **values_from(kind_named(source.kind), options, None), **folders_from(folders)}
        config = checked_config(source.kind, values)
        refuse_secrets(config)
        changed = {key: value for key, value in access.items() if value is not None}
        now = datetime.now(UTC)
        wanted = source.schedule if schedule is None else schedule
        due_at = now if next_due(wanted, now) is not None else None
        await ledgers.sources.alter_source(
            replace(source, config=config, schedule=wanted, due_at=due_at, acl=acl or source.acl, **changed)
        )


async def _sync(settings: Any, names: Sequence[str], *, due: bool, every_kb: bool, how: dict[str, Any]) -> bool:
    """Whether every one went well. One that is synced by another process does not keep the others."""
    from firstline.errors import Conflict
    from firstline.wiring import open_firstline

    well = True
    async with open_firstline(settings) as firstline:
        if due:
            found = await firstline.sources.due_sources(tenant=settings.tenant, limit=DUE_MAX)
            chosen = [(one.name, one.kb) for one in found if every_kb or one.kb == settings.kb]
        elif names:
            chosen = [(name, settings.kb) for name in names]
        else:
            every = await firstline.sources.sources(tenant=settings.tenant, kb=settings.kb)
            chosen = [(one.name, one.kb) for one in every]
        for name, kb in chosen:
            try:
                report = await firstline.sync.sync(name, tenant=settings.tenant, kb=kb, **how)
            except Conflict as error:
                if len(chosen) == 1 and not due:
                    raise
                say(f"{name}: {error}", err=True)
                well = False
                continue
            print_report(name, report)
            well = well and not (report.error or report.failed or report.alerts)
        if not chosen:
            say("No source is due." if due else "No source is registered.")
    return well


async def _found(sources: Any, settings: Any, name: str) -> RegisteredSource:
    from firstline.errors import NotFound

    found = await sources.source(name, tenant=settings.tenant, kb=settings.kb)
    if found is None:
        raise NotFound(
            f"{settings.kb!r} has no source {name!r}.", remedy="`firstline source list` shows what is there."
        )
    return found


def _time(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC" if moment else "never"
