"""robots.txt, sitemaps and addresses, as pure functions."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cost import costs_less

from firstline.connectors.web.links import is_trap, normal, page_name
from firstline.connectors.web.page import web_page
from firstline.connectors.web.robots import robots_of
from firstline.connectors.web.sitemap import sitemap_of
from firstline.connectors.web.visited import Visited, as_cursor, from_cursor


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        ("Disallow: /a", "/a", False),
        ("Disallow: /a", "/ab", False),
        ("Disallow: /a", "/b/a", True),
        ("Disallow:", "/a", True),
        ("Disallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("Disallow: /a/b\nAllow: /a", "/a/b/c", False),
        ("Disallow: /a\nAllow: /a", "/a", True),
        ("Disallow: /*.php$", "/x/y.php", False),
        ("Disallow: /*.php$", "/x/y.php?z", True),
        ("Disallow: /*.php", "/x/y.php?z", False),
        ("Disallow: /a*b*c", "/a1b2c3", False),
        ("Disallow: /a*b*c", "/a1c2b3", True),
        ("Disallow: /a$", "/a", False),
        ("Disallow: /a$", "/ab", True),
        ("Disallow: /*?", "/a?b", False),
        ("Disallow: /%C3%A9", "/é", False),
        ("Disallow: /é", "/%c3%a9t", False),
        ("disallow : /a # all of it", "/a", False),
        ("Disallow: a", "/a", True),
        ("Noindex: /a", "/a", True),
    ],
)
def test_rules(rules: str, path: str, allowed: bool):
    assert robots_of(f"User-agent: *\n{rules}\n".encode()).allows(f"https://x.example{path}") is allowed


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("User-agent: other\nDisallow: /", True),
        ("User-agent: other\nUser-agent: firstline\nDisallow: /", False),
        ("User-agent: FirstLine/2.0\nDisallow: /", False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: firstline\nAllow: /", True),
        (
            "User-agent: firstline\nAllow: /x\n\nUser-agent: *\nDisallow: /\n\nUser-agent: firstline\nDisallow: /a",
            False,
        ),
        ("Disallow: /", True),
        ("<html>not found</html>", True),
        ("", True),
        ("\ufeffUser-agent: *\r\nDisallow: /\r\n", False),
    ],
)
def test_groups(text: str, allowed: bool):
    assert robots_of(text.encode()).allows("https://x.example/a") is allowed


def test_delay_and_sitemaps():
    robots = robots_of(b"Sitemap: https://x.example/s.xml\nUser-agent: *\nCrawl-delay: 2.5\nSitemap: /t.xml\n")
    assert (robots.crawl_delay_s, robots.sitemaps) == (2.5, ("https://x.example/s.xml", "/t.xml"))
    assert robots_of(b"User-agent: *\nCrawl-delay: 86400").crawl_delay_s == 60.0
    assert robots_of(b"User-agent: *\nCrawl-delay: nan").crawl_delay_s == 0.0


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_any_robots_can_be_read(text: str):
    robots_of(text.encode()).allows("https://x.example/a?b")


def test_hostile_rules_take_no_time():
    robots = robots_of(b"User-agent: *\n" + b"Disallow: /" + b"*a" * 900 + b"$\n")
    assert costs_less(lambda: robots.allows("https://x.example/" + "a" * 1_900), than_s=0.5)


@pytest.mark.parametrize(
    ("link", "address"),
    [
        ("b", "https://x.example/a/b"),
        ("../b", "https://x.example/b"),
        ("../../../b", "https://x.example/b"),
        ("/b/", "https://x.example/b/"),
        ("//y.example/b", "https://y.example/b"),
        ("HTTPS://X.EXAMPLE:443/B", "https://x.example/B"),
        ("https://x.example:8443/", "https://x.example:8443/"),
        ("https://x.example", "https://x.example/"),
        ("b#part", "https://x.example/a/b"),
        ("b?utm_source=n&x=1&gclid=2", "https://x.example/a/b?x=1"),
        ("b;jsessionid=123?x=1", "https://x.example/a/b?x=1"),
        ("b%20c d", "https://x.example/a/b%20c%20d"),
        ("é", "https://x.example/a/%C3%A9"),
        ("b.PNG", ""),
        ("mailto:x@y.example", ""),
        ("javascript:x()", ""),
        ("data:text/html,x", ""),
        ("https://me:hush@x.example/", ""),
        ("https://x.example:99999/", ""),
        ("http://[::1", ""),
        ("", ""),
        ("x" * 3_000, ""),
    ],
)
def test_addresses(link: str, address: str):
    assert normal(link, "https://x.example/a/c") == address


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60))
def test_an_address_written_in_one_way_stays_as_it_is(link: str):
    once = normal(link, "https://x.example/a/c")
    assert normal(once) == once


def test_traps_and_names():
    assert is_trap("https://x.example/a/b/a/b/a/b/a/b") and not is_trap("https://x.example/a/b/a")
    assert page_name("https://x.example/") == "index"
    assert page_name("https://x.example/a/b%20c/?x=1") == "a/b c?x=1"
    assert "#" not in page_name("https://x.example/a%23b")


@pytest.mark.parametrize(
    ("raw", "pages", "maps"),
    [
        (b"<urlset><url><loc>https://x/a</loc></url><url>\n<loc> https://x/b </loc></url></urlset>", 2, 0),
        (b"<s:urlset xmlns:s='y'><s:url><loc>https://x/a</loc></s:url></s:urlset>", 1, 0),
        (b"<sitemapindex><sitemap><loc><![CDATA[https://x/s.xml]]></loc></sitemap></sitemapindex>", 0, 1),
        (gzip.compress(b"<urlset><url><loc>https://x/a</loc></url></urlset>", mtime=0), 1, 0),
        (b"https://x/a\nhttps://x/b\n", 2, 0),
        (b"<urlset></urlset>", 0, 0),
    ],
)
def test_sitemaps(raw: bytes, pages: int, maps: int):
    found = sitemap_of(raw)
    if found is None:
        assert pages == maps == 0
    else:
        assert (len(found.pages), len(found.sitemaps)) == (pages, maps)


@pytest.mark.parametrize("raw", [b"", b"<html><body>Log in</body></html>", b"\x1f\x8bbroken", b"words"])
def test_what_is_no_sitemap(raw: bytes):
    assert sitemap_of(raw) is None


@pytest.mark.parametrize(
    ("raw", "whole"),
    [
        (b"<urlset><url><loc>https://x/a</loc></url></urlset>", True),
        (b"<s:urlset><s:url><s:loc>https://x/a</s:loc></s:url></s:urlset >\n<!-- made by hand -->\n", True),
        (b"<urlset></urlset>", True),
        (b"<urlset><url><loc>https://x/a</loc></url><url><loc>https://x/b", False),
        (b"<sitemapindex><sitemap><loc>https://x/a</loc></sitemap>", False),
        (b"<urlset>" + b"<url><loc>https://x/a</loc></url>" * 50_000 + b"</urlset>", True),
        (b"<urlset>" + b"<url><loc>https://x/a</loc></url>" * 50_001 + b"</urlset>", False),
        (b"https://x/a\n" * 50_001, False),
    ],
    ids=["whole", "with names", "empty", "cut off", "an index cut off", "as long as may be", "too long", "long text"],
)
def test_a_sitemap_says_whether_it_is_whole(raw: bytes, whole: bool):
    found = sitemap_of(raw)
    assert found is not None and found.whole is whole


def test_a_packed_sitemap_with_a_damaged_middle_is_none():
    raw = bytearray(gzip.compress(bytes(range(256)) * 400))
    raw[20:120] = bytes(one ^ 0x5A for one in raw[20:120])
    assert sitemap_of(bytes(raw)) is None


def test_a_sitemap_bomb_is_none():
    assert sitemap_of(gzip.compress(b"<urlset>" + b" " * (80 * 1024 * 1024))) is None
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaa">]><urlset><url><loc>&a;&a;</loc></url></urlset>'
    assert sitemap_of(bomb) is not None


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_can_be_looked_at(raw: bytes):
    sitemap_of(raw)
    web_page(raw, url="https://x.example/", charset="", robots_header="")


def test_what_is_known_of_pages_comes_back():
    pages = {
        "https://x/a": Visited(etag='"1"', modified="", name="a", signature="s", links=("https://x/b", "https://x/c")),
        "https://x/b": Visited(etag="", modified="Mon", name="", signature="t", links=()),
    }
    assert from_cursor(as_cursor(pages)) == pages
    assert (
        from_cursor(as_cursor({"https://x/c": Visited(etag="", modified="", name="c", signature="", links=())})) == {}
    )


def test_what_is_known_never_grows_too_large():
    links = tuple(f"https://x.example/{'y' * 1_000}/{number}" for number in range(9_000))
    pages = {"https://x/a": Visited(etag="1", modified="", name="a", signature="s", links=links)}
    pages["https://x/b"] = Visited(etag="2", modified="", name="b", signature="t", links=())
    assert set(from_cursor(as_cursor(pages))) == {"https://x/b"}
