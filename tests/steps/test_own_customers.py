"""Whoever asks about their own customers' refunds and disputes asks how the product does it; a customer has a case."""

from __future__ import annotations

import pytest

from firstline.domain import Category
from firstline.questions.message.own_customers import of_their_own_customers
from firstline.questions.triage import triage

OF_THEIR_CUSTOMERS = """
how do I refund a customer
a client wants a refund, where do I enter it
one of our shoppers was charged twice, how is that corrected
dispute a chargeback as a merchant
a guest opened a chargeback, which documents do I upload
where do I see the status of a chargeback
how do chargebacks work
our members can't cancel online
a buyer disputes a payment
"""
OF_THEIR_OWN = """
I was charged twice
I am a customer and want a refund
as your customer I dispute the invoice
I've opened a chargeback against you
I have asked my bank for a chargeback
refund me
cancel my membership
we have been customers since 2001 and demand our money back
"""


@pytest.mark.parametrize("text", OF_THEIR_CUSTOMERS.strip().splitlines())
def test_a_seller_asks(text: str) -> None:
    assert of_their_own_customers(text)
    shares = {each: 0.4 if each is Category.HIGH_STAKES else 0.15 for each in Category}
    assert triage(text, history=(), probabilities=shares).category is not Category.HIGH_STAKES


@pytest.mark.parametrize("text", OF_THEIR_OWN.strip().splitlines())
def test_a_customer_has_a_case(text: str) -> None:
    assert not of_their_own_customers(text)
