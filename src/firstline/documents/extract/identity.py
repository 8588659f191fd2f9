"""What does a document go by? Its title, with and without the aside, its aliases, ids, ticket number and addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from firstline.documents.extract.errors import error_name
from firstline.documents.extract.links import own_addresses
from firstline.documents.extract.mention import Mention, mention
from firstline.documents.extract.outline import Section
from firstline.documents.extract.page import Page
from firstline.documents.extract.tickets import TICKET, own_numbers
from firstline.domain import Document, EntityKind
from firstline.entity_names import name_key, without_aside

ALIASES_MAX: Final = 40
_ALIASES: Final = frozenset(
    {
        "alias",
        "aliases",
        "also_known_as",
        "aka",
        "synonyms",
        "id",
        "slug",
        "ticket",
        "key",
        "number",
        "kb",
        "issue",
        "alert",
    }
)
_PRODUCTS: Final = ("product", "component", "products", "components", "product_name", "software", "service")
_ALSO: Final = re.compile(
    r"(?:\balso (?:known(?: simply)? as|called)|\ba\.?k\.?a\.?|\bknown(?: professionally| simply| mainly)? as"
    r"|\bformerly(?: known as)?|\babbreviated(?: as)?)[\s\"“'*(]{1,4}"
    r"(?P<name>[A-ZÀ-ÞŁŚŽ][\w'’-]*(?:[ ](?:of |the |de )?[A-ZÀ-Þ0-9][\w'’-]*){0,5})"
)
_SHORT: Final = re.compile(r"\(\"?([A-Z][A-Za-z0-9]{1,9})\"?\)")
_LEAD_CHARS: Final = 400
_ORDINARY_WORD: Final = re.compile(r"[A-Za-z][a-z]{2,}")


def products(document: Document) -> tuple[str, ...]:
    """What its metadata says it is about, as it is written there."""
    return tuple(
        name.strip()
        for field, value in document.metadata.items()
        if field.lower() in _PRODUCTS
        for name in _values(value)
        if name_key(name)
    )[:ALIASES_MAX]


def component_key(name: str, document: Document) -> str:
    """The key of a thing's name. One ordinary word is kept apart by the product that the document states."""
    key = name_key(name)
    if key and _ORDINARY_WORD.fullmatch(name.strip()) and (own := products(document)):
        product = name_key(own[0])
        return key if product == key else f"{product}/{key}"
    return key


def names(document: Document, page: Page, sections: tuple[Section, ...]) -> Iterator[Mention]:
    """Said by the top of the page. Its aliases may be told in its first sentences."""
    title, end = document.title, sections[0].heading_end
    told = [title, without_aside(title), *_told(document.metadata)]
    if page.headings and sections[0].heading_end:
        told.append(page.headings[0].title)
    if ticket := TICKET.match(title):
        told.append(ticket.group())
    last = re.split(r"[/#]", document.doc_id)[-1]
    if TICKET.fullmatch(last):
        told.append(last)
    seen: set[str] = set()
    for name in told:
        key = component_key(name, document) if name else ""
        if not key or key in seen:
            continue
        seen.add(key)
        if found := mention(EntityKind.COMPONENT, name, 0, end, weight=3, key=key):
            yield found
        if error := error_name(name):
            yield Mention(kind=EntityKind.ERROR, key=name_key(error), name=error, start=0, end=end, weight=3)
    for key in own_numbers(document, _told(document.metadata)):
        if key not in seen:
            seen.add(key)
            yield Mention(kind=EntityKind.COMPONENT, key=key, name=key[key.index("#") :], start=0, end=end, weight=3)
    yield from _also(page, title, seen)
    for address in own_addresses(document):
        yield Mention(kind=EntityKind.ADDRESS, key=address, name=address[:120], start=0, end=end, weight=3)


def _told(metadata: Mapping[str, str]) -> list[str]:
    return [name for field, value in metadata.items() if field.lower() in _ALIASES for name in _values(value)][
        :ALIASES_MAX
    ]


def _values(value: str) -> list[str]:
    return [part.strip(" \"'[]") for part in re.split(r"[,;\n]", value) if part.strip(" \"'[]")]


def _also(page: Page, title: str, seen: set[str]) -> Iterator[Mention]:
    """ "..., also known as NAME", and the acronym in brackets behind the page's own name."""
    body = re.match(r"\s*", page.prose)
    lead = page.prose[: _LEAD_CHARS + (body.end() if body else 0)]
    stop = re.search(r"(?<=[a-z0-9)\"”])\.\s", lead)
    lead = lead[: stop.start()] if stop else lead
    own = name_key(without_aside(title) or title)
    if not own:
        return
    for found in _ALSO.finditer(lead):
        # Said of the page's subject only while nothing else was spoken of.
        if found.start() <= len(title) + 160 and (key := name_key(found["name"])) and key not in seen:
            seen.add(key)
            if one := mention(EntityKind.COMPONENT, found["name"], found.start("name"), found.end("name"), key=key):
                yield one
    for found in _SHORT.finditer(lead):
        before = re.findall(r"\w+", lead[max(0, found.start() - 120) : found.start()])
        letters = found[1].upper()
        words = before[-len(letters) :]
        initials = "".join(word[0].upper() for word in words)
        if initials == letters and name_key(" ".join(words)) == own and (key := name_key(found[1])) not in seen:
            seen.add(key)
            if one := mention(EntityKind.COMPONENT, found[1], found.start(1), found.end(1), key=key):
                yield one
