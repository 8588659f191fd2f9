"""Who may see which folder of a source: rules by path, the most specific first."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from opened import hear, opened

from firstline.connectors.access_rules import AccessRules, rules_written
from firstline.connectors.files import FilesSource
from firstline.connectors.kinds import checked_config
from firstline.connectors.overrides import Access
from firstline.connectors.reading import items_of
from firstline.domain import EVERYONE, DocumentKind, Level, RulesFit, SourceItem
from firstline.errors import InvalidInput

ALL = Access(kind=DocumentKind.DOCUMENTATION, acl=frozenset({EVERYONE}), level=Level.PUBLIC)


def who(path: str, *written: str) -> str:
    """TAGS:LEVEL of a path by these rules."""
    found = rules_written(written, trusted=False).access(ALL, [path])
    return f"{','.join(sorted(found.acl))}:{found.level.label}"


@pytest.mark.parametrize(
    ("path", "rules", "expected"),
    [
        ("a.md", ["internal/**=staff:internal"], "everyone:public"),
        ("internal/a.md", ["internal/**=staff:internal"], "staff:internal"),
        ("internal/b/c/a.md", ["internal/**=staff:internal"], "staff:internal"),
        ("internals/a.md", ["internal/**=staff"], "everyone:public"),
        ("x/internal/a.md", ["internal/**=staff"], "everyone:public"),
        ("x/internal/a.md", ["**/internal/**=staff"], "staff:public"),
        ("internal/a.md", ["**/internal/**=staff"], "staff:public"),
        ("internal/a.md", ["internal=staff"], "staff:public"),
        ("internal/a.md", ["internal/=staff"], "staff:public"),
        ("internal/a.md", ["/internal/*=staff"], "staff:public"),
        ("internal/b/a.md", ["internal/*=staff"], "staff:public"),
        ("internal/a.md", ["./x/../internal//**=staff"], "staff:public"),
        ("Internal/A.md", ["internal/**=staff"], "staff:public"),
        ("internal/a.md", ["INTERNAL/**=staff"], "staff:public"),
        ("straße/a.md", ["STRASSE/**=staff"], "staff:public"),
        (unicodedata.normalize("NFD", "café/a.md"), [unicodedata.normalize("NFC", "café/**=staff")], "staff:public"),
        (unicodedata.normalize("NFC", "café/a.md"), [unicodedata.normalize("NFD", "CAFÉ/**=staff")], "staff:public"),
        ("internal/a.md", ["**=staff", "internal/**=board"], "board:public"),
        ("internal/a.md", ["internal/**=staff", "internal/a.md=board:restricted"], "board:restricted"),
        ("internal/open/a.md", ["internal/**=staff:internal", "internal/open/**=everyone:public"], "everyone:public"),
        ("internal/open/a.md", ["*/open/**=everyone", "internal/**=staff"], "everyone:public"),
        ("internal/a.md", ["*/**=everyone", "internal/**=staff"], "staff:public"),
        ("aa/x.md", ["a*/**=staff,board:customer", "*a/**=board,press:internal"], "board:internal"),
        ("aa/x.md", ["a*/**=staff", "*a/**=press"], ":public"),
        ("aa/x.md", ["a*/**=everyone", "*a/**=press"], "press:public"),
        ("internal/a.md", ["internal/**="], ":public"),
        ("internal/a.md", ["internal/**=:internal"], ":internal"),
        ("t/a.md", ["t/**=zendesk:segment:4711"], "zendesk:segment:4711:public"),
        ("t/a.md", ["t/**=zendesk:segment:4711:customer"], "zendesk:segment:4711:customer"),
        ("t/a=b/x.md", ["t/a=b/**=staff"], "staff:public"),
        ("a/b.md", ["?/b.md=staff"], "staff:public"),
        ("[a]/b.md", ["[a]/**=staff"], "staff:public"),
        ("drafts/x.md", ["*draft*/**=staff"], "staff:public"),
        ("a/b/c/d.md", ["a/**/d.md=staff"], "staff:public"),
        ("a/d.md", ["a/**/d.md=staff"], "staff:public"),
        ("a/b/e.md", ["a/**/d.md=staff"], "everyone:public"),
    ],
)
def test_the_most_specific_rule_holds(path: str, rules: list[str], expected: str):
    assert who(path, *rules) == expected


@pytest.mark.parametrize(
    "written",
    [
        "internal",
        "=staff",
        "../x/**=staff",
        "a/../../x=staff",
        "a\\b=staff",
        "/=staff",
        "a/\x07=staff",
        "**/../a=staff",
    ],
)
def test_what_is_no_rule_is_refused(written: str):
    with pytest.raises(InvalidInput, match="--access"):
        rules_written([written], trusted=False)


@pytest.mark.parametrize(
    "who",
    [
        "staff:bogus",
        "staff:internal:x",
        "staff:intern",
        "staff:Internall",
        "staff:public:",
        ":bogus",
        "staff:internal,board",
        "staff:internal,board:customer",
        "board,staff:custmer",
        "team:red",
        "staff:internal:public",
        "zendesk:segment:custmer",
        "github:acme/app:internl",
    ],
)
def test_a_misspelt_level_is_no_tag(who: str):
    with pytest.raises(InvalidInput, match="level"):
        rules_written([f"internal/**={who}"], trusted=False)


@pytest.mark.parametrize(
    ("who", "says"),
    [
        ("team:red:public", "team:red:public"),
        ("team:red,board:internal", "board,team:red:internal"),
        ("github:acme/app", "github:acme/app:public"),
        ("confluence:group:internal:customer", "confluence:group:internal:customer"),
        ("confluence:group:intern:customer", "confluence:group:intern:customer"),
        ("discourse:category:staff,github:acme/app:Internal", "discourse:category:staff,github:acme/app:internal"),
    ],
)
def test_a_tag_may_hold_colons(who: str, says: str):
    found = rules_written([f"internal/**={who}"], trusted=False).access(ALL, ["internal/a.md"])
    assert f"{','.join(sorted(found.acl))}:{found.level.label}" == says


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# A\n", False),
        ("---\ntitle: A\n---\n# A\n", False),
        ("---\nacl: [staff]\n---\n# A\n", False),
        ("---\nlevel: restricted\n---\n# A\n", False),
        ("---\nkind: note\n---\n# A\n", False),
        ("---\nacl: [everyone]\n---\n# A\n", True),
        ("---\nacl: [partners]\n---\n# A\n", True),
        ("---\nlevel: public\n---\n# A\n", True),
    ],
)
def test_who_asks_for_more_readers_and_who_does_not(text: str, told: bool):
    bound = replace(ALL, acl=frozenset({"staff"}), level=Level.INTERNAL, bound=True)
    found = items_of(text.encode(), "a.md", media_type="text/markdown", access=bound)
    assert any("asks for more readers" in str(one) for one in found) is told


def test_rules_that_lost_their_documents():
    rules = rules_written(["internal/**=staff", "b/**=x", "never/**=x"], trusted=False)
    rules.see(["b/a.md"])
    assert rules.lost(["internal/a.md", "Internal/b/c.md", "b/z.md", "open/x.md"]) == ["internal/**"]
    assert (rules.fit().met, rules.fit().unmet) == (("b/**",), ("internal/**", "never/**"))
    rules.see(["internal/new.md"])
    assert rules.lost(["internal/a.md"]) == []


@pytest.mark.parametrize("twins", [("a/**=x", "A=y"), ("a/=x", "./a/**=y"), ("b/../a=x", "a/=y")])
def test_two_rules_of_one_folder_are_refused(twins: tuple[str, str]):
    with pytest.raises(InvalidInput, match="twice"):
        rules_written(twins, trusted=False)


def test_a_wildcard_cannot_take_long():
    rules = rules_written(["*a" * 200 + "/**=x", "**/*/" * 50 + "**/z=x"], trusted=False)
    assert rules.access(ALL, ["a" * 4_000 + "b/c", "/".join("a" * 2_000)]) == ALL


def test_rules_that_fit_nothing_are_told():
    rules = rules_written(["internal/**=staff", "intrenal/**=staff", "a/**=x"], trusted=False)
    rules.access(ALL, ["internal/a.md"])
    rules.see(["a/b.md"])
    assert [said for said in rules.unmet() if "'intrenal/**'" in said] == rules.unmet()


def test_without_rules_nothing_changes():
    assert AccessRules().access(ALL, ["internal/a.md"]) is ALL


# --- folders ---------------------------------------------------------------------------------------------------------


def taken(folder: Path, *rules: str, trusted: bool = False, access: Access = ALL) -> dict[str, str]:
    files = FilesSource(
        [folder],
        kind=access.kind,
        acl=access.acl,
        level=access.level,
        map={},
        bytes_max=100_000,
        name="src",
        rules=rules_written(rules, trusted=trusted),
    )
    items = [item for item in files._walk() if isinstance(item, SourceItem)]
    return {i.item_id.removeprefix("src/"): f"{','.join(sorted(i.acl))}:{i.level.label}" for i in items}


def tree(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_a_folder_has_rules_and_its_pages_may_only_narrow(tmp_path: Path):
    tree(
        tmp_path,
        a_md="Open.",
        internal__a_md="Closed.",
        internal__wide_md="---\nacl: everyone\nlevel: public\n---\nWide.",
        internal__narrow_md="---\nacl: [staff]\nlevel: restricted\n---\nNarrow.",
        internal__other_md="---\nacl: [board]\n---\nOther.",
        free_md="---\nacl: [board]\n---\nWithout a rule.",
        internal__t_csv="id,text,acl,level\n1,A row,everyone,public\n2,B row,board,\n",
    )
    assert taken(tmp_path, "internal/**=staff,partners:internal") == {
        "a.md": "everyone:public",
        "internal/a.md": "partners,staff:internal",
        "internal/wide.md": "partners,staff:internal",
        "internal/narrow.md": "staff:restricted",
        "internal/other.md": ":internal",
        "free.md": "board:public",
        "internal/t.csv#1": "partners,staff:internal",
        "internal/t.csv#2": ":internal",
    }


def test_a_trusted_page_may_widen(tmp_path: Path):
    tree(tmp_path, internal__wide_md="---\nacl: everyone\nlevel: public\n---\nWide.")
    assert taken(tmp_path, "internal/**=staff:internal", trusted=True) == {"internal/wide.md": "everyone:public"}


def test_a_link_is_seen_by_who_may_see_both_places(tmp_path: Path):
    tree(tmp_path, internal__a_md="Closed.", open__b_md="Open.")
    (tmp_path / "open" / "way.md").symlink_to(tmp_path / "internal" / "a.md")
    (tmp_path / "open" / "folder").symlink_to(tmp_path / "internal")
    (tmp_path / "internal" / "way.md").symlink_to(tmp_path / "open" / "b.md")
    found = taken(tmp_path, "internal/**=staff:internal")
    # Through two links, and open at both ends.
    opened_up = {name for name in found if found[name] == "everyone:public"}
    assert opened_up == {"open/b.md", "open/folder/way.md"}
    assert {found[name] for name in found if name not in opened_up} == {"staff:internal"} and len(found) == 6


def test_the_root_may_be_a_link(tmp_path: Path):
    tree(tmp_path, real__internal__a_md="Closed.")
    (tmp_path / "root").symlink_to(tmp_path / "real")
    assert taken(tmp_path / "root", "internal/**=staff") == {"internal/a.md": "staff:public"}


def test_an_open_page_takes_in_nothing_of_a_closed_folder(tmp_path: Path):
    tree(tmp_path, internal__a_md="Closed words.", open__page_md='Before.\n\n--8<-- "internal/a.md"\n')
    tree(tmp_path, internal__page_md='Before.\n\n--8<-- "open/in.md"\n', open__in_md="Open words.")
    files = FilesSource(
        [tmp_path], kind=ALL.kind, acl=ALL.acl, level=ALL.level, map={}, bytes_max=9_999,
        rules=rules_written(["internal/**=staff:internal"], trusted=False),
    )  # fmt: skip
    texts = {one.item_id.split("/", 1)[1]: one.raw.decode() for one in files._walk() if isinstance(one, SourceItem)}
    assert "Closed words" not in texts["open/page.md"]
    assert "Open words" in texts["internal/page.md"]


def test_what_is_taken_in_is_told_by_its_place_whatever_the_root_is(tmp_path: Path):
    """A root that is a link, and files that a glob met, lie beside what they take in."""
    page, part = '# Page\n\n--8<-- "{}"\n', "Words of the part."
    tree(tmp_path, real__page_md=page.format("parts/open.md"), real__parts__open_md=part)
    tree(tmp_path, real__shut_md=page.format("internal/part.md"), real__internal__part_md=part)
    (tmp_path / "link").symlink_to("real")
    for root in (tmp_path / "real", tmp_path / "link", tmp_path / "real" / "*.md"):
        for rules in ((), ("internal/**=staff",)):
            files = FilesSource(
                [root],
                kind=ALL.kind,
                acl=ALL.acl,
                level=ALL.level,
                map={},
                bytes_max=9_999,
                rules=rules_written(rules, trusted=False),
            )
            found = {one.item_id.rsplit("/", 1)[-1]: one.raw for one in files._walk() if isinstance(one, SourceItem)}
            assert part.encode() in found["page.md"], root
            assert (part.encode() in found["shut.md"]) is not bool(rules), root


async def test_a_source_tells_of_rules_that_fit_nothing(tmp_path: Path):
    docs = tree(tmp_path / "docs", internal__a_md="A.", b_md="B.")
    rules = [{"path": "internal/", "acl": ["staff"], "level": "internal"}, {"path": "intrenal/**", "acl": ["staff"]}]
    said = await hear(opened("folder", tmp_path, path=str(docs), access=rules))
    assert {name: sorted(one.acl) for name, one in said.items.items()} == {
        "internal/a.md": ["staff"],
        "b.md": [EVERYONE],
    }
    assert len(said.alerts) == 1 and "intrenal/**" in said.alerts[0] and not said.keeps
    assert said.complete == ["src/"]


@pytest.mark.parametrize(
    "rules",
    [
        [{"path": "../x"}],
        [{"path": "a", "level": "secret"}],
        [{"path": "a", "acls": ["x"]}],
        [{"acl": ["x"]}],
        [{"path": "a"}, {"path": "A/"}],
        [{"path": "a", "acl": [""]}],
        "nothing",
        [{"path": "a"}] * 300,
    ],
)
def test_rules_of_a_source_are_checked(tmp_path: Path, rules: object):
    with pytest.raises(InvalidInput):
        checked_config("folder", {"path": str(tmp_path), "access": rules})


def test_rules_may_come_as_written_in_a_shell(tmp_path: Path):
    config = checked_config("folder", {"path": str(tmp_path), "access": ["a/../internal=staff+board:internal"]})
    assert config["access"] == [{"path": "internal", "acl": ["staff", "board"], "level": "internal"}]
    assert checked_config("folder", config) == config


def test_a_tag_is_not_taken_for_another_one(tmp_path: Path):
    assert who("x/a.md", "x=c++,r&d") == "c++,r&d:public"
    for written in ("x=c++", "x=staff++board", "x=staff,+board"):
        with pytest.raises(InvalidInput, match="empty tag"):
            checked_config("folder", {"path": str(tmp_path), "access": [written]})
    with pytest.raises(InvalidInput, match="empty tag"):
        who("x/a.md", "x=staff,,board")


# --- looked at once, at the end --------------------------------------------------------------------------------------


def ingested(*paths: str | Path, rules: tuple[str, ...], trusted: bool = False) -> dict[str, str]:
    files = FilesSource(
        paths, kind=ALL.kind, acl=ALL.acl, level=ALL.level, map={}, bytes_max=9_999,
        rules=rules_written(rules, trusted=trusted),
    )  # fmt: skip
    items = [item for item in files._walk() if isinstance(item, SourceItem)]
    return {i.item_id: f"{','.join(sorted(i.acl))}:{i.level.label}" for i in items}


CLOSED = ("internal/**=staff:internal",)


def test_held_back_links_over_links(tmp_path: Path):
    tree(tmp_path, internal__a_md="A.", open__b_md="B.")
    (tmp_path / "open" / "one.md").symlink_to("two.md")
    (tmp_path / "open" / "two.md").symlink_to(Path("..") / "internal" / "a.md")
    found = taken(tmp_path, *CLOSED)
    assert found["open/one.md"] == found["open/two.md"] == "staff:internal"


def test_held_back_a_table_behind_a_link(tmp_path: Path):
    tree(tmp_path, internal__t_csv="id,text\n1,One.\n")
    (tmp_path / "t.csv").symlink_to(tmp_path / "internal" / "t.csv")
    assert set(taken(tmp_path, *CLOSED).values()) == {"staff:internal"}


def test_held_back_several_roots_have_the_same_rules(tmp_path: Path):
    for name in ("one", "two"):
        tree(tmp_path / name, internal__a_md="A.", b_md="B.")
    found = ingested(tmp_path / "one", tmp_path / "two", rules=CLOSED)
    assert {name for name, one in found.items() if one == "staff:internal"} == {
        "one/internal/a.md", "two/internal/a.md",
    }  # fmt: skip


def test_held_back_a_glob_is_below_where_it_starts(tmp_path: Path):
    tree(tmp_path, docs__internal__a_md="A.", docs__b_md="B.")
    found = ingested(f"{tmp_path}/docs/**/*.md", rules=CLOSED)
    assert found == {"a.md": "staff:internal", "b.md": "everyone:public"}


def test_held_back_nobody_stays_nobody(tmp_path: Path):
    tree(tmp_path, internal__a_md="---\nacl: everyone\n---\nA.", open__b_md="---\nacl: []\n---\nB.")
    assert taken(tmp_path, "internal/**=", "open/**=everyone") == {"internal/a.md": ":public", "open/b.md": ":public"}


def test_held_back_rows_may_widen_where_they_are_trusted(tmp_path: Path):
    tree(tmp_path, internal__t_jsonl='{"id": 1, "text": "A", "acl": ["everyone"], "level": "public"}\n')
    assert taken(tmp_path, *CLOSED, trusted=True) == {"internal/t.jsonl#1": "everyone:public"}


def test_held_back_an_include_inside_an_include(tmp_path: Path):
    tree(
        tmp_path,
        open__page_md='--8<-- "open/part.md"\n',
        open__part_md='Open.\n\n--8<-- "internal/a.md"\n',
        internal__a_md="Closed words.",
    )
    files = FilesSource(
        [tmp_path], kind=ALL.kind, acl=ALL.acl, level=ALL.level, map={}, bytes_max=9_999,
        rules=rules_written(CLOSED, trusted=False),
    )  # fmt: skip
    texts = {one.item_id.split("/", 1)[1]: one.raw.decode() for one in files._walk() if isinstance(one, SourceItem)}
    assert "Open." in texts["open/page.md"] and "Closed words" not in texts["open/page.md"]


def test_held_back_names_that_are_no_utf8(tmp_path: Path):
    (tmp_path / "internal").mkdir()
    Path(str(tmp_path / "internal") + "/b\udcff.md").write_text("B.")
    assert set(taken(tmp_path, *CLOSED).values()) == {"staff:internal"}


def test_held_back_toml_and_odd_front_matter_cannot_widen(tmp_path: Path):
    tree(
        tmp_path,
        internal__a_md='+++\nACL = ["everyone"]\nLevel = "public"\n+++\nA.',
        internal__b_md="---\n{acl: everyone, level: public}\n---\nB.",
    )
    assert set(taken(tmp_path, *CLOSED).values()) <= {"staff:internal"}


def test_held_back_a_folder_of_the_same_name_in_other_letters(tmp_path: Path):
    tree(tmp_path, INTERNAL__a_md="A.")
    (tmp_path / unicodedata.normalize("NFD", "InternÄl")).mkdir()
    (tmp_path / unicodedata.normalize("NFD", "InternÄl") / "b.md").write_text("B.")
    assert set(taken(tmp_path, "internal=staff", "internäl=staff").values()) == {"staff:public"}


@pytest.mark.parametrize("renamed", [False, True])
async def test_a_folder_says_which_rules_fit_before_its_documents(tmp_path: Path, renamed: bool):
    docs = tree(tmp_path / "docs", internal__a_md="# A", b_md="# B")
    if renamed:
        (docs / "internal").rename(docs / "open")
    said = await hear(opened("folder", tmp_path, path=str(docs), access=["internal/**=staff:internal"]))
    first, *rest = said.changes
    assert isinstance(first, RulesFit)
    rules = ("internal/**",)
    assert (first.met, first.unmet) == (((), rules) if renamed else (rules, ()))
    assert len([one for one in rest if isinstance(one, SourceItem)]) == 2
    assert any("fits no document" in str(one) for one in rest) is renamed
