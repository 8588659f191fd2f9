"""Which runs of a Word document does its reader not see? As printed: by themselves or by any style that they have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from firstline.documents.parse.colours import WHITE, Colour, colour, lost_on

TINY_HALF_POINTS_MAX: Final = 2
STYLES_DEEP_MAX: Final = 20
_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_OFF: Final = frozenset({"0", "false", "off"})
_TOLD: Final = ("vanish", "webHidden", "sz", "color", "shd", "highlight")
_BLACK: Final[Colour] = (0, 0, 0)

Properties = dict[str, Any]
"""Elements by name, such as `sz`; what is nearer to the run has taken the place of what is further away."""


def take_out_hidden(document: Any) -> str:
    """Runs that are marked hidden, of no size, or of the colour of what they stand on leave the document; gives what
    they said. In a table pale letters stay where the cell says nothing: the table's style may have a colour."""
    said: list[str] = []
    styles = _Styles(document)
    for run in list(document.element.body.iter(f"{_W}r")):
        if not _unseen(run, styles.of(run)):
            continue
        said.append("".join(node.text or "" for node in run.iter(f"{_W}t")))
        run.getparent().remove(run)
    text = " ".join("".join(said).split())
    return text if any(map(str.isalnum, text)) else ""


class _Styles:
    """What the document's styles say of letters."""

    def __init__(self, document: Any) -> None:
        root: Any = document.styles.element
        self._by_id: dict[str, Any] = {style.get(f"{_W}styleId", ""): style for style in root.iter(f"{_W}style")}
        self._defaults = _properties(root.find(f"{_W}docDefaults/{_W}rPrDefault/{_W}rPr"))
        self._paragraph = next(
            (name for name, style in self._by_id.items() if _is_default(style)),
            "",
        )
        self._known: dict[str, Properties] = {}

    def of(self, run: Any) -> Properties:
        own = run.find(f"{_W}rPr")
        paragraph = next((each for each in run.iterancestors(f"{_W}p")), None)
        named = paragraph.find(f"{_W}pPr/{_W}pStyle") if paragraph is not None else None
        style = named.get(f"{_W}val", "") if named is not None else self._paragraph
        character = own.find(f"{_W}rStyle") if own is not None else None
        return {
            **self._defaults,
            **self._chain(style),
            **(self._chain(character.get(f"{_W}val", "")) if character is not None else {}),
            **_properties(own),
        }

    def _chain(self, name: str) -> Properties:
        """Of a style and of those that it is based on."""
        if name not in self._known:
            chain: list[Any] = []
            at = name
            while at in self._by_id and len(chain) < STYLES_DEEP_MAX:
                style = self._by_id[at]
                chain.append(style)
                base = style.find(f"{_W}basedOn")
                at = base.get(f"{_W}val", "") if base is not None else ""
            found: Properties = {}
            for style in reversed(chain):
                found |= _properties(style.find(f"{_W}rPr"))
                # The colour behind a paragraph is told with the paragraph.
                if (behind := style.find(f"{_W}pPr/{_W}shd")) is not None:
                    found["shd"] = behind
            self._known[name] = found
        return self._known[name]


def _is_default(style: Any) -> bool:
    return style.get(f"{_W}type") == "paragraph" and style.get(f"{_W}default", "0") not in _OFF


def _properties(found: Any) -> Properties:
    if found is None:
        return {}
    return {name: node for name in _TOLD if (node := found.find(f"{_W}{name}")) is not None}


def _unseen(run: Any, told: Properties) -> bool:
    for name in ("vanish", "webHidden"):
        if name in told and told[name].get(f"{_W}val", "true") not in _OFF:
            return True
    size = told["sz"].get(f"{_W}val", "") if "sz" in told else ""
    if size.isdigit() and int(size) <= TINY_HALF_POINTS_MAX:
        return True
    shade = colour(told["color"].get(f"{_W}val", "")) if "color" in told else None
    if shade is None or "highlight" in told:
        return False
    behind = _behind(run, told)
    return behind is not None and lost_on(shade, behind)


def _behind(run: Any, told: Properties) -> Colour | None:
    """What the run stands on: the first colour from the inside out; None when only a table's style could say."""
    for shading in (*([told["shd"]] if "shd" in told else []), *_around(run)):
        fill = shading.get(f"{_W}fill", "auto")
        if fill != "auto":
            return colour(fill)
        if shading.get(f"{_W}val", "clear") not in {"clear", "nil"}:
            return _BLACK  # a pattern: whatever it is, it is no blank page
    return None if next(run.iterancestors(f"{_W}tbl"), None) is not None else WHITE


def _around(run: Any) -> Iterator[Any]:
    for around in run.iterancestors():
        for place in (f"{_W}pPr/{_W}shd", f"{_W}tcPr/{_W}shd"):
            if (shading := around.find(place)) is not None:
                yield shading
