"""Does somebody who sells ask about their own customers' refunds, disputes and complaints, or a customer about theirs?

Both say "refund" and "chargeback". Whoever refunds a buyer, answers a cardholder's dispute or records a guest's
complaint asks how the product does it, which pages answer.
"""

from __future__ import annotations

import re
from typing import Final

_CUSTOMER: Final = (
    r"(?:(?:end[\s-]?)?customers?|clients?|buyers?|shoppers?|guests?|members?|subscribers?|attendees?|ticket\s+holders?"
    r"|card\s?holders?|donors?|patients?|tenants?|students?|visitors?|payers?|end\s+users?|purchasers?|applicants?)"
)
_MATTER: Final = (
    r"(?:refund\w*|charge\s?backs?|disput\w+|charged|billed|overcharged|complain\w*|cancel\w*|money\s+back|reimburs\w+"
    r"|subscriptions?|memberships?|lawyers?|erase\w*|delet\w+)"
)
_ENDS: Final = r"(?=\W*$|\W+(?:for|from|who|that|in|by|when|with|on|at|via))"
_WHOSE: Final = r"(?:a|an|one\s+of\s+(?:my|our)|my|our|the|another|this|that|some|several|all|any|individual)"
# "As your customer I dispute": that one is the customer.
_NOT_ME: Final = r"(?<!as\s)(?<!i\sam\s)(?<!i'm\s)(?<!we\sare\s)(?<!been\s)"
_OWN: Final = re.compile(
    rf"""{_NOT_ME}\b{_WHOSE}\s+(?:[\w-]+\s+)?{_CUSTOMER}(?:'s|s'|’s)?\b.{{0,80}}\b{_MATTER}\b
    | \b{_MATTER}\b.{{0,60}}\b(?:{_WHOSE}\s+)?{_CUSTOMER}(?:'s|s'|’s)?{_ENDS}
    | \bas\s+(?:a|the)\s+(?:merchant|seller|organi[sz]er|shop\s+owner|vendor|host)\b
    | \b{_CUSTOMER}\s+(?:disputes?|refunds?|complaints?|chargebacks?|cancellations?)\b""",
    re.IGNORECASE | re.VERBOSE,
)
# What a seller does about a chargeback; nobody whose money it is tracks it or hands in evidence.
_HANDLES: Final = re.compile(
    r"""\b(?:track|status|state|stage|respond|reply|answer|evidence|upload|hand\s+in|reason\s+codes?|dashboard
    |documents?|papers|webhooks?|endpoint|api|accept|prevent|avoid|monitor|deadline)\b.{0,60}\b(?:charge\s?backs?|payment\s+disputes?)\b
    | \b(?:charge\s?backs?|payment\s+disputes?)\b.{0,60}\b(?:reason\s+codes?|dashboard
    |evidence|documents?|papers
    |webhooks?|status|state|stage|deadline|work|upload|report)\b
    | \b(?:disput\w+|handle|manage|fight|contest)\s+(?:a|the)\s+charge\s?back\b""",
    re.IGNORECASE | re.VERBOSE,
)


def of_their_own_customers(text: str) -> bool:
    """Linear in the length of `text`."""
    return _OWN.search(text) is not None or _HANDLES.search(text) is not None
