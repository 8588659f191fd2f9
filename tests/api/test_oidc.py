"""Tokens of an OpenID Connect provider: which are believed, and what their claims give."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Generator
from typing import Any

import pytest
from oidc_issuer import AUDIENCE, MAKERS, Issuer, issuing

from firstline.api import oidc_keys
from firstline.api.oidc import OidcTokens, claim, principal_of
from firstline.api.oidc_keys import IssuerKeys, may_be_read
from firstline.domain import EVERYONE, Level
from firstline.errors import Forbidden, InvalidInput, Unauthenticated, Unavailable
from firstline.settings import OidcSettings, load_settings


@pytest.fixture(scope="module")
def served() -> Generator[Issuer]:
    with issuing() as issuer:
        for algorithm in MAKERS:
            issuer.new_key(algorithm, algorithm)
        yield issuer


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def issuer(served: Issuer) -> Generator[Issuer]:
    before = dict(served.published)
    served.asked.clear()
    yield served
    served.published, served.discovery, served.status = before, {}, 200


def tokens_of(issuer: Issuer, clock: Clock | None = None, **changed: Any) -> OidcTokens:
    settings = OidcSettings(issuer=issuer.url, audiences=(AUDIENCE,), **changed)
    return OidcTokens(settings, IssuerKeys(issuer.url, clock=clock or Clock()), tenant="acme", kb="docs")


@pytest.mark.parametrize("algorithm", MAKERS)
async def test_a_token_of_every_algorithm(issuer: Issuer, algorithm: str) -> None:
    proven = await tokens_of(issuer).prove(issuer.token(algorithm))
    assert (proven.principal.tenant, proven.kb, proven.principal.level) == ("acme", "docs", Level.PUBLIC)
    assert proven.principal.acl_tags == {EVERYONE}


NOW = int(time.time())
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "expired": ({"exp": NOW - 3600}, "expired"),
    "not yet": ({"nbf": NOW + 3600}, "not valid yet"),
    "issued in the future": ({"iat": NOW + 3600}, "not valid yet"),
    "another audience": ({"aud": "other"}, "audience"),
    "several audiences, none of them ours": ({"aud": ["a", "b"]}, "audience"),
    "no audience": ({"aud": None}, "lacks"),
    "no end": ({"exp": None}, "lacks"),
    "another issuer": ({"iss": "https://evil.example"}, "issuer"),
    "an issuer that begins like ours": ({"iss": "{url}/"}, "issuer"),
    "no issuer": ({"iss": None}, "lacks"),
    "nobody": ({"sub": None}, "who it is for"),
    "an empty user": ({"sub": ""}, "who it is for"),
    "a user that is a list": ({"sub": ["a"]}, ""),
    "a user with a newline": ({"sub": "a\nb"}, "who it is for"),
    "an end in words": ({"exp": "tomorrow"}, "malformed"),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_what_is_refused(issuer: Issuer, case: str) -> None:
    changed, why = REFUSED[case]
    token = issuer.token(**{k: v.format(url=issuer.url) if isinstance(v, str) else v for k, v in changed.items()})
    with pytest.raises(Unauthenticated) as refused:
        await tokens_of(issuer).prove(token)
    assert why in refused.value.message


async def test_the_leeway(issuer: Issuer) -> None:
    late = issuer.token(exp=int(time.time()) - 20)
    assert await tokens_of(issuer, leeway_s=60).prove(late)
    with pytest.raises(Unauthenticated, match="expired"):
        await tokens_of(issuer, leeway_s=5).prove(late)


def part(said: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(said).encode()).rstrip(b"=").decode()


def test_no_algorithm_of_a_shared_secret() -> None:
    assert not [name for name in oidc_keys.ALGORITHMS if name.startswith(("HS", "none"))]


@pytest.mark.parametrize(
    "algorithm", ["none", "None", "nOnE", "HS256", "HS512", "RS512", "PS256", "ES384", "", None, 7, []]
)
async def test_the_token_does_not_choose_how_it_is_checked(issuer: Issuer, algorithm: Any) -> None:
    said = f"{part({'alg': algorithm, 'kid': 'RS256'})}.{part(issuer.claims())}"
    # The public key is known to all: as a shared secret it would let anybody sign.
    signed = hmac.digest(issuer.public_pem("RS256"), said.encode(), hashlib.sha256)
    for signature in ("", base64.urlsafe_b64encode(signed).rstrip(b"=").decode()):
        with pytest.raises(Unauthenticated):
            await tokens_of(issuer).prove(f"{said}.{signature}")


@pytest.mark.parametrize("claimed", MAKERS)
@pytest.mark.parametrize("kid", MAKERS)
async def test_a_key_serves_one_algorithm(issuer: Issuer, claimed: str, kid: str) -> None:
    """A header that names another algorithm than its key's, signature as it may be."""
    if claimed == kid:
        return
    header, claims, signature = issuer.token(kid).split(".")
    with pytest.raises(Unauthenticated):
        await tokens_of(issuer).prove(f"{part({'alg': claimed, 'kid': kid})}.{claims}.{signature}")
    assert header


async def test_tampered_and_foreign_tokens(issuer: Issuer) -> None:
    tokens = tokens_of(issuer)
    header, _, signature = issuer.token().split(".")
    issuer.new_key("foreign", publish=False)
    for token in (
        f"{header}.{part(issuer.claims(sub='admin'))}.{signature}",
        issuer.token("foreign"),
        issuer.token("foreign", header={"kid": "one"}),
        # A key that the token brings along, or says where to fetch, is nobody's.
        issuer.token("foreign", header={"kid": "one", "jku": f"{issuer.url}/keys", "x5u": issuer.url}),
        issuer.token("one", header={"crit": ["exp"]}),
        "a.b.c",
        "..",
        "x" * 20_000 + "..",
    ):
        with pytest.raises(Unauthenticated):
            await tokens.prove(token)
    assert set(issuer.asked) == {"/.well-known/openid-configuration", "/keys"}


async def test_keys_rotate(issuer: Issuer) -> None:
    clock = Clock()
    tokens = tokens_of(issuer, clock)
    await tokens.prove(issuer.token("one"))
    issuer.new_key("two")
    clock.now += oidc_keys.AGAIN_S + 1
    assert await tokens.prove(issuer.token("two"))
    assert await tokens.prove(issuer.token("one"))
    issuer.withdraw("one")
    clock.now += oidc_keys.KEPT_S + 1
    assert await tokens.prove(issuer.token("two"))
    with pytest.raises(Unauthenticated, match="key"):
        await tokens.prove(issuer.token("one"))


async def test_unknown_keys_do_not_make_us_ask_again_and_again(issuer: Issuer) -> None:
    clock = Clock()
    tokens = tokens_of(issuer, clock)
    await tokens.prove(issuer.token())
    asked = len(issuer.asked)
    for number in range(50):
        with pytest.raises(Unauthenticated):
            await tokens.prove(issuer.token(header={"kid": f"guess-{number}"}))
    assert len(issuer.asked) == asked
    clock.now += oidc_keys.AGAIN_S + 1
    for number in range(50):
        with pytest.raises(Unauthenticated):
            await tokens.prove(issuer.token(header={"kid": f"guess-{number}"}))
    assert len(issuer.asked) == asked + 2


async def test_while_the_issuer_is_down_known_keys_stand_for_a_day(issuer: Issuer) -> None:
    clock = Clock()
    tokens = tokens_of(issuer, clock)
    await tokens.prove(issuer.token())
    issuer.status = 500
    clock.now += oidc_keys.KEPT_S + 1
    assert await tokens.prove(issuer.token())
    clock.now += oidc_keys.KEPT_S_MAX + 1
    with pytest.raises(Unavailable):
        await tokens.prove(issuer.token())


@pytest.mark.parametrize(
    "discovery",
    [
        {"issuer": "https://evil.example"},
        {"jwks_uri": "http://192.0.2.1/keys"},
        {"jwks_uri": "file:///etc/passwd"},
        {"jwks_uri": None},
        {"padding": "x" * 600_000},
    ],
)
async def test_a_discovery_document_that_is_not_the_issuers(issuer: Issuer, discovery: dict[str, Any]) -> None:
    issuer.discovery = discovery
    with pytest.raises(Unavailable):
        await tokens_of(issuer).prove(issuer.token())


async def test_keys_that_are_not_for_signing_or_too_weak(issuer: Issuer) -> None:
    weak = {
        "kty": "RSA",
        "kid": "weak",
        "n": base64.urlsafe_b64encode(b"\xff" * 128).rstrip(b"=").decode(),
        "e": "AQAB",
    }
    issuer.published = {
        "weak": weak,
        "bad": {"kty": "RSA", "kid": "bad"},
        "odd": {"kty": "oct", "kid": "odd", "k": "AAAA"},
    }
    issuer.new_key("encrypts", use="enc")
    tokens = tokens_of(issuer)
    with pytest.raises(Unauthenticated):
        await tokens.prove(issuer.token("encrypts"))
    with pytest.raises(Unauthenticated):
        await tokens.prove(issuer.token("one", header={"kid": "weak"}))


async def test_a_token_without_a_key_id_is_clear_only_with_a_single_key(issuer: Issuer) -> None:
    issuer.published = {"one": issuer.published["one"]}
    assert await tokens_of(issuer).prove(issuer.token("one", header={"kid": None}))
    issuer.new_key("two")
    with pytest.raises(Unauthenticated):
        await tokens_of(issuer).prove(issuer.token("one", header={"kid": None}))


MAPPING = OidcSettings(
    issuer="https://id.example",
    audiences=("firstline",),
    tags_claim="realm.groups",
    tags={"support": ("staff", "partners"), "gold": ("partners",)},
    level_claim="role",
    levels={"agent": "internal", "customer": "customer"},
    tenant_claim="org",
    tenants={"o-1": "acme", "o-2": "globex"},
    kb="help",
)


def mapped(**claims: Any) -> Any:
    return principal_of({"sub": "u", "org": "o-1", **claims}, MAPPING, tenant="default", kb="help")


def test_claims_are_mapped() -> None:
    proven = mapped(realm={"groups": ["support", "unknown"]}, role=["customer", "agent"])
    assert proven.principal.acl_tags == {EVERYONE, "staff", "partners"}
    assert (proven.principal.level, proven.principal.tenant, proven.kb) == (Level.INTERNAL, "acme", "help")


@pytest.mark.parametrize(
    "groups", [None, "unknown", 7, {"support": True}, [["support"]], [7, None], "staff", ["SUPPORT"]]
)
def test_values_outside_the_mapping_give_nothing(groups: Any) -> None:
    assert mapped(realm={"groups": groups}, role=groups).principal.acl_tags == {EVERYONE}
    assert mapped(realm={"groups": groups}, role="restricted").principal.level == Level.PUBLIC


@pytest.mark.parametrize("org", [None, "", "o-3", "acme", ["o-1", "o-2"], 1])
def test_no_tenant_or_two_is_none(org: Any) -> None:
    with pytest.raises(Forbidden):
        mapped(org=org)


def test_too_many_groups_are_refused_and_not_cut() -> None:
    with pytest.raises(Unauthenticated):
        mapped(realm={"groups": ["x"] * 1001})


def test_people_of_two_issuers_are_two() -> None:
    other = MAPPING.model_copy(update={"issuer": "https://other.example"})
    there = principal_of({"sub": "u", "org": "o-1"}, other, tenant="default", kb="help")
    assert mapped().principal.user != there.principal.user
    assert mapped().principal.user == mapped(role="agent").principal.user


def test_a_claim_by_its_whole_name_first() -> None:
    assert claim({"a.b": 1, "a": {"b": 2}}, "a.b") == 1
    assert claim({"a": {"b": 2}}, "a.b") == 2
    assert claim({"a": "x"}, "a.b") is None
    assert claim({"": 1}, "") is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"issuer": "http://id.example"},
        {"issuer": "https://user@id.example"},
        {"issuer": "https://id.example"},
        {"issuer": "https://id.example", "audiences": ["a"], "levels": {"x": "owner"}},
        {"issuer": "https://id.example", "audiences": ["a"], "group": "x"},
    ],
)
def test_settings_that_would_open_too_much(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        load_settings(flags={"oidc": wrong}, environ={})


def test_where_keys_may_be_read() -> None:
    assert may_be_read("https://id.example/keys")
    assert may_be_read("http://127.0.0.1:8080/keys")
    for url in (
        "http://id.example/",
        "ftp://id.example",
        "https://",
        "https://u:p@id.example",
        "http://127.0.0.1.evil.example",
    ):
        assert not may_be_read(url)
