"""`firstline key create|list|revoke`"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from firstline.cli.main import level_named, run, settings_from
from firstline.cli.printing import named, say


@click.group("key")
def command() -> None:
    """Create, list and revoke API keys."""


@command.command("create")
@click.option("--name", default="", help="What the key is for.")
@click.option("--kb", help="Knowledge base it asks (default: docs).")
@click.option("--level", default="public", help="What it may see: public, customer, internal or restricted.")
@click.option("--acl", multiple=True, help="Tags it holds, repeatable (default: everyone).")
@click.option("--days", type=click.IntRange(1, 3650), help="Expires after so many days (default: never).")
@click.option("--scope", multiple=True, type=click.Choice(["mint"]), help="Besides asking: mint widget tokens.")
@click.pass_context
def create(
    ctx: click.Context,
    name: str,
    kb: str | None,
    level: str,
    acl: tuple[str, ...],
    days: int | None,
    scope: tuple[str, ...],
) -> None:
    """Create a key and print it, once. Its knowledge base must be there, unless there is none at all yet."""
    from firstline.domain import EVERYONE

    settings = settings_from(ctx, kb=kb)
    parsed = level_named(level)
    tags = frozenset(acl) or frozenset({EVERYONE})
    token = run(create_key(settings, name=name, level=parsed, acl=tags, days=days, scopes=frozenset(scope)))
    say(token)
    say("Keep it: it is shown this once. Send it as `Authorization: Bearer ...`.", err=True)


async def create_key(
    settings: Any, *, name: str, level: Any, acl: frozenset[str], days: int | None, scopes: frozenset[str] = frozenset()
) -> str:
    from firstline.api.auth import new_key
    from firstline.domain import KeyScope
    from firstline.wiring import open_ledgers

    expires = datetime.now(UTC) + timedelta(days=days) if days else None
    key, token = new_key(
        tenant=settings.tenant,
        kb=settings.kb,
        name=name,
        level=level,
        acl_tags=acl,
        expires_at=expires,
        scopes=map(KeyScope, scopes),
    )
    async with open_ledgers(settings) as ledgers:
        _refuse_unknown(settings.kb, await ledgers.knowledge.knowledge_bases(tenant=settings.tenant))
        await ledgers.keys.add_key(key)
    return token


def _refuse_unknown(kb: str, known: Sequence[str]) -> None:
    """A name that was mistyped makes a key that is answered by nothing. Before the first ingest there is none to choose
    from, and a key may be made."""
    from firstline.errors import NotFound

    if kb in known:
        return
    if known:
        raise NotFound(
            f"There is no knowledge base {kb!r}. No key was made.",
            remedy=f"Name one of {named(known)} with --kb; `firstline ingest PATH --kb {kb}` makes it.",
        )
    say(
        f"notice: there is no knowledge base yet; `firstline ingest PATH --kb {kb}` makes the one of this key.",
        err=True,
    )


@command.command("list")
@click.pass_context
def list_keys(ctx: click.Context) -> None:
    """List keys, without their secrets."""
    settings = settings_from(ctx)

    async def show() -> None:
        from firstline.wiring import open_ledgers

        async with open_ledgers(settings) as ledgers:
            for key in await ledgers.keys.keys(tenant=settings.tenant):
                state = "revoked" if key.revoked_at else _validity(key.expires_at)
                tags = ",".join(sorted(key.principal.acl_tags))
                state += _scopes(key.scopes)
                say(f"{key.key_id}  {key.kb}  {key.principal.level.label}  {tags}  {state}  {key.name}")

    run(show())


def _scopes(scopes: frozenset[str]) -> str:
    return "  may " + ", ".join(sorted(scopes)) if scopes else ""


def _validity(expires_at: datetime | None) -> str:
    if expires_at is None:
        return "valid"
    word = "expired" if expires_at <= datetime.now(UTC) else "expires"
    return f"{word} {expires_at:%Y-%m-%d}"


@command.command("revoke")
@click.argument("key_id")
@click.pass_context
def revoke(ctx: click.Context, key_id: str) -> None:
    """Revoke a key: it is refused from the next request on."""
    settings = settings_from(ctx)

    async def end() -> None:
        from firstline.wiring import open_ledgers

        async with open_ledgers(settings) as ledgers:
            await ledgers.keys.revoke_key(key_id, tenant=settings.tenant, at=datetime.now(UTC))

    run(end())
    say(f"{key_id} is revoked.")
