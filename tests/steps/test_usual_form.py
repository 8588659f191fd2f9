"""Which questions ask for what is usual?"""

from __future__ import annotations

import pytest

from firstline.questions.message.usual import CHARS_MAX, asks_usual_causes, without_usual

ASKS = (
    "What are the usual causes of E4711?",
    "what are the most common reasons for the Relay Agent to stop?",
    "Typical causes of a full queue",
    "What usually causes NX-1042?",
    "what most often causes CrashLoopBackOff",
    "Why does the Relay Agent usually crash?",
    "Why do exports often fail?",
    "What are frequent root causes of DiskPressure?",
    "What are the main causes for ORA-00942?",
    "What is E4711 usually caused by?",
    "Most likely reasons for ECONNREFUSED?",
    "Welche häufigen Ursachen hat E4711?",
    "Was sind die häufigsten Ursachen von E4711?",
    "Was sind typische Gründe für DiskPressure?",
    "Warum bricht der Relay Agent meistens ab?",
    "Woran liegt E4711 normalerweise?",
    "Quelles sont les causes fréquentes de E4711 ?",
    "Quelles sont les causes les plus courantes de l'erreur E4711 ?",
    "Quelles sont les principales causes de E4711 ?",
    "Pourquoi l'agent s'arrête-t-il généralement ?",
    "¿Cuáles son las causas más comunes de E4711?",
    "¿Cuáles son las causas habituales de E4711?",
    "¿Cuáles son las principales causas de E4711?",
    "¿Por qué suele fallar el Relay Agent?",
    "E4711のよくある原因は何ですか",
    "E4711 の主な原因を教えてください",
    "E4711の原因として多いものは？",
)
OTHERS = (
    "What is the cause of E4711?",
    "Why does the Relay Agent crash?",
    "How do I usually restart the Relay Agent?",
    "What is the most common port?",
    "Is E4711 common?",
    "The usual restart did not help, what now?",
    "The main page does not load. Why?",
    "What causes E4711?",
    "Was ist die Ursache von E4711?",
    "Wie starte ich den Relay Agent normalerweise neu?",
    "Quelle est la cause de E4711 ?",
    "¿Cuál es la causa de E4711?",
    "E4711の原因は何ですか",
    "I often get E4711",
    "",
)


@pytest.mark.parametrize("question", ASKS)
def test_asks_for_what_is_usual(question: str) -> None:
    assert asks_usual_causes(question)


@pytest.mark.parametrize("question", OTHERS)
def test_asks_for_something_else(question: str) -> None:
    assert not asks_usual_causes(question)
    assert without_usual(question) == question


def test_a_report_is_none() -> None:
    assert not asks_usual_causes("What are the usual causes of E4711? " + "log line\n" * CHARS_MAX)


def test_pages_are_asked_for_the_rest_of_the_question() -> None:
    assert without_usual("What are the most common causes of E4711?") == "What are the causes of E4711?"
