"""When two ways of writing a name are one, and which runs of words could be a name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cost import grows_evenly

from firstline.entity_names import KEY_CHARS_MAX, TEXT_CHARS_MAX, keys_in, name_key, without_aside


@pytest.mark.parametrize(
    "ways",
    [
        ("ReplicaSet", "replica set", "replica-sets", "replicasets", "Replica  Sets", "REPLICA_SET"),
        ("Café Relay", "cafe relay", "CAFÉ-RELAYS"),
        ("重复键", "「重复键」"),
        ("max_pool_size", "maxPoolSize", "max-pool-size"),
        ("E11000", "e11000", "E-11000"),
    ],
)
def test_ways_of_writing_one_name(ways: tuple[str, ...]) -> None:
    assert len({name_key(way) for way in ways}) == 1
    assert name_key(ways[0])


@pytest.mark.parametrize(
    ("one", "other"),
    [("log4j", "log4j2"), ("Gateway", "Gateway API"), ("Windows 10", "Windows 11"), ("bus", "bu"), ("access", "acces")],
)
def test_names_that_are_two(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


@pytest.mark.parametrize("nothing", ["", "It", "null", "the", "—", "++", "x" * 4_096, "Overview", "N/A" * 60])
def test_what_names_nothing(nothing: str) -> None:
    assert name_key(nothing) == ""


def test_an_aside_tells_namesakes_apart() -> None:
    assert without_aside("Relay (device)") == "Relay"
    assert (without_aside("Relay"), without_aside("(device)"), without_aside("f(x) is")) == ("", "", "")


def spans(text: str) -> dict[str, str]:
    return {key: text[start:end] for key, start, end in keys_in(text)}


def test_words_in_a_row_may_be_a_name() -> None:
    found = spans("Night Export's owner is A. B. Corner, of Relay-Agents.")
    assert found["nightexport"] == "Night Export"
    assert found["abcorner"] == "A. B. Corner"
    assert found["relayagent"] == "Relay-Agents"


def test_a_name_does_not_go_over_the_end_of_a_sentence_or_line() -> None:
    found = spans("It is the relay. Agents wait\nExport runs")
    assert "relayagent" not in found and "waitexport" not in found
    assert {"agentswait", "exportrun"} <= set(found)


@given(st.text(max_size=200))
def test_every_key_is_that_of_its_words(text: str) -> None:
    for key, start, end in keys_in(text):
        assert 0 <= start < end <= len(text)
        assert 2 <= len(key) <= KEY_CHARS_MAX
        assert name_key(text[start:end]) in (key, "")


@given(st.text(max_size=100))
def test_a_name_is_found_in_its_own_words(text: str) -> None:
    key = name_key(text)
    assert key == name_key(text.upper()) or not text.isascii()


def test_the_time_is_linear_and_bounded() -> None:
    assert grows_evenly(lambda length: list(keys_in("Ab " * (length // 3))), 700, free_s=0.2)
    assert len(list(keys_in("a1 " * 1_000_000))) < 8 * TEXT_CHARS_MAX
