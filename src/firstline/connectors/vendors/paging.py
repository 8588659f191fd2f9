"""Where does a list in pages go on? One that breaks off in the middle must not look as if it had ended: what stands
behind would be taken for gone."""

from __future__ import annotations

from firstline.errors import Unavailable


def place_after(before: str, told: str, *, more: bool, where: str) -> str:
    """The place of the next page, as the list told it; "" when there is none. Unavailable when it says that there is
    more and not where, or names the place that it was asked for (`before`) again."""
    if not more:
        return ""
    if not told or told == before:
        raise broken_off(where)
    return told


def broken_off(where: str) -> Unavailable:
    return Unavailable(
        f"{where} says that its list goes on, and not where.",
        remedy="Nothing was removed; the next sync goes on from here. Check the other side when it stays so.",
    )
