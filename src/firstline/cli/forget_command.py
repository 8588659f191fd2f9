"""`firstline forget DOC... | --source PREFIX | --subject TEXT | --tenant T | --resume | --verify FILE`"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firstline.cli.main import run, settings_from
from firstline.cli.printing import say
from firstline.cli.who_says import who_says

if TYPE_CHECKING:
    from firstline.documents.certificate import Certificate
    from firstline.documents.purge import Subject
    from firstline.domain import RegisteredSource
    from firstline.wiring import Firstline

SHOWN_MAX = 20
EXIT_LEFT = 1
PLACES_MAX = 10_000
REMOVED = frozenset({"index", "graph", "documents and chunks", "texts in the blob store", "quarantine"})
"""Places of a certificate from which what was found is gone as a whole."""


@click.command("forget")
@click.argument("docs", nargs=-1)
@click.option("--kb", help="Knowledge base (default: docs).")
@click.option("--source", "prefix", metavar="PREFIX", help="Every document whose id begins with PREFIX/.")
@click.option("--subject", metavar="TEXT", help="Every document and record that names this person or thing.")
@click.option("--tenant", "tenant", metavar="T", help="Every document, conversation, key and source of this tenant.")
@click.option("--resume", is_flag=True, help="Finish what was interrupted.")
@click.option("--verify", type=click.Path(dir_okay=False, path_type=Path), help="Instead: check a certificate.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--by", help="Who forgets (default: the user of this system).")
@click.option(
    "--certificate", "save_as", type=click.Path(dir_okay=False, path_type=Path), help="Write the proof into this file."
)
@click.pass_context
def command(ctx: click.Context, docs: tuple[str, ...], **flags: Any) -> None:
    """Make documents unreachable at once, remove every trace of them, and prove it.

    An id that is not there is an error, and nothing is forgotten then. The source that a document came from is not
    changed: while it is there, the next ingest takes it again.
    """
    chosen = [bool(docs), *(bool(flags[name]) for name in ("prefix", "subject", "tenant", "resume", "verify"))]
    if sum(chosen) != 1:
        raise click.UsageError("Name documents, or one of --source, --subject, --tenant, --resume, --verify.", ctx)
    settings = settings_from(ctx, kb=flags["kb"])
    if flags["verify"]:
        _verify(settings, flags["verify"])
        return
    if flags["save_as"] is not None:
        _refuse_to_overwrite(flags["save_as"])
    clean = run(_forget(settings, docs, **{**flags, "by": who_says(flags["by"])}))
    ctx.exit(0 if clean else EXIT_LEFT)


def _refuse_to_overwrite(file: Path) -> None:
    """Before anything is forgotten: a proof that cannot be written afterwards is lost."""
    from firstline.errors import InvalidInput

    if not file.absolute().parent.is_dir() or (file.exists() and file.stat().st_size > 0):
        raise InvalidInput(
            f"The certificate cannot be written to {file}. Nothing was forgotten.",
            remedy="Name a file that is not there yet, in a folder that is.",
        )


def _place(save_as: Path | None, number: int) -> Path | None:
    """--resume makes a certificate for every knowledge base: proof.json, proof-2.json, or the next that is free."""
    if save_as is None or number == 1:
        return save_as
    places = (save_as.with_stem(f"{save_as.stem}-{each}") for each in range(number, number + PLACES_MAX))
    return next((place for place in places if not place.exists()), save_as)


def _verify(settings: Any, file: Path) -> None:
    from firstline.documents.certificate import verify
    from firstline.errors import InvalidInput
    from firstline.wiring import certificate_key

    try:
        told = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InvalidInput(f"{file} is no certificate.", remedy="Name the file that was written.") from error
    content = verify(told, certificate_key(settings))
    say(f"The certificate is genuine: forgotten by {content['by']}, purged {content['purged_at']}.")
    say("Nothing was left." if content["nothing_left"] else "Something was LEFT: look at `places`.")


async def _forget(settings: Any, docs: tuple[str, ...], **flags: Any) -> bool:
    from firstline.wiring import certificate_key, open_firstline

    async with open_firstline(settings) as firstline:
        made = await _made(firstline, docs, **flags)
    if not made:
        say("Nothing is left to be purged." if flags["resume"] else "Nothing was forgotten.")
        if flags["save_as"] is not None:
            say(f"No certificate was written to {flags['save_as']}: there is nothing to prove.", err=True)
        return True
    key = certificate_key(settings)
    for number, certificate in enumerate(made, start=1):
        _print(certificate, key, _place(flags["save_as"], number))
    return all(certificate.clean for certificate in made)


async def _made(firstline: Firstline, docs: tuple[str, ...], **flags: Any) -> list[Certificate]:
    purger, tenant, kb, by = firstline.purger, firstline.settings.tenant, firstline.settings.kb, flags["by"]
    if flags["resume"]:
        return await purger.resume(tenant=tenant)
    if flags["subject"]:
        subject = await purger.look_for(flags["subject"], tenant=tenant)
        named = [f"{where}: {doc_id}" for where, ids in subject.documents.items() for doc_id in ids]
        records = [f"{name} ({count})" for name, count in subject.records.items() if count]
        for line in subject.cannot:
            say(f"notice: {line}", err=True)
        if not named and not records:
            _tell_nothing_found(subject)
            return []
        if not _confirmed(named, _scrubs(named, records), yes=flags["yes"]):
            return []
        return [await purger.forget_subject(subject, tenant=tenant, by=by)]
    if flags["tenant"]:
        if not _confirmed([], f"forgets everything of the tenant {flags['tenant']!r}", yes=flags["yes"]):
            return []
        return [await purger.forget_tenant(flags["tenant"], by=by)]
    if not flags["prefix"]:
        return [await purger.forget(docs, tenant=tenant, kb=kb, by=by)]
    prefix = flags["prefix"].rstrip("/") + "/"
    found = await firstline.ledgers.tombstones.known_documents(prefix, tenant=tenant, kb=kb)
    if not found:
        from firstline.errors import NotFound

        raise NotFound(f"No document's id begins with {prefix!r}.", remedy="`firstline source list` names sources.")
    registered = await firstline.sources.source(prefix.rstrip("/"), tenant=tenant, kb=kb)
    if registered is not None:
        _refuse_what_comes_back(registered, yes=flags["yes"])
    if not _confirmed(found, "of this source", yes=flags["yes"]):
        return []
    return [await purger.forget(found, tenant=tenant, kb=kb, by=by)]


def _refuse_what_comes_back(source: RegisteredSource, *, yes: bool) -> None:
    """Conflict unless it was told before: then a notice."""
    from firstline.errors import Conflict

    name = source.name
    says = f"{name!r} is a registered source, and its next sync brings everything back that is still there."
    remove = f"`firstline source remove {name} --kb {source.kb}`"
    if not yes:
        raise Conflict(
            f"{says} Nothing was forgotten.",
            remedy=f"First {remove}, then forget; or add --yes when it is gone at its origin too.",
        )
    say(f"notice: {says} {remove} ends that.", err=True)


def _tell_nothing_found(subject: Subject) -> None:
    """So that nobody takes a name that was written otherwise for one that is not there."""
    searched = ", ".join(f"{kb} ({count} revisions)" for kb, count in subject.searched.items()) or "none"
    say("Nothing names that, written so. It was looked for, in any case of letters, in")
    say(f"  ids, titles, links, metadata and texts of every revision of the knowledge bases: {searched}")
    say(f"  {', '.join(subject.records)}")
    say("Write it as it stands there, or look for its parts one by one.")


def _confirmed(named: list[str], more: str, *, yes: bool) -> bool:
    for one in named[:SHOWN_MAX]:
        say(f"  {one}")
    if len(named) > SHOWN_MAX:
        say(f"  and {len(named) - SHOWN_MAX} more")
    say(f"This forgets {len(named)} documents {more}." if named else f"This {more}.")
    return yes or click.confirm("There is no way back. Go on?", default=False)


def _scrubs(named: list[str], records: list[str]) -> str:
    naming = f"scrubs the name from {', '.join(records) or 'no record'}"
    return f"and {naming}; records that quote these documents are scrubbed, too" if named else naming


def _done(certificate: Certificate, place: str) -> str:
    """A record that quotes what was forgotten stays without the quotation."""
    return "removed" if "tenant" in certificate.what or place in REMOVED else "scrubbed"


def _print(certificate: Certificate, key: bytes, save_as: Path | None) -> None:
    from firstline.documents.certificate import signed

    for place in certificate.places:
        if place.found or place.left:
            say(f"{place.name}: {place.found} {_done(certificate, place.name)}, {place.left} left")
    say("Looked again everywhere: nothing is left." if certificate.clean else "Something is LEFT; run it again.")
    for line in certificate.kept:
        say(f"notice: {line}", err=True)
    if save_as is not None:
        text = json.dumps(signed(certificate, key), ensure_ascii=False, indent=1)
        with save_as.open("a" if save_as.exists() and save_as.stat().st_size == 0 else "x", encoding="utf-8") as file:
            file.write(text + "\n")
        say(f"The certificate is in {save_as}; `firstline forget --verify {save_as}` checks it.")
