"""Misspelt words are read as known ones; everything else stays as it was written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cost import awaited_costs_less

from firstline.domain import Level
from firstline.models.english import open_english
from firstline.ports import Scope
from firstline.questions.spelling import (
    CHARS_MAX,
    CORRECTIONS_MAX,
    SUSPECTS_MAX,
    WORD_CHARS_MAX,
    Spelling,
    edits,
    relatives,
    spelling,
    suspects,
)
from firstline.vocabulary import vocabulary

SCOPE = Scope(tenant="t", kb="kb", acl_tags=frozenset({"everyone"}), level_max=Level.PUBLIC, snapshot=1)
KNOWN = {
    "e11000": 3,
    "sql0911n": 2,
    "cwsia0112e": 1,
    "cwsia0121e": 1,
    "kubernetes": 90,
    "database": 200,
    "replica": 30,
    "replicas": 20,
    "deadlock": 12,
    "restart": 40,
    "connection": 60,
    "collection": 50,
    "quote": 9,
}
ENGLISH = frozenset({"quite", "error", "after", "during"})
SOME_WORDS = st.from_regex(r"[abcdeorstn][abcdeorstn1]{3,9}", fullmatch=True)
MOSTLY_WORDS = st.text(alphabet="abcdeorstn 1E.\"'`-\n", max_size=200)


class Words:
    """A ledger that knows these words only, and counts what it is asked."""

    def __init__(self, known: Mapping[str, int] = KNOWN) -> None:
        self.known = known
        self.asked: list[int] = []

    async def word_counts(self, words: Collection[str], scope: Scope) -> dict[str, int]:
        self.asked.append(len(words))
        return {word: self.known[word] for word in words if word in self.known}


async def read(text: str, known: Mapping[str, int] = KNOWN) -> Spelling:
    return await spelling(text, SCOPE, ledger=Words(known), english=ENGLISH)  # pyright: ignore[reportArgumentType]  (one method is used)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("What is E1100?", "What is E11000?"),
        ("e1100 after restrat", "e11000 after restart"),
        ("SQL911N during the restart", "SQL0911N during the restart"),
        ("What is SQL0911M?", None),  # another letter: another message
        ("What is CWSIA0211E?", None),  # two figures swapped: perhaps a message of its own
        ("What is SQL0912N?", None),
        ("SQLO911N error", "SQL0911N error"),  # the letter for the figure
        ("my databse and its databse", "my database and its database"),
        ("Databse is slow", "Database is slow"),
        ("(kubernets).", "(kubernetes)."),
        ("the kubernets's replica", "the kubernetes's replica"),
        ("deadlocking deadlocked deadlocks", None),
        ("quite an error", None),
        ("my databaes conection", "my database connection"),
        ('it says "databse" in `databse` and\n```\ndatabse\n```', None),
        ("see /var/databse --databse databse.local databse_name v1.2.34567 databse:8080", None),
        ("I use Replca and DATABSE and dataBse", None),  # names
        ("I use Kubernets", "I use Kubernetes"),
        ("warum startet meine Datenbank nicht, verbindung abgebrochen", None),
        ("don't didnt havent", None),
    ],
)
async def test_what_is_read(written: str, text: str | None) -> None:
    assert (await read(written)).text == (text or written)


async def test_corrections_name_both_spellings_in_order() -> None:
    found = await read("Error E1100 after quite a Restrat? no: restrat of my databse")
    assert found.text == "Error E11000 after quite a Restart? no: restart of my database"
    assert found.corrections == (
        ("E1100", "E11000"),
        ("Restrat", "Restart"),
        ("restrat", "restart"),
        ("databse", "database"),
    )


async def test_of_two_possible_codes_none_is_taken() -> None:
    assert (await read("E1100?", {"e11000": 50, "e11001": 1})).corrections == ()


async def test_of_several_words_the_likelier_slip_then_the_commoner_word_is_taken() -> None:
    assert (await read("clsuter", {"cluster": 1, "clsuters": 0})).text == "clsuter", "its plural is known"
    assert (await read("postt", {"post": 1, "posts": 1, "posit": 3})).text == "post"
    assert (await read("sharpd", {"sharad": 1, "sharod": 5})).text == "sharod"
    assert (await read("abort", {"about": 90})).text == "abort"


async def test_a_question_mostly_of_unknown_words_is_left_alone() -> None:
    assert (await read("databse wwwww xxxxx yyyyy")).corrections == ()
    assert (await read("databse after kubernetes replica xxxxx yyyyy")).corrections == (("databse", "database"),)


@pytest.mark.parametrize("text", ["it fails though it ran", "the blade and the quite small array"])
async def test_shipped_english_words_are_never_read_as_a_word_of_the_documents(text: str) -> None:
    words = Words({"through": 90, "blake": 9, "quote": 9, "arrays": 5})
    found = await spelling(text, SCOPE, ledger=words, english=open_english())  # pyright: ignore[reportArgumentType]  (one method is used)
    assert found == Spelling(text=text)


async def test_look_ups_are_few() -> None:
    for text, queries in (("how is it?", 0), ("restart the database", 1), ("restrat the database", 2)):
        words = Words()
        await spelling(text, SCOPE, ledger=words, english=ENGLISH)  # pyright: ignore[reportArgumentType]  (one method is used)
        assert len(words.asked) == queries, text


class Gap(Words):
    """A ledger with a document whose words were not recorded, from the look-up with this number on."""

    def __init__(self, first: int) -> None:
        super().__init__()
        self._first = first

    async def word_counts(self, words: Collection[str], scope: Scope) -> dict[str, int] | None:  # pyright: ignore[reportIncompatibleMethodOverride]  (as the port has it)
        found = await super().word_counts(words, scope)
        return found if len(self.asked) < self._first else None


@pytest.mark.parametrize("first", [1, 2])
async def test_nothing_is_corrected_while_words_of_a_document_are_not_recorded(first: int) -> None:
    words = Gap(first)
    found = await spelling("What is E1100 in my databse?", SCOPE, ledger=words, english=ENGLISH)  # pyright: ignore[reportArgumentType]  (one method is used)
    assert found == Spelling(text="What is E1100 in my databse?")
    assert len(words.asked) == first


def distance(one: str, other: str) -> int:
    """Optimal string alignment: inserted, deleted, replaced or swapped neighbours."""
    rows = [
        [row + column if row * column == 0 else 0 for column in range(len(other) + 1)] for row in range(len(one) + 1)
    ]
    for row in range(1, len(one) + 1):
        for column in range(1, len(other) + 1):
            cost = one[row - 1] != other[column - 1]
            best = min(rows[row - 1][column] + 1, rows[row][column - 1] + 1, rows[row - 1][column - 1] + cost)
            if row > 1 and column > 1 and one[row - 1] == other[column - 2] and one[row - 2] == other[column - 1]:
                best = min(best, rows[row - 2][column - 2] + 1)
            rows[row][column] = best
    return rows[-1][-1]


@given(st.from_regex(r"[a-z][a-z0-9]{4,9}", fullmatch=True))
@settings(max_examples=20, deadline=None)
def test_every_reading_is_one_slip_away(word: str) -> None:
    readings = edits(word)
    assert word not in readings
    assert all(distance(word, reading) == 1 for reading in readings)


@given(MOSTLY_WORDS, st.dictionaries(SOME_WORDS, st.integers(1, 99)))
@settings(deadline=None)
async def test_known_words_are_never_changed_and_nothing_else_moves(text: str, known: dict[str, int]) -> None:
    known = {**known, **dict.fromkeys(list(vocabulary(text))[::2], 1)}
    found = await read(text, known)
    assert len(found.corrections) <= CORRECTIONS_MAX
    changed = dict(found.corrections)
    for written, reading in changed.items():
        assert written.lower() not in known and reading.lower() in known
        assert not known.keys() & set(relatives(written.lower()))
    # Words between anything else: what was not corrected stands where it stood.
    assert len(text.split(" ")) == len(found.text.split(" "))
    for before, after in zip(text.split(" "), found.text.split(" "), strict=True):
        assert before == after or any(written in before for written in changed)


@given(st.text(max_size=300))
@settings(deadline=None)
async def test_any_text_can_be_read(text: str) -> None:
    found = await read(text)
    assert found.text == text or found.corrections


@pytest.mark.parametrize(
    "text",
    [
        "a" * 100_000,
        "`" * 100_000,
        '"' * 99_999,
        "```" + "a`" * 50_000,
        "abcde " * 20_000,
        " ".join(f"ab{number}cd{number}" for number in range(100, 20_000)),
        " ".join(f"{'z' * 20}{chr(97 + number % 26)}{chr(97 + number // 26 % 26)}" for number in range(5_000)),
        "(" * 50_000 + "databse",
    ],
    ids=["one word", "backticks", "quotes", "fence", "repeats", "codes", "long words", "brackets"],
)
async def test_work_is_bounded(text: str) -> None:
    words = Words({**KNOWN, **dict.fromkeys(("z" * 20 + "aa", "ab100cd100"), 1)})
    found = await spelling(text, SCOPE, ledger=words)  # pyright: ignore[reportArgumentType]  (one method is used)
    assert await awaited_costs_less(lambda: spelling(text, SCOPE, ledger=words), than_s=0.5)  # pyright: ignore[reportArgumentType]
    assert found.text[CHARS_MAX + 100 :] in text
    assert max(words.asked, default=0) <= max(SUSPECTS_MAX * 64, CORRECTIONS_MAX * WORD_CHARS_MAX * 80)


def test_codes_are_looked_at_before_words_and_every_place_of_a_word_counts() -> None:
    text = " ".join(f"word{chr(97 + number)}x" for number in range(26)) + " E1100 wordax"
    looked_at = suspects(text)
    assert looked_at[0].word == "e1100"
    assert len({suspect.word for suspect in looked_at}) == SUSPECTS_MAX
    assert Counter(suspect.word for suspect in looked_at)["wordax"] == 2


def test_vocabulary() -> None:
    text = "Restart E11000: max_pool_size=10, read-only 4.1.1.2 deadbeef12 café Über 3com a1 don't"
    assert vocabulary(text) == {"restart", "e11000", "max", "pool", "size", "read", "only", "don"}
    assert vocabulary("x" * 41 + " " + "y" * 40) == {"y" * 40}
