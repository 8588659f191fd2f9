"""Which passwords does somebody tell in a sentence, as in "I log in with the password ..."? In several languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from firstline.documents.redact.spans import Span

_SPOKEN: Final = re.compile(
    r"(?i)(?<![\w-])(?:pass(?:word|phrase|code)s?|pwd|pw|passwort|kennwort|mot de passe|mdp|contraseña|clave|senha"
    r"|wachtwoord"
    r"|(?P<joined>パスワード|密码|密碼))"
    r"(?P<link>(?:[ \t]{0,3}(?::|=|->|は|が|是|为|：|\b(?:is|was|are|be|ist|lautet|war|est|es|é|to)\b"
    r"|\b(?:that |which )?(?:i|we|ich|wir) (?:use|used|have|set|typed|entered?|tried|verwende|benutze|habe)\b)){0,3})"
    r"[ \t]{0,3}[\"'`«„“(]{0,2}(?P<value>[^\s\"'`<>\[\](){}«»„“”、。]{6,128})"
)
_PLACEHOLDER: Final = re.compile(
    r"(?i)^[$%{]|^[*x.•_-]+$|your|example|placeholder|changeme|redacted|dummy|sample|SECRET_"
)
_NAME: Final = re.compile(
    r"^[A-Za-z]+[\d.]*(?:[-_./:][A-Za-z]*[\d.]*)*$|^https?:|^[\d.,:/-]+$|^-{1,2}\w|^/|^[A-Z0-9_-]+$|\(\)?$|=|@"
)
_SPECIAL: Final = re.compile(r"[!@#$%^&*+?~§]")


def spoken_passwords(text: str) -> Iterator[Span]:
    """What looks like a password behind a word for one. Names, versions, paths and prose stay."""
    for match in _SPOKEN.finditer(text):
        value = match.group("value").rstrip(".,:;!?*\\" if not match.group("joined") else ".,:;?")
        if len(value) < 6 or _PLACEHOLDER.search(value) or _NAME.search(value):
            continue
        letters, digits = any(map(str.isalpha, value)), any(map(str.isdigit, value))
        special = _SPECIAL.search(value) is not None
        if (letters and digits and (match.group("link") or special)) or (match.group("link") and letters and special):
            yield Span(start=match.start("value"), end=match.start("value") + len(value), type="SECRET")
