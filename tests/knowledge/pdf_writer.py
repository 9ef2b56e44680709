"""A writer of PDF files by hand, so that a test knows where each word stands."""

import hashlib
import zlib
from dataclasses import dataclass, field
from io import BytesIO

from PIL import Image

A4 = (595.0, 842.0)
# Widths of Helvetica's letters in thousandths; others are taken for 556. Only truth about where a
# line ends needs them.
WIDTHS = {
    **dict.fromkeys("ijl'", 222), **dict.fromkeys(" ft.,:;/I!", 278), **dict.fromkeys("r-()", 333),
    **dict.fromkeys("ckssvxyz", 500), **dict.fromkeys("mM", 833), **dict.fromkeys("ABEKPSVXY", 667),
    **dict.fromkeys("CDHNRUw", 722), **dict.fromkeys("GOQ", 778), **dict.fromkeys("FTZ", 611),
    "W": 944,
}  # fmt: skip
_PADDING = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")


def width(text: str, size: float) -> float:
    """How wide a text is in Helvetica, in points; nearly."""
    return sum(WIDTHS.get(letter, 556) for letter in text) * size / 1_000


@dataclass
class PdfPage:
    """What is drawn on a page, in points from the bottom left, as PDF counts."""

    size: tuple[float, float] = A4
    turn: int = 0
    crop: tuple[float, float, float, float] | None = None
    operations: list[str] = field(default_factory=list)
    pictures: list[Image.Image] = field(default_factory=list)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        size: float = 10,
        bold: bool = False,
        turned: int = 0,
    ) -> None:
        """Write words with their baseline from (x, y), turned by quarters counter-clockwise."""
        escaped = words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        cos, sin = [(1, 0), (0, 1), (-1, 0), (0, -1)][turned]
        self.operations.append(
            f"BT /{'F2' if bold else 'F1'} {size} Tf {cos} {sin} {-sin} {cos} {x} {y} Tm"
            f" ({escaped}) Tj ET"
        )

    def line(self, x1: float, y1: float, x2: float, y2: float) -> None:
        """Draw a line."""
        self.operations.append(f"0.5 w {x1} {y1} m {x2} {y2} l S")

    def table(
        self, x: float, y: float, widths: list[float], rows: list[list[str]], *, height: float = 18
    ) -> float:
        """Draw a table with borders from its top left; return where it ends."""
        for number, row in enumerate(rows):
            left = x
            for cell, cell_width in zip(row, widths, strict=True):
                self.text(left + 4, y - number * height - height + 6, cell, bold=number == 0)
                left += cell_width
        bottom = y - len(rows) * height
        for number in range(len(rows) + 1):
            self.line(x, y - number * height, x + sum(widths), y - number * height)
        for number in range(len(widths) + 1):
            left = x + sum(widths[:number])
            self.line(left, y, left, bottom)
        return bottom

    def picture(self, image: Image.Image) -> None:
        """Fill the page with a picture."""
        self.pictures.append(image)
        name = len(self.pictures)
        self.operations.append(f"q {self.size[0]} 0 0 {self.size[1]} 0 0 cm /I{name} Do Q")


def pdf_bytes(
    pages: list[PdfPage], *, title: str = "", labels: str = "", password: str = ""
) -> bytes:
    """The file. `labels` is the inside of a /Nums array, `password` locks it (40 bits)."""
    objects: list[bytes] = []

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    identity = hashlib.md5(b"qhub", usedforsecurity=False).digest()
    key = _key(password, identity) if password else b""

    def stream(entries: str, content: bytes) -> int:
        number = len(objects) + 1
        packed = zlib.compress(content) if "DCTDecode" not in entries else content
        packed = _rc4(_object_key(key, number), packed) if key else packed
        flate = "" if "DCTDecode" in entries else "/Filter /FlateDecode "
        head = f"<< {entries} {flate}/Length {len(packed)} >>\nstream\n".encode()
        return add(head + packed + b"\nendstream")

    fonts = [
        add(
            f"<< /Type /Font /Subtype /Type1 /BaseFont /{name}"
            " /Encoding /WinAnsiEncoding >>".encode()
        )
        for name in ("Helvetica", "Helvetica-Bold")
    ]
    # The tree of pages comes after them, so its number is known only by counting what each adds.
    tree = len(objects) + sum(2 + len(page.pictures) for page in pages) + 1
    kids = []
    for page in pages:
        drawn = []
        for image in page.pictures:
            packed = BytesIO()
            image.convert("RGB").save(packed, "JPEG", quality=85)
            drawn.append(
                stream(
                    f"/Type /XObject /Subtype /Image /Width {image.width} /Height {image.height}"
                    " /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode",
                    packed.getvalue(),
                )
            )
        content = stream("", "\n".join(page.operations).encode("cp1252", "replace"))
        named = " ".join(f"/I{place} {number} 0 R" for place, number in enumerate(drawn, 1))
        crop = f" /CropBox [{' '.join(map(str, page.crop))}]" if page.crop else ""
        kids.append(
            add(
                f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 {page.size[0]} {page.size[1]}]"
                f"{crop} /Rotate {page.turn} /Contents {content} 0 R /Resources << /Font"
                f" << /F1 {fonts[0]} 0 R /F2 {fonts[1]} 0 R >>"
                f" /XObject << {named} >> >> >>".encode()
            )
        )
    listed = " ".join(f"{kid} 0 R" for kid in kids)
    assert add(f"<< /Type /Pages /Kids [{listed}] /Count {len(kids)} >>".encode()) == tree
    numbering = f" /PageLabels << /Nums [{labels}] >>" if labels else ""
    root = add(f"<< /Type /Catalog /Pages {tree} 0 R{numbering} >>".encode())
    named = title.encode("utf-16-be").hex()
    info = add(f"<< /Title <feff{named}> >>".encode()) if title and not key else 0
    lock = add(_lock(password, key)) if key else 0
    made = b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(made))
        made += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    table = len(made)
    made += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    made += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    more = (f" /Info {info} 0 R" if info else "") + (f" /Encrypt {lock} 0 R" if lock else "")
    made += (
        f"trailer\n<< /Size {len(objects) + 1} /Root {root} 0 R{more}"
        f" /ID [<{identity.hex()}> <{identity.hex()}>] >>\nstartxref\n{table}\n%%EOF\n"
    ).encode()
    return made


# The standard security handler, revision 2 (PDF 1.4, 3.5).


def _rc4(key: bytes, content: bytes) -> bytes:
    state = list(range(256))
    other = 0
    for place in range(256):
        other = (other + state[place] + key[place % len(key)]) % 256
        state[place], state[other] = state[other], state[place]
    made = bytearray()
    place = other = 0
    for byte in content:
        place = (place + 1) % 256
        other = (other + state[place]) % 256
        state[place], state[other] = state[other], state[place]
        made.append(byte ^ state[(state[place] + state[other]) % 256])
    return bytes(made)


def _md5(content: bytes) -> bytes:
    return hashlib.md5(content, usedforsecurity=False).digest()


def _owner(password: str) -> bytes:
    padded = (password.encode("latin-1") + _PADDING)[:32]
    return _rc4(_md5(padded)[:5], padded)


def _key(password: str, identity: bytes) -> bytes:
    padded = (password.encode("latin-1") + _PADDING)[:32]
    return _md5(padded + _owner(password) + (0xFFFFFFFC).to_bytes(4, "little") + identity)[:5]


def _object_key(key: bytes, number: int) -> bytes:
    return _md5(key + number.to_bytes(3, "little") + b"\0\0")[:10]


def _lock(password: str, key: bytes) -> bytes:
    owner, user = _owner(password), _rc4(key, _PADDING)
    return f"<< /Filter /Standard /V 1 /R 2 /O <{owner.hex()}> /U <{user.hex()}> /P -4 >>".encode()
