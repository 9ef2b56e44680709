"""Sources: the file that a reader is given, what it gives back, refusals with their next step."""

import zipfile
from collections.abc import Callable, Iterable
from dataclasses import field
from pathlib import Path

from qhub_desktop.core.documents import OcrUse
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import file_name, gettext_noop
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass
from qhub_desktop.knowledge.passages import Block

MOST_BYTES = 200 * 2**20
MOST_PAGES = 3_000
MOST_UNPACKED = 500 * 2**20
MOST_RATIO = 200  # of a whole package; text packs to a tenth, an empty sheet to a hundredth
MOST_PARTS = 20_000
MOST_ATTACHMENTS = 200
HEAD_BYTES = 4_096

# Sheets of a workbook or table: a name, and all rows from the first on, blank ones too, each with
# its cells' texts from column A on.
SheetReader = Callable[[Path], Iterable[tuple[str, Iterable[tuple[str, ...]]]]]

DAMAGED = gettext_noop(
    "{file} is damaged, or ends too soon. Copy or export it again, and add that file."
)
LOCKED = gettext_noop(
    "{file} is protected by a password. Type it, or save the file without one, and add that."
)
WRONG_PASSWORD = gettext_noop(
    "The password of {file} is another one. Type it again, minding capitals."
)
TOO_LARGE = gettext_noop("{file} has more than 200 MB. Part it into smaller files, and add those.")
TOO_MANY_PAGES = gettext_noop(
    "{file} has more than 3,000 pages. Part it into smaller files, and add those."
)
BOMB = gettext_noop(
    "{file} would be far larger unpacked than a document is, so it was not opened. Save it again"
    " where it was made, and add that file."
)
UNSAFE = gettext_noop(
    "{file} has XML declarations (DOCTYPE) that no real document has, so it was not opened. Save it"
    " again where it was made, and add that file."
)
OLD_WORD = gettext_noop("{file} is of the Word before 2007. Save it as .docx, and add that file.")
OLD_POWERPOINT = gettext_noop(
    "{file} is of the PowerPoint before 2007. Save it as .pptx, and add that file."
)
EMPTY = gettext_noop("{file} is empty. Choose the file again once it is written.")
OTHER = gettext_noop(
    "{file} is no document that can be read here. Save it as PDF or .docx, and add that file."
)
NO_WORDS = gettext_noop("No words were found in it.")


@dataclass(frozen=True, slots=True)
class Source:
    """A file that is read, and how.

    `name` is what people call it, `attachments` the folder that files in it are written to. `tell`
    is told pages read, and of how many.
    """

    path: Path
    name: str
    ocr: OcrUse = "auto"
    password: str | None = None
    attachments: Path | None = None
    sheets: SheetReader | None = None
    tell: Callable[[int, int], None] = lambda _done, _of: None


@dataclass(frozen=True, slots=True)
class DocumentContent:
    """What a reader found: blocks in reading order, and what it noticed.

    `headers` are lines of headers and footers, which stand in no block.
    """

    format: str
    blocks: tuple[Block, ...]
    title: str = ""
    headers: tuple[str, ...] = ()
    pages: int | None = None
    warnings: tuple[str, ...] = ()
    attachments: tuple[str, ...] = field(default=())


def refusal(what: str, name: str) -> UserError:
    """Return the error with its sentence and next step, in the person's language."""
    return UserError(_(what).format(file=name))


def check_package(source: Source) -> frozenset[str]:
    """Return the names of a zip's parts. Raises UserError for a bomb, or XML with a DOCTYPE."""
    try:
        with zipfile.ZipFile(source.path) as package:
            entries = package.infolist()
            unpacked = sum(each.file_size for each in entries)
            packed = max(1, source.path.stat().st_size)
            is_bomb = unpacked > 2**20 and unpacked > packed * MOST_RATIO
            if is_bomb or unpacked > MOST_UNPACKED or len(entries) > MOST_PARTS:
                raise refusal(BOMB, source.name)
            for entry in entries:
                if entry.flag_bits & 1:
                    raise refusal(LOCKED, source.name)
                if entry.filename.lower().endswith((".xml", ".rels", ".vml")):
                    with package.open(entry) as part:
                        if b"<!DOCTYPE" in part.read(HEAD_BYTES).replace(b"\0", b""):
                            raise refusal(UNSAFE, source.name)
    except UserError:
        raise
    except Exception as error:  # zipfile and zlib raise what the bytes make them stumble over
        raise refusal(DAMAGED, source.name) from error
    return frozenset(each.filename for each in entries)


def write_attachment(source: Source, name: str, content: bytes, number: int) -> str | None:
    """Write a file that lay in this one; return its name there, or None where none is kept."""
    if source.attachments is None or number >= MOST_ATTACHMENTS or len(content) > MOST_BYTES:
        return None
    source.attachments.mkdir(parents=True, exist_ok=True)
    asked = Path(name.replace("\\", "/")).name
    made = file_name(Path(asked).stem, Path(asked).suffix)
    if (source.attachments / made).exists():
        made = file_name(f"{Path(made).stem} ({number + 1})", Path(asked).suffix)
    (source.attachments / made).write_bytes(content)
    return made
