"""A turn's tree in lines for people, and as values for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from firstline.domain import Span

LABEL_WIDTH: Final = 44
LEFT_OUT: Final = frozenset({"error.type"})
"""What its line says anyway."""
ROOT_FACTS: Final = ("outcome", "outcome.kind", "triage", "intent", "route", "language", "evidence", "snapshot", "kb")


def lines(tree: Span) -> Iterator[str]:
    """The root, then what is inside, each line indented by branches."""
    yield _line("", tree.name, tree, _root_facts(tree.attributes))
    yield from _inside(tree, "")


def _inside(span: Span, indent: str) -> Iterator[str]:
    for at, one in enumerate(span.inside):
        last = at == len(span.inside) - 1
        yield _line(f"{indent}{'└─ ' if last else '├─ '}", one.name, one, _facts(one))
        yield from _inside(one, f"{indent}{'   ' if last else '│  '}")


def _line(branch: str, name: str, span: Span, facts: str) -> str:
    label = f"{branch}{name}".ljust(LABEL_WIDTH)
    at = "" if span.began_ms is None else f"{span.began_ms:9,.1f}"
    took = "" if span.ms is None else f"{span.ms:9,.1f} ms"
    return f"{label}{at:>9}{took:>13}  {facts}".rstrip()


def _root_facts(attributes: Mapping[str, Any]) -> str:
    told = [(name, attributes[f"firstline.{name}"]) for name in ROOT_FACTS if f"firstline.{name}" in attributes]
    return "  ".join(f"{name}={value}" for name, value in told)


def _facts(span: Span) -> str:
    own = span.attributes
    if "firstline.gate.value" in own:
        passed = "passed" if own["firstline.gate.passed"] else "FAILED"
        return f"{own['firstline.gate.value']} of {own['firstline.gate.threshold']}: {passed}"
    if span.model:
        return _call(own)
    return "  ".join(_fact(name, value) for name, value in own.items() if name not in LEFT_OUT)


def _call(own: Mapping[str, Any]) -> str:
    """A call of one model: how it ended, and what it took."""
    facts = [str(own["gen_ai.response.finish_reasons"][0]), f"provider={own['gen_ai.provider.name']}"]
    if "gen_ai.response.time_to_first_chunk" in own:
        facts.append(f"first text after {own['gen_ai.response.time_to_first_chunk'] * 1000:,.1f} ms")
    if "gen_ai.usage.input_tokens" in own:
        counted = "" if own["firstline.tokens_counted"] else " (estimated)"
        tokens = f"{own['gen_ai.usage.input_tokens']} in, {own['gen_ai.usage.output_tokens']} out"
        facts += [f"tokens {tokens}{counted}", f"cost {own['gen_ai.usage.cost']:.6f}"]
    return "  ".join(facts)


def _fact(name: str, value: Any) -> str:
    short = name.removeprefix("firstline.")
    return short if value is True else f"{short}={value}"


def as_values(span: Span) -> dict[str, Any]:
    """For programs: attributes by their full names, times in milliseconds."""
    return {
        "name": span.name,
        "began_ms": span.began_ms,
        "ms": span.ms,
        "error": span.error,
        "attributes": {name: list(v) if isinstance(v, tuple) else v for name, v in span.attributes.items()},
        "inside": [as_values(one) for one in span.inside],
    }
