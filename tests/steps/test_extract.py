"""What does a document say for the graph: structure, links, names, causes and resolutions, and what bounds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cost import grows_evenly
from tests.steps.extracting import edges_of, keys, prepared

from firstline.connectors.hashing import content_hash
from firstline.connectors.overrides import Access
from firstline.documents.extract import EXTRACTOR_VERSION, extract
from firstline.documents.extract.weave import (
    CHUNK_LINKS_MAX,
    CHUNK_MENTIONS_MAX,
    DOCUMENT_LINKS_MAX,
    DOCUMENT_MENTIONS_MAX,
    DOCUMENT_REPLACED_MAX,
)
from firstline.domain import (
    EVERYONE,
    GRAPH,
    GRAPH_OFF,
    ChunkKind,
    DocumentKind,
    EntityKind,
    Level,
    Relation,
    SourceItem,
)

TICKET = """# Queue Keeper stops with QK4711E

## Problem

Queue Keeper 3.2 stops and logs QK4711E.

## Cause

The spool folder is full.

## Resolving the problem

1. Stop the service.
2. Empty the spool folder.
"""

RUNBOOK = """# PumpPressureLow

## Meaning

The pump reports too little pressure for five minutes.

## Diagnosis

A valve that is closed is the usual cause. See whether the `PumpPressureLow` alert names one.

## Mitigation

Open the valve.
"""


def test_sections_are_a_tree_with_numbers_and_neighbours() -> None:
    edges = edges_of("# Guide\n\nText.\n\n## One\n\nText.\n\n### Inner\n\nText.\n\n## Two\n\nText.\n", title="Guide")
    parts = {(one.source.key, one.target.key) for one in edges if one.relation is Relation.PART_OF}
    doc = "guide/pages/start.md"
    assert parts == {(f"{doc}#1", doc), (f"{doc}#1.1", f"{doc}#1"), (f"{doc}#2", doc)}
    nexts = {(one.source.key, one.target.key) for one in edges if one.relation is Relation.NEXT}
    assert nexts == {(f"{doc}#1", f"{doc}#2")}


def test_headings_in_code_are_no_sections() -> None:
    edges = edges_of("# Guide\n\n```sh\n## no heading\n```\n\n    ## nor this\n\n## One\n\nText.\n", title="Guide")
    assert [one.source.name for one in edges if one.relation is Relation.PART_OF] == ["One"]


LINKS: list[tuple[str, list[str]]] = [
    ("[a](https://www.Example-Shop.com/Guide/Start.html?utm_source=x)", ["example-shop.com/guide/start"]),
    ("[a](http://shop.io/view?docid=7&lang=en)", ["shop.io/view?docid=7"]),
    ("[a](other.md)", ["guide/pages/other"]),
    ("[a](../faq/README.md#how-to)", ["guide/faq", "guide/faq#how-to"]),
    ("[a](#below)", ["guide/pages/start#below"]),
    ("[a][b]\n\n[b]: https://shop.io/b", ["shop.io/b"]),
    ("see https://shop.io/c, and more", ["shop.io/c"]),
    ("![picture](https://shop.io/p.png)", []),
    ("[a](mailto:someone@shop.io)", []),
    ("[a](https://localhost:8080/x)", []),
    ("[a](../../../../up.md)", []),
    ("`[a](https://shop.io/code)`", []),
]


@pytest.mark.parametrize(("text", "wanted"), LINKS)
def test_links_are_addresses(text: str, wanted: list[str]) -> None:
    assert keys(edges_of(f"# Guide\n\nText {text}\n", title="Guide"), Relation.REFERENCES) == wanted


def test_a_link_on_a_page_with_a_url_is_relative_to_it() -> None:
    edges = edges_of("# G\n\n[a](/docs/x/) [b](../y/) [c](z.md)\n", title="G", url="https://shop.io/docs/start/")
    assert keys(edges, Relation.REFERENCES) == ["shop.io/docs/x", "shop.io/docs/y", "guide/pages/z"]


def test_an_anchor_leads_to_the_section_that_names_it() -> None:
    there = edges_of("# Guide\n\n## How to pay\n\nText.\n", doc_id="guide/pay.md", title="Guide")
    here = edges_of("# Start\n\n[pay](../pay.md#how-to-pay)\n", title="Start")
    anchor = "guide/pay#how-to-pay"
    assert anchor in keys(here, Relation.REFERENCES)
    assert [one.source.name for one in there if one.relation is Relation.NAMES and one.target.key == anchor] == [
        "How to pay"
    ]


def test_a_document_goes_by_its_title_aliases_number_and_places() -> None:
    edges = edges_of(
        "# Replica Set (concept)\n\nA Replica Set keeps copies.\n",
        title="Replica Set (concept)",
        url="https://shop.io/rs.html",
        metadata={"aliases": "copies keeper, RS9", "kb": "KB123456"},
    )
    assert keys(edges, Relation.NAMES, EntityKind.COMPONENT) == [
        "replicasetconcept",
        "replicaset",
        "copieskeeper",
        "rs9",
        "kb123456",
    ]
    assert keys(edges, Relation.NAMES, EntityKind.ADDRESS) == ["shop.io/rs", "guide/pages/start"]


@pytest.mark.parametrize("title", ["It", "null", "Introduction", "None", "?!", "x" * 4_000])
def test_what_names_nothing_is_no_name(title: str) -> None:
    assert keys(edges_of("Some text.\n", title=title), Relation.NAMES, EntityKind.COMPONENT) == []


def test_a_page_tells_what_else_it_is_called() -> None:
    edges = edges_of(
        "The Horizontal Valve Keeper (HVK), also known as Old Bess, opens valves.\n", title="Horizontal Valve Keeper"
    )
    assert keys(edges, Relation.NAMES, EntityKind.COMPONENT) == ["horizontalvalvekeeper", "oldbess", "hvk"]


def test_a_homonym_is_kept_apart_by_its_product() -> None:
    first = edges_of("# Gateway\n\nText.\n", title="Gateway", metadata={"product": "Blue Shop"})
    second = edges_of("# Gateway\n\nText.\n", title="Gateway", metadata={"product": "Red Shop"})
    assert keys(first, Relation.NAMES, EntityKind.COMPONENT) == ["blueshop/gateway"]
    assert keys(second, Relation.NAMES, EntityKind.COMPONENT) == ["redshop/gateway"]
    assert keys(first, Relation.APPLIES_TO) == ["blueshop"]


def test_a_ticket_tells_what_causes_and_what_resolves_its_error() -> None:
    found = prepared(TICKET, title="Queue Keeper stops with QK4711E")
    told = {(one.source.kind.value, one.relation.value, one.target.kind.value, one.target.key) for one in found.edges}
    by_text = {found.blob[part.start : part.end].decode().split("\n")[0]: part.chunk_id for part in found.chunks}
    cause, resolution = by_text["## Cause"], by_text["## Resolving the problem"]
    assert ("error", "HAS_ROOT_CAUSE", "root_cause", cause) in told
    assert ("symptom", "HAS_ROOT_CAUSE", "root_cause", cause) in told
    assert ("resolution", "RESOLVES", "error", "qk4711e") in told
    assert ("symptom", "AFFECTS", "component", "queuekeeper") in told
    assert ("symptom", "AFFECTS", "version", "3.2") in told
    resolved = [one for one in found.edges if one.relation is Relation.RESOLVES]
    assert {one.source.key for one in resolved} == {one.chunk_id for one in resolved} == {resolution}


@pytest.mark.parametrize(
    ("problem", "cause", "cure"),
    [
        ("Problembeschreibung", "Ursache", "Lösung"),
        ("1. Symptome", "2. Mögliche Ursachen:", "3. Fehlerbehebung"),
        ("Symptômes", "Cause racine", "Résolution"),
        ("Descripción del problema", "Causa raíz", "SOLUCIÓN"),
        ("症状", "考えられる原因", "対処方法"),
        ("問題", "原因", "回避策"),
    ],
)
def test_a_ticket_names_its_parts_in_its_own_language(problem: str, cause: str, cure: str) -> None:
    text = f"# QK4711E\n\n## {problem}\n\nAAA.\n\n## {cause}\n\nBBB.\n\n## {cure}\n\nCCC.\n"
    found = prepared(text, title="QK4711E")
    parts = {found.blob[part.start : part.end].decode().split("\n\n")[-1].strip(): part.kind for part in found.chunks}
    assert (parts["AAA."], parts["BBB."], parts["CCC."]) == (
        ChunkKind.SYMPTOM,
        ChunkKind.CAUSE,
        ChunkKind.RESOLUTION,
    )
    assert len(keys(found.edges, Relation.HAS_ROOT_CAUSE)) == 1
    assert "qk4711e" in keys(found.edges, Relation.RESOLVES)


def test_a_runbooks_title_is_the_error_that_its_parts_speak_of() -> None:
    edges = edges_of(RUNBOOK, title="PumpPressureLow")
    assert keys(edges, Relation.NAMES, EntityKind.ERROR) == ["pumppressurelow"]
    causes = [one for one in edges if one.relation is Relation.HAS_ROOT_CAUSE]
    assert {one.source.kind for one in causes} == {EntityKind.ERROR, EntityKind.SYMPTOM}
    assert {one.target.name for one in causes} == {"A valve that is closed is the usual cause."}
    assert "pumppressurelow" in keys(edges, Relation.RESOLVES)
    assert keys(edges, Relation.MENTIONS, EntityKind.ERROR) == ["pumppressurelow"]


def test_headings_of_a_runbook_that_came_as_plain_text_count() -> None:
    edges = edges_of(RUNBOOK, title="PumpPressureLow", media_type="text/plain")
    assert "pumppressurelow" in keys(edges, Relation.RESOLVES)


def test_a_part_that_says_none_tells_nothing() -> None:
    edges = edges_of(
        "# Leak\n\n## Problem\n\nQK4711E is seen.\n\n## Cause\n\nUnknown.\n\n## Workaround\n\nNone\n", title="Leak"
    )
    assert not keys(edges, Relation.HAS_ROOT_CAUSE)
    assert not keys(edges, Relation.RESOLVES)


def test_what_is_said_under_applies_to_is_where_it_applies() -> None:
    edges = edges_of("# Leak\n\n## Applies to\n\nQueue Keeper 4.1.1 and later\n\n## Fix\n\nUse 9.9.9.\n", title="Leak")
    assert keys(edges, Relation.APPLIES_TO) == ["4.1.1..", "queuekeeper"]


REPLACED = [
    ("Duplicate of KB123456.", Relation.DUPLICATE_OF, "document:guide/pages/start.md", "component:kb123456"),
    (
        "This page is superseded by [the new one](new.md).",
        Relation.SUPERSEDES,
        "address:guide/pages/new",
        "document:guide/pages/start.md",
    ),
    ("This fix reverts #4711.", Relation.SUPERSEDES, "document:guide/pages/start.md", "component:guide#4711"),
    ("`--old-way` is deprecated in favour of `--new-way`.", Relation.SUPERSEDES, "setting:newway", "setting:oldway"),
]


@pytest.mark.parametrize(("text", "relation", "source", "target"), REPLACED)
def test_what_repeats_or_replaces_what(text: str, relation: Relation, source: str, target: str) -> None:
    edges = edges_of(f"# Leak\n\n{text}\n", title="Leak")
    assert [(one.source.entity_id, one.target.entity_id) for one in edges if one.relation is relation] == [
        (source, target)
    ]


TICKET_SAYS = {
    "Superseded by #4900.": ("component:desk#4900", "me"),
    "It was reverted in #4900.": ("component:desk#4900", "me"),
    "Replaced by ticket #4900.": ("component:desk#4900", "me"),
    "Superseded by SHOP-14.": ("component:shop14", "me"),
    "This reverts SHOP-12.": ("me", "component:shop12"),
    "We reverted #0042 because rows were lost.": ("me", "component:desk#42"),
    "This reverts pull request #77.": ("me", "component:desk#77"),
    "Reverts acme/app#12.": ("me", "component:acme/app#12"),
}


@pytest.mark.parametrize("text", TICKET_SAYS)
def test_what_a_ticket_says_that_it_replaces(text: str) -> None:
    edges = edges_of(f"# Leak\n\n{text}\n", title="Leak", doc_id="desk/tickets/4800", kind=DocumentKind.TICKET)
    (found,) = (one for one in edges if one.relation is Relation.SUPERSEDES)
    ends = tuple(end.entity_id.replace("document:desk/tickets/4800", "me") for end in (found.source, found.target))
    assert ends == TICKET_SAYS[text]


def test_a_title_may_take_another_one_back() -> None:
    once, twice = (
        edges_of("Text.\n", title=title, doc_id="app/issues/9", kind=DocumentKind.ISSUE)
        for title in ('Revert "Empty the spool"', 'Revert "Revert "Empty the spool""')
    )
    assert keys(once, Relation.SUPERSEDES) == ["emptythespool"]
    assert keys(twice, Relation.SUPERSEDES) == ["revertemptythespool"] == keys(once, Relation.NAMES)[:1]


def test_a_ticket_goes_by_its_number_and_a_page_does_not() -> None:
    named: dict[str, Any] = {"doc_id": "desk/tickets/4711", "url": "https://git.example/Acme/App/-/issues/12"}
    told = {
        kind: [key for key in keys(edges_of("Text.\n", title="T", kind=kind, **named), Relation.NAMES) if "#" in key]
        for kind in (DocumentKind.TICKET, DocumentKind.DOCUMENTATION)
    }
    assert told == {DocumentKind.TICKET: ["desk#4711", "acme/app#12"], DocumentKind.DOCUMENTATION: []}


def test_what_replaces_everything_replaces_a_few() -> None:
    text = "# Leak\n\n" + "".join(f"This reverts #{number}. " for number in range(500))
    assert len(keys(edges_of(text, title="Leak"), Relation.SUPERSEDES)) == DOCUMENT_REPLACED_MAX


@pytest.mark.parametrize(
    "text",
    [
        "This is not the same as [that](that.md).",
        "The pump was replaced by [a new one](pump.md).",
        "It is not a duplicate of KB123456.",
        "This does not revert #4711.",
        "The customer reverted #4711.",
        "Please revert #4711.",
        "The region moved to US-21.",
    ],
)
def test_what_is_said_of_something_else_replaces_nothing(text: str) -> None:
    edges = edges_of(f"# Leak\n\n{text}\n", title="Leak")
    assert not [one for one in edges if one.relation in (Relation.SUPERSEDES, Relation.DUPLICATE_OF)]


def test_front_matter_says_what_a_page_replaces() -> None:
    edges = edges_of("# New\n\nText.\n", title="New", metadata={"supersedes": "Old Guide", "superseded_by": "newer.md"})
    told = {(one.source.entity_id, one.target.entity_id) for one in edges if one.relation is Relation.SUPERSEDES}
    me = "document:guide/pages/start.md"
    assert told == {(me, "component:oldguide"), ("address:guide/pages/newer", me)}


def test_an_edge_has_the_scope_and_the_span_of_its_chunk() -> None:
    found = prepared(
        "# Größe\n\nÄpfel und `Birnen-Saft` → QK4711E.\n\n" + "Füllung. " * 300 + "\n\nAm Ende `ende-hier`.\n",
        title="Größe",
    )
    by_id = {part.chunk_id: part for part in found.chunks}
    for one in found.edges:
        part = by_id[one.chunk_id]
        assert (one.acl, one.level, one.since, one.extractor) == (part.acl, part.level, 3, EXTRACTOR_VERSION)
        assert 0 < one.confidence <= 1
    [error] = [one for one in found.edges if one.target.key == "qk4711e" and one.relation is Relation.MENTIONS]
    assert found.blob[error.start : error.end].decode() == "QK4711E"
    last = next(one for one in found.edges if one.target.key == "endehier")
    part = by_id[last.chunk_id]
    assert part.start <= last.start < last.end <= part.end
    assert found.blob[last.start : last.end].decode() == "ende-hier"


def test_nothing_is_extracted_where_it_is_switched_off() -> None:
    assert prepared(TICKET).edges
    assert not prepared(TICKET, extract_graph=False).edges
    assert not prepared(TICKET, metadata={GRAPH: GRAPH_OFF}).edges


def test_another_revision_says_the_same_of_other_chunks() -> None:
    found = prepared(TICKET)
    chunks = [replace(part, chunk_id=f"other-{part.ordinal}", since=9) for part in found.chunks]
    other = extract(replace(found.document, since=9), chunks, found.blob)
    plain = [(one.source.kind, one.relation, one.target.kind, one.start, one.end) for one in found.edges]
    assert plain == [(one.source.kind, one.relation, one.target.kind, one.start, one.end) for one in other]
    assert not {one.edge_id for one in found.edges} & {one.edge_id for one in other}


def test_what_was_redacted_names_nothing() -> None:
    edges = edges_of(
        "# Leak\n\nWrite to anna.berg@shop.io or see [her](https://shop.io/anna.berg@shop.io).\n", title="Leak"
    )
    assert not [one for one in edges if "[" in one.target.name or "email" in one.target.key]


def test_a_page_of_ten_thousand_links_keeps_the_first() -> None:
    edges = edges_of("# Links\n\n" + "\n".join(f"- [l{n}](https://shop.io/p{n})" for n in range(10_000)), title="Links")
    told = [one for one in edges if one.relation is Relation.REFERENCES]
    assert len(told) == DOCUMENT_LINKS_MAX
    assert told[0].target.key == "shop.io/p0"
    assert max(sum(one.chunk_id == part for one in told) for part in {one.chunk_id for one in told}) <= CHUNK_LINKS_MAX


def test_where_names_are_too_many_identifiers_stay() -> None:
    names = " and ".join(f"Alpha Beta{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(60))
    edges = edges_of(f"# Names\n\n{names}. It logs QK4711E.\n", title="Names")
    told = [one for one in edges if one.relation is Relation.MENTIONS]
    assert (
        max(sum(one.chunk_id == part for one in told) for part in {one.chunk_id for one in told}) <= CHUNK_MENTIONS_MAX
    )
    assert "qk4711e" in {one.target.key for one in told}
    many = "\n\n".join(f"The Alpha Beta{n}x logs QK{10_000 + n}E." for n in range(3_000))
    assert len([one for one in edges_of(many) if one.relation is Relation.MENTIONS]) <= DOCUMENT_MENTIONS_MAX


HOSTILE = {
    "brackets": "[" * 400,
    "closed": "[a]" * 200,
    "parens": "[a](" * 200,
    "capitals": "Aa " * 300,
    "camel": "AaBb" * 200,
    "dots": "a." * 400,
    "versions": "1.2 and " * 150,
    "numbers": "1." * 300,
    "quotes": 'error "' * 150,
    "ticks": "`" * 500 + "a",
    "underscores": "A_" * 400,
    "hyphens": "a-" * 400,
    "slashes": "/a" * 400,
    "spaces": "error" + " " * 800 + "x",
    "newlines": "A\n" * 300,
    "headings": "## a\n" * 150,
    "colons": "Caused by: " * 80,
    "hashes": "#1 " * 250,
    "frames": "at a.b.c\n" * 100,
    "markers": "$ " * 300,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_time_is_linear_in_the_length_of_the_text(name: str) -> None:
    def run(times: int) -> None:
        found = sample(HOSTILE[name] * times)
        extract(found.document, found.chunks, found.blob)

    assert grows_evenly(run, 6, free_s=0.15)


def sample(text: str):
    """One chunk over a text as it is, without parsing it."""
    found = prepared("# Page\n\nText.\n", title="Page")
    blob = text.encode()
    return replace(found, blob=blob, chunks=(replace(found.chunks[0], start=0, end=len(blob)),))


PIECES = [
    "# A",
    "## Cause",
    "`x_y`",
    "QK4711E",
    "[l](m.md)",
    "「测试」",
    "Ab Cd",
    "\n\n",
    "```\n",
    "3.2 and later",
    " ",
    "é",
    "#1",
    "$ run it",
    "|a|b|\n|-|-|\n",
]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_any_text_gives_edges_inside_it(pieces: list[str]) -> None:
    found = sample("".join(pieces) or "x")
    edges = extract(found.document, found.chunks, found.blob)
    assert edges == extract(found.document, found.chunks, found.blob)
    assert len({one.edge_id for one in edges}) == len(edges)
    for one in edges:
        assert 0 <= one.start <= one.end <= len(found.blob)
        found.blob[one.start : one.end].decode("utf-8")
        assert one.target.key
        assert one.source.key


def test_a_source_that_is_kept_out_of_the_graph_marks_its_documents() -> None:
    access = Access(kind=DocumentKind.DOCUMENTATION, acl=frozenset({EVERYONE}), level=Level.PUBLIC)
    assert GRAPH not in access.metadata("A title")
    assert replace(access, graph=False).metadata("A title")[GRAPH] == GRAPH_OFF
    item = prepared("Text.\n").document
    assert content_hash_of(item.metadata) != content_hash_of({**item.metadata, GRAPH: GRAPH_OFF})


def content_hash_of(metadata: Mapping[str, str]) -> str:
    """Turning the option prepares the documents anew, because they count as changed."""
    item = SourceItem(
        item_id="a.md",
        kind=DocumentKind.DOCUMENTATION,
        media_type="text/markdown",
        raw=b"Text.",
        metadata=metadata,
    )
    return content_hash(item).content_hash
