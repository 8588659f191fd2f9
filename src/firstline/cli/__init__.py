"""The command line. Commands import what they need when they run, so that `firstline --help` is instant."""

from __future__ import annotations

from firstline.cli.main import main

__all__ = ["main"]
