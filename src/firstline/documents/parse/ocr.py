"""What stands on pages that are pictures? Asked of a `TextFromImage`, such as a command line, page by page.

What it cannot read is told and loses nothing: the pages that hold text are taken all the same.
"""

from __future__ import annotations

import shlex
import sys
import time
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from firstline.documents.parse.limited import CANNOT_START, Limits, run_limited
from firstline.errors import InvalidInput, NotAccepted, Unavailable
from firstline.ports import TextFromImage

GIB: Final = 1024**3
TEXT_BYTES_MAX: Final = 1024 * 1024
PNG_BYTES_MAX: Final = 64 * 1024 * 1024
PAGES_MAX: Final = 200
DOCUMENT_S_MAX: Final = 600.0
PROBLEM_CHARS_MAX: Final = 200
FAILURES_IN_A_ROW_MAX: Final = 3
ODD_SHARE_MAX: Final = 0.1
"""Of the signs of a page. Bytes at random that happen to be UTF-8 have twice as many, what is printed on paper none."""
_NO_TEXT: Final = frozenset({"Cc", "Cn", "Co", "Cs"})
_SPACES: Final = frozenset("\t\n\v\f\r")
_DRAW: Final = Limits(memory_bytes=3 * GIB, cpu_s=60, output_bytes=PNG_BYTES_MAX, seconds=60.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class OcrLimits:
    """Of one document. `seconds` on the clock, drawing included."""

    pages_max: int = PAGES_MAX
    seconds: float = DOCUMENT_S_MAX


class OcrCommand:
    """Implements `ports.TextFromImage` by a command that takes a PNG on standard input and says the text as UTF-8 on
    standard output, such as `tesseract - -`."""

    def __init__(self, command: str, *, seconds: float = 60.0) -> None:
        """InvalidInput when it cannot be split into words as a shell would."""
        self._arguments = command_words(command)
        self._limits = Limits(
            # The clock ends what hangs; this what spins on several cores.
            memory_bytes=3 * GIB,
            cpu_s=max(1, int(4 * seconds)),
            output_bytes=TEXT_BYTES_MAX,
            seconds=seconds,
        )

    def read(self, image: bytes) -> str:
        ended = run_limited(self._arguments, image, self._limits)
        said = ended.complained.decode("utf-8", "replace").strip().splitlines()
        why = " ".join("".join(sign for sign in said[-1] if sign.isprintable()).split()) if said else ""
        if ended.code == CANNOT_START:
            raise Unavailable(
                f"The program {self._arguments[0]!r} cannot be started ({why[:PROBLEM_CHARS_MAX]}).",
                remedy="Install it, or correct the setting `ocr_command`.",
            )
        if ended.code is None:
            raise NotAccepted(f"it took longer than {self._limits.seconds:.0f} s", remedy="Raise `ocr_page_s`.")
        if ended.code != 0:
            told = f": {why[:PROBLEM_CHARS_MAX]}" if why else ""
            raise NotAccepted(f"the program ended with {ended.code}{told}", remedy="Try `ocr_command` on the page.")
        try:
            return ended.said.decode("utf-8")
        except UnicodeDecodeError:
            raise NotAccepted(
                "what the program said is not UTF-8", remedy="Let `ocr_command` say its text in UTF-8."
            ) from None


def command_words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InvalidInput(
            f"{command!r} is no command line: {error}.", remedy="Write it like `tesseract - -`."
        ) from None
    if not words:
        raise InvalidInput("The command for text recognition is empty.", remedy="Write it like `tesseract - -`.")
    return words


@dataclass(kw_only=True)
class Recognised:
    """By page from 1: what was read, and why another was not. `untried` were left because of a limit, or because
    nothing could be read any more."""

    texts: dict[int, str] = field(default_factory=dict[int, str])
    problems: dict[int, str] = field(default_factory=dict[int, str])
    empty: list[int] = field(default_factory=list[int])
    untried: list[int] = field(default_factory=list[int])
    why_untried: str = ""


def recognised(raw: bytes, pages: Sequence[int], *, reader: TextFromImage, limits: OcrLimits) -> Recognised:
    """Read these pages of a PDF, in order. Never raises what a page is to blame for."""
    found = Recognised()
    ends = time.monotonic() + limits.seconds
    in_a_row = 0
    for place, page in enumerate(pages):
        found.why_untried = _why_no_more(place, in_a_row, ends, limits)
        if found.why_untried:
            found.untried = list(pages[place:])
            break
        try:
            text = _legible(reader.read(_drawn(raw, page)).strip("\f\n\r "))
        except NotAccepted as error:
            found.problems[page] = error.message
            in_a_row += 1
            continue
        except Unavailable as error:
            found.why_untried, found.untried = str(error), list(pages[place:])
            break
        in_a_row = 0
        if text:
            found.texts[page] = text
        else:
            found.empty.append(page)
    return found


def _legible(text: str) -> str:
    """NotAccepted when it is no text: a picture or a program's own format, taken for one."""
    odd = sum(unicodedata.category(sign) in _NO_TEXT or sign == "\ufffd" for sign in text if sign not in _SPACES)
    if odd > ODD_SHARE_MAX * len(text):
        raise NotAccepted("what was read is mostly control signs", remedy="Try `ocr_command` on the page.")
    return text


def _why_no_more(place: int, in_a_row: int, ends: float, limits: OcrLimits) -> str:
    if place >= limits.pages_max:
        return f"no more than {limits.pages_max:,} pages of a document are recognised"
    if time.monotonic() > ends:
        return f"recognising took longer than {limits.seconds:.0f} s"
    return f"{in_a_row} pages in a row could not be recognised" if in_a_row >= FAILURES_IN_A_ROW_MAX else ""


def _drawn(raw: bytes, page: int) -> bytes:
    ended = run_limited([sys.executable, "-P", "-m", "firstline.documents.parse.pdf_images", str(page - 1)], raw, _DRAW)
    if ended.code != 0 or not ended.said:
        raise NotAccepted("the page cannot be drawn", remedy="Save the file anew.")
    return ended.said
