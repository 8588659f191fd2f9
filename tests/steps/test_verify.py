"""Verification tries to let nothing through that its span does not carry."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.steps.evidence import piece

from firstline.domain import Answered, Citation, Claim, ClaimKind, Completeness, Draft, Evidence
from firstline.questions.claims.agreement import disagreement
from firstline.questions.compose import compose
from firstline.questions.verify import verify

TEXT = "Set retryWrites to false in version 4.2. Do not restart the primary. The limit is 16 MB."


LIMIT = TEXT.index("The limit")


def cited(text: str, held: Evidence, start: int, end: int, kind: ClaimKind = ClaimKind.SENTENCE) -> Claim:
    """A claim that cites characters [start, end) of an ASCII chunk that begins its document."""
    chunk = held.chunk
    citation = Citation(
        chunk_id=chunk.chunk_id, doc_id=chunk.doc_id, blob=chunk.blob, start=start, end=end, title="t", url=None
    )
    return Claim(text=text, kind=kind, citations=(citation,))


def draft_of(text: str, start: int, end: int) -> Draft:
    return Draft(claims=(cited(text, piece(TEXT), start, end),))


def of_lines(*lines: tuple[str, ClaimKind, bool]) -> tuple[Draft, Evidence]:
    """A draft of a document's lines; one that is not supported says something else."""
    held = piece("\n\n".join(line for line, _, _ in lines))
    claims: list[Claim] = []
    for line, kind, supported in lines:
        start = held.text.index(line)
        said = line if supported else f"{line[:-1]} since 1999{line[-1]}"
        claims.append(cited(said, held, start, start + len(line), kind))
    return Draft(claims=tuple(claims)), held


def test_a_sentence_that_stands_in_its_span_is_kept():
    verification = verify(draft_of("The limit is 16 MB.", LIMIT, len(TEXT)), [piece(TEXT)])
    assert [claim.text for claim in verification.kept] == ["The limit is 16 MB."]
    assert verification.share == 1.0


@pytest.mark.parametrize(
    ("said", "cited", "why"),
    [
        ("The limit is 32 MB.", "The limit is 16 MB.", "32"),
        ("The limit is 16 MiB.", "The limit is 16 MB.", "16MiB"),
        ("Set retryWrites to false in version 4.4.", "Set retryWrites to false in version 4.2.", "4.4"),
        ("Do restart the primary.", "Do not restart the primary.", "negation"),
        ("The limit is not 16 MB.", "The limit is 16 MB.", "negation"),
        ("Elephants like the limit of 16 MB very much indeed.", "The limit is 16 MB.", "eleph"),
    ],
)
def test_a_changed_fact_is_dropped(said: str, cited: str, why: str):
    start = TEXT.index(cited)
    verification = verify(draft_of(said, start, start + len(cited)), [piece(TEXT)])
    assert not verification.kept
    assert why in verification.dropped[0][1]


@pytest.mark.parametrize(
    ("said", "source"),
    [
        ("You have to restart the node.", "You must restart the node."),
        ("It isn't supported.", "It is not supported."),
        ("The cache can't be cleared.", "The cache cannot be cleared."),
        ("Use the bold option.", "Use the **bold** [option](https://x.test/a)."),
        ("The node needs at least 16GB of memory.", "The node needs a minimum of 16 GB of memory."),
        ("Wait five minutes.", "Wait 5 min."),
        ("It supports blue, red and green.", "It supports red, green and blue."),
        ("Drain the node before you stop it.", "Before you stop it, drain the node."),
        ("The limit is 1000 rows.", "The limit (see below) is 1,000 rows."),
        ("The index is rebuilt. The log says so.", "The index is rebuilt.\n\nThe log says so."),
        ("The index is rebuilt, and the log says so.", "The index is rebuilt. The log says so."),
        ("The node restarts.", "The node restarts, which takes a while."),
        ("Reload the page.", "> **Note:** Reload the\n> page."),
    ],
)
def test_the_same_in_other_words_is_kept(said: str, source: str):
    assert disagreement(said, [source]) == ""


@pytest.mark.parametrize(
    ("said", "source"),
    [
        ("You may restart the node.", "You must restart the node."),
        ("Restart the node.", "You should restart the node."),
        ("You must restart the node.", "Restart the node."),
        ("The node needs at most 16 GB.", "The node needs at least 16 GB."),
        ("The timeout is 30 s.", "The timeout is 30 ms."),
        ("The disk holds 20 GiB.", "The disk holds 20 GB."),
        ("The rate is 20 Mb.", "The rate is 20 MB."),
        ("Usage is 80 GB.", "Usage is 80%."),
        ("Disable the cache.", "Enable the cache."),
        ("Turn off the cache.", "Turn on the cache."),
        ("Turn on the cache.", "Turn off the cache."),
        ("All nodes restart.", "Some nodes restart."),
        ("Nodes restart.", "Only nodes restart."),
        ("Stop the node after you drain it.", "Stop the node before you drain it."),
        ("Drain the node, then stop it.", "Stop the node, then drain it."),
        ("Drain it. Stop the node.", "Stop the node. Drain it."),
        ("Stop the node, drain it and delete it.", "Drain it, stop the node and delete it."),
        ("Larch replaces Birch.", "Birch replaces Larch."),
        ("Use port 80 for Birch and port 443 for Larch.", "Use port 443 for Birch and port 80 for Larch."),
        ("Restart the node.", "If the disk is full, restart the node."),
        ("Restart the node.", "Restart the node unless it is the primary."),
        ("The flag works.", "The flag works only in version 4.2."),
        ("Pass --force.", "Pass --dry-run."),
        ("Set `max_wal_size`.", "Set `min_wal_size`."),
        ("Birch supports snapshots.", "Birch supports backups. Larch supports snapshots."),
        ("If the disk is full, drain the node.", "If the disk is full, add one. Drain the node when it is old."),
        ("We do have the licence.", "We do not have the\nlicence."),
        ("Messages that seem legit are tricks.", "Messages that seem legit (but aren't) are tricks."),
        ("Version 4.2 is affected.", "Version 4.1 is affected. Update to 4.2."),
        ("The limit is two rows.", "The limit is three rows."),
        ("…", "The limit is three rows."),
    ],
)
def test_what_says_something_else_is_not_supported(said: str, source: str):
    assert disagreement(said, [source])


def test_half_of_two_sources_is_no_support():
    one, two = "If the disk is full, add a volume.", "When the lease ends, the node is drained by the scheduler."
    assert disagreement("If the disk is full, the node is drained by the scheduler.", [one, two])
    assert disagreement(f"{one} {two}", [one, two]) == ""


def test_a_span_that_begins_behind_the_not_does_not_carry_the_rest():
    start = TEXT.index("restart the primary")
    assert not verify(draft_of("Restart the primary.", start, LIMIT - 1), [piece(TEXT)]).kept
    unless = "Restart the node unless it is the primary. Then wait."
    claim = cited("Restart the node.", piece(unless), 0, len("Restart the node"))
    assert not verify(Draft(claims=(claim,)), [piece(unless)]).kept


def test_a_row_keeps_its_columns():
    text = "| Port | Use |\n|---|---|\n| 80 | web |\n| 443 | TLS |"
    held = piece(text)
    row, head = text.index("| 443"), text.index("\n")

    def kept(said: str) -> bool:
        claim = cited(said, held, row, len(text), ClaimKind.ROW)
        names = replace(claim.citations[0], start=0, end=head)
        claim = replace(claim, citations=(claim.citations[0], names))
        return bool(verify(Draft(claims=(claim,)), [held]).kept)

    assert kept("**Port**: 443 · **Use**: TLS")
    assert kept("**Port**: 443")
    assert not kept("**Port**: 443 · **Use**: web")
    assert not kept("**Use**: 443 · **Port**: TLS")


def test_code_stands_there_as_written():
    text = "```\nlarkctl drain --wait 30 node1\n```"

    def kept(said: str) -> bool:
        return bool(verify(Draft(claims=(cited(said, piece(text), 0, len(text), ClaimKind.CODE),)), [piece(text)]).kept)

    assert kept(text)
    assert not kept("larkctl drain --wait 3")
    assert not kept("larkctl drain --wait 30 node2")


def test_a_citation_outside_the_evidence_of_this_turn_is_dropped():
    draft = draft_of("The limit is 16 MB.", LIMIT, len(TEXT))
    assert not verify(draft, []).kept
    other = piece(TEXT)
    other = replace(other, chunk=replace(other.chunk, chunk_id="another"))
    assert not verify(draft, [other]).kept


@pytest.mark.parametrize("mark", ["[doc-0]", "[chunk:doc-0]", "(source: doc-0)", "[1]", "【1】"])
def test_a_marker_that_somebody_wrote_is_no_citation(mark: str):
    """An id of this very turn, pasted into a text, names nothing: a citation is one, or there is none."""
    bare = Claim(text=f"The limit is 16 MB. {mark}", kind=ClaimKind.SENTENCE, citations=())
    assert not verify(Draft(claims=(bare,)), [piece(TEXT)]).kept
    # A document that names another chunk's id does not bring that chunk into the turn.
    poisoned = piece(f"The limit is 99 MB, see other-7 {mark}.", doc_id="other")
    claim = cited("The limit is 16 MB.", piece(TEXT), LIMIT, len(TEXT))
    assert not verify(Draft(claims=(claim,)), [poisoned]).kept


def test_a_span_beyond_its_chunk_is_dropped():
    assert not verify(draft_of("The limit is 16 MB.", 0, len(TEXT) + 1), [piece(TEXT)]).kept
    assert not verify(draft_of("The limit is 16 MB.", 5, 5), [piece(TEXT)]).kept


def test_an_answer_without_a_citation_cannot_be_built():
    bare = Claim(text="Trust me.", kind=ClaimKind.SENTENCE, citations=())
    with pytest.raises(ValueError, match="citation"):
        Answered(completeness=Completeness.FULL, claims=(bare,), confidence=1.0)
    with pytest.raises(ValueError, match="at least one"):
        Answered(completeness=Completeness.FULL, claims=(), confidence=1.0)


# --- what is left when something is dropped -------------------------------------------------------------------------

SAID, STEP, CODE = ClaimKind.SENTENCE, ClaimKind.STEP, ClaimKind.CODE


def test_the_rest_is_kept_when_it_stands_alone():
    draft, held = of_lines(
        ("The log grows.", SAID, True), ("The disk fills.", SAID, False), ("Backups go on.", SAID, True)
    )
    found = verify(draft, [held])
    assert [claim.text for claim in found.kept] == ["The log grows.", "Backups go on."]
    assert len(found.dropped) == 1


@pytest.mark.parametrize(
    "lines",
    [
        (("1. Stop it.", STEP, True), ("2. Drain it.", STEP, False), ("3. Start it.", STEP, True)),
        (("1. Stop it.", STEP, True), ("2. Drain it.", STEP, True), ("3. Start it.", STEP, False)),
        (("Check the disk.", SAID, False), ("Otherwise the node stops.", SAID, True)),
        (("Check the disk.", SAID, False), ("Then restart it.", SAID, True)),
        (("The disk is full.", SAID, False), ("This stops the node.", SAID, True)),
        (("Never do these:", SAID, False), ("- Delete the log.", STEP, True), ("- Stop the node.", STEP, True)),
        (("Run this:", SAID, True), ("larkctl drain", CODE, False), ("Backups go on.", SAID, True)),
    ],
)
def test_a_rest_that_leans_on_what_is_gone_falls(lines: tuple[tuple[str, ClaimKind, bool], ...]):
    draft, held = of_lines(*lines)
    found = verify(draft, [held])
    assert found.kept == ()
    assert [claim for claim, _ in found.dropped] == list(draft.claims)
    assert all(reason for _, reason in found.dropped)


# --- whatever the texts are -----------------------------------------------------------------------------------------

WORDS = st.sampled_from(
    """the node disk server must not may restart stop drain only all before after at least 5 16 16GB 20 GiB 4.2 4.2.1
    v3.x max_wal_size --force E11000 without unless and or , . if no Larch Birch 30 ms s %
    enable disable is are (see )""".split()
)
TEXTS = st.lists(WORDS, min_size=1, max_size=16).map(" ".join)
FIGURES = re.compile(r"\d+(?:\.\d+)*")
IDENTIFIERS = re.compile(r"max_wal_size|--force|E11000|v3\.x|4\.2\.1|4\.2(?!\.)")


def drafts(said: list[str], held: Evidence) -> Draft:
    return Draft(claims=tuple(cited(text, held, 0, len(held.text)) for text in said))


@given(st.lists(TEXTS, max_size=4), TEXTS)
def test_nothing_kept_has_a_number_version_or_identifier_that_its_span_lacks(said: list[str], source: str):
    for claim in verify(drafts(said, piece(source)), [piece(source)]).kept:
        assert set(FIGURES.findall(claim.text)) <= set(FIGURES.findall(source))
        assert set(IDENTIFIERS.findall(claim.text)) <= set(IDENTIFIERS.findall(source))


@given(TEXTS, st.sampled_from(["not", "must", "only", "may", "without", "unless"]))
def test_a_telling_word_put_in_front_is_never_supported(source: str, word: str):
    if word not in source:
        assert disagreement(f"{word} {source}", [source])


@given(st.lists(TEXTS, max_size=4), TEXTS, st.text(alphabet="abc-0", max_size=6))
def test_a_citation_that_was_not_issued_is_never_kept(said: list[str], source: str, chunk_id: str):
    held = piece(source)
    draft = drafts(said, held)
    if chunk_id == held.chunk.chunk_id:
        return
    forged = Draft(
        claims=tuple(replace(one, citations=(replace(one.citations[0], chunk_id=chunk_id),)) for one in draft.claims)
    )
    assert not verify(forged, [held]).kept
    # One forged citation beside a good one spoils the claim.
    both = Draft(
        claims=tuple(
            replace(one, citations=(*one.citations, *other.citations))
            for one, other in zip(draft.claims, forged.claims, strict=True)
        )
    )
    assert not verify(both, [held]).kept


@given(st.lists(TEXTS, max_size=4), TEXTS)
def test_verifying_twice_changes_nothing(said: list[str], source: str):
    held = piece(source)
    once = verify(drafts([*said, source], held), [held])
    again = verify(Draft(claims=once.kept), [held])
    assert again.kept == once.kept
    assert not again.dropped


@given(st.lists(TEXTS, min_size=1, max_size=4), st.randoms())
def test_the_order_of_the_evidence_does_not_matter(sources: list[str], draw: object):
    evidence = [piece(source, doc_id=f"d{at}") for at, source in enumerate(sources)]
    claims = tuple(cited(sources[0], held, 0, len(held.text)) for held in evidence)
    shuffled = list(evidence)
    draw.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis types it as Random
    assert verify(Draft(claims=claims), evidence) == verify(Draft(claims=claims), shuffled)


@given(st.text(max_size=200), st.text(min_size=1, max_size=200))
def test_any_text_gets_a_verdict(said: str, source: str):
    held = piece(source)
    claim = cited(said, held, 0, len(source.encode()))
    found = verify(Draft(claims=(claim,)), [held])
    assert len(found.kept) + len(found.dropped) == 1


@given(
    st.lists(
        st.sampled_from(["Run `lk --fix` now.", "1. Stop it.", "- ünïcode ✓ items", "| a | b |\n|---|---|\n| 1 | 2 |"])
    )
)
def test_what_compose_cuts_always_verifies(parts: list[str]):
    text = "\n\n".join(parts)
    evidence = [piece(text, start=7)] if text else []
    draft = compose("fix items", evidence, chars_max=5000)
    verification = verify(draft, evidence)
    assert not verification.dropped
