"""The embedded server under bad luck: killed, shared, crowded out, closed in, too new."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

import psycopg
import pytest

from firstline.engines.postgres import open_postgres
from firstline.engines.postgres.account import Account, check_reachable
from firstline.engines.postgres.configuration import SOCKET_PATH_BYTES_MAX
from firstline.engines.postgres.marker import FORMAT, mark
from firstline.engines.postgres.migrate import Migration, migrate, read_migrations
from firstline.engines.postgres.pool import connect
from firstline.engines.postgres.server import WATCHDOG, EmbeddedServer, PidFile
from firstline.errors import Broken, Conflict, DataTooNew, FirstlineError, InvalidInput, Unavailable

ROOT = os.geteuid() == 0

HOLD = """
import asyncio, sys
from pathlib import Path
from firstline.engines.postgres import open_postgres

async def main():
    async with open_postgres(data_folder=Path(sys.argv[1]), database_url="") as ledgers:
        await ledgers.knowledge.open_candidate(tenant="t", kb="b", embedder_id="e")
        async with ledgers.knowledge.ingest_lock(tenant="t", kb="b"):
            print("holding", flush=True)
            await asyncio.to_thread(sys.stdin.read)

asyncio.run(main())
"""


@pytest.fixture
def empty() -> Generator[Path]:
    """pytest's own folders are closed to all but their owner, and Postgres run by root is another user."""
    made = new_folder()
    yield made
    for pid_file in made.rglob("postmaster.pid"):
        found = PidFile.read(pid_file.parent)
        if found is not None and cwd_of(found.pid) == pid_file.parent:
            os.kill(found.pid, signal.SIGQUIT)
            wait_until_gone(found.pid)
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="session")
def template() -> Generator[Path]:
    """A data folder that was used once: copying it is much quicker than setting up another."""
    made = new_folder()
    server = EmbeddedServer(made)
    server.open()
    server.close()
    yield made
    shutil.rmtree(made)


@pytest.fixture
def folder(empty: Path, template: Path) -> Path:
    subprocess.run(["cp", "-a", f"{template}/.", str(empty)], check=True)
    return empty


def new_folder() -> Path:
    made = Path(tempfile.mkdtemp(prefix="firstline-fault-"))
    made.chmod(0o711)
    return made


def cwd_of(pid: int) -> Path | None:
    try:
        return Path(f"/proc/{pid}/cwd").readlink()
    except OSError:
        return None


def wait_until_gone(pid: int) -> None:
    for _ in range(500):
        if cwd_of(pid) is None:
            return
        time.sleep(0.02)
    pytest.fail(f"process {pid} is still there")


def postmaster(folder: Path) -> int:
    found = PidFile.read(folder / "postgres" / "data")
    assert found is not None
    return found.pid


def is_running(folder: Path) -> bool:
    return EmbeddedServer(folder).is_alive()


def holder(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "holding\n"
    return process


def finish(process: subprocess.Popen[str], *, kill: bool = False) -> None:
    if kill:
        process.kill()
    process.communicate()


def value(conninfo: str, query: bytes) -> object:
    with psycopg.connect(conninfo, autocommit=True) as connection:
        cursor = connection.execute(query)
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None


async def test_two_processes_share_the_server_and_the_last_stops_it(folder: Path) -> None:
    other = await asyncio.to_thread(holder, folder)
    async with open_postgres(data_folder=folder, database_url="") as ledgers:
        first = postmaster(folder)
        with pytest.raises(Conflict, match=f"process {other.pid} on "):
            async with ledgers.knowledge.ingest_lock(tenant="t", kb="b"):
                pytest.fail("two holders")
        await asyncio.to_thread(finish, other)
        assert await ledgers.database_size_bytes() > 1_000_000, "the other's end leaves the server to us"
        async with ledgers.knowledge.ingest_lock(tenant="t", kb="b"):
            assert postmaster(folder) == first
    assert not is_running(folder)


async def test_a_killed_holder_frees_the_lock_for_another_user(folder: Path) -> None:
    other = await asyncio.to_thread(holder, folder)
    async with open_postgres(data_folder=folder, database_url="") as ledgers:
        shared = postmaster(folder)
        await asyncio.to_thread(finish, other, kill=True)
        async with ledgers.knowledge.ingest_lock(tenant="t", kb="b"):
            assert await ledgers.knowledge.knowledge_bases(tenant="t") == ["b"]
        # Longer than a watchdog takes that has nobody to wait for.
        await asyncio.sleep(1)
        assert await ledgers.database_size_bytes() > 0
        assert postmaster(folder) == shared, "the other's death leaves the server to us"
    assert not is_running(folder)
    await asyncio.to_thread(wait_until_unwatched, folder)


async def test_when_the_last_user_is_killed_the_server_stops(folder: Path) -> None:
    others = [await asyncio.to_thread(holder, folder)]
    shared = postmaster(folder)
    async with open_postgres(data_folder=folder, database_url=""):
        pass
    assert postmaster(folder) == shared
    assert len(watchdogs(folder)) == 1
    await asyncio.to_thread(finish, others[0], kill=True)
    await asyncio.to_thread(wait_until_gone, shared)
    await asyncio.to_thread(wait_until_unwatched, folder)
    async with open_postgres(data_folder=folder, database_url="") as ledgers:
        assert await ledgers.knowledge.knowledge_bases(tenant="t") == ["b"], "what was committed is there"
    await asyncio.to_thread(wait_until_unwatched, folder)


def test_killed_and_started_again_at_once(folder: Path) -> None:
    """Watchdog and new user meet: one of them comes first, and the new user always gets a server."""
    for round_ in range(4):
        finish(holder(folder), kill=True)
        time.sleep(0.05 * round_)
        server = EmbeddedServer(folder)
        server.open()
        assert value(server.conninfo, b"SELECT count(*) FROM firstline.knowledge_bases") == 1
        server.close()
        assert not is_running(folder)
    wait_until_unwatched(folder)


def test_a_server_that_crashed_is_not_hunted_after(folder: Path) -> None:
    """A pid file that was left over may by now name a stranger."""
    other = holder(folder)
    pid_file = folder / "postgres" / "data" / "postmaster.pid"
    left = pid_file.read_text().splitlines()
    sleeper = subprocess.Popen(["sleep", "60"])
    try:
        os.kill(postmaster(folder), signal.SIGKILL)
        pid_file.write_text("\n".join([str(sleeper.pid), *left[1:]]) + "\n")
        finish(other, kill=True)
        wait_until_unwatched(folder)
        assert sleeper.poll() is None
    finally:
        finish_sleeper(sleeper)


def watchdogs(folder: Path) -> list[int]:
    found = list[int]()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if os.fsencode(WATCHDOG) in words and os.fsencode(folder) in words:
                    found.append(int(entry.name))
    return found


def wait_until_unwatched(folder: Path) -> None:
    deadline = time.monotonic() + 20
    while watchdogs(folder):
        assert time.monotonic() < deadline, "a watchdog stays behind"
        time.sleep(0.05)


async def test_a_killed_postmaster_comes_back_with_what_was_committed(folder: Path) -> None:
    async with open_postgres(data_folder=folder, database_url="") as ledgers:
        await ledgers.knowledge.open_candidate(tenant="t", kb="b", embedder_id="e")
        before = postmaster(folder)
        os.kill(before, signal.SIGKILL)
        await asyncio.to_thread(wait_until_gone, before)
        deadline = time.monotonic() + 30
        while not is_running(folder):
            assert time.monotonic() < deadline, "it never came back"
            await asyncio.sleep(0.05)
        # The pool may still hold dead connections; nobody is handed one.
        found = await asyncio.gather(*(ledgers.knowledge.knowledge_bases(tenant="t") for _ in range(5)))
        assert found == [["b"]] * 5
        assert postmaster(folder) != before


def test_a_postmaster_killed_between_two_runs_recovers(folder: Path) -> None:
    server = EmbeddedServer(folder)
    server.open()
    value(server.conninfo, b"CREATE TABLE kept (answer integer)")
    value(server.conninfo, b"INSERT INTO kept VALUES (42)")
    os.kill(postmaster(folder), signal.SIGKILL)
    again = EmbeddedServer(folder)
    again.open()
    assert value(again.conninfo, b"SELECT answer FROM kept") == 42
    server.close()
    assert is_running(folder), "the other still uses it"
    again.close()
    assert not is_running(folder)


@pytest.mark.parametrize("stranger", ["living", "dead", "garbage"])
def test_a_stale_pid_file_is_not_believed(folder: Path, stranger: str) -> None:
    server = EmbeddedServer(folder)
    server.open()
    pid_file = folder / "postgres" / "data" / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    server.close()
    sleeper = subprocess.Popen(["sleep", "60"], user=(folder / "postgres").stat().st_uid if ROOT else None)
    try:
        if stranger == "dead":
            finish_sleeper(sleeper)
        pid_file.write_text("garbage" if stranger == "garbage" else "\n".join([str(sleeper.pid), *lines[1:]]) + "\n")
        os.chown(pid_file, (folder / "postgres").stat().st_uid, -1)
        server.open()
        assert value(server.conninfo, b"SELECT 1") == 1
        server.close()
    finally:
        finish_sleeper(sleeper)


def finish_sleeper(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def test_an_interrupted_setup_is_begun_again(empty: Path) -> None:
    mark(empty)
    partial = empty / "postgres" / "data.partial"
    partial.mkdir(parents=True)
    (partial / "PG_VERSION").write_text("18\n")
    server = EmbeddedServer(empty)
    server.open()
    assert value(server.conninfo, b"SELECT 1") == 1
    server.close()
    assert not partial.exists()


def test_a_path_too_long_for_a_socket(empty: Path) -> None:
    deep = empty / ("long" * 20) / ("name" * 20)
    deep.mkdir(parents=True)
    server = EmbeddedServer(deep)
    server.open()
    host = psycopg.conninfo.conninfo_to_dict(server.conninfo)["host"]
    assert len(f"{host}/.s.PGSQL.5432") <= SOCKET_PATH_BYTES_MAX
    assert Path(str(host)).stat().st_mode & 0o077 == 0
    assert value(server.conninfo, b"SELECT 1") == 1
    server.close()
    assert not Path(str(host)).exists()


@pytest.mark.parametrize("name", ["with space", "it's", "a,b", "ünï", "100%"])
def test_a_folder_with_an_unusual_name(empty: Path, name: str) -> None:
    (empty / name).mkdir()
    server = EmbeddedServer(empty / name)
    server.open()
    assert value(server.conninfo, b"SELECT current_setting('data_directory')") == str(empty / name / "postgres/data")
    server.close()


def test_only_the_owner_can_reach_the_socket_and_nothing_listens_on_the_network(folder: Path) -> None:
    server = EmbeddedServer(folder)
    server.open()
    assert (folder / "postgres").stat().st_mode & 0o777 == 0o700
    socket = folder / "postgres" / "run" / ".s.PGSQL.5432"
    assert socket.stat().st_mode & 0o777 == 0o700
    assert value(server.conninfo, b"SELECT current_setting('listen_addresses')") == ""
    assert value(server.conninfo, b"SELECT current_setting('synchronous_commit') || current_setting('fsync')") == "onon"
    server.close()


@pytest.mark.skipif(not ROOT, reason="only root runs Postgres as another user")
def test_a_folder_that_bars_the_way_is_named(empty: Path) -> None:
    closed = empty / "home"
    closed.mkdir(mode=0o700)
    with pytest.raises(Broken, match=f"the folder {closed} is closed") as refused:
        EmbeddedServer(closed / "data").open()
    assert f"chmod o+x {closed}" in refused.value.remedy
    assert closed.stat().st_mode & 0o777 == 0o700, "never opened by us"


@pytest.mark.skipif(not ROOT, reason="only root can make a folder of another user")
def test_root_leaves_a_users_folder_to_that_user(empty: Path) -> None:
    mark(empty)
    (empty / "postgres").mkdir(mode=0o700)
    os.chown(empty / "postgres", 65534, 65534)
    server = EmbeddedServer(empty)
    server.open()
    assert Path(f"/proc/{postmaster(empty)}").stat().st_uid == 65534
    server.close()


def test_reachability_is_judged_for_the_account(empty: Path) -> None:
    empty.chmod(0o710)
    stranger = Account(uid=empty.stat().st_uid + 4321, gid=empty.stat().st_gid + 4321, name="stranger", switch=True)
    member = Account(uid=stranger.uid, gid=empty.stat().st_gid, name="member", switch=True)
    check_reachable(empty, member, what="it")
    with pytest.raises(Broken, match="stranger"):
        check_reachable(empty, stranger, what="it")


@pytest.mark.skipif(ROOT, reason="root may write everywhere")
def test_an_unwritable_folder(empty: Path) -> None:
    empty.chmod(0o500)
    with pytest.raises(Broken, match="may not be read or written"):
        EmbeddedServer(empty).open()
    empty.chmod(0o700)


@pytest.mark.parametrize(
    ("place", "said"),
    [("file", "file is a file, not a folder"), ("file/below/it", "cannot be made: .*/file is a file")],
)
def test_a_data_folder_that_is_a_file(empty: Path, place: str, said: str) -> None:
    (empty / "file").write_text("kept")
    with pytest.raises(InvalidInput, match=said) as refused:
        EmbeddedServer(empty / place).open()
    assert "--data" in refused.value.remedy
    assert (empty / "file").read_text() == "kept"


@pytest.mark.parametrize("names", [["notes.md"], ["a", "b", "c", "d"], [".bashrc"], ["postgres"]])
async def test_a_folder_of_other_things_is_left_alone(empty: Path, names: list[str]) -> None:
    for name in names:
        (empty / name).mkdir()
    for url in ("", "postgresql://127.0.0.1:1/none"):
        with pytest.raises(InvalidInput, match=f"not a data folder of firstline: it holds {names[0]}") as refused:
            async with open_postgres(data_folder=empty, database_url=url):
                pytest.fail("opened")
        assert "--data" in refused.value.remedy
    assert sorted(path.name for path in empty.iterdir()) == names


def test_a_new_file_system_and_an_interrupted_mark_are_empty_enough(empty: Path) -> None:
    (empty / "lost+found").mkdir()
    (empty / "firstline.json.x1y2").write_text("")
    mark(empty)
    mark(empty)
    assert json.loads((empty / "firstline.json").read_text()) == {"format": FORMAT}


@pytest.mark.skipif(not ROOT, reason="only root can become another user")
@pytest.mark.parametrize(
    ("place", "said"), [("data", "it may not be"), ("data/new/er", "the folder .*/data may not be")]
)
def test_a_folder_without_the_right_to_write(empty: Path, place: str, said: str) -> None:
    """Asked in a process of its own, which nobody but root could give away."""
    (empty / "data").mkdir(mode=0o555)
    asked = (
        "import os, sys; from pathlib import Path; from firstline.engines.postgres.marker import mark; "
        "os.setgid(65534); os.setuid(65534); mark(Path(sys.argv[1]))"
    )
    command = [sys.executable, "-c", asked, str(empty / place)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert re.search(f"errors.Broken: The data folder .* cannot be used: {said}", done.stderr)
    assert "--data" in done.stderr
    assert list((empty / "data").iterdir()) == []


async def test_a_data_folder_of_a_newer_format(empty: Path) -> None:
    (empty / "firstline.json").write_text(json.dumps({"format": 99}))
    for url in ("", "postgresql://127.0.0.1:1/none"):
        with pytest.raises(DataTooNew, match="format 99") as refused:
            async with open_postgres(data_folder=empty, database_url=url):
                pytest.fail("opened")
        assert "Upgrade" in refused.value.remedy
    assert not (empty / "postgres").exists()


@pytest.mark.parametrize("content", ["", "{", "[]", '{"format": "one"}', "{}", "\xff"])
def test_a_damaged_mark(empty: Path, content: str) -> None:
    (empty / "firstline.json").write_text(content, encoding="latin-1")
    with pytest.raises(Broken, match=r"firstline\.json is damaged"):
        EmbeddedServer(empty).open()


def test_a_cluster_of_another_postgres(folder: Path) -> None:
    server = EmbeddedServer(folder)
    server.open()
    server.close()
    version = folder / "postgres" / "data" / "PG_VERSION"
    version.write_text("99\n")
    with pytest.raises(DataTooNew, match="Postgres 99"):
        server.open()
    version.write_text("9\n")
    with pytest.raises(Broken, match="Postgres 9,"):
        server.open()


def test_a_server_that_cannot_start_says_why(folder: Path) -> None:
    server = EmbeddedServer(folder)
    server.open()
    server.close()
    (folder / "postgres" / "data" / "operator.conf").write_text("nonsense = 1\n")
    with pytest.raises(Broken, match="could not start"):
        server.open()
    (folder / "postgres" / "data" / "operator.conf").write_text("work_mem = '9MB'\n")
    server.open()
    assert value(server.conninfo, b"SELECT current_setting('work_mem')") == "9MB"
    server.close()


async def test_migrations_are_checked_against_the_database(folder: Path) -> None:
    server = EmbeddedServer(folder)
    await asyncio.to_thread(server.open)
    ours = read_migrations()
    extra = Migration(number=len(ours) + 1, name="more", sql=b"CREATE TABLE firstline.more (one integer)")
    changed = Migration(number=1, name="ledger", sql=b"SELECT 1")
    failing = Migration(number=len(ours) + 2, name="bad", sql=b"CREATE TABLE firstline.half (one integer); SELECT 1/0")
    async with await connect(server.conninfo, application_name="test") as connection:
        await migrate(connection, ours)
        await migrate(connection, ours)
        with pytest.raises(Broken, match="0001_ledger was applied"):
            await migrate(connection, [changed, *ours[1:]])
        with pytest.raises(psycopg.errors.DivisionByZero):
            await migrate(connection, [*ours, extra, failing])
    assert value(server.conninfo, b"SELECT to_regclass('firstline.more') IS NOT NULL") is True
    assert value(server.conninfo, b"SELECT to_regclass('firstline.half') IS NULL") is True
    with pytest.raises(DataTooNew, match=f"schema version {len(ours) + 1}"):
        async with open_postgres(data_folder=folder, database_url=""):
            pytest.fail("opened")
    await asyncio.to_thread(server.close)
    assert not is_running(folder)


async def test_processes_that_start_together_migrate_once(empty: Path) -> None:
    async def once() -> None:
        async with open_postgres(data_folder=empty, database_url="") as ledgers:
            assert await ledgers.knowledge.knowledge_bases(tenant="t") == []

    await asyncio.gather(*(once() for _ in range(6)))
    assert not is_running(empty)


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("postgresql://user:secret-word@127.0.0.1:1/none", Unavailable),
        ("postgresql://user:secret-word@/none?host=/nowhere", Unavailable),
        ("mysql://user:secret-word@127.0.0.1/none", InvalidInput),
        ("postgresql://user:secret-word@127.0.0.1:port/none", Unavailable),
    ],
)
async def test_a_url_that_leads_nowhere(empty: Path, url: str, kind: type[FirstlineError]) -> None:
    with pytest.raises(kind) as refused:
        async with open_postgres(data_folder=empty, database_url=url):
            pytest.fail("opened")
    assert "FIRSTLINE_DATABASE_URL" in str(refused.value)
    assert "secret-word" not in str(refused.value)


@pytest.mark.skipif(not ROOT, reason="only root can mount a small disk")
def test_a_full_disk(empty: Path) -> None:
    small = empty / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=20m,mode=0711", "tmpfs", str(small)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        with pytest.raises(Unavailable, match="is full") as refused:
            EmbeddedServer(small).open()
        assert "Free some space" in refused.value.remedy
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)
