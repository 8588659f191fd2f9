"""The curve as files."""

import csv
import json
import struct
import sys
from pathlib import Path

import pytest
from tests.evals.test_calibrate import WANTED, clean

from firstline.evals.calibrate import Chosen, Wanted, choose
from firstline.evals.calibration_files import as_text, chosen_in_words, draw, write_files

BAND = Wanted(max_wrong=0.05, max_wrong_unsure=0.2, certainty=0.9)
ABOUT = {"knowledge base": "docs, snapshot 3"}


def chosen(wanted: Wanted = WANTED) -> Chosen:
    return choose(clean(100, 50), wanted)


def test_the_curve_is_written_as_data_and_text(tmp_path: Path) -> None:
    found = chosen()
    write_files(tmp_path / "new" / "folder", found, WANTED, about=ABOUT)
    folder = tmp_path / "new" / "folder"
    record = json.loads((folder / "curve.json").read_text("utf-8"))
    assert record["thresholds"] == found.thresholds and record["about"] == ABOUT
    assert len(record["curve"]) == len(found.curve)
    with (folder / "curve.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["bound"]) for row in rows] == [point.bound for point in found.curve]
    assert sum(int(row["holds"]) for row in rows) == sum(point.holds for point in found.curve) > 1
    coverage = [float(row["coverage"]) for row in rows]
    assert coverage == sorted(coverage), "from strict to lax"


def test_the_text_shows_what_was_chosen() -> None:
    text = as_text(chosen(), WANTED, about=ABOUT)
    assert "knowledge base: docs, snapshot 3" in text
    assert "confidence gate 0." in text and "#" in text and "no answer is shown with a disclaimer" in text
    assert max(map(len, text.splitlines()[-40:])) <= 120
    band = chosen(BAND)
    assert f"unsure gate {band.thresholds['unsure']:.4f}" in chosen_in_words(band, BAND)
    assert band.thresholds["unsure"] < band.thresholds["confidence"]


@pytest.mark.parametrize("wanted", [WANTED, BAND])
def test_the_picture_is_a_png_of_its_size(wanted: Wanted, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the `plot` extra, which `dev` brings, is not installed")
    path = tmp_path / "curve.png"
    assert draw(path, chosen(wanted), wanted)
    data = path.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) > 5_000
    assert struct.unpack(">II", data[16:24]) == (960, 600)


def test_without_the_plotting_library_the_rest_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert write_files(tmp_path, chosen(), WANTED, about=ABOUT) is False
    assert sorted(path.name for path in tmp_path.iterdir()) == ["curve.csv", "curve.json", "curve.txt"]
