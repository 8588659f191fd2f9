"""What a citation opens: the cited span inside its chunk, inside the text around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request

from firstline.api.auth import Caller, CallerOf
from firstline.api.limits import take_read
from firstline.api.running import Running, running
from firstline.api.sessions import TURNS_SHOWN_MAX, own_session
from firstline.api.shapes import ChunkShown, CitedSpan
from firstline.domain import Chunk, Completeness, Document, ReplyCitation, at_page, page_at
from firstline.errors import InvalidInput, NotFound
from firstline.ports import Scope
from firstline.questions.render import render
from firstline.questions.wording.links import allowed_url

NEIGHBOURS: Final = 1
TEXT_BYTES_MAX: Final = 64 * 1024
CHARACTER_BYTES_MAX: Final = 4

router = APIRouter(prefix="/v1/chunks", tags=["chunks"])


@dataclass(frozen=True, kw_only=True, slots=True)
class _View:
    """Where a chunk is looked at from: a knowledge base, a snapshot, what the turn cited, and whether it may link."""

    kb: str
    snapshot: int
    citations: tuple[ReplyCitation, ...]
    links: bool = True


@router.get("/{chunk_id}")
async def read_chunk(
    request: Request,
    chunk_id: Annotated[str, Path(max_length=64)],
    who: CallerOf,
    session: Annotated[str | None, Query(max_length=64, description="With `turn`: as that turn cited it.")] = None,
    turn: Annotated[int | None, Query(ge=1)] = None,
    snapshot: Annotated[int | None, Query(ge=0, description="As of that snapshot; without: as published now.")] = None,
) -> ChunkShown:
    """A chunk with its surroundings. 404 when it is unknown, gone, or not for this key."""
    run = running(request)
    firstline = run.firstline
    await take_read(who, limiter=firstline.limiter, settings=firstline.settings)
    view = await _view(run, who, session, turn, snapshot)
    scope = Scope.of(who.principal, kb=view.kb, snapshot=view.snapshot)
    chunk, document = await _visible(run, who, chunk_id, scope, session_id=session or "")
    around = await firstline.knowledge.neighbours(chunk, scope, before=NEIGHBOURS, after=NEIGHBOURS)
    cited = [each for each in view.citations if each.citation.chunk_id == chunk_id]
    start, end = _window(chunk, around, cited)
    data = await firstline.blobs.get_range(chunk.blob, start, end)
    url = allowed_url(document.url, firstline.settings.link_hosts) if view.links else None
    pages = [*(each.citation.page for each in cited), page_at(chunk.metadata, chunk.start)]
    return ChunkShown(
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        title=document.title,
        section_path=chunk.section_path,
        url=at_page(url, pages[0]) if url else None,
        page=pages[0],
        kind=chunk.kind.value,
        document_kind=document.kind.value,
        snapshot=view.snapshot,
        text=data.decode(errors="ignore"),
        text_start=start + _cut_character(data),
        chunk_start=_characters(data, chunk.start - start),
        chunk_end=_characters(data, chunk.end - start),
        cited=[
            CitedSpan(
                number=each.number,
                page=each.citation.page,
                start=_characters(data, each.citation.start - start),
                end=_characters(data, each.citation.end - start),
            )
            for each in cited
        ],
        cut_before=start > 0,
        cut_after=end < document.size_bytes,
    )


async def _view(run: Running, who: Caller, session_id: str | None, number: int | None, snapshot: int | None) -> _View:
    if (session_id is None) != (number is None):
        raise InvalidInput("`session` and `turn` belong together.", remedy="Send both or neither.")
    if session_id is not None:
        session = await own_session(run, who, session_id)
        turns = await run.firstline.conversations.turns(session_id, limit=TURNS_SHOWN_MAX)
        found = next((each for each in turns if each.number == number), None)
        if found is None:
            raise NotFound(
                "There is no such turn in this conversation.", remedy="GET /v1/sessions/{id} lists its turns."
            )
        readable = await run.firstline.questions.readable(found, who.principal, kb=session.kb)
        reply = render(readable.outcome)
        links = reply.completeness is not Completeness.UNSURE
        return _View(kb=session.kb, snapshot=found.snapshot, citations=reply.citations, links=links)
    published = await run.firstline.knowledge.published(tenant=who.principal.tenant, kb=who.key.kb)
    at = published.number if snapshot is None else snapshot
    if at > published.number:
        raise NotFound("There is no such snapshot.", remedy="Leave out `snapshot` to see the newest.")
    return _View(kb=who.key.kb, snapshot=at, citations=())


async def _visible(
    run: Running, who: Caller, chunk_id: str, scope: Scope, *, session_id: str
) -> tuple[Chunk, Document]:
    knowledge = run.firstline.knowledge
    gone = NotFound(
        "There is no such chunk, or it is not visible to you.",
        remedy="Take chunk ids from the citations of a reply; ask again when the document may have changed.",
    )
    chunks = await knowledge.chunks([chunk_id], scope)
    if not chunks:
        raise gone
    document = await knowledge.document(chunks[0].doc_id, scope)
    # An old snapshot does not bring back what was deleted or closed since: the document must be visible NOW, too.
    published = await knowledge.published(tenant=scope.tenant, kb=scope.kb)
    # A session that the canary answers sees it there.
    number = published.number_for(session_id) if session_id else published.number
    now = Scope.of(who.principal, kb=scope.kb, snapshot=number)
    if document is None or await knowledge.document(chunks[0].doc_id, now) is None:
        raise gone
    return chunks[0], document


def _window(chunk: Chunk, around: list[Chunk], cited: list[ReplyCitation]) -> tuple[int, int]:
    """The bytes to show: the neighbours' extent, at most TEXT_BYTES_MAX of it, the cited span inside."""
    spans = [(each.start, each.end) for each in (chunk, *around) if each.blob == chunk.blob]
    # A citation may point at the chunk's lead: a table's header row stands before its rows.
    spans += [(each.citation.start, each.citation.end) for each in cited]
    start, end = min(span[0] for span in spans), max(span[1] for span in spans)
    if end - start <= TEXT_BYTES_MAX:
        return start, end
    focus = min((each.citation.start for each in cited), default=chunk.start)
    start = max(start, focus - TEXT_BYTES_MAX // 4)
    return start, min(end, start + TEXT_BYTES_MAX)


def _cut_character(data: bytes) -> int:
    """Bytes of a character that the window cut off at its beginning."""
    return next((at for at, byte in enumerate(data[:CHARACTER_BYTES_MAX]) if byte & 0xC0 != 0x80), 0)


def _characters(data: bytes, offset: int) -> int:
    """Bytes to code points. Cut characters at the window's edges count nowhere, as in the text itself."""
    return len(data[: min(max(offset, 0), len(data))].decode(errors="ignore"))
