"""Clusters of questions without a sure answer: what they ask, what came nearest, since when, more or less often."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from firstline.domain import AskedTurn, Document, Gap, NearPage, Trend
from firstline.questions.care.wordings import Asked

EXAMPLES_MAX: Final = 5
NEAREST_MAX: Final = 5
RISES: Final = 1.5
FALLS: Final = 2 / 3


def gap(
    members: Sequence[Asked],
    *,
    document_of: Mapping[str, str],
    documents: Mapping[str, Document],
    since: datetime,
    now: datetime,
) -> Gap:
    """`members`: wordings of one cluster, its leader first. `document_of`: document by chunk; `documents`: those that
    the reader may see, by id; others are not named."""
    turns = sorted((turn for one in members for turn in one.turns), key=lambda turn: turn.asked_at)
    weeks = Counter(week_of(turn.asked_at) for turn in turns)
    return Gap(
        gap_id=named(members[0].key),
        question=members[0].text,
        turns=len(turns),
        sessions=len({turn.session_id for turn in turns}),
        became=dict(sorted(Counter(turn.became for turn in turns).items())),
        examples=tuple(one.text for one in members[:EXAMPLES_MAX]),
        nearest=_nearest(turns, document_of, documents),
        weeks=dict(sorted(weeks.items())),
        trend=trend([turn.asked_at for turn in turns], since=since, now=now),
        first_at=turns[0].asked_at,
        last_at=turns[-1].asked_at,
    )


def named(key: str) -> str:
    """A short name, the same for as long as this is the cluster's most frequent wording."""
    return hashlib.sha256(key.encode()).hexdigest()[:12]


def week_of(at: datetime) -> str:
    year, week, _ = at.isocalendar()
    return f"{year}-W{week:02}"


def trend(asked_at: Sequence[datetime], *, since: datetime, now: datetime) -> Trend:
    """The later half of the time against the earlier one."""
    middle = since + (now - since) / 2
    later = sum(at >= middle for at in asked_at)
    earlier = len(asked_at) - later
    if not earlier:
        return Trend.NEW
    if later >= RISES * earlier:
        return Trend.RISING
    return Trend.FALLING if later <= FALLS * earlier else Trend.STEADY


def _nearest(
    turns: Sequence[AskedTurn], document_of: Mapping[str, str], documents: Mapping[str, Document]
) -> tuple[NearPage, ...]:
    counts: Counter[str] = Counter()
    for turn in turns:
        counts.update({document_of[chunk_id] for chunk_id in turn.nearest if chunk_id in document_of})
    shown = sorted((doc_id for doc_id in counts if doc_id in documents), key=lambda doc_id: (-counts[doc_id], doc_id))
    return tuple(
        NearPage(doc_id=doc_id, title=documents[doc_id].title, turns=counts[doc_id]) for doc_id in shown[:NEAREST_MAX]
    )
