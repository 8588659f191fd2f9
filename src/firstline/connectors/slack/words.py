"""How does a message of Slack read as Markdown?"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_CODE: Final = re.compile(r"```(.*?)```|`([^`\n]{1,2000})`", re.DOTALL)
_MARKED: Final = re.compile(r"<([^<>\n]{1,4000})>")
_BOLD: Final = re.compile(r"(?<![\w*])\*(?=\S)([^*\n]{1,1000}?)(?<=\S)\*(?![\w*])")
_STRUCK: Final = re.compile(r"(?<![\w~])~(?=\S)([^~\n]{1,1000}?)(?<=\S)~(?![\w~])")
_ENTITIES: Final = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))


def markdown(text: str, channels: Mapping[str, str]) -> str:
    """Members are "@member": who they are stays in Slack. `channels`: names by id."""
    out: list[str] = []
    place = 0
    for met in _CODE.finditer(text):
        out.append(_said(text[place : met.start()], channels))
        if met[1] is not None:
            out.append("\n```\n" + _plain(met[1], channels).strip("\n") + "\n```\n")
        else:
            out.append("`" + _plain(met[2], channels) + "`")
        place = met.end()
    out.append(_said(text[place:], channels))
    return "".join(out).strip()


def _said(text: str, channels: Mapping[str, str]) -> str:
    text = _BOLD.sub(r"**\1**", text)
    text = _STRUCK.sub(r"~~\1~~", text)
    text = _MARKED.sub(lambda met: _marked(met[1], channels, links=True), text)
    return _entities(text)


def _plain(text: str, channels: Mapping[str, str]) -> str:
    return _entities(_MARKED.sub(lambda met: _marked(met[1], channels, links=False), text))


def _marked(inside: str, channels: Mapping[str, str], *, links: bool) -> str:
    target, _, label = inside.partition("|")
    if target.startswith("@"):
        return "@member"
    if target.startswith("#"):
        return f"#{label or channels.get(target[1:], 'channel')}"
    if target.startswith("!"):
        name = target[1:].split("^")[0]
        return label or (f"@{name}" if name in ("here", "channel", "everyone") else "")
    if target.startswith("mailto:"):
        return label or target.removeprefix("mailto:")
    if links and label and label != target and target.startswith(("http://", "https://")):
        return f"[{label}]({target})"
    return target


def _entities(text: str) -> str:
    for written, meant in _ENTITIES:
        text = text.replace(written, meant)
    return text
