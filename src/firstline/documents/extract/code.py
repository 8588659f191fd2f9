"""What does a piece of code name? A method, a command, a setting, an error, or a thing, by its shape."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from firstline.documents.extract.errors import error_name
from firstline.documents.extract.mention import Mention, mention
from firstline.documents.extract.page import Code, Page
from firstline.domain import EntityKind

LINES_MAX: Final = 400
"""Of a block: a longer one is a listing, and names what its first lines name."""

_METHOD: Final = re.compile(r"(?<![\w$])((?:[A-Za-z_$][\w$]{0,60}(?:\.|::|->)){0,6}[A-Za-z_]\w{2,60})\(\)")
_CALL: Final = re.compile(r"((?:[A-Za-z_$][\w$]{0,60}(?:\.|::|->)){0,6}[A-Za-z_]\w{2,60})\([^()\n]{0,60}\)")
_FLAG: Final = re.compile(r"(?<![\w-])--[a-z][a-z0-9]{1,40}(?:[-_.][a-z0-9]{1,40}){0,8}", re.IGNORECASE)
_JVM_FLAG: Final = re.compile(r"(?<![\w-])-XX:[+-]?([A-Z]\w{3,60})")
_JAVA_FLAG: Final = re.compile(r"-[DX][\w.:]{3,80}")
_ENV: Final = re.compile(r"(?<![\w$-])\$?\{?([A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,8})\}?(?![\w(])")
_CIPHER: Final = re.compile(r"(?:TLS|SSL)_|\w{1,60}_WITH_\w{1,60}_SHA")
_SNAKE: Final = re.compile(r"(?<![\w.$/@:-])([a-z][a-z0-9]{0,40}(?:_[a-z0-9]{1,40}){1,10})(?![\w(/@.-])")
_DOTTED: Final = re.compile(r"\.?[a-z][\w-]{0,60}(?:\[\w{0,10}\])?(?:\.[\w*-]{1,60}(?:\[\w{0,10}\])?){1,10}")
_DOTTED_PROSE: Final = re.compile(
    r"(?<![\w./@:-])([a-z][a-z0-9]{1,30}(?:\.[a-z][A-Za-z0-9_-]{1,40}){2,8})(?![\w(/@]|\.\w)"
)
_LABEL: Final = re.compile(r"[a-z0-9][a-z0-9.-]{0,60}\.[a-z]{2,12}/[A-Za-z][\w.-]{1,80}")
_CAMEL_LOW: Final = re.compile(r"[a-z]{1,30}[a-z0-9]{0,20}(?:[A-Z][a-z0-9]{0,30}){1,8}")
_CAMEL: Final = re.compile(
    r"[A-Z][a-z0-9]{1,40}(?:[A-Z]{1,6}[a-z0-9]{0,40}){1,8}|[A-Z]{2,6}[a-z][a-z0-9]{1,40}(?:[A-Z][a-z0-9]{0,40}){0,6}"
)
_CAPITAL: Final = re.compile(r"[A-Z][a-z]{2,30}")
_ACRONYM: Final = re.compile(r"[A-Z][A-Z0-9]{2,7}")
_HYPHENS: Final = re.compile(r"[a-z][a-z0-9]{0,30}(?:-[a-z0-9]{1,30}){1,8}")
_PATH: Final = re.compile(r"(?:~|\.{1,2})?/?(?:[\w.@-]{1,60}/){1,12}[\w.@-]{1,60}")
_FILE: Final = re.compile(
    r"(?<![\w/.@$-])[\w-]{2,60}(?:\.[\w-]{1,30}){0,3}\.(?:ya?ml|json|xml|conf|cfg|ini|properties|props|toml|sh|py|rb"
    r"|pl|js|ts|java|jar|war|ear|exe|dll|so|bat|cmd|ps1|log"
    r"|sql|txt|csv|tgz|zip|rpm|deb|msi|pem|crt|key|jks|p12|kdb|rules|service|tf|go|env|html?|css|md)(?![\w(/]|\.\w)"
)
_PAIR: Final = re.compile(r"([\w.-]{3,80})\s?[=:]\s?\S[^\n]{0,100}")
_ASSIGNED: Final = re.compile(r"(?<![\w./$-])([A-Za-z][a-z0-9]{1,30}(?:[A-Z][a-z0-9]{0,30}){1,8})=(?=[\w\"'/<-])")
_KNOB: Final = re.compile(
    r"(?:\b(?:parameters?|settings?|propert(?:y|ies)|variables?|options?|fields?|flags?|attributes?|metrics?|set|sets"
    r"|export|keys?|env|directives?|switch(?:es)?|arguments?|labels?)\b|^\s*\|)",
    re.IGNORECASE | re.MULTILINE,
)
_KNOB_AFTER: Final = re.compile(
    r"[\"'*_”’]{0,3}(?:\s?=|\s(?:[a-z]{2,12} ){0,3}(?:parameters?|settings?|propert(?:y|ies)|variables?"
    r"|options?|fields?|flags?|attributes?|metrics?|keys?|directives?)\b)",
    re.IGNORECASE,
)
_PROMPT: Final = re.compile(r"^\s{0,12}(?:\$|>|%|sh-[\d.]{1,5}[$#]|\[?[\w.-]{1,40}@[\w.:~ /-]{1,60}\]?[$#])\s+(?=\S)")
_SHELLS: Final = frozenset(
    "sh shell bash console zsh terminal shell-session shellsession cmd powershell bat ksh".split()
)
_TOOL: Final = re.compile(r"[a-z][a-z0-9]{0,20}(?:[._-][a-z0-9]{1,20}){0,3}")
_SUBCOMMAND: Final = re.compile(r"[a-z]{2,20}(?:-[a-z]{2,20}){0,3}")
_EVERYDAY: Final = frozenset(
    "cd ls cat echo grep egrep sed awk mkdir rm cp mv touch export source exit sleep head tail sort uniq wc xargs tee"
    " true false test set unset"
    " if then else fi for while do done case esac function return local read printf print sudo su chmod chown less"
    " more vi vim nano find which"
    " let in pwd kill cut tr eval time watch clear history alias end begin select from where insert update".split()
)
"""Tools of every text that name nothing."""
_COMMON_TOOLS: Final = frozenset(
    "apt apt-get brew yum dnf rpm pip npm yarn git docker podman systemctl service journalctl curl wget openssl ssh"
    " scp rsync tar java javac"
    " mvn gradle make go cargo node python python3 psql mysql redis-cli kubectl helm terraform ansible"
    " ansible-playbook aws gcloud az crictl"
    " etcdctl iptables ip netstat ss ping nslookup dig keytool netsh ipconfig msiexec reg sc".split()
)
_WORDS: Final = frozenset(
    "true false none null yes no get post put patch delete head options string int integer boolean float object array"
    " list map any all default"
    " unknown ready active never always enabled disabled error warning info debug success failed status name"
    " namespace version value key type".split()
)
_VERBS: Final = frozenset("get describe create delete apply list add remove run use edit check view show open".split())
"""What a tool is told to do: a line that begins so has lost its tool."""
_PLACED: Final = frozenset("my your example test demo foo bar sample some hello".split())
"""What a name begins with that was made up for an example."""


def code_mentions(page: Page) -> Iterator[Mention]:
    """Of code within lines, of blocks, and of what stands in prose and looks like code all the same."""
    tools = _tools(page)
    for code in page.codes:
        if code.block:
            yield from _of_block(code, page, tools)
        else:
            yield from _of_inline(code, page, tools)
    yield from _of_prose(page)


def _of_inline(code: Code, page: Page, tools: frozenset[str]) -> Iterator[Mention]:
    text = code.text
    kind, name, weight = shape(text)
    if kind is EntityKind.COMPONENT and _alerts(page.text, code):
        kind = EntityKind.ERROR
    if name and (_made_up(name) or _is_blank(page.text, code.start, code.end)):
        return
    if (
        kind is EntityKind.SETTING
        and _ENV.fullmatch(text)
        and not text.startswith("$")
        and not _is_knob(page.text, code.start, code.end)
    ):
        # Capitals alone may be a state, a right, a constant: a thing with a name.
        kind = EntityKind.COMPONENT
    if name:
        yield from _one(mention(kind, name, code.start, code.end, weight=weight))
    elif " " in text:
        yield from _commands(text, code.start, code.end, tools, sure=False)
        yield from _flags(text, code.start, code.end)
    elif (text in tools or text in _COMMON_TOOLS) and text not in _EVERYDAY:
        yield from _one(mention(EntityKind.COMMAND, text, code.start, code.end))


def shape(text: str) -> tuple[EntityKind, str, int]:
    """Kind, name and weight of a piece of code that is one name; no name when it is something else."""
    none = (EntityKind.COMPONENT, "", 0)
    if len(text) > 120 or not text:
        return none
    if error := error_name(text):
        return EntityKind.ERROR, error, 3
    if (call := _CALL.fullmatch(text)) is not None:
        return EntityKind.METHOD, f"{call[1]}()", 3
    if _FLAG.match(text) and " " not in text:
        return EntityKind.SETTING, text.partition("=")[0], 3
    if _JAVA_FLAG.match(text) and " " not in text:
        return EntityKind.SETTING, text.partition("=")[0], 3
    if (env := _ENV.fullmatch(text)) is not None and not _CIPHER.match(env[1]):
        return EntityKind.SETTING, env[1], 3
    if _FILE.fullmatch(text):
        return EntityKind.COMPONENT, text, 2
    if _LABEL.fullmatch(text) and "://" not in text:
        return EntityKind.SETTING, text, 3
    if _DOTTED.fullmatch(text) and any(sign.isalpha() for sign in text.rsplit(".", 1)[-1]):
        # A class or a function of a package, by its capital.
        kind = EntityKind.COMPONENT if text.rsplit(".", 1)[-1][:1].isupper() else EntityKind.SETTING
        return kind, text.lstrip("."), 3
    if _SNAKE.fullmatch(text) or _CAMEL_LOW.fullmatch(text):
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
        and (_SNAKE.fullmatch(pair[1]) or _CAMEL_LOW.fullmatch(pair[1]) or _DOTTED.fullmatch(pair[1]))
    ):
        return EntityKind.SETTING, pair[1].lstrip("."), 3
    return none


def _alerts(text: str, code: Code) -> bool:
    """Written as an alert's name: "the `HostDown` alert", "alert `HostDown`"."""
    return bool(
        re.match(r"`{0,2}\**\s{1,2}alerts?\b", text[code.end : code.end + 12])
        or re.search(r"\b[aA]lert(?:name)?[\s:=*\"`]{1,4}$", text[max(0, code.start - 14) : code.start])
    )


def _made_up(name: str) -> bool:
    return re.split(r"[-_./]", name.lower().lstrip("-./~"))[0] in _PLACED


def _of_block(code: Code, page: Page, tools: frozenset[str]) -> Iterator[Mention]:
    at = code.start
    for place, line in enumerate(page.text[code.start : code.end].split("\n")):
        if place > LINES_MAX:
            return
        if _is_command_line(line, code):
            yield from _commands(line, at, at + len(line), tools, sure=True)
            yield from _flags(line, at, at + len(line))
            yield from _variables(line, at)
        at += len(line) + 1


def _is_command_line(line: str, code: Code) -> bool:
    return bool(_PROMPT.match(line)) or (
        code.language in _SHELLS and not line.lstrip().startswith(("#", "`", "<", "{", "}", "-", "|", '"'))
    )


def _tools(page: Page) -> frozenset[str]:
    """First words of command lines: what the page runs."""
    found: set[str] = set()
    for code in page.codes:
        if code.block:
            for line in code.text.split("\n")[:LINES_MAX]:
                if _PROMPT.match(line) and (words := _words(line)):
                    found.add(words[0])
    return frozenset(found)


def _words(line: str) -> list[str]:
    bare = _PROMPT.sub("", line.strip("` \t"))
    if assigned := re.match(r"[A-Za-z_]\w{0,40}=[\"']?\$\(", bare):
        bare = bare[assigned.end() :]
    words = bare.split(" ")
    while words and (words[0] in ("sudo", "") or re.match(r"[A-Za-z_]\w{0,40}=", words[0])):
        gone = words.pop(0)
        if gone.count("'") % 2 or gone.count('"') % 2:
            # A value with blanks in it: what follows is no command.
            return []
    if words and words[0].startswith("/") and len(words) > 1:
        words[0] = words[0].rsplit("/", 1)[-1]
    if not words or not _TOOL.fullmatch(words[0]):
        return []
    return words


def _commands(line: str, start: int, end: int, tools: frozenset[str], *, sure: bool) -> Iterator[Mention]:
    """The tool and what it is told to do: `systemctl restart nginx` is `systemctl restart`."""
    words = _words(line)
    if not words or words[0] in _EVERYDAY or words[0] in _VERBS:
        return
    prompted = bool(_PROMPT.match(line))
    known = (
        words[0] in tools
        or words[0] in _COMMON_TOOLS
        or any(word.startswith("-") and len(word) > 1 for word in words[1:4])
    )
    if not known and not (sure and prompted):
        return
    if words[-1].endswith((".", ":")) and not sure:
        return
    second = words[1] if len(words) > 1 else ""
    told = f"{words[0]} {second}" if _SUBCOMMAND.fullmatch(second) and second not in _EVERYDAY else words[0]
    yield from _one(mention(EntityKind.COMMAND, told, start, end))


def _flags(text: str, start: int, end: int) -> Iterator[Mention]:
    for found in _FLAG.finditer(text):
        yield from _one(mention(EntityKind.SETTING, found.group(), start + found.start(), start + found.end()))


def _variables(line: str, start: int) -> Iterator[Mention]:
    for found in _ENV.finditer(line):
        if not error_name(found[1]) and not _CIPHER.match(found[1]) and not _is_blank(line, *found.span(1)):
            yield from _one(
                mention(EntityKind.SETTING, found[1], start + found.start(1), start + found.end(1), weight=2)
            )


def _is_blank(text: str, start: int, end: int) -> bool:
    """`<NAME>`, `[NAME]`, `NAME="..."`: to be filled in, or the value of something."""
    before, after = text[max(0, start - 2) : start], text[end : end + 1]
    return (before[-1:] == "<" and after == ">") or (before[-1:] == "[" and after == "]") or before == '="'


def _is_knob(prose: str, start: int, end: int) -> bool:
    """Prose says beside it what it is, gives it a value, or lists it in a table."""
    before = prose[max(0, start - 60) : start].rpartition("\n\n")[2]
    return bool(_KNOB.search(before) or _KNOB_AFTER.match(prose, end))


def _of_prose(page: Page) -> Iterator[Mention]:
    prose = page.prose
    for found in _METHOD.finditer(prose):
        yield from _one(mention(EntityKind.METHOD, f"{found[1]}()", *found.span(), weight=3))
    for found in _JVM_FLAG.finditer(prose):
        yield from _one(mention(EntityKind.SETTING, found[1], *found.span(1), weight=3))
    for found in _FLAG.finditer(prose):
        yield from _one(mention(EntityKind.SETTING, found.group(), *found.span(), weight=3))
    for found in _ENV.finditer(prose):
        if _is_blank(prose, *found.span(1)):
            continue
        if not error_name(found[1]) and not _CIPHER.match(found[1]) and _is_knob(prose, *found.span(1)):
            yield from _one(mention(EntityKind.SETTING, found[1], *found.span(1), weight=2))
    for pattern in (_SNAKE, _DOTTED_PROSE):
        for found in pattern.finditer(prose):
            if (
                not _FILE.fullmatch(found[1])
                and _is_knob(prose, *found.span(1))
                and not _made_up(found[1])
                and not found[1].endswith(("_t", "_", "-"))
                and prose[found.start(1) - 1 : found.start(1)] != "<"
            ):
                yield from _one(mention(EntityKind.SETTING, found[1], *found.span(1), weight=2))
    for found in _ASSIGNED.finditer(prose):
        if found[1][0].isupper() and re.match(r"=(?:True|False)\b", prose[found.end(1) : found.end(1) + 8]):
            # A state, not a knob.
            continue
        yield from _one(mention(EntityKind.SETTING, found[1], *found.span(1), weight=2))
    for found in _FILE.finditer(prose):
        if not _made_up(found.group()):
            yield from _one(mention(EntityKind.COMPONENT, found.group(), *found.span(), weight=2))


def _one(found: Mention | None) -> Iterator[Mention]:
    if found is not None:
        yield found
