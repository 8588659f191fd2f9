"""Does a JSON value fit a schema? The part of JSON schema that providers take for structured output.

A schema that says more than this understands is refused when it is asked with, so that nothing is taken for checked
that was not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from firstline.errors import InvalidInput

DEPTH_MAX: Final = 40
IGNORED: Final = frozenset({"title", "description", "default", "examples", "$defs", "$schema", "format"})
KNOWN: Final = IGNORED | {
    *("type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref"),
    *("minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum"),
}
TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
Schema = Mapping[str, Any]


def check_schema(schema: Schema, *, depth: int = 0) -> None:
    """InvalidInput names the first word in it that is not understood."""
    unknown = sorted(set(schema) - KNOWN)
    if unknown or depth > DEPTH_MAX:
        raise InvalidInput(
            f"The schema of an answer uses {unknown[0]!r}." if unknown else "The schema of an answer is too deep.",
            remedy="Use what firstline.models.gateway.json_schema understands, and check the rest of it yourself.",
        )
    ref = schema.get("$ref", "#/$defs/")
    if not str(ref).startswith("#/$defs/"):
        raise InvalidInput(f"The schema of an answer refers to {ref!r}.", remedy="Refer to `#/$defs/NAME` alone.")
    for name in ("properties", "$defs"):
        for inner in cast("Mapping[str, Schema]", schema.get(name, {})).values():
            check_schema(inner, depth=depth + 1)
    inners = [schema.get("items"), schema.get("additionalProperties"), *cast("list[Any]", schema.get("anyOf", []))]
    for inner in inners:
        if isinstance(inner, Mapping):
            check_schema(cast("Schema", inner), depth=depth + 1)


def misfit(value: Any, schema: Schema, *, root: Schema | None = None, depth: int = 0) -> str:
    """What does not fit, in a few words; empty when it does."""
    root = schema if root is None else root
    if depth > DEPTH_MAX:
        return "too deep"
    if "$ref" in schema:
        name = str(schema["$ref"]).removeprefix("#/$defs/")
        inner = cast("Mapping[str, Schema]", root.get("$defs", {})).get(name)
        return f"no definition {name}" if inner is None else misfit(value, inner, root=root, depth=depth + 1)
    if "anyOf" in schema:
        choices = cast("Sequence[Schema]", schema["anyOf"])
        if all(misfit(value, one, root=root, depth=depth + 1) for one in choices):
            return "none of the allowed forms"
    return _of_type(value, schema) or _of_size(value, schema) or _inside(value, schema, root, depth)


def _of_type(value: Any, schema: Schema) -> str:
    named = schema.get("type")
    names = cast("list[str]", named if isinstance(named, list) else [named] if named else [])
    if names and not any(_is(value, name) for name in names):
        return f"{type(value).__name__} in place of {' or '.join(names)}"
    if "const" in schema and not _same(value, schema["const"]):
        return "another value than the only one"
    if "enum" in schema and not any(_same(value, one) for one in cast("list[Any]", schema["enum"])):
        return "a value that is not listed"
    return ""


def _is(value: Any, name: str) -> bool:
    # In Python a truth value is a number; in JSON it is none, and 1.0 is whole.
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, TYPES.get(name, ()))


def _same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _of_size(value: Any, schema: Schema) -> str:
    if isinstance(value, str):
        measured, low, high = len(value), "minLength", "maxLength"
    elif isinstance(value, list):
        measured, low, high = len(cast("list[Any]", value)), "minItems", "maxItems"
    elif isinstance(value, int | float) and not isinstance(value, bool):
        measured, low, high = value, "minimum", "maximum"
    else:
        return ""
    if low in schema and measured < schema[low]:
        return f"below {low}"
    return f"above {high}" if high in schema and measured > schema[high] else ""


def _inside(value: Any, schema: Schema, root: Schema, depth: int) -> str:
    if isinstance(value, list):
        items = schema.get("items")
        if isinstance(items, Mapping):
            for at, one in enumerate(cast("list[Any]", value)):
                if problem := misfit(one, cast("Schema", items), root=root, depth=depth + 1):
                    return f"[{at}]: {problem}"
    if isinstance(value, dict):
        return _fields(cast("dict[str, Any]", value), schema, root, depth)
    return ""


def _fields(value: dict[str, Any], schema: Schema, root: Schema, depth: int) -> str:
    known = cast("Mapping[str, Schema]", schema.get("properties", {}))
    other = schema.get("additionalProperties", True)
    for name in cast("Sequence[str]", schema.get("required", ())):
        if name not in value:
            return f"{name} is missing"
    for name, one in value.items():
        inner: Any = known.get(name, other)
        if inner is False:
            return f"{name[:40]} was not asked for"
        if isinstance(inner, Mapping) and (problem := misfit(one, cast("Schema", inner), root=root, depth=depth + 1)):
            return f"{name[:40]}: {problem}"
    return ""
