"""Headers of two rows, without names, with the same names twice, and sheets in number."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from openpyxl.chart import BarChart, Reference

from tests.data.nasty.every_format import HEADER, ROWS, TYPES, in_formats
from tests.data.nasty.truth import Case, Truth, said, sheet
from tests.data.writers import grids


def cases() -> Iterator[Case]:
    """All of them."""
    yield from _two_rows()
    yield from _names()
    yield from _sheets()
    yield from _merged()


MEASURED = (
    ("A-101", 80.5, 81.25, 12.5, 12.75),
    ("A-102", 79.25, 80.5, 12.25, 12.5),
    ("B-201", 81.0, 82.75, 12.0, 12.25),
    ("B-202", 80.75, 81.5, 12.75, 13.0),
)
JOINED = ("Peça", "Espessura mín", "Espessura máx", "Brilho mín", "Brilho máx")


def _two_rows() -> Iterator[Case]:
    groups = (None, "Espessura", None, "Brilho", None)
    below = ("Peça", "mín", "máx", "mín", "máx")
    truth = sheet(JOINED, "text number number number number", MEASURED, header_row=2, header_rows=2)
    yield from in_formats(
        "header_two_rows",
        "Names of groups over the names of columns, not merged",
        (groups, below, *MEASURED),
        truth,
        formats=("csv", "xlsx", "xls"),
    )

    def merge(page: Any) -> None:
        page.merge_cells("B1:C1")
        page.merge_cells("D1:E1")
        page.merge_cells("A1:A2")

    named = sheet(
        JOINED,
        "text number number number number",
        MEASURED,
        name="Dados",
        header_row=2,
        header_rows=2,
    )
    yield Case(
        "header_two_rows_merged.xlsx",
        grids.xlsx(
            (("Peça", "Espessura", None, "Brilho", None), (None, *below[1:]), *MEASURED), merge
        ),
        Truth("Names of groups merged over their columns, and one name over both rows", (named,)),
    )

    def titled(page: Any) -> None:
        page.merge_cells("A1:E1")
        page.merge_cells("B3:C3")
        page.merge_cells("D3:E3")

    yield Case(
        "header_two_rows_under_title.xlsx",
        grids.xlsx(
            (("Ensaio de fevereiro",), (), groups, below, *MEASURED),
            titled,
        ),
        Truth(
            "A merged title, a blank row, a header of two rows",
            (
                sheet(
                    JOINED,
                    "text number number number number",
                    MEASURED,
                    name="Dados",
                    header_row=4,
                    header_rows=2,
                    apart=(("title", 1, 1), ("blank", 2, 2)),
                ),
            ),
        ),
    )
    rows = [("A-101", 80.5, 12.5), ("A-102", 79.25, 12.25), ("B-201", 81.0, 12.75)]
    yield from in_formats(
        "header_units",
        "The units stand in a row of their own under the names",
        (("peça", "espessura", "largura"), (None, "(µm)", "(mm)"), *rows),
        sheet(
            ("peça", "espessura (µm)", "largura (mm)"),
            "text number number",
            rows,
            header_row=2,
            header_rows=2,
        ),
        formats=("csv", "xlsx", "xls", "html.xls"),
    )
    page = (
        "<html><body><table><tr><th rowspan=2>Peça</th><th colspan=2>Espessura</th>"
        "<th colspan=2>Brilho</th></tr><tr><th>mín</th><th>máx</th><th>mín</th><th>máx</th></tr>"
        + "".join(
            "<tr>" + "".join(f"<td>{grids.spoken(cell)}</td>" for cell in row) + "</tr>"
            for row in MEASURED
        )
        + "</table></body></html>"
    )
    yield Case(
        "header_two_rows_spanned.html.xls",
        page.encode("cp1252"),
        Truth("A page's header of two rows, with rowspan and colspan", (truth,)),
    )


def _names() -> Iterator[Case]:
    yield from in_formats(
        "names_twice",
        "The same name three times, once in capitals",
        (("valor", "valor", "Valor", "lote"), (1, 2, 3, "a"), (4, 5, 6, "b"), (7, 8, 9, "c")),
        sheet(
            "valor valor_2 Valor_3 lote",
            "integer integer integer text",
            [(1, 2, 3, "a"), (4, 5, 6, "b"), (7, 8, 9, "c")],
            repaired=("names_told_apart",),
        ),
        formats=("csv", "xlsx", "html.xls"),
    )
    yield from in_formats(
        "names_missing",
        "Two columns have values and no name",
        (("lote", None, "peças", None), ("a", 1, 20, "x"), ("b", 2, 30, "y"), ("c", 3, 40, "z")),
        sheet(
            "lote column_2 peças column_4",
            "text integer integer text",
            [("a", 1, 20, "x"), ("b", 2, 30, "y"), ("c", 3, 40, "z")],
            repaired=("names_given",),
        ),
        formats=("csv", "xlsx", "ods"),
    )
    yield from in_formats(
        "names_over_two_lines",
        "Names with line breaks, tabs and blanks at their ends",
        (
            (" Peso\n(kg) ", "Nº de\r\npeças", "Ação  corretiva", "%"),
            (1.5, 2, "limpar", 3),
            (2.5, 3, "trocar", 4),
            (3.5, 4, "limpar", 5),
        ),
        sheet(
            ("Peso (kg)", "Nº de peças", "Ação corretiva", "%"),
            "number integer text integer",
            [(1.5, 2, "limpar", 3), (2.5, 3, "trocar", 4), (3.5, 4, "limpar", 5)],
        ),
        formats=("csv",),
    )
    yield Case(
        "names_over_two_lines.xlsx",
        grids.xlsx(
            (
                (" Peso\n(kg) ", "Nº de\npeças", "Ação  corretiva", "%"),
                (1.5, 2, "limpar", 3),
                (2.5, 3, "trocar", 4),
                (3.5, 4, "limpar", 5),
            )
        ),
        Truth(
            "Names with line breaks and blanks at their ends",
            (
                sheet(
                    ("Peso (kg)", "Nº de peças", "Ação corretiva", "%"),
                    "number integer text integer",
                    [(1.5, 2, "limpar", 3), (2.5, 3, "trocar", 4), (3.5, 4, "limpar", 5)],
                    name="Dados",
                ),
            ),
        ),
    )
    years = (("produto", "2024", "2025", "2026"), ("capô", 10, 20, 30), ("porta", 11, 21, 31))
    yield Case(
        "names_that_are_years.csv",
        grids.csv_text((*years, ("teto", 12, 22, 32))).encode("utf-8"),
        Truth(
            "Years are the names of columns",
            (
                sheet(
                    years[0],
                    "text integer integer integer",
                    (*years[1:], ("teto", 12, 22, 32)),
                ),
            ),
            is_honest=True,
        ),
    )
    sql = ('"aspas"', "select", "rowid", "c0", "a;b", "NULL")
    yield Case(
        "names_that_sql_knows.csv",
        grids.csv_text((sql, (1, 2, 3, 4, 5, 6), (7, 8, 9, 10, 11, 12))).encode("utf-8"),
        Truth(
            "Names with quotation marks, or that mean something to the database",
            (sheet(sql, "integer " * 6, [(1, 2, 3, 4, 5, 6), (7, 8, 9, 10, 11, 12)]),),
        ),
    )
    yield from in_formats(
        "header_only",
        "A header and nothing under it",
        (HEADER,),
        sheet(HEADER, "text text text text text", [], perhaps=("no_rows", "empty")),
        formats=("csv", "xlsx"),
    )


def _sheets() -> Iterator[Case]:
    few = (("linha", "peças"), ("L1", 20), ("L2", 30))
    small = sheet("linha peças", "text integer", few[1:], name="Resumo")
    large = sheet(HEADER, TYPES, ROWS, name="Dados")
    two = {"Resumo": few, "Vazia": (), "Dados": (HEADER, *ROWS)}
    for suffix, make in (
        ("xlsx", grids.xlsx),
        ("xls", grids.xls),
        ("ods", grids.ods),
        ("xml", grids.spreadsheetml),
    ):
        yield Case(
            f"sheets_three_one_empty.{suffix}",
            make(two),
            Truth("Three sheets, one of them empty: two data sets", (large, small)),
        )

    def chart(book: Any) -> None:
        page = book.create_chartsheet("Gráfico", 0)
        drawn = BarChart()
        drawn.add_data(Reference(book["Dados"], min_col=5, min_row=1, max_row=7))
        page.add_chart(drawn)

    yield Case(
        "sheet_of_a_chart.xlsx",
        grids.xlsx({"Dados": (HEADER, *ROWS)}, chart),
        Truth("The first sheet is a chart", (large,)),
    )

    def hide(book: Any) -> None:
        book["Resumo"].sheet_state = "hidden"

    yield Case(
        "sheet_hidden.xlsx",
        grids.xlsx({"Dados": (HEADER, *ROWS), "Resumo": few}, hide),
        Truth(
            "A hidden sheet is read like any other, and told",
            (large, replace(small, doubtful=(said("hidden_sheet"),))),
        ),
    )

    def filtered(page: Any) -> None:
        page.row_dimensions[3].hidden = True
        page.column_dimensions["B"].hidden = True
        page.auto_filter.ref = "A1:E7"

    yield Case(
        "rows_hidden.xlsx",
        grids.xlsx((HEADER, *ROWS), filtered),
        Truth(
            "Rows that a filter hides, and a hidden column, are there all the same, and told",
            (replace(large, doubtful=(said("filtered_rows", "A3"), said("hidden_columns", "B1"))),),
        ),
    )
    named = {"Fevereiro & Março <1>": (HEADER, *ROWS)}
    yield Case(
        "sheet_with_odd_name.xlsx",
        grids.xlsx(named),
        Truth(
            "A sheet's name holds signs that mean something to XML",
            (sheet(HEADER, TYPES, ROWS, name="Fevereiro & Março <1>"),),
        ),
    )


def _merged() -> Iterator[Case]:
    grid = (
        ("turno", "linha", "peças"),
        ("manhã", "L1", 20),
        (None, "L2", 30),
        (None, "L3", 40),
        ("tarde", "L1", 25),
        (None, "L2", 35),
    )
    filled = [
        ("manhã", "L1", 20),
        ("manhã", "L2", 30),
        ("manhã", "L3", 40),
        ("tarde", "L1", 25),
        ("tarde", "L2", 35),
    ]

    def merge(page: Any) -> None:
        page.merge_cells("A2:A4")
        page.merge_cells("A5:A6")

    truth = sheet(
        grid[0],
        "text text integer",
        filled,
        name="Dados",
        repaired=(said("merged_filled", "A2:A4", "A5:A6"),),
    )
    yield Case(
        "merged_body.xlsx",
        grids.xlsx(grid, merge),
        Truth("A merged cell stands for every row it covers", (truth,)),
    )

    def across(page: Any) -> None:
        page.merge_cells("A2:A3")
        page.merge_cells("B4:C4")

    yield Case(
        "merged_across.xlsx",
        grids.xlsx(
            (("turno", "mín", "máx"), ("manhã", 20, 30), (None, 21, 31), ("tarde", 25, None)),
            across,
        ),
        Truth(
            "A merged cell is filled down, and not across: one value is not two",
            (
                sheet(
                    "turno mín máx",
                    "text integer integer",
                    [("manhã", 20, 30), ("manhã", 21, 31), ("tarde", 25, None)],
                    name="Dados",
                    repaired=("merged_filled",),
                ),
            ),
        ),
    )
    page = (
        "<table><tr><td>turno</td><td>linha</td><td>peças</td></tr>"
        "<tr><td rowspan='3'>manhã</td><td>L1</td><td>20</td></tr>"
        "<tr><td>L2</td><td>30</td></tr><tr><td>L3</td><td>40</td></tr>"
        "<tr><td rowspan=2>tarde</td><td>L1</td><td>25</td></tr><tr><td>L2</td><td>35</td></tr>"
        "</table>"
    )
    yield Case(
        "merged_body.html.xls",
        page.encode("utf-8"),
        Truth(
            "A page's rowspan stands for every row it covers",
            (sheet(grid[0], "text text integer", filled, repaired=("merged_filled",)),),
        ),
    )
    yield from in_formats(
        "group_written_once",
        "A group's name stands in its first row only, and nothing is merged: told, not guessed",
        grid,
        sheet(grid[0], "text text integer", grid[1:], doubtful=("labels_once",)),
    )
