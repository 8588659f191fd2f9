"""One function words every outcome: in each language and tone, every surface says the same, and says it all."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.document_texts import OUTCOMES

from firstline.api import stream
from firstline.api.shapes import SaidShown, TurnShown
from firstline.cli.ask_command import print_reply
from firstline.cli.printing import plain
from firstline.domain import (
    Answered,
    Asks,
    Citation,
    Claim,
    ClaimKind,
    Clarify,
    Completeness,
    Escalated,
    HandoffAct,
    HandoffEntry,
    HandoffState,
    HighStakes,
    Note,
    Outcome,
    Silent,
    Turn,
)
from firstline.engines.postgres.codec import decode, encode
from firstline.questions.render import LINKS_ALLOWED, render_turn
from firstline.questions.transcript import transcript
from firstline.questions.wording.text_keys import LANGUAGES, TONES
from firstline.questions.wording.voice import Wording, open_wording

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
WORDINGS = {tone: open_wording(tone=tone) for tone in TONES}
PERSON = {
    "en": r"person|team|them",
    "de": r"Mensch|Team",
    "fr": r"personne|équipe",
    "es": r"persona|equipo",
    "ja": r"担当",
}
HANDED_OVER = (Escalated, HighStakes, Silent)


def turn(outcome: Outcome, language: str) -> Turn:
    return Turn(
        session_id="s",
        number=1,
        question="?",
        asked_at=NOW,
        scope_hash="0",
        snapshot=1,
        settings_hash="0",
        model_ids=(),
        triage=None,
        plan=None,
        evidence=(),
        gates=(),
        outcome=outcome,
        timings_ms={},
        language=language,
    )


def surfaces(recorded: Turn, wording: Wording) -> dict[str, str]:
    """What each surface says above the blocks."""
    shown = TurnShown.of(recorded, wording)
    reloaded = decode(Turn, json.loads(json.dumps(encode(recorded))))
    sent = stream._answer(shown, stream.Begun(wording)).decode()  # pyright: ignore[reportPrivateUsage]  (as sent)
    events = [json.loads(line.removeprefix("data: ")) for line in sent.split("\n") if line.startswith("data: ")]
    printed: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("click.echo", lambda text="", **_: printed.append(text))
        print_reply(shown.reply, wording.voice(shown.reply.language))
    said = transcript([recorded], [], wording)[1].text
    notice = shown.reply.notice
    on_terminal = str(printed[0]).rstrip("\n") if notice else ""
    return {
        "api": notice,
        "reload": TurnShown.of(reloaded, wording).reply.notice,
        "stream": events[-1]["reply"]["notice"],
        "first event": events[0].get("notice", "") if notice else "",
        "command line": notice if on_terminal == plain(notice) else on_terminal,
        "transcript": notice if said.startswith(notice) else said,
    }


@pytest.mark.parametrize("tone", TONES)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("title", "outcome"), OUTCOMES, ids=lambda value: value if isinstance(value, str) else "")
def test_every_outcome_is_said_the_same_everywhere(title: str, outcome: Outcome, language: str, tone: str) -> None:
    wording = WORDINGS[tone]
    recorded = turn(outcome, language)
    said = surfaces(recorded, wording)
    assert len(set(said.values())) == 1, said
    reply = render_turn(recorded, wording)
    assert reply.language == language
    if not reply.blocks:
        assert len(reply.notice) > 4
    assert not re.search(r"[{}]|  ", reply.notice), reply.notice
    if isinstance(outcome, HANDED_OVER):
        assert re.search(PERSON[language], reply.notice), reply.notice
        assert reply.handoff_id == outcome.handoff.handoff_id
    if language == "ja":
        assert "。" in reply.notice or not reply.notice


ANYTHING = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30) | st.sampled_from(
    ["<script>alert(1)</script>", "[a](javascript:1)", "{names}", "**b**", "\n\n# c", "`"]
)
claims = st.builds(
    lambda text, number, url: Claim(
        text=text or "x",
        kind=ClaimKind.SENTENCE,
        citations=(Citation(chunk_id=f"c{number}", doc_id="d", blob="b", start=0, end=1, title=text, url=url),),
    ),
    ANYTHING,
    st.integers(0, 5),
    st.none() | st.integers(0, 4).map(lambda number: f"https://docs.example/{number}"),
)
notes = st.one_of(
    st.builds(lambda a, b: Note(key="answered.read_as", values={"written": (a,), "read": (b,)}), ANYTHING, ANYTHING),
    st.builds(lambda parts: Note(key="answered.part", values={"parts": tuple(parts)}), st.lists(ANYTHING, min_size=1)),
    st.builds(Note.of_text, ANYTHING),
    st.builds(Note, key=ANYTHING),
)
answers = st.builds(
    Answered,
    completeness=st.sampled_from(Completeness),
    claims=st.lists(claims, min_size=1, max_size=5).map(tuple),
    confidence=st.floats(0, 1),
    notes=st.lists(notes, max_size=3).map(tuple),
)
clarifies = st.builds(
    Clarify,
    asks=st.sampled_from(Asks),
    names=st.lists(ANYTHING, max_size=3).map(tuple),
    options=st.lists(ANYTHING, max_size=3).map(tuple),
)


@given(outcome=answers | clarifies, language=st.sampled_from([*LANGUAGES, "", "it"]), tone=st.sampled_from(TONES))
@settings(max_examples=200, deadline=None)
def test_answers_and_questions_back_hold_their_promises(outcome: Answered | Clarify, language: str, tone: str) -> None:
    wording = WORDINGS[tone]
    recorded = turn(outcome, language)
    said = surfaces(recorded, wording)
    assert len(set(said.values())) == 1, said
    reply = render_turn(recorded, wording)
    assert reply.language == (language if language in LANGUAGES else "en")
    assert "<script" not in re.sub(r"(`+).*?\1", "", reply.notice, flags=re.DOTALL)
    if isinstance(outcome, Clarify):
        assert reply.notice and not reply.blocks
        return
    assert len(reply.links) <= LINKS_ALLOWED[outcome.completeness] <= 2
    if outcome.completeness is Completeness.UNSURE:
        assert wording.voice(language).say("answered.unsure") in reply.notice and reply.links == ()


def test_german_around_english_quotations_says_so() -> None:
    citation = Citation(chunk_id="c", doc_id="d", blob="b", start=0, end=1, title="Logs", url=None)
    text = "You can rotate the logs with this command."
    claim = Claim(text=text, kind=ClaimKind.SENTENCE, citations=(citation,))
    outcome = Answered(completeness=Completeness.FULL, claims=(claim,), confidence=0.9)
    german = render_turn(turn(outcome, "de"), WORDINGS["neutral"])
    assert "auf Englisch" in german.notice and german.blocks[0].text == text
    assert render_turn(turn(outcome, "en"), WORDINGS["neutral"]).notice == ""
    italian = render_turn(turn(outcome, "it"), open_wording(language="fr"))
    assert italian.language == "fr" and "anglais" in italian.notice


def test_what_a_person_did_is_told_in_the_customers_language() -> None:
    entry = HandoffEntry(
        handoff_id="h",
        session_id="s",
        number=1,
        act=HandoffAct.RETURN,
        by="ann",
        text="",
        at=NOW,
        before=HandoffState.IN_PROGRESS,
        after=HandoffState.RETURNED,
        owner_before="ann",
    )
    told = {SaidShown.of(entry, WORDINGS["neutral"].voice(language)).text for language in LANGUAGES}
    assert len(told) == len(LANGUAGES)
    reply = replace(entry, act=HandoffAct.REPLY, text="Hello, which version?")
    assert SaidShown.of(reply, WORDINGS["neutral"].voice("ja")).text == "Hello, which version?"


async def test_the_page_comes_in_the_browsers_language_and_its_texts_in_any(client: httpx.AsyncClient) -> None:
    german = await client.get("/", headers={"Accept-Language": "nl, de-DE;q=0.9, en;q=0.5"})
    assert '<html lang="de">' in german.text and "Wie können wir Ihnen helfen?" in german.text
    english = await client.get("/")
    assert '<html lang="en">' in english.text
    assert german.headers["etag"] != english.headers["etag"] and "Accept-Language" in german.headers["vary"]
    french = (await client.get("/texts/fr")).json()
    assert french["language"] == "fr" and french["texts"]["send"] == "Envoyer"
    unknown = (await client.get("/texts/%3Cscript%3E")).json()
    assert unknown["language"] == "en"
