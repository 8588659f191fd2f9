"""A number of the command line that must lie between two others, refused in plain words."""

from __future__ import annotations

import math

import click


class Between(click.FloatRange):
    """A finite number from `least` to `most`, both allowed. `nan` compares with nothing, so no range keeps it out."""

    def __init__(self, least: float, most: float) -> None:
        super().__init__(min=least, max=most)
        self.least, self.most = least, most

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            number = float(str(value))
        except ValueError:
            number = math.nan
        if not self.least <= number <= self.most:
            self.fail(f"{value} is no number from {self.least:g} to {self.most:g}.", param, ctx)
        return number
