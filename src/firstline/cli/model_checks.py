"""`firstline doctor --models`: each configured language model is called once, by itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from firstline.cli.printing import say

if TYPE_CHECKING:
    from firstline.domain import Completion
    from firstline.model_settings import ModelsSettings
    from firstline.model_wiring import Probe

QUESTION: Final = "Answer with the single word: ready"
TOKENS_MAX: Final = 200
"""Enough for a model that thinks before it says one word."""
CLOSE_S_MAX: Final = 5.0


async def models_are_fine(settings: ModelsSettings, *, environ: Mapping[str, str] | None = None) -> bool:
    """One line a model: how long it took, what it cost, or what is wrong with its remedy."""
    from firstline.caches.store import Kept
    from firstline.errors import FirstlineError
    from firstline.model_wiring import open_models

    try:
        opened = open_models(settings, Kept("model", bytes_max=0), environ=environ)
    except FirstlineError as error:
        say(f"BAD   models: {error}")
        return False
    if opened is None:
        say("ok    no language model is configured: answers are quoted from the evidence")
        return True
    try:
        # What loading the libraries takes is no model's time.
        await opened.load()
        # One after the other: two at once would make each look slower than it is.
        return all([await _is_fine(probe) for probe in opened.probes])
    finally:
        with suppress(TimeoutError):
            await asyncio.wait_for(opened.close(), CLOSE_S_MAX)


async def _is_fine(probe: Probe) -> bool:
    from firstline.domain import Finish, ModelRequest, Part
    from firstline.errors import FirstlineError

    request = ModelRequest(
        role=probe.role,
        parts=(Part(text=QUESTION),),
        max_tokens=TOKENS_MAX,
        deadline_at_s=asyncio.get_running_loop().time() + probe.timeout_s,
        tenant="doctor",
    )
    began = time.monotonic()
    try:
        done = await probe.model.complete(request)
    except FirstlineError as error:
        say(f"BAD   {probe.role.value} {probe.name}: {error}")
        return False
    told = f"{probe.role.value} {probe.name}: {_took(done, time.monotonic() - began)}, {_cost(done, probe)}"
    if done.finish in (Finish.WHOLE, Finish.CUT):
        say(f"ok    {told}")
        return True
    say(f"BAD   {told}. It gave no answer ({done.finish.value}). Name another model, or ask its provider why.")
    return False


def _took(done: Completion, seconds: float) -> str:
    return f"first text after {done.first_token_s:.2f} s, all after {seconds:.2f} s"


def _cost(done: Completion, probe: Probe) -> str:
    tokens = f"{done.tokens_in} tokens in, {done.tokens_out} out"
    counted = "" if done.counted else " (estimated: the provider counts none)"
    money = f", cost {done.cost:.6f}" if probe.priced else ", no price in the settings"
    return f"{tokens}{counted}{money}"
