"""How a metric begins in the Prometheus text format."""

from __future__ import annotations


def head(name: str, kind: str, meaning: str) -> list[str]:
    """`kind`: counter, gauge or histogram."""
    return [f"# HELP {name} {meaning}", f"# TYPE {name} {kind}"]
