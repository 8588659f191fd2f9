"""Take quotations of forgotten documents and persons out of a record, whatever the record is.

Records are JSON as the ledger keeps them. What names a forgotten chunk or document is blanked with all that stands
beside it: a citation with its claim, a page tried with its title. Numbers and times stay: a conversation remains a
conversation, and a turn's number remains its number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

from firstline.domain import FORGOTTEN
from firstline.ports import Marks

NOWHERE: Final = "00000000-0000-0000-0000-000000000000"
NO_BLOB: Final = "0" * 64
_KEPT: Final = frozenset(
    {"type", "kind", "state", "tenant", "kb", "session_id", "handoff_id", "draft_id", "at", "asked_at", "created_at"}
)
"""Names of fields that say what a thing is and whose it is, never what a document says."""


def scrubbed(record: Any, marks: Marks) -> Any:
    """The record without a trace of what is marked; equal to it when there was none."""
    return _Scrub(marks).value(record)


def told(record: Any, marks: Marks) -> Any:
    """As `scrubbed`, for sentences about documents: one that names a forgotten document goes as a whole."""
    return _Told(marks).value(record)


def quotes(record: Any, marks: Marks) -> bool:
    return scrubbed(record, marks) != record


class _Scrub:
    def __init__(self, marks: Marks) -> None:
        self._ids = marks.doc_ids | marks.chunk_ids
        # The longest first: one may begin another.
        texts = sorted(marks.texts, key=len, reverse=True)
        self._texts = re.compile("|".join(map(re.escape, texts)), re.IGNORECASE) if texts else None
        self._titles = [f"“{title}" for title in sorted(marks.titles, key=len, reverse=True) if title]

    def value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, dict):
            return self._object(cast(dict[str, Any], value))
        if isinstance(value, list):
            return self._list(cast(list[Any], value))
        return value

    def _text(self, text: str) -> str:
        if text in self._ids:
            return FORGOTTEN
        if self._texts is not None:
            text = self._texts.sub(FORGOTTEN, text)
        for title in self._titles:
            text = text.replace(title, f"“{FORGOTTEN}")
        return text

    def _object(self, found: dict[str, Any]) -> dict[str, Any]:
        if self._is_marked(found):
            return {name: _blank(name, value) for name, value in found.items()}
        citations = found.get("citations")
        if any(self._is_marked(one) for one in _items(citations)):
            # A claim's words are the document's.
            return {name: FORGOTTEN if name == "text" else self.value(value) for name, value in found.items()}
        if any(_in(one, self._ids) for one in _items(found.get("issued"))):
            # A model's draft, made from what it was given: any of its words may be that document's.
            found = {**found, "claims": [], "dropped": []}
        if isinstance(found.get("pages"), list) and isinstance(found.get("options"), list):
            return self._choice(found)
        if any(_in(doc, self._ids) for doc in _items(found.get("docs"))):
            # Judged: what a reviewer wrote down beside the document was taken from it.
            found = {**found, "reference": "", "must_contain": []}
        return {name: self.value(value) for name, value in found.items()}

    def _choice(self, found: dict[str, Any]) -> dict[str, Any]:
        """Titles that can be picked, and beside them whose they are."""
        hidden = {at for at, page in enumerate(found["pages"]) if page in self._ids}
        options = [FORGOTTEN if at in hidden else self.value(one) for at, one in enumerate(found["options"])]
        rest = {name: self.value(value) for name, value in found.items() if name != "options"}
        return {**rest, "options": options}

    def _list(self, found: list[Any]) -> list[Any]:
        # Evidence is pairs of a chunk and its scores: without its chunk a score says nothing.
        return [self.value(one) for one in found if not any(_in(first, self._ids) for first in _items(one)[:1])]

    def _is_marked(self, found: Any) -> bool:
        if not isinstance(found, dict):
            return False
        named = cast(Mapping[str, Any], found)
        return any(_in(named.get(name), self._ids) for name in ("chunk_id", "doc_id", "item_id"))


class _Told(_Scrub):
    def __init__(self, marks: Marks) -> None:
        super().__init__(marks)
        ids = "|".join(re.escape(one) for one in sorted(marks.doc_ids, key=len, reverse=True))
        # An id that is a word, or a part of a path, is one only where it is quoted.
        quoted, whole = rf"""(?<=['"“‘`])(?:{ids})(?=['"”’`])""", rf"(?<![\w/.#-])(?:{ids})(?![\w/#-]|\.\w)"
        paths = any(sign in one for one in marks.doc_ids for sign in "/.#")
        self._named = re.compile(f"{quoted}|{whole}" if paths else quoted) if ids else None

    def _text(self, text: str) -> str:
        if self._named is not None and self._named.search(text):
            return FORGOTTEN
        return super()._text(text)

    def _list(self, found: list[Any]) -> list[Any]:
        """What became of a forgotten document is nobody's business any more: it leaves the list."""
        return super()._list([one for one in found if not self._is_marked(one)])


def _items(value: Any) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else []


def _in(value: Any, ids: frozenset[str]) -> bool:
    return isinstance(value, str) and value in ids


def _blank(name: str, value: Any) -> Any:
    if name in _KEPT or not isinstance(value, str):
        return value
    return {"chunk_id": NOWHERE, "blob": NO_BLOB}.get(name, FORGOTTEN)
