"""Names and marks that every other noun uses."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

FOREVER: Final = 2**31 - 1
"""`until` of what is still current."""

EVERYONE: Final = "everyone"
"""The ACL tag that every key holds unless it is created without it."""

ORIGIN: Final = "firstline.origin"
"""Metadata key of a document: a fingerprint of the place that it was taken from, so that two folders of one name are
told apart. The dot keeps it apart from the columns and fields of a source."""

GRAPH: Final = "firstline.graph"
"""Metadata key of a document whose source is kept out of the graph; its value is then GRAPH_OFF."""
GRAPH_OFF: Final = "off"

NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
