"""Who asks, and what may they see?"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum


class Level(IntEnum):
    """How confidential a document is, and how much a principal may see."""

    PUBLIC = 0
    CUSTOMER = 1
    INTERNAL = 2
    RESTRICTED = 3

    @classmethod
    def parse(cls, name: str) -> Level:
        return cls[name.strip().upper()]

    @property
    def label(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, kw_only=True, slots=True)
class Principal:
    """Who asks. Sees a document when it holds one of the document's ACL tags AND its level reaches the document's."""

    tenant: str
    user: str
    acl_tags: frozenset[str]
    level: Level

    @property
    def scope_hash(self) -> str:
        """Names what this principal may see: equal hashes see equal documents."""
        tags = "\x1f".join(sorted(self.acl_tags))
        return hashlib.sha256(f"{self.tenant}\x1e{tags}\x1e{int(self.level)}".encode()).hexdigest()[:16]


class KeyScope(StrEnum):
    """What a key may do besides asking and reading."""

    MINT = "mint"
    """Make widget tokens."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ApiKey:
    """A stored key: the secret itself is known to its holder alone, `secret_sha256` checks it."""

    key_id: str
    secret_sha256: str
    name: str
    principal: Principal
    kb: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    scopes: frozenset[KeyScope] = frozenset()
