"""Import presets: a person's choices, remembered for files of the same shape."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from qhub_desktop.core.codec import pack, unpack
from qhub_desktop.core.dataset import ImportChoices
from qhub_desktop.data.columns import versionless_name

FILE = "choices.json"
PRESETS_LIMIT = 100  # shapes; the oldest goes first


@dataclass(frozen=True, slots=True)
class Preset:
    """The import choices of a person for sheets of one shape.

    A shape is the names in the header and the row that it stands in. `row` is the header's last row
    in the file, from 1. Where there is none, `row` is 0, `names` are as many empty names as the
    first row has cells, and `file` is the file's name without dates and versions: a width alone
    would take the header from every table that has as many columns.
    """

    names: tuple[str, ...]
    row: int
    choices: ImportChoices
    file: str = ""

    @property
    def key(self) -> tuple[tuple[str, ...], int, str]:
        """The shape: what tells a preset from others."""
        return self.names, self.row, self.file


@dataclass(frozen=True, slots=True)
class _PresetFile:
    shapes: tuple[Preset, ...] = ()


def load(folder: Path) -> tuple[Preset, ...]:
    """Return all presets, the latest first."""
    try:
        return unpack(_PresetFile, json.loads((folder / FILE).read_text(encoding="utf-8"))).shapes
    except (FileNotFoundError, ValueError):
        return ()


def save(folder: Path, shape: Preset) -> None:
    """Save a preset in place of the one for the same shape; automatic choices delete it."""
    others = [each for each in load(folder) if each.key != shape.key]
    kept = others if shape.choices == ImportChoices() else [shape, *others]
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f"{FILE}.new"
    draft.write_text(
        json.dumps(pack(_PresetFile(tuple(kept[:PRESETS_LIMIT]))), ensure_ascii=False),
        encoding="utf-8",
    )
    draft.replace(folder / FILE)


def preset_of(
    head: Sequence[Sequence[str]], row: int | None, choices: ImportChoices, *, file: str
) -> Preset:
    """Return the preset for sheets that begin like `head`; `row` is the header, from 1."""
    row = row or 0
    place = max(row, 1) - 1
    names = tuple(" ".join(cell.split()) for cell in head[place]) if place < len(head) else ()
    if not row:
        return Preset(("",) * len(names), row, choices, versionless_name(Path(file).stem))
    return Preset(without_trailing_blanks(names), row, choices)


def without_trailing_blanks(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names without empty ones at the end."""
    last = max((place for place, name in enumerate(names) if name), default=-1)
    return names[: last + 1]
