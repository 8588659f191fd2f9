"""A website: the pages that its sitemaps list, or that its links lead to, as far as its robots.txt allows."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final, Literal, cast
from urllib.parse import urljoin, urlsplit

from pydantic import Field

from firstline.connectors.http import HttpClient, shown_url
from firstline.connectors.http.reply import joined
from firstline.connectors.kind import FoldersConfig, Opening, SecretRef, SourceKind, WebAddress, WebConfig
from firstline.connectors.web.crawl import Crawl, CrawlRules
from firstline.connectors.web.links import normal
from firstline.connectors.web.robots import Robots, robots_of
from firstline.connectors.web.sitemap import Sitemap, sitemap_of
from firstline.connectors.web.visited import from_cursor
from firstline.domain import Alert, Change
from firstline.errors import FirstlineError, InvalidInput

SITEMAPS_MAX: Final = 500
SITEMAP_DEPTH_MAX: Final = 3
LISTED_MAX: Final = 500_000


class WebsiteConfig(FoldersConfig, WebConfig):
    url: WebAddress = Field(description="Where to begin. Pages beside and below it are taken.")
    sitemap: str = Field("", description="Address of its sitemap; empty: as robots.txt says, or /sitemap.xml.")
    follow: Literal["auto", "yes", "no"] = Field("auto", description="Follow links; auto: when there is no sitemap.")
    within: tuple[str, ...] = Field((), description="Beginnings of paths that are taken; empty: the folder of `url`.")
    without: tuple[str, ...] = Field((), description="Beginnings of paths that are left out.")
    pages_max: int = Field(5_000, ge=1, le=200_000, description="More pages than that are not read.")
    depth_max: int = Field(20, ge=0, le=100, description="Links followed one after the other.")
    pace_s: float = Field(
        0.2, ge=0, le=600, description="Least time between two requests; robots.txt may ask for more."
    )
    authorization: SecretRef = Field("", description="Where the Authorization header is: env:NAME or file:PATH.")


class WebsiteSource:
    """Implements `ports.Incremental`. Item ids are the source's name and the page's path; the cursor is what is known
    of each page. Complete when every page that can be reached was looked at."""

    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._config = cast("WebsiteConfig", opening.config)

    async def changes(self, cursor: str | None) -> AsyncIterator[Change]:
        config, opening = self._config, self._opening
        start, folders = normal(config.url), config.rules
        if not start:
            raise InvalidInput(f"{config.url} is no page.", remedy="Name the page to begin with.")
        secret = opening.secret(config.authorization)
        async with opening.http(
            config.url,
            secret_headers={"Authorization": secret} if secret else {},
            also_hosts=_twins(config.url),
        ) as http:
            robots = await self._robots(http, start)
            http.pace_s = max(http.pace_s, robots.crawl_delay_s)
            if not robots.allows(start):
                yield Alert(said="Its robots.txt does not allow us to read it.")
                return
            pages, problems = await self._listed(http, robots, start)
            for problem in problems:
                yield Alert(said=problem)
            crawl = Crawl(
                http,
                name=opening.name,
                access=opening.access,
                folders=folders,
                robots=robots,
                rules=self._rules(start, listed=bool(pages)),
                known=from_cursor(cursor),
                bytes_max=opening.bytes_max,
            )
            crawl.add([start])
            crawl.add(pages)
            async for change in crawl.changes(start=start):
                yield change
            if folders:
                yield folders.fit()
            for said in folders.unmet():
                yield Alert(said=said, keeps=False)

    def _rules(self, start: str, *, listed: bool) -> CrawlRules:
        config = self._config
        folder = urlsplit(start).path.rsplit("/", 1)[0] + "/"
        return CrawlRules(
            within=config.within or (folder,),
            without=config.without,
            follow=config.follow == "yes" or (config.follow == "auto" and not listed),
            pages_max=config.pages_max,
            depth_max=config.depth_max,
        )

    async def _robots(self, http: HttpClient, start: str) -> Robots:
        """Without a robots.txt everything is allowed. While the site cannot say (5xx), nothing is: Unavailable."""
        reply = await http.fetch(urljoin(start, "/robots.txt"))
        if reply.status == 200 and reply.media_type != "text/html":
            return robots_of(reply.body)
        return Robots()

    async def _listed(self, http: HttpClient, robots: Robots, start: str) -> tuple[list[str], list[str]]:
        """(pages that the sitemaps list, what is wrong with them). A list that is not whole removes nothing."""
        declared = [self._config.sitemap] if self._config.sitemap else list(robots.sitemaps)
        todo = [(joined(start, url), 0) for url in declared] or [(urljoin(start, "/sitemap.xml"), 0)]
        met: set[str] = set()
        pages: dict[str, None] = {}
        problems: list[str] = []
        while todo and len(met) < SITEMAPS_MAX:
            if len(pages) > LISTED_MAX:
                problems.append(f"Its sitemaps list more than {LISTED_MAX:,} pages: the rest is not looked at.")
                break
            url, depth = todo.pop(0)
            if url in met or not http.allows(url):
                continue
            if depth > SITEMAP_DEPTH_MAX:
                problems.append(f"Its sitemaps name each other more than {SITEMAP_DEPTH_MAX} deep.")
                continue
            met.add(url)
            found, problem = await self._sitemap(http, url)
            if problem and (declared or depth or found.pages or found.sitemaps):
                problems.append(problem)
            for page in found.pages:
                address = normal(page, url)
                if address:
                    pages[address] = None
            todo.extend((joined(url, each), depth + 1) for each in found.sitemaps)
        if todo and len(met) >= SITEMAPS_MAX:
            problems.append(f"It has more than {SITEMAPS_MAX:,} sitemaps: the rest is not looked at.")
        return list(pages), list(dict.fromkeys(problems))

    async def _sitemap(self, http: HttpClient, url: str) -> tuple[Sitemap, str]:
        try:
            reply = await http.get(url)
        except FirstlineError as error:
            return Sitemap(), f"A sitemap could not be read. {error.message}"
        found = sitemap_of(reply.body)
        if found is None:
            return Sitemap(), f"{shown_url(url)} is no sitemap."
        # What it does not name any more is not known to be gone.
        return found, "" if found.whole else f"{shown_url(url)} is cut off, or too long: it does not name every page."


def _twins(url: str) -> tuple[str, ...]:
    """The same name with and without www: most sites send their readers from one to the other."""
    netloc = urlsplit(url).netloc.lower()
    return (netloc.removeprefix("www."),) if netloc.startswith("www.") else (f"www.{netloc}",)


KIND = SourceKind(
    name="website", says="A website, by its sitemap or its links.", config=WebsiteConfig, open=WebsiteSource, main="url"
)
