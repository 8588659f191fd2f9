"""robots.txt, as RFC 9309 reads it: the longest rule that fits decides, and an allowing one wins a tie."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote, urlsplit

OURS: Final = "firstline"
BYTES_MAX: Final = 512 * 1024
RULES_MAX: Final = 10_000
PATTERN_CHARS_MAX: Final = 2_000
CRAWL_DELAY_S_MAX: Final = 60.0
"""Who asks for more gets this much: a site of a thousand pages would take more than a day otherwise."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Robots:
    """`rules` are (allowed, pattern) of the group that is meant for us."""

    rules: tuple[tuple[bool, str], ...] = ()
    crawl_delay_s: float = 0.0
    sitemaps: tuple[str, ...] = ()

    def allows(self, url: str) -> bool:
        parts = urlsplit(url)
        path = _plain(parts.path or "/") + (f"?{_plain(parts.query)}" if parts.query else "")
        best, allowed = -1, True
        for allow, pattern in self.rules:
            if len(pattern) < best or not _fits(pattern, path):
                continue
            if len(pattern) > best or allow:
                best, allowed = len(pattern), allow
        return allowed


def robots_of(raw: bytes) -> Robots:
    """What the file says to us: the groups of our name together, else those for everybody."""
    groups: dict[str, tuple[list[tuple[bool, str]], list[float]]] = {}
    sitemaps: list[str] = []
    agents: list[str] = []
    listening = True
    for line in raw[:BYTES_MAX].decode("utf-8", "replace").lstrip("\ufeff").splitlines()[:RULES_MAX]:
        name, sign, value = line.partition("#")[0].partition(":")
        name, value = name.strip().lower(), value.strip()[:PATTERN_CHARS_MAX]
        if not sign:
            continue
        if name == "user-agent":
            agents = [*agents, value.lower()] if listening else [value.lower()]
            listening = True
            continue
        if name == "sitemap":
            sitemaps.append(value)
            continue
        listening = False
        for agent in agents:
            rules, delays = groups.setdefault(agent, ([], []))
            if name in ("allow", "disallow") and value:
                rules.append((name == "allow", _plain(value)))
            elif name == "crawl-delay" and re.fullmatch(r"\d{1,6}(?:\.\d{1,6})?", value):
                delays.append(float(value))
    mine = [group for agent, group in groups.items() if agent.split("/")[0] == OURS]
    chosen = mine or [group for agent, group in groups.items() if agent == "*"]
    return Robots(
        rules=tuple(rule for rules, _ in chosen for rule in rules),
        crawl_delay_s=min(CRAWL_DELAY_S_MAX, max((delay for _, delays in chosen for delay in delays), default=0.0)),
        sitemaps=tuple(sitemaps),
    )


def _plain(path: str) -> str:
    """Percent signs written in one way, whichever way they were written in."""
    return quote(unquote(path), safe="/*$?&=;:@!',()+~[]")


def _fits(pattern: str, path: str) -> bool:
    """`*` stands for anything, `$` at the end for the end. Linear in the path for each star."""
    anchored = pattern.endswith("$")
    first, *parts = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    at = len(first)
    for number, part in enumerate(parts):
        if anchored and number == len(parts) - 1:
            return path.endswith(part) and len(path) - len(part) >= at
        found = path.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return not anchored or at == len(path)
