"""What do the settings say to a question's journey and to deliveries? Values, and nothing that is opened."""

from __future__ import annotations

from dataclasses import replace

from firstline.connectors.handover.channels import ChannelSettings
from firstline.domain import PIPELINE_VERSION, Intent
from firstline.engines.otlp import TraceSettings, headers_of
from firstline.models.endpoint_address import checked_address
from firstline.questions.card.support_hours import Support, openings_in
from firstline.questions.gate import GateModel, load_gates
from firstline.questions.gates_in_force import RETRIEVAL_VERSION, weights_knob
from firstline.questions.limits import JourneyLimits
from firstline.questions.retrieve import FusionWeights
from firstline.questions.search import SearchLimits
from firstline.questions.topics import ReplyBlock, TopicRules
from firstline.questions.traverse import WalkLimits
from firstline.settings import Settings


def gates_of(settings: Settings) -> dict[str, GateModel]:
    """The shipped gates, with the thresholds that the settings override.

    `confidence_gate` says from where on an answer is shown. What it shows below the shipped gates stays unsure, with
    its disclaimer: who wants to see more does not thereby know more.
    """
    gates = load_gates()
    given = overridden_gates(settings)
    if "relevance" in given:
        gates["relevance"] = replace(gates["relevance"], threshold=settings.relevance_gate)
    if "confidence" in given:
        full = max(settings.confidence_gate, gates["unsure"].threshold)
        gates["unsure"] = replace(gates["unsure"], threshold=settings.confidence_gate)
        gates["confidence"] = replace(gates["confidence"], threshold=full)
    return gates


def overridden_gates(settings: Settings) -> frozenset[str]:
    """Gates whose threshold the settings give: it wins over a calibrated one as it wins over the shipped one."""
    relevance = {"relevance"} if settings.relevance_gate >= 0 else set[str]()
    return frozenset(relevance | ({"confidence", "unsure"} if settings.confidence_gate >= 0 else set[str]()))


def knobs_of(settings: Settings, *, embedder: str, reranker: str, classifier: str) -> dict[str, str]:
    """Everything that changes which questions come to a gate and what it reads, by name: calibrated thresholds hold for
    these alone."""
    shaping = (
        *("candidates", "documents_ranked", "evidence_chunks", "chunk_tokens", "answer_chars_max", "history_turns"),
        *("weight_words", "weight_dense", "weight_document", "weight_title"),
        *(("rerank_passages", "rerank_weight") if reranker != "none" else ()),
    )
    return {
        **{name: str(getattr(settings, name)) for name in shaping},
        "embedder": embedder,
        "reranker": reranker,
        "triage classifier": classifier,
        "gate weights": weights_knob(load_gates()),
        "document pipeline": PIPELINE_VERSION,
        "question pipeline": RETRIEVAL_VERSION,
    }


def trace_settings_of(settings: Settings) -> TraceSettings:
    """InvalidInput names the address or the variable that cannot be used."""
    if not settings.trace_endpoint:
        return TraceSettings()
    return TraceSettings(
        endpoint=checked_address(settings.trace_endpoint, setting="trace_endpoint"),
        headers=headers_of(settings.trace_headers_env),
        sample=settings.trace_sample,
        content=settings.trace_content,
    )


def limits_of(settings: Settings) -> JourneyLimits:
    return JourneyLimits(
        question_chars_max=settings.question_chars_max,
        history_turns=settings.history_turns,
        answer_chars_max=settings.answer_chars_max,
        turn_deadline_s=settings.turn_deadline_s,
        search=search_limits_of(settings),
        topics=settings.topics,
        retention_offer=settings.retention_offer,
        rules=rules_of(settings),
        settings_hash=settings.settings_hash,
        turns_at_once=settings.turns_at_once,
        link_hosts=settings.link_hosts,
        support=Support(
            openings=openings_in(settings.support_hours),
            zone=settings.support_timezone,
            away=settings.support_away,
            reply_time=settings.support_reply_time,
        ),
    )


def search_limits_of(settings: Settings) -> SearchLimits:
    return SearchLimits(
        candidates=settings.candidates,
        documents_ranked=settings.documents_ranked,
        evidence_chunks=settings.evidence_chunks,
        weights=FusionWeights(
            words=settings.weight_words,
            dense=settings.weight_dense,
            document=settings.weight_document,
            title=settings.weight_title,
        ),
        embed_budget_s=settings.embed_budget_s,
        search_budget_s=settings.search_budget_s,
        rerank_budget_s=settings.rerank_budget_s,
        walk=WalkLimits(budget_s=settings.traverse_budget_s),
        rerank_passages=settings.rerank_passages,
        rerank_weight=settings.rerank_weight,
    )


def rules_of(settings: Settings) -> dict[str, TopicRules]:
    """By knowledge base: what it serves and refuses. One without a table of its own keeps the built-in rules."""
    return {
        name: TopicRules(
            served=one.topics,
            refused=one.refused_topics,
            high_stakes=tuple(Intent(intent) for intent in one.high_stakes),
            replies={
                Intent(intent): ReplyBlock(
                    acknowledgement=reply.acknowledgement, offer=reply.offer, contact=reply.contact
                )
                for intent, reply in one.replies.items()
            },
        )
        for name, one in settings.knowledge_bases.items()
    }


def channel_settings_of(settings: Settings) -> ChannelSettings:
    """Where hand-overs are delivered to."""
    return ChannelSettings(
        handoff_webhook_url=settings.handoff_webhook_url,
        handoff_webhook_secret=settings.handoff_webhook_secret,
        handoff_email_to=settings.handoff_email_to,
        handoff_email_from=settings.handoff_email_from,
        smtp_url=settings.smtp_url,
        handoff_slack_webhook=settings.handoff_slack_webhook,
        handoff_slack_token=settings.handoff_slack_token,
        handoff_slack_channel=settings.handoff_slack_channel,
    )
