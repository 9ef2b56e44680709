"""Formats beside workbooks and separated text: records, columns, archives, printed reports."""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import duckdb

from tests.data.nasty.every_format import HEADER, ROWS, TYPES
from tests.data.nasty.truth import Case, Truth, said, sheet
from tests.data.writers import grids

TABLE = sheet(HEADER, TYPES, ROWS)


def cases() -> Iterator[Case]:
    """All of them."""
    yield from _records()
    yield from _columns()
    yield from _archives()
    yield from _pages()
    yield from _reports()


def _record(row: tuple[object, ...]) -> dict[str, object]:
    return {
        name: cell.isoformat() if isinstance(cell, date) else cell
        for name, cell in zip(HEADER, row, strict=True)
    }


def _records() -> Iterator[Case]:
    records = [_record(row) for row in ROWS]
    read = sheet(HEADER, TYPES, ROWS, header_row=None, perhaps=("text_as_date",))
    yield Case(
        "records.json",
        json.dumps(records, ensure_ascii=False, indent=2).encode("utf-8"),
        Truth("A list of records", (read,)),
    )
    yield Case(
        "records_with_mark.json",
        b"\xef\xbb\xbf" + json.dumps(records).encode("ascii"),
        Truth("A list of records after a byte order mark, accents escaped", (read,)),
    )
    yield Case(
        "records_by_line.ndjson",
        "\n".join(json.dumps(each, ensure_ascii=False) for each in records).encode("utf-8"),
        Truth("A record in each line", (read,)),
    )
    yield Case(
        "records_by_line.json",
        ("\n".join(json.dumps(each) for each in records) + "\n").encode("utf-8"),
        Truth("A record in each line, under the usual name", (read,)),
    )
    yield Case(
        "records_wrapped.json",
        json.dumps({"status": "ok", "data": records}, ensure_ascii=False).encode("utf-8"),
        Truth(
            "The records stand in a field of a larger thing, as services answer",
            (replace(read, perhaps=(*read.perhaps, "beside_records")),),
        ),
    )
    uneven = [
        {"lote": "L1", "peso": 1.5, "ok": True},
        {"lote": "L2", "ok": False, "nota": "revisto"},
        {"lote": "L3", "peso": None, "ok": True, "nota": None},
        {"lote": "L4", "peso": 2, "ok": True},
    ]
    yield Case(
        "records_uneven.json",
        json.dumps(uneven).encode("utf-8"),
        Truth(
            "Fields that some records lack",
            (
                sheet(
                    "lote peso ok nota",
                    "text number boolean text",
                    [
                        ("L1", 1.5, True, None),
                        ("L2", None, False, "revisto"),
                        ("L3", None, True, None),
                        ("L4", 2, True, None),
                    ],
                    header_row=None,
                    perhaps=("shorter_rows", "missing_fields"),
                ),
            ),
        ),
    )
    exact = [
        {"cartão": "00123", "conta": 376012345678901234, "x": 0.1},
        {"cartão": "00124", "conta": 376012345678901235, "x": 1e-10},
    ]
    yield Case(
        "records_exact.json",
        json.dumps(exact, ensure_ascii=False).encode("utf-8"),
        Truth(
            "Leading zeros, numbers of 18 digits",
            (
                sheet(
                    "cartão conta x",
                    "text integer number",
                    [("00123", 376012345678901234, 0.1), ("00124", 376012345678901235, 1e-10)],
                    header_row=None,
                ),
            ),
            is_honest=True,
        ),
    )


def _columns() -> Iterator[Case]:
    rows = [
        ("00123", 376012345678901234, 80.5, date(2026, 2, 1), datetime(2026, 2, 1, 8, 30), True),
        ("00124", None, None, None, None, None),
        ("00125", 376012345678901235, 1e-10, date(2026, 2, 28), datetime(2026, 2, 2), False),
    ]
    names = ("código", "conta", "espessura", "dia", "momento", "ok")
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as db:
        file = Path(folder) / "colunas.parquet"
        db.execute(
            'CREATE TABLE t ("código" VARCHAR, conta BIGINT, espessura DOUBLE, dia DATE,'
            " momento TIMESTAMP, ok BOOLEAN)"
        )
        db.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", rows)
        db.execute(f"COPY t TO '{file.as_posix()}' (FORMAT parquet)")
        content = file.read_bytes()
    yield Case(
        "columns.parquet",
        content,
        Truth(
            "Columns with types of their own",
            (sheet(names, "text integer number date datetime boolean", rows, header_row=None),),
        ),
    )


def _archives() -> Iterator[Case]:
    text = grids.csv_text((HEADER, *ROWS)).encode("cp1252")
    yield Case(
        "archive_of_one.zip",
        grids.zipped({"exportação/dados.csv": text}),
        Truth("A zip with one table in a folder", (TABLE,)),
    )
    yield Case(
        "archive_with_mac_leftovers.zip",
        grids.zipped({"dados.csv": text, "__MACOSX/._dados.csv": b"\0\5\x16\7" + bytes(60)}),
        Truth("A zip from a Macintosh, with its invisible files", (TABLE,)),
    )
    book = grids.xlsx((HEADER, *ROWS))
    yield Case(
        "archive_of_workbook.zip",
        grids.zipped({"livro.xlsx": book}),
        Truth("A zip with a workbook", (sheet(HEADER, TYPES, ROWS, name="Dados"),)),
    )
    yield Case(
        "archive_of_two.zip",
        grids.zipped({"um.csv": text, "dois.csv": text}),
        Truth("Which of two tables is meant cannot be known", error=("archive_of_two.zip",)),
    )
    yield Case(
        "archive_empty.zip",
        grids.zipped({}),
        Truth("A zip with nothing in it", error=("archive_empty.zip",)),
    )
    yield Case(
        "archive_of_picture.zip",
        grids.zipped({"foto.png": b"\x89PNG\r\n\x1a\n" + bytes(50)}),
        Truth("A zip with no table", error=("archive_of_picture.zip",)),
    )


def _pages() -> Iterator[Case]:
    body = "".join(
        "<TR>" + "".join(f"<TD nowrap>&nbsp;{grids.spoken(cell)}</TD>" for cell in row) + "\n"
        for row in (HEADER, *ROWS)
    )
    yield Case(
        "page_unclosed.html.xls",
        f"<HTML><BODY><TABLE BORDER=1>{body}</TABLE>".encode("cp1252"),
        Truth("A page in capitals that closes no row, with blanks that do not break", (TABLE,)),
    )
    escaped = "".join(
        f"<tr><td>{a}</td><td>{b}</td></tr>"
        for a, b in (
            ("lote", "nota"),
            ("A&amp;1", "a &lt; b<br>fim"),
            ("A&#50;", "ma&ccedil;&atilde;"),
            ("<b>A3</b>", "<!-- nada -->ok<script>var x = '<td>1</td>';</script>"),
        )
    )
    yield Case(
        "page_with_signs.html.xls",
        f"<html><style>td {{ color: red }}</style><table>{escaped}</table></html>".encode(),
        Truth(
            "A page with signs written by name, breaks, comments, scripts",
            (
                sheet(
                    "lote nota",
                    "text text",
                    [("A&1", "a < b\nfim"), ("A2", "maçã"), ("A3", "ok")],
                    perhaps=("no_header",),
                ),
            ),
        ),
    )
    rows = "".join(
        "<tr>" + "".join(f"<td>{grids.spoken(cell)}</td>" for cell in row) + "</tr>"
        for row in (HEADER, *ROWS)
    )
    yield Case(
        "page_in_utf16.xls",
        f"<html><body><table>{rows}</table></body></html>".encode("utf-16"),
        Truth("A page in UTF-16 under the name of a workbook", (TABLE,)),
    )
    yield Case(
        "page_nested.html.xls",
        f"<html><table><tr><td><table>{rows}</table></td></tr></table></html>".encode(),
        Truth("The table stands in the cell of another that holds the page", (TABLE,)),
    )
    yield Case(
        "page_without_table.html",
        b"<html><body><p>Sem dados</p></body></html>",
        Truth("A page without a table", error=("page_without_table.html",)),
    )


def _reports() -> Iterator[Case]:
    names = ("Material", "Descrição", "Lote", "Qtd", "Data")
    rows = (
        ("000100", "Primário cinza", "L-17", 1250.5, date(2026, 2, 13)),
        ("000101", "Verniz 2K", "L-18", 980.0, date(2026, 2, 14)),
        ("000102", "Massa fina", "L-19", 12.25, date(2026, 2, 15)),
        ("000103", "Catalisador", "L-20", 7.75, date(2026, 2, 16)),
    )
    written = [
        (
            a,
            b,
            c,
            f"{n:,.2f}".replace(",", " ").replace(".", ",").replace(" ", "."),
            f"{d:%d.%m.%Y}",
        )
        for a, b, c, n, d in rows
    ]
    widths = [max(len(row[place]) for row in (names, *written)) for place in range(5)]
    lines = [
        "|".join(["", *(c.ljust(w) for c, w in zip(row, widths, strict=True)), ""])
        for row in (names, *written)
    ]
    rule = "-" * len(lines[0])
    listed = "\r\n".join(["Lista de stocks", "", rule, lines[0], rule, *lines[1:], rule, ""])
    yield Case(
        "report_sap.txt",
        listed.encode("cp1252"),
        Truth(
            "A list as SAP saves it: bars between cells, rules of dashes",
            (
                sheet(
                    names,
                    "text text text number date",
                    rows,
                    header_row=4,
                    apart=(
                        ("title", 1, 1),
                        ("blank", 2, 3),
                        ("blank", 5, 5),
                        ("blank", 10, 10),
                    ),
                    separator="|",
                    repaired=(said("rule_lines", "A3", "A5", "A10"),),
                ),
            ),
            is_honest=True,
        ),
    )
    columns = ("PECA", "DATA", "ESPESSURA", "ESTADO")
    measured = (
        ("A-101", date(2026, 2, 13), 80.5, "OK"),
        ("A-102", date(2026, 2, 14), 79.25, "OK"),
        ("B-20", date(2026, 2, 15), 101.75, "NOK"),
        ("B-2001", date(2026, 2, 16), 8.0, "OK"),
    )
    fixed = "".join(
        f"{a:<10}{b:<12}{c:>10}  {d:<6}\n"
        for a, b, c, d in (
            columns,
            *((a, b.isoformat(), f"{c:.2f}", d) for a, b, c, d in measured),
        )
    )
    yield Case(
        "report_fixed_width.txt",
        fixed.encode("ascii"),
        Truth(
            "Columns by their width, as a machine prints them",
            (sheet(columns, "text date number text", measured),),
            is_honest=True,
        ),
    )
    minitab = "C1\tC2-T\tC3-D\r\nEspessura\tOperador\tData\r\n" + "".join(
        f"{value:.2f}".replace(".", ",") + f"\t{name}\t{day:%d-%m-%Y}\r\n"
        for value, name, day in (
            (80.5, "Ana", date(2026, 2, 13)),
            (79.25, "Rui", date(2026, 2, 14)),
            (81.0, "Ana", date(2026, 2, 15)),
            (80.75, "Eva", date(2026, 2, 16)),
        )
    )
    yield Case(
        "report_minitab.txt",
        minitab.encode("cp1252"),
        Truth(
            "Minitab's own names of columns over ours",
            (
                sheet(
                    ("C1 Espessura", "C2-T Operador", "C3-D Data"),
                    "number text date",
                    [
                        (80.5, "Ana", "2026-02-13"),
                        (79.25, "Rui", "2026-02-14"),
                        (81.0, "Ana", "2026-02-15"),
                        (80.75, "Eva", "2026-02-16"),
                    ],
                    header_row=2,
                    header_rows=2,
                ),
            ),
            is_honest=True,
        ),
    )
    boxed = (
        "+-------+-------+\n| lote  | peso  |\n+-------+-------+\n| L1    |  1.50 |\n"
        "| L2    |  2.50 |\n| L3    |  3.25 |\n+-------+-------+\n"
    )
    yield Case(
        "report_boxed.txt",
        boxed.encode("ascii"),
        Truth(
            "A table drawn with bars and crosses, as databases print it",
            (
                sheet(
                    "lote peso",
                    "text number",
                    [("L1", 1.5), ("L2", 2.5), ("L3", 3.25)],
                    header_row=2,
                    apart=(("blank", 1, 1), ("blank", 3, 3), ("blank", 7, 7)),
                    repaired=(said("rule_lines", "A1", "A3", "A7"),),
                ),
            ),
            is_honest=True,
        ),
    )
