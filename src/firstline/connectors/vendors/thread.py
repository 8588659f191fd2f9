"""How does a ticket, issue or topic with its comments read as one document?

The problem comes first, then what was said in public, in order, then what solved it. Whoever wrote is a role, not a
name. What people wrote stays their words: it cannot add sections to the document.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from selectolax.lexbor import LexborHTMLParser

Form = Literal["markdown", "html", "plain"]
_HTML_HEADING: Final = re.compile(r"<h[1-6]\b[^>]{0,2000}>|</h[1-6]>", re.IGNORECASE)
_FENCE: Final = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_HEADING: Final = re.compile(r"^ {0,3}#{1,6}[ \t]+(.{0,500}?)[ \t#]{0,50}$")
_UNDERLINE: Final = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
_COMMENT: Final = re.compile(r"^[ \t]*<!--.*?-->[ \t]*$", re.MULTILINE | re.DOTALL)
_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>#|~])")


@dataclass(frozen=True, kw_only=True, slots=True)
class Remark:
    """One post. `internal` ones are left out unless the thread is made with them."""

    text: str
    form: Form
    role: str = "Customer"
    internal: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Thread:
    """`problem` opens it, `remarks` follow in order; `answer` is the one of them that solved it."""

    title: str
    problem: Remark
    remarks: Sequence[Remark] = ()
    answer: Remark | None = None

    def page(self, *, notes: bool = False) -> tuple[str, bytes]:
        """(media type, document). `notes`: internal remarks are in it, too."""
        said = [each for each in self.remarks if each is not self.answer and each.text.strip()]
        said = [each for each in said if notes or not each.internal]
        answer = self.answer if self.answer and (notes or not self.answer.internal) else None
        if all(each.form == "markdown" for each in (self.problem, *self.remarks)):
            return "text/markdown", _markdown(self.title, self.problem, said, answer).encode("utf-8", "replace")
        return "text/html", _page(self.title, self.problem, said, answer).encode("utf-8", "replace")


def _markdown(title: str, problem: Remark, said: Sequence[Remark], answer: Remark | None) -> str:
    heading = _SPECIAL.sub(r"\\\1", " ".join(title.split()))
    parts = [f"# {heading}", "## Symptom", quiet(problem.text)]
    if said:
        parts.append("## Conversation")
    for remark in said:
        parts += [f"**{_role(remark)}:**", quiet(remark.text)]
    if answer:
        parts += ["## Resolution", quiet(answer.text)]
    return "\n\n".join(part for part in parts if part.strip()) + "\n"


def _page(title: str, problem: Remark, said: Sequence[Remark], answer: Remark | None) -> str:
    parts = [f"<main><h1>{html.escape(' '.join(title.split()))}</h1>", "<h2>Symptom</h2>", _body(problem)]
    if said:
        parts.append("<h2>Conversation</h2>")
    for remark in said:
        parts += [f"<p><strong>{html.escape(_role(remark))}:</strong></p>", _body(remark)]
    if answer:
        parts += ["<h2>Resolution</h2>", _body(answer)]
    return "\n".join([*parts, "</main>"]) + "\n"


def _role(remark: Remark) -> str:
    return f"{remark.role} (internal note)" if remark.internal else remark.role


def _body(remark: Remark) -> str:
    if remark.form != "html":
        return plain_html(remark.text)
    # Read and written once: what one post leaves open does not reach the next.
    body = LexborHTMLParser(remark.text).body
    inner = (body.inner_html or "") if body is not None else ""
    return _HTML_HEADING.sub(lambda met: "</strong></p>" if met[0].startswith("</") else "<p><strong>", inner)


def plain_html(text: str) -> str:
    """Plain text as HTML: paragraphs and lines stay."""
    paragraphs = re.split(r"\n[ \t]*\n", text.replace("\r\n", "\n").replace("\r", "\n").strip())
    return "\n".join("<p>" + html.escape(part).replace("\n", "<br>") + "</p>" for part in paragraphs if part.strip())


def quiet(text: str) -> str:
    """Somebody's Markdown without headings and hidden comments, with every code fence closed."""
    text = _COMMENT.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip("\n")
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif mark:
            fence = mark[1]
        elif heading := _HEADING.match(line):
            line = f"**{heading[1].strip()}**" if heading[1].strip() else ""
        elif _UNDERLINE.match(line) and lines and lines[-1].strip():
            # A line of dashes below text would make a heading of it.
            lines.append("")
            line = "" if "=" in line else line
        lines.append(line)
    if fence:
        lines.append(fence)
    return "\n".join(lines)
