"""What remains of a Markdown page when its site generator's machinery is taken off?

Code is kept to the letter. Outside of it: front matter becomes metadata, comments go, shortcodes and components give
their readable text, admonitions become quotes with a bold label, underlined headings become `#` headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from firstline.documents.parse.admonitions import quote_admonitions
from firstline.documents.parse.front_matter import front_values
from firstline.documents.parse.hidden import unseen
from firstline.documents.parse.page import Page
from firstline.documents.parse.segments import Segment, outside_code_spans, split_code
from firstline.documents.parse.shortcodes import without_shortcodes
from firstline.domain import front_matter

_HEADING_ID: Final = re.compile(r"^( {0,3}#{1,6}[ \t].{0,1000}?)[ \t]*\{:?[ \t]?#[^{}\n]{1,200}\}[ \t]*(#*)[ \t]*$")
_FIRST_HEADING: Final = re.compile(r"^ {0,3}#[ \t]+(.{1,400}?)[ \t]*#*$", re.MULTILINE)
_MODULE_LINE: Final = re.compile(
    r"^(?:import[ \t]+(?:[\w*{}, \t]{1,300}[ \t]from[ \t]+)?['\"][^'\"\n]{1,300}['\"];?"
    r"|export[ \t]+(?:const|default|function|let)\b[^\n]{0,500})[ \t]*$"
)
_LABELLED: Final = re.compile(
    r"<(?:TabItem|Tab|Step|Accordion|Card)\b[^<>\n]{0,400}?\b(?:label|title)=[\"'{]+([^\"'{}<>\n]{1,200})[^<>\n]{0,400}>"
)
_COMPONENT: Final = re.compile(r"</?[A-Z][A-Za-z0-9.]{0,60}(?:[ \t\n][^<>]{0,1000})?/?>")
_HTML_TAG: Final = re.compile(
    r"</?(?:a|abbr|article|b|big|blockquote|br|center|cite|dd|del|details|dfn|div|dl|dt|em|figcaption|figure|font|hr|i|iframe"
    r"|img|ins|kbd|li|mark|ol|p|picture|q|s|samp|section|small|source|span|strong|sub|summary|sup|tt|u|ul|var|video|wbr)"
    r"(?:[ \t\n][^<>]{0,1000})?/?>",
    re.IGNORECASE,
)
_OPENING: Final = re.compile(r"<([A-Za-z][A-Za-z0-9]{0,30})([ \t\n][^<>]{0,1000})>")
_ATTRIBUTE: Final = re.compile(
    r"([\w-]{1,40})(?:\s{0,4}=\s{0,4}(?:\"([^\"]{0,500})\"|'([^']{0,500})'|([^\s\"'>]{1,500})))?"
)
_COMMENT_LINE: Final = re.compile(
    r"^ {0,3}\[(?://|comment|_+[\w ]{0,40})\]:[ \t]{0,8}(?:#|<>)[^\n]{0,4000}$", re.MULTILINE
)
_VOID: Final = frozenset({"img", "br", "hr", "input", "source", "wbr", "meta", "link"})
NESTED_MAX: Final = 1_000
_IMAGE: Final = re.compile(r"!\[([^\[\]\n]{0,300})\]\([^()\n]{0,2000}\)(?:\{[^{}\n]{0,200}\})?")
_UNDERLINE: Final = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
_NOT_PARAGRAPH: Final = re.compile(r"^(?: {4,}|\t| {0,3}(?:#{1,6}[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t]|\|))")


def markdown_page(text: str) -> Page:
    front = front_matter(text.replace("\r\n", "\n").replace("\r", "\n"))
    values = dict(front_values(front))
    own_title = values.pop("title", "")
    body, hidden = _without_hidden(front.body)
    clean = clean_markdown(body)
    first = _FIRST_HEADING.search(clean)
    return Page(
        text=clean, title=_plain(first.group(1)) if first else "", own_title=own_title, metadata=values, hidden=hidden
    )


def _without_hidden(body: str) -> tuple[str, str]:
    """Raw HTML that a reader does not see, and comments made of link definitions, apart from the rest."""
    said: list[str] = []
    parts: list[str] = []
    for segment in split_code(body):
        parts.append(segment.text if segment.code else outside_code_spans(segment.text, partial(_visible, said=said)))
    return "".join(parts), "\n".join(said)


def _visible(text: str, *, said: list[str]) -> str:
    text = _COMMENT_LINE.sub("", text)
    if "<" not in text:
        return text
    parts: list[str] = []
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        attributes = {
            name.lower(): double or single or bare for name, double, single, bare in _ATTRIBUTE.findall(opening[2])
        }
        if opening[2].endswith("/") or opening[1].lower() in _VOID or not unseen(attributes):
            parts.append(text[at : opening.end()])
            at = opening.end()
            continue
        end = _closing(text, opening[1], opening.end())
        inner = " ".join(_HTML_TAG.sub(" ", text[opening.end() : end]).split())
        if any(map(str.isalnum, inner)):
            said.append(inner)
        parts.append(text[at : opening.start()])
        at = end
    return "".join((*parts, text[at:]))


def _closing(text: str, tag: str, start: int) -> int:
    """Where the element ends; the end of the text when it is never closed."""
    depth = 1
    for number, found in enumerate(
        re.finditer(rf"<(/?){re.escape(tag)}(?=[\s/>])[^<>]{{0,1000}}>", text[start:], re.IGNORECASE)
    ):
        depth += -1 if found[1] else 1
        if depth == 0 or number >= NESTED_MAX:
            return start + found.end()
    return len(text)


def clean_markdown(body: str) -> str:
    """The page's text without machinery. Linear in its length."""
    segments = [segment if segment.code else _prose(segment) for segment in split_code(body)]
    return quote_admonitions("".join(segment.text for segment in segments))


def _prose(segment: Segment) -> Segment:
    text = without_shortcodes(segment.text)
    if "<" in text:
        text = _without_html(text)
    if "![" in text:
        text = _IMAGE.sub(lambda match: match.group(1), text)
    return Segment(text="".join(_lines(text)), code=False)


def _without_html(text: str) -> str:
    text = _drop_elements(text, ("style", "script"))
    if "<table" in text.lower():
        text = _tables(text)
    return outside_code_spans(text, _without_tags)


def _without_tags(text: str) -> str:
    text = _LABELLED.sub(lambda match: f"**{match.group(1).strip()}**\n", text)
    text = re.sub(r"</?code>", "`", text)
    text = re.sub(r"<(?:br|hr)[ \t]?/?>[ \t]*", _line_break, text, flags=re.IGNORECASE)
    return _HTML_TAG.sub("", _COMPONENT.sub("", text))


def _line_break(match: re.Match[str]) -> str:
    # Inside a table row a line end would break the row.
    line_start = match.string.rfind("\n", max(0, match.start() - 2_000), match.start()) + 1
    return " " if match.string[line_start : match.start()].lstrip().startswith("|") else "\n"


def _drop_elements(text: str, names: tuple[str, ...]) -> str:
    for name in names:
        parts: list[str] = []
        at = 0
        lowered = text.lower()
        while (start := lowered.find(f"<{name}", at)) >= 0:
            end = lowered.find(f"</{name}>", start)
            if end < 0:
                break
            parts.append(text[at:start])
            at = end + len(name) + 3
        text = "".join((*parts, text[at:])) if parts else text
    return text


def _tables(text: str) -> str:
    """HTML tables become Markdown tables."""
    from firstline.documents.parse.html import html_fragment

    parts: list[str] = []
    at = 0
    lowered = text.lower()
    while (start := lowered.find("<table", at)) >= 0:
        end = lowered.find("</table>", start)
        if end < 0:
            break
        parts.extend((text[at:start], "\n\n", html_fragment(text[start : end + 8]), "\n\n"))
        at = end + 8
    return "".join((*parts, text[at:]))


def _lines(text: str) -> Iterator[str]:
    """Headings put in one form; modules' import lines dropped."""
    lines = text.split("\n")
    last = len(lines) - 1
    skip = False
    for index, line in enumerate(lines):
        if skip:
            skip = False
            continue
        end = "\n" if index < last else ""
        if line.startswith(("import ", "export ")) and _MODULE_LINE.match(line):
            continue
        if "{" in line and line.lstrip().startswith("#"):
            line = _HEADING_ID.sub(r"\1", line)
        rule = _UNDERLINE.match(lines[index + 1]) if index < last else None
        alone = index == 0 or not lines[index - 1].strip() or lines[index - 1].lstrip().startswith("#")
        if rule and alone and line.strip() and not _NOT_PARAGRAPH.match(line):
            yield f"{'#' if rule.group(1)[0] == '=' else '##'} {line.strip()}{end or chr(10)}"
            skip = True
            continue
        yield line + end


def _plain(heading: str) -> str:
    text = re.sub(r"!?\[([^\[\]]{0,300})\]\([^()]{0,500}\)", r"\1", heading)
    return " ".join(re.sub(r"[*`]", "", text).split())
