"""A key is made once, is whole for whoever reads it, and a damaged one signs nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from firstline.errors import Broken
from firstline.kept_keys import KEY_BYTES, kept_key


def test_all_who_ask_at_once_get_the_same_whole_key(tmp_path: Path) -> None:
    path = tmp_path / "widget.key"
    with ThreadPoolExecutor(16) as pool:
        keys = set(pool.map(lambda _: kept_key(path), range(64)))
    assert len(keys) == 1 and len(keys.pop()) == KEY_BYTES
    assert [one.name for one in tmp_path.iterdir()] == ["widget.key"]
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("held", [b"", b"short", b"x" * (KEY_BYTES + 1)])
def test_a_damaged_key_is_refused_and_left_as_it_is(tmp_path: Path, held: bytes) -> None:
    path = tmp_path / "certificate.key"
    path.write_bytes(held)
    with pytest.raises(Broken):
        kept_key(path)
    assert path.read_bytes() == held
