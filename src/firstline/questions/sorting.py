"""One message sorted in its conversation, under the rules of its knowledge base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from firstline.domain import Category, Intent, SearchPlan, Triage
from firstline.questions.asked import Asked
from firstline.questions.said_before import Offer, accepts, offered, read_with
from firstline.questions.topics import TopicRules, rules_for, under_rules
from firstline.questions.triage import triage


def sort(asked: Asked, probabilities: Mapping[Category, float], rules: Mapping[str, TopicRules]) -> Triage:
    """`probabilities` are the classifier's for the message alone: what it leans on is put into words before it is
    read, so that "and cancel it" means what it ends."""
    message = read_with(asked.question, asked.earlier)
    found = triage(message, history=asked.earlier, probabilities=probabilities)
    offer = offered(asked.history[-1] if asked.history else None)
    if offer is not None and accepts(asked.question):
        found = replace(
            found,
            category=Category.ANSWERABLE,
            intent=Intent.PERSON if offer is Offer.PERSON else Intent.OTHER,
            confidence=0.9,
            settled=True,
            reason=f"says yes to what was offered: a {offer.value}",
        )
    return ruled(found, asked, rules)


def ruled(
    found: Triage, asked: Asked, rules: Mapping[str, TopicRules], plan: SearchPlan | None = None, *, read_as: str = ""
) -> Triage:
    """The reading under the rules of its knowledge base: for every change of it, and last. With `plan` and `read_as`
    the message is compared as it was understood too: misspelt words as they were read, a number as the page picked."""
    message = read_with(asked.question, asked.earlier)
    understood = (read_as, plan.picked if plan else "")
    return under_rules(found, message, rules_for(asked.session.kb, rules), also=[one for one in understood if one])
