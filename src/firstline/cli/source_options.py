"""Options of sources, as a shell gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from firstline.cli.ingest_command import parse_mapping

if TYPE_CHECKING:
    from collections.abc import Sequence

    from firstline.connectors.kind import SourceKind


def values_from(kind: SourceKind, options: Sequence[str], place: str | None) -> dict[str, Any]:
    """Options as given in a shell: lists with commas between, mappings as name=value with commas between."""
    from firstline.errors import InvalidInput

    values: dict[str, Any] = {}
    if place is not None:
        if not kind.main:
            raise InvalidInput(f"A {kind.name} source has no place.", remedy="Give its options with --set.")
        values[kind.main] = place
    for option in options:
        name, sign, value = option.partition("=")
        if not sign or not name.strip():
            raise InvalidInput(f"--set {name} is not understood.", remedy="Write --set OPTION=VALUE.")
        field = kind.config.model_fields.get(name.strip())
        shape = str(field.annotation) if field else ""
        if shape.startswith("dict"):
            values[name.strip()] = parse_mapping(value)
        elif shape.startswith(("tuple", "list")):
            values[name.strip()] = [part.strip() for part in value.split(",") if part.strip()]
        else:
            values[name.strip()] = value
    return values


def folders_from(written: Sequence[str]) -> dict[str, Any]:
    """Rules as options; none given: what is there stays."""
    from firstline.connectors.access_rules import rules_written

    rules = rules_written(written, trusted=False).rules
    return {"access": [rule.model_dump(mode="json") for rule in rules]} if rules else {}


def document_kind_named(name: str | None) -> Any:
    from firstline.domain import DocumentKind
    from firstline.errors import InvalidInput

    if name is None:
        return None
    if name not in list(DocumentKind):
        raise InvalidInput(f"There is no kind {name}.", remedy="Use one of: " + ", ".join(DocumentKind) + ".")
    return DocumentKind(name)
