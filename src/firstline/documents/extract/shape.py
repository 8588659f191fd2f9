"""What does a piece of code that is one name stand for, by its shape?"""

from __future__ import annotations

import re
from typing import Final

from firstline.documents.extract.errors import error_name
from firstline.domain import EntityKind

_CALL: Final = re.compile(r"((?:[A-Za-z_$][\w$]{0,60}(?:\.|::|->)){0,6}[A-Za-z_]\w{2,60})\([^()\n]{0,60}\)")
FLAG: Final = re.compile(
    r"(?<![\w-])(?>--[a-z][a-z0-9]{1,40}(?:[-_.][a-z0-9]{1,40}){0,8})(?!-[{<\[*]|[*{])", re.IGNORECASE
)
"""Not the beginning of several: `--tls-{cert,key}-file`."""
_JAVA_FLAG: Final = re.compile(r"-[DX][\w.:]{3,80}")
ENV: Final = re.compile(r"(?<![\w$-])\$?\{?([A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,8})\}?(?![\w(]|\.[A-Z])")
CIPHER: Final = re.compile(r"(?:TLS|SSL)_|\w{1,60}_WITH_\w{1,60}_SHA")
SNAKE: Final = re.compile(r"(?<![\w.$/@:-])([a-z][a-z0-9]{0,40}(?:_[a-z0-9]{1,40}){1,10})(?![\w(/@.-])")
_DOTTED: Final = re.compile(r"\.?[a-z][\w-]{0,60}(?:\[\w{0,10}\])?(?:\.[\w*-]{1,60}(?:\[\w{0,10}\])?){1,10}")
_LABEL: Final = re.compile(r"[a-z0-9][a-z0-9.-]{0,60}\.[a-z]{2,12}/[A-Za-z][\w.-]{1,80}")
_CAMEL_LOW: Final = re.compile(r"[a-z]{1,30}[a-z0-9]{0,20}(?:[A-Z][a-z0-9]{0,30}){1,8}")
_CAMEL: Final = re.compile(
    r"[A-Z][a-z0-9]{1,40}(?:[A-Z]{1,6}[a-z0-9]{0,40}){1,8}|[A-Z]{2,6}[a-z][a-z0-9]{1,40}(?:[A-Z][a-z0-9]{0,40}){0,6}"
)
_CAPITAL: Final = re.compile(r"[A-Z][a-z]{2,30}")
_ACRONYM: Final = re.compile(r"[A-Z][A-Z0-9]{2,7}")
_HYPHENS: Final = re.compile(r"[a-z][a-z0-9]{0,30}(?:-[a-z0-9]{1,30}){1,8}")
_PATH: Final = re.compile(r"(?:~|\.{1,2})?/?(?:[\w.@-]{1,60}/){1,12}[\w.@-]{1,60}")
FILE: Final = re.compile(
    r"(?<![\w/.@$-])[\w-]{2,60}(?:\.[\w-]{1,30}){0,3}\.(?:ya?ml|json|xml|conf|cfg|ini|properties|props|toml|sh|py|rb"
    r"|pl|js|ts|java|jar|war|ear|exe|dll|so|bat|cmd|ps1|log"
    r"|sql|txt|csv|tgz|zip|rpm|deb|msi|pem|crt|key|jks|p12|kdb|rules|service|tf|go|env|html?|css|md)(?![\w(/]|\.\w)"
)
_PAIR: Final = re.compile(r"([\w.-]{3,80})\s?[=:]\s?\S[^\n]{0,100}")
_WORDS: Final = frozenset(
    "true false none null yes no get post put patch delete head options string int integer boolean float object array"
    " list map any all default"
    " unknown ready active never always enabled disabled error warning info debug success failed status name"
    " namespace version value key type".split()
)
_PLACED: Final = frozenset("my your example test demo foo bar sample some hello".split())
"""What a name begins with that was made up for an example."""

HYPHENS_MANY: Final = 4
_HOST: Final = re.compile(
    r"(?:[\w-]+\.){1,9}(?:com|org|net|io|dev|edu|gov|co|de|uk)|(?:[\w-]+\.){2,9}(?:svc|local|internal|localdomain|lan)",
    re.IGNORECASE,
)
_ITSELF: Final = re.compile(r"(?:self|this|object|oldObject|obj|item|it)\.")
"""What an expression begins with: what follows is part of whatever stands for it."""


def shape(text: str) -> tuple[EntityKind, str, int]:
    """Kind, name and weight of a piece of code that is one name; no name when it is something else."""
    none = (EntityKind.COMPONENT, "", 0)
    if len(text) > 120 or not text:
        return none
    if error := error_name(text):
        return EntityKind.ERROR, error, 3
    if (call := _CALL.fullmatch(text)) is not None:
        return EntityKind.METHOD, f"{call[1]}()", 3
    if FLAG.match(text) and " " not in text:
        return EntityKind.SETTING, text.partition("=")[0], 3
    if _JAVA_FLAG.match(text) and " " not in text:
        return EntityKind.SETTING, text.partition("=")[0], 3
    if (env := ENV.fullmatch(text)) is not None and not CIPHER.match(env[1]):
        return EntityKind.SETTING, env[1], 3
    if FILE.fullmatch(text):
        return EntityKind.COMPONENT, text, 2
    if _LABEL.fullmatch(text) and "://" not in text:
        return EntityKind.SETTING, text, 3
    if _DOTTED.fullmatch(text) and any(sign.isalpha() for sign in text.rsplit(".", 1)[-1]):
        if is_no_key(text):
            return none
        # A class or a function of a package, by its capital; an object of a cluster or a shop, by its many hyphens.
        named = text.rsplit(".", 1)[-1][:1].isupper() or text.count("-") >= HYPHENS_MANY
        return EntityKind.COMPONENT if named else EntityKind.SETTING, text.lstrip("."), 3
    if SNAKE.fullmatch(text) or _CAMEL_LOW.fullmatch(text):
        return EntityKind.SETTING, text, 3
    if _CAMEL.fullmatch(text):
        return EntityKind.COMPONENT, text, 3
    if _ACRONYM.fullmatch(text) and text.lower() not in _WORDS:
        return EntityKind.COMPONENT, text, 1
    if _CAPITAL.fullmatch(text) and text.lower() not in _WORDS and not text.endswith(("ing", "ed", "ly")):
        return EntityKind.COMPONENT, text, 1
    if _HYPHENS.fullmatch(text):
        return EntityKind.COMPONENT, text, 2
    if _PATH.fullmatch(text) and text.count("/") >= 2:
        return EntityKind.COMPONENT, text, 1
    if any("぀" <= sign <= "鿿" for sign in text) and len(text) <= 20:
        return EntityKind.COMPONENT, text, 2
    pair = _PAIR.fullmatch(text)
    if pair is not None and _CAMEL.fullmatch(pair[1]) and not text.endswith(("True", "False")):
        return EntityKind.SETTING, pair[1], 2
    if (
        pair is not None
        and "//" not in text
        and (SNAKE.fullmatch(pair[1]) or _CAMEL_LOW.fullmatch(pair[1]) or _DOTTED.fullmatch(pair[1]))
    ):
        return EntityKind.SETTING, pair[1].lstrip("."), 3
    return none


def is_no_key(dotted: str) -> bool:
    """The name of a host, or a place in an expression."""
    return bool(_HOST.fullmatch(dotted) or _ITSELF.match(dotted))


def made_up(name: str) -> bool:
    return re.split(r"[-_./]", name.lower().lstrip("-./~"))[0] in _PLACED


def is_blank(text: str, start: int, end: int) -> bool:
    """`<NAME>`, `[NAME]`, `NAME="..."`: to be filled in, or the value of something."""
    before, after = text[max(0, start - 2) : start], text[end : end + 1]
    return (before[-1:] == "<" and after == ">") or (before[-1:] == "[" and after == "]") or before == '="'
