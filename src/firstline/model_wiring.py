"""Which language models stand behind the port, in which wrappers? The only file that names them.

What a request passes, from the outside in:

    Roles > Coalescing > Keeping > FairQueue > Chain
          > for each model: Retrying > Breaker > Told > Counted > Priced > NamedEnds > [FirstToken] > Deadline
                            > ProviderModel

Whoever joins a call or finds a kept answer takes no place and spends nothing. A place is held for the whole chain,
pauses included: when providers ask for a pause, fewer calls are made. Every single call passes the breaker and is set
aside in the budgets, a second attempt too. FirstToken stands before models that have another one behind them.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from firstline.caches.store import Kept
from firstline.documents.communities.alike import Alike, AlikeByModel
from firstline.domain import Completion, GatewaySeen, ModelRole, ModelSeen, RoleSeen
from firstline.errors import FirstlineError, InvalidInput
from firstline.model_settings import BudgetSettings, ModelEntry, ModelsSettings, RoleSettings
from firstline.models.gateway.breaker import Breaker
from firstline.models.gateway.budgets import BudgetLimits, Budgets, Limit
from firstline.models.gateway.chain import Chain
from firstline.models.gateway.coalescing import Coalescing
from firstline.models.gateway.counted import Counted
from firstline.models.gateway.deadline import Deadline
from firstline.models.gateway.fair_queue import FairQueue
from firstline.models.gateway.first_token import FirstToken
from firstline.models.gateway.keeping import Keeping
from firstline.models.gateway.local_process import LocalFile
from firstline.models.gateway.named_ends import NamedEnds
from firstline.models.gateway.priced import Price, Priced
from firstline.models.gateway.provider import ProviderModel
from firstline.models.gateway.provider_open import ModelSpec, check_installed
from firstline.models.gateway.retrying import Retrying
from firstline.models.gateway.roles import RoleLimits, Roles
from firstline.models.gateway.spending import Spending
from firstline.models.gateway.told import Told
from firstline.ports import LanguageModel
from firstline.questions.advised.asking import AskingModel
from firstline.questions.advised.steps import WITHOUT_MODEL, Advised
from firstline.settings import Settings

KEY_BYTES_MAX: Final = 20_000
HELPED: Final = {"rewriter": "rewrites_by", "sorter": "triage_by", "critic": "critique_by"}
"""Steps of a question, and the setting that asks for a model there."""
PAUSE_S_BEFORE_NEXT: Final = 1.0
"""A longer pause than this is not waited for while there is another model to ask."""


@dataclass(frozen=True, kw_only=True)
class Probe:
    """One configured model by itself, for `firstline doctor --models`."""

    role: ModelRole
    name: str
    model: LanguageModel
    timeout_s: float
    priced: bool


@dataclass(frozen=True, kw_only=True)
class OpenModels:
    language: LanguageModel
    probes: tuple[Probe, ...]
    seen: Callable[[], GatewaySeen]
    providers: tuple[ProviderModel, ...] = ()

    async def load(self) -> None:
        """Load the libraries before a question has to wait for them. What is wrong with a model is told when it is
        called."""
        for provider in self.providers:
            with suppress(FirstlineError):
                await provider.load()

    async def close(self) -> None:
        for provider in self.providers:
            await provider.close()


@dataclass(frozen=True)
class Accounts:
    """What may be spent, and who spent what: of all roles and models together."""

    budgets: Budgets
    spending: Spending


@dataclass(frozen=True)
class _Watched:
    """One model of a chain with the wrappers that count."""

    model: LanguageModel
    breaker: Breaker
    counted: Counted
    priced: Priced

    def seen(self) -> ModelSeen:
        return self.counted.seen(
            tokens_in=self.priced.tokens_in,
            tokens_out=self.priced.tokens_out,
            cost=self.priced.cost,
            breaker=self.breaker.state.value,
            refused=self.breaker.refused,
        )


@dataclass(frozen=True)
class _Role:
    role: ModelRole
    model: LanguageModel
    coalescing: Coalescing
    keeping: Keeping
    queue: FairQueue
    models: tuple[_Watched, ...]


def open_models(
    settings: ModelsSettings, kept: Kept[Completion], *, environ: Mapping[str, str] | None = None
) -> OpenModels | None:
    """None when no model is configured. Nothing is loaded or called yet. InvalidInput names a key that is not there,
    Broken says what is to be installed."""
    if not settings.roles:
        return None
    check_installed()
    variables = os.environ if environ is None else environ
    providers: dict[ModelSpec, ProviderModel] = {}

    def provider(entry: ModelEntry) -> ProviderModel:
        spec = spec_of(entry, variables)
        return providers.setdefault(spec, ProviderModel(spec))

    opened = {
        ModelRole(name): [provider(entry) for entry in role.chain] for name, role in sorted(settings.roles.items())
    }
    language, seen = compose(settings, {role: tuple(chain) for role, chain in opened.items()}, kept)
    probes = tuple(
        Probe(
            role=role,
            name=entry.model,
            model=_probed(model, entry, settings.roles[role.value]),
            timeout_s=settings.roles[role.value].call_s,
            priced=bool(entry.price_in or entry.price_out),
        )
        for role, chain in opened.items()
        for model, entry in zip(chain, settings.roles[role.value].chain, strict=True)
    )
    return OpenModels(language=language, probes=probes, seen=seen, providers=tuple(providers.values()))


def compose(
    settings: ModelsSettings,
    chains: Mapping[ModelRole, tuple[LanguageModel, ...]],
    kept: Kept[Completion],
    *,
    chance: Callable[[], float] = random.random,
) -> tuple[LanguageModel, Callable[[], GatewaySeen]]:
    """The gateway around these models, one for each entry of a role's chain, and what it counts. `chance` (0 to 1) is
    the jitter of pauses."""
    accounts = Accounts(Budgets(_limits(settings.budgets)), Spending())
    roles = tuple(
        _role(role, settings.roles[role.value], chain, accounts, kept, chance) for role, chain in chains.items()
    )
    gateway = Roles(
        {one.role: one.model for one in roles},
        {role: RoleLimits(max_tokens=own.max_tokens, timeout_s=own.timeout_s) for role, own in _named(settings)},
    )

    def seen() -> GatewaySeen:
        return GatewaySeen(
            models=tuple(model.seen() for one in roles for model in one.models),
            roles=tuple(
                RoleSeen(
                    role=one.role,
                    requests=gateway.requests[one.role],
                    kept=one.keeping.hits,
                    coalesced=one.coalescing.joined,
                    running=one.queue.running,
                    waiting=one.queue.waiting,
                )
                for one in roles
            ),
            over_budget=dict(accounts.budgets.refused),
            tenants=accounts.spending.seen(),
        )

    return gateway, seen


def _named(settings: ModelsSettings) -> list[tuple[ModelRole, RoleSettings]]:
    return [(ModelRole(name), role) for name, role in settings.roles.items()]


def _role(
    role: ModelRole,
    settings: RoleSettings,
    chain: tuple[LanguageModel, ...],
    accounts: Accounts,
    kept: Kept[Completion],
    chance: Callable[[], float],
) -> _Role:
    last = len(chain) - 1
    models = tuple(
        _watched(role, model, entry, settings, accounts, chance, is_last=at == last)
        for at, (model, entry) in enumerate(zip(chain, settings.chain, strict=True))
    )
    queue = FairQueue(
        Chain([one.model for one in models]), calls_max=settings.calls_at_once, waiting_max=settings.waiting_max
    )
    keeping = Keeping(queue, kept)
    coalescing = Coalescing(keeping)
    return _Role(role, coalescing, coalescing, keeping, queue, models)


def advised_of(settings: Settings, models: OpenModels | None, redact: Callable[[str], str]) -> Advised:
    """The steps that a model shall help with. InvalidInput when none is configured that could."""
    helped = [step for step, setting in HELPED.items() if getattr(settings, setting) == "model"]
    if not helped:
        return WITHOUT_MODEL
    language = _small(models, setting=HELPED[helped[0]])
    asking = AskingModel(language, redact=redact)
    return Advised(**dict.fromkeys(helped, asking))


def alike_of(settings: Settings, models: OpenModels | None) -> Alike | None:
    """Who groups what says the same in communities; None: the same words alone do."""
    if settings.communities_by == "words":
        return None
    return AlikeByModel(_small(models, setting="communities_by"))


def _small(models: OpenModels | None, *, setting: str) -> LanguageModel:
    if models is None or not models.language.model_id(ModelRole.SMALL):
        raise InvalidInput(
            f"The setting '{setting}' is 'model', and no model is configured for that.",
            remedy=f"Name one: `chain` in [models.small] (docs/models.md), or take `{setting}` out.",
        )
    return models.language


def _watched(
    role: ModelRole,
    model: LanguageModel,
    entry: ModelEntry,
    settings: RoleSettings,
    accounts: Accounts,
    chance: Callable[[], float],
    *,
    is_last: bool,
) -> _Watched:
    timed: LanguageModel = Deadline(model, timeout_s=settings.call_s)
    if not is_last:
        timed = FirstToken(timed, wait_s=settings.first_token_s)
    priced = Priced(NamedEnds(timed), price=_price(entry), budgets=accounts.budgets, spending=accounts.spending)
    counted = Counted(priced, role=role)
    breaker = Breaker(Told(counted, server=_server(entry)))
    retrying = (
        Retrying(breaker, attempts_max=settings.attempts, chance=chance)
        if is_last
        else Retrying(breaker, attempts_max=settings.attempts, pause_s_max=PAUSE_S_BEFORE_NEXT, chance=chance)
    )
    return _Watched(retrying, breaker, counted, priced)


def _probed(model: LanguageModel, entry: ModelEntry, settings: RoleSettings) -> LanguageModel:
    """By itself: no budget, no breaker, no second attempt hides what is wrong."""
    named = NamedEnds(Deadline(model, timeout_s=settings.call_s))
    return Counted(Priced(named, price=_price(entry), budgets=Budgets(BudgetLimits())), role=ModelRole.SMALL)


def _server(entry: ModelEntry) -> str:
    """Host and port alone: this is recorded, and nothing that stands before an @ may be."""
    return urlsplit(entry.base_url).netloc.rpartition("@")[2]


def _price(entry: ModelEntry) -> Price:
    return Price(tokens_in=entry.price_in, tokens_out=entry.price_out)


def _limits(settings: BudgetSettings) -> BudgetLimits:
    return BudgetLimits(
        turn=Limit(settings.turn_tokens, settings.turn_cost),
        session=Limit(settings.session_tokens, settings.session_cost),
        tenant_day=Limit(settings.tenant_day_tokens, settings.tenant_day_cost),
        day=Limit(settings.day_tokens, settings.day_cost),
    )


def spec_of(entry: ModelEntry, environ: Mapping[str, str]) -> ModelSpec:
    provider, _, name = entry.model.partition(":")
    local = LocalFile(path=Path(entry.file), context_tokens=entry.context_tokens, threads=entry.threads)
    return ModelSpec(
        provider=provider,
        name=name,
        base_url=entry.base_url,
        api_key=_key(entry, environ),
        json=entry.json_mode,
        file=local if entry.file else None,
        region=entry.region,
        api_version=entry.api_version,
    )


def _key(entry: ModelEntry, environ: Mapping[str, str]) -> str:
    """The key itself; empty: none is named, and pydantic-ai looks for the provider's usual variable."""
    if entry.key_env:
        key, where = environ.get(entry.key_env, "").strip(), f"the environment variable {entry.key_env}"
    elif entry.key_file:
        where = f"the file {entry.key_file}"
        try:
            key = Path(entry.key_file).read_bytes()[:KEY_BYTES_MAX].decode().strip()
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidInput(
                f"The key of {entry.model} cannot be read from {where}.", remedy="Correct `key_file`, or its rights."
            ) from error
    else:
        return ""
    if not key:
        raise InvalidInput(
            f"The key of {entry.model} should be in {where}, which is empty or not set.",
            remedy="Set it, or take `key_env` or `key_file` out for a model that needs none.",
        )
    return key
