"""PDF files made for tests: words placed by hand, in three faces, with an outline."""

from __future__ import annotations

from collections.abc import Sequence

Word = tuple[float, float, float, str, str]
"""Left edge and base line in points from below, size, face (F1 Helvetica, F2 its bold, F3 Courier), text."""


def pdf_of(pages: Sequence[Sequence[Word]], outline: Sequence[tuple[str, int]] = (), *, alt: str = "") -> bytes:
    """`outline`: titles with the page from 0, all of one depth. `alt`: what a picture on the first page says."""
    objects: dict[int, bytes] = {}
    first = 10
    kids = [first + 2 * number for number in range(len(pages))]
    after = first + 2 * len(pages)
    objects[3] = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    objects[4] = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold>>"
    objects[5] = b"<</Type/Font/Subtype/Type1/BaseFont/Courier>>"
    for number, words in enumerate(pages):
        drawn = "\n".join(
            f"BT /{face} {size} Tf {left} {base} Td ({text.translate({40: '', 41: '', 92: ''})}) Tj ET"
            for left, base, size, face, text in words
        )
        figure = "\n/Figure <</MCID 0>> BDC 1 1 5 5 re f EMC" if alt and number == 0 else ""
        stream = (drawn + figure).encode("latin-1")
        objects[kids[number]] = (
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents {kids[number] + 1} 0 R/StructParents {number}"
            "/Resources<</Font<</F1 3 0 R/F2 4 0 R/F3 5 0 R>>>>>>"
        ).encode()
        objects[kids[number] + 1] = b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream)
    objects[2] = f"<</Type/Pages/Kids[{' '.join(f'{kid} 0 R' for kid in kids)}]/Count {len(kids)}>>".encode()
    catalog = "<</Type/Catalog/Pages 2 0 R"
    if outline:
        entries = [after + index for index in range(len(outline))]
        catalog += "/Outlines 6 0 R"
        objects[6] = f"<</Type/Outlines/First {entries[0]} 0 R/Last {entries[-1]} 0 R/Count {len(entries)}>>".encode()
        for index, (title, page) in enumerate(outline):
            near = f"/Next {entries[index + 1]} 0 R" if index + 1 < len(entries) else ""
            near += f"/Prev {entries[index - 1]} 0 R" if index else ""
            objects[entries[index]] = f"<</Title({title})/Parent 6 0 R{near}/Dest[{kids[page]} 0 R/Fit]>>".encode()
    if alt:
        catalog += "/StructTreeRoot 7 0 R/MarkInfo<</Marked true>>"
        objects[7] = b"<</Type/StructTreeRoot/K 8 0 R/ParentTree 9 0 R>>"
        objects[8] = f"<</Type/StructElem/S/Figure/P 7 0 R/Pg {kids[0]} 0 R/Alt({alt})/K 0>>".encode()
        objects[9] = b"<</Nums[0 [8 0 R]]>>"
    objects[1] = (catalog + ">>").encode()
    return _file(objects)


def paragraph(top: float, *lines: str, size: float = 11, face: str = "F1", left: float = 60) -> list[Word]:
    """Lines below each other. Closer than their letters are high they would lie upon each other, and equal ones would
    be one line to a reader: that is how some programs print in bold."""
    leading = max(14, 1.25 * size)
    return [(left, top - leading * index, size, face, line) for index, line in enumerate(lines)]


def _file(objects: dict[int, bytes]) -> bytes:
    out = bytearray(b"%PDF-1.7\n")
    places: dict[int, int] = {}
    for number in sorted(objects):
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, objects[number])
    start = len(out)
    last = max(objects)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (last + 1)
    for number in range(1, last + 1):
        out += b"%010d 00000 n \n" % places[number] if number in places else b"0000000000 00000 f \n"
    out += b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (last + 1, start)
    return bytes(out)
