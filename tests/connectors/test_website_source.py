"""Websites as sources: what is read, what is left alone, and when something is wrong."""

from __future__ import annotations

import gzip
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest
from opened import QUICK, Said, hear, opened
from site_server import Answer, Asked, Says, Site, page, serving

from firstline.connectors.http import HttpLimits
from firstline.documents.parse import parse
from firstline.errors import Forbidden, TooManyRequests, Unavailable

ROBOTS = {"Content-Type": "text/plain"}
XML = {"Content-Type": "application/xml"}


def html(title: str, body: str = "", *, head: str = "", links: tuple[str, ...] = ()) -> str:
    text = body or f"Everything there is to know about {title}, in plain words."
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    return (
        f"<html><head><title>{title}</title>{head}</head><body><nav>{anchors}</nav>"
        f"<main><h1>{title}</h1><p>{text}</p></main><footer>Imprint</footer></body></html>"
    )


def doc(title: str, *links: str, **more: str) -> Says:
    return page(html(title, links=links, **more))


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    async with serving() as started:
        yield started


def crawl(
    site: Site, tmp_path: Path, cursor: str | None = None, *, start: str = "/", limits: HttpLimits = QUICK, **options
):
    source = opened(
        "website", tmp_path, limits=limits, **{"url": site.url + start, "allow_private": True, "pace_s": 0, **options}
    )
    return hear(source, cursor)


def sitemap(*paths: str) -> Callable[[Asked], Says]:
    def answer(asked: Asked) -> Says:
        host = asked.headers["host"]
        urls = "".join(f"<url><loc>http://{host}{path}</loc></url>" for path in paths)
        return Says(body=f'<?xml version="1.0"?><urlset xmlns="x">{urls}</urlset>', headers=XML)

    return answer


def site_of(site: Site, *names: str) -> None:
    """A home page that links to pages of these names."""
    site.routes["/"] = doc("Home", *(f"/{name}" for name in names))
    for name in names:
        site.routes[f"/{name}"] = doc(name.title())


# --- finding pages ---------------------------------------------------------------------------------------------------


async def test_links_are_followed(site: Site, tmp_path: Path):
    site.routes["/"] = doc("Home", "a", "/b/", "/a#part", "?utm_source=x", "mailto:me@x.example", "/logo.png", "/gone")
    site.routes["/a"] = doc("Alpha", "/c", "http://elsewhere.example/", "javascript:void(0)")
    site.routes["/b/"] = doc("Beta", "../a")
    site.routes["/c"] = doc("Gamma", "/")
    said = await crawl(site, tmp_path)
    assert set(said.items) == {"index", "a", "b", "c"}
    assert (said.complete, said.alerts, said.error) == (["src/"], [], None)
    assert site.paths.count("/a") == 1 and "/logo.png" not in site.paths
    assert said.items["a"].url == f"{site.url}/a"


async def test_the_main_text_is_what_the_parser_gets(site: Site, tmp_path: Path):
    site.routes["/"] = doc("Home", "/a")
    site.routes["/a"] = doc("Alpha")
    parsed = parse((await crawl(site, tmp_path)).items["a"])
    assert (parsed.title, "Everything there is to know" in parsed.text) == ("Alpha", True)
    assert "Imprint" not in parsed.text and "/a" not in parsed.text


async def test_a_sitemap_is_enough(site: Site, tmp_path: Path):
    site.routes["/sitemap.xml"] = sitemap("/a", "/b")
    site.routes["/"] = doc("Home", "/not-listed")
    for name in ("a", "b", "not-listed"):
        site.routes[f"/{name}"] = doc(name, "/not-listed")
    assert set((await crawl(site, tmp_path)).items) == {"index", "a", "b"}
    assert set((await crawl(site, tmp_path, follow="yes")).items) == {"index", "a", "b", "not-listed"}


async def test_sitemaps_of_sitemaps_packed_and_named_by_robots(site: Site, tmp_path: Path):
    index = (
        f"<sitemapindex><sitemap><loc>{site.url}/one.xml.gz</loc></sitemap>"
        f"<sitemap><loc>{site.url}/two.txt</loc></sitemap></sitemapindex>"
    )
    site.routes["/robots.txt"] = Says(body=f"Sitemap: {site.url}/index.xml", headers=ROBOTS)
    site.routes["/index.xml"] = Says(body=index, headers=XML)
    one = f"<urlset><url><loc>\n{site.url}/a?x=1&amp;y=2\n</loc><image:loc>{site.url}/pic</image:loc></url></urlset>"
    site.routes["/one.xml.gz"] = Says(body=gzip.compress(one.encode()))
    site.routes["/two.txt"] = Says(body=f"{site.url}/b\nhttp://elsewhere.example/c\n")
    for path in ("/", "/a", "/b"):
        site.routes[path] = doc(path)
    said = await crawl(site, tmp_path)
    assert set(said.items) == {"index", "a?x=1&y=2", "b"}
    assert "/pic" not in site.paths


async def test_a_sitemap_that_is_cut_off_removes_nothing(site: Site, tmp_path: Path):
    for path in ("/a", "/b", "/c"):
        site.routes[path] = page(f"<p>The text of {path} says something of its own, at length.</p>")
    whole = f"<urlset>{''.join(f'<url><loc>{site.url}{path}</loc></url>' for path in ('/a', '/b', '/c'))}</urlset>"
    site.routes["/sitemap.xml"] = Says(body=whole[: whole.index("/c")], headers={"Content-Type": "application/xml"})
    said = await hear(opened("website", tmp_path, url=f"{site.url}/", allow_private=True, pace_s=0))
    assert said.keeps and "cut off" in said.alerts[0]
    assert {"a", "b"} <= set(said.items)


async def test_sections_have_rules(site: Site, tmp_path: Path):
    for path in ("/a", "/internal/b", "/Internal/c"):
        site.routes[path] = page(f"<p>The text of {path} says something of its own, at length.</p>")
    canonical = f'<link rel="canonical" href="{site.url}/open/d">'
    site.routes["/internal/d"] = Says(
        body=f"<html><head>{canonical}</head><body><main><p>Another text, at some length.</p></main></body></html>",
        headers={"Content-Type": "text/html"},
    )
    site.routes["/sitemap.xml"] = sitemap("/a", "/internal/b", "/Internal/c", "/internal/d")
    rules = [{"path": "internal/**", "acl": ["staff"], "level": "internal"}, {"path": "nowhere/", "acl": ["x"]}]
    said = await hear(opened("website", tmp_path, url=f"{site.url}/", allow_private=True, pace_s=0, access=rules))
    closed = {name for name, one in said.items.items() if sorted(one.acl) == ["staff"]}
    assert closed == set(said.items) - {"a", ""} and len(closed) == 3
    assert any("nowhere/" in alert for alert in said.alerts)


async def test_a_rule_holds_whatever_is_asked_of_the_page(site: Site, tmp_path: Path):
    for path in ("/a", "/faq", "/internal"):
        site.routes[path] = page(f"<p>The text of {path} says something of its own, at length.</p>")
    site.routes["/sitemap.xml"] = sitemap("/a", "/faq?page=2&amp;lang=ja", "/internal?id=1")
    rules = [{"path": name, "acl": ["staff"]} for name in ("faq", "internal/**")]
    said = await hear(opened("website", tmp_path, url=f"{site.url}/", allow_private=True, pace_s=0, access=rules))
    closed = {name for name, one in said.items.items() if sorted(one.acl) == ["staff"]}
    assert closed == {name for name in said.items if "?" in name} and len(closed) == 2
    assert said.alerts == []


async def test_a_rule_of_the_place_where_a_page_was_found_fits_when_it_did_not_change(site: Site, tmp_path: Path):
    canonical = f'<link rel="canonical" href="{site.url}/open/d">'
    text = f"<html><head>{canonical}</head><body><main><p>A text, at some length, of its own.</p></main></body></html>"
    site.routes["/internal/d"] = tagged(Says(body=text, headers={"Content-Type": "text/html"}), '"1"')
    site.routes["/sitemap.xml"] = sitemap("/internal/d")
    options: dict[str, Any] = {"url": f"{site.url}/", "allow_private": True, "pace_s": 0}
    options["access"] = [{"path": "internal", "acl": ["staff"]}]
    first = await hear(opened("website", tmp_path, **options))
    later = await hear(opened("website", tmp_path, **options), first.cursor)
    assert later.unchanged == {"open/d"} and later.alerts == first.alerts == []


async def test_a_sitemap_that_cannot_be_read_removes_nothing(site: Site, tmp_path: Path):
    site.routes["/robots.txt"] = Says(body="Sitemap: /broken.xml\nSitemap: /good.xml", headers=ROBOTS)
    site.routes["/broken.xml"] = Says(status=500)
    site.routes["/good.xml"] = sitemap("/a")
    site.routes["/"], site.routes["/a"] = doc("Home"), doc("A")
    said = await crawl(site, tmp_path)
    assert set(said.items) == {"index", "a"}
    assert said.keeps and "sitemap could not be read" in said.alerts[0]


async def test_only_what_lies_beside_and_below_the_start_is_read(site: Site, tmp_path: Path):
    site.routes["/docs/start"] = doc("Start", "/docs/a", "/blog/x", "/docs/old/b", "/docsx")
    site.routes["/docs/a"], site.routes["/docs/old/b"] = doc("A"), doc("B")
    said = await crawl(site, tmp_path, start="/docs/start", without=["/docs/old/"])
    assert set(said.items) == {"docs/start", "docs/a"}


async def test_a_limit_of_pages_is_said_and_removes_nothing(site: Site, tmp_path: Path):
    site_of(site, *(f"p{number}" for number in range(9)))
    said = await crawl(site, tmp_path, pages_max=4)
    assert len(said.items) == 4
    assert said.keeps and "more than 4 pages" in said.alerts[0]


async def test_a_calendar_without_an_end_ends(site: Site, tmp_path: Path):
    def month(asked: Asked) -> Says:
        number = int(asked.query.get("m", "0"))
        return doc(f"Month {number}", f"/calendar?m={number + 1}", f"{asked.path}/next", "/a")

    site.otherwise = month
    said = await crawl(site, tmp_path, pages_max=1_000)
    assert len(said.items) < 70
    assert said.error is None


async def test_other_documents_are_taken_too(site: Site, tmp_path: Path):
    site.routes["/"] = doc("Home", "/guide.pdf", "/notes.md", "/data", "/image")
    site.routes["/guide.pdf"] = Says(body=b"%PDF-1.4 x", headers={"Content-Type": "application/pdf"})
    site.routes["/notes.md"] = Says(body="# Notes\n\nText.", headers={"Content-Type": "text/markdown"})
    site.routes["/data"] = Says(body="{}", headers={"Content-Type": "application/json"})
    site.routes["/image"] = Says(body=b"\x89PNG", headers={"Content-Type": "image/png"})
    said = await crawl(site, tmp_path)
    assert {name: item.media_type for name, item in said.items.items()} == {
        "index": "text/html",
        "guide.pdf": "application/pdf",
        "notes.md": "text/markdown",
    }


async def test_other_encodings_are_read(site: Site, tmp_path: Path):
    body = html("Grüße", "Die Größe der Datei ist überall gleich, für alle.")
    site.routes["/"] = Says(body=body.encode("latin-1"), headers={"Content-Type": "text/html; charset=iso-8859-1"})
    assert "Größe" in (await crawl(site, tmp_path)).texts["index"]


# --- what the owners say ---------------------------------------------------------------------------------------------


async def test_robots_is_obeyed(site: Site, tmp_path: Path):
    site.routes["/robots.txt"] = Says(
        body="User-agent: *\nDisallow: /\n\nUser-agent: firstline\n"
        "Disallow: /private\nDisallow: /*.php$\nAllow: /private/open\n",
        headers=ROBOTS,
    )
    site_of(site, "a", "private/x", "private/open", "b.php")
    said = await crawl(site, tmp_path)
    assert set(said.items) == {"index", "a", "private/open"}
    assert "/private/x" not in site.paths and "/b.php" not in site.paths


async def test_a_site_that_wants_nobody_is_left_alone(site: Site, tmp_path: Path):
    site.routes["/robots.txt"] = Says(body="User-agent: *\nDisallow: /", headers=ROBOTS)
    site_of(site, "a")
    said = await crawl(site, tmp_path)
    assert said.keeps and "robots.txt does not allow" in said.alerts[0]
    assert (said.complete, site.paths) == ([], ["/robots.txt"])


async def test_while_robots_cannot_be_asked_nothing_is_read(site: Site, tmp_path: Path):
    site.routes["/robots.txt"] = Says(status=503)
    site_of(site, "a")
    said = await crawl(site, tmp_path)
    assert isinstance(said.error, Unavailable)
    assert set(site.paths) == {"/robots.txt"}


async def test_a_crawl_delay_is_kept(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    naps: list[float] = []

    async def nap(self: object, seconds: float) -> None:
        naps.append(seconds)

    site.routes["/robots.txt"] = Says(body="User-agent: *\nCrawl-delay: 7\n", headers=ROBOTS)
    site_of(site, "a", "b")
    source = opened("website", tmp_path, url=site.url, allow_private=True, pace_s=0)
    make = source._opening.http  # type: ignore[attr-defined]

    class Patient:
        def __getattr__(self, name: str):
            return getattr(source_opening, name)

        def http(self, *given: object, **more: object):
            client = make(*given, **more)
            client._sleep = lambda seconds: nap(None, seconds)
            return client

    source_opening = source._opening  # type: ignore[attr-defined]
    source._opening = Patient()  # type: ignore[attr-defined]
    said = await hear(source)
    assert len(said.items) == 3
    assert len(naps) >= 3 and all(6 < seconds <= 7.01 for seconds in naps)


@pytest.mark.parametrize(
    ("head", "header"),
    [
        ('<meta name="robots" content="noindex, follow">', ""),
        ('<META NAME="ROBOTS" CONTENT="NOINDEX">', ""),
        ("", "noindex"),
    ],
)
async def test_noindex_is_not_taken_and_its_links_are(site: Site, tmp_path: Path, head: str, header: str):
    site.routes["/"] = doc("Home", "/a")
    site.routes["/a"] = page(html("A", head=head, links=("/b",)), **({"X_Robots_Tag": header} if header else {}))
    site.routes["/b"] = doc("B")
    assert set((await crawl(site, tmp_path)).items) == {"index", "b"}


async def test_nofollow_is_not_followed(site: Site, tmp_path: Path):
    site.routes["/"] = page(
        '<html><body><main>Everything about this site, in many words. <a href="/a" rel="nofollow ugc">a</a>'
        '<a href="/b">b</a></main></body></html>'
    )
    site.routes["/a"] = doc("A")
    site.routes["/b"] = doc("B", "/c", head='<meta name="robots" content="nofollow">')
    site.routes["/c"] = doc("C")
    assert set((await crawl(site, tmp_path)).items) == {"index", "b"}


# --- one page, one document ------------------------------------------------------------------------------------------


async def test_a_canonical_address_names_the_page(site: Site, tmp_path: Path):
    site.routes["/"] = doc("Home", "/a?view=print", "/a?view=wide", "/a")
    site.routes["/a"] = doc("A", head='<link rel="canonical" href="/a">')
    said = await crawl(site, tmp_path)
    assert set(said.items) == {"index", "a"}
    assert said.items["a"].url == f"{site.url}/a"


async def test_a_home_page_that_all_name_as_canonical_is_not_believed(site: Site, tmp_path: Path):
    head = '<link rel="canonical" href="/">'
    site.routes["/"] = doc("Home", "/a", "/b", head=head)
    site.routes["/a"], site.routes["/b"] = doc("A", head=head), doc("B", head=head)
    assert set((await crawl(site, tmp_path)).items) == {"index", "a", "b"}


async def test_a_copy_is_taken_once(site: Site, tmp_path: Path):
    site.routes["/"] = doc("Home", "/a", "/a/", "/copy")
    site.routes["/a"] = site.routes["/a/"] = site.routes["/copy"] = doc("A")
    said = await crawl(site, tmp_path)
    assert (set(said.items), said.alerts) == ({"index", "a"}, [])


async def test_redirects_inside_lead_to_one_page(site: Site, tmp_path: Path):
    site.routes["/"] = doc("Home", "/old", "/new")
    site.routes["/old"] = Says(status=301, headers={"Location": "/new"})
    site.routes["/new"] = doc("New")
    said = await crawl(site, tmp_path)
    assert (set(said.items), said.failures) == ({"index", "new"}, {})


async def test_what_differs_with_every_visit_is_no_change(site: Site, tmp_path: Path):
    visits = iter(range(100))

    def changing(asked: Asked) -> Says:
        number = next(visits)
        return page(
            f'<html><head><meta name="csrf-token" content="{number}"><script>var t={number}</script></head><body>'
            f'<!-- {number} --><main nonce="n{number}">Everything there is to know, and more.'
            f'<form><input type="hidden" value="{number}"></form></main></body></html>'
        )

    site.routes["/"] = changing
    first, second = (await crawl(site, tmp_path)).items["index"], (await crawl(site, tmp_path)).items["index"]
    assert first.content_hash == second.content_hash


# --- what has not changed --------------------------------------------------------------------------------------------


def tagged(say: Says, tag: str) -> Callable[[Asked], Says]:
    def answer(asked: Asked) -> Says:
        if asked.headers.get("if-none-match") == tag:
            return Says(status=304)
        return Says(status=say.status, body=say.body, headers={**say.headers, "ETag": tag})

    return answer


async def test_pages_that_did_not_change_are_not_sent_again(site: Site, tmp_path: Path):
    site.routes["/"] = tagged(doc("Home", "/a", "/b"), '"h1"')
    site.routes["/a"] = tagged(doc("A", "/c"), '"a1"')
    site.routes["/b"] = tagged(doc("B"), '"b1"')
    site.routes["/c"] = doc("C")
    first = await crawl(site, tmp_path)
    assert set(first.items) == {"index", "a", "b", "c"}
    site.routes["/b"] = tagged(doc("B", body="Another text, which is just as long as it has to be."), '"b2"')
    second = await crawl(site, tmp_path, first.cursor)
    assert (second.unchanged, set(second.items)) == ({"index", "a"}, {"b", "c"})
    assert second.complete == ["src/"]
    third = await crawl(site, tmp_path, second.cursor)
    assert third.unchanged == {"index", "a", "b"}


@pytest.mark.parametrize(
    "cursor", ["", "nonsense", "[]", '{"v": 1}', '{"v": 1, "urls": [], "pages": [[5]]}', '{"v": 9}']
)
async def test_a_place_that_cannot_be_read_means_everything(site: Site, tmp_path: Path, cursor: str):
    site_of(site, "a")
    assert set((await crawl(site, tmp_path, cursor)).items) == {"index", "a"}


# --- when something is wrong -----------------------------------------------------------------------------------------


async def grown(site: Site, tmp_path: Path) -> Said:
    site_of(site, *(f"p{number}" for number in range(8)))
    said = await crawl(site, tmp_path)
    assert (len(said.items), said.alerts) == (9, [])
    return said


@pytest.mark.parametrize(
    "target", ["/login?next=x", "/users/sign_in", "https://sso.example.com/authorize", "http://localhost:9/"]
)
async def test_a_site_that_sends_everybody_to_its_login_loses_nothing(site: Site, tmp_path: Path, target: str):
    before = await grown(site, tmp_path)
    site.routes.clear()
    site.routes["/login"] = site.routes["/users/sign_in"] = page(
        "<html><body><h1>Log in</h1><form><input type=password></form></body></html>"
    )
    site.otherwise = Says(status=302, headers={"Location": target})
    site.routes["/robots.txt"] = Says(status=404)
    said = await crawl(site, tmp_path, before.cursor)
    assert said.keeps and not said.items


async def test_some_pages_behind_a_login_are_failures(site: Site, tmp_path: Path):
    site_of(site, "a", "b", "c")
    site.routes["/b"] = Says(status=302, headers={"Location": "/login"})
    site.routes["/c"] = page("<html><body><h1>Members</h1><p>Please log in.</p><input type='password'></body></html>")
    said = await crawl(site, tmp_path)
    assert (set(said.items), set(said.failures), said.alerts) == ({"index", "a"}, {"b", "c"}, [])
    assert said.complete == ["src/"]


@pytest.mark.parametrize(
    "body",
    [
        html("404 Not Found", "nginx"),
        html("Oops", "The page you are looking for could not be found."),
        html("Internal Server Error", "The server met an error."),
        html("503 Service Temporarily Unavailable", ""),
        html("We'll be back", "This site is down for maintenance."),
        html("Just a moment...", "Checking if the site connection is secure"),
        html("Access denied", "You do not have access."),
        html("Page not found \u2013 Acme Docs", "It looks like nothing was found at this location."),
        html("Error establishing a database connection", "Contact the owner."),
        html("Seite nicht gefunden", "Die angeforderte Seite existiert nicht."),
        html("HTTP Status 500 \u2013 Internal Server Error", "Type Exception Report"),
    ],
)
async def test_an_error_page_with_status_200_is_no_page(site: Site, tmp_path: Path, body: str):
    before = await grown(site, tmp_path)
    site.routes["/p3"] = page(body)
    said = await crawl(site, tmp_path, before.cursor)
    assert set(said.failures) == {"p3"}
    assert "p3" not in said.items
    for number in range(8):
        site.routes[f"/p{number}"] = page(body)
    said = await crawl(site, tmp_path, before.cursor)
    assert said.keeps and "p3" in said.failures


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Fix 503 Service Unavailable errors", "When the gateway answers 503, look at the pods first. " * 12),
        ("Error 404", "This code means that the object is not in the bucket. Check the key, then the region. " * 8),
        ("Access denied errors", "Grant the role reader to the user, and try again."),
        ("HTTP status codes", "404 not found: the object is missing. 503 service unavailable: try later."),
        ("ACME-404: index is stale", "Rebuild the index with acme reindex, then try again."),
        ("Unblock a user", "When a user has been blocked, open the profile and press Unblock."),
        ("Rate limit exceeded errors", "Wait for the time that Retry-After names, then repeat."),
        ("Access denied for user", "The database refuses the user. Grant the right, then connect again. " * 9),
    ],
)
async def test_a_page_about_errors_is_a_page(site: Site, tmp_path: Path, title: str, body: str):
    site.routes["/"] = doc("Home", "/a")
    site.routes["/a"] = doc(title, body=body)
    assert set((await crawl(site, tmp_path)).items) == {"index", "a"}


async def test_what_a_site_shows_for_a_page_it_does_not_have_is_no_page(site: Site, tmp_path: Path):
    site_of(site, "a", "b")
    site.otherwise = doc(
        "Nothing to see", body="Return to the start page, or use the search above to find what you want."
    )
    site.routes["/"] = doc("Home", "/a", "/b", "/removed")
    site.routes["/robots.txt"] = site.routes["/sitemap.xml"] = Says(status=404)
    said = await crawl(site, tmp_path)
    assert (set(said.items), set(said.failures)) == ({"index", "a", "b"}, {"removed"})


async def test_one_text_everywhere_is_an_alert(site: Site, tmp_path: Path):
    before = await grown(site, tmp_path)
    for number in range(8):
        site.routes[f"/p{number}"] = doc(
            "Welcome", body="We have a new design, have a look around and tell your friends."
        )
    said = await crawl(site, tmp_path, before.cursor)
    assert said.keeps and "the same text" in said.alerts[0]


async def test_everything_leading_home_is_an_alert(site: Site, tmp_path: Path):
    before = await grown(site, tmp_path)
    for number in range(8):
        site.routes[f"/p{number}"] = Says(status=302, headers={"Location": "/"})
    said = await crawl(site, tmp_path, before.cursor)
    assert said.keeps and "one and the same page" in said.alerts[0]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html><body></body></html>",
        '<html><body><div id="root"></div><script>render()</script><noscript>Turn JS on.</noscript></body></html>',
        "<html><head><title>App</title></head><body><nav>Menu</nav></body></html>",
    ],
)
async def test_a_page_that_yields_no_text_is_told(site: Site, tmp_path: Path, body: str):
    site.routes["/"] = doc("Home", "/a", "/b")
    site.routes["/a"], site.routes["/b"] = page(body), doc("B")
    said = await crawl(site, tmp_path)
    assert set(said.failures) == {"a"} and "JavaScript" in said.failures["a"]
    assert "1 pages yield no text" in said.alerts[0] and not said.keeps


async def test_a_site_that_yields_nothing_at_all_is_told(site: Site, tmp_path: Path):
    said = await crawl(site, tmp_path)
    assert said.keeps and "It yielded no page." in said.alerts


async def test_pages_that_are_gone_are_gone(site: Site, tmp_path: Path):
    before = await grown(site, tmp_path)
    site.routes["/p1"], site.routes["/p2"] = Says(status=404), Says(status=410)
    said = await crawl(site, tmp_path, before.cursor)
    assert not {"p1", "p2"} & (set(said.items) | set(said.failures) | said.unchanged)
    assert (said.complete, said.alerts) == (["src/"], [])


@pytest.mark.parametrize(
    "answer",
    [
        Says(status=500),
        Says(status=403),
        Says(body=b"x" * 300_000, headers={"Content-Type": "text/html"}),
        Says(status=302, headers={"Location": "/p1"}),
        Says(pieces=[b"x"] * 100, pause_s=0.1),
        Says(hang_up=True),
    ],
    ids=["500", "403", "huge", "circle", "slow", "hang up"],
)
async def test_a_page_that_cannot_be_read_is_kept(site: Site, tmp_path: Path, answer: Answer):
    before = await grown(site, tmp_path)
    site.routes["/p1"] = answer
    limits = HttpLimits(connect_s=1, read_s=0.3, try_s=0.3, bytes_max=200_000, tries_max=1)
    said = await crawl(site, tmp_path, before.cursor, limits=limits)
    assert (set(said.failures), said.error) == ({"p1"}, None)
    assert said.complete == ["src/"]


async def test_a_page_that_could_not_be_read_twice_keeps_its_name(site: Site, tmp_path: Path):
    site.routes["/"] = doc("Home", "/a?view=1")
    site.routes["/a"] = tagged(doc("A", head='<link rel="canonical" href="/a">'), '"1"')
    first = await crawl(site, tmp_path)
    assert set(first.items) == {"index", "a"}
    site.routes["/a"] = Says(status=403)
    second = await crawl(site, tmp_path, first.cursor)
    third = await crawl(site, tmp_path, second.cursor)
    assert (set(second.failures), set(third.failures)) == ({"a"}, {"a"})


async def test_a_site_that_goes_down_ends_the_sync(site: Site, tmp_path: Path):
    before = await grown(site, tmp_path)
    for number in range(8):
        site.routes[f"/p{number}"] = Says(status=500)
    said = await crawl(site, tmp_path, before.cursor, limits=HttpLimits(tries_max=1))
    assert isinstance(said.error, Unavailable) and said.complete == []


async def test_a_site_that_wants_us_to_wait_long_is_left_for_later(site: Site, tmp_path: Path):
    site_of(site, "a", "b")
    site.routes["/b"] = Says(status=429, headers={"Retry-After": "3600"})
    said = await crawl(site, tmp_path)
    assert isinstance(said.error, TooManyRequests)
    assert (set(said.items), said.complete) == ({"index", "a"}, [])


async def test_nothing_inside_is_read_unless_allowed(site: Site, tmp_path: Path):
    site_of(site, "a")
    said = await crawl(site, tmp_path, allow_private=False)
    assert isinstance(said.error, Forbidden) and site.asked == []


async def test_a_header_of_ours_goes_along(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SITE_AUTH", "Basic aHVzaA==")
    site_of(site, "a")
    await crawl(site, tmp_path, authorization="env:SITE_AUTH")
    assert {asked.headers.get("authorization") for asked in site.asked} == {"Basic aHVzaA=="}


async def test_an_address_that_is_none_does_not_end_the_walk(site: Site, tmp_path: Path):
    site.routes["/robots.txt"] = Says(body="Sitemap: http://[bad/sitemap.xml", headers=ROBOTS)
    site.routes["/"] = doc("Home", "/bad", "/good")
    site.routes["/bad"] = Says(status=302, headers={"Location": "http://[bad/"})
    site.routes["/good"] = doc("Good")
    said = await crawl(site, tmp_path)
    assert "good" in said.items and "bad" in said.failures


async def test_a_copy_takes_the_place_of_a_page_that_is_gone(site: Site, tmp_path: Path):
    def one_text(asked: Asked) -> Says:
        if asked.headers.get("if-none-match") == '"1"':
            return Says(status=304)
        return page(html("The same"), ETag='"1"')

    site_of(site, "a", "b")
    site.routes["/a"] = site.routes["/b"] = one_text
    first = await crawl(site, tmp_path)
    assert "a" in first.items and "b" not in first.items
    del site.routes["/a"]
    again = await crawl(site, tmp_path, first.cursor)
    assert "b" in again.items
