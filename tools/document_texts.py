"""Write docs/texts.md from the catalogue: what a customer reads for each outcome, in each language."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from firstline.domain import (
    Answered,
    Asks,
    Availability,
    Category,
    Citation,
    Claim,
    ClaimKind,
    Clarify,
    Completeness,
    Deflected,
    Escalated,
    Handoff,
    HandoffState,
    HighStakes,
    Intent,
    Mood,
    Note,
    Outcome,
    Reason,
    Silent,
    Talk,
)
from firstline.questions.render import render
from firstline.questions.wording.catalogue import read_catalogue
from firstline.questions.wording.text_keys import KEYS, LANGUAGES, TONES
from firstline.questions.wording.voice import shipped

PAGE = Path(__file__).parents[1] / "docs" / "texts.md"
HEAD = """# Texts

Everything that a customer reads comes from one catalogue, `questions/texts/{en,de,fr,es,ja}.toml`, and one function
puts it together for every surface (`questions/render.py`): the API, the stream, a reloaded page, `firstline ask` and
transcripts say the same. Hand-overs as the team gets them, and the API's problems, stay English. This page is written
by `python tools/document_texts.py`; a test keeps it true.

**Language.** A reply is in the language of the conversation: the newest message that tells one
(`questions/message/spoken.py`; a pasted log is not what the customer speaks; "4.2" and "ok" go on as before).
Where that is none of the five, or nothing told, it is the setting `language`. Quotations stay as they were written;
where they are in another language than both the reply and the customer's message, the reply says so. The chat page
begins in the browser's language and follows the conversation; `reply.language` in the API names what the notice is
written in.

**Tone.** `tone = "warm"` or `"formal"` chooses among the wordings below that have several; the others stay.

**Your own words.** `texts = "texts.toml"` names a file that replaces single texts, language by language:

```text
[de.talk]
greeting = "Moin."

[en.answered.unsure]
neutral = "This may not be it. Which version do you run?"

[fr]
"high_stakes.offer" = "Nous vous proposons deux mois gratuits."
```

A plain string stands for all forms of a text. An unknown key or a wrong placeholder is an error at the start, with
its line. `{offer}`, `{within}`, `{topics}` and `{zone}` may be left out: what a setting says in one language can be
worded in each here. What is put into a text is shown to the letter: it is never markup, and a placeholder in it stays
as it is.

## Outcomes

What stands above the blocks of an answer, or in their place.
"""


NOTHING_SAID = "(nothing: they are in the language of the reply)"


def main() -> None:
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    parts = [HEAD]
    for title, outcome in OUTCOMES:
        said = ((language, render(outcome, shipped().voice(language)).notice) for language in LANGUAGES)
        told = (f"- {language}: {notice or NOTHING_SAID}" for language, notice in said)
        parts.append("\n".join((f"### {title}\n", *told, "")))
    parts.append(
        "## Every text\n\nAs shipped in English; the other languages have the same keys, placeholders and forms.\n"
    )
    parts.append("\n".join(("| key | text |", "|---|---|", *_rows(), "")))
    return "\n".join(parts)


def _rows() -> list[str]:
    texts = read_catalogue("en")
    rows: list[str] = []
    for key in KEYS:
        forms = {form: text for form, text in texts[key].items() if form != TONES[0] or len(texts[key]) > 1}
        rows += [f"| `{key}{f'.{form}' if form else ''}` | {text} |" for form, text in forms.items()]
    return rows


def _handoff(reason: Reason, intent: Intent = Intent.OTHER, **changed: object) -> Handoff:
    values: dict[str, object] = {
        "handoff_id": "h",
        "session_id": "s",
        "turn": 1,
        "reason": reason,
        "question": "?",
        "summary": "",
        "intent": intent,
        "entities": (),
        "tried": (),
        "language": "en",
        "mood": Mood.NEUTRAL,
        "next_step": "",
        "state": HandoffState.OPEN,
        "created_at": datetime(2026, 3, 1, tzinfo=UTC),
        **changed,
    }
    return Handoff(**values)  # pyright: ignore[reportArgumentType]  (a table of values)


def _answered(completeness: Completeness, *notes: Note) -> Answered:
    citation = Citation(chunk_id="c", doc_id="d", blob="b", start=0, end=1, title="Logs", url=None)
    claim = Claim(text="larkctl rotate", kind=ClaimKind.CODE, citations=(citation,))
    return Answered(completeness=completeness, claims=(claim,), confidence=0.9, notes=notes)


def _quoted(text: str) -> Answered:
    found = _answered(Completeness.FULL)
    claim = Claim(text=text, kind=ClaimKind.SENTENCE, citations=found.claims[0].citations)
    return Answered(completeness=Completeness.FULL, claims=(claim,), confidence=0.9)


AWAY = Availability(
    available=False, back_at=datetime(2026, 3, 2, 9, tzinfo=UTC), zone="UTC", reply_time="within one working day"
)
ABSENT = Availability(available=False, back_at=None, zone="UTC", reply_time="")

OUTCOMES: tuple[tuple[str, Outcome], ...] = (
    ("Answered (unsure)", _answered(Completeness.UNSURE)),
    (
        "Answered: a misspelt word, a part left open",
        _answered(
            Completeness.PARTIAL,
            Note(key="answered.read_as", values={"written": ("rotaet",), "read": ("rotate",)}),
            Note(key="answered.part", values={"parts": ("how do I rotate keys", "where are they kept")}),
        ),
    ),
    (
        "Answered: a page about another version",
        _answered(
            Completeness.PARTIAL,
            Note(key="answered.version_page", values={"versions": ("4.0", "4.1–"), "asked": ("3.9",)}),
        ),
    ),
    ("Answered: a page that was replaced", _answered(Completeness.PARTIAL, Note(key="answered.outdated"))),
    ("Answered: pages that differ", _answered(Completeness.PARTIAL, Note(key="answered.pages_differ"))),
    ("Answered: quotations in another language", _quoted("A duplicate key means that a row with this key exists.")),
    ("Clarify: which one", Clarify(asks=Asks.WHICH, names=("Python", "Node.js", "Java"))),
    ("Clarify: one of the pages found", Clarify(asks=Asks.PICK)),
    ("Clarify: a code that nothing mentions", Clarify(asks=Asks.UNKNOWN, names=("LK9999",))),
    ("Clarify: another language", Clarify(asks=Asks.LANGUAGE, names=("en",))),
    ("Clarify: more detail", Clarify(asks=Asks.DETAIL)),
    ("Clarify: an earlier answer that may not be shown any longer", Clarify(asks=Asks.AGAIN)),
    *((f"Escalated: {reason}", Escalated(handoff=_handoff(reason))) for reason in Reason),
    ("Escalated: nobody is there now", Escalated(handoff=_handoff(Reason.USER_ASKED, availability=ABSENT))),
    ("Escalated: outside support hours", Escalated(handoff=_handoff(Reason.USER_ASKED, availability=AWAY))),
    ("Escalated: with the team already", Escalated(handoff=_handoff(Reason.LOW_CONFIDENCE), again=True)),
    (
        "Escalated: back for the third time",
        Escalated(handoff=_handoff(Reason.LOW_CONFIDENCE, returns=3, reopens="h0")),
    ),
    *(
        (f"High stakes: {intent}", HighStakes(handoff=_handoff(Reason.HIGH_STAKES, intent)))
        for intent in (Intent.CANCELLATION, Intent.DELETION, Intent.BILLING_DISPUTE, Intent.LEGAL, Intent.COMPLAINT)
    ),
    ("Deflected: nonsense", Deflected(category=Category.NONSENSE, topics=())),
    ("Deflected: irrelevant, with topics", Deflected(category=Category.IRRELEVANT, topics=("logs", "keys"))),
    *(
        (f"Deflected: {talk.replace('_', ' ')}", Deflected(category=Category.IRRELEVANT, topics=(), talk=talk))
        for talk in Talk
    ),
    ("Silent: a person has the conversation", Silent(handoff=_handoff(Reason.USER_ASKED, owner="ann"))),
)


if __name__ == "__main__":
    main()
