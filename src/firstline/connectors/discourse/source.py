"""Discourse over its API: a complete listing of topics; those that have new posts, or were solved, are read."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final, cast

from pydantic import Field

from firstline.connectors.discourse.topics import Category, Topics, tags_of
from firstline.connectors.http import HttpClient
from firstline.connectors.kind import Opening, SecretRef, SourceKind, WebAddress, WebConfig
from firstline.connectors.vendors.answers import Json, ask, inner, inner_list, record, text
from firstline.connectors.vendors.following import Entry, follow_stamps, known_of, place_of, stamp_of
from firstline.connectors.vendors.item import Making, at_least, notes_allowed
from firstline.connectors.vendors.paging import broken_off
from firstline.domain import Change, Cursor, DocumentKind
from firstline.errors import Forbidden, InvalidInput, NotFound

PAGES_MAX: Final = 20_000
POSTS_MAX: Final = 500
POSTS_PER_ASK: Final = 50


class DiscourseConfig(WebConfig):
    url: WebAddress = Field(description="The forum: https://forum.example.com")
    token: SecretRef = Field("", description="Where the API key is: env:NAME or file:PATH. Empty: what all may see.")
    user: str = Field("system", description="In whose name the API key reads.")
    categories: tuple[str, ...] = Field((), description="Only these categories, by slug; empty: all.")
    solved_only: bool = Field(False, description="Only topics with an accepted answer.")
    notes: bool = Field(False, description="Take whispers, too; the source's level must be internal.")
    tags: dict[str, str] = Field(
        default_factory=dict[str, str], description="Other tags for closed categories: discourse:category:staff=staff."
    )
    pace_s: float = Field(0.2, ge=0, le=600, description="Least time between two requests.")


class DiscourseSource:
    """Implements `ports.Incremental`. Ids: `NAME/topics/ID`. The cursor keeps the stamp of each topic."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._config = cast("DiscourseConfig", opening.config)
        self._site = self._config.url.rstrip("/")

    async def changes(self, cursor: str | None) -> AsyncIterator[Change]:
        config, opening = self._config, self._opening
        notes = notes_allowed(opening, wanted=config.notes)
        token = opening.secret(config.token)
        async with opening.http(
            self._site,
            headers={"Accept": "application/json"},
            secret_headers={"Api-Key": token, "Api-Username": config.user} if token else {},
        ) as http:
            topics = Topics(
                making=Making(opening=opening),
                access=at_least(opening.access, "public", DocumentKind.FORUM_POST),
                categories=await self._categories(http),
                tags=config.tags,
                notes=notes,
                site=self._site,
            )
            async for change in self._follow(http, topics, cursor):
                yield change

    async def _follow(self, http: HttpClient, topics: Topics, cursor: str | None) -> AsyncIterator[Change]:
        async def read(entry: Entry) -> Sequence[Change]:
            topic, posts = await self._topic(http, entry.key)
            return [topics.change(topic, posts)]

        async def still(key: str) -> bool:
            try:
                topic = record((await ask(http, f"{self._site}/t/{key.partition('/')[2]}.json"))[0], key)
            except (NotFound, Forbidden):
                return False
            return not topic.get("deleted_at") and self._wanted(topic, topics)

        async for change in follow_stamps(
            self._entries(http, topics),
            read,
            name=self._opening.name,
            prefix=f"{self._opening.name}/topics/",
            known=known_of(place_of(cursor).get("topics")),
            still=still,
        ):
            if isinstance(change, dict):
                yield Cursor(value=json.dumps({"topics": change}, separators=(",", ":")))
            else:
                yield cast("Change", change)

    async def _entries(self, http: HttpClient, topics: Topics) -> AsyncIterator[Entry]:
        met: set[str] = set()
        for page in range(PAGES_MAX):
            # In the order in which they were begun: what is new does not push others from page to page.
            asked = {"order": "created", "ascending": "true", "no_definitions": "true", "page": str(page)}
            answer, reply = await ask(http, f"{self._site}/latest.json", params=asked)
            listing = inner(record(answer, reply.url), "topic_list")
            if "topics" not in listing:
                raise InvalidInput(
                    "The forum did not answer with a list of topics.",
                    remedy="Check the address of the source; nothing was removed.",
                )
            found = inner_list(listing, "topics")
            numbers = {text(topic, "id") for topic in found}
            if text(listing, "more_topics_url") and numbers <= met:
                raise broken_off("The list of topics")
            met |= numbers
            for topic in found:
                told = [topic.get(name) for name in ("title", "bumped_at", "last_posted_at", "posts_count", "closed")]
                solved = topic.get("has_accepted_answer")
                acl = sorted(topics.access_of(topic).acl)
                yield Entry(
                    key=f"topics/{text(topic, 'id')}",
                    stamp=stamp_of(*told, solved, tags_of(topic), text(topic, "category_id"), acl),
                    aside=not self._wanted(topic, topics),
                )
            if not text(listing, "more_topics_url"):
                return

    def _wanted(self, topic: Json, topics: Topics) -> bool:
        if text(topic, "archetype") == "private_message" or topic.get("visible") is False:
            return False
        solved = topic.get("has_accepted_answer") is True or bool(inner(topic, "accepted_answer"))
        if self._config.solved_only and not solved:
            return False
        category = topics.categories.get(text(topic, "category_id"))
        return not self._config.categories or (category is not None and category.slug in self._config.categories)

    async def _topic(self, http: HttpClient, key: str) -> tuple[Json, list[Json]]:
        """(topic, its posts in order). The first answer has twenty of them; the others are asked for by number."""
        number = key.partition("/")[2]
        answer, reply = await ask(http, f"{self._site}/t/{number}.json")
        topic = record(answer, reply.url)
        posts = inner_list(topic, "post_stream", "posts")
        there = {text(post, "id") for post in posts}
        stream: Any = inner(topic, "post_stream").get("stream")
        ids = [str(each) for each in cast("list[object]", stream)] if isinstance(stream, list) else []
        missing = [each for each in ids[:POSTS_MAX] if each not in there]
        for start in range(0, len(missing), POSTS_PER_ASK):
            wanted = "&".join(f"post_ids[]={each}" for each in missing[start : start + POSTS_PER_ASK])
            more, _ = await ask(http, f"{self._site}/t/{number}/posts.json?{wanted}")
            posts.extend(inner_list(record(more, key), "post_stream", "posts"))
        return topic, sorted({text(post, "id"): post for post in posts}.values(), key=_position)

    async def _categories(self, http: HttpClient) -> dict[str, Category]:
        answer, reply = await ask(http, f"{self._site}/site.json")
        return {
            text(each, "id"): Category(
                name=text(each, "name"), slug=text(each, "slug"), restricted=each.get("read_restricted") is not False
            )
            for each in inner_list(record(answer, reply.url), "categories")
        }


def _position(post: Json) -> int:
    number = post.get("post_number")
    return number if isinstance(number, int) else 0


KIND = SourceKind(
    name="discourse", says="Topics of a Discourse forum.", config=DiscourseConfig, open=DiscourseSource, main="url"
)
