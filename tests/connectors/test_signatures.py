"""Who signed a webhook, and what it says."""

from __future__ import annotations

import base64
import hmac
import json
from typing import Any

import pytest

from firstline.connectors.overrides import Access
from firstline.connectors.push import pushed
from firstline.connectors.signatures import secret_bytes, verified
from firstline.domain import EVERYONE, ORIGIN, DocumentKind, Level
from firstline.errors import InvalidInput, Unauthenticated

SECRET = "a secret of more than sixteen bytes"
BODY = b'{"documents": []}'
NOW = 1_900_000_000.0
ACCESS = Access(kind=DocumentKind.DOCUMENTATION, acl=frozenset({EVERYONE}), level=Level.PUBLIC, origin="here")


def mac(signed: bytes, digest: str = "sha256", secret: bytes = SECRET.encode()) -> hmac.HMAC:
    return hmac.new(secret, signed, digest)


def standard(body: bytes = BODY, *, event_id: str = "e", at: float = NOW, secret: bytes = SECRET.encode()) -> dict:
    stamp = str(int(at))
    signed = mac(b".".join((event_id.encode(), stamp.encode(), body)), secret=secret)
    return {
        "webhook-id": event_id,
        "webhook-timestamp": stamp,
        "webhook-signature": "v1," + base64.b64encode(signed.digest()).decode(),
    }


def test_a_standard_signature_fits():
    assert verified(standard(), BODY, secret=SECRET, now=NOW).event_id == "e"
    assert verified(standard(), BODY, secret=SECRET, now=NOW).whole


def test_a_secret_in_base64_stands_for_its_bytes():
    raw = bytes(range(24))
    headers = standard(secret=raw)
    assert verified(headers, BODY, secret="whsec_" + base64.b64encode(raw).decode(), now=NOW).whole


def test_one_of_several_signatures_is_enough():
    headers = standard()
    headers["webhook-signature"] = "v1,AAAA v2,BBBB " + headers["webhook-signature"]
    assert verified(headers, BODY, secret=SECRET, now=NOW).whole


@pytest.mark.parametrize(
    "changed",
    [
        {"webhook-id": "other"},
        {"webhook-id": ""},
        {"webhook-id": "e" * 201},
        {"webhook-timestamp": str(int(NOW) + 1)},
        {"webhook-timestamp": ""},
        {"webhook-timestamp": "soon"},
        {"webhook-timestamp": "١٩"},
        {"webhook-signature": ""},
        {"webhook-signature": "v1,"},
        {"webhook-signature": "v1,\udcff"},
        {"webhook-signature": standard(b"other")["webhook-signature"]},
    ],
)
def test_what_was_changed_is_refused(changed: dict[str, str]):
    with pytest.raises(Unauthenticated, match="does not fit"):
        verified({**standard(), **changed}, BODY, secret=SECRET, now=NOW)


def test_another_secret_or_body_is_refused():
    for secret, body in ((SECRET + "x", BODY), (SECRET, BODY + b" ")):
        with pytest.raises(Unauthenticated):
            verified(standard(), body, secret=secret, now=NOW)
    with pytest.raises(Unauthenticated):
        verified({}, BODY, secret=SECRET, now=NOW)


@pytest.mark.parametrize("apart", [-301, 301, 86_400])
def test_an_event_that_was_recorded_is_too_old(apart: int):
    with pytest.raises(Unauthenticated, match="too long ago"):
        verified(standard(at=NOW + apart), BODY, secret=SECRET, now=NOW)


def test_vendors_sign_in_their_own_ways():
    hexed = mac(BODY).hexdigest()
    for headers in (
        {"x-hub-signature-256": f"sha256={hexed}", "x-github-delivery": "d"},
        {"x-discourse-event-signature": f"sha256={hexed}", "x-discourse-event-id": "d"},
        {"x-hub-signature": f"sha1={mac(BODY, 'sha1').hexdigest()}", "x-request-id": "d"},
        {"x-gitlab-token": SECRET, "x-gitlab-event-uuid": "d"},
    ):
        signed = verified(headers, BODY, secret=SECRET, now=NOW)
        assert (signed.event_id, signed.whole) == ("d", False)
        with pytest.raises(Unauthenticated):
            verified(headers, BODY + b".", secret=SECRET + ("" if "x-gitlab-token" not in headers else "x"), now=NOW)


def test_zendesk_signs_the_time_too():
    stamp = "2030-03-17T17:46:40Z"
    signature = base64.b64encode(mac(stamp.encode() + BODY).digest()).decode()
    headers = {"x-zendesk-webhook-signature": signature, "x-zendesk-webhook-signature-timestamp": stamp}
    assert not verified(headers, BODY, secret=SECRET, now=NOW).whole
    with pytest.raises(Unauthenticated, match="too long ago"):
        verified(headers, BODY, secret=SECRET, now=NOW + 400)


def test_a_short_secret_is_refused():
    for secret in ("short", "", "whsec_AAAA", "whsec_not base64!"):
        with pytest.raises(InvalidInput):
            secret_bytes(secret)


def read(*documents: dict[str, Any], bytes_max: int = 10_000):
    return pushed(json.dumps({"documents": documents}).encode(), name="push", access=ACCESS, bytes_max=bytes_max)


def test_a_pushed_document_becomes_an_item():
    (one,) = read(
        {
            "id": "a/b 1",
            "title": " A  page ",
            "markdown": "# Hello\n\nText.",
            "url": "https://docs.example/a",
            "kind": "ticket",
            "acl": ["staff"],
            "level": "customer",
            "version": 3,
        }
    )
    assert one.item is not None and (one.item_id, one.version) == ("push/a/b 1", 3)
    assert (one.item.title, one.item.kind, one.item.level) == ("A page", DocumentKind.TICKET, Level.CUSTOMER)
    assert (one.item.acl, one.item.url) == (frozenset({"staff"}), "https://docs.example/a")
    assert (one.item.media_type, one.item.raw, one.item.metadata[ORIGIN]) == (
        "text/markdown",
        b"# Hello\n\nText.",
        "here",
    )


def test_one_document_needs_no_list_around_it():
    (one,) = pushed(b'{"id": "a", "deleted": true}', name="push", access=ACCESS, bytes_max=100)
    assert (one.item_id, one.item) == ("push/a", None)


def test_an_acl_that_is_empty_means_nobody():
    (one,) = read({"id": "a", "text": "x", "acl": []})
    assert one.item is not None and one.item.acl == frozenset()


def test_the_last_word_of_an_event_counts_or_the_newest_version():
    assert [one.item for one in read({"id": "a", "text": "x"}, {"id": "a", "deleted": True})] == [None]
    (one,) = read({"id": "a", "text": "new", "version": 2}, {"id": "a", "deleted": True, "version": 1})
    assert one.item is not None and one.item.raw == b"new"


def test_the_moment_of_a_change_orders_it():
    first, second = (
        read({"id": "a", "text": "x", "updated_at": at})[0].version
        for at in ("2026-01-31T12:00:00.000001+01:00", "2026-01-31T11:00:00.000002Z")
    )
    assert first is not None and second is not None and second - first == 1


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({"id": ""}, "id"),
        ({"id": "a\nb", "text": "x"}, "id"),
        ({"id": "a"}, "exactly one"),
        ({"id": "a", "text": "x", "html": "y"}, "exactly one"),
        ({"id": "a", "text": "x", "deleted": True}, "one of the two"),
        ({"id": "a", "text": "x", "version": 1, "updated_at": "2026-01-31T12:00:00Z"}, "one of the two"),
        ({"id": "a", "text": "x", "version": "1"}, "version"),
        ({"id": "a", "text": "x", "version": -1}, "version"),
        ({"id": "a", "text": "x", "updated_at": "yesterday"}, "updated_at"),
        ({"id": "a", "text": "x", "updated_at": "2026-01-31T12:00:00"}, "updated_at"),
        ({"id": "a", "text": "x", "level": "top"}, "level"),
        ({"id": "a", "text": "x", "acl": "staff"}, "acl"),
        ({"id": "a", "text": "x", "url": "javascript:alert(1)"}, "url"),
        ({"id": "a", "text": "x", "colour": "red"}, "colour"),
        ({"id": "a", "text": "x" * 200}, "too large"),
        ({"id": "a", "markdown": "---\nacl: {a: b\n---\nx"}, "front matter"),
    ],
)
def test_what_is_wrong_with_a_document_is_said(document: dict[str, Any], says: str):
    with pytest.raises(InvalidInput, match=says):
        read({"id": "good", "text": "x"}, document, bytes_max=150)


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"null", b'"x"', b'{"documents": []}', b"\xff", b"[" * 5_000])
def test_what_is_no_event_is_refused(body: bytes):
    with pytest.raises(InvalidInput):
        pushed(body, name="push", access=ACCESS, bytes_max=100)
