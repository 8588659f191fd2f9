"""Which passwords stand beside a user, a command or a sentence's verb, rather than right behind `password:`?

Each form is a pattern that finds the value, and a measure of how much the value must look like a password: the surer
the form is, the less. Every pattern is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from firstline.documents.redact.spans import Span

_NOUN: Final = (
    r"(?:pass(?:word|wd|phrase|code)|pwd|pw|passwort|kennwort|mot de passe|mdp|contraseña|clave|senha|wachtwoord)"
)
_VALUE: Final = r"(?P<value>[^\s\"'`<>\[\](){}«»„“”]{4,128})"
_QUOTE: Final = r"[\"'`«„“]?"
_OF_WHAT: Final = r"(?:[ \t](?:for|of|on|to|für|von|vom|am|pour|para|de|del)(?:[ \t][^\s:=]{1,64}){1,4}?)?"
_CHANGED: Final = (
    r"[ \t](?:(?:is|was|got|has been|had been|wurde|a été|fue|ha sido)[ \t](?:now[ \t])?)?"
    r"(?:changed|updated|geändert|cambiada)[ \t](?:to|auf|zu|en|a):?"
    r"|[ \t](?:is|was|got|has been|had been)[ \t](?:now[ \t])?(?:set|reset)[ \t]to:?"
    r"|[ \t]wurde[ \t](?:auf|zu)"
)
_IS: Final = (
    r"[ \t]{0,3}(?::|=|->)"
    r"|[ \t](?:is|was|are|be|ist|lautet|war|est|es|é)(?:[ \t](?:now|jetzt|currently|still))?:?"
)
_SIGNS_IN: Final = (
    r"(?<![\w/-])(?:log(?:ged)?[ -]?(?:in|on)|credentials?|creds|zugang|zugangsdaten|anmeldung)"
    r"(?:[ \t](?:is|are|with|as|ist|mit))?[ \t:=]{1,3}(?:user[ \t])?"
)
_ADMINS: Final = r"(?:root|admin|administrator|sa|postgres|oracle|guest|ubuntu|pi|superuser|sysadmin|elastic)"

_PLACEHOLDER: Final = re.compile(
    r"(?i)^[$%{<\[]|^[*x.•_-]+$|your|example|placeholder|changeme|redacted|dummy|sample|SECRET_"
    r"|^(?:pass(?:word|wd|phrase|code)?|pwd?|secret|token|key|value|string|text|null|none|wrong|correct|required|opt"
    r"ional"
    r"|empty|invalid|expired|incorrect|missing|stored|reset|falsch|erforderlich|leer|requis|obligatoire|incorrecta"
    r"|obligatoria|requerida|wie|folgendermaßen|also|nicht|immer|noch)[.:]?$"
)
# Names of algorithms, protocols, encodings, columns and versions hold letters and digits too.
_ALGORITHM: Final = re.compile(
    r"(?i)^(?:sha|md|base|utf|aes|pbkdf|pkcs|oauth|saml|rfc|https?|ipv|tls|ssl|argon|bcrypt|scrypt|x|ldap|ntlm|mscha"
    r"pv|krb|v"
    r"|version|field|file|column|user|host|node|server|db|step|page|table|section|chapter|python|java|win|mysql|web)"
    r"[-_]?\d[\w.-]*$"
)
_NO_VALUE: Final = re.compile(
    r"^https?:|^[\d.,:/-]+$|^-{1,2}\w|^[/~.]|^[\w.-]+/[\w./-]*/|\(\)?$|^\w+=|@\w+\.\w+$|:\d+$"
)
_SPECIAL: Final = re.compile(r"[!@#$%^&*+?~§]")


def _kinds(value: str) -> tuple[bool, bool, bool]:
    """Does it hold letters, digits, signs that passwords are spiced with?"""
    return any(map(str.isalpha, value)), any(map(str.isdigit, value)), _SPECIAL.search(value) is not None


def _mixed(value: str) -> bool:
    """Letters with digits or with a sign; the name of an algorithm or a version is not meant."""
    letters, digits, special = _kinds(value)
    return len(value) >= 6 and letters and (digits or special) and not _ALGORITHM.match(value)


def _phrase(value: str) -> bool:
    """Mixed, or several words joined as in a passphrase."""
    return _mixed(value) or (value.count("-") >= 3 and value.replace("-", "").isalpha())


def _spiced(value: str) -> bool:
    """Letters, digits and a sign."""
    return len(value) >= 6 and all(_kinds(value))


def _any(value: str) -> bool:
    return not _ALGORITHM.match(value)


_FORMS: Final[tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...]] = tuple(
    (re.compile("(?i)" + pattern), measure)
    for pattern, measure in (
        # the password for the admin is / was changed to / lautet: X
        (
            rf"(?<![\w-]){_NOUN}{_OF_WHAT}(?:{_CHANGED}|{_IS})[ \t]{{1,3}}"
            rf"{_QUOTE}{_VALUE}",
            _phrase,
        ),
        (rf"(?<![\w-]){_NOUN}(?:[ \t]für[ \t]\S{{1,64}})?[ \t]lautet:?[ \t]{_QUOTE}{_VALUE}(?=[\"'`»“]?\s*$)", _any),
        # passphrase X, password (X), and the word alone on the line above
        (rf"(?<![\w-])(?:passphrase|pw|pwd|kennwort|mdp)[ \t]{{1,3}}{_QUOTE}{_VALUE}", _phrase),
        (rf"(?<![\w-]){_NOUN}[ \t]{{0,2}}\({_QUOTE}{_VALUE}{_QUOTE}\)", _mixed),
        (
            rf"(?<!\S)[#*_ \t]{{0,6}}{_NOUN}[*_]{{0,2}}:?[*_]{{0,2}}[ \t]{{0,4}}\n{{1,2}}"
            rf"[ \t]{{0,4}}{_VALUE}[ \t]{{0,4}}(?=\n|\Z)",
            _mixed,
        ),
        # user anna pass X
        (
            r"(?<![\w-])(?:user(?:name)?|login|account|benutzer|utilisateur|usuario)[ \t:=]{1,3}"
            rf"\S{{1,64}}?[,;]?[ \t]{{1,3}}(?:(?:and|und|et|y|with)[ \t])?pass(?:word)?[ \t:=]{{1,3}}{_QUOTE}{_VALUE}",
            _mixed,
        ),
        # I use X as password
        (
            r"(?<![\w-])(?:use[ds]?|using|set|have|typed|entered?|tried|try|chose|verwende|benutze|nehme|utilise|uso)"
            rf"[ \t]{_QUOTE}{_VALUE}{_QUOTE}[ \t](?:as|als|comme|como|for)[ \t]"
            rf"(?:(?:the|my|our|a|its|this|das|mein|unser|mon|le|mi|la|new|neues|root|admin)[ \t]){{0,3}}{_NOUN}\b"
            r"(?![ \t-](?:manager|vault|safe|stor|hash|grant|polic|provider|generator|tool|backend|encod|protect))",
            _mixed,
        ),
        # login root/X
        (
            rf"{_SIGNS_IN}[\w.@-]{{1,64}}[ \t]?/[ \t]?{_VALUE}",
            _mixed,
        ),
        (
            rf"{_SIGNS_IN}{_ADMINS}[ \t]?/[ \t]?{_VALUE}",
            _any,
        ),
        # Commands that take a password by an option of one letter.
        (
            r"(?<![\w-])(?:sshpass[ \t]{1,3}-p[ \t]{0,3}|redis-cli\b[^\n|;]{0,120}?[ \t]-a[ \t]{1,3})"
            rf"{_QUOTE}{_VALUE}",
            _any,
        ),
        (rf"(?<![\w-])(?:mysql\w*|mariadb[\w-]*)\b[^\n|;]{{0,120}}?[ \t]-p(?!ort){_QUOTE}{_VALUE}", _any),
        (
            rf"(?<![\w-])(?:login|mongo\w*|az|oc|cf)\b[^\n|;]{{0,120}}?[ \t]-p[ \t]{{1,3}}{_QUOTE}{_VALUE}",
            _any,
        ),
        (
            rf"(?<=\s)-u[ \t]{{0,3}}[^\s-]\S{{0,63}}[ \t][^\n|;]{{0,120}}?(?<=[ \t])-p[ \t]{{1,3}}{_QUOTE}{_VALUE}",
            _mixed,
        ),
        (rf"(?<=\s)-p[ \t]{{1,3}}{_QUOTE}{_VALUE}", _spiced),
    )
)
_USER_OPTION: Final = re.compile(
    r"(?<=\s)(?:-u|--user)[ \t=]{0,3}[\"']?[^\s:\"'<$-][^\s:\"']{0,63}:(?P<value>[^\s\"']{3,128})"
)
_FETCHES: Final = re.compile(r"\b(?:curl|wget|https?|httpie)\b")
COMMAND_CHARS_MAX: Final = 400


def told_passwords(text: str) -> Iterator[Span]:
    """Values of every form above that look as much like a password as their form asks for."""
    for pattern, measure in _FORMS:
        for match in pattern.finditer(text):
            value = match.group("value").rstrip(".,:;!?*\\")
            if len(value) >= 4 and not _PLACEHOLDER.search(value) and not _NO_VALUE.search(value) and measure(value):
                yield Span(start=match.start("value"), end=match.start("value") + len(value), type="SECRET")
    for match in _USER_OPTION.finditer(text):
        value = match.group("value")
        if _fetches(text, match.start()) and not _PLACEHOLDER.search(value):
            yield Span(start=match.start("value"), end=match.end("value"), type="SECRET")


def _fetches(text: str, at: int) -> bool:
    """Does the option at `at` belong to a command that signs in with it? A line may go on behind a backslash."""
    before = text[max(0, at - COMMAND_CHARS_MAX) : at].replace("\\\n", " ")
    return _FETCHES.search(before.rsplit("\n", 1)[-1]) is not None
