"""The critique judges a draft against its question: how much of it is answered, and whether it is the opposite."""

from __future__ import annotations

import pytest
from tests.steps.evidence import piece

from firstline.domain import Citation, Claim, ClaimKind, Coverage
from firstline.questions.critique import critique
from firstline.questions.opposites import opposed

ENCRYPTION = "Encryption at rest. To enable encryption at rest, set `enabled = true`."


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How do I disable encryption at rest?", ENCRYPTION),
        ("I want to switch encryption at rest off", ENCRYPTION),
        ("How do I turn the query log off?", "Turn the query log on with `--log`."),
        ("How do I turn on the query log?", "Switch the query log off with `--log=0`."),
        ("How do I uninstall Larkspur?", "Install. To install Larkspur run `apt install larkspur`."),
        ("uninstall larkspur", "Installing Larkspur. Run `apt install larkspur`."),
        ("how to delete a collection", "Create a collection with `POST /collections`."),
        ("How can I decrypt a volume?", "Encrypt a volume with `larkctl encrypt`."),
        ("Steps to downgrade the server", "Upgrading the server. Upgrade one node after the other."),
        ("How do I run it on Linux without systemd?", "Run on Linux. Run `systemctl enable larkspur`."),
        ("Can I use the importer without Java?", "The importer. Install Java 17, then run the importer."),
    ],
)
def test_the_opposite_alone_is_opposed(question: str, text: str) -> None:
    assert opposed(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How do I disable encryption at rest?", "Set `enabled = false` in the encryption section."),
        ("How do I turn off encryption?", "It is enabled by default. Set `encryption: off`."),
        ("How do I enable encryption at rest?", ENCRYPTION),
        ("How do I uninstall Larkspur?", "Run `apt remove larkspur`. What you installed by hand stays."),
        ("I installed Larkspur twice. How do I uninstall one?", "Install Larkspur."),
        ("Should I enable or disable the cache?", "Enable the cache."),
        ("Why does the install fail?", "Uninstall the old version first."),
        ("The server cannot start", "Stop the process that holds the port."),
        ("How do I rotate the logs?", "Stop the server. Run `larkctl rotate`."),
        ("How do I run it on Linux without systemd?", "Without an init system: `larkspur --foreground`, no systemctl."),
        ("It stops without an error", "Every error stands in the log."),
    ],
)
def test_nothing_else_is(question: str, text: str) -> None:
    assert not opposed(question, text)


def draft(text: str) -> Claim:
    chunk = piece(text).chunk
    cited = Citation(
        chunk_id=chunk.chunk_id, doc_id=chunk.doc_id, blob=chunk.blob, start=0, end=1, title=chunk.title, url=None
    )
    return Claim(text=text, kind=ClaimKind.SENTENCE, citations=(cited,))


def test_a_critique_says_both_how_much_is_answered_and_that_it_is_the_opposite() -> None:
    text = "To enable encryption at rest, set `enabled = true`."
    evidence = [piece(text)]
    found = critique("How do I disable encryption at rest?", [draft(text)], evidence)
    assert (found.coverage, found.opposed) == (Coverage.FULLY, True)
    assert not critique("How do I enable encryption at rest?", [draft(text)], evidence).opposed


def test_no_claims_are_no_answer_and_not_the_opposite_of_one() -> None:
    found = critique("How do I disable encryption?", [], [])
    assert (found.coverage, found.opposed) == (Coverage.CANNOT, False)
