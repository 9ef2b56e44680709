"""Reading polluted CSV files blind: how much of each table comes out right.

Run it as `python -m tests.bench.bench_pollock`. The kinds of pollution, how many files of each kind
there are, how often each was met among 3,712 real files, and the ten measures are those of the
survey by Vitagliano et al., "Pollock: A Data Loading Benchmark", PVLDB 16(8), 2023. The table that
is polluted here is one of our own, so our figures can be compared with the published ones in kind,
not to the last digit. The readers beside ours read the same files in the same run. Of the 2,268
files that pollute one row each, those of five rows are made; each stands for its share.

The goal: at least as good as the best published result, DuckDB's with every parameter given.
"""

import csv
import hashlib
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from datetime import time as time_of_day
from pathlib import Path

import duckdb
import pandas as pd

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.table import quoted, sql_literal
from qhub_desktop.data.ingest.dataset_store import DatasetStore
from qhub_desktop.data.ingest.import_worker import read_into
from tests.bench.record import Figure, record

ROWS = 84
POLLUTED_ROWS = {
    0: 1.0,
    1: 83 / 4,
    6: 83 / 4,
    41: 83 / 4,
    83: 83 / 4,
}  # and how many each stands for
HEADER = ["DATE", "TIME", "Qty", "PRODUCTID", "Price", "Type", "Description", "URL", "Comments"]
PARTS = ("Filter", "Hose, reinforced", "Gasket", "Bolt, M8", "Seal", 'Pipe 3"', "Men's glove")
SENTENCES = (
    "Keeps paint dry, even at night.",
    "Made for lines that never stop; lasts for years.",
    "The operator's choice: light, strong and quick to change.",
    "Fits every pump",
    'Known as the "blue one" in the plant, for its colour.',
)
# By kind: how many of the 3,712 files of the survey show it (the benchmark's pollock_weights.json).
MET = {
    "source": 1.0,
    "no_payload": 15,
    "no_trailing_newline": 184,
    "double_trailing_newline": 5,
    "no_header": 470,
    "header_multirow_2": 47,
    "header_multirow_3": 47,
    "preamble": 282,
    "multitable_same": 188 / 3,
    "multitable_more": 188 / 3,
    "multitable_less": 188 / 3,
    "header_only": 3,
    "one_data_row": 4,
    "record_delimiter_cr": 7,
    "record_delimiter_lf": 1691,
    "field_delimiter_tab": 4,
    "field_delimiter_semicolon": 834,
    "field_delimiter_space": 4,
    "field_delimiter_comma_space": 101,
    "quotation_apostrophe": 11,
    "escape_backslash": 1,
    "escape_none": 7,
}
# The kinds with a file for each row, or row and column. A delimiter too many is taken to be met
# as often as one too few.
MET_EACH = {
    "row_less_sep": 0.3678,
    "row_more_sep": 0.3678,
    "row_extra_quote": 0.00926,
    "row_field_delimiter": 0.1429,
}
# https://duckdb.org/2025/04/16/duckdb-csv-pollock-benchmark.html and the benchmark's repository.
PUBLISHED = {
    "published: DuckDB 1.2, given parameters": (9.96, 9.60),
    "published: DuckDB 1.2, auto": (9.08, 8.44),
    "published: SQLite 3.39, given parameters": (9.96, 9.38),
    "published: pandas 1.4, given parameters": (9.90, 9.43),
    "published: CleverCSV 0.7, blind": (9.19, 9.45),
}
LENIENT = ", strict_mode = false, null_padding = true, all_varchar = true"
MEASURES = 10
SHOWN = {"success": 0, "header_f1": 3, "record_f1": 6, "cell_f1": 9}  # by place

Grid = list[list[str]]
Reader = Callable[[Path], Grid]


@dataclass(frozen=True)
class Case:
    """One polluted file, and the grid that should be read: the header, if there is one, first."""

    name: str
    content: str
    truth: Grid
    files: float = 1.0  # of the benchmark that it stands for
    met: float = 1.0  # how often one of these was met


def main() -> None:
    """Pollute, read and compare."""
    table = source_table()
    cases = list(polluted(table))
    figures: dict[str, dict[str, Figure]] = {}
    with tempfile.TemporaryDirectory() as folder:
        readers: dict[str, Reader] = {
            "QHub, blind": Ours(Path(folder) / "shelf"),
            f"DuckDB {duckdb.__version__}, auto": DuckDb(""),
            f"DuckDB {duckdb.__version__}, auto, lenient": DuckDb(LENIENT),
            "csv.Sniffer": by_sniffer,
            f"pandas {pd.__version__}": by_pandas,
        }
        for name, reader in readers.items():
            started = time.process_time()
            figures[name] = measured(cases, reader, Path(folder), name)
            figures[name]["cpu_s"] = round(time.process_time() - started, 1)
    for name, (simple, weighted) in PUBLISHED.items():
        figures[name] = {"simple": simple, "weighted": weighted}
    record("pollock", figures)


def measured(cases: Sequence[Case], reader: Reader, folder: Path, name: str) -> dict[str, Figure]:
    """The scores of one reader: the ten measures added up, on the average of the files."""
    simple = weighted = 0.0
    files = sum(case.files for case in cases)
    met = sum(case.files * case.met for case in cases)
    parts = dict.fromkeys(SHOWN, 0.0)
    worst: dict[str, float] = {}
    file = folder / "polluted.csv"
    for case in cases:
        file.write_bytes(case.content.encode("utf-8"))
        try:
            grid = reader(file)
        except (UserError, duckdb.Error, csv.Error, ValueError):
            measures = [0.0] * MEASURES
        else:
            measures = [1.0, *compared(case.truth, grid)]
        score = sum(measures)
        simple += score * case.files
        weighted += score * case.files * case.met
        for part, place in SHOWN.items():
            parts[part] += measures[place] * case.files
        kind = case.name.rstrip("0123456789_")
        worst[kind] = min(score, worst.get(kind, MEASURES))
    shown = sorted((score, kind) for kind, score in worst.items() if score < 9.95)
    print(name, *(f"{kind} {score:.2f}" for score, kind in shown), sep="\n  ")
    return {
        "simple": round(simple / files, 2),
        "weighted": round(weighted / met, 2),
        **{part: round(value / files, 3) for part, value in parts.items()},
        "files": len(cases),
    }


def compared(truth: Grid, grid: Grid) -> list[float]:
    """Precision, recall and F1 of the header, of the records and of the cells."""
    if not truth:
        return [1.0] * 9
    true_header, header = map(Counter, (normal(truth[:1]), normal(grid[:1])))
    true_rows = ["".join(map(normal_cell, row)) for row in truth[1:]]
    rows = ["".join(map(normal_cell, row)) for row in grid[1:]]
    return [
        *agreement(true_header, header),
        *agreement(Counter(true_rows), Counter(rows)),
        *agreement(Counter(normal(truth)), Counter(normal(grid))),
    ]


def agreement(truth: Counter[str], found: Counter[str]) -> tuple[float, float, float]:
    """Precision, recall and F1 of what was found."""
    if not truth:
        return 1.0, 1.0, 1.0
    shared = (truth & found).total()
    if not shared:
        return 0.0, 0.0, 0.0
    precision, recall = shared / truth.total(), shared / found.total()
    return precision, recall, 2 * precision * recall / (precision + recall)


def normal(rows: Grid) -> list[str]:
    """Every cell of some rows in one spelling."""
    return [normal_cell(cell) for row in rows for cell in row]


def normal_cell(cell: str) -> str:
    """One spelling for what is the same value: 48.0 is 48.00, and 28/01/2018 is 2018-01-28."""
    text = cell.strip().lower()
    for pattern in ("%d/%m/%Y", "%Y-%m-%d %H:%M:%S"):
        try:
            return datetime.strptime(text, pattern).date().isoformat()
        except ValueError:
            pass
    if len(text) == 8 and text[2] == text[5] == ":" and text.endswith(":00"):
        return text[:5]
    try:
        return f"{float(text.removeprefix('$')):g}"
    except ValueError:
        return text


class Ours:
    """The whole import, as the child process does it: every cell of the data set it makes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0

    def __call__(self, file: Path) -> Grid:
        self._count += 1
        shelf = DatasetStore(self._folder / str(self._count))
        folder = shelf.begin()
        sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
        read_into(file, folder, sha256=sha256, tell=lambda _text, _share: None)
        shelf.finish(folder)
        (profile,) = shelf.profiles_of(sha256)
        rows = shelf.rows(profile.id)
        assert rows is not None
        names = ", ".join(quoted(column.name) for column in profile.columns)
        with duckdb.connect(str(rows), read_only=True) as db:
            values = db.execute(f"SELECT {names} FROM rows").fetchall()
        grid = [[as_text(value) for value in row] for row in values]
        has_header = profile.report is not None and profile.report.header_row is not None
        return [[column.name for column in profile.columns], *grid] if has_header else grid


class DuckDb:
    """DuckDB's own detection, with these options."""

    def __init__(self, options: str) -> None:
        self._options = options

    def __call__(self, file: Path) -> Grid:
        call = f"({sql_literal(str(file))}{self._options})"
        with duckdb.connect() as db:
            found = db.execute(f"SELECT HasHeader FROM sniff_csv{call}").fetchone()
            table = db.execute(f"FROM read_csv{call}")
            names = [column[0] for column in table.description or []]
            grid = [[as_text(value) for value in row] for row in table.fetchall()]
        return [names, *grid] if found and found[0] else grid


def by_sniffer(file: Path) -> Grid:
    """What Python's library makes of the file by its own detection."""
    with file.open(encoding="utf-8", newline="") as opened:
        dialect = csv.Sniffer().sniff(opened.read(10_000))
        opened.seek(0)
        return list(csv.reader(opened, dialect))


def by_pandas(file: Path) -> Grid:
    """pandas, told to find the delimiter."""
    frame = pd.read_csv(file, sep=None, engine="python", dtype=str, keep_default_na=False)
    return [list(map(str, frame.columns)), *frame.fillna("").astype(str).to_numpy().tolist()]


def as_text(value: object) -> str:
    """A value of a data set as a cell of a text table."""
    match value:
        case None:
            return ""
        case bool():
            return str(int(value))
        case datetime() | date() | time_of_day():
            return value.isoformat(" ") if isinstance(value, datetime) else value.isoformat()
        case _:
            return str(value)


def source_table() -> Grid:
    """The table before it is polluted."""
    rows = [HEADER]
    for number in range(ROWS - 1):
        code = f"{['MG', 'RI', 'CC', 'YY', 'BH'][number % 5]}-{1009 + number * 733 % 8971}"
        rows.append(
            [
                f"{13 + number % 15:02}/{1 + number // 15:02}/2018",
                f"{number % 24:02}:{number * 15 % 60:02}",
                str(number % 7),
                code,
                f"${5 + number * 37 % 95}.{number * 13 % 100:02}",
                PARTS[number % len(PARTS)],
                SENTENCES[number % len(SENTENCES)],
                f"https://www.example.com/product/{code.replace('-', '_')}.html",
                "",
            ]
        )
    return rows


@dataclass(frozen=True)
class Writer:
    """How a file is written."""

    delimiter: str = ","
    quote: str = '"'
    escape: str | None = '"'
    newline: str = "\r\n"

    def cell(self, text: str) -> str:
        """One cell, in quotation marks where it needs them."""
        if not any(letter in text for letter in (*self.delimiter, self.quote, ":", ";", "\n")):
            return text
        inner = text if self.escape is None else text.replace(self.quote, self.escape + self.quote)
        return f"{self.quote}{inner}{self.quote}"

    def row(self, cells: Sequence[str]) -> str:
        """One record, without its end."""
        return self.delimiter.join(map(self.cell, cells))

    def file(self, rows: Sequence[Sequence[str]]) -> str:
        """All records."""
        return "".join(self.row(row) + self.newline for row in rows)


def polluted(table: Grid) -> Iterator[Case]:
    """Every kind of pollution, each alone in a file."""
    for name, content, truth in whole_files(table):
        yield Case(name, content, truth, met=MET[name])
    writer = Writer()
    lines = [writer.row(row) + writer.newline for row in table]
    for place, files in POLLUTED_ROWS.items():
        for name, line, row in polluted_rows(table[place], writer):
            content = "".join([*lines[:place], line + writer.newline, *lines[place + 1 :]])
            truth = [*table[:place], row, *table[place + 1 :]]
            yield Case(f"{name}_{place}", content, truth, files, MET_EACH[name])


def whole_files(table: Grid) -> Iterator[tuple[str, str, Grid]]:
    """Pollution of a file's frame, its header or its dialect."""
    plain = Writer()
    text = plain.file(table)
    header, body = table[0], table[1:]
    doubled = [f"{name} {name}" for name in header]
    tripled = [f"{name} {name} {name}" for name in header]
    yield "source", text, table
    yield "no_payload", "", []
    yield "no_trailing_newline", text.removesuffix("\r\n"), table
    yield "double_trailing_newline", text + "\r\n", table
    yield "no_header", plain.file(body), body
    yield "header_multirow_2", plain.file([header, *table]), [doubled, *body]
    yield "header_multirow_3", plain.file([header, header, *table]), [tripled, *body]
    blank = [""] * len(header)
    yield "preamble", plain.file([["PREAMBLE", *blank[1:]], blank, *table]), table
    for name, width in (("same", 9), ("more", 10), ("less", 8)):
        second = [
            [*row, *blank][:width]
            for row in (
                table
                if width < 10
                else [[*row, f"extra {place}"] for place, row in enumerate(table)]
            )
        ]
        yield f"multitable_{name}", plain.file([*table, *second]), [*table, *second]
    yield "header_only", plain.file([header]), [header]
    yield "one_data_row", plain.file(table[:2]), table[:2]
    for name, writer in (
        ("record_delimiter_cr", Writer(newline="\r")),
        ("record_delimiter_lf", Writer(newline="\n")),
        ("field_delimiter_tab", Writer("\t")),
        ("field_delimiter_semicolon", Writer(";")),
        ("field_delimiter_space", Writer(" ")),
        ("field_delimiter_comma_space", Writer(", ")),
        ("quotation_apostrophe", Writer(quote="'", escape="'")),
        ("escape_backslash", Writer(escape="\\")),
        ("escape_none", Writer(escape=None)),
    ):
        yield name, writer.file(table), table


def polluted_rows(cells: list[str], writer: Writer) -> Iterator[tuple[str, str, list[str]]]:
    """Pollution of one record: a delimiter too few or too many, a mark too many, others instead.

    A delimiter too few or too many makes of the record what the rules of CSV make of it.
    """
    written = [writer.cell(cell) for cell in cells]
    for place in range(len(cells)):
        more = writer.delimiter.join([*written[:place], "", *written[place:]])
        yield "row_more_sep", more, [*cells[:place], "", *cells[place:]]
        if place:
            joined = [
                *written[: place - 1],
                written[place - 1] + written[place],
                *written[place + 1 :],
            ]
            less = writer.delimiter.join(joined)
            yield "row_less_sep", less, next(csv.reader([less]))
        marked = [*cells[:place], writer.quote + cells[place], *cells[place + 1 :]]
        stray = written[place]
        stray = stray.replace('"', '""', 1) if stray.startswith('"') else '"' + stray
        extra = writer.delimiter.join([*written[:place], stray, *written[place + 1 :]])
        yield "row_extra_quote", extra, marked
    yield "row_field_delimiter", " ".join(map(Writer(" ").cell, cells)), cells


if __name__ == "__main__":
    main()
