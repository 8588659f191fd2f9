"""What every reader of pictures promises, and what a document loses when it breaks its word: nothing."""

from __future__ import annotations

import stat
import struct
import subprocess
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.steps.paper import Word, paragraph, pdf_of

from firstline.documents.parse import ocr as ocr_module
from firstline.documents.parse import parse
from firstline.documents.parse.ocr import OcrCommand, OcrLimits, command_words
from firstline.documents.parse.pdf import pdf_page
from firstline.documents.parse.pdf_images import png
from firstline.domain import DocumentKind, ParsedDocument, SourceItem
from firstline.errors import InvalidInput, NotAccepted, Unavailable
from firstline.ports import TextFromImage

WORDS = paragraph(700, "The pump is blue and stands in the yard.", "It runs at night.")
BLANK: list[Word] = []


def command(folder: Path, script: str, *, seconds: float = 20.0) -> OcrCommand:
    """A program that plays one for text recognition."""
    path = folder / "reader"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return OcrCommand(f"{path} - 'an argument'", seconds=seconds)


def parsed(reader: TextFromImage | None, *pages: Sequence[Word]) -> ParsedDocument:
    item = SourceItem(
        item_id="scan.pdf", kind=DocumentKind.DOCUMENTATION, media_type="application/pdf", raw=pdf_of(list(pages))
    )
    return parse(item, ocr=reader)


@pytest.fixture
def image() -> bytes:
    return png(bytes(range(200)) * 10, width=180, height=10, stride=200)


class Scripted:
    """Says what it is told, page by page."""

    def __init__(self, *says: str | Exception) -> None:
        self.says = list(says)
        self.images: list[bytes] = []

    def read(self, image: bytes) -> str:
        self.images.append(image)
        said = self.says.pop(0)
        if isinstance(said, Exception):
            raise said
        return said


# --- the command -----------------------------------------------------------------------------------------------------


def test_a_picture_goes_in_and_text_comes_out(tmp_path: Path, image: bytes):
    kept = tmp_path / "kept.png"
    reader = command(tmp_path, f'cat > {kept}; printf "Grün\\n\\nSecond ($2).\\n"')
    assert reader.read(image) == "Grün\n\nSecond (an argument).\n"
    assert kept.read_bytes() == image and image.startswith(b"\x89PNG\r\n\x1a\n")


def test_nothing_in_a_picture_is_an_answer(tmp_path: Path, image: bytes):
    assert command(tmp_path, "cat > /dev/null").read(image) == ""


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 'bad image' >&2; exit 4", "the program ended with 4: bad image"),
        ("kill -9 $$", "ended with -9"),
        ("sleep 30", "longer than 1 s"),
        ("sleep 30 & sleep 30", "longer than 1 s"),
        ("yes 'text text text' || exit 1", "ended with"),
    ],
    ids=["fails", "dies", "hangs", "hangs with a child", "never ends to speak"],
)
def test_an_accident_is_of_this_page_and_ends_in_time(tmp_path: Path, image: bytes, script: str, said: str):
    began = time.monotonic()
    with pytest.raises(NotAccepted, match=said):
        command(tmp_path, script, seconds=1.0).read(image)
    assert time.monotonic() - began < 10


def test_a_program_that_is_not_there_is_no_accident_of_a_page(image: bytes):
    with pytest.raises(Unavailable, match=r"cannot be started.*ocr_command"):
        OcrCommand("/nowhere/to/be/found - -").read(image)


@pytest.mark.parametrize("said", ["\\377\\376A", "Text \\344 of it", "\\355\\240\\200"])
def test_bytes_that_are_no_text_are_an_accident_of_this_page(tmp_path: Path, image: bytes, said: str):
    with pytest.raises(NotAccepted, match="not UTF-8"):
        command(tmp_path, f"printf '{said}'").read(image)


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ("\x00\x01\x02\x03 A pump", False),
        ("\x1bE\x1b&l\x02" * 20, False),
        ("\ufffd\ufffd\ufffd words", False),
        ("\ue000\ue001 words", False),
        ("The pump\tis blue.\r\n\x0b\x0c\n" * 3, True),
        ("Grün, 水, Ω, 🙂 and a\u00adsoft\u200bsign.", True),
        ("A long line with one \x07 bell in it, as a program may say it.", True),
    ],
)
def test_what_is_mostly_control_signs_is_an_accident_of_this_page(said: str, taken: bool):
    found = parsed(Scripted(said), WORDS, BLANK)
    assert ("mostly control signs" in found.notice) is not taken
    assert ("recognised" in found.metadata) is taken


def test_it_sees_no_secret_of_ours_and_leaves_nothing(tmp_path: Path, image: bytes, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SOURCE_TOKEN", "hush-hush")
    said = command(tmp_path, "env; pwd; echo x > left; sleep 60 & echo $!").read(image)
    assert "hush-hush" not in said and "PATH=" in said
    *_, folder, child = said.split()
    assert not Path(folder).exists()
    deadline = time.monotonic() + 5
    while (state := _state(child)) not in ("", "Z") and time.monotonic() < deadline:
        time.sleep(0.01)
    assert state in ("", "Z")


def _state(process: str) -> str:
    return subprocess.run(["ps", "-o", "stat=", "-p", process], capture_output=True, text=True).stdout.strip()[:1]


def test_memory_has_a_bound(tmp_path: Path, image: bytes):
    script = 'python3 -c "x = bytearray(5 * 1024**3); print(len(x))"'
    with pytest.raises(NotAccepted, match="MemoryError"):
        command(tmp_path, script).read(image)


@pytest.mark.parametrize("written", ["", "  ", "tesseract 'x"])
def test_what_is_no_command_line_is_refused(written: str):
    with pytest.raises(InvalidInput):
        command_words(written)


# --- a document ------------------------------------------------------------------------------------------------------


def test_pages_that_are_pictures_are_read(tmp_path: Path):
    found = parsed(command(tmp_path, 'printf "Scanned words.\\n\\nMore words of it.\\n"'), WORDS, BLANK, WORDS, BLANK)
    assert found.text.count("Scanned words.\n\nMore words of it.") == 2
    assert found.text.count("The pump is blue") == 2
    assert [found.text[start:][:5] for start in found.page_starts] == ["The p", "Scann", "The p", "Scann"]
    assert found.notice == "text recognition (OCR) read pages 2, 4" and found.metadata["recognised"] == "2, 4"


def test_a_scan_is_a_document(tmp_path: Path):
    found = parsed(command(tmp_path, 'echo "Only a picture."'), BLANK)
    assert found.text == "Only a picture.\n"
    assert "#" not in found.text


def test_each_page_is_drawn_for_itself():
    reader = Scripted("One.", "Two.")
    parsed(reader, BLANK, WORDS, BLANK)
    assert len(reader.images) == 2 and all(image.startswith(b"\x89PNG") for image in reader.images)


def test_what_fails_is_told_and_loses_nothing():
    reader = Scripted("One.", NotAccepted("too dark", remedy=""), "")
    found = parsed(reader, WORDS, BLANK, BLANK, BLANK)
    assert "The pump is blue" in found.text and "One." in found.text
    assert found.notice == (
        "2 of its 4 pages hold no text (3-4); text recognition (OCR) read page 2; "
        "text recognition could not read page 3 (page 3: too dark)"
    )


def test_one_that_cannot_be_asked_is_not_asked_again():
    reader = Scripted("One.", Unavailable("it is down", remedy="Start it."))
    found = parsed(reader, WORDS, *[BLANK] * 5)
    assert len(reader.images) == 2
    assert "One." in found.text and "did not try pages 3-6: it is down" in found.notice


def test_one_that_fails_again_and_again_is_not_asked_for_all():
    reader = Scripted(*[NotAccepted("too dark", remedy="")] * 9)
    found = parsed(reader, WORDS, *[BLANK] * 9)
    assert len(reader.images) == 3 and "did not try pages 5-10: 3 pages in a row" in found.notice


def test_pages_and_time_have_a_bound(monkeypatch: pytest.MonkeyPatch):
    raw = pdf_of([WORDS, *[BLANK] * 4])
    page = pdf_page(raw, ocr=Scripted("One.", "Two."), limits=OcrLimits(pages_max=2))
    assert "did not try pages 4-5: no more than 2 pages" in page.notice
    page = pdf_page(raw, ocr=Scripted(), limits=OcrLimits(seconds=-1.0))
    assert "did not try pages 2-5: recognising took longer" in page.notice and "The pump is blue" in page.text


def test_a_page_that_cannot_be_drawn_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ocr_module.sys, "executable", "/bin/false")
    with pytest.raises(NotAccepted, match="cannot be drawn"):
        ocr_module._drawn(b"", 1)


@pytest.mark.parametrize(
    ("reader", "said"),
    [
        (None, "contains no text.*ocr_command"),
        (Scripted(NotAccepted("too dark", remedy="")), "contains no text.*too dark"),
        (Scripted(Unavailable("it is down", remedy="Start it.")), "contains no text.*it is down"),
        (Scripted(""), "contains no text.*found none either"),
        (Scripted(" \n\f"), "contains no text.*found none either"),
    ],
)
def test_a_document_without_any_text_is_not_taken(reader: TextFromImage | None, said: str):
    with pytest.raises(NotAccepted, match=said):
        parsed(reader, BLANK)


def test_marks_and_control_signs_of_a_reader_do_no_harm():
    found = parsed(Scripted("A\ue00cB\x00C\x1b[31m\x0cD"), WORDS, BLANK)
    assert len(found.page_starts) == 2 and "\x00" not in found.text and "\x1b" not in found.text


def test_without_pictures_nobody_is_asked():
    assert "The pump" in parsed(Scripted(), WORDS).text


def test_a_page_is_drawn_as_it_looks():
    drawn = ocr_module._drawn(pdf_of([BLANK, WORDS]), 2)
    width, height = struct.unpack(">II", drawn[16:24])
    size = struct.unpack(">I", drawn[33:37])[0]
    grey = zlib.decompress(drawn[41 : 41 + size])
    assert (width, height) == (pytest.approx(595 * 200 / 72, abs=2), pytest.approx(842 * 200 / 72, abs=2))
    assert len(grey) == (width + 1) * height
    rows = [grey[row * (width + 1) + 1 : (row + 1) * (width + 1)] for row in range(height)]
    dark = [row for row, line in enumerate(rows) if min(line) < 100]
    assert dark and max(rows[0]) == 255
    # The first line stands at 700 points from below.
    assert dark[0] == pytest.approx((842 - 700) * 200 / 72, abs=40)


def test_the_folder_one_works_in_and_our_variables_are_nothing_to_who_reads_a_pdf(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A folder of documents may hold a file with the name of a module."""
    for name in ("json.py", "struct.py", "pypdfium2.py", "resource.py"):
        (tmp_path / name).write_text("raise SystemExit('a document was run')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_TOKEN", "hush-hush")
    run, told = subprocess.run, list[dict[str, str]]()

    def watched(*arguments: Any, **named: Any) -> Any:
        told.append(named["env"])
        return run(*arguments, **named)

    monkeypatch.setattr(subprocess, "run", watched)
    found = parsed(Scripted("Scanned."), WORDS, BLANK)
    assert "The pump" in found.text and "Scanned." in found.text
    assert told and all("hush-hush" not in one.values() and "PATH" in one for one in told)
