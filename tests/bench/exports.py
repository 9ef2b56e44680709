"""Files as a line's export has them: numbers, a date, categories, texts."""

from pathlib import Path

import duckdb
import xlsxwriter

HEADER = ("id", "data", "turno", "peca", "espessura", "contagem", "rack", "operador")

# Eight columns of i, the number of the row.
ROWS = """
    SELECT i AS id,
        DATE '2026-01-01' + (i % 300)::INTEGER AS data,
        ['manhã', 'tarde', 'noite'][1 + (i % 3)::INTEGER] AS turno,
        'peça ' || i % 5000 AS peca,
        80 + (i * 7919 % 10007) / 1000::DOUBLE AS espessura,
        i * 31 % 500 AS contagem,
        printf('R%02d', i % 9 + 8) AS rack,
        ['Júlia', 'Carlos', 'Pedro', 'Margareta'][1 + (i % 4)::INTEGER] AS operador
    FROM range({rows}) AS numbers (i)
"""
# The same as a plant's Excel saves it: cp1252, semicolons, decimal commas, dd/mm/yyyy.
LOCAL = """
    SELECT id, strftime(data, '%d/%m/%Y') AS data, turno, peca,
        replace(printf('%.3f', espessura), '.', ',') AS espessura, contagem, rack, operador
    FROM ({rows})
"""
# Nearly every value is new: what counting has the most work with.
SCATTERED = """
    SELECT i AS id,
        TIMESTAMP '2026-01-01' + to_seconds((hash(i) % 30000000)::BIGINT) AS momento,
        ['manhã', 'tarde', 'noite'][1 + (hash(i) % 3)::INTEGER] AS turno,
        'SN-' || hash(i) AS serie,
        hash(i, 1) / 2.0::DOUBLE ** 64 AS a,
        80 + 10 * (hash(i, 2) / 2.0::DOUBLE ** 64) AS b,
        (hash(i, 3) % 100000)::BIGINT AS c,
        CASE WHEN i % 10 > 0 THEN round(100 * (hash(i, 4) / 2.0::DOUBLE ** 64), 2) END AS d
    FROM range({rows}) AS numbers (i)
"""


def make_workbook(file: Path, rows: int, *, has_shared_texts: bool = True) -> Path:
    """A workbook of one sheet, its texts shared, as Excel has them, or each in its own cell."""
    options = {"constant_memory": not has_shared_texts}
    with duckdb.connect() as db, xlsxwriter.Workbook(str(file), options) as book:
        day = book.add_format({"num_format": "dd/mm/yyyy"})
        sheet = book.add_worksheet("Dados")
        sheet.write_row(0, 0, HEADER)
        found = db.execute(ROWS.format(rows=rows))
        number = 0
        while some := found.fetchmany(10_000):
            for row in some:
                number += 1
                sheet.write_number(number, 0, row[0])
                sheet.write_datetime(number, 1, row[1], day)
                sheet.write_string(number, 2, row[2])
                sheet.write_string(number, 3, row[3])
                sheet.write_number(number, 4, row[4])
                sheet.write_number(number, 5, row[5])
                sheet.write_string(number, 6, row[6])
                sheet.write_string(number, 7, row[7])
    return file


def make_plain(file: Path, rows: int) -> Path:
    """A text table as programs write it: commas, UTF-8, ISO dates."""
    return _copied(ROWS.format(rows=rows), file, "")


def make_quoted(file: Path, rows: int) -> Path:
    """The same with every cell in quotes."""
    return _copied(ROWS.format(rows=rows), file, ", FORCE_QUOTE *")


def make_local(file: Path, rows: int) -> Path:
    """The same as a plant's Excel saves it."""
    _copied(LOCAL.format(rows=ROWS.format(rows=rows)), file, ", DELIMITER ';'")
    part = file.with_suffix(".part")
    with (
        file.open(encoding="utf-8", newline="") as whole,
        part.open("w", encoding="cp1252", newline="") as local,
    ):
        while text := whole.read(2**20):
            local.write(text.replace("\n", "\r\n"))
    part.replace(file)
    return file


def _copied(select: str, file: Path, more: str) -> Path:
    with duckdb.connect() as db:
        db.execute("SET enable_progress_bar = false")
        db.execute(f"COPY ({select}) TO '{file}' (FORMAT csv, HEADER{more})")
    return file
