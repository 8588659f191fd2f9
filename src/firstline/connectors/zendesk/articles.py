"""Which document does an article of a Zendesk help centre become, and who may see it?"""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from firstline.connectors.overrides import Access
from firstline.connectors.vendors.answers import Json, text, texts
from firstline.connectors.vendors.item import Making, only
from firstline.domain import Failure, SourceItem


@dataclass(frozen=True, kw_only=True, slots=True)
class Articles:
    """`tags` renames the tags of user segments (`zendesk:segment:ID`)."""

    making: Making
    access: Access
    tags: Mapping[str, str]

    def item(self, article: Json, *, locale: str = "") -> SourceItem | Failure | None:
        """None for drafts."""
        if article.get("draft") is True:
            return None
        number, title, body = text(article, "id"), text(article, "title"), text(article, "body")
        return self.making.item(
            f"articles/{locale}/{number}" if locale else f"articles/{number}",
            media_type="text/html",
            raw=f"<main><h1>{html.escape(title)}</h1>\n{body}</main>\n".encode("utf-8", "replace") if body else b"",
            title=title,
            url=text(article, "html_url"),
            fields={
                "labels": ", ".join(texts(article, "label_names")),
                "locale": text(article, "locale"),
                "updated_at": text(article, "updated_at"),
            },
            access=self._access(article),
        )

    def _access(self, article: Json) -> Access:
        """No user segment means everybody who may see the source; else the segments alone."""
        listed = article.get("user_segment_ids")
        ids = [each for each in cast("list[object]", listed) if each] if isinstance(listed, list) else []
        one = article.get("user_segment_id")
        segments = frozenset(str(each) for each in [*ids, *([one] if one else [])])
        if "user_segment_id" not in article and not isinstance(listed, list):
            # It does not say who may see it.
            return only(self.access, frozenset(), self.tags)
        if not segments:
            return self.access
        return only(self.access, frozenset(f"zendesk:segment:{each}" for each in segments), self.tags)
