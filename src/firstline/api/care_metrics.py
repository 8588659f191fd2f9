"""Curated answers that are used no more, in the Prometheus text format."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Final

from firstline.api.metric_lines import head
from firstline.errors import FirstlineError
from firstline.questions.care import FaqList

CARE_S_MAX: Final = 2.0


async def care_metrics(faq_list: FaqList) -> str:
    """Of every tenant, as the ledger knows it. Left out while the ledger does not answer."""
    with contextlib.suppress(TimeoutError, FirstlineError):
        expired = await asyncio.wait_for(faq_list.expired(tenant=None), CARE_S_MAX)
        name, meaning = "firstline_faq_expired", "Curated answers that have expired: `firstline faq list` names them."
        return "".join(f"{line}\n" for line in (*head(name, "gauge", meaning), f"{name} {expired}"))
    return ""
