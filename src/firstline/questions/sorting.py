"""One message sorted in its conversation, under the rules of its knowledge base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from firstline.domain import Category, Intent, Triage
from firstline.questions.asked import Asked
from firstline.questions.said_before import Offer, accepts, offered, read_with
from firstline.questions.topics import TopicRules, rules_for, under_rules
from firstline.questions.triage import triage


def sort(asked: Asked, probabilities: Mapping[Category, float], rules: Mapping[str, TopicRules]) -> Triage:
    """`probabilities` are the classifier's for the message alone: what it leans on is put into words before it is
    read, so that "and cancel it" means what it ends."""
    message = read_with(asked.question, asked.earlier)
    own = rules_for(asked.session.kb, rules)
    found = under_rules(triage(message, history=asked.earlier, probabilities=probabilities), message, own)
    offer = offered(asked.history[-1] if asked.history else None)
    if offer is None or not accepts(asked.question):
        return found
    return replace(
        found,
        category=Category.ANSWERABLE,
        intent=Intent.PERSON if offer is Offer.PERSON else Intent.OTHER,
        confidence=0.9,
        settled=True,
        reason=f"says yes to what was offered: a {offer.value}",
    )
