"""Which pages need somebody: dead links, older versions, dates, duplicates; and what is the matter with an answer."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.cost import costs_less

from firstline.domain import (
    Answered,
    AskedAs,
    AskedTurn,
    Citation,
    Claim,
    ClaimKind,
    Completeness,
    Document,
    DocumentKind,
    FaqCitation,
    FaqEntry,
    FaqState,
    FaqTrouble,
    Level,
    Principal,
    StaleReason,
)
from firstline.questions.care.curated import curated
from firstline.questions.care.duplicates import duplicates, runs_of
from firstline.questions.care.links import Pages
from firstline.questions.care.stale import by_date, by_version, date_of, replaced
from firstline.questions.care.suggest import as_markdown, suggestion
from firstline.questions.care.wordings import Asked

NOW = datetime(2026, 7, 1, tzinfo=UTC)
EVERYONE = frozenset({"everyone"})


def page(
    doc_id: str,
    *,
    title: str = "",
    url: str | None = None,
    text: str = "",
    kind: DocumentKind = DocumentKind.DOCUMENTATION,
    level: Level = Level.PUBLIC,
    acl: frozenset[str] = EVERYONE,
    **metadata: str,
) -> Document:
    return Document(
        tenant="t",
        kb="k",
        doc_id=doc_id,
        kind=kind,
        title=title or doc_id,
        url=url,
        blob=hashlib.sha256((text or doc_id).encode()).hexdigest(),
        size_bytes=len(text),
        content_hash="h",
        acl=acl,
        level=level,
        since=1,
        metadata=metadata,
    )


FILES = [
    "docs/guide/start.md",
    "docs/guide/setup.md",
    "docs/guide/deep/index.md",
    "docs/api/calls.rst",
    "docs/README.md",
]
SITE = [
    ("site/1", "https://Docs.example/guide/start/"),
    ("site/2", "https://docs.example/guide/setup.html"),
    ("site/3", "https://docs.example/"),
]
ALIVE = [
    "setup.md",
    "./setup.md#ports",
    "setup",
    "../guide/setup.md",
    "deep/",
    "deep/index.md",
    "../api/calls.rst",
    "../api/calls.html",
    "../README.md",
    "SETUP.md",
    "setup.md?plain=1",
    "../setup/",
]
NOT_OURS = [
    "#here",
    "https://elsewhere.example/x",
    "mailto:a@b.example",
    "../../outside.md",
    "picture.png",
    "../files/tool.zip",
    "../other/page.md",
    "javascript:void(0)",
    "https://docs.example:bad/x",
    "//",
    "",
]
DEAD = ["missing.md", "./gone", "../api/old.rst", "deep/../missing.md#a", "../missing.md", "missing%20page.md"]


@pytest.mark.parametrize("target", ALIVE + NOT_OURS)
def test_a_link_that_is_none_of_our_business_or_leads_somewhere(target: str) -> None:
    pages = Pages([(doc_id, "") for doc_id in FILES])
    assert pages.dead(page(FILES[0]), f"See [it]({target}) for more.") == []


@pytest.mark.parametrize("target", DEAD)
def test_a_link_to_a_page_that_should_be_there(target: str) -> None:
    pages = Pages([(doc_id, "") for doc_id in FILES])
    assert pages.dead(page(FILES[0]), f"See [it]({target}) and [it again]({target}).") == [target]


@pytest.mark.parametrize(
    ("target", "dead"),
    [
        ("https://docs.example/guide/setup", False),
        ("https://docs.example/guide/start", False),
        ("http://DOCS.example/guide/setup.html?x=1#y", False),
        ("../setup.html", False),
        ("/guide/setup", False),
        ("/", False),
        ("https://docs.example/guide/gone", True),
        ("../gone", True),
        ("/guide/gone.html", True),
        # One page of a folder does not make that folder ours.
        ("https://docs.example/blog/post", False),
    ],
)
def test_links_of_a_website(target: str, dead: bool) -> None:
    own = page("site/1", url=SITE[0][1])
    assert bool(Pages(SITE).dead(own, f"[x]({target})")) is dead


def test_code_and_pictures_hold_no_links() -> None:
    pages = Pages([(doc_id, "") for doc_id in FILES])
    text = "```\n[a](missing.md)\n```\n`[b](missing.md)` ![c](missing.md)\n\n~~~~\n[d](missing.md)\n~~~~\n"
    assert pages.dead(page(FILES[0]), text) == []
    assert pages.dead(page(FILES[0]), text + "[e](missing.md)") == ["missing.md"]


@pytest.mark.parametrize(
    "text",
    [
        "`" * 65_536,
        "~" * 65_536,
        "```a\n" * 13_000,
        "~~~x\n" * 13_000,
        "`a" * 32_000,
        "``a`" * 16_000,
        "[a" * 32_000,
        "[a](" * 16_000,
        "[a](b " * 10_000,
        "[a](" + "b" * 1_000 + " " * 60_000,
        "[a](" + " " * 60_000,
    ],
    ids=lambda text: repr(text[:6]),
)
def test_no_page_takes_long_to_be_read_for_its_links(text: str) -> None:
    pages = Pages([(doc_id, "") for doc_id in FILES])
    assert costs_less(lambda: pages.dead(page(FILES[0]), text), 1.0)


def test_code_is_told_from_text_as_readers_see_it() -> None:
    pages = Pages([(doc_id, "") for doc_id in FILES])

    def dead(text: str) -> bool:
        return bool(pages.dead(page(FILES[0]), text))

    link = "[a](missing.md)"
    code = [f"````\n```\n{link}\n````", f"  ~~~ sh\n{link}\n~~~~", f"``{link}``", f"x `b` `{link}` y", f"```\n{link}"]
    text = [f"```\nx\n```\n{link}", f"` {link}", f"`b` {link} `c`", f"``` b ``` {link}", f"``\n{link}\n``"]
    assert [dead(one) for one in code] == [False] * len(code)
    assert [dead(one) for one in text] == [True] * len(text)


@pytest.mark.parametrize("target", ["%2F%2F%5Bx", "http://[x/y", "//[x", "%2F%2F[", "http://a:b:c/d", "%00"])
def test_a_link_that_is_no_address_breaks_no_report(target: str) -> None:
    assert Pages(SITE).dead(page("site/1", url=SITE[0][1]), f"[x]({target})") == []


def test_where_not_every_page_is_known_no_link_is_dead() -> None:
    assert Pages(()).dead(page(FILES[0]), "[it](missing.md)") == []


def test_an_older_version_of_a_page_stands_beside_a_newer_one() -> None:
    pages = [
        page("a", title="Locks in 4.1"),
        page("b", title="Locks in 4.2"),
        page("c", title="Locks", version="5.0"),
        page("d", title="Backups in 4.1"),
        page("e", title="Locks in 4.0", kind=DocumentKind.TICKET),
        page("f", title="Locks in 3.9", product="other"),
        page("g", title="Locks"),
        page("h", title="Error 404"),
        page("i", title="Error 500"),
        page("j", title="Locks", version="4.4"),
    ]
    found = [(doc_id, finding.reason, finding.detail) for doc_id, finding in by_version(pages)]
    assert found == [("a", StaleReason.OLDER_VERSION, "b"), ("j", StaleReason.OLDER_VERSION, "c")]


def test_old_pages_by_any_of_the_dates_that_sources_write() -> None:
    pages = [
        page("iso", updated_at="2020-01-02T03:04:05Z"),
        page("day", date="2020-01-02"),
        page("mail", last_modified="Thu, 02 Jan 2020 03:04:05 GMT"),
        page("fresh", updated_at="2026-06-01", date="2001-01-01"),
        page("none"),
        page("nonsense", date="soon"),
        page("ticket", kind=DocumentKind.TICKET, updated_at="2001-01-01"),
    ]
    found = list(by_date(pages, before=NOW - timedelta(days=365)))
    assert [doc_id for doc_id, _ in found] == ["iso", "day", "mail"]
    assert {finding.detail for _, finding in found} == {"2020-01-02"}
    assert date_of(pages[5]) is None


@pytest.mark.parametrize(
    "date",
    ["0001-01-01T00:00+14:00", "9999-12-31T23:59-14:00", f"1 Jan {'9' * 25} 00:00:00", "Mon, 1 Jan 0 0:0:0 +9999"],
)
def test_a_date_that_no_calendar_has_is_none(date: str) -> None:
    assert date_of(page("a", date=date)) is None


def test_a_page_that_says_it_was_replaced() -> None:
    pages = {"old": page("old", superseded_by="new"), "new": page("new"), "dead": page("dead", status="Deprecated")}
    found = dict(replaced(pages))
    assert found.keys() == {"old", "dead"}
    assert all(finding.reason is StaleReason.REPLACED for finding in found.values())
    assert found["old"].detail == "new" and found["dead"].detail == "Deprecated"


LONG = " ".join(f"word{at} tells of thing{at}" for at in range(120))


def test_duplicates_to_the_letter_and_nearly() -> None:
    nearly, other = LONG.replace("word7 ", "term7 "), " ".join(f"other{at} says item{at}" for at in range(200))
    texts = {"a": LONG, "b": LONG, "c": nearly, "d": other, "e": "short", "f": "short text"}
    pages = [page(name, text=text) for name, text in texts.items()]
    found = duplicates(pages, {one.blob: runs_of(texts[one.doc_id]) for one in pages})
    assert [(group.doc_ids, group.identical) for group in found] == [(("a", "b", "c"), False)]
    assert 0.8 <= found[0].alike < 1.0
    # What was not read is compared by the name of its content.
    assert [group.doc_ids for group in duplicates(pages, {})] == [("a", "b")]
    assert duplicates(pages, {})[0].identical


def test_versions_of_a_page_are_no_duplicates() -> None:
    pages = [page("a", title="Locks in 4.1", text=LONG), page("b", title="Locks in 4.2", text=LONG)]
    assert duplicates(pages, {one.blob: runs_of(LONG) for one in pages}) == []
    near = [page("a", title="In 4.1", text=LONG), page("b", title="In 4.2", text=LONG + " end")]
    assert duplicates(near, {near[0].blob: runs_of(LONG), near[1].blob: runs_of(LONG + " end")}) == []


def test_a_template_that_hundreds_share_is_bounded() -> None:
    texts = {f"p{at:03}": f"{LONG} only page {at} of many" for at in range(400)}
    pages = [page(name, text=text) for name, text in texts.items()]
    found = duplicates(pages, {one.blob: runs_of(texts[one.doc_id]) for one in pages})
    assert sum(len(group.doc_ids) for group in found) >= 200


def entry(*cites: tuple[str, str], owner: str = "docs team", expires_at: datetime | None = None) -> FaqEntry:
    return FaqEntry(
        tenant="t",
        kb="k",
        doc_id="faq",
        owner=owner,
        expires_at=expires_at,
        cites=tuple(FaqCitation(doc_id=doc_id, blob=blob) for doc_id, blob in cites),
        changed_by="me",
        changed_at=NOW,
    )


ANSWER = page("faq", title="Which port?", kind=DocumentKind.FAQ)
CITED = page("a")


def test_what_is_the_matter_with_a_curated_answer() -> None:
    secret, old = page("secret", level=Level.INTERNAL), page("old")
    given = entry(("a", CITED.blob), ("old", "another text"), ("gone", "b"), ("", ""), ("secret", secret.blob))
    pages = {"a": CITED, "old": old, "secret": secret}
    shown = curated(ANSWER, given, pages=pages, reader=None, now=NOW)
    assert shown.state is FaqState.LIVE and shown.cites == ("a", "old", "secret")
    assert [(one.trouble, one.doc_id) for one in shown.problems] == [
        (FaqTrouble.CITED_CHANGED, "old"),
        (FaqTrouble.CITED_GONE, "gone"),
        (FaqTrouble.CITED_GONE, ""),
        (FaqTrouble.WIDER, "secret"),
    ]
    reader = Principal(tenant="t", user="u", acl_tags=EVERYONE, level=Level.CUSTOMER)
    theirs = curated(ANSWER, given, pages=pages, reader=reader, now=NOW)
    assert theirs.cites == ("a", "old")
    assert "secret" not in repr(theirs) and "gone'" not in repr(theirs).replace("cited_gone'", "")
    assert [one.trouble for one in theirs.problems] == [one.trouble for one in shown.problems]


@pytest.mark.parametrize(
    ("document", "given", "state"),
    [
        (ANSWER, entry(expires_at=NOW + timedelta(seconds=1)), FaqState.LIVE),
        (ANSWER, entry(expires_at=NOW), FaqState.EXPIRED),
        (None, entry(expires_at=NOW - timedelta(days=1)), FaqState.EXPIRED),
        (None, entry(), FaqState.ABSENT),
        (ANSWER, None, FaqState.LIVE),
    ],
)
def test_states(document: Document | None, given: FaqEntry | None, state: FaqState) -> None:
    shown = curated(document, given, pages={}, reader=None, now=NOW)
    assert shown.state is state
    assert (FaqTrouble.NO_OWNER in {one.trouble for one in shown.problems}) is (given is None)


def claim(text: str, *pages: Document, kind: ClaimKind = ClaimKind.SENTENCE) -> Claim:
    cited = tuple(
        Citation(chunk_id="c", doc_id=one.doc_id, blob=one.blob, start=0, end=1, title=one.title, url=None)
        for one in pages
    )
    return Claim(text=text, kind=kind, citations=cited)


def members() -> list[Asked]:
    asked = [
        AskedTurn(session_id=f"s{at}", number=1, asked_at=NOW, question="Which?", became=AskedAs.ANSWERED, nearest=())
        for at in range(3)
    ]
    return [Asked(key="which", text="Which?", turns=tuple(asked))]


def test_a_draft_lets_nobody_see_what_its_pages_hide() -> None:
    team = page("b", level=Level.INTERNAL, acl=frozenset({"everyone", "team"}))
    answered = Answered(
        completeness=Completeness.FULL, claims=(claim("One.", CITED), claim("Two.", team)), confidence=0.9
    )
    known = {"a": CITED, "b": team}
    draft = suggestion(members(), answered, shown=2, documents=known)
    assert draft is not None
    assert (draft.level, draft.acl, draft.cites) == (Level.INTERNAL, EVERYONE, ("a", "b"))
    assert (draft.turns, draft.sessions, draft.shown, draft.answer) == (3, 3, 2, "One. Two.")
    # A page that the reader may not see, one that has another text by now, and pages that nobody may see together.
    assert suggestion(members(), answered, shown=2, documents={"a": CITED}) is None
    assert suggestion(members(), answered, shown=2, documents={**known, "a": page("a", text="new")}) is None
    alone = page("b", text="b", acl=frozenset({"team"}))
    both = Answered(completeness=Completeness.FULL, claims=(claim("x", CITED, alone),), confidence=0.9)
    assert suggestion(members(), both, shown=1, documents={"a": CITED, "b": alone}) is None


def test_a_curated_answer_is_no_source_of_a_draft() -> None:
    own = page("own", text="own")
    answered = Answered(completeness=Completeness.FULL, claims=(claim("One.", own),), confidence=0.9)
    assert suggestion(members(), answered, shown=3, documents={"own": own}) is not None
    curated = replace(own, kind=DocumentKind.FAQ)
    assert suggestion(members(), answered, shown=3, documents={"own": curated}) is None


def test_what_is_against_the_question_is_no_draft() -> None:
    said = claim("To enable backups, run `backup enable`.", CITED)
    answered = Answered(completeness=Completeness.FULL, claims=(said,), confidence=0.9)
    for question, drafts in (("How do I enable backups?", True), ("How can I avoid enabling backups?", False)):
        asked = [replace(members()[0], text=question)]
        assert (suggestion(asked, answered, shown=3, documents={"a": CITED}) is not None) is drafts


def test_claims_as_markdown() -> None:
    claims = [
        claim("First do this:", CITED),
        claim("1. Open it.", CITED, kind=ClaimKind.STEP),
        claim("2. Close it.", CITED, kind=ClaimKind.STEP),
        claim("run --it", CITED, kind=ClaimKind.CODE),
        claim("Done.", CITED),
    ]
    expected = "First do this:\n\n1. Open it.\n2. Close it.\n\n```\nrun --it\n```\n\nDone."
    assert as_markdown(claims) == expected
