"""Mint a widget token: what your own server does for a person whom it knows, with a key of scope `mint`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import AfterValidator, Field

from firstline.api.auth import USER, CallerOf
from firstline.api.limits import take_read
from firstline.api.running import running
from firstline.api.shapes import Shape
from firstline.api.widget_tokens import ORIGIN, ORIGIN_CHARS_MAX, SECONDS, SECONDS_MAX, SECONDS_MIN, WidgetToken, mint
from firstline.domain import KeyScope
from firstline.errors import Forbidden

router = APIRouter(prefix="/v1/widget-tokens", tags=["widget tokens"])


def _origin(value: str) -> str:
    if not ORIGIN.fullmatch(value):
        raise ValueError("write it as browsers do: https://shop.example, in lower case and without a path")
    return value


def _user(value: str) -> str:
    if not USER.fullmatch(value):
        raise ValueError("use 1 to 128 letters, digits and ._@+-")
    return value


class TokenWanted(Shape):
    user: Annotated[str, AfterValidator(_user)] = Field(max_length=128, description="Your id of the person; no name.")
    origin: Annotated[str, AfterValidator(_origin)] = Field(
        max_length=ORIGIN_CHARS_MAX, description="Of the page that asks: https://shop.example."
    )
    seconds: int = Field(SECONDS, ge=SECONDS_MIN, le=SECONDS_MAX, description="How long it is good for.")


class TokenMade(Shape):
    token: str
    expires_at: datetime


@router.post("", status_code=201)
async def mint_token(request: Request, wanted: TokenWanted, who: CallerOf) -> TokenMade:
    """A token with which this person's browser may ask, in the key's knowledge base and seeing what the key sees."""
    run = running(request)
    if KeyScope.MINT not in who.key.scopes:
        raise Forbidden("This key may not mint widget tokens.", remedy="`firstline key create --scope mint` makes one.")
    await take_read(who, limiter=run.firstline.limiter, settings=run.firstline.settings)
    ends = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=wanted.seconds)
    # Its user is the one that X-Firstline-User names: the server that minted it can read the conversation, too.
    token = WidgetToken(
        key_id=who.key.key_id,
        tenant=who.key.principal.tenant,
        kb=who.key.kb,
        user=wanted.user,
        origin=wanted.origin,
        expires_at=ends,
    )
    return TokenMade(token=mint(token, secret=run.widget_secret()), expires_at=ends)
