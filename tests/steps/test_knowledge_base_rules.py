"""The tables `[knowledge_bases.NAME]` of the settings file become the rules of that knowledge base."""

from __future__ import annotations

from pathlib import Path

import pytest

from firstline.domain import Intent
from firstline.errors import InvalidInput
from firstline.settings import load_settings
from firstline.shaping import rules_of

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


@pytest.mark.parametrize(
    ("written", "instead", "named", "remedy"),
    [
        ("topics =", "topicz =", "There is no setting 'knowledge_bases.docs.topicz'", "Did you mean 'topics'?"),
        ("contact =", "contcat =", "'knowledge_bases.docs.replies.legal.contcat'", "Did you mean 'contact'?"),
        ('["legal"]', '["lawsuits"]', "'knowledge_bases.docs.high_stakes.0'", "Allowed: one of cancellation"),
        (".replies.legal", ".replies.lawsuits", "'knowledge_bases.docs.replies.lawsuits'", "legal"),
        ("[knowledge_bases.docs]", "[knowlege_bases.docs]", "'knowlege_bases'", "Did you mean 'knowledge_bases'?"),
        (
            '["backups", "drivers"]',
            "7",
            "'knowledge_bases.docs.topics' (from the settings file)",
            "[knowledge_bases.NAME]",
        ),
    ],
)
def test_a_mistake_in_a_table_is_refused_at_its_place(
    tmp_path: Path, written: str, instead: str, named: str, remedy: str
) -> None:
    file = tmp_path / "firstline.toml"
    file.write_text(TABLES.replace(written, instead, 1), encoding="utf-8")
    with pytest.raises(InvalidInput) as refused:
        load_settings(environ={"FIRSTLINE_CONFIG": str(file)})
    assert named in refused.value.message
    assert remedy in refused.value.remedy
