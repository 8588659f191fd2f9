"""Which other tickets and documents does a text name by number, and does it repeat or replace one of them?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from firstline.documents.extract.links import base_of
from firstline.documents.extract.mention import Mention, mention
from firstline.documents.extract.page import Code, Link, Page
from firstline.documents.extract.shape import shape
from firstline.domain import Document, EntityKind, Relation
from firstline.entity_addresses import address_in
from firstline.entity_names import name_key

TICKET: Final = re.compile(
    r"(?<![\w./#-])(?:CVE-\d{4}-\d{4,7}|KB\d{5,8}|(?:APAR\s)?[A-Z]{2}\d{5}(?!\d)|[A-Z][A-Z0-9]{1,9}-\d{1,6}"
    r"|RFC\s?\d{3,5})(?![\w-]|\.\d)"
)
_STRONG: Final = re.compile(r"CVE-|KB\d|RFC|APAR")
_SAYS: Final = re.compile(
    r"\b(?:apars?|issues?|tickets?|bugs?|defects?|cases?|fix(?:es|ed)?|jira|pull request|merge request|prs?|mrs?"
    r"|story|duplicates?|see|internal|incident|problem|rfe|patch)\b[\s:#]{0,3}(?:\w+[\s,]{1,2}){0,3}$",
    re.IGNORECASE,
)
_TRACKED: Final = re.compile(
    r"\b(?:issues?|tickets?|bugs?|cases?|jira|pull requests?|merge requests?|prs?|mrs?|stories|story|clos(?:es|ed)"
    r"|fix(?:es|ed)?|resolv(?:es|ed))[\s:(]{1,2}$",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"(?<![\w&/])(?P<repo>[\w.-]{1,40}/[\w.-]{1,60})?#(?P<number>\d{1,7})(?![\w-])")
_NO_TICKET: Final = re.compile(
    r"(?:UTF|SHA|ISO|AES|RSA|MD|TLS|SSL|IPV|HTTP|X|UTC|GMT|RS|USB|IEC|RC|DES|ECMA|BASE|COVID|TCP|UDP|EC|PKCS|FIPS|WS"
    r"|P|MQ|V|CPU|IEEE|ANSI|CAT|MP|PS|CP|WIN)-?\d+"
)
_DUPLICATE: Final = re.compile(
    r"\b(?:(?:a )?duplicates?(?: of)?|dup(?:e)? of|(?:the )?same (?:issue|problem|bug|defect|error) as|^\W{0,4}same"
    r" as|重复于|と重複)[\s:]{1,3}$",
    re.IGNORECASE,
)
_SUPERSEDES: Final = re.compile(
    r"\b(?:supersedes?|superseding|replaces|obsoletes|reverts?(?: (?:the )?(?:fix|change|commit)(?: (?:of|in"
    r"|from))?)?)[\s:]{1,3}(?:the (?:article|document|page|fix) )?$",
    re.IGNORECASE,
)
_SUPERSEDED: Final = re.compile(
    r"\b(?:superseded by|replaced (?:by|with)|obsoleted by|(?:was |been )?reverted (?:by|in|with)|deprecated[,;]?"
    r" (?:in favou?r of|and replaced by|use)|moved to)[\s:]{1,3}(?:the (?:article|document|page|fix|new|newer) )?$",
    re.IGNORECASE,
)
_BETWEEN: Final = re.compile(
    r"(?:\s(?:flag|option|setting|parameter|command|method|field|annotation|label|api|function|property|variable"
    r"|class))?\s(?:is|are|was|were|has been|have been)?\s?(?:now )?"
    r"(?:superseded by|replaced (?:by|with)|deprecated[,;]? (?:in favou?r of|and replaced by)|renamed (?:to"
    r"|as))\s(?:the )?",
    re.IGNORECASE,
)
REACH: Final = 80


@dataclass(frozen=True, kw_only=True, slots=True)
class Replacement:
    """`source` is None for the document itself, and so is `target`."""

    relation: Relation
    source: Mention | None
    target: Mention | None
    start: int
    end: int


def tickets(page: Page, document: Document) -> Iterator[Mention]:
    """Numbers of tickets. `#123` is a number of the document's own tracker."""
    text = page.text
    for found in TICKET.finditer(page.prose):
        name = found.group()
        before = text[max(0, found.start() - REACH) : found.start()]
        if not _STRONG.match(name) and (_NO_TICKET.fullmatch(name) or not _SAYS.search(before)):
            continue
        if one := mention(EntityKind.COMPONENT, name.removeprefix("APAR").strip(), *found.span(), weight=3):
            yield one
    for found in _NUMBER.finditer(page.prose):
        before = text[max(0, found.start() - REACH) : found.start()]
        if found["repo"] or _TRACKED.search(before) or _DUPLICATE.search(before) or _SUPERSEDES.search(before):
            tracker = found["repo"] or re.split(r"[/#]", document.doc_id)[0]
            key = f"{tracker.casefold()}#{found['number']}"
            yield Mention(
                kind=EntityKind.COMPONENT, key=key, name=found.group(), start=found.start(), end=found.end(), weight=3
            )


def replacements(page: Page, document: Document, numbers: list[Mention]) -> Iterator[Replacement]:
    """What the page says of itself and another ("duplicate of KB123456", "superseded by [the guide](...)"), and of two
    names in code ("`--old` is deprecated in favour of `--new`")."""
    links = [one for link in page.links if (one := _of_link(link, document))]
    for other in (*numbers, *links):
        before = page.text[max(0, other.start - REACH) : other.start].replace("*", "")
        before = before.rpartition("\n\n")[2]
        if not before[-3:].strip(" :\n["):
            before = before.rstrip("[") if before.endswith("[") else before
        if _DUPLICATE.search(before) and not re.search(
            r"\b(?:not?|isn't|never)\s+(?:(?:a|the|be)\s+)?(?:duplicate|dup|same)", before
        ):
            yield Replacement(
                relation=Relation.DUPLICATE_OF, source=None, target=other, start=other.start, end=other.end
            )
        elif _SUPERSEDED.search(before) and _of_page(before):
            yield Replacement(relation=Relation.SUPERSEDES, source=other, target=None, start=other.start, end=other.end)
        elif _SUPERSEDES.search(before) and _of_page(before):
            yield Replacement(relation=Relation.SUPERSEDES, source=None, target=other, start=other.start, end=other.end)
    yield from _of_code(page)
    yield from _of_metadata(document)


def _of_page(before: str) -> bool:
    """The subject is the page itself, not something that it speaks of."""
    sentence = re.split(r"(?<=[.!?])\s|\n", before)[-1]
    subject = _SUPERSEDED.sub("", _SUPERSEDES.sub("", sentence)).strip(" *_>:")
    subject = re.sub(r"\b(?:is|was|has been|have been|been)\s*$", "", subject).strip()
    return not subject or bool(
        re.fullmatch(
            r"(?:the|this|note|it|status|\W|document|article|page|ticket|issue|fix|guide|topic|section|change|commit"
            r"|release|has|been|is|was|and|now|state|information|feature)(?:\s+(?:the|this|note|it|document|article"
            r"|page|ticket|issue|fix|guide|topic|section|change|commit|release|has|been|is|was|and|now))*",
            subject,
            re.IGNORECASE,
        )
    )


def _of_link(link: Link, document: Document) -> Mention | None:
    if link.target.startswith("#"):
        return None
    target = address_in(link.target, base_of(document, link.target))
    if not target:
        return None
    return Mention(
        kind=EntityKind.ADDRESS, key=target, name=(link.label or target)[:120], start=link.start, end=link.end
    )


def _of_code(page: Page) -> Iterator[Replacement]:
    inline = [code for code in page.codes if not code.block]
    for old, new in pairwise(inline):
        if new.start - old.end > REACH or not _BETWEEN.fullmatch(page.text[old.end + 1 : new.start - 1]):
            continue
        first, second = _of_name(old), _of_name(new)
        if first and second and first.key != second.key:
            yield Replacement(relation=Relation.SUPERSEDES, source=second, target=first, start=old.start, end=new.end)


def _of_name(code: Code) -> Mention | None:
    kind, name, weight = shape(code.text)
    name = name or (code.text if " " not in code.text else "")
    return mention(kind, name, code.start, code.end, weight=weight) if name else None


def _of_metadata(document: Document) -> Iterator[Replacement]:
    for field, value in document.metadata.items():
        match re.sub(r"[\s-]", "_", field.lower()):
            case "supersedes" | "replaces" | "obsoletes" | "reverts":
                relation, mine = Relation.SUPERSEDES, True
            case "superseded_by" | "replaced_by" | "obsoleted_by" | "reverted_by":
                relation, mine = Relation.SUPERSEDES, False
            case "duplicate_of" | "duplicates" | "duplicate":
                relation, mine = Relation.DUPLICATE_OF, True
            case _:
                continue
        for name in re.split(r"[,;\n]", value)[:20]:
            other = _of_value(name.strip(" \"'[]"), document)
            if other:
                yield Replacement(
                    relation=relation, source=None if mine else other, target=other if mine else None, start=0, end=0
                )


def _of_value(name: str, document: Document) -> Mention | None:
    """A title or a number, or a link."""
    if "/" in name or re.search(r"\.\w{2,5}$", name):
        address = address_in(name, base_of(document, name))
        return Mention(kind=EntityKind.ADDRESS, key=address, name=name[:120], start=0, end=0) if address else None
    return mention(EntityKind.COMPONENT, name, 0, 0, weight=3) if name_key(name) else None
