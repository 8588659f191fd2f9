"""The log of a whole command, as text and as JSON."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

CODE = """
import logging
from firstline.cli.logs import configure_logs
from firstline.turn_context import in_turn
configure_logs(level="info", form={form!r})
log = logging.getLogger("some.library")
log.info("begins\\n%s", "é")
with in_turn("s.3"):
    log.warning("in it")
    try:
        1 / 0
    except ZeroDivisionError:
        log.exception("broke")
log.debug("not asked for")
"""


def logged(form: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", CODE.format(form=form)], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    return done.stderr.splitlines()


def test_as_text_each_line_of_a_turn_names_it() -> None:
    lines = logged("text")
    assert lines[2] == "WARNING some.library: in it [turn s.3]"
    assert lines[0] == "INFO some.library: begins"
    assert not any("not asked for" in line for line in lines)


def test_as_json_each_record_is_one_line() -> None:
    begins, inside, broke = map(json.loads, logged("json"))
    assert begins["message"] == "begins\né"
    assert "turn" not in begins
    assert (inside["level"], inside["logger"], inside["turn"]) == ("warning", "some.library", "s.3")
    assert len(inside["trace_id"]) == 32
    assert inside["time"].endswith("+00:00")
    assert "ZeroDivisionError" in broke["error"]


@pytest.mark.parametrize("form", ["yaml", ""])
def test_another_form_is_refused(form: str) -> None:
    from firstline.settings import load_settings

    with pytest.raises(Exception, match="log_format"):
        load_settings(flags={"log_format": form})
