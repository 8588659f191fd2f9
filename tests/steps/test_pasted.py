"""What is searched of a message with a pasted log."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from firstline.questions.message.pasted import CONDENSED_CHARS_MAX, PASTED_CHARS_MIN, condensed

FRAMES = "\n".join(f"\tat com.example.net.Worker.run(Worker.java:{number})" for number in range(60))


def test_sentences_and_the_lines_that_name_the_error_stay() -> None:
    log = "\n".join(
        f"2026-01-03 10:0{number % 10}:07,123 INFO [pool-{number}] heartbeat 0x7ffe{number:04x}" for number in range(40)
    )
    message = (
        f"The import stops after a minute.\n{log}\n2026-01-03 10:12:00,001 ERROR [pool-1] write refused: E11000\n"
        f"2026-01-03 10:12:01,001 ERROR [pool-2] write refused: E11000\njava.sql.SQLException: SQL0911N rollback\n"
        f"{FRAMES}\nWhat can I do?"
    )

    assert condensed(message).splitlines() == [
        "The import stops after a minute.",
        "What can I do?",
        "ERROR   write refused: E11000",
        "java.sql.SQLException: SQL0911N rollback",
    ]


def test_what_is_not_pasted_is_left_alone() -> None:
    prose = "We moved the cluster to the new site and the nightly job became slow. " * 20

    assert condensed(prose) == prose
    assert condensed(FRAMES[:500]) == FRAMES[:500]
    assert condensed(FRAMES) == FRAMES, "nothing would be left to search"


@given(st.text(max_size=400), st.integers(0, 20))
def test_it_is_bounded_and_never_empty(text: str, times: int) -> None:
    message = (text + "\n" + FRAMES) * times + text

    found = condensed(message)

    assert found == message or 0 < len(found) <= CONDENSED_CHARS_MAX
    assert len(message) >= PASTED_CHARS_MIN or found == message
