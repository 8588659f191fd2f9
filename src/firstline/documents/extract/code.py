"""What does a piece of code name? A method, a command, a setting, an error, or a thing, by its shape."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from firstline.documents.extract.code_in_prose import code_in_prose, is_knob
from firstline.documents.extract.errors import error_name
from firstline.documents.extract.mention import Mention, mention
from firstline.documents.extract.page import Code, Page
from firstline.documents.extract.shape import CIPHER, ENV, FLAG, is_blank, made_up, shape
from firstline.domain import EntityKind

LINES_MAX: Final = 400
"""Of a block: a longer one is a listing, and names what its first lines name."""

_PROMPT: Final = re.compile(r"^\s{0,12}(?:\$|>|%|sh-[\d.]{1,5}[$#]|\[?[\w.-]{1,40}@[\w.:~ /-]{1,60}\]?[$#])\s+(?=\S)")
_SHELLS: Final = frozenset(
    "sh shell bash console zsh terminal shell-session shellsession cmd powershell bat ksh".split()
)
_TOOL: Final = re.compile(r"[a-z][a-z0-9]{0,20}(?:[._-][a-z0-9]{1,20}){0,3}")
_SET: Final = re.compile(r"\+?=")
_EXPORTED: Final = re.compile(r"(?:\b(?:export|unset|env|set)|\s-e|--env)[ =]$")
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
_VERBS: Final = frozenset("get describe create delete apply list add remove run use edit check view show open".split())
"""What a tool is told to do: a line that begins so has lost its tool."""


def code_mentions(page: Page) -> Iterator[Mention]:
    """Of code within lines, of blocks, and of what stands in prose and looks like code all the same."""
    tools = _tools(page)
    for code in page.codes:
        if code.block:
            yield from _of_block(code, page, tools)
        else:
            yield from _of_inline(code, page, tools)
    yield from code_in_prose(page)


def _of_inline(code: Code, page: Page, tools: frozenset[str]) -> Iterator[Mention]:
    text = code.text
    kind, name, weight = shape(text)
    if kind is EntityKind.COMPONENT and _alerts(page.text, code):
        kind = EntityKind.ERROR
    if name and (made_up(name) or is_blank(page.text, code.start, code.end)):
        return
    if (
        kind is EntityKind.SETTING
        and ENV.fullmatch(text)
        and not text.startswith("$")
        and not is_knob(page.text, code.start, code.end)
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


def _alerts(text: str, code: Code) -> bool:
    """Written as an alert's name: "the `HostDown` alert", "alert `HostDown`"."""
    return bool(
        re.match(r"`{0,2}\**\s{1,2}alerts?\b", text[code.end : code.end + 12])
        or re.search(r"\b[aA]lert(?:name)?[\s:=*\"`]{1,4}$", text[max(0, code.start - 14) : code.start])
    )


def _of_block(code: Code, page: Page, tools: frozenset[str]) -> Iterator[Mention]:
    at = code.start
    lines = page.text[code.start : code.end].split("\n")[:LINES_MAX]
    # Where a prompt stands before commands, a line without one is what came out, unless it runs what others run.
    prompted, goes_on = any(map(_PROMPT.match, lines)), False
    for line in lines:
        alone = _is_command_line(line, code) and (not prompted or _runs(line, tools))
        told = goes_on or alone or bool(_PROMPT.match(line))
        goes_on = told and line.rstrip().endswith("\\")
        if told:
            yield from _commands(line, at, at + len(line), tools, sure=True)
            yield from _flags(line, at, at + len(line))
            yield from _variables(line, at)
        at += len(line) + 1


def _runs(line: str, tools: frozenset[str]) -> bool:
    words = _words(line)
    return bool(words) and words[0] in tools


def _is_command_line(line: str, code: Code) -> bool:
    return code.language in _SHELLS and not line.lstrip().startswith(("#", "`", "<", "{", "}", "-", "|", '"'))


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
    for found in FLAG.finditer(text):
        yield from _one(mention(EntityKind.SETTING, found.group(), start + found.start(), start + found.end()))


def _variables(line: str, start: int) -> Iterator[Mention]:
    """Those that are read or set; capitals alone stand for what is to be filled in."""
    for found in ENV.finditer(line):
        is_read = line[found.start() : found.start() + 1] == "$"
        if not is_read and not _SET.match(line, found.end()) and not _EXPORTED.search(line, 0, found.start()):
            continue
        if not error_name(found[1]) and not CIPHER.match(found[1]) and not is_blank(line, *found.span(1)):
            yield from _one(
                mention(EntityKind.SETTING, found[1], start + found.start(1), start + found.end(1), weight=2)
            )


def _one(found: Mention | None) -> Iterator[Mention]:
    if found is not None:
        yield found
