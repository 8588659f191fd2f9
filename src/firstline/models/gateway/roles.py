"""Which chain answers for a role, and within what limits?"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace

from firstline.domain import Completion, ModelRequest, ModelRole, Piece
from firstline.errors import InvalidInput
from firstline.ports import LanguageModel


@dataclass(frozen=True, kw_only=True, slots=True)
class RoleLimits:
    """Of one request, with everything that is tried for it."""

    max_tokens: int
    timeout_s: float


class Roles:
    """Implements `ports.LanguageModel`: gives a request to the chain of its role, with the role's limits where the
    request has none or wider ones. InvalidInput when none is configured."""

    def __init__(self, chains: Mapping[ModelRole, LanguageModel], limits: Mapping[ModelRole, RoleLimits]) -> None:
        self._chains = dict(chains)
        self._limits = dict(limits)
        self.requests: Counter[ModelRole] = Counter()

    def model_id(self, role: ModelRole) -> str:
        chain = self._chains.get(role)
        return "" if chain is None else chain.model_id(role)

    async def complete(self, request: ModelRequest) -> Completion:
        return await self._chain(request.role).complete(self._limited(request))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece]:
        stream = self._chain(request.role).stream(self._limited(request))
        async with aclosing(stream):
            async for piece in stream:
                yield piece

    def _chain(self, role: ModelRole) -> LanguageModel:
        chain = self._chains.get(role)
        if chain is None:
            raise InvalidInput(
                f"No language model is configured for the role {role.value!r}.",
                remedy=f"Name one: `chain` in [models.{role.value}] (docs/models.md).",
            )
        self.requests[role] += 1
        return chain

    def _limited(self, request: ModelRequest) -> ModelRequest:
        limits = self._limits[request.role]
        asked = request.max_tokens if request.max_tokens > 0 else limits.max_tokens
        until_s = asyncio.get_running_loop().time() + limits.timeout_s
        return replace(
            request,
            max_tokens=min(asked, limits.max_tokens),
            deadline_at_s=min(request.deadline_at_s, until_s),
        )
