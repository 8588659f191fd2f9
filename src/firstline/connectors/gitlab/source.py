"""GitLab over its API: issues of projects by the time of their update."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Final, Literal, cast
from urllib.parse import quote

from pydantic import BeforeValidator, Field, StringConstraints

from firstline.connectors.http import HttpClient
from firstline.connectors.kind import Opening, SecretRef, SourceKind, WebAddress, WebConfig
from firstline.connectors.overrides import Access
from firstline.connectors.vendors.answers import Json, ask, inner, record, records, text, texts
from firstline.connectors.vendors.following import (
    DAY_S,
    Entry,
    Mark,
    follow_updates,
    mark_of,
    place_of,
    said,
    stamp_of,
    updated_since,
)
from firstline.connectors.vendors.item import Making, iso, listed, moment, notes_allowed, only
from firstline.connectors.vendors.thread import Remark, Thread
from firstline.domain import Change, Complete, Cursor, DocumentKind, Failure
from firstline.errors import FirstlineError, Forbidden, NotFound, Unauthenticated

PAGE: Final = 100
NOTE_PAGES_MAX: Final = 30
MEMBER_PAGES_MAX: Final = 50
DEVELOPER: Final = 30
"""From this access level on somebody is of the team."""

Project = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,255}(?:/[A-Za-z0-9_.-]{1,255}){0,20}$")]


class GitLabConfig(WebConfig):
    projects: Annotated[tuple[Project, ...], BeforeValidator(listed)] = Field(
        min_length=1, description="Projects: group/name, with commas between."
    )
    url: WebAddress = Field("https://gitlab.com", description="The server.")
    token: SecretRef = Field("", description="Where the access token is: env:NAME or file:PATH.")
    states: tuple[Literal["opened", "closed"], ...] = Field(("opened", "closed"), description="States of issues.")
    labels: tuple[str, ...] = Field((), description="Only issues with one of these labels; empty: all.")
    notes: bool = Field(False, description="Take internal notes, too; the source's level must be internal.")
    tags: dict[str, str] = Field(
        default_factory=dict[str, str], description="Other tags for what is not public: gitlab:group/name=staff."
    )
    sweep_s: float = Field(DAY_S, ge=60, description="How often the whole list is walked for what is gone.")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Project:
    """`api` is its address in the API, `team` the numbers of those who work on it."""

    path: str
    api: str
    access: Access
    team: frozenset[str]


class GitLabSource:
    """Implements `ports.Incremental`. Ids: `NAME/group/project/issues/12`. The cursor keeps for each project the last
    update that was read."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._config = cast("GitLabConfig", opening.config)
        self._making = Making(opening=opening)
        self._notes = False

    async def changes(self, cursor: str | None) -> AsyncIterator[Change]:
        self._notes = notes_allowed(self._opening, wanted=self._config.notes)
        token = self._opening.secret(self._config.token)
        place, whole = place_of(cursor), cursor is None
        async with self._opening.http(
            self._config.url, secret_headers={"PRIVATE-TOKEN": token} if token else {}
        ) as http:
            for path in self._config.projects:
                api = f"{self._config.url.rstrip('/')}/api/v4/projects/{quote(path, safe='')}"
                try:
                    told = record((await ask(http, api))[0], path)
                except (NotFound, Forbidden) as error:
                    yield Failure(item_id=f"{self._opening.name}/{path}/", reason=said(error))
                    whole = False
                    continue
                project = _Project(path=path, api=api, access=self._access(path, told), team=await _team(http, api))
                # Whoever may see the project is part of what was read.
                shape = stamp_of(sorted(project.access.acl))
                kept = place.get(path)
                kept = cast("dict[str, Any]", kept) if isinstance(kept, dict) else {}
                mark = mark_of(kept.get("mark")) if kept.get("shape") == shape else Mark()
                async for change in self._issues(http, project, mark):
                    if isinstance(change, Mark):
                        place[path] = {"mark": change.told(), "shape": shape}
                        yield Cursor(value=json.dumps(place))
                    else:
                        yield change
        if whole:
            # Everything was read anew: what stands of projects that the options do not name any more ends.
            yield Complete(prefix=f"{self._opening.name}/")

    def _access(self, path: str, told: Json) -> Access:
        access = replace(self._opening.access, kind=DocumentKind.ISSUE)
        public = text(told, "visibility") == "public" and text(told, "issues_access_level") in ("", "enabled", "public")
        return access if public else only(access, frozenset({f"gitlab:{path}"}), self._config.tags)

    async def _issues(self, http: HttpClient, project: _Project, mark: Mark) -> AsyncIterator[Change | Mark]:
        async def fetch(since: float, page: int) -> tuple[list[Entry], bool]:
            asked = {
                "scope": "all",
                "order_by": "updated_at",
                "sort": "asc",
                "updated_after": iso(since),
                "per_page": str(PAGE),
                "page": str(page),
            }
            answer, reply = await ask(http, f"{project.api}/issues", params=asked)
            found = records(answer, "", project.path)
            entries = [
                Entry(
                    key=f"{project.path}/issues/{text(issue, 'iid')}",
                    updated=moment(issue.get("updated_at")),
                    aside=not self._wanted(issue),
                    data=issue,
                )
                for issue in found
            ]
            return entries, len(found) >= PAGE or bool(reply.headers.get("x-next-page", "").strip())

        async def read(entry: Entry) -> Sequence[Change]:
            return [self._change(entry.data, await self._read_notes(http, project, entry.data), project)]

        async for change in follow_updates(
            lambda since: updated_since(fetch, since),
            read,
            name=self._opening.name,
            prefix=f"{self._opening.name}/{project.path}/issues/",
            mark=mark,
            sweep_s=self._config.sweep_s,
        ):
            yield change

    def _wanted(self, issue: Json) -> bool:
        if text(issue, "state") not in self._config.states or issue.get("moved_to_id"):
            return False
        return not self._config.labels or not set(self._config.labels).isdisjoint(texts(issue, "labels"))

    async def _read_notes(self, http: HttpClient, project: _Project, issue: Json) -> list[Json]:
        if issue.get("user_notes_count") == 0:
            return []
        url = f"{project.api}/issues/{text(issue, 'iid')}/notes"
        found: list[Json] = []
        for page in range(1, NOTE_PAGES_MAX + 1):
            asked = {"sort": "asc", "order_by": "created_at", "per_page": str(PAGE), "page": str(page)}
            answer, _ = await ask(http, url, params=asked)
            found.extend(records(answer, "", url))
            if len(cast("list[object]", answer)) < PAGE:
                break
        return [note for note in found if note.get("system") is not True]

    def _change(self, issue: Json, notes: Sequence[Json], project: _Project) -> Change:
        title, state = text(issue, "title"), text(issue, "state")
        remarks = [_remark(note, project.team) for note in notes]
        answer = None
        if state == "closed":
            answer = next((each for each in reversed(remarks) if each.role == "Maintainer" and not each.internal), None)
        problem = Remark(text=text(issue, "description") or title, form="markdown", role="User")
        media_type, raw = Thread(title=title, problem=problem, remarks=remarks, answer=answer).page(notes=self._notes)
        access = project.access
        if issue.get("confidential") is not False:
            access = only(access, frozenset({f"gitlab:{project.path}:confidential"}), self._config.tags)
        return self._making.item(
            f"{project.path}/issues/{text(issue, 'iid')}",
            media_type=media_type,
            raw=raw,
            title=title,
            url=text(issue, "web_url"),
            fields={
                "project": project.path,
                "status": state,
                "labels": ", ".join(texts(issue, "labels")),
                "milestone": text(inner(issue, "milestone"), "title"),
                "updated_at": text(issue, "updated_at"),
            },
            access=access,
        )


def _remark(note: Mapping[str, Any], team: frozenset[str]) -> Remark:
    return Remark(
        text=text(note, "body"),
        form="markdown",
        role="Maintainer" if text(inner(note, "author"), "id") in team else "User",
        # `confidential` is what older servers call it.
        internal=note.get("internal") is True or note.get("confidential") is True,
    )


async def _team(http: HttpClient, api: str) -> frozenset[str]:
    """Nobody, when the token may not know."""
    found: set[str] = set()
    try:
        for page in range(1, MEMBER_PAGES_MAX + 1):
            answer, _ = await ask(http, f"{api}/members/all", params={"per_page": str(PAGE), "page": str(page)})
            members = records(answer, "", api)
            found |= {text(each, "id") for each in members if moment(each.get("access_level")) >= DEVELOPER}
            if len(members) < PAGE:
                break
    except (Unauthenticated, Forbidden, NotFound):
        return frozenset()
    except FirstlineError:
        return frozenset(found)
    return frozenset(found)


KIND = SourceKind(name="gitlab", says="Issues of GitLab.", config=GitLabConfig, open=GitLabSource, main="projects")
