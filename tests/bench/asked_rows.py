"""The data sets that are asked about, repeated with small differences until they are long."""

import random
import re
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from tests.nlq.questions.question import FILES

_DECIMALS = re.compile(r"-?\d+[.,]\d+")


def lengthen(name: str, folder: Path, *, rows: int) -> Path:
    """A text file of `rows` rows made from the rows of a file that is asked about."""
    source, target = FILES / name, folder / f"{Path(name).stem}.csv"
    if source.suffix == ".xlsx":
        frame, separator = _plain(pd.read_excel(source, engine="openpyxl")), ","
    else:
        encoding = _encoding(source)
        with source.open(encoding=encoding) as file:
            separator = ";" if ";" in file.readline() else ","
        frame = pd.read_csv(source, sep=separator, dtype=str, encoding=encoding).fillna("")
    rng = random.Random(name)
    columns = {each: _repeated(frame[each].tolist(), rows, rng) for each in frame.columns}
    pd.DataFrame(columns).to_csv(target, sep=separator, index=False, encoding="utf-8")
    return target


def _encoding(source: Path) -> str:
    try:
        source.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8-sig"


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """The cells as text, whole numbers without a point."""
    made = {}
    for name in frame.columns:
        cells = frame[name]
        known = cells.dropna()
        if pd.api.types.is_float_dtype(cells) and (known == known.round()).all():
            cells = cells.astype("Int64")
        if pd.api.types.is_datetime64_any_dtype(cells):
            cells = cells.dt.strftime("%Y-%m-%d")
        made[name] = ["" if pd.isna(cell) else str(cell) for cell in cells]
    return pd.DataFrame(made)


def _repeated(cells: Sequence[str], rows: int, rng: random.Random) -> list[str]:
    """The cells over and over: numbers of rows go on, the last decimal of others changes."""
    is_number_of_row = all(cell.isdigit() for cell in cells) and len(set(cells)) == len(cells)
    if is_number_of_row:
        first = int(cells[0])
        return [str(first + place) for place in range(rows)]
    return [_jittered(cells[place % len(cells)], rng) for place in range(rows)]


def _jittered(cell: str, rng: random.Random) -> str:
    return cell[:-1] + rng.choice("0123456789") if _DECIMALS.fullmatch(cell) else cell
