"""Does a message end a thing inside the product (a query, a build, a topic's subscription), or what somebody holds with
the company?

Whoever cancels a running query is no customer who leaves, although the verbs are the same.
"""

from __future__ import annotations

import re
from typing import Final

HEAD: Final = (
    r"(?:quer(?:y|ies)|builds?|jobs?|tasks?|process(?:es)?|work\s?flows?|pipelines?|(?:test\s+|dry\s+)?runs?|imports?"
    r"|exports?|migrations?|backups?|snapshots?|deploy(?:ment)?s?|roll-?outs?|transactions?|threads?|sessions?"
    r"|connections?|uploads?|downloads?|replications?|index(?:es)?|indices|collections?|tables?|partitions?|columns?"
    r"|rows?|topics?|queues?|consumers?|producers?|streams?|clusters?|nodes?|pods?|containers?|images?|branch(?:es)?"
    r"|commits?|merges?|schedules?|triggers?|timers?|statements?|cursors?|scripts?|crawls?|ingests?|ingestions?)"
)
FED: Final = (
    r"\s+(?:to|on|from|for|of)\s+(?:[\w'’-]+\s+){0,3}?(?:topics?|queues?|exchanges?|streams?|subjects?|partitions?"
    r"|events?|change\s?feeds?|brokers?|webhooks?)\b"
)
"""Behind "subscription": where messages come from."""
# A word behind the thing that makes it something paid for: "my backup plan" is held, "my backup" is not.
_PAID: Final = (
    r"(?!'s|’s|[\s-]+(?:\w+[\s-]+)?(?:plans?|pass|subscriptions?|contracts?|memberships?|licen[cs]es?|services?|polic(?:y|ies)"
    r"|agreements?|tariffs?|packages?|accounts?|orders?|bookings?)\b)"
)
_ENDS: Final = (
    r"\b(?:cancel(?:l?ed|l?ing)?|terminat(?:e|ed|ing)|abort(?:ed|ing)?|kill(?:ed|ing)?|end(?:ed|ing)?|clos(?:e|ed|ing)"
    r"|stop(?:ped|ping)?|quit(?:ting)?|delet(?:e|ed|ing)|eras(?:e|ed|ing)|remov(?:e|ed|ing)|wip(?:e|ed|ing)"
    r"|purg(?:e|ed|ing)|drop(?:ped|ping)?)"
)
_OWN: Final = r"(?:(?:the|a|an|my|our|this|that|these|those|all|any|every|some|its|of|one)\s+)*"
# Up to three words name which one; none of them begins another part of the sentence.
_WHICH: Final = r"(?:(?!(?:and|or|but|with|because|since|if|after|before|account(?!['’]s)|me|us)\b)[\w'’-]+\s+){0,3}?"

_ENDED: Final = re.compile(
    rf"{_ENDS}\s+{_OWN}{_WHICH}(?:{HEAD}\b{_PAID}|subscriptions?{FED})",
    re.IGNORECASE,
)


def ends_a_thing(text: str) -> bool:
    """The message cancels, stops or deletes a thing that the product makes; linear in its length."""
    return _ENDED.search(text) is not None
