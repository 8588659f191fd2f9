"""Which parts of a text let somebody in? Private keys, access tokens, passwords."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from firstline.documents.redact.spans import Span
from firstline.documents.redact.spoken import spoken_passwords
from firstline.documents.redact.told import told_passwords

_KEY_BEGIN: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END: Final = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
# What may follow a BEGIN line whose END is missing: lines of base64, quoted or escaped as in JSON and YAML.
_KEY_BODY: Final = re.compile(r"(?:[\s\"'>\\|]|\\n|[A-Za-z0-9+/=]{16,})*")

_TOKENS: Final = re.compile(
    r"(?<![\w-])(?:"
    r"eyJ[\w-]{8,4096}\.[\w-]{8,8192}(?:\.[\w-]{0,2048})?"  # JSON web tokens
    r"|(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}"
    r"|gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_\w{22,255}|glpat-[\w-]{20,255}"
    r"|xox[abeoprs]-[\w-]{10,255}|xapp-[\w-]{10,255}"
    r"|AIza[\w-]{35}|ya29\.[\w-]{20,512}"
    r"|sk-[\w-]{20,255}|[rs]k_(?:live|test)_\w{16,255}|whsec_\w{20,255}"
    r"|npm_\w{36}|hf_\w{30,64}|pypi-[\w-]{40,512}|dop_v1_[a-f0-9]{64}"
    r"|fl_[0-9a-fA-F]{12}_[0-9a-fA-F]{4,128}"  # firstline's own API keys, also cut short
    r"|SG\.[\w-]{16,64}\.[\w-]{16,64}|SK[a-f0-9]{32}"
    r"|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"
    r")(?![\w-])"
)
_WEBHOOK: Final = re.compile(r"https://hooks\.slack\.com/services/([\w/]{20,120})")
_HEADER: Final = re.compile(r"(?i)\b(?:bearer|basic)[ \t]{1,4}([A-Za-z0-9._~+/-]{12,8192}={0,2})")
_USERINFO: Final = re.compile(r"(?<![\w+.-])[A-Za-z][\w+.-]{1,20}://([^\s:/@?#\"'<>]{0,128}):([^\s/@\"']{1,256})@")
_ASSIGNED: Final = re.compile(
    r"(?i)(?P<key>pass(?:word|wd|phrase|code)?|pwd|api[_-]?key|access[_-]?key(?:[_-]?id)?"
    r"|account[_-]?key|secret[_-]?(?:access[_-]?)?key"
    r"|shared[_-]?access[_-]?key|client[_-]?secret|auth[_-]?token|access[_-]?token|refresh[_-]?token|secret|token)"
    r"[\"'`*]{0,3}(?P<sign>[ \t]{0,4}(?::=|=>|[:=])[ \t]{0,4}|[ \t]{1,4}(?:is|was)[ \t]{1,4}"
    r"|(?<=--password)[ \t]|(?<=--token)[ \t]"
    r"|(?<=--secret)[ \t]|(?<=--api-key)[ \t])"
    r"[`*]{0,2}(?:(?P<quote>[\"'])(?P<quoted>[^\"'\n]{1,256})(?P=quote)|(?P<bare>[^\s\"'`,;&|<>()\[\]{}]{4,512}))"
)
_PLACEHOLDER: Final = re.compile(
    r"(?i)^(?:[$%<{\[(].*|.*[>}\])]|[*x.•_-]+|.*(?:your|example|placeholder|changeme|redacted|dummy|sample).*"
    r"|(?:my[_-]?)?(?:pass(?:word|wd|phrase)?|pwd|secret|token|key|value|string|text|null|none"
    r"|nil|true|false|required|optional"
    r"|empty|undefined|default|user|username|admin_?password|userpassword|hidden|plain|base64|file|path|name)[.:]?\d?)$"
)
# One of them stands in every text that tells or assigns a secret; looking for them is quicker than for the forms.
_CUES: Final = (
    *("pass", "pwd", "pw", "kennwort", "mot de passe", "mdp", "contraseña", "clave", "senha", "wachtwoord"),
    *(
        "パスワード",
        "密码",
        "密碼",
        "secret",
        "token",
        "key",
        "cred",
        "zugang",
        "anmeldung",
        "login",
        "logon",
        "log in",
    ),
    *("log on", "log-in", "log-on", "logged", "-p", "-u", "--user", "redis-cli", "mysql", "mariadb"),
)
_PATH: Final = re.compile(r"^(?:[\w.-]{0,64}/|\\\\|[A-Za-z]:\\|https?:)")
_NAME: Final = re.compile(r"^[A-Za-z][A-Za-z]*(?:[._/-][A-Za-z]+)+$|^[A-Za-z_]+\(?$")


def private_keys(text: str) -> Iterator[Span]:
    """Blocks from BEGIN to END; without an END, as far as the base64 goes."""
    at = 0
    end_seen = True
    while (begin := _KEY_BEGIN.search(text, at)) is not None:
        # Once a search for END came back empty it is not repeated: many BEGINs stay linear.
        end = _KEY_END.search(text, begin.end()) if end_seen else None
        end_seen = end is not None
        if end is None:
            body = _KEY_BODY.match(text, begin.end())
            stop = body.end() if body is not None else begin.end()
            stop = begin.start() + len(text[begin.start() : stop].rstrip())
        else:
            stop = end.end()
        yield Span(start=begin.start(), end=stop, type="PRIVATE_KEY")
        at = stop


def secrets(text: str) -> Iterator[Span]:
    """Tokens by their form, and values that a word such as `password` assigns."""
    for match in _TOKENS.finditer(text):
        yield Span(start=match.start(), end=match.end(), type="SECRET")
    for match in _WEBHOOK.finditer(text):
        yield Span(start=match.start(1), end=match.end(1), type="SECRET")
    for match in _HEADER.finditer(text):
        if _is_random(match.group(1), 12):
            yield Span(start=match.start(1), end=match.end(1), type="SECRET")
    for match in _USERINFO.finditer(text):
        if not _PLACEHOLDER.match(match.group(2)):
            yield Span(start=match.start(1), end=match.end(2), type="SECRET")
    low = text.lower()
    if any(cue in low for cue in _CUES):
        yield from spoken_passwords(text)
        yield from told_passwords(text)
        yield from _assigned(text)


def _assigned(text: str) -> Iterator[Span]:
    for match in _ASSIGNED.finditer(text):
        group = "quoted" if match.group("quoted") is not None else "bare"
        value = match.group(group)
        start, end = match.span(group)
        if group == "bare":
            value = value.rstrip(".:!?*\\")
            end = start + len(value)
        if len(value) < 4 or _PLACEHOLDER.match(value) or _PATH.match(value):
            continue
        if _is_secret(match, value, text):
            yield Span(start=start, end=end, type="SECRET")


def _is_secret(match: re.Match[str], value: str, text: str) -> bool:
    """A password is whatever stands after `password=`; a token or key must also look like one.

    After a colon or "is" prose is likely ("Password: must not be empty"), so a bare word counts only when it is mixed
    or stands alone on its line.
    """
    spoken = match.group("sign").strip() in {":", "is", "was"} and match.group("quoted") is None
    if match.group("key").lower().startswith(("pass", "pwd")):
        if match.group("key").lower() == "pass" and _NAME.match(value):
            return False
        if not spoken:
            return match.group("quoted") is None or " " not in value
        if match.group("sign").strip() == ":" and _alone(text, match.start(), match.end()):
            return not _NAME.match(value) or match.group("key").lower() != "pass"
        return _is_mixed(value)
    return _is_random(value, 8) and " " not in value


def _alone(text: str, start: int, end: int) -> bool:
    """Nothing else stands on the line: `password: hunter`."""
    before = text[max(0, start - 24) : start].rsplit("\n", 1)[-1]
    after = text[end : end + 8].split("\n", 1)[0]
    return not after.strip(" \t\"',*`") and len(before.split()) <= 2


def _is_mixed(value: str) -> bool:
    letters = any(character.isalpha() for character in value)
    return letters and (any(c.isdigit() for c in value) or any(c in "!@#$%^&*+=?~" for c in value))


def _is_random(value: str, length_min: int) -> bool:
    """Long enough, and of letters mixed with digits; a name such as `my-secret` or `tls.crt` is not."""
    if len(value) < length_min or _NAME.match(value):
        return False
    digits = sum(character.isdigit() for character in value)
    letters = sum(character.isalpha() for character in value)
    return letters >= 2 and (digits >= 2 or (digits >= 1 and any(c.isupper() for c in value))) and digits + letters > 6
