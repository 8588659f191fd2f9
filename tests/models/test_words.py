"""Terms are compared by what they match: the id of a term is nobody's business."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cost import costs_less

from firstline.models.words import EngineerWords
from firstline.ports import SparseVector

WORDS = EngineerWords()


def terms(text: str) -> set[int]:
    return set(WORDS.encode_document(text).indices)


def score(query: str, document: str) -> float:
    known = dict(zip(*_columns(WORDS.encode_document(document)), strict=True))
    return sum(w * known.get(i, 0.0) for i, w in zip(*_columns(WORDS.encode_query(query)), strict=True))


def _columns(vector: SparseVector) -> tuple[tuple[int, ...], tuple[float, ...]]:
    return vector.indices, vector.values


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("E11000", "MongoServerError: E11000 duplicate key"),
        ("e11000", "fails with E11000."),
        ("11000", "code E11000"),
        ("SQL0911N", "SQL0911N The current transaction has been rolled back"),
        ("CWSIA0112E", "(CWSIA0112E)"),
        ("4.1.1.2", "Streams 4.1.1.2, and later"),
        ("4.1.1", "fixed in 4.1.1.2"),
        ("v1.29", "Kubernetes 1.29"),
        ("1.29", "since v1.29."),
        ("max_connections", "set `max_connections` to 5"),
        ("max connections", "set max_connections=5"),
        ("read-only", "a read-only replica"),
        ("replica read only", "a read-only replica"),
        ("statefulset", "a StatefulSet is"),
        ("stateful sets", "a StatefulSet is"),
        ("HTTPServer", "the HTTPServer class"),
        ("http server", "the HTTPServer class"),
        ("--foo-bar", "pass --foo-bar=1"),
        ("foo-bar", "pass --foo-bar"),
        ("-Xmx512m", "with -Xmx512m"),
        ("/etc/mongod.conf", "edit /etc/mongod.conf first"),
        ("mongod.conf", "edit /etc/mongod.conf first"),
        ("java.lang.NullPointerException", "java.lang.NullPointerException: null"),
        ("NullPointerException", "java.lang.NullPointerException: null"),
        ("null pointer exception", "java.lang.NullPointerException: null"),
        ("std::vector", "a std::vector<int>"),
        ("connecting", "the connection is connected"),
        ("indexes", "an index"),
        ("cafe resume", "Café résumé"),
        ("ＡＰＩ", "the API"),
        ("重复键", "出现重复键错误"),
        ("エラー", "重複キーエラーが発生"),
        ("중복 키", "중복 키 오류"),
        ("27017", "port 27017"),
        ("ошибка", "Ошибка сети"),
    ],
)
def test_finds(query: str, document: str) -> None:
    assert score(query, document) > 0


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("E11001", "E11000 duplicate key"),
        ("4.1.1.3", "4.2.1.2"),
        ("41", "4.1.1.2"),
        ("how do I do this?", "how do I do this, and what is that?"),
        ("重键", "重复键"),
        ("SQL0911N", "SQL0912N"[3:]),
    ],
)
def test_does_not_find(query: str, document: str) -> None:
    assert score(query, document) == 0


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("StatefulSet", "a StatefulSet here", "a stateful set here"),
        ("error 4.1.1.2", "error in 4.1.1.2", "error in 4.1.1.3"),
        ("--dry-run", "use --dry-run", "a dry run"),
        ("duplicate key", "duplicate key", "duplicate key " + "and so many other different words " * 40),
        ("index index lock", "index on a table", "lock on a table"),
    ],
)
def test_prefers(query: str, better: str, worse: str) -> None:
    assert score(query, better) > score(query, worse) > 0


def test_code_keeps_its_letters() -> None:
    assert terms("running") == terms("runs")
    assert not terms("running_total") <= terms("run_total")
    assert not terms("timeouts_ms") <= terms("timeout_ms")


def test_the_title_counts_as_text() -> None:
    with_title = WORDS.encode_document("Drop it first.", title="Duplicate key")
    assert with_title == WORDS.encode_document("Duplicate key\nDrop it first.")


def test_weights_saturate_and_shrink_with_length() -> None:
    once, often, bound = (WORDS.encode_document(text).values[0] for text in ("key", "key " * 5, "key " * 100))
    assert once < often < bound * 1.01 < WORDS.k1 + 1
    in_long = dict(zip(*_columns(WORDS.encode_document("key " + "filler " * 300)), strict=True))
    assert in_long[WORDS.encode_query("key").indices[0]] < once


def test_a_usual_word_of_a_usual_chunk_weighs_one() -> None:
    text = "key " + " ".join(f"word{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(99))
    weights = dict(zip(*_columns(WORDS.encode_document(text)), strict=True))
    assert weights[WORDS.encode_query("key").indices[0]] == pytest.approx(1.0, rel=0.01)


def test_query_terms_are_damped() -> None:
    once, often = WORDS.encode_query("key").values[0], WORDS.encode_query("key " * 10).values[0]
    assert once == 1.0
    assert 3 < often < 4


def test_a_pasted_log_keeps_its_rare_terms_and_loses_addresses_and_times() -> None:
    log = "\n".join(
        f"2024-05-{day:02d}T10:{day:02d}:07.123 at 0x7fff5fbff8c{day:02x} worker{day} handled one request in {day} ms"
        for day in range(1, 29)
    )
    query = WORDS.encode_query(f"{log}\nCWSIA0112E in com.example.QueueManager")

    assert len(query.indices) <= WORDS.query_terms_max
    kept = set(query.indices)
    assert set(WORDS.encode_query("CWSIA0112E").indices) & kept
    assert set(WORDS.encode_query("com.example.QueueManager").indices) & kept
    assert not kept & {WORDS.encode_query("2024-05-03T10:03:07.123").indices[0]}
    assert not kept & {WORDS.encode_query("0x7fff5fbff8c03").indices[0]}


def test_a_short_question_keeps_its_hexadecimal_error_code() -> None:
    assert score("error 0x80070005", "0x80070005 means access denied") > score(
        "error", "0x80070005 means access denied"
    )


@pytest.mark.parametrize("text", ["", " \n\t", "?!… —", "the of and", "🔑🔑", "\x00\x01", "\ud800"])
def test_nothing_to_find_is_no_terms(text: str) -> None:
    assert WORDS.encode_query(text).indices == ()
    assert WORDS.encode_document(text).indices == ()


@given(st.text(max_size=300), st.text(max_size=40))
def test_any_text_gives_ascending_ids_and_positive_weights(text: str, title: str) -> None:
    for vector in (WORDS.encode_document(text, title=title), WORDS.encode_query(text)):
        assert list(vector.indices) == sorted(set(vector.indices))
        assert all(0 <= index < 2**32 for index in vector.indices)
        assert len(vector.values) == len(vector.indices)
        assert all(weight > 0 for weight in vector.values)
    assert WORDS.encode_document(text, title=title) == EngineerWords().encode_document(text, title=title)


def test_ids_are_the_same_in_every_process() -> None:
    text = "E11000 duplicate-key Café 重复键 --dry-run"
    program = f"from firstline.models.words import EngineerWords as E; print(E().encode_document({text!r}).indices)"
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == str(WORDS.encode_document(text).indices)


@pytest.mark.parametrize(
    "text",
    ["a" * 2_000_000, "a-" * 500_000, "aB" * 500_000, "1." * 500_000, "x" * 20 + "重" * 500_000, "- " * 500_000],
    ids=["letters", "joints", "humps", "versions", "unspaced", "dashes"],
)
def test_hostile_text_takes_linear_time(text: str) -> None:
    assert len(WORDS.encode_query(text).indices) <= WORDS.query_terms_max
    assert costs_less(lambda: (WORDS.encode_query(text), WORDS.encode_document(text)), than_s=5)


def test_a_negated_word_is_told_apart_from_the_bare_one() -> None:
    words = EngineerWords()

    def terms(text: str) -> set[int]:
        return set(words.encode_query(text).indices)

    assert terms("backup without downtime") - terms("backup downtime")
    assert terms("without downtime") <= terms("a backup without any downtime")
    assert terms("no downtimes") == terms("without downtime")
    assert not terms("with downtime") - terms("downtime")
    assert len(words.encode_document("It is not.").indices) == 0
