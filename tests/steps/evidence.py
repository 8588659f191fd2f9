"""Evidence for tests of the question's steps."""

from firstline.domain import Chunk, ChunkKind, Evidence, Level, Scores

SCORES = Scores(dense=0.5, words=5.0, document=0.4, fused=2.0)


def piece(
    text: str,
    *,
    start: int = 0,
    doc_id: str = "doc",
    kind: ChunkKind = ChunkKind.SECTION,
    title: str = "Title",
    ordinal: int = 0,
    scores: Scores = SCORES,
) -> Evidence:
    chunk = Chunk(
        chunk_id=f"{doc_id}-{ordinal}",
        tenant="t",
        kb="k",
        doc_id=doc_id,
        blob="b" * 64,
        ordinal=ordinal,
        start=start,
        end=start + len(text.encode()),
        kind=kind,
        title=title,
        section_path=(),
        url=None,
        acl=frozenset({"everyone"}),
        level=Level.PUBLIC,
        since=1,
    )
    return Evidence(chunk=chunk, text=text, lead_text="", scores=scores)
