"""Every kind of source explains itself, and no secret comes into the registry."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from firstline.connectors.kind import read_secret
from firstline.connectors.kinds import KINDS, checked_config, checked_name, kind_named, open_source
from firstline.domain import DocumentKind, Level, RegisteredSource
from firstline.errors import InvalidInput


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_explains_itself(name: str):
    kind = kind_named(name)
    assert (kind.name, bool(kind.says)) == (name, True)
    fields = kind.config.model_fields
    assert not kind.main or kind.main in fields
    for option, field in fields.items():
        assert field.description, option
    page = (Path(__file__).parents[2] / "docs" / "sources.md").read_text(encoding="utf-8")
    assert f"`{name}`" in page, "docs/sources.md does not mention it"


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_refuses_what_it_does_not_know(name: str):
    with pytest.raises(InvalidInput):
        checked_config(name, {"no_such_option": "x"})


@pytest.mark.parametrize("name", KINDS)
def test_a_secret_in_clear_is_refused_and_not_repeated(name: str):
    for option, field in kind_named(name).config.model_fields.items():
        if "env:NAME" in (field.description or ""):
            with pytest.raises(InvalidInput) as raised:
                checked_config(name, {option: "hush-hush-hush"})
            assert "hush" not in str(raised.value)


def test_a_kind_that_is_nearly_right_is_suggested():
    with pytest.raises(InvalidInput, match="'website'"):
        kind_named("web-site")


@pytest.mark.parametrize("name", ["docs", "a", "a.b-c_d", "0", "x" * 64])
def test_names(name: str):
    assert checked_name(name) == name


@pytest.mark.parametrize("name", ["", "A", "a/b", "a#b", "..", ".a", "a.", "a b", "x" * 65, "a\n", "ü"])
def test_what_is_no_name(name: str):
    with pytest.raises(InvalidInput):
        checked_name(name)


@pytest.mark.parametrize(("kind", "options"), [
    ("folder", {"path": "/srv/docs"}),
    ("git", {"url": "https://git.example/x.git"}),
    ("website", {"url": "https://docs.example/"}),
    ("table", {"place": "https://x.example/t.csv"}),
    ("openapi", {"place": "https://x.example/api.json"}),
    ("zendesk", {"url": "https://x.example", "fields": {"product": "1"}}),
    ("zendesk-export", {"path": "/srv/export.zip"}),
    ("intercom", {}),
    ("freshdesk", {"url": "https://x.example", "states": ["closed"]}),
    ("github", {"repos": "acme/app, acme/tools"}),
    ("gitlab", {"projects": ["acme/group/app"]}),
    ("discourse", {"url": "https://x.example"}),
    ("confluence", {"url": "https://x.example/wiki", "spaces": ["DOC", "~me"]}),
    ("notion", {"token": "env:SOURCE_NOTION"}),
    ("slack-export", {"path": "/srv/slack"}),
])  # fmt: skip
def test_what_is_kept_can_be_opened(kind: str, options: dict[str, Any], tmp_path: Path):
    config = checked_config(kind, options)
    kept = json.loads(json.dumps(config))
    assert checked_config(kind, kept) == config
    source = RegisteredSource(
        tenant="t", kb="k", name="n", kind=kind, config=kept, document_kind=DocumentKind.DOCUMENTATION,
        acl=frozenset(), level=Level.PUBLIC, added_at=datetime.now(UTC),
    )  # fmt: skip
    assert hasattr(open_source(source, bytes_max=1_000, folder=tmp_path), "changes")
    assert not list(tmp_path.iterdir()), "opening alone touches nothing"


def test_secrets_are_read_where_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("A_SECRET", "  hush\n")
    path = tmp_path / "secret"
    path.write_text("hush too\n")
    assert (read_secret(""), read_secret("env:A_SECRET"), read_secret(f"file:{path}")) == ("", "hush", "hush too")
    path.write_text("")
    for reference in ("env:NOT_SET", f"file:{path}", f"file:{tmp_path}", f"file:{tmp_path}/nothing"):
        with pytest.raises(InvalidInput) as raised:
            read_secret(reference)
        assert raised.value.remedy
