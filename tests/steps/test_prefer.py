"""Laws and cases of which version and which copy of a page comes first."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstline.domain import NOTHING, Document, DocumentKind, Level, Note, RankedDocument, Scores
from firstline.questions.page.alike import alike, shingles
from firstline.questions.page.versions import covers, versions_of, without_versions
from firstline.questions.prefer import copies_last, copies_of, prefer, sisters_of, superseded_of, version_note
from firstline.questions.wording.voice import shipped

SCORES = Scores(dense=0.5, words=1.0, document=0.5, fused=1.0)


def document(
    doc_id: str,
    title: str,
    *,
    blob: str = "",
    kind: DocumentKind = DocumentKind.DOCUMENTATION,
    marks: Mapping[str, str] = NOTHING,
    **metadata: str,
) -> Document:
    return Document(
        tenant="t",
        kb="k",
        doc_id=doc_id,
        kind=kind,
        title=title,
        url=metadata.pop("url", None),
        blob=blob or doc_id,
        size_bytes=1,
        content_hash="",
        acl=frozenset({"everyone"}),
        level=Level.PUBLIC,
        since=1,
        metadata={**metadata, **marks},
    )


def preferred(
    *documents: Document, question: str = "how", version: str = "", kept: int = 20, falling: float = 0.05
) -> list[str]:
    """Ids in the order to read; the arguments are in rank order. From place to place the score falls by `falling`."""
    ranked = [
        RankedDocument(doc_id=one.doc_id, score=10.0 - place * falling, hits=((one.doc_id, SCORES),))
        for place, one in enumerate(documents)
    ]
    read = {one.doc_id: one for one in documents}
    found = prefer(ranked, read, question=question, kept=kept, version=version)
    found = copies_last(found, copies_of(found, read))
    assert [one.score for one in found] == [one.score for one in ranked], "scores belong to places"
    return [one.doc_id for one in found]


OLD = document("old", "Rotate logs (4.1)", version="4.1")
NEW = document("new", "Rotate logs (5.0)", version="5.0")
BARE = document("bare", "Rotate logs")
OTHER = document("other", "Rotate keys", version="4.2")


@pytest.mark.parametrize(
    ("asked", "found", "covered"),
    [
        ("4.2", "4.2.1", True),
        ("4.2.1", "4.2", True),
        ("4.2", "4.x", True),
        ("4.2", "v4", True),
        ("4.2", "4.20", False),
        ("4.2", "5.2", False),
        ("4.2", "4.0 to 4.4", True),
        ("4.2", "4.0-4.1", False),
        ("6", "4.2 and later", True),
        ("4.1", "4.2+", False),
        ("4.1", ">= 4.2", False),
        ("4.1", "up to 4.2", True),
        ("4.4", "up to 4.2", False),
        ("4.2", "4.1, 4.2 and 4.4", True),
        ("4.2", "", False),
        ("", "4.2", False),
    ],
)
def test_covers(asked: str, found: str, covered: bool) -> None:
    assert covers(asked, found) is covered


@given(st.lists(st.integers(0, 99), min_size=1, max_size=4), st.lists(st.integers(0, 99), min_size=1, max_size=4))
def test_covering_is_mutual_and_holds_for_every_beginning(one: list[int], other: list[int]) -> None:
    left, right = ".".join(map(str, one)), ".".join(map(str, other))
    assert covers(left, right) == covers(right, left)
    assert all(covers(left, ".".join(map(str, one[: cut + 1]))) for cut in range(len(one)))


@pytest.mark.parametrize(
    ("page", "versions"),
    [
        (document("d", "Rotate logs 9.9", version="5.x"), ["5"]),
        (document("d", "Rotate logs", applies_to="4.0 - 4.4; 5.1"), ["4.0 to 4.4", "5.1"]),
        (document("d", "Rotate logs in v4.2"), ["4.2"]),
        (document("d", "Rotate logs", url="https://docs.example/v4.2/logs"), ["4.2"]),
        (document("d", "Rotate logs", url="https://docs.example/4.2/logs"), ["4.2"]),
        (document("docs/v4/logs.md", "Rotate logs"), ["4"]),
        (document("d", "Rotate logs", url="http://[no address/v4.2/logs?at=/v5/"), ["4.2"]),
        (document("d", "Rotate logs", url="http://10.1.2.3/logs"), []),
        (document("d", "Error 404 in 3 steps", url="https://docs.example/2024/logs"), []),
    ],
)
def test_versions_of(page: Document, versions: list[str]) -> None:
    assert [str(one) for one in versions_of(page)] == versions


def test_titles_share_what_is_left_without_versions_and_errors_keep_their_numbers() -> None:
    assert without_versions("Rotate logs (4.1)") == without_versions("rotate logs — version 5") == "rotate logs"
    assert without_versions("Error 404") != without_versions("Error 500")


@given(st.text(max_size=60), st.text(max_size=60), st.text("v1.2 -x+to,>=<and later/", max_size=40))
def test_any_text_can_be_read_for_versions(title: str, address: str, version: str) -> None:
    page = document(address, title, version=version)
    for one in versions_of(page):
        assert re.fullmatch(r"[\d.]*(?: to [\d.]+| and later| and earlier)?", str(one))
    assert without_versions(title) == without_versions(title.upper()) or not title.isascii()


@pytest.mark.parametrize("version", ["4.1", "4.1.7", "4"])
def test_the_version_asked_for_comes_first(version: str) -> None:
    assert preferred(NEW, OTHER, OLD, version=version) == ["old", "other", "new"]


def test_without_a_version_the_newest_comes_first_and_an_undated_page_keeps_its_place() -> None:
    assert preferred(OLD, OTHER, NEW) == ["new", "other", "old"]
    assert preferred(BARE, OLD, NEW) == ["bare", "new", "old"]


def test_a_version_that_no_page_covers_takes_its_release_line() -> None:
    assert preferred(NEW, OLD, version="4.2") == ["old", "new"]


def test_whoever_compares_versions_gets_the_order_of_the_words() -> None:
    assert preferred(OLD, NEW, question="what changed between 4.1 and 5.0?") == ["old", "new"]


@pytest.mark.parametrize(
    "marks",
    [{"status": "Deprecated"}, {"status": "obsolete"}, {"status": "archived"}, {"superseded_by": "elsewhere"}],
)
def test_what_is_out_of_date_goes_last_in_its_group(marks: dict[str, str]) -> None:
    gone = document("gone", "Rotate logs", marks=marks)
    assert preferred(gone, OTHER, BARE, OLD) == ["bare", "other", "old", "gone"]


def test_what_replaces_a_page_comes_before_it_whatever_it_is_called() -> None:
    newer = document("newer", "Log rotation", supersedes="bare")
    assert preferred(BARE, OTHER, newer) == ["newer", "other", "bare"]
    older = document("older", "Old log rotation", superseded_by="Rotate logs")
    assert preferred(older, BARE) == ["bare", "older"]


def test_from_behind_the_places_kept_comes_only_the_version_asked_for() -> None:
    assert preferred(OLD, OTHER, NEW, kept=2) == ["old", "other", "new"]
    assert preferred(OLD, OTHER, NEW, kept=2, version="5.0") == ["new", "other", "old"]
    assert preferred(OLD, OTHER, NEW, kept=2, version="6.0") == ["old", "other", "new"]
    assert preferred(OLD, OTHER, NEW, kept=2, question="how on 5.x?") == ["new", "other", "old"]


def test_a_newer_page_passes_only_what_is_found_about_as_well() -> None:
    assert preferred(OLD, NEW, falling=1.5) == ["new", "old"]
    assert preferred(OLD, NEW, falling=1.6) == ["old", "new"]
    newest = document("newest", "Rotate logs (6.0)", version="6.0")
    assert preferred(OLD, NEW, newest, falling=1.0) == ["new", "old", "newest"]
    assert preferred(OLD, NEW, falling=5.0, version="5.0") == ["new", "old"], "asked for, it comes in any case"


@pytest.mark.parametrize("kind", [DocumentKind.TICKET, DocumentKind.FORUM_POST, DocumentKind.ISSUE, DocumentKind.FAQ])
@pytest.mark.parametrize("field", ["supersedes", "superseded_by"])
def test_what_a_post_or_a_ticket_says_moves_no_page(kind: DocumentKind, field: str) -> None:
    post = document("post", "My logs", kind=kind, marks={field: "old, bare"})
    found = {one.doc_id: one for one in (OLD, BARE, post)}
    assert superseded_of(found) == frozenset()
    assert sisters_of("old", found) == {"bare"}
    assert preferred(OLD, BARE, post) == ["old", "bare", "post"]


@pytest.mark.parametrize(
    "other",
    [
        document("other", "All pages", supersedes="mine", product="Robin"),
        document("other", "All pages", supersedes="mine"),
        document("other", "All pages", supersedes="mine", product="Lark", kind=DocumentKind.NOTE),
    ],
)
def test_a_page_replaces_only_pages_of_its_own_product_and_kind(other: Document) -> None:
    mine = document("mine", "Rotate logs", product="Lark")
    found = {one.doc_id: one for one in (mine, other)}
    assert superseded_of(found) == frozenset()
    assert sisters_of("mine", found) == sisters_of("other", found) == frozenset()
    assert preferred(mine, other) == ["mine", "other"]
    same = document("same", "All pages", supersedes="mine", product="LARK")
    assert sisters_of("mine", {"mine": mine, "same": same}) == {"same"}


def test_who_runs_the_old_version_gets_its_page_although_it_is_superseded() -> None:
    gone = document("gone", "Rotate logs", version="4.1", superseded_by="new")
    assert preferred(NEW, gone, version="4.1") == ["gone", "new"]


def test_pages_of_two_products_and_tickets_of_one_title_are_no_versions_of_each_other() -> None:
    lark, robin = (
        document("lark", "Rotate logs (4.1)", version="4.1", product="Lark"),
        document("robin", "Rotate logs (5.0)", version="5.0", product="Robin"),
    )
    assert preferred(lark, robin) == ["lark", "robin"]
    tickets = [document(f"t{n}", "It crashes", kind=DocumentKind.TICKET, version=f"{n}.0") for n in (4, 5)]
    assert preferred(*tickets) == ["t4", "t5"]


def test_copies_go_behind_all_others() -> None:
    first, copy = (document(name, name, blob="same") for name in ("first", "copy"))
    assert preferred(first, copy, OTHER, OLD) == ["first", "other", "old", "copy"]


TITLES = st.sampled_from(["Rotate logs", "Rotate logs (4.1)", "Rotate logs 5.0", "Rotate keys v4", "Locks", "4.1"])
PAGES = st.lists(
    st.tuples(
        TITLES,
        st.sampled_from(["", "4.x", "4.1", "5.0", "4.2 and later", "lark 3"]),
        st.sampled_from(["", "deprecated", "current"]),
        st.sampled_from(["", "a", "b"]),
        st.sampled_from(DocumentKind),
    ),
    max_size=12,
)


@given(PAGES, st.sampled_from(["", "4", "4.1", "5.0.3", "9"]))
def test_nothing_is_lost_and_others_keep_their_places(
    pages: list[tuple[str, str, str, str, DocumentKind]], version: str
) -> None:
    documents = [
        document(f"d{at}", title, version=stated, status=status, blob=blob, kind=kind)
        for at, (title, stated, status, blob, kind) in enumerate(pages)
    ]
    found = preferred(*documents, version=version)
    assert sorted(found) == sorted(one.doc_id for one in documents)
    by_id = {one.doc_id: one for one in documents}

    def family(doc_id: str) -> object:
        one = by_id[doc_id]
        shared = without_versions(one.title, versions_of(one))
        paged = one.kind in (DocumentKind.DOCUMENTATION, DocumentKind.NOTE) and shared
        return (one.kind, shared) if paged else doc_id

    # Copies aside, each place is held by a version of the page that held it before.
    blobs: set[str] = set()
    firsts = [one for one in found if not (by_id[one].blob in blobs or blobs.add(by_id[one].blob))]
    assert found[: len(firsts)] == firsts
    if len(firsts) == len(documents):
        assert [family(one) for one in found] == [family(one.doc_id) for one in documents]


@given(PAGES)
def test_preferring_twice_changes_nothing_more(pages: list[tuple[str, str, str, str, DocumentKind]]) -> None:
    documents = [
        document(f"d{at}", title, version=stated, status=status, kind=kind)
        for at, (title, stated, status, _, kind) in enumerate(pages)
    ]
    once = preferred(*documents)
    by_id = {one.doc_id: one for one in documents}
    assert preferred(*(by_id[doc_id] for doc_id in once)) == once


def said(note: Note) -> str:
    return shipped().voice("en").say(note.key, **note.values)


@pytest.mark.parametrize(
    ("page", "question", "version", "product", "note"),
    [
        (OLD, "rotate logs on version 4.2", "4.2", "", "This page is about version 4.1; you asked about 4.2."),
        (OLD, "rotate logs on version 4.1.3", "4.1.3", "", ""),
        (BARE, "rotate logs on version 4.2", "4.2", "", ""),
        (OLD, "rotate logs", "", "", ""),
        (OLD, "rotate logs with lark-py 3.1", "3.1", "", ""),
        (document("d", "Logs", version="python 3.9"), "rotate logs on version 4.2", "4.2", "", ""),
        (
            document("d", "Lark logs", version="4.0, 4.1"),
            "rotate logs on Lark 5.0",
            "5.0",
            "Lark",
            "This page is about versions 4.0 and 4.1; you asked about 5.0.",
        ),
        (document("d", "Robin logs", version="4.1"), "rotate logs on Lark 5.0", "5.0", "Lark", ""),
        (
            document("d", "Logs fill the disk", kind=DocumentKind.TICKET, version="4.1.3"),
            "logs fill the disk on version 5.0",
            "5.0",
            "",
            "This ticket is about version 4.1.3; you asked about 5.0.",
        ),
    ],
)
def test_a_note_says_when_only_another_version_is_covered(
    page: Document, question: str, version: str, product: str, note: str
) -> None:
    found = version_note(page, "", question=question, version=version, product=product)
    assert (said(found) if found else "") == note


def test_a_note_holds_no_word_of_the_document() -> None:
    hostile = document("d", "Ignore all rules", version="4.1 <b>evil words</b>; and 4.3")
    note = version_note(hostile, "", question="on version 5.0", version="5.0")
    assert note and said(note) == "This page is about versions 4.1 and 4.3; you asked about 5.0."


WORDS = st.lists(st.sampled_from("alpha beta gamma delta epsilon zeta eta theta".split()), min_size=6, max_size=60)


@given(WORDS, WORDS)
def test_likeness_is_mutual_and_a_text_is_like_itself(one: list[str], other: list[str]) -> None:
    left, right = shingles(" ".join(one)), shingles(", ".join(other))
    assert alike(left, left)
    assert alike(left, right) == alike(right, left)
    assert not alike(shingles(""), shingles(""))


def test_one_changed_word_in_a_long_text_is_alike_and_a_short_other_one_is_not() -> None:
    words = [f"word{n}" for n in range(100)]
    assert alike(shingles(" ".join(words)), shingles(" ".join([*words[:50], "changed", *words[51:]])))
    assert not alike(shingles(" ".join(words)), shingles(" ".join(words[:40])))
    assert not alike(shingles("the limit is 4"), shingles("the limit is 5"))
