"""What a format's reader hands back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from firstline.domain import NOTHING


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """`own_title` was stated (front matter), `title` was guessed (first heading, properties); either may be empty.
    `hidden` is text that a reader of the page does not see; it is not in `text`.
    `page_mark` stands in `text` where each page of paper begins; empty for formats without such. `notice` is what the
    owner of the file should know of what could not be read."""

    text: str
    title: str = ""
    own_title: str = ""
    metadata: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    hidden: str = ""
    page_mark: str = ""
    notice: str = ""
