"""Draws one page of a PDF from standard input as a grey PNG on standard output.

Run as `python -m firstline.documents.parse.pdf_images PAGE` (from 0), within limits (`limited`): a crash or a kill ends
this process only. Exit code 3: it cannot be drawn.
"""

from __future__ import annotations

import struct
import sys
import zlib
from typing import Any, Final

DOTS_PER_INCH: Final = 200
POINTS_PER_INCH: Final = 72
PIXELS_MAX: Final = 25_000_000
CANNOT_DRAW: Final = 3


def main() -> None:
    import pypdfium2  # pyright: ignore[reportMissingTypeStubs] it ships none

    try:
        # The library's types are half told.
        page: Any = pypdfium2.PdfDocument(sys.stdin.buffer.read())[int(sys.argv[1])]
        width, height = page.get_size()
        scale = DOTS_PER_INCH / POINTS_PER_INCH
        pixels = width * height * scale * scale
        if pixels > PIXELS_MAX:
            scale *= (PIXELS_MAX / pixels) ** 0.5
        bitmap = page.render(scale=scale, grayscale=True)
    except pypdfium2.PdfiumError:
        sys.exit(CANNOT_DRAW)
    sys.stdout.buffer.write(png(bytes(bitmap.buffer), width=bitmap.width, height=bitmap.height, stride=bitmap.stride))


def png(grey: bytes, *, width: int, height: int, stride: int) -> bytes:
    """One byte a pixel, rows `stride` bytes apart."""
    rows = b"".join(b"\0" + grey[row * stride : row * stride + width] for row in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 3)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in parts
    )


if __name__ == "__main__":
    main()
