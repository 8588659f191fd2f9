"""GitHub over its API: issues of repositories by the time of their update, discussions by what is known of each."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import Annotated, Any, Final, Literal, cast

from pydantic import BeforeValidator, Field, StringConstraints

from firstline.connectors.github.graph import Discussions
from firstline.connectors.github.posts import Posts
from firstline.connectors.http import HttpClient
from firstline.connectors.kind import Opening, SecretRef, SourceKind, WebAddress, WebConfig
from firstline.connectors.vendors.answers import Json, ask, inner, inner_list, record, records, text
from firstline.connectors.vendors.following import (
    DAY_S,
    Entry,
    Mark,
    follow_stamps,
    follow_updates,
    known_of,
    mark_of,
    place_of,
    said,
    stamp_of,
    updated_since,
)
from firstline.connectors.vendors.item import Making, iso, listed, moment, only
from firstline.domain import Change, Complete, Cursor, Failure
from firstline.errors import Forbidden, NotFound

PAGE: Final = 100
COMMENT_PAGES_MAX: Final = 30

Repository = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}$")]


class GitHubConfig(WebConfig):
    repos: Annotated[tuple[Repository, ...], BeforeValidator(listed)] = Field(
        min_length=1, description="Repositories: owner/name, with commas between."
    )
    url: WebAddress = Field(
        "https://api.github.com", description="The API; of an own server: https://github.example.com/api/v3"
    )
    token: SecretRef = Field("", description="Where the token is: env:NAME or file:PATH. Discussions need one.")
    content: tuple[Literal["issues", "discussions"], ...] = Field(
        ("issues",), description="What is read: issues, discussions."
    )
    states: tuple[Literal["open", "closed"], ...] = Field(("open", "closed"), description="States of issues.")
    labels: tuple[str, ...] = Field((), description="Only issues with one of these labels; empty: all.")
    tags: dict[str, str] = Field(
        default_factory=dict[str, str], description="Other tags for private repositories: github:owner/name=staff."
    )
    sweep_s: float = Field(DAY_S, ge=60, description="How often the whole list is walked for what is gone.")


class GitHubSource:
    """Implements `ports.Incremental`. Ids: `NAME/owner/name/issues/12`, `NAME/owner/name/discussions/13`. The cursor
    keeps for each repository the last update that was read, and the stamps of its discussions."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._config = cast("GitHubConfig", opening.config)
        self._making = Making(opening=opening)
        self._api = self._config.url.rstrip("/")

    async def changes(self, cursor: str | None) -> AsyncIterator[Change]:
        token = self._opening.secret(self._config.token)
        place, whole = place_of(cursor), cursor is None
        async with self._opening.http(
            self._api,
            headers={"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"},
            secret_headers={"Authorization": f"Bearer {token}"} if token else {},
        ) as http:
            for repository in self._config.repos:
                try:
                    answer, _ = await ask(http, f"{self._api}/repos/{repository}")
                except (NotFound, Forbidden) as error:
                    # The others can still be read, and what stood of this one stays.
                    yield Failure(item_id=f"{self._opening.name}/{repository}/", reason=said(error))
                    whole = False
                    continue
                async for change in self._repository(http, repository, record(answer, repository), place):
                    yield change
        if whole:
            # Everything was read anew: what stands of repositories that the options do not name any more ends.
            yield Complete(prefix=f"{self._opening.name}/")

    async def _repository(
        self, http: HttpClient, repository: str, told: Json, place: dict[str, Any]
    ) -> AsyncIterator[Change]:
        access = self._opening.access
        if told.get("private") is not False:
            access = only(access, frozenset({f"github:{repository}"}), self._config.tags)
        posts = Posts(making=self._making, access=access, repository=repository)
        # Who may see the repository is part of what was read: when that changes, all of it is read anew.
        shape, before = stamp_of(sorted(access.acl)), place.get(repository)
        kept: dict[str, Any] = cast("dict[str, Any]", before) if isinstance(before, dict) else {}
        if kept.get("shape") != shape:
            kept = {"shape": shape}
        place[repository] = kept
        if "issues" in self._config.content:
            async for change in self._issues(http, posts, mark_of(kept.get("issues"))):
                if isinstance(change, Mark):
                    kept["issues"] = change.told()
                    yield Cursor(value=json.dumps(place))
                else:
                    yield change
        if "discussions" in self._config.content:
            known = known_of(kept.get("discussions"))
            async for change in self._discussions(http, posts, known):
                if isinstance(change, dict):
                    kept["discussions"] = change
                    yield Cursor(value=json.dumps(place))
                else:
                    yield change

    async def _issues(self, http: HttpClient, posts: Posts, mark: Mark) -> AsyncIterator[Change | Mark]:
        url = f"{self._api}/repos/{posts.repository}/issues"

        async def fetch(since: float, page: int) -> tuple[list[Entry], bool]:
            asked = {"state": "all", "sort": "updated", "direction": "asc", "per_page": str(PAGE), "page": str(page)}
            answer, reply = await ask(http, url, params={**asked, "since": iso(since)})
            found = records(answer, "", url)
            entries = [
                Entry(
                    key=f"{posts.repository}/issues/{text(issue, 'number')}",
                    updated=moment(issue.get("updated_at")),
                    aside=not self._wanted(issue),
                    data=issue,
                )
                for issue in found
            ]
            # It leaves out what was hidden, and the page is shorter then.
            return entries, len(found) >= PAGE or bool(reply.link("next"))

        async def read(entry: Entry) -> Sequence[Change]:
            count = entry.data.get("comments")
            comments = await self._comments(http, url, entry) if count != 0 else []
            return [posts.issue(entry.data, comments)]

        async for change in follow_updates(
            lambda since: updated_since(fetch, since),
            read,
            name=self._opening.name,
            prefix=f"{self._opening.name}/{posts.repository}/issues/",
            mark=mark,
            sweep_s=self._config.sweep_s,
        ):
            yield change

    def _wanted(self, issue: Json) -> bool:
        if "pull_request" in issue or text(issue, "state") not in self._config.states:
            return False
        labels = {text(label, "name") for label in inner_list(issue, "labels")}
        return not self._config.labels or not labels.isdisjoint(self._config.labels)

    async def _comments(self, http: HttpClient, url: str, entry: Entry) -> list[Json]:
        target, asked = f"{url}/{text(entry.data, 'number')}/comments", {"per_page": str(PAGE)}
        found: list[Json] = []
        for _ in range(COMMENT_PAGES_MAX):
            answer, reply = await ask(http, target, params=asked)
            found.extend(records(answer, "", target))
            target, asked = reply.link("next"), {}
            if not target or not http.allows(target):
                break
        return found

    async def _discussions(self, http: HttpClient, posts: Posts, known: Any) -> AsyncIterator[Change | dict[str, str]]:
        api = self._api.removesuffix("/v3") if self._api.endswith("/api/v3") else self._api
        discussions = Discussions(http, f"{api}/graphql", posts.repository)

        async def entries() -> AsyncIterator[Entry]:
            async for node in discussions.listed():
                counted = text(inner(node, "comments"), "totalCount")
                told = [node.get(name) for name in ("updatedAt", "isAnswered", "closed")]
                key = f"{posts.repository}/discussions/{text(node, 'number')}"
                yield Entry(key=key, stamp=stamp_of(*told, counted), data=node)

        async def read(entry: Entry) -> Sequence[Change]:
            found, comments = await discussions.one(int(entry.data["number"]))
            return [posts.discussion(found, comments)]

        async for change in follow_stamps(
            entries(),
            read,
            name=self._opening.name,
            prefix=f"{self._opening.name}/{posts.repository}/discussions/",
            known=known,
        ):
            yield cast("Change | dict[str, str]", change)


KIND = SourceKind(
    name="github",
    says="Issues and discussions of GitHub.",
    config=GitHubConfig,
    open=GitHubSource,
    main="repos",
)
