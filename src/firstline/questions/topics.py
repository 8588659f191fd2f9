"""Which topics does a knowledge base serve, which must it not answer, and what is said when the stakes are high?

What the pages document stays answerable: "how do I change my billing plan" is a question, "why was I charged twice" is
a case. The built-in topics name cases; an operator's own phrases are matched in the words of the message.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Final

from firstline.domain import Category, Intent, Triage
from firstline.questions.message.terms import all_stems, terms

BUILT_IN: Final[Mapping[str, Intent]] = {
    "billing": Intent.BILLING_DISPUTE,
    "legal": Intent.LEGAL,
    "account": Intent.ACCOUNT,
    "private_data": Intent.PRIVATE_DATA,
}
HIGH_STAKES: Final = (
    Intent.CANCELLATION,
    Intent.DELETION,
    Intent.BILLING_DISPUTE,
    Intent.LEGAL,
    Intent.COMPLAINT,
)
ALWAYS_REFUSED: Final = Intent.PRIVATE_DATA
"""Other people's data and secrets are no matter of configuration."""
PHRASE_CHARS_MAX: Final = 2_000


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplyBlock:
    """What somebody is told whose message has one high-stakes intent. Empty: the default, or nothing."""

    acknowledgement: str = ""
    offer: str = ""
    contact: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class TopicRules:
    """`served` is named when a message is turned away; `refused` are names of BUILT_IN or phrases; `high_stakes` the
    intents that are acknowledged and handed over at once."""

    served: tuple[str, ...] = ()
    refused: tuple[str, ...] = tuple(BUILT_IN)
    high_stakes: tuple[Intent, ...] = HIGH_STAKES
    replies: Mapping[Intent, ReplyBlock] = field(default_factory=dict[Intent, ReplyBlock])

    def told(self, intent: Intent, *, offer: str) -> tuple[str, str]:
        """(acknowledgement, offer) for a high-stakes intent; an empty acknowledgement is worded by the catalogue.
        `offer` is made to those who want to cancel, unless the rules have one of their own. The contact stands behind
        the offer where there is one, else behind the acknowledgement."""
        own = self.replies.get(intent, ReplyBlock())
        made = own.offer or (offer if intent is Intent.CANCELLATION else "")
        if own.acknowledgement and not made:
            return " ".join(filter(None, (own.acknowledgement, own.contact))), ""
        return own.acknowledgement, " ".join(filter(None, (made, own.contact)))


def rules_for(kb: str, rules: Mapping[str, TopicRules]) -> TopicRules:
    """Those of this knowledge base; the built-in ones when it has none of its own."""
    return rules.get(kb, TopicRules())


def under_rules(found: Triage, question: str, rules: TopicRules, *, also: Sequence[str] = ()) -> Triage:
    """The same reading, with what this knowledge base serves and refuses applied to it; applied twice it stays as it
    is. It has the last word: whatever changes a reading, the rules are applied to what came of it.

    `also`: what the message was understood to say beside its own words. Whatever ends answerable is compared with the
    operator's phrases, whichever way it came there.
    """
    ruled = _by_topic(found, rules)
    if ruled.category is not Category.ANSWERABLE or ruled.intent is Intent.PERSON:
        return ruled
    phrases = [one for one in rules.refused if one not in BUILT_IN]
    phrase = next((one for one in phrases if any(_says(text, one) for text in (question, *also))), None)
    if phrase is None:
        return ruled
    return replace(
        ruled,
        category=Category.OUT_OF_SCOPE,
        intent=Intent.OTHER,
        confidence=1.0,
        settled=True,
        reason=f"a topic that is not answered here: {phrase}",
    )


def _by_topic(found: Triage, rules: TopicRules) -> Triage:
    """By the built-in topics alone."""
    if found.category is Category.HIGH_STAKES:
        return _high_stakes(found, rules)
    if found.category is not Category.OUT_OF_SCOPE or found.intent is ALWAYS_REFUSED:
        return found
    # What a phrase refused is of no built-in topic, and stays refused.
    named = [name for name, intent in BUILT_IN.items() if intent is found.intent]
    served = bool(named) and not any(name in rules.refused for name in named)
    return _answerable(found, "is served here") if served else found


def _high_stakes(found: Triage, rules: TopicRules) -> Triage:
    if found.intent in rules.high_stakes:
        return found
    if any(BUILT_IN.get(name) is found.intent for name in rules.refused):
        return replace(found, category=Category.OUT_OF_SCOPE, reason=f"{found.reason}, no high stakes here")
    return _answerable(found, "is looked up here")


def _answerable(found: Triage, why: str) -> Triage:
    return replace(found, category=Category.ANSWERABLE, settled=True, reason=f"{found.intent.value} {why}")


def _says(question: str, phrase: str) -> bool:
    """All words of the phrase stand in the message, in any form ("refunding" says "refund")."""
    sought = _stems(phrase)
    return bool(sought) and sought <= all_stems(question[:PHRASE_CHARS_MAX])


@cache
def _stems(phrase: str) -> frozenset[str]:
    return frozenset(terms(phrase))
