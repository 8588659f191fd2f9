"""Which words of a PDF's page does its reader see? Not those printed in no ink, off the page, or in the page's colour.

Invisible print over a picture stays: that is how text recognition marks what a scan says.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Final

import pypdfium2.raw as pdfium  # pyright: ignore[reportMissingTypeStubs] it ships none

from firstline.documents.parse.colours import OPAQUE_MIN, WHITE, Colour, lost_on

_PDFIUM: Final[Any] = pdfium
TINY_POINTS_MAX: Final = 1.0
SHAPES_MAX: Final = 2_000
"""On a page with more of them nothing is known of what stands behind its words."""
WORDS_MAX: Final = 20_000
"""Looked at on one page."""
_NO_INK: Final = frozenset({3, 7})
_OUTLINE: Final = frozenset({1, 5})


@dataclass(frozen=True, kw_only=True, slots=True)
class Shape:
    """Something drawn before other things. `colour` is None when it has many, or when it is not known."""

    order: int
    left: float
    bottom: float
    right: float
    top: float
    colour: Colour | None
    picture: bool

    def holds(self, x: float, y: float) -> bool:
        return self.left <= x <= self.right and self.bottom <= y <= self.top


class Page:
    def __init__(self, page: Any, text_page: Any) -> None:
        self._text = text_page
        self._edges: tuple[float, float, float, float] = page.get_cropbox()
        self._orders: dict[int, int] = {}
        self._shapes: list[Shape] = []
        self._known = self._look_at(page)
        self._words = 0

    def unseen(self, index: int, size: float) -> bool:
        """Whether the word that begins with this character is not seen."""
        self._words += 1
        if self._words > WORDS_MAX:
            return False
        box = box_of(self._text, index)
        if box is None:
            return False
        left, bottom, right, top = box
        # A page's own scale may make much of a small font.
        if size < TINY_POINTS_MAX and top - bottom < TINY_POINTS_MAX:
            return True
        edge_left, edge_bottom, edge_right, edge_top = self._edges
        if right < edge_left or left > edge_right or top < edge_bottom or bottom > edge_top:
            return True
        return self._without_ink(index, (left + right) / 2, (bottom + top) / 2)

    def _without_ink(self, index: int, x: float, y: float) -> bool:
        item: Any = _PDFIUM.FPDFText_GetTextObject(self._text, index)
        mode: int = _PDFIUM.FPDFTextObj_GetTextRenderMode(item) if item else 0
        order = self._orders.get(_address(item), len(self._orders))
        if mode in _NO_INK:
            return self._known and not any(shape.picture and shape.holds(x, y) for shape in self._shapes)
        if mode in _OUTLINE:
            return False
        parts = [ctypes.c_uint() for _ in range(4)]
        if not _PDFIUM.FPDFText_GetFillColor(self._text, index, *parts):
            return False
        red, green, blue, alpha = (part.value for part in parts)
        if alpha / 255 < OPAQUE_MIN:
            return True
        if not self._known:
            return False
        behind = next((shape for shape in reversed(self._shapes) if shape.order < order and shape.holds(x, y)), None)
        ground = WHITE if behind is None else behind.colour
        return ground is not None and lost_on((red, green, blue), ground)

    def _look_at(self, page: Any) -> bool:
        count: int = _PDFIUM.FPDFPage_CountObjects(page)
        for order in range(count):
            item = _PDFIUM.FPDFPage_GetObject(page, order)
            self._orders[_address(item)] = order
            kind = _PDFIUM.FPDFPageObj_GetType(item)
            if kind == _PDFIUM.FPDF_PAGEOBJ_TEXT:
                continue
            if len(self._shapes) >= SHAPES_MAX:
                return False
            if (shape := _shape(item, kind, order)) is not None:
                self._shapes.append(shape)
        return True


def _shape(item: Any, kind: int, order: int) -> Shape | None:
    edges = [ctypes.c_float() for _ in range(4)]
    if not _PDFIUM.FPDFPageObj_GetBounds(item, *edges):
        return None
    left, bottom, right, top = (edge.value for edge in edges)
    shade: Colour | None = None
    if kind == _PDFIUM.FPDF_PAGEOBJ_PATH:
        mode, stroke = ctypes.c_int(), ctypes.c_int()
        if not _PDFIUM.FPDFPath_GetDrawMode(item, mode, stroke) or mode.value == _PDFIUM.FPDF_FILLMODE_NONE:
            return None
        parts = [ctypes.c_uint() for _ in range(4)]
        if _PDFIUM.FPDFPageObj_GetFillColor(item, *parts):
            red, green, blue, alpha = (part.value for part in parts)
            if alpha / 255 < OPAQUE_MIN:
                return None
            shade = (red, green, blue) if alpha == 255 else None
    return Shape(
        order=order,
        left=left,
        bottom=bottom,
        right=right,
        top=top,
        colour=shade,
        picture=kind != _PDFIUM.FPDF_PAGEOBJ_PATH,
    )


def box_of(text_page: Any, index: int) -> tuple[float, float, float, float] | None:
    """Left, bottom, right and top edge of a letter, in points."""
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    if not _PDFIUM.FPDFText_GetCharBox(text_page, index, left, right, bottom, top):
        return None
    return left.value, bottom.value, right.value, top.value


def _address(item: Any) -> int:
    return ctypes.cast(item, ctypes.c_void_p).value or 0
