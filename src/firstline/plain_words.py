"""What a validator found, in plain words: what is wrong with a value, and what is allowed instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

PLAIN: Final[Mapping[str, tuple[str, str]]] = {
    "missing": ("is missing", ""),
    "extra_forbidden": ("is not known here", ""),
    "string_type": ("is not a text", "a text in double quotes"),
    "string_unicode": ("is not a text", "a text in UTF-8"),
    "bool_type": ("is neither true nor false", "true or false"),
    "bool_parsing": ("is neither true nor false", "true or false"),
    "int_type": ("is not a whole number", "a whole number"),
    "int_parsing": ("is not a whole number", "a whole number"),
    "int_parsing_size": ("is too large a number", "a smaller whole number"),
    "int_from_float": ("is not a whole number", "a whole number"),
    "float_type": ("is not a number", "a number"),
    "float_parsing": ("is not a number", "a number"),
    "list_type": ("is not a list", "a list"),
    "tuple_type": ("is not a list", "a list"),
    "dict_type": ("is not a JSON object", "a JSON object"),
    "model_type": ("is not a JSON object", "a JSON object"),
    "model_attributes_type": ("is not a JSON object", "a JSON object, sent with Content-Type: application/json"),
    "json_invalid": ("is not valid JSON", "a JSON object"),
}
"""Type of error: what is wrong, what is allowed."""

BOUNDED: Final[Mapping[str, tuple[str, str, str]]] = {
    "enum": ("expected", "is not one of the values allowed", "one of {}"),
    "literal_error": ("expected", "is not one of the values allowed", "one of {}"),
    "string_too_long": ("max_length", "is too long", "at most {} characters"),
    "string_too_short": ("min_length", "is too short", "at least {} characters"),
    "too_long": ("max_length", "is too long", "at most {} of them"),
    "too_short": ("min_length", "is too short", "at least {} of them"),
    "string_pattern_mismatch": ("pattern", "holds characters that are not allowed", "what matches {}"),
    "greater_than_equal": ("ge", "is too small", "{} or more"),
    "greater_than": ("gt", "is too small", "more than {}"),
    "less_than_equal": ("le", "is too large", "{} or less"),
    "less_than": ("lt", "is too large", "less than {}"),
}
"""Type of error: the bound's name in its context, what is wrong, what is allowed."""


def plain_words(kind: str, context: Mapping[str, Any]) -> tuple[str, str]:
    """(what is wrong, what is allowed or ""), from an error's type and context as pydantic gives them."""
    if kind in PLAIN:
        return PLAIN[kind]
    if kind in BOUNDED:
        bound, problem, allowed = BOUNDED[kind]
        value = str(context.get(bound, "")).replace("'", "")
        return problem, allowed.format(value) if value else ""
    return "is not usable", ""
