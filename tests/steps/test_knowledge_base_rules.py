"""The tables `[knowledge_bases.NAME]` of the settings file become the rules of that knowledge base."""

from __future__ import annotations

from pathlib import Path

import pytest

from firstline.domain import Intent
from firstline.errors import InvalidInput
from firstline.settings import load_settings
from firstline.wiring import rules_of

TABLES = """
[knowledge_bases.docs]
topics = ["backups", "drivers"]
refused_topics = ["account", "private_data", "roadmap"]
high_stakes = ["legal"]

[knowledge_bases.docs.replies.legal]
acknowledgement = "Our legal team reads this today."
contact = "legal@example.org"
"""


def test_a_table_becomes_rules(tmp_path: Path) -> None:
    file = tmp_path / "firstline.toml"
    file.write_text(TABLES, encoding="utf-8")
    settings = load_settings(environ={"FIRSTLINE_CONFIG": str(file)})
    rules = rules_of(settings)["docs"]
    assert rules.served == ("backups", "drivers")
    assert rules.refused[-1] == "roadmap"
    assert rules.high_stakes == (Intent.LEGAL,)
    assert rules.told(Intent.LEGAL, offer="")[0].endswith("legal@example.org")
    assert settings.settings_hash != load_settings(environ={}).settings_hash


@pytest.mark.parametrize(("wrong", "right"), [("topics =", "topicz ="), ('["legal"]', '["lawsuits"]')])
def test_a_mistake_in_a_table_is_refused(tmp_path: Path, wrong: str, right: str) -> None:
    file = tmp_path / "firstline.toml"
    file.write_text(TABLES.replace(wrong, right, 1), encoding="utf-8")
    with pytest.raises(InvalidInput):
        load_settings(environ={"FIRSTLINE_CONFIG": str(file)})
