"""The shipped English words."""

from __future__ import annotations

from firstline.models.english import open_english


def test_common_words_are_known_and_misspelt_ones_are_not() -> None:
    english = open_english()
    assert {"quite", "charity", "after", "database"} <= english
    assert english.isdisjoint({"databse", "kubernets", "qwertz", "e11000", "the"})
    assert 10_000 < len(english) < 40_000
