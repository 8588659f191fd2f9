"""Which document does a topic of Discourse become?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from firstline.connectors.overrides import Access
from firstline.connectors.vendors.answers import Json, inner, text
from firstline.connectors.vendors.item import Making, only
from firstline.connectors.vendors.thread import Remark, Thread
from firstline.domain import Change

REGULAR: Final = 1
WHISPER: Final = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Category:
    name: str
    slug: str
    restricted: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Topics:
    """`categories` by their number; a topic of one that is not there is nobody's but the holders of its tag. `tags`
    renames those (`discourse:category:SLUG`). `notes`: whispers of the staff are taken, too."""

    making: Making
    access: Access
    categories: Mapping[str, Category]
    tags: Mapping[str, str]
    notes: bool
    site: str

    def change(self, topic: Json, posts: Sequence[Json]) -> Change:
        number, title = text(topic, "id"), text(topic, "title")
        shown = [post for post in posts if _shown(post)]
        author = text(shown[0], "user_id") if shown else ""
        remarks = [_remark(post, author) for post in shown]
        solved = text(inner(topic, "accepted_answer"), "post_number")
        answer = next(
            (
                remark
                for post, remark in zip(shown[1:], remarks[1:], strict=True)
                if not remark.internal
                and (post.get("accepted_answer") is True or (solved and text(post, "post_number") == solved))
            ),
            None,
        )
        problem = remarks[0] if remarks else Remark(text=title, form="plain")
        media_type, raw = Thread(title=title, problem=problem, remarks=remarks[1:], answer=answer).page(
            notes=self.notes
        )
        category = self.categories.get(text(topic, "category_id"))
        return self.making.item(
            f"topics/{number}",
            media_type=media_type,
            raw=raw if remarks else b"",
            title=title,
            url=f"{self.site}/t/{text(topic, 'slug') or '-'}/{number}",
            fields={
                "status": "solved" if answer else "closed" if topic.get("closed") is True else "open",
                "category": category.name if category else "",
                "tags": ", ".join(tags_of(topic)),
                "updated_at": text(topic, "last_posted_at"),
            },
            access=self.access_of(topic),
        )

    def access_of(self, topic: Json) -> Access:
        number = text(topic, "category_id")
        category = self.categories.get(number)
        if category is not None and not category.restricted:
            return self.access
        name = category.slug if category else number
        return only(self.access, frozenset({f"discourse:category:{name}"}), self.tags)


def tags_of(topic: Json) -> list[str]:
    """Older servers give their names, newer ones objects with a name."""
    found: Any = topic.get("tags")
    listed = cast("list[object]", found) if isinstance(found, list) else []
    names = [text(cast("Json", each), "name") if isinstance(each, dict) else each for each in listed]
    return [name for name in names if isinstance(name, str) and name]


def _shown(post: Json) -> bool:
    if post.get("hidden") is True or post.get("deleted_at") or post.get("user_deleted") is True:
        return False
    return post.get("post_type", REGULAR) in (REGULAR, WHISPER) and bool(text(post, "cooked"))


def _remark(post: Json, author: str) -> Remark:
    staff = any(post.get(name) is True for name in ("staff", "admin", "moderator"))
    role = "Staff" if staff else "Author" if text(post, "user_id") == author else "Member"
    return Remark(text=text(post, "cooked"), form="html", role=role, internal=post.get("post_type", REGULAR) == WHISPER)
