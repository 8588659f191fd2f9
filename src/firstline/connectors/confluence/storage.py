"""What does a page in Confluence's storage format say? Its macros, links and tasks as plain HTML.

The tree is walked with a stack of its own: depth costs nothing.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

_CDATA: Final = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_EMPTY: Final = re.compile(r"<((?:ac|ri|at):[\w-]{1,60})((?:\s[^<>]{0,2000})?)\s?/>")
_KEPT: Final = frozenset(
    "a abbr b blockquote br caption code col colgroup dd del div dl dt em h1 h2 h3 h4 h5 h6 hr i img ins kbd li ol p"
    " pre q s samp small span strong sub sup table tbody td tfoot th thead tr u ul".split()
)
_VOID: Final = frozenset({"br", "hr", "img", "col"})
_ATTRIBUTES: Final = ("href", "colspan", "rowspan", "alt", "start", "style", "hidden")
_CODE: Final = frozenset({"code", "noformat"})
_BOXES: Final = {"info": "Info", "note": "Note", "tip": "Tip", "warning": "Warning", "panel": "", "expand": ""}
_SILENT: Final = frozenset(
    "ac:parameter ac:task-id ac:task-status ac:task-uuid ac:placeholder ac:adf-node ac:emoticon script style".split()
)
_PASSED: Final = frozenset(
    "ac:layout ac:layout-section ac:layout-cell ac:rich-text-body ac:adf-extension ac:adf-fallback ac:task-body"
    " ac:inline-comment-marker ac:link-body ac:caption".split()
)

Piece = LexborNode | str


def storage_html(storage: str) -> str:
    """HTML of the same words. What a macro would fetch from elsewhere (lists of pages, issues) is left out."""
    # To a reader of HTML a CDATA section is a comment, and an empty element of another namespace never ends.
    text = _CDATA.sub(lambda met: html.escape(met[1]), storage)
    text = _EMPTY.sub(r"<\1\2></\1>", text)
    body = LexborHTMLParser(text).body
    out: list[str] = []
    stack: list[Piece] = [*_reversed(body)] if body is not None else []
    while stack:
        piece = stack.pop()
        if isinstance(piece, str):
            out.append(piece)
        else:
            stack.extend(reversed(list(_pieces(piece))))
    return "".join(out)


def attachments(storage: str) -> int:
    """How many files the page names."""
    return storage.count("<ri:attachment")


def _pieces(node: LexborNode) -> Iterator[Piece]:
    """What stands for the node: text, and nodes that are looked at next."""
    tag = node.tag or ""
    if tag == "-text":
        yield html.escape(node.text(deep=False) or "", quote=False)
    elif tag in ("ac:structured-macro", "ac:macro"):
        yield from _macro(node)
    elif tag in ("ac:link", "ac:image"):
        yield from _pointer(node, tag)
    elif tag == "ac:task-list":
        yield from ("<ul>", *_children(node), "</ul>")
    elif tag == "ac:task":
        yield from ("<li>", *_children(node), "</li>")
    elif tag == "time":
        yield html.escape(node.attributes.get("datetime") or "", quote=False)
    elif tag in _KEPT:
        shown = node.attributes
        told = "".join(f' {name}="{html.escape(shown[name] or "")}"' for name in _ATTRIBUTES if name in shown)
        yield f"<{tag}{told}>"
        if tag not in _VOID:
            yield from (*_children(node), f"</{tag}>")
    elif tag in _PASSED or (":" not in tag and tag not in _SILENT and not tag.startswith("-")):
        yield from ("<div>", *_children(node), "</div>")


def _macro(node: LexborNode) -> Iterator[Piece]:
    name = (node.attributes.get("ac:name") or "").lower()
    if name in _CODE:
        language = re.sub(r"[^\w+-]", "", _parameter(node, "language"))
        title = _parameter(node, "title")
        if title:
            yield f"<p><strong>{html.escape(title)}</strong></p>"
        body = next((each for each in _children(node) if each.tag == "ac:plain-text-body"), None)
        code = html.escape(body.text() or "", quote=False) if body is not None else ""
        yield f'<pre><code class="language-{language}">{code}</code></pre>' if language else f"<pre>{code}</pre>"
        return
    if name == "status":
        yield html.escape(_parameter(node, "title"), quote=False)
        return
    title = _parameter(node, "title") or _BOXES.get(name, "")
    bodies = [each for each in _children(node) if each.tag in ("ac:rich-text-body", "ac:plain-text-body")]
    if not bodies:
        return
    if name in _BOXES and title:
        yield f"<p><strong>{html.escape(title)}</strong></p>"
    for body in bodies:
        yield from ("<div>", *_children(body), "</div>")


def _pointer(node: LexborNode, tag: str) -> Iterator[Piece]:
    """The words of a link, else the title of the page or the name of the file that it leads to; of an image its
    alternative text."""
    if tag == "ac:image":
        said = node.attributes.get("ac:alt") or ""
        yield f'<img alt="{html.escape(said)}">' if said else ""
        return
    children = list(_children(node))
    body = next((each for each in children if each.tag in ("ac:plain-text-link-body", "ac:link-body")), None)
    if body is not None:
        yield from _children(body)
        return
    for each in children:
        name = each.attributes.get("ri:content-title") or each.attributes.get("ri:filename")
        if name:
            yield html.escape(name, quote=False)
            return


def _parameter(node: LexborNode, name: str) -> str:
    for each in _children(node):
        if each.tag == "ac:parameter" and each.attributes.get("ac:name") == name:
            return " ".join((each.text() or "").split())[:200]
    return ""


def _children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.first_child
    while child is not None:
        yield child
        child = child.next


def _reversed(node: LexborNode) -> list[LexborNode]:
    return list(reversed(list(_children(node))))
