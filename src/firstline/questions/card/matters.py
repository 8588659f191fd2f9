"""Which words show that it is no matter of technique, but of money, of a contract, or of who may do what?

Shared vocabulary of the summary for persons; it calls nothing.
"""

from __future__ import annotations

import re
from typing import Final

_FLAGS: Final = re.IGNORECASE | re.VERBOSE

THEIRS: Final = re.compile(
    r"\b(?:their|his|her|someone's|somebody's|another\s+\w+'s)\s+(?:\S+\s+){0,3}?(?:users|e-?mails?"
    r"|mail|addresses|address"
    r"|passwords?|data|names|phone|invoices|contracts?|files|documents|clusters?|accounts?)\b",
    re.IGNORECASE,
)
# Matters of contract and money: no version and no error message helps there.
_COMMERCIAL: Final = re.compile(
    r"""\b(?:invoices?|invoiced|bill(?!ion)|billing|billed|charge[ds]?|chargeback|refunds?|refunded|payments?|credit(?:s|\s+note)?
       |signed\s+(?:statement|copy|document|agreement|confirmation|declaration|paper)|nda|dpa|subscriptions?|quote
       |quotation
       |pricing|price|discount|contracts?|purchase|resell\w*|renewal|vat|tax\s+\w+|receipt
       |(?:cancel|close)\s+(?:our|my|the\s+(?:whole\s+)?)\s*(?:account|organi[sz]ation)|rechnung\w*|facture\w*
       |factura\w*|請求|返金|契約|(?:from|to)\s+(?:my|our)\s+(?:bank|(?:credit\s+)?card)|(?:took|taken|debited|deducted|withdrew)\s+\d[\d.,]*\s*(?:euros?|dollars?|eur|usd))\b
    | 請求 | 返金 | 契約""",
    _FLAGS,
)
_WRITTEN: Final = re.compile(r"`[^`\n]{0,200}`|--\w[\w-]*(?:[ =][\w.]+(?:=\S+)?)?|\b[\w.]+=\S+")
"""Code and options: `--types price=decimal` speaks of no price."""
LEAVES: Final = re.compile(
    r"""\b(?:cancel|terminate|close|end|quit|leav(?:e|ing))\b.{0,40}?\b(?:account|subscription|contract|plan|organi[sz]ation|membership
       |tenancy)\b | \bto\s+(?:another|a\s+different|a\s+new)\s+(?:provider|vendor|supplier|company)\b
    | \bkündig\w* | \brésili\w* | \brescindir\b | \bdar\s+de\s+baja\b | 解約 | 退会""",
    _FLAGS,
)
BILLED: Final = re.compile(
    r"\b(?:invoices?|invoiced|bill|billing|billed|charge[ds]?|chargeback|refund\w*|payments?|paid"
    r"|rechnung\w*|facture\w*"
    r"|factura\w*)\b|請求|返金",
    re.IGNORECASE,
)
# Who may get in, and who may say so: nothing that a page or a version answers.
ACCOUNT: Final = re.compile(
    r"""\b(?:(?:new|only|sole|former|last|no|current|account|another)\s+owner(?:\s+(?:left|has|is|quit|died)|\s*[?.,!]|\s+of\s+(?:the|our)\s+
         (?:account|organi[sz]ation|project)|$)
       | owner\s+(?:has\s+)?left | transfer\w*\s+(?:of\s+)?(?:the\s+)?ownership | 2fa | two-?factor | mfa
       | authenticator\s+app
       | recovery\s+codes? | (?:cannot|can't|cant|not|unable\s+to)\s+invite
       | invitations?\s+(?:\w+\s+){0,3}(?:expired|never|not|does|did)
       | (?:get|log|sign|logged|locked)\s*(?:in|out|into)\s+(?:of\s+|to\s+)?(?:the|our|my)\s+(?:cloud\s+)?(?:console
       |account|portal)
       | zwei-?faktor\w* | wiederherstellungscodes? | double\s+authentification | códigos\s+de\s+recuperación)\b
       | 二段階認証""",
    _FLAGS,
)

HELD: Final = re.compile(
    r"\b(?:status|state)\s*:?\s*(?:held|suspended|on\s+hold|locked)\b|\bcontact\s+(?:our\s+)?support\b"
    r"|\b(?:account|cluster|project|organi[sz]ation)\s+(?:is|was|has\s+been|got)\s+(?:suspended|held|blocked|locked)\b",
    re.IGNORECASE,
)
"""Something of theirs is held or suspended."""


def is_commercial(text: str) -> bool:
    return _COMMERCIAL.search(_WRITTEN.sub(" ", text)) is not None
