"""How does text of documents lose everything that could act? Whoever renders a reply as Markdown gets words and code.

Links and references become their text, images their description, and what a renderer could take for HTML or an address
stands in a code span. What stands in code stays to the letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Final

from markdown_it import MarkdownIt

from firstline.domain import Reply, ReplyBlock

_ACTIVE: Final = re.compile(r"\]\s{0,3}[(\[:]|!\[|<[A-Za-z/!?]|[A-Za-z][A-Za-z0-9+.-]{1,20}:|www\.|@")
_FENCE: Final = re.compile(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?P<mark>`{3,}|~{3,})(?P<info>[^`\n]*)$")
_OPENS: Final = re.compile(r"^(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*(?P<mark>`{3,}|~{3,})")
"""What opens a fence in a single line, or is taken for it by one renderer or another."""
_LINK: Final = re.compile(r"!?\[(?P<text>[^\[\]]{0,500})\]\((?:[^()\n]|\([^()\n]{0,200}\)){0,2000}\)")
_REFERENCE: Final = re.compile(r"!?\[(?P<text>[^\[\]]{1,500})\]\[[^\[\]]{0,200}\]")
_MARKUP: Final = re.compile(
    r"<(?=[A-Za-z/!?])[^<>`\n]{0,2000}>?"
    r"|(?<![\w`])(?:[a-z][a-z0-9+.-]{1,20}://|www\.|(?:mailto|javascript|data|vbscript|tel|sms|file|blob):)[^\s`<>|]{1,2000}"
    r"|(?<![\w`@])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}",
    re.IGNORECASE,
)
_BEHIND: Final = "\n\n<b>"
_TRAILING: Final = ".,;:!?)]}'\"*_"
_NESTED_MAX: Final = 4
_BEGINNERS: Final = re.compile(r"(\\*)([\[\]<>!`&:@])")
_ACTIVE_TOKENS: Final = frozenset({"html_inline", "html_block", "link_open", "image", "linkify"})


def inert_reply(reply: Reply) -> Reply:
    """The same reply with every text made inert. Its links were chosen before and are kept, their titles made inert."""
    return replace(
        reply,
        notice=inert(reply.notice),
        blocks=tuple(_block(block) for block in reply.blocks),
        citations=tuple(
            replace(one, citation=replace(one.citation, title=inert_line(one.citation.title)))
            for one in reply.citations
        ),
        links=tuple((inert_line(title), url) for title, url in reply.links),
        options=tuple(inert_line(option) for option in reply.options),
    )


def inert(text: str) -> str:
    """Markdown that nothing in can act, nor in what stands behind it after an empty line: no fence stays open. Text
    without anything that could is returned as it is."""
    fenced = "```" in text or "~~~" in text
    if not fenced and not _ACTIVE.search(text):
        return text
    made = _closed("\n".join(_lines(text))) if fenced else "\n".join(_lines(text))
    return made if not acts(made) else _outside_of_nothing(text)


def inert_line(text: str) -> str:
    """The same for a title, which stays one line: a fence in it is shown and opens nothing."""
    line = " ".join(text.splitlines()) if len(text.splitlines()) > 1 else text
    if fence := _OPENS.match(line):
        begin, end = fence.span("mark")
        line = line[:begin] + "".join(f"\\{sign}" for sign in fence["mark"]) + line[end:]
    return inert(line)


def acts(text: str) -> bool:
    """Whether a Markdown renderer makes anything of this text that can be clicked, loaded or run."""
    return any(
        token.type in _ACTIVE_TOKENS or any(child.type in _ACTIVE_TOKENS for child in token.children or ())
        for token in _reader().parse(text)
    )


def _closed(text: str) -> str:
    """The same text, its last fence closed when it stays open to the end, in a quote or list as outside of one."""
    fences = [token for token in _reader().parse(text) if token.type == "fence" and token.map]
    if not fences or not fences[-1].map:
        return text
    lines, mark, (begin, end) = text.split("\n"), fences[-1].markup, fences[-1].map
    if any(line.strip() for line in lines[end:]) or (end - begin > 1 and _closes(lines[end - 1], mark)):
        return text
    # In a list the fence is closed below its beginning, where the list's own mark is blank.
    before = re.sub("[^>]", " ", lines[begin][: lines[begin].find(mark)])
    closed = f"{text}\n{before}{mark}"
    return closed if acts(closed + _BEHIND) else _outside_of_nothing(text)


def _closes(line: str, mark: str) -> bool:
    kept = line.strip(" \t>")
    return kept.startswith(mark) and not kept.strip(mark[0])


@cache
def _reader() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def _block(block: ReplyBlock) -> ReplyBlock:
    made = inert(block.text)
    return block if made is block.text else replace(block, text=made)


def _lines(text: str) -> list[str]:
    """Fenced code is passed over; the stretches between are changed as one text each."""
    made: list[str] = []
    prose: list[str] = []
    mark = ""
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if mark:
            made.append(line)
            if fence and fence["mark"].startswith(mark) and not fence["info"].strip():
                mark = ""
        elif fence:
            made += [_outside_code(_plain_words, "\n".join(prose))] if prose else []
            prose, mark = [], fence["mark"]
            made.append(line)
        else:
            prose.append(line)
    return [*made, *([_outside_code(_plain_words, "\n".join(prose))] if prose else [])]


def _outside_code(change: Callable[[str, int], str], text: str) -> str:
    """`change` is given what stands outside of code spans, and a length of backticks that stands nowhere in it."""
    runs = {len(run) for run in re.findall("`+", text)}
    ticks = next(length for length in range(1, len(runs) + 2) if length not in runs)
    parts: list[str] = []
    at = 0
    for span in re.finditer(r"(?<!`)(`+)(?!`)(?:(?!\n[ \t]*\n).)*?(?<!`)\1(?!`)", text, re.DOTALL):
        parts += [change(text[at : span.start()], ticks), span.group()]
        at = span.end()
    return _apart([*parts, change(text[at:], ticks)])


def _apart(parts: list[str]) -> str:
    """Joined; two code spans side by side would become one broken one."""
    made = ""
    for part in parts:
        made += f" {part}" if made.endswith("`") and part.startswith("`") else part
    return made


def _plain_words(text: str, ticks: int) -> str:
    for _ in range(_NESTED_MAX):
        shorter = _REFERENCE.sub(r"\g<text>", _LINK.sub(r"\g<text>", text))
        if shorter == text:
            break
        text = shorter
    # What is left is nested too deep, or broken: with a blank between it is no link to anybody.
    text = re.sub(r"\](?=[(\[:])", "] ", text)
    parts: list[str] = []
    at = 0
    for found in _MARKUP.finditer(text):
        parts += [text[at : found.start()], _as_code(found.group(), ticks)]
        at = found.end()
    return _apart([*(part for part in parts if part), text[at:]])


def _as_code(found: str, ticks: int) -> str:
    kept = found if found.startswith("<") else found.rstrip(_TRAILING)
    if not kept:
        return found
    fence = "`" * ticks
    return f"{fence}{kept}{fence}{found[len(kept) :]}"


def _outside_of_nothing(text: str) -> str:
    """The last resort, where it cannot be told what is code: every sign that could begin something is escaped."""
    escaped = _BEGINNERS.sub(lambda found: found[1] + ("" if len(found[1]) % 2 else "\\") + found[2], text)
    return escaped.replace("\n", " ")
