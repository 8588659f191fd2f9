"""The critique judges a draft against its question: how much of it is answered, and whether it is the opposite."""

from __future__ import annotations

import pytest
from tests.cost import costs_less
from tests.steps.evidence import piece

from firstline.domain import ChunkKind, Citation, Claim, ClaimKind, Coverage
from firstline.questions.claims.parts import asked_parts
from firstline.questions.compose import compose
from firstline.questions.critique import critique, unanswered_note
from firstline.questions.message.opposites import opposed
from firstline.questions.page.outright import codes_alone

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


# --- several questions in one ---------------------------------------------------------------------------------------

BACKUP = "To take a backup, run `larkctl backup`. A backup of a large collection takes minutes."


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "How do I take a backup and how do I rotate the keys?",
            ["How do I take a backup", "how do I rotate the keys"],
        ),
        ("What is a replica set, and does it support IPv6?", ["What is a replica set", "does it support IPv6"]),
        ("How do I take a backup? Where are the logs kept?", ["How do I take a backup", "Where are the logs kept"]),
        ("1. How do I take a backup?\n2. Which port is used?", ["How do I take a backup", "Which port is used"]),
        ("1) take a backup, how? 2) which port is used?", ["take a backup, how", "which port is used"]),
        ("Can I resize the cluster and is there a fee?", ["Can I resize the cluster", "is there a fee"]),
    ],
)
def test_a_compound_question_is_split(question: str, parts: list[str]) -> None:
    assert [part.text for part in asked_parts(question)] == parts


@pytest.mark.parametrize(
    "question",
    [
        "How do I back up and restore a collection?",
        "I upgraded to 4.2 and the server stopped. The log is empty. How do I start it?",
        "The import fails. How do I fix it? How can I fix the import?",
        "What happens when the disk is full and the log is on it?",
        "error LK1100 after the upgrade",
        "When I click on the button nothing happens. When I wait it works. How do I fix the form?",
        "How do I rotate the logs? Please help!",
        "",
    ],
)
def test_one_question_is_not(question: str) -> None:
    assert len(asked_parts(question)) < 2


def test_a_part_without_an_answer_is_named() -> None:
    found = critique("How do I take a backup and how do I rotate the keys?", [draft(BACKUP)], [piece(BACKUP)])
    assert (found.coverage, found.missing) == (Coverage.PARTLY, ("how do I rotate the keys",))
    told = unanswered_note(found)[0].values["parts"]
    assert any("how do I rotate the keys" in part for part in told)
    assert not any("larkctl" in part for part in told)


def test_words_that_both_parts_share_answer_neither() -> None:
    question = "How do I take a backup of a large collection? Can I encrypt a large collection?"
    found = critique(question, [draft(BACKUP)], [piece(BACKUP)])
    assert found.missing == ("Can I encrypt a large collection",)


def test_a_compound_question_that_is_answered_needs_no_note() -> None:
    said = f"{BACKUP} Rotate the keys with `larkctl keys`."
    found = critique("How do I take a backup and how do I rotate the keys?", [draft(said)], [piece(said)])
    assert (found.coverage, unanswered_note(found)) == (Coverage.FULLY, ())


@pytest.mark.parametrize("asked", ["how is it fixed", "how can this be solved", "how do I resolve it"])
@pytest.mark.parametrize(("kind", "missing"), [(ChunkKind.RESOLUTION, 0), (ChunkKind.CAUSE, 1), (ChunkKind.SECTION, 1)])
def test_who_asks_for_the_cure_is_answered_by_what_is_told_as_one(asked: str, kind: ChunkKind, missing: int) -> None:
    said = "In 3.1 the code LK-1205 means that the licence has ended. Renew the licence under Settings."
    found = critique(f"What does LK-1205 mean in 3.1 and {asked}?", [draft(said)], [piece(said, kind=kind)])
    assert len(found.missing) == missing


def test_what_else_is_asked_is_not_answered_by_a_cure() -> None:
    said = "The licence has ended. Renew the licence under Settings."
    found = critique(
        "How is the licence renewed and how are the backups fixed?",
        [draft(said)],
        [piece(said, kind=ChunkKind.RESOLUTION)],
    )
    assert found.missing == ("how are the backups fixed",)


def test_when_no_part_is_answered_no_part_is_called_answered() -> None:
    found = critique("Which port is used and how do I rotate the keys?", [draft(BACKUP)], [piece(BACKUP)])
    assert (found.coverage, unanswered_note(found)) == (Coverage.CANNOT, ())


def test_a_long_part_is_cut() -> None:
    question = f"How do I take a backup? Why does {'the very long thing ' * 30} fail?"
    found = critique(question, [draft(BACKUP)], [piece(BACKUP)])
    assert all(len(part) < 140 for part in found.missing)


@pytest.mark.parametrize(
    "question",
    [
        "How do I restart a node that failed and is hanging?",
        "How do I clear a queue that is full and has been empty for days?",
        "How do I repair a task that stops and does not resume?",
    ],
)
def test_a_relative_clause_is_no_second_question(question: str):
    assert len(asked_parts(question)) < 2


@pytest.mark.parametrize("unit", [" ", "\t", "\n", ", ", "a_", "1a", ". "])
def test_a_message_of_one_thing_over_and_over_costs_little(unit: str):
    source = piece(ENCRYPTION)
    claims = compose("encryption", [source], chars_max=500).claims

    def work() -> None:
        critique(unit * 20_000 + "and is it", claims, [source])
        codes_alone(unit * 20_000)

    assert costs_less(work, than_s=1.0), "seconds, where a quadratic pattern takes several"
