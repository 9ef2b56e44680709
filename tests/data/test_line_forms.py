"""Forms that programs give a text's lines: names without the first, notes, lines quoted whole."""

import csv
import io
from collections.abc import Callable, Sequence
from datetime import time
from pathlib import Path
from typing import Literal

import pytest

from tests.data.conftest import Imported, Read

Table = Callable[[str | bytes], Imported]


@pytest.fixture
def table(read: Read, tmp_path: Path) -> Table:
    """Write a text file and read it."""

    def make(content: str | bytes) -> Imported:
        file = tmp_path / "ensaio.txt"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        (imported,) = read(file)
        return imported

    return make


def _kinds(imported: Imported) -> set[str]:
    report = imported.profile.report
    assert report is not None
    return {finding.kind for finding in (*report.doubtful, *report.repaired)}


def _quoted(cells: Sequence[object]) -> list[str]:
    return [f'"{cell}"' if isinstance(cell, str) else str(cell) for cell in cells]


@pytest.mark.parametrize("separator", [" ", "\t", ";"])
@pytest.mark.parametrize("first", ["number", "name"])
def test_names_without_one_for_the_first_column_stand_over_the_second(
    table: Table, separator: str, first: str
) -> None:
    keys = [str(n + 1) if first == "number" else f"mola {n}" for n in range(9)]
    rows = [(key, f"cor {n % 3}", n + 0.25) for n, key in enumerate(keys)]
    lines = [separator.join(_quoted(row)) for row in [("cor", "peso"), *rows]]
    imported = table("\n".join(lines) + "\n")
    assert imported.names[1:] == ["cor", "peso"]
    assert [row[1:] for row in imported.rows] == [row[1:] for row in rows]
    assert [str(row[0]) for row in imported.rows] == keys
    assert "short_header" in _kinds(imported)


@pytest.mark.parametrize(
    "content",
    [
        "id;peso\n" + "".join(f"{n};{n}.5;visto {n}\n" for n in range(1, 9)),
        "peso;cor\n" + "".join(f"{n % 3};{n};verde\n" for n in range(8)),
        "peça,peso\n" + "".join(f"mola {n},{n},5\n" for n in range(1, 9)),
        "hora;peso\n" + "".join(f"{n};{n}.5;\n" for n in range(1, 9)),
        "Hora A B\n" + "".join(f"2026-01-0{n} 06:0{n}:00 {n} {n + 2}\n" for n in range(1, 9)),
    ],
    ids=["key", "equal", "decimals", "ends", "moments"],
)
def test_names_stay_where_they_are_if_the_rows_have_another_cell(
    table: Table, content: str
) -> None:
    assert "short_header" not in _kinds(table(content))


@pytest.mark.parametrize("separator", [" ", "\t"])
def test_an_extended_log_tells_its_names_and_its_notes(table: Table, separator: str) -> None:
    head = "#Software: Prensa 4\n#Version: 1.0\n#Fields: time station cs(Kind) took\n"
    rows = [
        separator.join((f"06:{n:02}:00", f"E{n % 4}", "-" if n % 5 else "aviso", str(n * 7)))
        for n in range(24)
    ]
    content = head + "\n".join(rows[:12]) + "\n" + head + "\n".join(rows[12:]) + "\n"
    imported = table(content)
    assert imported.names == ["time", "station", "cs(Kind)", "took"]
    assert len(imported.rows) == 24
    assert imported.column("took") == [n * 7 for n in range(24)]
    assert imported.column("time")[3] == time(6, 3)
    assert "comments" in _kinds(imported)
    assert "log_fields" not in _kinds(imported)


def test_other_names_further_down_a_log_are_told(table: Table) -> None:
    rows = "".join(f"06:{n:02}:00 E{n} {n}\n" for n in range(9))
    imported = table(f"#Fields: time station took\n{rows}#Fields: time took station\n{rows}")
    assert "log_fields" in _kinds(imported)


def _saved_twice(rows: Sequence[Sequence[object]], quoting: Literal[0, 2]) -> str:
    once = io.StringIO()
    csv.writer(once, lineterminator="\n", quoting=quoting).writerows(rows)
    return "".join(
        f'"{line.replace(chr(34), chr(34) * 2)}"\n' for line in once.getvalue().split("\n")[:-1]
    )


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_NONNUMERIC])
def test_lines_quoted_as_a_whole_are_a_table_saved_twice(
    table: Table, quoting: Literal[0, 2]
) -> None:
    rows = [
        (n, f"furo{'' if quoting == csv.QUOTE_MINIMAL else ', cego'} {n}", n * 3) for n in range(12)
    ]
    imported = table(_saved_twice([("lote", "nome", "total"), *rows], quoting))
    assert imported.names == ["lote", "nome", "total"]
    assert imported.rows == rows
    assert "quoted_lines" in _kinds(imported)


@pytest.mark.parametrize(
    "lines",
    [
        ["nota", *(f"a peça {n}, a segunda, saiu" for n in range(9))],
        ["nota", *(f'diz ""fim"", e sai às {n}' for n in range(9))],
        ["local", *(f"Rua {n},Lisboa,Portugal" for n in range(9))],
        ["medida", *(f"{n},5" for n in range(9))],
    ],
)
def test_texts_in_quotation_marks_are_no_table_saved_twice(
    table: Table, lines: Sequence[str]
) -> None:
    imported = table("".join(f'"{line}"\n' for line in lines))
    assert "quoted_lines" not in _kinds(imported)


@pytest.mark.parametrize("word", ["Anel Ø 5", "São", "Põe", "Mâché", "Décimo à esquerda"])
def test_one_word_again_and_again_does_not_tell_another_language(table: Table, word: str) -> None:
    rows = "".join(f"{n};{word if n % 2 else 'Mola'};{n * 3}\n" for n in range(60))
    imported = table(f"n;nome;total\n{rows}".encode("cp1252"))
    assert imported.rows[1][1] == word
