"""What the graph is made of: entities, and edges that one document says each."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from firstline.domain.basics import FOREVER
from firstline.domain.principals import Level


class EntityKind(StrEnum):
    DOCUMENT = "document"
    """Key: its id. Tickets, issues and forum posts are documents too."""
    SECTION = "section"
    """Key: the document's id, "#", the numbers of the section among its sisters from the top ("guide.md#2.1")."""
    ADDRESS = "address"
    """Where a link points, or where a document says it is: a URL without scheme and query, or a path in its source."""
    COMPONENT = "component"
    """A product, a part of one, a person, a thing with a name. Key: see `entity_names.name_key`."""
    ERROR = "error"
    VERSION = "version"
    METHOD = "method"
    COMMAND = "command"
    SETTING = "setting"
    SYMPTOM = "symptom"
    """Key of symptoms, root causes and resolutions: the id of the chunk that tells it."""
    ROOT_CAUSE = "root_cause"
    RESOLUTION = "resolution"


class Relation(StrEnum):
    """Read from source to target: this document SUPERSEDES that one."""

    NAMES = "NAMES"
    """A document goes by this name, number or address: what a mention of it leads to."""
    PART_OF = "PART_OF"
    NEXT = "NEXT"
    REFERENCES = "REFERENCES"
    MENTIONS = "MENTIONS"
    RESOLVES = "RESOLVES"
    HAS_ROOT_CAUSE = "HAS_ROOT_CAUSE"
    AFFECTS = "AFFECTS"
    APPLIES_TO = "APPLIES_TO"
    SUPERSEDES = "SUPERSEDES"
    DUPLICATE_OF = "DUPLICATE_OF"


@dataclass(frozen=True, kw_only=True, slots=True)
class Entity:
    """A node. `name` is how this text writes it; two entities are one when kind and key are equal."""

    kind: EntityKind
    key: str
    name: str

    @property
    def entity_id(self) -> str:
        # Joined, which is twice as fast as formatting an enum: walks ask this of every end that they meet.
        return self.kind + ":" + self.key


MODEL_RULES: Final = "model "
"""How the extractor of an edge begins that a language model found, and its document does not say by the rules."""


def by_model(extractor: str) -> str:
    return MODEL_RULES + extractor


@dataclass(frozen=True, kw_only=True, slots=True)
class Edge:
    """What one chunk says of two entities, and how sure it is. Who may see the chunk sees it, in the same snapshots.

    `start` and `end` are bytes of the document's blob: the words that say it. `extractor` is the version of the rules.
    `confidence` is the measured share of such edges that are right (docs/graph.md), 0 to 1.
    """

    tenant: str
    kb: str
    source: Entity
    relation: Relation
    target: Entity
    doc_id: str
    chunk_id: str
    start: int
    end: int
    extractor: str
    confidence: float
    acl: frozenset[str]
    level: Level
    since: int
    until: int = FOREVER

    @property
    def of_model(self) -> bool:
        return self.extractor.startswith(MODEL_RULES)

    @property
    def edge_id(self) -> str:
        """32 hex digits: the same edge written twice is one edge. The chunk's id names the document's revision."""
        told = "\x1f".join((self.chunk_id, self.source.entity_id, self.relation, self.target.entity_id))
        return hashlib.blake2b(told.encode(), digest_size=16).hexdigest()
