"""What should the person do first? By why it was handed over, what is wanted and what was shown before.

Every sentence can be acted on: it names the page, the code or the team that it speaks of.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from firstline.domain import Intent, Reason
from firstline.questions.card.matters import LEAVES, THEIRS
from firstline.questions.card.telling_words import ATTACHED, SECRET_REDACTED
from firstline.questions.card.urgent_words import DATA_LOST, DEADLINE, OUTAGE

CHARS_READ_MAX: Final = 2_000
NAMES_MAX: Final = 3
TITLES_MAX: Final = 2
TITLE_CHARS_MAX: Final = 80

BY_REASON: Final[Mapping[Reason, str]] = {
    Reason.USER_ASKED: "The customer asked for a person: greet them and take over.",
    Reason.PRIVATE_DATA: "Asks for secrets or for what belongs to others: do not give it out, and verify who is asking "
    "before anything about an account is said.",
    Reason.UNSUPPORTED_CATEGORY: "Needs access to the customer's account or a decision: verify who is asking, then "
    "take it to the team that has it.",
    Reason.PROVIDER_FAILURE: "The bot failed technically: answer the question and tell the operator.",
    Reason.BUDGET_EXCEEDED: "The bot ran out of its budget: answer the question and tell the operator.",
    Reason.POLICY: "A rule kept the bot from answering: decide whether a person may.",
}
HIGH_STAKES: Final[Mapping[Intent, str]] = {
    Intent.CANCELLATION: "Confirm in person, today, that the wish to cancel has arrived and from when it counts; "
    "take it to the team that has contracts and retention.",
    Intent.DELETION: "Acknowledge in person, today; verify who is asking, and take it to who answers for privacy and "
    "data protection.",
    Intent.BILLING_DISPUTE: "Reply in person, today; take it to billing, with the invoice and the payments of the "
    "account.",
    Intent.LEGAL: "Acknowledge in person, today, and promise nothing; take it to the legal or privacy team.",
}
HIGH_STAKES_ELSE: Final = "Reply in person, today; do not send a how-to."
OUT: Final = "Urgent: something of theirs is down or they cannot work. Reply at once."
LOST: Final = (
    "Urgent: they fear for data. Reply at once, and have nothing written or deleted until it is clear what is lost."
)
DUE: Final = "They name a deadline: say who answers and by when."
ACCOUNT: Final = (
    "A matter of who may do what in an account: verify that who asks may speak for it, then take it to the account team"
    "."
)
HELD: Final = "Something of theirs is held or suspended: look at the state of the account first."
KEPT: Final = "See to the data, invoices and backups that they name before access ends."
SECOND: Final = "They have a second matter: answer both."
JUST_ANSWERED: Final = "{titles} was the answer to this message: wait for their reply, and read whether it answers."
BILLING: Final = "A matter of contract or billing: take it to the team that has the account."
NOWHERE: Final = "No page found mentions {names}: answer it yourself, then write the page."
UNNAMED: Final = "No page mentions {names}."
NEAREST: Final = (
    "No page was certain enough. Read {titles} under “Looked at”: if it answers, send it, else answer it yourself."
)
NOTHING: Final = "Nothing found is near enough: answer it yourself, then write the page."
SHOWN: Final = "Shown already, and it did not help: {titles}. Do not send it again."
GIVEN: Final = "They went on asking after {titles}: send it again only if it was overlooked."
ALSO: Final[Mapping[Reason, str]] = {
    Reason.PRIVATE_DATA: "Message {message} asked for secrets or for what belongs to others: confirm who is asking.",
    Reason.UNSUPPORTED_CATEGORY: "Message {message} needs the customer's account or a decision: confirm who is asking.",
    Reason.HIGH_STAKES: "Message {message} may be a dispute or a farewell: reply in person.",
}
SECRET: Final = "A secret was pasted (it is redacted here): have them change it."  # noqa: S105 (a sentence)
ATTACHMENT: Final = "They speak of an attachment; the bot takes none: ask them to send it to you."
ASK_FOR: Final = "Ask for {}."
_KEEPS: Final = re.compile(r"\b(?:invoices?|data|exports?|backups?|rechnungen|factures|facturas)\b", re.IGNORECASE)
_SECOND: Final = re.compile(
    r"\b(?:two|three|several)\s+(?:things|problems|questions|issues)\b|^\W*second(?:ly)?\s*[:,]", re.I | re.M
)
_HELD: Final = re.compile(
    r"\b(?:status|state)\s*:?\s*(?:held|suspended|on\s+hold|locked)\b|\bcontact\s+(?:our\s+)?support\b"
    r"|\b(?:account|cluster|project|organi[sz]ation)\s+(?:is|was|has\s+been)\s+(?:suspended|held|blocked|locked)\b",
    re.IGNORECASE,
)
_SEARCHED: Final = frozenset({Reason.LOW_CONFIDENCE, Reason.NO_VERIFIED_CONTEXT})


@dataclass(frozen=True, kw_only=True, slots=True)
class Situation:
    """`question` is the one shown. `unknown` are codes and names asked about that no page found has; `nearest` and
    `shown` are titles of pages: those that were found, best first, and those that were answers and did not help.
    `unnamed` are other names of the question that no page has. `near`: what was found is about the question, by the
    gate's measure. `answered`: titles of the pages that this very message was answered from, `given` of those
    that an earlier one was. `also`: (what else the conversation needs, in which message)."""

    reason: Reason
    intent: Intent
    messages: Sequence[str]
    question: str = ""
    missing: Sequence[str] = ()
    unknown: Sequence[str] = ()
    nearest: Sequence[str] = ()
    shown: Sequence[str] = ()
    near: bool = True
    also: Sequence[tuple[Reason, int]] = ()
    commercial: bool = False
    account: bool = False
    unnamed: Sequence[str] = ()
    answered: Sequence[str] = ()
    given: Sequence[str] = ()


def next_step(situation: Situation) -> str:
    """Sentences, what is urgent first."""
    said = "\n".join(message[:CHARS_READ_MAX] for message in situation.messages)
    steps = [*_urgent(said), *_first(situation)]
    if situation.shown:
        steps.append(SHOWN.format(titles=_quoted(situation.shown)))
    steps += [
        ALSO[reason].format(message=message) for reason, message in situation.also if reason is not situation.reason
    ]
    if _SECOND.search(said):
        steps.append(SECOND)
    if SECRET_REDACTED.search(said):
        steps.append(SECRET)
    if ATTACHED.search(said):
        steps.append(ATTACHMENT)
    if situation.missing:
        steps.append(ASK_FOR.format(_listed(situation.missing)))
    return " ".join(dict.fromkeys(steps))


def _urgent(said: str) -> list[str]:
    found = [LOST] if DATA_LOST.search(said) else [OUT] if OUTAGE.search(said) else []
    return [*found, DUE] if DEADLINE.search(said) else found


def _first(situation: Situation) -> list[str]:
    if situation.reason is Reason.HIGH_STAKES:
        # An angry last message takes no farewell back.
        leaves = situation.intent not in HIGH_STAKES and any(LEAVES.search(one) for one in situation.messages)
        intent = Intent.CANCELLATION if leaves else situation.intent
        keeps = intent is Intent.CANCELLATION and any(_KEEPS.search(one) for one in situation.messages)
        return [HIGH_STAKES.get(intent, HIGH_STAKES_ELSE), *([KEPT] if keeps else [])]
    reason = situation.reason
    if reason is Reason.UNSUPPORTED_CATEGORY and THEIRS.search(situation.question):
        reason = Reason.PRIVATE_DATA
    known = [BY_REASON[reason]] if reason in BY_REASON else []
    if situation.commercial:
        known.append(BILLING)
    elif situation.account and situation.reason is not Reason.UNSUPPORTED_CATEGORY:
        known.append(ACCOUNT)
    if any(_HELD.search(one) for one in situation.messages):
        known.append(HELD)
    if situation.account:
        # Whose account it is no page answers.
        return known
    if situation.reason in _SEARCHED or (situation.reason is Reason.USER_ASKED and not situation.commercial):
        known += _matter(situation)
    return known


def _matter(situation: Situation) -> list[str]:
    """What the knowledge base has on it."""
    if situation.unknown:
        return [NOWHERE.format(names=_listed(list(situation.unknown)[:NAMES_MAX]))]
    if situation.answered:
        return [JUST_ANSWERED.format(titles=_quoted(situation.answered))]
    unnamed = [UNNAMED.format(names=_listed(list(situation.unnamed)[:NAMES_MAX]))] if situation.unnamed else []
    given = [title for title in dict.fromkeys(situation.given) if title not in situation.shown]
    after = [GIVEN.format(titles=_quoted(given))] if given else []
    nearest = [title for title in situation.nearest if title not in {*situation.shown, *given}]
    if nearest and situation.near and situation.reason is not Reason.NO_VERIFIED_CONTEXT:
        return [*unnamed, NEAREST.format(titles=_quoted(nearest[:1])), *after]
    quiet = situation.reason is Reason.USER_ASKED
    return [*unnamed, *([] if quiet else [NOTHING]), *after]


def _quoted(titles: Sequence[str]) -> str:
    return _listed([f"“{title[:TITLE_CHARS_MAX]}”" for title in list(titles)[:TITLES_MAX]])


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
