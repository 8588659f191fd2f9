"""What should the person do first? By why it was handed over, what is wanted and what was shown before.

Every sentence can be acted on: it names the page, the code or the team that it speaks of.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from firstline.domain import Intent, Reason
from firstline.questions.card.matters import ACCOUNT as ACCOUNT_WORDS
from firstline.questions.card.matters import HELD as HELD_WORDS
from firstline.questions.card.matters import LEAVES, THEIRS, is_commercial
from firstline.questions.card.telling_words import ATTACHED, SECRET_REDACTED
from firstline.questions.card.urgent_words import DATA_LOST, DEADLINE, is_outage, without_pressing
from firstline.questions.message.signs import HIGH_STRONG, HIGH_WEAK, first_sign

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
REFUSED: Final = (
    "This knowledge base does not answer on this topic (a rule of the operator): answer it yourself, or take it to the "
    "team that does. Do not send a page."
)
OUT: Final = "Urgent: something of theirs is down or they cannot work. Reply at once."
PRESSED: Final = "They say that it is urgent: reply to them first."
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
JUST_ANSWERED: Final = "{titles} was the answer to this message: wait for their reply, and read whether it answers."
BILLING: Final = "A matter of contract or billing: take it to the team that has the account."
NOWHERE: Final = "No page mentions {names}: answer it yourself."
UNNAMED: Final = "No page mentions {names}."
READ: Final = "Read {titles}: if it answers, send it, else answer it yourself."
NONE_FITS: Final = "No page fits well: answer it yourself."
SHOWN: Final = "Shown already, and it did not help: {titles}. Do not send it again."
FOLLOWED: Final = "They did what {titles} says; it did not help."
DECIDES: Final = "They ask for a decision: find who can make it, and say who that is and by when."
MATTER: Final = "({number}) {step}"
ALSO: Final[Mapping[Reason, str]] = {
    Reason.PRIVATE_DATA: "Message {message} asked for secrets or for what belongs to others: confirm who is asking.",
    Reason.UNSUPPORTED_CATEGORY: "Message {message} needs the customer's account or a decision: confirm who is asking.",
    Reason.HIGH_STAKES: "Message {message} may be a dispute or a farewell: reply in person.",
}
SECRET: Final = "A secret was pasted (it is redacted here): have them change it."  # noqa: S105 (a sentence)
ATTACHMENT: Final = "They speak of an attachment; the bot takes none: ask them to send it to you."
ASK_FOR: Final = "Ask for {}."
_KEEPS: Final = re.compile(r"\b(?:invoices?|data|exports?|backups?|rechnungen|factures|facturas)\b", re.IGNORECASE)
_DECIDES: Final = re.compile(
    r"\bwho\s+(?:\w+\s+){0,3}?(?:decides?|signs?|approves?|allows?|authori[sz]es?|can\s+grant|is\s+responsible)\b|\bexception\b.{0,20}\?"
    r"|\b(?:wer\s+entscheidet|qui\s+décide|quién\s+decide)\b",
    re.IGNORECASE,
)
_CANCELLED: Final = re.compile(
    r"\b(?:i|we)\s+(?:have\s+|had\s+|already\s+)*(?:cancell?ed|terminated|ended|closed)\b|\bgekündigt\b|\brésilié\w*\b",
    re.IGNORECASE,
)
_SEARCHED: Final = frozenset({Reason.LOW_CONFIDENCE, Reason.NO_VERIFIED_CONTEXT})


@dataclass(frozen=True, kw_only=True, slots=True)
class Matter:
    """One of several that are open: what was said of it, and the page that is clearly apt for it, if any."""

    text: str
    apt: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Situation:
    """`question` is the one shown. `unknown` are codes asked about that no page has, `unnamed` other names of the
    question that none has. `apt`: titles of pages that may be named, best first; `shown`: that were answers and did not
    help; `followed`: whose advice they took without success. `answered`: that this very message was answered from.
    `refused`: it is about a topic that the operator named as not answered here. `also`: (what else the conversation
    needs, in which message). `matters`: where several are open."""

    reason: Reason
    intent: Intent
    messages: Sequence[str]
    question: str = ""
    missing: Sequence[str] = ()
    unknown: Sequence[str] = ()
    unnamed: Sequence[str] = ()
    apt: Sequence[str] = ()
    shown: Sequence[str] = ()
    followed: Sequence[str] = ()
    also: Sequence[tuple[Reason, int]] = ()
    commercial: bool = False
    account: bool = False
    answered: Sequence[str] = ()
    refused: bool = False
    matters: Sequence[Matter] = ()


def next_step(situation: Situation) -> str:
    """Sentences, what is urgent first."""
    said = "\n".join(message[:CHARS_READ_MAX] for message in situation.messages)
    steps = [*_urgent(said), *_first(situation)]
    if situation.followed:
        steps.append(FOLLOWED.format(titles=_quoted(situation.followed)))
    if shown := [title for title in situation.shown if title not in situation.followed]:
        steps.append(SHOWN.format(titles=_quoted(shown)))
    steps += [
        ALSO[reason].format(message=message) for reason, message in situation.also if reason is not situation.reason
    ]
    if SECRET_REDACTED.search(said):
        steps.append(SECRET)
    if ATTACHED.search(said):
        steps.append(ATTACHMENT)
    if situation.missing:
        steps.append(ASK_FOR.format(_listed(situation.missing)))
    return " ".join(dict.fromkeys(steps))


def _urgent(said: str) -> list[str]:
    found = (
        [LOST]
        if DATA_LOST.search(said)
        else [OUT]
        if is_outage(without_pressing(said))
        else [PRESSED]
        if is_outage(said)
        else []
    )
    return [*found, DUE] if DEADLINE.search(said) else found


def _first(situation: Situation) -> list[str]:
    if situation.matters:
        asked = [BY_REASON[Reason.USER_ASKED]] if situation.reason is Reason.USER_ASKED else []
        steps = [MATTER.format(number=at, step=_of(one)) for at, one in enumerate(situation.matters, start=1)]
        return [*asked, *steps]
    if situation.reason is Reason.HIGH_STAKES:
        # An angry last message takes no farewell back.
        intent = _at_stake(situation)
        keeps = intent is Intent.CANCELLATION and any(_KEEPS.search(one) for one in situation.messages)
        money = intent is Intent.LEGAL and situation.commercial
        return [HIGH_STAKES.get(intent, HIGH_STAKES_ELSE), *([KEPT] if keeps else []), *([BILLING] if money else [])]
    reason = situation.reason
    if reason is Reason.UNSUPPORTED_CATEGORY and situation.refused:
        return [REFUSED, *([BILLING] if situation.commercial else [])]
    if reason is Reason.UNSUPPORTED_CATEGORY and THEIRS.search(situation.question):
        reason = Reason.PRIVATE_DATA
    known = [BY_REASON[reason]] if reason in BY_REASON else []
    if situation.commercial:
        known.append(BILLING)
    elif situation.account and situation.reason is not Reason.UNSUPPORTED_CATEGORY:
        known.append(ACCOUNT)
    if any(HELD_WORDS.search(one) for one in situation.messages):
        return [*known, HELD]
    if situation.account:
        # Whose account it is no page answers.
        return known
    if situation.reason in _SEARCHED or (situation.reason is Reason.USER_ASKED and not situation.commercial):
        known += _matter(situation)
    return known


def _of(matter: Matter) -> str:
    if is_commercial(matter.text):
        return BILLING
    if ACCOUNT_WORDS.search(matter.text):
        return ACCOUNT
    return READ.format(titles=_quoted(matter.apt[:1])) if matter.apt else NONE_FITS


def _at_stake(situation: Situation) -> Intent:
    """The newest that was said; where that is nothing of the kind, what was said before of it: an angry last message
    takes neither a farewell nor a law suit back. Who has cancelled already disputes what was charged since."""
    read = [message[:CHARS_READ_MAX] for message in situation.messages]
    money = any(is_commercial(one) for one in read)
    if situation.intent is Intent.CANCELLATION and money and any(_CANCELLED.search(one) for one in read):
        return Intent.BILLING_DISPUTE
    if situation.intent in HIGH_STAKES:
        return situation.intent
    if any(LEAVES.search(one) for one in situation.messages):
        return Intent.CANCELLATION
    said = [first_sign(signs, one) for signs in (HIGH_STRONG, HIGH_WEAK) for one in read]
    return next((intent for intent in said if intent is not None and intent in HIGH_STAKES), situation.intent)


def _matter(situation: Situation) -> list[str]:
    """What the knowledge base has on it."""
    decides = [DECIDES] if _DECIDES.search(situation.question) else []
    if situation.unknown:
        return [*decides, NOWHERE.format(names=_listed(list(situation.unknown)[:NAMES_MAX]))]
    if situation.answered:
        return [JUST_ANSWERED.format(titles=_quoted(situation.answered))]
    unnamed = [UNNAMED.format(names=_listed(list(situation.unnamed)[:NAMES_MAX]))] if situation.unnamed else []
    if situation.apt:
        return [*unnamed, *decides, READ.format(titles=_quoted(situation.apt))]
    return [*unnamed, *(decides or [NONE_FITS])]


def _quoted(titles: Sequence[str]) -> str:
    return _listed([f"“{title[:TITLE_CHARS_MAX]}”" for title in list(titles)[:TITLES_MAX]])


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
