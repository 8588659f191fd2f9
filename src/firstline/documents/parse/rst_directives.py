"""What does a reader see of a directive of reStructuredText? Notes, code, tables, captions, tabs; machinery is dropped.

A directive that is not known says its argument and its content: words are rather shown than lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from firstline.documents.parse.marked import fenced, inline_code, quoted, table_lines
from firstline.documents.parse.rst_tables import csv_rows

_NOTES: Final = frozenset(
    "note warning tip important caution danger attention hint error seealso admonition todo-note".split()
)
_VERSIONS: Final = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "versionremoved": "Removed in version",
    "deprecated-removed": "Deprecated since version",
}
_CODE: Final = frozenset("code code-block sourcecode parsed-literal prompt console code-tab highlight-block".split())
_SILENT: Final = frozenset(
    "contents toctree index highlight meta raw include role default-role sectnum currentmodule module cssclass todo"
    " todolist tabularcolumns graphviz plantuml mermaid automodule autoclass autofunction autosummary"
    " bibliography sectionauthor codeauthor unicode target-notes header footer title date local-toc".split()
)
_HEADED: Final = frozenset(
    "tab tab-item group-tab dropdown details collapse topic sidebar rubric card grid-item-card expand step".split()
)
_FRAMES: Final = frozenset(
    "only ifconfig container class rst-class compound epigraph highlights pull-quote glossary hlist tabs tab-set grid"
    " grid-item centered line-block program productionlist centered math steps".split()
)
_CODED_DOMAINS: Final = re.compile(
    r"^(?:(?:py|c|cpp|js|rst|std|http|rust|php|java):)?(?:function|method|class|exception|attribute|data|module|member|macro|type"
    r"|var|enum|enumerator|struct|union|property|classmethod|staticmethod|decorator|option|cmdoption|envvar|confval|setting"
    r"|describe|object|directive|role|get|post|put|delete|patch|field|command)$"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Directive:
    """`.. name:: argument`, its `:key: value` lines, and the lines below them, without their indentation."""

    name: str
    argument: str
    options: Mapping[str, str]
    body: Sequence[str]


Read = Callable[[Sequence[str]], list[str]]
"""Lines of reStructuredText as lines of Markdown."""
Say = Callable[[str], str]
"""The same within one line."""


def told(each: Directive, read: Read, say: Say) -> list[str]:
    name = each.name.lower()
    if not _CODED_DOMAINS.match(name):
        each = _one_line(each)
    if name in _SILENT:
        return []
    if name in _CODE:
        return _code(each, say)
    if name in _NOTES:
        return _note(name, each, read, say)
    if name in _VERSIONS:
        version, _, words = each.argument.partition(" ")
        return list(quoted(f"**{_VERSIONS[name]} {say(version)}:**", read([words, *each.body])))
    if name in {"image", "figure", "thumbnail"}:
        return [say(each.options.get("alt", "")), "", *read(each.body)]
    if name in {"literalinclude", "download", "openapi"}:
        return [f"{_caption(each, say)} {inline_code(each.argument)}".strip()]
    if name in {"list-table", "csv-table", "table", "flat-table"}:
        return _table(name, each, read, say)
    if name in _HEADED:
        words = say(_without_key(each.argument))
        return [f"**{words}**" if words and "**" not in words else words, "", *read(each.body)]
    if name in _FRAMES:
        return ([say(each.argument), ""] if name in {"centered", "math"} else []) + read(each.body)
    if _CODED_DOMAINS.match(name):
        signatures = [inline_code(line.strip()) for line in each.argument.split("\n") if line.strip()]
        return [*(f"**{signature}**" for signature in signatures), "", *read(each.body)]
    return [say(each.argument), "", *read(each.body)]


def _one_line(each: Directive) -> Directive:
    """Lines below that no blank line parts from the argument are content, of whatever has one line of argument."""
    argument, *more = each.argument.split("\n")
    return replace(each, argument=argument, body=[*more, *([""] if more and each.options else []), *each.body])


def _code(each: Directive, say: Say) -> list[str]:
    language = each.argument.split("\n", 1)[0].strip()
    body = list(each.body)
    if each.name.lower() in {"parsed-literal", "prompt"}:
        language = ""
    if each.name.lower() == "code-tab":
        language, _, title = language.partition(" ")
        return [f"**{say(title or language)}**", "", *fenced(body, language)]
    return [*([_caption(each, say), ""] if each.options.get("caption") else []), *fenced(body, language)]


def _caption(each: Directive, say: Say) -> str:
    caption = say(each.options.get("caption", ""))
    return f"**{caption}**" if caption else ""


def _note(name: str, each: Directive, read: Read, say: Say) -> list[str]:
    kind = {"seealso": "See also"}.get(name, name.capitalize())
    if name == "admonition":
        return list(quoted(f"**{say(each.argument)}:**" if each.argument else "**Note:**", read(each.body)))
    return list(quoted(f"**{kind}:**", read([each.argument, *each.body])))


def _table(name: str, each: Directive, read: Read, say: Say) -> list[str]:
    title = say(each.argument)
    head = [f"**{title}**", ""] if title else []
    if name == "table":
        return [*head, *read(each.body)]
    if name == "csv-table":
        rows = csv_rows(each.options.get("header", ""), "\n".join(each.body), each.options.get("delim", ","))
        return [*head, *table_lines([[say(cell) for cell in row] for row in rows])]
    rows = _listed(each.body, say)
    return [*head, *table_lines(rows)] if rows else [*head, *read(each.body)]


def _listed(body: Sequence[str], say: Say) -> list[list[str]]:
    """`* - first` opens a row, `- next` a cell; the column of the inner dashes is the first one's."""
    rows: list[list[list[str]]] = []
    inner = -1
    for line in body:
        opened = re.match(r"^\*(\s{1,8})-(?:\s|$)", line)
        if opened:
            inner = len(opened[1]) + 1
            rows.append([[line[inner + 1 :].strip()]])
        elif rows and re.match(rf"^\s{{{inner}}}-(?:\s|$)", line):
            rows[-1].append([line[inner + 1 :].strip()])
        elif rows:
            rows[-1][-1].append(line.strip())
    return [[say(" ".join(part for part in cell if part)) for cell in row] for row in rows]


def _without_key(argument: str) -> str:
    """Tabs may be given a key of their own: `Linux <linux>`."""
    return re.sub(r"\s{0,4}(?:<[^<>]{0,100}>)?(?:\s\{[^{}]{0,100}\})?$", "", argument.split("\n", 1)[0])
