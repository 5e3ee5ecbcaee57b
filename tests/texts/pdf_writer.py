"""Small PDF files for tests: lines of text at places of a page."""

from __future__ import annotations

from collections.abc import Sequence


def pdf(pages: Sequence[Sequence[tuple[int, int, str]]]) -> bytes:
    """A file with (x, y, text) on each page, 600 x 800 points."""
    parts = ["<< /Type /Catalog /Pages 2 0 R >>", ""]
    kids = []
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    for lines in pages:
        drawn = "".join(f"BT /F1 10 Tf 1 0 0 1 {x} {y} Tm ({text}) Tj ET\n" for x, y, text in lines)
        number = len(parts) + 1
        kids.append(f"{number} 0 R")
        parts.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {number + 1} 0 R "
            f"/Resources << /Font << /F1 {font} >> >> >>"
        )
        parts.append(f"<< /Length {len(drawn)} >>\nstream\n{drawn}endstream")
    parts[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    out, offsets = "%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{part}\nendobj\n"
    table = "".join(f"{one:010d} 00000 n \n" for one in offsets)
    start = len(out)
    out += f"xref\n0 {len(parts) + 1}\n0000000000 65535 f \n{table}"
    out += f"trailer << /Size {len(parts) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    return out.encode("latin-1")
