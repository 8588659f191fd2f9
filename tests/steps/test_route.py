"""Which questions ask for a relation, by their form alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cost import grows_evenly

from firstline.domain import Route
from firstline.questions.route import CHARS_MAX, routed

RELATIONS = """
How does the Relay Agent differ from the Edge Agent?
What is the difference between a Channel and a Stream?
Which one was released first, Relay 2 or Edge 3?
Are Relay and Edge both written in the same language?
Who maintains the Relay Agent's installer?
Where is the maintainer of the Night Export based?
What is the place of origin of maintainer of plugin Night Export?
What depends on the Relay Agent?
Which release replaced by Relay 3 is affected by LK-1205?
Which versions are affected by LK-1205?
What is the root cause of LK-1205 and how is it fixed?
Was ist der Unterschied zwischen Relay und Edge?
Quelle est la différence entre Relay et Edge? Et quelles versions?
""".strip().splitlines()
CLASSIC = """
How do I install the agent?
The export fails at night
What is the default port?
Why does the export stop?
My colleague's been asking how to restart it
It's slow. What's the reason?
Can I use it with a proxy?
Wie starte ich den Dienst?
""".strip().splitlines()


@pytest.mark.parametrize("question", RELATIONS)
def test_a_relation_is_asked_for(question: str) -> None:
    found = routed(question)
    assert found.route is Route.GRAPH
    assert found.why


@pytest.mark.parametrize("question", CLASSIC)
def test_no_relation_is_asked_for(question: str) -> None:
    assert routed(question).route is Route.CLASSIC


def test_a_report_with_a_log_is_classic() -> None:
    assert routed(RELATIONS[0] + " x" * CHARS_MAX).route is Route.CLASSIC


@given(st.text(max_size=700))
def test_any_text_has_a_route(text: str) -> None:
    assert routed(text).why


@pytest.mark.parametrize("piece", ["A ", "A's ", "the x of ", "or ", "(", "both a ", "Which A, B or "])
def test_the_time_is_linear(piece: str) -> None:
    # Up to CHARS_MAX, behind which nothing is looked at.
    assert grows_evenly(lambda length: routed((piece * CHARS_MAX)[:length]), CHARS_MAX // 8, free_s=0.05)
