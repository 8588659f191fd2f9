"""Connectors' HTTP: limits, politeness, and nobody who was not meant."""

from __future__ import annotations

import gzip
import ipaddress
import logging
from collections.abc import AsyncGenerator
from email.utils import formatdate

import pytest
from site_server import Asked, Says, Site, said_json, serving

from firstline.connectors.http import HttpClient, HttpLimits, shown_url
from firstline.connectors.http.addresses import refusal
from firstline.connectors.http.reply import wait_wanted
from firstline.errors import (
    FirstlineError,
    Forbidden,
    InvalidInput,
    NotAccepted,
    NotFound,
    TooManyRequests,
    Unauthenticated,
    Unavailable,
)

QUICK = HttpLimits(connect_s=1.0, read_s=0.3, try_s=0.8, bytes_max=10_000, tries_max=3, wait_s_max=60.0)


@pytest.fixture
async def site() -> AsyncGenerator[Site]:
    async with serving() as started:
        yield started


class Naps(list[float]):
    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


def client(site: Site, naps: Naps | None = None, **more) -> HttpClient:
    return HttpClient(
        hosts=(site.host,),
        **{"limits": QUICK, "allow_private": True, "sleep": naps if naps is not None else Naps(), **more},
    )


async def test_a_reply_comes_with_its_headers(site: Site):
    site.routes["/a"] = said_json({"x": 1}, ETag='"v1"', Last_Modified="Mon, 01 Jan 2024 00:00:00 GMT")
    async with client(site) as http:
        reply = await http.get(f"{site.url}/a", params={"q": "a b"})
    assert (reply.json(), reply.etag, reply.media_type) == ({"x": 1}, '"v1"', "application/json")
    assert reply.modified.startswith("Mon")
    assert site.asked[0].query == {"q": "a b"}


async def test_what_has_not_changed_is_not_sent_again(site: Site):
    def page(asked: Asked) -> Says:
        same = asked.headers.get("if-none-match") == '"v1"'
        return Says(status=304) if same else Says(body="text", headers={"ETag": '"v1"'})

    site.routes["/a"] = page
    async with client(site) as http:
        first = await http.get(f"{site.url}/a")
        again = await http.get(f"{site.url}/a", etag=first.etag)
    assert (first.unchanged, again.unchanged, again.body) == (False, True, b"")


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
async def test_trouble_is_tried_again_after_the_time_asked_for(site: Site, status: int):
    naps = Naps()
    site.routes["/a"] = [Says(status=status, headers={"Retry-After": "7"}), Says(body="ok")]
    async with client(site, naps) as http:
        assert (await http.get(f"{site.url}/a")).text() == "ok"
    assert naps == [7.0]


async def test_back_off_grows_and_ends(site: Site):
    naps = Naps()
    site.routes["/a"] = Says(status=503)
    async with client(site, naps, limits=HttpLimits(tries_max=5)) as http:
        with pytest.raises(Unavailable, match="status 503, 5 times"):
            await http.get(f"{site.url}/a")
    assert len(site.asked) == 5
    assert all(low <= nap <= 2 * low for nap, low in zip(naps, (0.25, 0.5, 1.0, 2.0), strict=True))


async def test_who_wants_us_to_wait_too_long_is_left_for_the_next_sync(site: Site):
    site.routes["/a"] = Says(status=429, headers={"Retry-After": "3600"})
    async with client(site) as http:
        with pytest.raises(TooManyRequests) as raised:
            await http.get(f"{site.url}/a")
    assert raised.value.retry_after_s == 3600
    assert len(site.asked) == 1


async def test_429_to_the_end_says_to_wait(site: Site):
    site.routes["/a"] = Says(status=429)
    async with client(site) as http:
        with pytest.raises(TooManyRequests):
            await http.get(f"{site.url}/a")
    assert len(site.asked) == QUICK.tries_max


@pytest.mark.parametrize(
    ("status", "headers", "wanted"),
    [
        (200, {}, None),
        (404, {}, None),
        (429, {}, 0.0),
        (429, {"retry-after": "12"}, 12.0),
        (503, {"retry-after": formatdate(1_700_000_030, usegmt=True)}, 30.0),
        (503, {"retry-after": formatdate(1_600_000_000, usegmt=True)}, 0.0),
        (503, {"retry-after": "soon"}, 0.0),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1700000060"}, 60.0),
        (403, {"x-ratelimit-remaining": "10"}, None),
        (403, {"retry-after": "5"}, 5.0),
        (429, {"ratelimit-remaining": "0", "ratelimit-reset": "9"}, 9.0),
        (500, {"retry-after": "-4"}, 0.0),
    ],
)
def test_waiting_is_understood_in_every_dialect(status: int, headers: dict[str, str], wanted: float | None):
    assert wait_wanted(status, headers, now=1_700_000_000) == wanted


@pytest.mark.parametrize(
    ("status", "kind"),
    [(401, Unauthenticated), (403, Forbidden), (404, NotFound), (410, NotFound), (400, InvalidInput)],
)
async def test_a_refusal_says_what_to_do(site: Site, status: int, kind: type[FirstlineError]):
    site.routes["/a"] = Says(status=status)
    async with client(site) as http:
        with pytest.raises(kind) as raised:
            await http.get(f"{site.url}/a?token=hush")
    assert raised.value.remedy
    assert "hush" not in str(raised.value)
    assert len(site.asked) == 1


async def test_a_lost_connection_is_tried_again(site: Site):
    site.routes["/a"] = [Says(hang_up=True), Says(body="ok")]
    async with client(site) as http:
        assert (await http.get(f"{site.url}/a")).text() == "ok"


async def test_a_slow_body_ends_with_the_time_of_a_try(site: Site):
    site.routes["/a"] = Says(pieces=[b"x"] * 50, pause_s=0.1)
    async with client(site, limits=HttpLimits(read_s=0.3, try_s=0.3, tries_max=2)) as http:
        with pytest.raises(Unavailable, match="did not answer in time"):
            await http.get(f"{site.url}/a")
    assert len(site.asked) == 2


@pytest.mark.parametrize(
    "said",
    [
        Says(body=b"x" * 20_000),
        Says(pieces=[b"x" * 4_000] * 5),
        Says(body=gzip.compress(b"x" * 5_000_000), headers={"Content-Encoding": "gzip"}),
    ],
    ids=["told", "untold", "packed"],
)
async def test_a_huge_body_is_refused(site: Site, said: Says):
    site.routes["/a"] = said
    async with client(site) as http:
        with pytest.raises(NotAccepted, match="more than 10,000 bytes"):
            await http.get(f"{site.url}/a")
    assert len(site.asked) == 1


async def test_a_packed_body_that_is_broken_is_no_accident(site: Site):
    site.routes["/a"] = Says(body=b"nothing packed", headers={"Content-Encoding": "gzip"})
    async with client(site) as http:
        with pytest.raises(Unavailable, match="cannot be unpacked"):
            await http.get(f"{site.url}/a")


async def test_redirects_are_followed_inside(site: Site):
    site.routes["/a"] = Says(status=301, headers={"Location": "/b"})
    site.routes["/b"] = Says(body="here")
    async with client(site) as http:
        reply = await http.get(f"{site.url}/a")
    assert (reply.text(), reply.url) == ("here", f"{site.url}/b")


async def test_a_circle_of_redirects_ends(site: Site):
    site.routes["/a"] = Says(status=302, headers={"Location": "/b"})
    site.routes["/b"] = Says(status=302, headers={"Location": "/a"})
    async with client(site) as http:
        with pytest.raises(NotAccepted, match="circle"):
            await http.get(f"{site.url}/a")
    assert len(site.asked) == 6


@pytest.mark.parametrize(
    "target", ["http://localhost:{port}/b", "http://169.254.169.254/x", "file:///etc/passwd", "//evil.example/x"]
)
async def test_a_redirect_elsewhere_is_told_and_not_followed(site: Site, target: str):
    site.routes["/a"] = Says(status=302, headers={"Location": target.format(port=site.port)})
    async with client(site) as http:
        reply = await http.fetch(f"{site.url}/a")
        assert reply.outside
        with pytest.raises(InvalidInput, match="another host"):
            await http.get(f"{site.url}/a")
    assert {asked.path for asked in site.asked} == {"/a"}


async def test_nothing_inside_is_read_unless_allowed(site: Site):
    site.routes["/a"] = Says(body="inside")
    async with client(site, allow_private=False) as http:
        with pytest.raises(Forbidden, match="inside this machine"):
            await http.get(f"{site.url}/a")
    assert site.asked == []


@pytest.mark.parametrize(
    ("address", "public", "private"),
    [
        ("93.184.216.34", True, True),
        ("2606:2800:220:1:248:1893:25c8:1946", True, True),
        ("127.0.0.1", False, True),
        ("10.1.2.3", False, True),
        ("192.168.0.1", False, True),
        ("100.64.0.1", False, True),
        ("::1", False, True),
        ("fd00::1", False, True),
        ("::ffff:127.0.0.1", False, True),
        ("64:ff9b::7f00:1", False, True),
        ("2002:7f00:1::", False, True),
        ("169.254.169.254", False, False),
        ("::ffff:169.254.169.254", False, False),
        ("fe80::1", False, False),
        ("0.0.0.0", False, False),  # noqa: S104 nothing is bound
        ("224.0.0.1", False, False),
    ],
)
def test_addresses(address: str, public: bool, private: bool):
    parsed = ipaddress.ip_address(address)
    assert (not refusal(parsed, allow_private=False)) is public
    assert (not refusal(parsed, allow_private=True)) is private


async def test_a_name_that_is_not_known_is_trouble():
    async with HttpClient(hosts=("nowhere.invalid",), limits=QUICK, sleep=Naps()) as http:
        with pytest.raises(Unavailable, match="connection failed"):
            await http.get("https://nowhere.invalid/")


async def test_secrets_go_to_the_first_host_alone(site: Site):
    async with serving() as other:
        site.routes["/a"] = Says(status=302, headers={"Location": f"{other.url}/b"})
        other.routes["/b"] = Says(body="ok")
        http = client(site, secret_headers={"Authorization": "Bearer hush"})
        http._hosts.append(other.host)
        async with http:
            await http.get(f"{site.url}/a")
    assert site.asked[0].headers["authorization"] == "Bearer hush"
    assert "authorization" not in other.asked[0].headers


async def test_a_token_is_never_sent_in_clear():
    async with HttpClient(hosts=("docs.example",), secret_headers={"X-Key": "hush"}) as http:
        with pytest.raises(Forbidden, match="in clear"):
            await http.get("http://docs.example/")


async def test_no_address_comes_into_the_log(site: Site, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    site.routes["/a"] = Says(body="ok")
    async with client(site) as http:
        await http.get(f"{site.url}/a", params={"token": "hush"}, headers={"X-Key": "hush"})
    logged = " ".join(
        record.getMessage() for record in caplog.records if record.name.startswith(("httpx", "firstline"))
    )
    assert "hush" not in logged


async def test_post_asks_with_json(site: Site):
    site.routes["/q"] = [Says(status=503), said_json({"ok": True})]
    async with client(site) as http:
        assert (await http.post(f"{site.url}/q", data={"a": 1})).json() == {"ok": True}
    assert site.asked[1].json() == {"a": 1}


async def test_a_pace_is_kept(site: Site):
    naps = Naps()
    site.routes["/a"] = Says(body="ok")
    async with client(site, naps, pace_s=5.0) as http:
        await http.get(f"{site.url}/a")
        await http.get(f"{site.url}/a")
    assert len(naps) == 1
    assert 4.0 < naps[0] <= 5.0


async def test_not_json_is_said(site: Site):
    site.routes["/a"] = Says(body="<html>log in</html>", headers={"Content-Type": "text/html"})
    async with client(site) as http:
        reply = await http.get(f"{site.url}/a")
    with pytest.raises(InvalidInput, match="not answer with JSON but with text/html"):
        reply.json()


async def test_the_next_page_of_a_link_header(site: Site):
    site.routes["/a"] = Says(headers={"Link": '</a?page=2>; rel="next", </a?page=9>; rel="last"'})
    async with client(site) as http:
        reply = await http.get(f"{site.url}/a")
    assert (reply.link("next"), reply.link("prev")) == (f"{site.url}/a?page=2", "")


def test_an_address_is_shown_without_secrets():
    assert shown_url("https://me:hush@docs.example:8443/a/b?token=hush#hush") == "https://docs.example:8443/a/b"


@pytest.mark.parametrize("location", ["http://[bad/x", "//[::1", "/a\x7fb"])
async def test_a_redirect_to_no_address_is_a_refusal_and_no_accident(site: Site, location: str):
    site.routes["/a"] = Says(status=302, headers={"Location": location})
    async with client(site) as http:
        with pytest.raises(InvalidInput):
            await http.get(f"{site.url}/a")


async def test_a_list_that_goes_on_nowhere_does_not_end_there(site: Site):
    site.routes["/a"] = said_json([], Link='<http://[bad>; rel="next"')
    async with client(site) as http:
        reply = await http.get(f"{site.url}/a")
    with pytest.raises(InvalidInput, match="no address"):
        reply.link("next")


@pytest.mark.parametrize("packed", ["gzip, gzip", "gzip,deflate", "br", "zstd"])
async def test_what_is_packed_twice_or_unasked_is_not_unpacked(site: Site, packed: str):
    bomb = gzip.compress(gzip.compress(bytes(50_000_000)))
    site.routes["/a"] = Says(body=bomb, headers={"Content-Encoding": packed})
    async with client(site) as http:
        with pytest.raises(NotAccepted, match="not asked for"):
            await http.get(f"{site.url}/a")
