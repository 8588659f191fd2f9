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
from firstline.documents.parse.colours import WHITE, Colour
from firstline.documents.parse.front_matter import front_values
from firstline.documents.parse.hidden import backdrop, unseen
from firstline.documents.parse.myst import without_directives, without_roles
from firstline.documents.parse.page import Page
from firstline.documents.parse.segments import Segment, outside_code_spans, split_code
from firstline.documents.parse.shortcodes import without_shortcodes
from firstline.documents.parse.tabs import open_tabs
from firstline.domain import front_matter

_HEADING_ID: Final = re.compile(r"^( {0,3}#{1,6}[ \t].{0,1000}?)[ \t]*\{:?[ \t]?[#.][^{}\n]{1,200}\}[ \t]*(#*)[ \t]*$")
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
_OPENING: Final = re.compile(r"<([A-Za-z][A-Za-z0-9]{0,30}[ \t\n]|dialog(?=>))([^<>]{0,1000})>", re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(
    r"([\w-]{1,40})(?:\s{0,4}=\s{0,4}(?:\"([^\"]{0,500})\"|'([^']{0,500})'|([^\s\"'>]{1,500})))?"
)
_COMMENT_LINE: Final = re.compile(
    r"^ {0,3}\[(?://|comment|_+[\w ]{0,40})\]:[ \t]{0,8}(?:#|<>)[^\n]{0,4000}$", re.MULTILINE
)
_VOID: Final = frozenset({"img", "br", "hr", "input", "source", "wbr", "meta", "link"})
NESTED_MAX: Final = 1_000
BACKDROPS_MAX: Final = 200
"""Elements of a page with a background of their own, whose end is looked for."""
_NOTE_ELEMENT: Final = re.compile(
    r"<(Note|Warning|Tip|Info|Caution|Danger|Important|Callout|Admonition|Aside)(\s[^<>]{0,400})?(?<!/)>", re.DOTALL
)
_NOTE_END: Final = re.compile(r"[ \t]*</(?:Note|Warning|Tip|Info|Caution|Danger|Important|Callout|Admonition|Aside)>")
_NOTE_VALUE: Final = r"\b{}=[\"'{{\s]{{1,3}}([^\"'{{}}<>]{{1,200}})"
_MODULE_BLOCK: Final = re.compile(r"^(?:export[ \t]+(?:const|default|function|let|async|class)\b|import\b)")
_MODULE_OPEN: Final = ("{", "[", "(", "=", "=>", "`")
_EXPRESSION: Final = re.compile(r"\{/\*.{0,4000}?\*/\}|\{(['\"`])([^'\"`{}\\\n]{0,200})\1\}", re.DOTALL)
_LIQUID: Final = re.compile(
    r"(?<!\{)\{%-?\s{0,4}\w[^%{}\n]{0,500}%\}(?!\})|^[ \t]*\{![^{}\n]{1,300}!\}[ \t]*$", re.MULTILINE
)
_ATTRIBUTE_LIST: Final = (
    r"(?:[ \t]{0,4}(?:[.#][\w-]{1,60}|[\w-]{1,40}=(?:\"[^\"\n]{0,200}\"|[\w-]{1,60}))(?=[ \t}])){1,20}[ \t]{0,4}\}"
)
_ATTRIBUTES: Final = re.compile(
    rf"(?<=[\])*_`])[ \t]?\{{:?{_ATTRIBUTE_LIST}|[ \t]?\{{:{_ATTRIBUTE_LIST}|^[ \t]*\{{{_ATTRIBUTE_LIST}[ \t]*$",
    re.MULTILINE,
)
_ICON: Final = re.compile(r":(?:material|octicons|fontawesome|simple)-[\w-]{1,60}:[ \t]?")
_SNIPPET: Final = re.compile(r"^[ \t]*;?-{1,4}8<-{1,4}(?:[ \t]+[\"'][^\"'\n]{1,300}[\"'])?[ \t]*$")
_CONTENTS: Final = re.compile(r"^[ \t]*(?:\[TOC\]|\[\[_TOC_\]\]|\{:?toc\}|\$\{toc\})[ \t]*$", re.IGNORECASE)
MODULE_LINES_MAX: Final = 200
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
    grounds: list[tuple[int, Colour | None]] = []
    at = told = 0
    while (opening := _OPENING.search(text, at)) is not None:
        tag = opening[1].strip().lower()
        attributes = {
            name.lower(): double or single or bare for name, double, single, bare in _ATTRIBUTE.findall(opening[2])
        }
        while grounds and grounds[-1][0] <= opening.start():
            grounds.pop()
        behind = grounds[-1][1] if grounds else WHITE
        if opening[2].endswith("/") or tag in _VOID or not unseen(attributes, behind=behind, tag=tag):
            parts.append(text[at : opening.end()])
            at = opening.end()
            if (own := backdrop(attributes, behind)) != behind and told < BACKDROPS_MAX:
                told += 1
                grounds.append((_closing(text, tag, at), own))
            continue
        end = _closing(text, tag, opening.end())
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
    segments = [segment if segment.code else _prose(segment) for segment in split_code(without_directives(body))]
    return quote_admonitions(open_tabs("".join(segment.text for segment in segments)))


def _prose(segment: Segment) -> Segment:
    text = without_shortcodes(without_roles(segment.text))
    if "{" in text:
        text = outside_code_spans(text, _without_braces)
    if ":" in text:
        text = _ICON.sub("", text)
    if "<" in text:
        text = _without_html(text)
    if "![" in text:
        text = _IMAGE.sub(lambda match: match.group(1), text)
    return Segment(text="".join(_lines(text)), code=False)


def _without_braces(text: str) -> str:
    """Comments and strings of MDX, tags of Liquid, lists of attributes."""
    text = _EXPRESSION.sub(lambda match: match[2] or "", text)
    return _ATTRIBUTES.sub("", _LIQUID.sub("", text)) if "{" in text else text


def _note(match: re.Match[str]) -> str:
    name, told = match[1].lower(), match[2] or ""
    kind = re.search(_NOTE_VALUE.format("type"), told)
    title = re.search(_NOTE_VALUE.format("title"), told)
    if name in {"callout", "admonition", "aside"}:
        name = kind[1].strip().lower() if kind and re.fullmatch(r"[A-Za-z-]{2,30}", kind[1].strip()) else "note"
    return f"\n:::{name} {title[1].strip() if title else ''}".rstrip() + "\n"


def _without_html(text: str) -> str:
    text = _drop_elements(text, ("style", "script", "template", "noscript"))
    if "<table" in text.lower():
        text = _tables(text)
    return outside_code_spans(text, _without_tags)


def _without_tags(text: str) -> str:
    text = _NOTE_END.sub("\n:::\n", _NOTE_ELEMENT.sub(_note, text))
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
    module = 0
    for index, line in enumerate(lines):
        module = module - 1 if module and line.strip() else 0
        if module or _SNIPPET.match(line) or _CONTENTS.match(line):
            continue
        if skip:
            skip = False
            continue
        end = "\n" if index < last else ""
        if line.startswith(("import ", "import{", "export ")):
            is_open = line.rstrip().endswith(_MODULE_OPEN)
            if _MODULE_LINE.match(line) and not is_open:
                continue
            if is_open and _MODULE_BLOCK.match(line):
                module = MODULE_LINES_MAX
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
