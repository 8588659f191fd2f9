"""Every refusal says what to do: no error of the tree is made without a remedy."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from firstline import errors

SOURCE = Path(__file__).parents[2] / "src" / "firstline"
FILES = sorted(SOURCE.rglob("*.py"))
KINDS = {
    name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, errors.FirstlineError)
}
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}
# Kinds that a module keeps for itself.
KINDS |= {
    node.name
    for tree in TREES.values()
    for node in ast.walk(tree)
    if isinstance(node, ast.ClassDef) and any(isinstance(base, ast.Name) and base.id in KINDS for base in node.bases)
}


def made_without_remedy(tree: ast.AST, kinds: set[str]) -> Iterator[str]:
    """Line and kind of every call of an error class whose `remedy` is missing or an empty text."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if name not in kinds:
            continue
        given = next((keyword.value for keyword in node.keywords if keyword.arg == "remedy"), None)
        if given is None or (isinstance(given, ast.Constant) and not str(given.value).strip()):
            yield f"line {node.lineno}: {name}"


def test_the_tree_is_known():
    assert {"InvalidInput", "NotAccepted", "NotFound", "Conflict", "Unavailable", "Broken"} <= KINDS


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_error_says_what_to_do(path: Path):
    assert list(made_without_remedy(TREES[path], KINDS)) == []


@pytest.mark.parametrize(
    "line", ['raise NotFound("x")', 'raise errors.Broken("x", remedy="")', 'gone = Conflict(f"{x}")', "raise Gone(1)"]
)
def test_a_missing_remedy_is_seen(line: str):
    assert list(made_without_remedy(ast.parse(line), {*KINDS, "Gone"})) != []
