"""Which documents do issues and discussions of GitHub become?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from firstline.connectors.overrides import Access
from firstline.connectors.vendors.answers import Json, inner, inner_list, text
from firstline.connectors.vendors.item import Making
from firstline.connectors.vendors.thread import Remark, Thread
from firstline.domain import Change, DocumentKind

_TEAM: Final = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
_UNSOLVED: Final = frozenset({"not_planned", "duplicate"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Posts:
    """Of one repository, `owner/name`."""

    making: Making
    access: Access
    repository: str

    def issue(self, issue: Json, comments: Sequence[Json]) -> Change:
        """Solved by the last comment of the team, when it was closed as completed."""
        title, state, reason = text(issue, "title"), text(issue, "state"), text(issue, "state_reason")
        remarks = [
            _remark(each, text(each, "author_association"))
            for each in comments
            if text(inner(each, "user"), "type") != "Bot"
        ]
        answer = None
        if state == "closed" and reason not in _UNSOLVED:
            answer = next((each for each in reversed(remarks) if each.role == "Maintainer"), None)
        return self._item(
            f"issues/{text(issue, 'number')}",
            Thread(title=title, problem=_problem(issue), remarks=remarks, answer=answer),
            url=text(issue, "html_url"),
            fields={
                "status": state,
                "state_reason": reason,
                "labels": ", ".join(text(label, "name") for label in inner_list(issue, "labels")),
                "milestone": text(inner(issue, "milestone"), "title"),
                "updated_at": text(issue, "updated_at"),
            },
            kind=DocumentKind.ISSUE,
        )

    def discussion(self, discussion: Json, comments: Sequence[Json]) -> Change:
        """Solved by the comment or reply that was marked as the answer."""
        remarks: list[Remark] = []
        answer: Remark | None = None
        for comment in comments:
            for said in (comment, *inner_list(comment, "replies", "nodes")):
                if said.get("isMinimized") is True or text(inner(said, "author"), "__typename") == "Bot":
                    continue
                remarks.append(_remark(said, text(said, "authorAssociation")))
                if said.get("isAnswer") is True:
                    answer = remarks[-1]
        return self._item(
            f"discussions/{text(discussion, 'number')}",
            Thread(title=text(discussion, "title"), problem=_problem(discussion), remarks=remarks, answer=answer),
            url=text(discussion, "url"),
            fields={
                "status": "answered" if answer else "closed" if discussion.get("closed") is True else "open",
                "category": text(inner(discussion, "category"), "name"),
                "labels": ", ".join(text(label, "name") for label in inner_list(discussion, "labels", "nodes")),
                "updated_at": text(discussion, "updatedAt"),
            },
            kind=DocumentKind.FORUM_POST,
        )

    def _item(self, key: str, thread: Thread, *, url: str, fields: dict[str, str], kind: DocumentKind) -> Change:
        media_type, raw = thread.page()
        return self.making.item(
            f"{self.repository}/{key}",
            media_type=media_type,
            raw=raw,
            title=thread.title,
            url=url,
            fields={"repository": self.repository, **fields},
            access=replace(self.access, kind=kind),
        )


def _problem(post: Json) -> Remark:
    return Remark(text=text(post, "body") or text(post, "title"), form="markdown", role="User")


def _remark(post: Json, association: str) -> Remark:
    role = "Maintainer" if association in _TEAM else "User"
    return Remark(text=text(post, "body"), form="markdown", role=role)
