"""The only file that names concrete classes."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from firstline.documents.journey import DocumentJourney
from firstline.documents.redact import PatternRedactor
from firstline.engines.blobs import ObjectBlobs, open_local_blobs
from firstline.engines.memory.limits import MemoryRateLimiter
from firstline.engines.postgres import open_postgres
from firstline.engines.qdrant_edge import open_qdrant_edge
from firstline.models.classifier import load_classifier
from firstline.models.embedder import open_embedder
from firstline.models.words import EngineerWords
from firstline.ports import (
    BlobStore,
    ChunkIndex,
    ConversationLedger,
    Embedder,
    KeyLedger,
    KnowledgeLedger,
    RateLimiter,
)
from firstline.questions.gate import GateModel, load_gates
from firstline.questions.journey import JourneyLimits, QuestionJourney
from firstline.questions.retrieve import FusionWeights
from firstline.settings import Settings

logger = logging.getLogger(__name__)
