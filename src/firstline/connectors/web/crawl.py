"""From page to page: what is read, what is left alone, and when a website looks wrong as a whole."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from firstline.connectors.access_rules import AccessRules
from firstline.connectors.hashing import content_hash
from firstline.connectors.http import HttpClient, HttpReply, shown_url
from firstline.connectors.overrides import Access
from firstline.connectors.web.links import is_trap, normal, page_name, page_path
from firstline.connectors.web.page import WebPage, leads_to_login, web_page
from firstline.connectors.web.robots import Robots
from firstline.connectors.web.visited import Visited, as_cursor
from firstline.domain import Alert, Change, Complete, Cursor, Failure, SourceItem, Unchanged
from firstline.errors import FirstlineError, NotAccepted, Unavailable

DOWN_IN_A_ROW_MAX: Final = 8
PAGES_PER_PLACE: Final = 200
PLACE_S: Final = 60.0
QUERIES_PER_PATH_MAX: Final = 50
WRONG_SHARE_MAX: Final = 0.2
WRONG_ALWAYS: Final = 3
"""So few of a kind may always be wrong."""
HTML: Final = frozenset({"text/html", "application/xhtml+xml", ""})
PROBE: Final = "no-such-page-of-this-site-asks-firstline"
FILES: Final = {
    "application/pdf": "application/pdf",
    "text/markdown": "text/markdown",
    "text/x-markdown": "text/markdown",
    "text/plain": "text/plain",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    ),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class CrawlRules:
    """`within` and `without` are beginnings of paths. `follow`: links of pages are followed, not only lists."""

    within: tuple[str, ...]
    without: tuple[str, ...]
    follow: bool
    pages_max: int
    depth_max: int


class Crawl:
    """One walk over a website. Pages that did not change are not sent again, if the site keeps track of that."""

    def __init__(
        self,
        http: HttpClient,
        *,
        name: str,
        access: Access,
        folders: AccessRules,
        robots: Robots,
        rules: CrawlRules,
        known: dict[str, Visited],
        bytes_max: int,
    ) -> None:
        self._http = http
        self._name = name
        self._access = access
        self._folders = folders
        self._robots = robots
        self._rules = rules
        self._known = known
        self._bytes_max = bytes_max
        self._queue: deque[tuple[str, int]] = deque()
        self._met: set[str] = set()
        self._queries: Counter[str] = Counter()
        self._visited: dict[str, Visited] = {}
        self._texts: dict[str, str] = {}
        """By address the signature of the page that is there."""
        self._named: dict[str, str] = {}
        """By signature what the first page with that text is called."""
        self._wrong: Counter[str] = Counter()
        self._copies: Counter[str] = Counter()
        self._led: Counter[str] = Counter()
        self._error_signature = ""
        self._down = 0
        self._looked = 0
        self._kept = 0
        self._cut = False

    def add(self, urls: Iterable[str], *, depth: int = 0) -> None:
        """Pages to look at, if they are in bounds."""
        for url in urls:
            if url in self._met or depth > self._rules.depth_max or not self._is_wanted(url):
                continue
            parts = urlsplit(url)
            self._queries[parts.path] += bool(parts.query)
            if self._queries[parts.path] > QUERIES_PER_PATH_MAX:
                continue
            self._met.add(url)
            self._queue.append((url, depth))

    async def changes(self, *, start: str) -> AsyncIterator[Change]:
        """Every page that can be reached, then whether that was all of them."""
        await self._probe(start)
        placed_at = time.monotonic()
        while self._queue:
            if self._looked >= self._rules.pages_max:
                self._cut = True
                break
            url, depth = self._queue.popleft()
            self._looked += 1
            for change in await self._look(url, depth):
                self._kept += isinstance(change, SourceItem | Unchanged)
                yield change
            if self._looked % PAGES_PER_PLACE == 0 or time.monotonic() - placed_at > PLACE_S:
                placed_at = time.monotonic()
                # What was not looked at yet is as it was known.
                yield Cursor(value=as_cursor({**self._known, **self._visited}))
        for alert in self._alerts():
            yield alert
        yield Complete(prefix=f"{self._name}/")
        yield Cursor(value=as_cursor(self._visited))

    async def _probe(self, start: str) -> None:
        """What this site says of a page that it does not have, in case it says so with a 200."""
        url = normal(f"/{PROBE}", start)
        if not self._robots.allows(url):
            return
        try:
            reply = await self._http.fetch(url, bytes_max=self._bytes_max)
        except NotAccepted:
            return
        if reply.status == 200 and reply.media_type in HTML and urlsplit(reply.url).path.endswith(PROBE):
            self._error_signature = (await self._read(reply)).signature

    async def _look(self, url: str, depth: int) -> list[Change]:
        known = self._known.get(url)
        # A copy of another page is read whole: should that one be gone, this one is its document.
        asks = known is not None and bool(known.name)
        try:
            reply = await self._http.fetch(
                url,
                etag=known.etag if known and asks else "",
                modified=known.modified if known and asks else "",
                bytes_max=self._bytes_max,
            )
        except NotAccepted as error:
            return [self._failure(url, str(error))]
        except Unavailable as error:
            self._down += 1
            if self._down >= DOWN_IN_A_ROW_MAX:
                raise
            return [self._failure(url, str(error))]
        self._down = 0
        if reply.unchanged and known is not None:
            return self._as_before(url, known, depth)
        if reply.outside:
            self._wrong["outside"] += 1
            return [self._failure(url, f"It sends its readers to {shown_url(reply.outside)}, outside this site.")]
        there = normal(reply.url)
        if there != url:
            if leads_to_login(there) and not leads_to_login(url):
                self._wrong["login"] += 1
                return [self._failure(url, f"It sends its readers to {shown_url(there)}, where they say who they are.")]
            self._led[there] += 1
            if there in self._met or not self._is_wanted(there):
                return []
            self._met.add(there)
        if reply.status in (404, 410):
            return []
        refusal: FirstlineError | None = reply.refusal
        if refusal is not None:
            self._wrong["refused"] += 1
            return [self._failure(url, str(refusal))]
        if reply.media_type in FILES:
            return self._file(there, reply)
        if reply.media_type not in HTML:
            return []
        return self._page(there, await self._read(reply), reply, depth)

    def _as_before(self, url: str, known: Visited, depth: int) -> list[Change]:
        self._visited[url] = known
        self._texts[url] = known.signature
        self._follow(known.links, depth)
        if not known.name:
            return []
        self._named.setdefault(known.signature, known.name)
        self._folders.see([page_path(url), known.name.partition("?")[0]])
        return [Unchanged(item_id=f"{self._name}/{known.name}")]

    def _page(self, url: str, page: WebPage, reply: HttpReply, depth: int) -> list[Change]:
        self._follow(page.links, depth)
        if page.noindex:
            self._remember(url, reply, page, name="")
            return []
        if page.wrong or page.signature == self._error_signature:
            self._wrong[page.wrong or "error"] += 1
            return [self._failure(url, page.problem or "It shows what this site shows for a page it does not have.")]
        own = self._own_address(url, page)
        self._texts[url] = page.signature
        self._texts.setdefault(own, page.signature)
        name = page_name(own)
        first = self._named.setdefault(page.signature, name)
        if first != name:
            self._copies[page.signature] += 1
            self._remember(url, reply, page, name="")
            return []
        self._remember(url, reply, page, name=name)
        return [self._item(name, own, page.raw, "text/html", also=url)]

    def _own_address(self, url: str, page: WebPage) -> str:
        """The canonical address, unless another text is known to be there: some sites name their first page on all."""
        own = page.canonical
        if not own or not self._is_wanted(own):
            return url
        return url if self._texts.get(own, page.signature) != page.signature else own

    def _file(self, url: str, reply: HttpReply) -> list[Change]:
        name = page_name(url)
        if not reply.body.strip():
            self._wrong["empty"] += 1
            return [self._failure(url, "It is empty.")]
        self._visited[url] = Visited(etag=reply.etag, modified=reply.modified, name=name, signature="", links=())
        return [self._item(name, url, reply.body, FILES[reply.media_type], also=url)]

    def _item(self, name: str, url: str, raw: bytes, media_type: str, *, also: str) -> SourceItem:
        # What a page calls its own address must not open it wider than where it was found.
        access = self._folders.access(self._access, [page_path(url), page_path(also)])
        return content_hash(
            SourceItem(
                item_id=f"{self._name}/{name}",
                kind=access.kind,
                media_type=media_type,
                raw=raw,
                url=url,
                metadata=access.metadata(""),
                acl=access.acl,
                level=access.level,
            )
        )

    def _remember(self, url: str, reply: HttpReply, page: WebPage, *, name: str) -> None:
        self._visited[url] = Visited(
            etag=reply.etag,
            modified=reply.modified,
            name=name,
            signature=page.signature,
            links=page.links if self._rules.follow else (),
        )

    def _follow(self, links: Iterable[str], depth: int) -> None:
        if self._rules.follow:
            self.add(links, depth=depth + 1)

    def _is_wanted(self, url: str) -> bool:
        path = urlsplit(url).path
        return (
            self._http.allows(url)
            and path.startswith(self._rules.within)
            and not (self._rules.without and path.startswith(self._rules.without))
            and not is_trap(url)
            and self._robots.allows(url)
        )

    def _failure(self, url: str, reason: str) -> Failure:
        known = self._known.get(url)
        if known is not None:
            # What was known of it still is: above all, what its document is called.
            self._visited[url] = known
        name = known.name if known and known.name else page_name(url)
        return Failure(item_id=f"{self._name}/{name}", reason=reason)

    async def _read(self, reply: HttpReply) -> WebPage:
        return await asyncio.to_thread(
            web_page,
            reply.body,
            url=normal(reply.url),
            charset=reply.charset,
            robots_header=reply.headers.get("x-robots-tag", ""),
        )

    def _alerts(self) -> list[Alert]:
        said: list[Alert] = []
        if self._cut:
            said.append(
                Alert(said=f"It has more than {self._rules.pages_max:,} pages: raise `pages_max`, or name less of it.")
            )
        if not self._kept:
            said.append(Alert(said="It yielded no page."))
        most = max(WRONG_ALWAYS, int(WRONG_SHARE_MAX * self._looked))
        for kind, meaning in (
            ("login", "ask who we are: the site wants a token, or our access has ended"),
            ("outside", "lead to another host: the site has moved, or sends everybody to a login"),
            ("error", "show an error, with status 200"),
            ("refused", "are refused to us"),
        ):
            if self._wrong[kind] > most:
                said.append(Alert(said=f"{self._wrong[kind]:,} of {self._looked:,} pages {meaning}."))
        same = max(self._copies.values(), default=0)
        if same > most:
            said.append(Alert(said=f"{same:,} of {self._looked:,} addresses show the same text."))
        led = max(self._led.values(), default=0)
        if led > most:
            said.append(Alert(said=f"{led:,} of {self._looked:,} addresses lead to one and the same page."))
        if self._wrong["empty"]:
            said.append(
                Alert(
                    said=f"{self._wrong['empty']:,} pages yield no text: they are empty, or need JavaScript.",
                    keeps=False,
                )
            )
        return said
