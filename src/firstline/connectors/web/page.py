"""What is a web page that came back: a page to keep, one to leave alone, or something else that is dressed as one?"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from firstline.connectors.charset import as_utf8
from firstline.connectors.web.links import normal

LINKS_MAX: Final = 2_000
TEXT_CHARS_MIN: Final = 20
LOGIN_CHARS_MAX: Final = 1_000
ERROR_TITLE_CHARS_MAX: Final = 400
ERROR_CHARS_MAX: Final = 200
"""An error page says little else; a page that explains an error says more."""
_ERROR_HEAD: Final = re.compile(
    r"(?i)\b(?:404|410|50[0-4])\b|\b(?:page|site|document|file) (?:was |could )?not (?:be )?found|internal server error"
    r"|service (?:temporarily )?unavailable|bad gateway|gateway time-?out|access denied|forbidden|not found"
    r"|too many requests|rate limit exceeded|temporarily unavailable|error establishing an? \w+ connection"
    r"|attention required!?|just a moment|something went wrong|oops|(?:under|down for|scheduled) maintenance"
    r"|application error"
    r"|seite (?:wurde )?nicht gefunden|page (?:introuvable|non trouv\u00e9e)|p\u00e1gina no encontrada"
    r"|\u30da\u30fc\u30b8\u304c\u898b\u3064\u304b\u308a\u307e\u305b\u3093"
)
"""In a title or heading that says little else."""
_ERROR_TEXT: Final = re.compile(
    r"(?i)(?:page|site|document|resource|url|address) (?:that )?you (?:are|were|requested|asked|tried)"
    r"|\b(?:this|the|requested) (?:page|site|service|server|url)\b.{0,40}(?:n[o']t (?:be )?(?:found|exist|available)"
    r"|moved or deleted|temporarily|unavailable|down for|under maintenance)|performing (?:scheduled )?maintenance"
    r"|checking (?:if the site connection is secure|your browser)|verify (?:that )?you are (?:a )?human"
    r"|enable javascript (?:and cookies )?to continue|you have been blocked|something went wrong"
    r"|there is(?:n't| not|nothing).{0,20} here"
)
"""In a text that is hardly longer."""
_SAYS_NOTHING: Final = re.compile(
    r"(?i)https?|error\b|status|code|detailed|iis|nginx|apache|cloudflare|sorry|the|an?|[\W\d_]"
)
HEAD_REST_MAX: Final = 5
"""Letters that a heading of an error page says beside the error."""
_LOGIN_PATH: Final = re.compile(
    r"(?i)(?:^|[/_.-])(?:log-?in|sign-?in|sso|saml2?|oauth2?|authori[sz]e|auth|session/new|idp|cas)(?:[/_.-]|$)"
)
_NOT_CONTENT: Final = ("script", "noscript", "template", "iframe", "svg", "nav", "header", "footer", "aside", "form")
_SEPARATOR: Final = re.compile(r"\s[|\u2013\u2014\u00b7:-]\s")
_SPACE: Final = re.compile(r"\s+")


@dataclass(frozen=True, kw_only=True, slots=True)
class WebPage:
    """`raw` is the page without scripts and other things that differ with every visit. `signature` names its text.
    `links` may be followed. `canonical` is "" when it names itself or nothing. `wrong`: what it is in place of a page
    to keep (login, error or empty), "" when it is one; `problem` says so in words."""

    raw: bytes
    title: str
    links: tuple[str, ...]
    canonical: str
    noindex: bool
    signature: str
    wrong: str
    problem: str


def web_page(raw: bytes, *, url: str, charset: str, robots_header: str) -> WebPage:
    """`url` is where the page came from; `robots_header` the X-Robots-Tag header."""
    tree = LexborHTMLParser(_text(raw, charset))
    directives = f"{robots_header},{_meta(tree, 'robots')},{_meta(tree, 'firstline')}".lower()
    base = _base(tree, url)
    links = () if "nofollow" in directives or "none" in directives.split(",") else _links(tree, base)
    canonical = normal(_attribute(tree.css_first("link[rel~=canonical][href]"), "href"), base)
    asks = tree.css_first("input[type=password]") is not None
    title_node = tree.css_first("title")
    title = _plain(title_node.text()) if title_node else ""
    _take_out(tree)
    kept = (tree.html or "").encode("utf-8", "replace")
    text = _content(tree)
    heading = tree.css_first("h1")
    heads = f"{title}\n{_plain(heading.text()) if heading else ''}"
    login = asks and len(text) <= LOGIN_CHARS_MAX
    error = (len(text) <= ERROR_TITLE_CHARS_MAX and any(map(_is_error, heads.split("\n")))) or (
        len(text) <= ERROR_CHARS_MAX and _ERROR_TEXT.search(text) is not None
    )
    wrong = "login" if login else "error" if error else "empty" if len(text) < TEXT_CHARS_MIN else ""
    return WebPage(
        raw=kept,
        title=title,
        links=links,
        canonical="" if canonical == url else canonical,
        noindex="noindex" in directives or "none" in [one.strip() for one in directives.split(",")],
        signature=hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16],
        wrong=wrong,
        problem=_problem(wrong, title or text),
    )


def _is_error(heading: str) -> bool:
    # The site's own name stands behind a dash or bar.
    rest, found = _ERROR_HEAD.subn("", _SEPARATOR.split(heading[:200])[0])
    return found > 0 and len(_SAYS_NOTHING.sub("", rest)) <= HEAD_REST_MAX


def _problem(wrong: str, shows: str) -> str:
    match wrong:
        case "login":
            return "It asks who we are in place of showing the page. Give the source a token, or leave the page out."
        case "error":
            return f"It answers 200 and shows an error: {shows[:80]!r}. Look at it in a browser."
        case "empty":
            return "It yields no text: it is empty, or shows its text by JavaScript alone. Give a page that holds it."
        case _:
            return ""


def leads_to_login(url: str) -> bool:
    """Whether an address, that we were sent to from another, is one where people say who they are."""
    return bool(_LOGIN_PATH.search(urlsplit(url).path))


def _text(raw: bytes, charset: str) -> str:
    if charset:
        try:
            return raw.decode(charset, "replace")
        except LookupError:
            pass
    return as_utf8(raw)[0].decode("utf-8", "replace")


def _meta(tree: LexborHTMLParser, name: str) -> str:
    return ",".join(_attribute(node, "content") for node in tree.css(f"meta[name={name} i]"))


def _base(tree: LexborHTMLParser, url: str) -> str:
    return normal(_attribute(tree.css_first("base[href]"), "href"), url) or url


def _links(tree: LexborHTMLParser, base: str) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for node in tree.css("a[href]"):
        if "nofollow" not in _attribute(node, "rel").lower().split():
            link = normal(_attribute(node, "href"), base)
            if link:
                found[link] = None
        if len(found) >= LINKS_MAX:
            break
    return tuple(found)


def _take_out(tree: LexborHTMLParser) -> None:
    """What changes with every visit would make every page look changed."""
    tree.strip_tags(["script", "noscript", "template", "iframe", "input", "canvas"])
    comments = [node for node in tree.root.traverse(include_text=True) if node.tag == "-comment"] if tree.root else []
    for node in comments:
        node.decompose()
    for node in tree.css("[nonce]"):
        node.attrs["nonce"] = ""
    for node in tree.css("meta[name*=csrf i], meta[name*=token i], meta[name*=nonce i], meta[name*=request-id i]"):
        node.decompose()


def _content(tree: LexborHTMLParser) -> str:
    """The visible text of the main part, for comparing; the document's own text is the parser's affair."""
    copy = LexborHTMLParser(tree.html or "")
    copy.strip_tags([*_NOT_CONTENT, "style"])
    root = copy.css_first("main") or copy.css_first("article") or copy.body
    text = _plain(root.text(separator=" ")) if root else ""
    if len(text) < TEXT_CHARS_MIN and copy.body is not None:
        text = _plain(copy.body.text(separator=" "))
    return text


def _attribute(node: LexborNode | None, name: str) -> str:
    return (node.attributes.get(name) or "") if node is not None else ""


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip()
