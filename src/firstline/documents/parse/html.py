"""What does a web page say, apart from its furniture? Read from `<main>` or `<article>` when there is one.

The tree is walked with a stack of its own: a million nested elements are no deeper than one.
"""

from __future__ import annotations

import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from firstline.documents.parse.colours import WHITE, Colour
from firstline.documents.parse.decode import decode
from firstline.documents.parse.hidden import backdrop, styling_rules, unseen
from firstline.documents.parse.html_tables import Grid, caption_of, grid_of, lays_out
from firstline.documents.parse.marked import table_lines
from firstline.documents.parse.page import Page

_SKIPPED: Final = frozenset(
    [
        "script",
        "style",
        "noscript",
        "template",
        "nav",
        "footer",
        "aside",
        "header",
        "button",
        "svg",
        "iframe",
        "form",
        "select",
        "canvas",
        "object",
        "audio",
        "video",
        "head",
        "-comment",
    ]
)
_BLOCKS: Final = frozenset(
    [
        "p",
        "div",
        "section",
        "article",
        "main",
        "body",
        "html",
        "header",
        "dl",
        "dd",
        "dt",
        "figure",
        "figcaption",
        "details",
        "summary",
        "address",
        "fieldset",
        "blockquote",
        "center",
        "tr",
        "td",
        "th",
        "thead",
        "tbody",
        "tfoot",
        "caption",
    ]
)
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_LISTS: Final = frozenset({"ul", "ol", "menu"})
_CHARSET: Final = re.compile(rb"(?i)charset[ \t]{0,4}=[ \t\"']{0,4}([a-z0-9_-]{2,30})")
INDENT_MAX: Final = 8
"""Deeper lists are written at this depth: the words count, not how far they are pushed in."""
CELLS_MAX: Final = 200_000
REPEATED_CHARS_MAX: Final = 200
MAIN_SHARE_MIN: Final = 0.2
STYLE_CHARS_MAX: Final = 4_000


def html_page(raw: bytes) -> Page:
    tree = LexborHTMLParser(_decoded(raw))
    body = tree.body
    if body is None:
        return Page(text="")
    hidden = _take_out_hidden(tree, body)
    title_node = tree.css_first("title")
    page_title = " ".join(title_node.text().split()) if title_node is not None else ""
    root = _root(tree, body)
    text = _Writer(root).markdown()
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    title = re.sub(r"[*`]", "", heading.group(1)) if heading else page_title
    return Page(text=text, title=title, metadata=_properties(tree), hidden=hidden)


def _take_out_hidden(tree: LexborHTMLParser, body: LexborNode) -> str:
    """Elements that nobody sees leave the tree, so that no reader of it meets them; gives what they said."""
    styles = _styles(tree)
    gone: list[LexborNode] = []
    stack: list[tuple[LexborNode, Colour | None]] = [(body, WHITE)]
    while stack:
        node, behind = stack.pop()
        if node.tag != "-text":
            attributes, style = node.attributes, styles.get(node.mem_id, "")
            told = attributes or style or node.tag == "dialog"
            # The body itself is shown by a script now and then; taking it out would leave nothing.
            if told:
                if node is not body and unseen(attributes, behind=behind, style=style, tag=node.tag or ""):
                    gone.append(node)
                    continue
                behind = backdrop(attributes, behind, style)
        child = node.first_child
        while child is not None:
            stack.append((child, behind))
            child = child.next
    said = [" ".join(node.text(separator=" ").split()) for node in gone if node.tag not in _SKIPPED]
    for node in gone:
        node.decompose()
    return "\n".join(text for text in said if any(map(str.isalnum, text)))


def _styles(tree: LexborHTMLParser) -> dict[int, str]:
    """What the page's own style sheet declares, by the id of the element."""
    found: dict[int, str] = {}
    for selector, declared in styling_rules("\n".join(node.text() for node in tree.css("style"))):
        try:
            matched = tree.css(selector)
        except ValueError:
            continue  # no selector after all: browsers leave such a rule out, too
        for node in matched:
            found[node.mem_id] = f"{found.get(node.mem_id, '')};{declared}"[-STYLE_CHARS_MAX:]
    return found


def _decoded(raw: bytes) -> str:
    """By the page's own declaration when it names an encoding other than Unicode, else by its bytes."""
    declared = _CHARSET.search(raw, 0, 2_048)
    name = declared.group(1).decode("ascii").lower() if declared else ""
    if name.startswith(("iso-8859-", "windows-125", "koi8-", "shift_jis", "euc-", "gb", "big5")):
        try:
            return raw.decode("cp1252" if name == "iso-8859-1" else name, errors="replace")
        except LookupError:
            pass
    return decode(raw)


def html_fragment(html: str) -> str:
    """A piece of HTML inside Markdown, as Markdown."""
    tree = LexborHTMLParser(html)
    return _Writer(tree.body).markdown() if tree.body is not None else ""


def _root(tree: LexborHTMLParser, body: LexborNode) -> LexborNode:
    """The main part, unless it holds only a little of what the page says."""
    found = tree.css_first("main") or tree.css_first("[role=main]") or tree.css_first("article")
    if found is None:
        return body
    if found.tag == "article" and len(tree.css("article")) > 1:
        return body
    return found if len(found.text()) >= len(body.text()) * MAIN_SHARE_MIN or found.css_first("h1") else body


def _properties(tree: LexborHTMLParser) -> dict[str, str]:
    link = tree.css_first("link[rel=canonical]")
    url = (link.attributes.get("href") or "") if link is not None else ""
    return {"url": url[:500]} if url.startswith(("https://", "http://")) else {}


class _Writer:
    """Walks the tree once; inline text collects in a buffer that every block boundary writes out as one line."""

    def __init__(self, root: LexborNode, *, inline: bool = False) -> None:
        self._root = root
        self._inline = inline
        self._out: list[str] = []
        self._buffer: list[str] = []
        self._lists: list[list[int | str]] = []
        self._marker = ""
        self._quotes = 0
        self._heading = 0
        self._cells = 0

    def markdown(self) -> str:
        stack: list[tuple[LexborNode, bool]] = [(self._root, False)]
        while stack:
            node, leaving = stack.pop()
            if leaving:
                self._leave(node)
            elif node.tag == "-text":
                self._buffer.append(_escaped(node.text_content or ""))
            elif not _skipped(node) and self._enter(node):
                stack.append((node, True))
                children: list[LexborNode] = []
                child = node.first_child
                while child is not None:
                    children.append(child)
                    child = child.next
                stack.extend((child, False) for child in reversed(children))
        self._flush()
        return "\n".join(self._out)

    def inline(self) -> str:
        """Everything on one line, for a table's cell."""
        return " ".join(part.strip() for part in self.markdown().split("\n") if part.strip())

    def _enter(self, node: LexborNode) -> bool:
        """Open an element; False when it is done with (and its children are not to be walked)."""
        tag = node.tag or ""
        if tag in _HEADINGS:
            self._flush()
            self._heading = _HEADINGS[tag]
        elif tag in _LISTS:
            self._flush()
            self._lists.append(["ol" if tag == "ol" else "ul", _start(node)])
        elif tag == "li":
            self._flush()
            self._marker = self._next_marker()
        elif tag == "pre":
            self._pre(node)
            return False
        elif tag == "table" and self._table(node):
            return False
        elif tag == "blockquote":
            self._flush()
            self._quotes = min(4, self._quotes + 1)
        elif tag in _BLOCKS or tag == "table":
            self._flush()
        elif tag == "br":
            self._buffer.append("\n")
        elif tag == "hr":
            self._flush()
        elif tag == "img":
            self._buffer.append(" ".join((node.attributes.get("alt") or "").split()))
        elif tag in {"strong", "b"}:
            self._buffer.append("\x02")
        elif tag in {"code", "kbd", "samp", "tt"}:
            self._code(node)
            return False
        elif tag == "a":
            self._buffer.append("\x03")
        return True

    def _leave(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag in _HEADINGS:
            self._flush()
            self._heading = 0
        elif tag in _LISTS:
            self._flush()
            self._lists.pop()
            if not self._lists:
                self._blank()
        elif tag == "li":
            self._flush()
            self._marker = ""
        elif tag == "blockquote":
            self._flush()
            while self._out and self._out[-1].strip() == ">":
                self._out.pop()
            self._quotes -= 1
            self._blank()
        elif tag in _BLOCKS or tag == "table":
            self._flush()
        elif tag in {"strong", "b"}:
            self._wrap("\x02", "**", "**")
        elif tag == "a":
            href = (node.attributes.get("href") or "").strip()
            useful = href and not href.startswith(("#", "javascript:", "data:")) and not re.search(r"[\s()<>]", href)
            self._wrap("\x03", "[", f"]({href[:2000]})") if useful else self._wrap("\x03", "", "")

    def _wrap(self, mark: str, before: str, after: str) -> None:
        """Put marks around what came since `mark`, when that is words within one line."""
        at = next((index for index in range(len(self._buffer) - 1, -1, -1) if self._buffer[index] == mark), None)
        if at is None:
            return
        inner = "".join(self._buffer[at + 1 :])
        del self._buffer[at:]
        words = inner.strip()
        if not words or "\n\n" in words or (before == "**" and (self._heading or "**" in words)):
            self._buffer.append(inner)
            return
        left = " " if inner[:1].isspace() else ""
        right = " " if inner[-1:].isspace() else ""
        self._buffer.append(f"{left}{before}{' '.join(words.split())}{after}{right}")

    def _code(self, node: LexborNode) -> None:
        text = " ".join(node.text().split())
        if text:
            fence = "``" if "`" in text else "`"
            self._buffer.append(f"{fence}{text}{fence}")

    def _pre(self, node: LexborNode) -> None:
        self._flush()
        text = node.text().strip("\n")
        if not text.strip():
            return
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
        prefix = self._prefix()
        self._out.extend(f"{prefix}{line}" for line in (fence, *text.split("\n"), fence))
        self._blank()

    def _table(self, node: LexborNode) -> bool:
        """Write a table of several columns; False for a layout table, whose cells are read as blocks."""
        grid = grid_of(node)
        width = max((len(row) for row in grid), default=0)
        self._cells += width * len(grid)
        if width < 2 or self._inline or self._cells > CELLS_MAX or lays_out(grid):
            return False
        self._flush()
        prefix = self._prefix()
        self._blank()
        caption = caption_of(node)
        named = _Writer(caption, inline=True).inline() if caption is not None else ""
        if named:
            self._out.extend((f"{prefix}**{named}**" if "**" not in named else f"{prefix}{named}", prefix.rstrip()))
        self._out.extend(f"{prefix}{line}" for line in table_lines(_texts(grid)))
        self._blank()
        return True

    def _next_marker(self) -> str:
        if not self._lists:
            return "- "
        kind, number = self._lists[-1]
        if kind == "ul":
            return "- "
        self._lists[-1][1] = int(number) + 1
        return f"{number}. "

    def _prefix(self) -> str:
        depth = min(INDENT_MAX, len(self._lists))
        return "> " * self._quotes + "   " * depth

    def _flush(self) -> None:
        text = "".join(self._buffer).replace("\x02", "").replace("\x03", "")
        self._buffer.clear()
        lines = [" ".join(line.split()) for line in text.split("\n\n")] if self._inline else _wrapped(text)
        lines = [line for line in lines if line]
        if not lines:
            return
        if self._heading and not self._inline:
            self._blank()
            self._out.extend((f"{'#' * self._heading} {' '.join(lines)}", ""))
            return
        prefix = self._prefix()
        if self._marker:
            outer = "> " * self._quotes + "   " * max(0, min(INDENT_MAX, len(self._lists)) - 1)
            self._out.append(f"{outer}{self._marker}{lines[0]}")
            self._out.extend(f"{prefix}{line}" for line in lines[1:])
            self._marker = ""
            return
        self._out.extend(f"{prefix}{line}" for line in lines)
        self._blank()

    def _blank(self) -> None:
        if self._out and self._out[-1].strip("> "):
            self._out.append(("> " * self._quotes).rstrip())


def _wrapped(text: str) -> list[str]:
    """Source line ends are blanks; those that `<br>` put there are written as \\n by `_enter` and kept."""
    return [" ".join(line.split()) for line in text.split("\n")]


def _escaped(text: str) -> str:
    return " ".join(text.split("\n")) if "\n" in text else text


def _skipped(node: LexborNode) -> bool:
    tag = node.tag or ""
    if tag in _SKIPPED:
        # The header of an article may hold the page's own heading.
        return tag != "header" or node.css_first("h1") is None
    attributes = node.attributes
    if tag == "dialog" and "open" not in attributes:
        return True
    if not attributes:
        return False
    # Colours are told where the whole tree is looked at: here nothing is known of what stands behind.
    return unseen(attributes, behind=None) or attributes.get("role") in {"navigation", "search"}


def _start(node: LexborNode) -> int:
    value = node.attributes.get("start") or "1"
    return int(value) if value.isascii() and value.isdigit() and len(value) < 9 else 1


def _texts(grid: Grid) -> list[list[str]]:
    """A long cell that spans rows is written in the first of them alone: a small page must not grow without end."""
    known: dict[int, str] = {}
    rows: list[list[str]] = []
    for row in grid:
        texts: list[str] = []
        for cell in row:
            if cell is None:
                texts.append("")
            elif cell.mem_id in known:
                texts.append(known[cell.mem_id] if len(known[cell.mem_id]) <= REPEATED_CHARS_MAX else "")
            else:
                known[cell.mem_id] = _Writer(cell, inline=True).inline()
                texts.append(known[cell.mem_id])
        rows.append(texts)
    return rows
