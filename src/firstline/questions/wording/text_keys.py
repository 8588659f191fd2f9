"""Which texts are there, and what stands in each of them? The keys that every language of the catalogue must have.

A placeholder has a kind, which says how its value is written:

| kind | value | written |
|---|---|---|
| plain | a text from a document, a message or a setting | as plain words: nothing in it is markup |
| own | the operator's own words | as they are |
| versions | "4.1", "4.1–", "–4.3", "4.1–4.3" | "4.1 and later", and listed like `and` |
| and, or | texts | "A, B and C", "A, B or C", as the language lists them |
| quoted | texts | the same, each in the language's quotation marks |
| number | a whole number | in figures; where it `counts`, it chooses the plural form |
| day | an ISO weekday, 1 to 7 | its name |
| language | a language code | its name |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

LANGUAGES: Final = ("en", "de", "fr", "es", "ja")
DEFAULT_LANGUAGE: Final = "en"
TONES: Final = ("neutral", "warm", "formal")
PLURALS: Final = ("one", "other")
OPTIONAL: Final = frozenset({"offer", "within", "topics", "zone"})
"""A team that words these itself may leave its own value out."""

NONE: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True, slots=True)
class Key:
    """`placeholders`: name to kind. `counts`: the one whose number chooses the plural form; "": there is one form."""

    placeholders: Mapping[str, str] = field(default_factory=lambda: NONE)
    counts: str = ""


def _plain(names: str) -> dict[str, Key]:
    return {name: Key() for name in names.split()}


_VERSION: Final = Key(placeholders={"versions": "versions", "asked": "plain"}, counts="versions")

KEYS: Final[Mapping[str, Key]] = {
    # Above an answer.
    **_plain("answered.unsure answered.outdated answered.pages_differ answered.quoted_other answered.left_out"),
    "answered.read_as": Key(placeholders={"written": "plain", "read": "plain"}),
    "answered.part": Key(placeholders={"parts": "quoted"}),
    "answered.figure": Key(placeholders={"figures": "quoted"}),
    "answered.version_page": _VERSION,
    "answered.version_ticket": _VERSION,
    "answered.version_issue": _VERSION,
    "answered.version_post": _VERSION,
    "answered.quoted_language": Key(placeholders={"language": "language"}),
    "answered.page": Key(placeholders={"page": "plain"}),
    "answered.as_written": Key(placeholders={"text": "own"}),
    "version.later": Key(placeholders={"version": "plain"}),
    "version.earlier": Key(placeholders={"version": "plain"}),
    "version.between": Key(placeholders={"first": "plain", "last": "plain"}),
    # One question back.
    **_plain("clarify.pick clarify.detail clarify.again clarify.language_other"),
    "clarify.which": Key(placeholders={"names": "or"}),
    "clarify.unknown": Key(placeholders={"names": "or"}),
    "clarify.unknown_among": Key(placeholders={"names": "or"}),
    "clarify.language": Key(placeholders={"language": "language"}),
    # Why a person takes it, and what happens next.
    **_plain(
        "escalated.low_confidence escalated.no_verified_context escalated.private_data escalated.unsupported_category"
        " escalated.high_stakes escalated.user_asked escalated.provider_failure escalated.budget_exceeded"
        " escalated.policy escalated.refused_topic"
        " high_stakes.cancellation high_stakes.deletion high_stakes.billing_dispute high_stakes.legal"
        " high_stakes.complaint high_stakes.other"
        " handover.person handover.joined handover.joined_can_ask handover.away handover.waiting"
        " person.resolved person.returned person.soft silent.person"
    ),
    "high_stakes.offer": Key(placeholders={"offer": "own"}),
    "handover.reopened": Key(placeholders={"times": "number"}, counts="times"),
    "handover.closed_until": Key(placeholders={"day": "day", "time": "plain", "zone": "plain"}),
    "handover.reply_time": Key(placeholders={"within": "own"}),
    # What is no question.
    **_plain(
        "deflected.nonsense deflected.irrelevant deflected.what_next"
        " talk.thanks talk.solved talk.nod talk.farewell talk.greeting talk.about_me talk.person talk.more"
    ),
    "deflected.topics": Key(placeholders={"topics": "and"}),
    "talk.more_topics": Key(placeholders={"topics": "and"}),
    # Names.
    **_plain("day.1 day.2 day.3 day.4 day.5 day.6 day.7"),
    **_plain(" ".join(f"language.{language}" for language in LANGUAGES)),
    # The chat page.
    **_plain(
        "page.title page.skip page.new page.welcome page.promise page.topics page.key_title page.key_reason"
        " page.key_label page.key_continue page.conversation page.question page.question_hint page.send page.keys_hint"
        " page.close page.close_source page.source_text page.step_faq page.step_triage page.step_retrieve"
        " page.step_compose page.step_verify page.sending page.copy page.copied page.copy_refused page.try_again"
        " page.mistake page.reload page.unreachable page.check_connection page.broken_off page.check_again page.later"
        " page.team page.read_more page.what_meant page.partial page.talk page.person_wanted page.connect"
        " page.takes_over page.loading_source page.no_source page.open_page page.kind_documentation page.kind_ticket"
        " page.kind_issue page.kind_forum_post page.kind_note page.kind_faq page.rate_asks page.rate_up page.rate_down"
        " page.rate_why page.rate_correction page.rate_thanks page.rate_more page.reason_wrong page.reason_incomplete"
        " page.reason_outdated page.reason_unclear page.reason_not_my_question page.reason_other"
    ),
    "page.try_again_in": Key(placeholders={"seconds": "number"}),
    "page.status": Key(placeholders={"status": "number"}),
    "page.source": Key(placeholders={"number": "number"}),
    "page.connected": Key(placeholders={"reference": "plain"}),
}
"""Every key, in the order in which they are documented."""
