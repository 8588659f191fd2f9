"""The cards of forty conversations that end in a hand-over, as a support engineer reads them.

python -m benchmarks.handover_cards [--only N] [--file FILE]    N: a conversation's number or id; repeatable

Every conversation goes through the real journey on the demo's knowledge base; the card is what `firstline handoffs
show` prints. Below it stand those of the phrases that its author expects of any adequate card which are not on it: a
first count, no judgement. A card can name everything and mislead all the same, so it is read by a person.
`handover_cards_field.jsonl`, `handover_cards_held.jsonl`, `handover_cards_fresh.jsonl` and
`handover_cards_round2.jsonl` beside this file have conversations without such phrases: their cards are for reading
alone. The last says in words what is expected of each of five parts.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import re
import shutil
import sys
import uuid
from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, redirect_stdout
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from benchmarks.workbench import CACHE, DEMO_KB, ROOT, ingest_demo, shape_digest
from firstline.cli.handoffs_command import print_handoff
from firstline.domain import EVERYONE, Answered, Clarify, Escalated, HighStakes, Level, Principal, Session, Turn
from firstline.errors import FirstlineError, InvalidInput
from firstline.evals.report import table
from firstline.models.cached import CachedEmbedder
from firstline.models.embedder import open_embedder
from firstline.settings import load_settings
from firstline.wiring import Firstline, open_firstline

CONVERSATIONS: Final = ROOT / "benchmarks" / "conversations.jsonl"
FOR_READING: Final = tuple(
    ROOT / "benchmarks" / f"handover_cards_{name}.jsonl" for name in ("field", "held", "fresh", "round2")
)
NEEDS: Final = ("question", "problem", "environment", "tried", "missing", "next")
TURNS_MIN: Final = 1
TURNS_MAX: Final = 9
CUSTOMER: Final = "customer"
ALTERNATIVES: Final = "|"
LABEL_WIDTH: Final = 22
FIELDS_OF: Final[Mapping[str, frozenset[str]]] = {
    "missing": frozenset({"Missing", "Next"}),
    "next": frozenset({"Next"}),
}
"""Where a need must stand; every other one may stand anywhere that is cut from the customer's own words."""
NOT_THEIR_WORDS: Final = frozenset({"Looked at", "Gate", "Next", "Missing", "Transcript", "Hand-over"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Conversation:
    """`needs`: by need, phrases that any adequate card shows, alternatives separated by `|`. `never`: what must stand
    on no card."""

    conversation_id: str
    turns: tuple[str, ...]
    needs: Mapping[str, tuple[str, ...]]
    never: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Card:
    """`outcomes`: of every turn. `text` is empty when nothing was handed over."""

    conversation: Conversation
    outcomes: tuple[str, ...]
    text: str

    @property
    def absent(self) -> dict[str, list[str]]:
        """By need, the phrases that are not on the card."""
        fields = fields_of(self.text)
        return {
            need: [phrase for phrase in phrases if not _stands(phrase, fields, need)]
            for need, phrases in self.conversation.needs.items()
        }

    @property
    def leaked(self) -> list[str]:
        return [secret for secret in self.conversation.never if secret in self.text]


def load_conversations(path: Path = CONVERSATIONS) -> list[Conversation]:
    """InvalidInput for a line that is not a conversation."""
    read = [_conversation(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    if len({one.conversation_id for one in read}) != len(read):
        raise InvalidInput(f"{path.name}: two conversations have the same id")
    return read


def _conversation(line: str) -> Conversation:
    raw = json.loads(line)
    needs = {need: tuple(raw["needs"][need]) for need in NEEDS} if "needs" in raw else {}
    turns = tuple(raw["turns"])
    if not TURNS_MIN <= len(turns) <= TURNS_MAX:
        raise InvalidInput(f"{raw['id']}: {len(turns)} messages; {TURNS_MIN} to {TURNS_MAX} are expected")
    return Conversation(conversation_id=raw["id"], turns=turns, needs=needs, never=tuple(raw.get("never", ())))


def fields_of(card: str) -> dict[str, str]:
    """The card's text by label."""
    fields: dict[str, str] = {}
    label = ""
    for line in card.splitlines():
        label = line[:LABEL_WIDTH].strip() or label
        fields[label] = f"{fields.get(label, '')} {line[LABEL_WIDTH:]}".strip()
    return fields


def _stands(phrase: str, fields: Mapping[str, str], need: str) -> bool:
    own = FIELDS_OF.get(need)
    text = " ".join(said for label, said in fields.items() if (label in own if own else label not in NOT_THEIR_WORDS))
    return any(_begins_in(_plain(text), _plain(wanted)) for wanted in phrase.split(ALTERNATIVES))


def _begins_in(text: str, wanted: str) -> bool:
    """At the start of a word, or "os" would stand in "those"; Japanese has no blanks to tell words by."""
    starts = r"(?<!\w)" if wanted[:1].isascii() and wanted[:1].isalnum() else ""
    return re.search(starts + re.escape(wanted), text) is not None


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


@asynccontextmanager
async def open_demo() -> AsyncGenerator[Firstline]:
    """A data folder of its own with the demo in it, kept between runs while documents are indexed the same way."""
    plain = load_settings()
    inner = open_embedder(
        name=plain.embedder, model=plain.embedder_model, api_key=plain.embedder_api_key, threads=plain.embed_threads
    )
    folder = CACHE / f"cards-{shape_digest(plain, inner.model_id)}"
    for old in CACHE.glob("cards-*"):
        if old != folder:
            shutil.rmtree(old, ignore_errors=True)
    embedder = CachedEmbedder(inner, CACHE / "embeddings")
    async with open_firstline(load_settings(flags={"data_folder": folder}), embedder=embedder) as opened:
        await ingest_demo(opened)
        yield opened


async def card_of(conversation: Conversation, opened: Firstline) -> Card:
    tenant = opened.settings.tenant
    principal = Principal(tenant=tenant, user=CUSTOMER, acl_tags=frozenset({EVERYONE}), level=Level.CUSTOMER)
    session = Session(
        session_id=str(uuid.uuid4()), tenant=tenant, kb=DEMO_KB, user=CUSTOMER, created_at=datetime.now(UTC)
    )
    await opened.conversations.create_session(session)
    turns = [
        await opened.questions.ask(session=session, principal=principal, question=message)
        for message in conversation.turns
    ]
    handoff = await opened.conversations.open_handoff(session.session_id)
    text = io.StringIO()
    if handoff is not None:
        file = await opened.desk.file(handoff.handoff_id, replace(principal, user="team", level=Level.RESTRICTED))
        with redirect_stdout(text):
            print_handoff(file)
    return Card(
        conversation=conversation, outcomes=tuple(_outcome(turn) for turn in turns), text=text.getvalue().rstrip()
    )


def _outcome(turn: Turn) -> str:
    match turn.outcome:
        case Escalated(handoff=handoff) | HighStakes(handoff=handoff):
            return f"{type(turn.outcome).__name__} ({handoff.reason})"
        case Answered(completeness=completeness, claims=claims):
            return f"Answered ({completeness}): {claims[0].text}"
        case Clarify(asks=asks, options=options):
            return f"Clarify ({asks}): {', '.join(options)}"
        case other:
            return type(other).__name__


def print_card(number: int, card: Card) -> None:
    conversation = card.conversation
    print(f"\n== {number}. {conversation.conversation_id}")
    for message, outcome in zip(conversation.turns, card.outcomes, strict=True):
        print(f"   > {' / '.join(message.splitlines())}\n     {' '.join(outcome.split())}")
    print(card.text or "Nothing was handed over.")
    for need, phrases in card.absent.items():
        if phrases:
            print(f"-- not on the card: {need}: {'; '.join(phrases)}")
    if card.leaked:
        print("-- on the card, and must not be")


def print_count(cards: Sequence[Card]) -> None:
    wanted: Counter[str] = Counter()
    found: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    for card in cards:
        for need, phrases in card.conversation.needs.items():
            absent = len(card.absent[need])
            wanted[need] += len(phrases)
            found[need] += len(phrases) - absent
            asked[need] += bool(phrases)
            whole[need] += bool(phrases) and not absent
    rows = [
        [need, f"{found[need]} of {wanted[need]}", f"{whole[need]} of {asked[need]}"] for need in NEEDS if wanted[need]
    ]
    handed = sum(1 for card in cards if card.text)
    print(f"\n{handed} of {len(cards)} conversations were handed over\n")
    print(table(["need", "phrases on the card", "cards with all of them"], rows))


def _chosen(conversations: Sequence[Conversation], only: Sequence[str]) -> list[tuple[int, Conversation]]:
    """InvalidInput when one that was asked for is not there."""
    numbered = list(enumerate(conversations, start=1))
    known = {str(number) for number, _ in numbered} | {one.conversation_id for _, one in numbered}
    if unknown := [name for name in only if name not in known]:
        raise InvalidInput(f"There is no conversation {unknown[0]}.")
    return [(number, one) for number, one in numbered if not only or {str(number), one.conversation_id} & set(only)]


async def _run(only: Sequence[str], path: Path) -> None:
    chosen = _chosen(load_conversations(path), only)
    cards: list[Card] = []
    async with open_demo() as opened:
        for number, conversation in chosen:
            cards.append(await card_of(conversation, opened))
            print_card(number, cards[-1])
    print_count(cards)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.handover_cards", description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="N", help="a number or an id; repeatable")
    parser.add_argument("--file", type=Path, default=CONVERSATIONS, help="other conversations, a JSON line each")
    asked = parser.parse_args()
    try:
        asyncio.run(_run(asked.only, asked.file))
    except FirstlineError as error:
        print(f"handover_cards: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
