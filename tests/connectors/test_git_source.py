"""Git repositories as sources: real ones, read from disk and over HTTP."""

from __future__ import annotations

import asyncio
import base64
import os
import subprocess
import time
from collections import namedtuple
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from opened import Said, hear, opened
from site_server import Asked, Says, Site, serving

from firstline.connectors.gitrepo import program, repository
from firstline.connectors.kinds import checked_config
from firstline.domain import Complete, Level, RulesFit
from firstline.errors import Broken, Forbidden, InvalidInput, Unauthenticated, Unavailable

Usage = namedtuple("Usage", "total used free")
ENVIRONMENT = {
    **{name: os.environ[name] for name in ("PATH",)},
    "HOME": "/nonexistent",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "someone@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


class Work:
    """A repository that is worked on."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.git("init", "--quiet", "--initial-branch=main", ".")

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.folder, env=ENVIRONMENT, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self, **files: str | None) -> str:
        """Write files (`a__b_md` is a/b.md), delete those that are None, and commit."""
        return self.write({name.replace("__", "/").replace("_", "."): text for name, text in files.items()})

    def write(self, files: dict[str, str | None]) -> str:
        for name, text in files.items():
            path = self.folder / name
            if text is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", "work")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def work(tmp_path: Path) -> Work:
    made = Work(tmp_path / "work")
    made.commit(README_md="# Read me\n\nHello.", docs__a_md="# A\n\nAlpha.", docs__b_md="# B\n\nBeta.", docs__c_png="x")
    return made


async def sync(work: Work, tmp_path: Path, cursor: str | None = None, **options: object) -> Said:
    said = await hear(opened("git", tmp_path, url=str(work.folder), **options), cursor)
    if said.error:
        raise said.error
    return said


async def test_the_first_time_everything_is_read(work: Work, tmp_path: Path):
    said = await sync(work, tmp_path)
    assert set(said.items) == {"README.md", "docs/a.md", "docs/b.md"}
    assert said.texts["docs/a.md"] == "# A\n\nAlpha."
    assert (said.complete, said.cursor) == (["src/"], work.git("rev-parse", "HEAD"))


async def test_without_a_new_commit_nothing_is_said(work: Work, tmp_path: Path):
    first = await sync(work, tmp_path)
    assert (await sync(work, tmp_path, first.cursor)).changes == []


async def test_a_commit_tells_what_changed_and_what_is_gone(work: Work, tmp_path: Path):
    first = await sync(work, tmp_path)
    work.commit(docs__a_md="# A\n\nAnother alpha.", docs__b_md=None, docs__d_md="# D\n\nDelta.", docs__e_png="y")
    said = await sync(work, tmp_path, first.cursor)
    assert set(said.items) == {"docs/a.md", "docs/d.md"}
    assert (said.removed, said.complete) == ({"docs/b.md"}, [])
    assert said.cursor == work.git("rev-parse", "HEAD")


async def test_several_commits_are_one_difference(work: Work, tmp_path: Path):
    first = await sync(work, tmp_path)
    work.commit(docs__a_md="One.")
    work.commit(docs__x_md="Comes and goes.")
    work.commit(docs__x_md=None, docs__a_md="Two.")
    said = await sync(work, tmp_path, first.cursor)
    assert (said.texts, said.removed) == ({"docs/a.md": "Two."}, set())


async def test_a_file_that_moves_is_gone_there_and_new_here(work: Work, tmp_path: Path):
    first = await sync(work, tmp_path)
    work.git("mv", "docs/a.md", "docs/z.md")
    work.commit()
    said = await sync(work, tmp_path, first.cursor)
    assert (set(said.items), said.removed) == ({"docs/z.md"}, {"docs/a.md"})


async def test_a_file_that_becomes_a_link_is_gone(work: Work, tmp_path: Path):
    first = await sync(work, tmp_path)
    (work.folder / "docs" / "a.md").unlink()
    (work.folder / "docs" / "a.md").symlink_to("/etc/passwd")
    work.commit()
    said = await sync(work, tmp_path, first.cursor)
    assert (set(said.items), said.removed) == (set(), {"docs/a.md"})
    assert "docs/a.md" not in (await sync(work, tmp_path)).items


async def test_a_history_that_was_rewritten_is_compared_all_the_same(work: Work, tmp_path: Path):
    first = await sync(work, tmp_path)
    work.git("checkout", "--quiet", "--orphan", "fresh")
    work.commit(docs__a_md="Rewritten.")
    work.git("branch", "--quiet", "-f", "main")
    said = await sync(work, tmp_path, first.cursor, branch="main")
    assert set(said.items) == {"docs/a.md"}


@pytest.mark.parametrize("cursor", ["0" * 40, "no commit", "--upload-pack=x", ""])
async def test_a_place_that_is_not_known_means_everything(work: Work, tmp_path: Path, cursor: str):
    said = await sync(work, tmp_path, cursor)
    assert (len(said.items), said.complete) == (3, ["src/"])


async def test_when_most_is_deleted_the_whole_list_is_told(work: Work, tmp_path: Path):
    first = await sync(work, tmp_path)
    work.commit(README_md=None, docs__a_md=None)
    said = await sync(work, tmp_path, first.cursor)
    assert (said.removed, said.complete, set(said.items)) == (set(), ["src/"], {"docs/b.md"})


async def test_a_branch_and_a_subfolder(work: Work, tmp_path: Path):
    work.git("checkout", "--quiet", "-b", "next")
    work.commit(docs__n_md="# N\n\nNew.")
    said = await sync(work, tmp_path, branch="next", subfolder="docs/")
    assert set(said.items) == {"a.md", "b.md", "n.md"}
    work.commit(docs__n_md="Newer.", README_md="Elsewhere.")
    again = await sync(work, tmp_path, said.cursor, branch="next", subfolder="docs/")
    assert set(again.items) == {"n.md"}


@pytest.mark.parametrize(
    ("options", "match"), [({"branch": "nope"}, "no such branch"), ({"subfolder": "nope"}, "has no folder")]
)
async def test_what_is_not_there_is_said(work: Work, tmp_path: Path, options: dict[str, str], match: str):
    said = await hear(opened("git", tmp_path, url=str(work.folder), **options))
    assert isinstance(said.error, Broken) and match in str(said.error)
    assert said.changes == []


async def test_a_subfolder_that_goes_with_its_last_file_is_an_empty_list(work: Work, tmp_path: Path):
    said = await sync(work, tmp_path, subfolder="docs")
    work.write(dict.fromkeys(work.git("ls-files", "docs").split()))
    again = await sync(work, tmp_path, said.cursor, subfolder="docs")
    assert (again.error, again.removed, again.items, again.complete) == (None, set(), {}, ["src/"])
    assert not any(one.certain for one in again.changes if isinstance(one, Complete))
    work.commit(README_md="More.")
    later = await sync(work, tmp_path, again.cursor, subfolder="docs")
    assert (later.error, later.items, later.complete) == (None, {}, ["src/"])
    work.commit(docs__back_md="# Back")
    back = await sync(work, tmp_path, later.cursor, subfolder="docs")
    assert set(back.items) == {"back.md"}


async def test_a_subfolder_that_became_a_file_is_an_empty_list(work: Work, tmp_path: Path):
    said = await sync(work, tmp_path, subfolder="docs")
    work.write(dict.fromkeys(work.git("ls-files", "docs").split()))
    (work.folder / "docs").rmdir()
    work.write({"docs": "A file now."})
    again = await sync(work, tmp_path, said.cursor, subfolder="docs")
    assert (again.error, again.removed, again.complete) == (None, set(), ["src/"])


async def test_what_takes_more_than_its_room_is_given_up_and_leaves_nothing(work: Work, tmp_path: Path):
    said = await sync(work, tmp_path, mib_max=1)
    assert said.error is None and said.items
    (work.folder / "noise.bin").write_bytes(os.urandom(3 * 1024 * 1024))
    work.commit(docs__more_md="# More")
    full = await hear(opened("git", tmp_path, url=str(work.folder), mib_max=1), said.cursor)
    assert isinstance(full.error, Broken) and "more than 1 MiB" in str(full.error) and full.changes == []
    left = sum(path.stat().st_size for path in (tmp_path / "place").rglob("*") if path.is_file())
    assert left < 100_000, "neither a copy nor half of a pack stays"
    again = await sync(work, tmp_path, said.cursor, mib_max=20)
    assert again.error is None and "docs/more.md" in again.items


async def test_a_disk_that_is_nearly_full_ends_the_fetch(work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(program.shutil, "disk_usage", lambda path: Usage(10**12, 10**12, 1_000))
    full = await hear(opened("git", tmp_path, url=str(work.folder)))
    assert isinstance(full.error, Broken) and "no room on the disk" in str(full.error)
    assert not (tmp_path / "place" / "repository").exists()


async def test_half_a_pack_of_a_run_that_was_killed_is_cleared_away(work: Work, tmp_path: Path):
    said = await sync(work, tmp_path)
    left = tmp_path / "place" / "repository" / "objects" / "pack" / "tmp_pack_Xy12"
    left.write_bytes(b"x" * 1_000)
    work.commit(docs__more_md="# More")
    again = await sync(work, tmp_path, said.cursor)
    assert again.error is None and not left.exists()


@pytest.mark.parametrize(("version", "refused"), [("2.36.9", True), ("2.37.0", False), ("3.0", False), ("what", True)])
async def test_a_git_that_cannot_be_held_to_an_address_reads_nothing_from_afar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, refused: bool
):
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "git").write_text(f"#!/bin/sh\n[ $1 = version ] && echo git version {version} && exit 0\nexit 1\n")
    (tools / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    # An address that is nobody's, looked up by nobody: it stands for a public one.
    said = await hear(opened("git", tmp_path, url="https://93.184.216.34/x.git"))
    assert said.error is not None and ("cannot be held" in str(said.error)) is refused
    if refused:
        assert isinstance(said.error, Broken) and "2.37" in str(said.error)


async def test_a_renamed_folder_leaves_its_rule_before_its_pages_come_back(work: Work, tmp_path: Path):
    work.commit(docs__internal__a_md="# A\n\nText.\n")
    rules = ["docs/internal/**=staff:internal"]
    said = await sync(work, tmp_path, access=rules)
    assert said.changes[0] == RulesFit(met=("docs/internal/**",), unmet=())
    work.git("mv", "docs/internal", "docs/open")
    work.git("commit", "-qm", "renamed")
    later = await sync(work, tmp_path, said.cursor, access=rules)
    assert later.changes[0] == RulesFit(met=(), unmet=("docs/internal/**",))
    assert set(later.items) == {"docs/open/a.md"} and later.removed == {"docs/internal/a.md"}


async def test_folders_have_rules(work: Work, tmp_path: Path):
    work.write(
        {"docs/internal/a.md": "Closed.", "docs/internal/t.csv": "id,text\n1,One.\n", "Docs/Internal/b.md": "B."}
    )
    rules = [{"path": "docs/internal", "acl": ["staff"], "level": "internal"}, {"path": "nowhere/**", "acl": ["x"]}]
    said = await sync(work, tmp_path, access=rules)
    closed = {
        name for name, one in said.items.items() if (one.acl, one.level) == (frozenset({"staff"}), Level.INTERNAL)
    }
    assert closed == {"docs/internal/a.md", "docs/internal/t.csv#1", "Docs/Internal/b.md"}
    assert len(said.alerts) == 1 and "nowhere/**" in said.alerts[0] and not said.keeps
    work.commit(docs__a_md="# Changed")
    later = await sync(work, tmp_path, said.cursor, access=rules[:1])
    assert (later.alerts, set(later.items)) == ([], {"docs/a.md"}), "a rule of what did not change fits all the same"


async def test_a_rule_that_fits_nothing_is_told_with_every_sync(work: Work, tmp_path: Path):
    rules = [{"path": "docs/intrenal", "acl": ["staff"]}]
    said = await sync(work, tmp_path, access=rules)
    later = await sync(work, tmp_path, said.cursor, access=rules)
    assert said.alerts == later.alerts and len(later.alerts) == 1 and not later.keeps
    assert (later.items, later.removed, later.complete, later.cursor) == ({}, set(), [], said.cursor)


async def test_a_repository_of_a_few_bytes_that_lists_millions_of_files_is_given_up(
    work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Ten trees of which each names the one before it a hundred times."""

    def made(*command: str, said: str) -> str:
        done = subprocess.run(
            ["git", *command], cwd=work.folder, env=ENVIRONMENT, input=said, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    inner = made("mktree", said=f"100644 blob {made('hash-object', '-w', '--stdin', said='Hello.')}\ta.md\n")
    for _ in range(10):
        inner = made("mktree", said="".join(f"040000 tree {inner}\t{number:02}\n" for number in range(100)))
    work.git("update-ref", "refs/heads/main", work.git("commit-tree", inner, "-m", "much"))
    monkeypatch.setattr(program, "LIST_BYTES_MAX", 3_000_000)
    monkeypatch.setattr(repository, "LOCAL_S_MAX", 30.0)
    began = time.monotonic()
    said = await hear(opened("git", tmp_path, url=str(work.folder)))
    assert isinstance(said.error, Broken) and "too many files" in str(said.error), said.error
    assert not said.changes and time.monotonic() - began < 20


async def test_what_git_complains_of_at_length_is_cut_and_does_not_stop_it(tmp_path: Path):
    class Chatty(program.Git):
        async def start(self, *arguments: str) -> asyncio.subprocess.Process:
            script = "i=0; while [ $i -lt 40000 ]; do echo not found $i >&2; i=$((i+1)); done; echo done; exit 0"
            pipe = asyncio.subprocess.PIPE
            return await asyncio.create_subprocess_exec("sh", "-c", script, stdin=pipe, stdout=pipe, stderr=pipe)

    assert await Chatty(folder=tmp_path).run("version", timeout_s=20) == b"done\n"


async def test_a_place_without_a_repository_is_said(tmp_path: Path):
    said = await hear(opened("git", tmp_path, url=str(tmp_path)))
    assert isinstance(said.error, Broken) and "no repository" in str(said.error)


async def test_tables_lose_their_rows_with_them(work: Work, tmp_path: Path):
    work.write({"t.csv": "id,text\n1,One.\n2,Two.\n"})
    first = await sync(work, tmp_path)
    assert {"t.csv#1", "t.csv#2"} <= set(first.items)
    work.write({"t.csv": "id,text\n2,Two.\n3,Three.\n"})
    second = await sync(work, tmp_path, first.cursor)
    assert (set(second.items), second.complete) == ({"t.csv#2", "t.csv#3"}, ["src/t.csv#"])
    work.write({"t.csv": None})
    third = await sync(work, tmp_path, second.cursor)
    assert (set(third.items), third.complete) == (set(), ["src/t.csv#"])


async def test_what_cannot_be_read_is_a_failure(work: Work, tmp_path: Path):
    work.write(
        {
            "lfs.md": "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n",
            "large.md": "x" * 5_000,
            "bad.pdf": "no pdf",
            "front.md": "---\nlevel: nobody\n---\nText.",
            ".hidden/x.md": "Hidden.",
        }
    )
    said = await hear(opened("git", tmp_path, bytes_max=4_000, url=str(work.folder)))
    assert set(said.failures) == {"lfs.md", "large.md", "bad.pdf", "front.md"}
    assert ".hidden/x.md" not in said.items and "README.md" in said.items


async def test_pages_link_to_where_they_are_shown(work: Work, tmp_path: Path):
    said = await sync(work, tmp_path, link="https://docs.example/{stem}")
    assert said.items["docs/a.md"].url == "https://docs.example/docs/a"
    assert said.items["README.md"].url == "https://docs.example/"


async def test_a_copy_that_is_damaged_is_made_anew(work: Work, tmp_path: Path):
    first = await sync(work, tmp_path)
    copy = tmp_path / "place" / "repository"
    (copy / "HEAD").write_text("nonsense")
    (copy / "shallow.lock").write_text("")
    work.commit(docs__a_md="After.")
    said = await sync(work, tmp_path, first.cursor)
    assert said.texts["docs/a.md"] == "After."


async def test_a_copy_that_lacks_a_content_is_made_anew(work: Work, tmp_path: Path):
    await sync(work, tmp_path)
    blob = work.git("hash-object", "docs/a.md")
    (tmp_path / "place" / "repository" / "objects" / blob[:2] / blob[2:]).unlink()
    assert len((await sync(work, tmp_path)).items) == 3


async def test_a_lock_left_by_a_run_that_was_killed_is_no_obstacle(work: Work, tmp_path: Path):
    first = await sync(work, tmp_path)
    (tmp_path / "place" / "repository" / "shallow.lock").write_text("")
    work.commit(docs__a_md="After.")
    assert set((await sync(work, tmp_path, first.cursor)).items) == {"docs/a.md"}


async def test_hooks_and_settings_of_a_repository_do_nothing(work: Work, tmp_path: Path):
    await sync(work, tmp_path)
    touched = tmp_path / "touched"
    copy = tmp_path / "place" / "repository"
    hook = copy / "hooks" / "reference-transaction"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {touched}\n")
    hook.chmod(0o755)
    work.commit(docs__a_md="After.")
    await sync(work, tmp_path)
    assert not touched.exists()


# --- over HTTP -------------------------------------------------------------------------------------------------------


async def backend(folder: Path, asked: Asked) -> Says:
    """git's own server program, as a web server would call it."""
    query = "&".join(f"{name}={value}" for name, value in asked.query.items())
    environment = {
        **ENVIRONMENT,
        "GIT_PROJECT_ROOT": str(folder),
        "GIT_HTTP_EXPORT_ALL": "1",
        "REQUEST_METHOD": asked.method,
        "PATH_INFO": asked.path,
        "QUERY_STRING": query,
        "CONTENT_TYPE": asked.headers.get("content-type", ""),
        "CONTENT_LENGTH": str(len(asked.body)),
        "HTTP_CONTENT_ENCODING": asked.headers.get("content-encoding", ""),
        "HTTP_GIT_PROTOCOL": asked.headers.get("git-protocol", ""),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "safe.directory",
        "GIT_CONFIG_VALUE_0": "*",
    }
    process = await asyncio.create_subprocess_exec(
        *("git", "http-backend"),
        env=environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    said, _ = await process.communicate(asked.body)
    head, _, body = said.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
    status = int(headers.pop("Status", "200").split()[0])
    return Says(status=status, body=body, headers=headers)


@pytest.fixture
async def site(work: Work) -> AsyncGenerator[Site]:
    async with serving() as started:
        started.otherwise = lambda asked: backend(work.folder.parent, asked)
        yield started


async def test_a_repository_over_http(site: Site, work: Work, tmp_path: Path):
    url = f"{site.url}/work/.git"
    said = await hear(opened("git", tmp_path, url=url, allow_private=True))
    assert (said.error, set(said.items)) == (None, {"README.md", "docs/a.md", "docs/b.md"})
    work.commit(docs__a_md="After.", docs__b_md=None)
    again = await hear(opened("git", tmp_path, url=url, allow_private=True), said.cursor)
    assert (again.texts, again.removed) == ({"docs/a.md": "After."}, {"docs/b.md"})


async def test_a_token_goes_along_and_into_no_file(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GIT_TEST_TOKEN", "hush-hush")
    url = f"{site.url}/work/.git"
    said = await hear(opened("git", tmp_path, url=url, token="env:GIT_TEST_TOKEN", allow_private=True))
    assert said.error is None
    basic = base64.b64encode(b"x-access-token:hush-hush").decode()
    assert {asked.headers.get("authorization") for asked in site.asked} == {f"Basic {basic}"}
    kept = b"".join(path.read_bytes() for path in (tmp_path / "place").rglob("*") if path.is_file())
    assert b"hush-hush" not in kept and basic.encode() not in kept


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Says(status=401, headers={"WWW-Authenticate": "Basic"}), Unauthenticated),
        (Says(status=403), Unauthenticated),
        (Says(status=404), Broken),
        (Says(status=500), Unavailable),
        (Says(status=302, headers={"Location": "http://localhost:1/elsewhere"}), (Forbidden, Unavailable)),
        (Says(body="<html>log in</html>", headers={"Content-Type": "text/html"}), (Broken, Unavailable)),
        (Says(hang_up=True), Unavailable),
    ],
    ids=["401", "403", "404", "500", "moved", "login page", "hang up"],
)
async def test_accidents_say_nothing_and_what_to_do(site: Site, tmp_path: Path, answer: Says, kind: type[Exception]):
    site.otherwise = answer
    said = await hear(opened("git", tmp_path, url=f"{site.url}/work/.git", allow_private=True))
    assert isinstance(said.error, kind), said.error
    assert said.changes == []


async def test_a_server_that_hangs_is_given_up(site: Site, tmp_path: Path):
    async def hang(asked: Asked) -> Says:
        await asyncio.sleep(60)
        return Says()

    site.otherwise = hang
    source = opened("git", tmp_path, url=f"{site.url}/work/.git", allow_private=True, timeout_s=10)
    source._config = source._config.model_copy(update={"timeout_s": 0.5})  # type: ignore[attr-defined]
    said = await asyncio.wait_for(hear(source), 5)
    assert isinstance(said.error, Unavailable) and "did not finish" in str(said.error)


async def test_nothing_inside_is_read_unless_allowed(site: Site, tmp_path: Path):
    said = await hear(opened("git", tmp_path, url=f"{site.url}/work/.git"))
    assert isinstance(said.error, Forbidden)
    assert site.asked == []


@pytest.mark.parametrize(
    "options",
    [
        {"url": "ssh://git.example/x"},
        {"url": "https://me:hush@git.example/x.git"},
        {"url": "https://git.example/x.git", "branch": "--upload-pack=touch"},
        {"url": "https://git.example/x.git", "subfolder": "../etc"},
        {"url": "https://git.example/x.git", "token": "ghp_abcdefghijklmnopqrstuvwxyz0123456789"},
    ],
)
def test_hostile_options_are_refused(options: dict[str, str]):
    with pytest.raises(InvalidInput) as raised:
        checked_config("git", options)
    assert "hush" not in str(raised.value) and "ghp_" not in str(raised.value)
