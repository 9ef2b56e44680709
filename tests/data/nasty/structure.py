"""What stands around a table: titles, notes, totals, blanks, repeated headers."""

from collections.abc import Iterator
from datetime import date

from openpyxl.worksheet.worksheet import Worksheet

from tests.data.nasty.every_format import ALL, BLANK, HEADER, ROWS, TYPES, in_formats
from tests.data.nasty.truth import Case, Truth, said, sheet
from tests.data.writers import grids

FACTORY = ("linha", "semana", "peças", "rejeitadas")
WEEKS = (
    ("L1", 6, 1200, 31),
    ("L1", 7, 1340, 28),
    ("L2", 6, 980, 44),
    ("L2", 7, 1015, 39),
    ("L3", 6, 760, 12),
    ("L3", 7, 805, 17),
)


def cases() -> Iterator[Case]:
    """All of them."""
    yield from _titles()
    yield from _notes()
    yield from _totals()
    yield from _blanks()
    yield from _repeats()
    yield from _ragged()


def _titles() -> Iterator[Case]:
    title = ("Relatório de pintura",)
    yield from in_formats(
        "title_one",
        "One row of title over the header",
        (title, HEADER, *ROWS),
        sheet(HEADER, TYPES, ROWS, header_row=2, apart=(("title", 1, 1),)),
        formats=ALL,
    )
    three = (title, ("Fábrica de Ovar",), ("Extraído em 17/02/2026 08:00",))
    yield from in_formats(
        "title_three",
        "Three rows of title, then the header",
        (*three, HEADER, *ROWS),
        sheet(HEADER, TYPES, ROWS, header_row=4, apart=(("title", 1, 3),)),
        formats=("csv", "xlsx", "html.xls"),
    )
    yield from in_formats(
        "title_and_blank",
        "A title, a blank row, then the header",
        (title, BLANK, HEADER, *ROWS),
        sheet(HEADER, TYPES, ROWS, header_row=3, apart=(("title", 1, 1), ("blank", 2, 2))),
        formats=("csv", "xlsx", "ods"),
    )
    facts = (("Linha:", "Pintura 2"), ("Responsável:", "Marta"), BLANK)
    yield from in_formats(
        "title_of_facts",
        "Facts in two cells each stand over the header",
        (*facts, HEADER, *ROWS),
        sheet(HEADER, TYPES, ROWS, header_row=4, apart=(("title", 1, 2), ("blank", 3, 3))),
    )

    def merge_title(page: Worksheet) -> None:
        page.merge_cells("A1:E1")

    yield Case(
        "title_merged.xlsx",
        grids.xlsx((title, HEADER, *ROWS), merge_title),
        Truth(
            "A title merged over all columns is no value to be filled down or across",
            (sheet(HEADER, TYPES, ROWS, name="Dados", header_row=2, apart=(("title", 1, 1),)),),
        ),
    )

    def far(page: Worksheet) -> None:
        grids.fill(page, (HEADER, *ROWS), row=5, column=3)

    yield Case(
        "table_at_c5.xlsx",
        grids.xlsx((), far),
        Truth(
            "The table begins at C5, with nothing around it",
            (sheet(HEADER, TYPES, ROWS, name="Dados", header_row=5),),
        ),
    )

    def titled(page: Worksheet) -> None:
        page["B2"] = "Defeitos por turno"
        grids.fill(page, (HEADER, *ROWS), row=5, column=3)

    yield Case(
        "table_at_c5_title_at_b2.xlsx",
        grids.xlsx((), titled),
        Truth(
            "The title begins further left than the table",
            (
                sheet(
                    HEADER,
                    TYPES,
                    ROWS,
                    name="Dados",
                    header_row=5,
                    apart=(("title", 2, 2), ("blank", 3, 4)),
                    repaired=(said("blank_columns", "B"),),
                ),
            ),
        ),
    )


def _notes() -> Iterator[Case]:
    yield from in_formats(
        "note_below",
        "A note under the table, after a blank row",
        (HEADER, *ROWS, BLANK, ("Fonte: SAP QM, extraído por marta",)),
        sheet(HEADER, TYPES, ROWS, apart=(("blank", 8, 8), ("note", 9, 9))),
        formats=ALL,
    )
    yield from in_formats(
        "note_right_below",
        "A note right under the last row",
        (HEADER, *ROWS, ("* valores provisórios, sujeitos a confirmação pela metrologia",)),
        sheet(HEADER, TYPES, ROWS, apart=(("note", 8, 8),)),
    )
    notes = (("Notas:",), ("1) espessura em micrómetros",), ("2) turno da noite só até às 6h",))
    yield from in_formats(
        "notes_three",
        "Three notes under a blank row",
        (HEADER, *ROWS, BLANK, *notes),
        sheet(HEADER, TYPES, ROWS, apart=(("blank", 8, 8), ("note", 9, 11))),
    )
    signed = (BLANK, ("Elaborado:", "M. Silva", None, "Aprovado:", "J. Costa"))
    yield from in_formats(
        "note_signatures",
        "Signatures under the table, in several cells",
        (HEADER, *ROWS, *signed),
        sheet(HEADER, TYPES, ROWS, apart=(("blank", 8, 8), ("note", 9, 9))),
        is_honest=True,
    )


def _totals() -> Iterator[Case]:
    count = sum(row[2] for row in WEEKS)
    bad = sum(row[3] for row in WEEKS)
    types = "text integer integer integer"
    for name, label in (("total", "Total"), ("total_geral", "TOTAL GERAL"), ("soma", "Soma:")):
        yield from in_formats(
            f"totals_{name}",
            f"A last row '{label}' holds the sums of the others",
            (FACTORY, *WEEKS, (label, None, count, bad)),
            sheet(FACTORY, types, WEEKS, apart=(("total", 8, 8),)),
            formats=ALL if name == "total" else ("csv", "xlsx"),
        )
    grid: list[tuple[str | int | None, ...]] = [FACTORY]
    for line in ("L1", "L2", "L3"):
        those = [row for row in WEEKS if row[0] == line]
        grid += those
        grid.append((f"Subtotal {line}", None, sum(r[2] for r in those), sum(r[3] for r in those)))
    grid.append(("Total geral", None, count, bad))
    yield from in_formats(
        "totals_between",
        "A subtotal after each line's rows, and the total of all",
        grid,
        sheet(
            FACTORY,
            types,
            WEEKS,
            apart=(("total", 4, 4), ("total", 7, 7), ("total", 10, 11)),
            doubtful=("totals_set_apart",),
        ),
        formats=("csv", "xlsx", "xls"),
    )
    yield from in_formats(
        "totals_after_blank",
        "The total stands under a blank row",
        (FACTORY, *WEEKS, (None,) * 4, ("Total", None, count, bad)),
        sheet(FACTORY, types, WEEKS, apart=(("blank", 8, 8), ("total", 9, 9))),
    )
    average = (None, "Média", round(count / 6, 2), round(bad / 6, 2))
    yield from in_formats(
        "totals_average",
        "The total, and under it the mean",
        (FACTORY, *WEEKS, ("Total", None, count, bad), average),
        sheet(FACTORY, types, WEEKS, apart=(("total", 8, 9),)),
        is_honest=True,
    )
    oils = (
        ("produto", "litros", "custo"),
        ("Total Quartz 5W30", 208, 3.5),
        ("Galp Fórmula", 60, 4.25),
        ("Totalgrip", 20, 8.0),
        ("Total Rubia", 100, 2.75),
    )
    yield from in_formats(
        "totals_as_a_brand",
        "Products that are called Total are rows like any other",
        oils,
        sheet(oils[0], "text integer number", oils[1:]),
    )
    yield from in_formats(
        "totals_without_a_word",
        "The last row is the sum of the others and does not say so",
        (FACTORY, *WEEKS, (None, None, count, bad)),
        sheet(FACTORY, types, WEEKS, apart=(("total", 8, 8),)),
        is_honest=True,
    )


def _blanks() -> Iterator[Case]:
    yield from in_formats(
        "blank_rows_between",
        "Blank rows between the rows",
        (HEADER, *ROWS[:2], BLANK, *ROWS[2:4], BLANK, BLANK, *ROWS[4:]),
        sheet(HEADER, TYPES, ROWS, apart=(("blank", 4, 4), ("blank", 7, 8))),
        formats=("csv", "xlsx", "xls", "ods"),
    )
    for name, newline in (("crlf", "\r\n"), ("lf", "\n")):
        text = f"{newline * 2}{grids.csv_text((HEADER, *ROWS), newline=newline)};;;;{newline * 3}"
        yield Case(
            f"blank_rows_around_{name}.csv",
            text.encode("utf-8"),
            Truth(
                "Blank rows above and below, some of them of separators only",
                (
                    sheet(
                        HEADER,
                        TYPES,
                        ROWS,
                        header_row=3,
                        apart=(("blank", 1, 2), ("blank", 10, 12)),
                    ),
                ),
            ),
        )
    spaces = grids.csv_text((HEADER, *ROWS[:3], *((" ", "\t", "", " ", ""),), *ROWS[3:]))
    yield Case(
        "blank_row_of_spaces.csv",
        spaces.encode("utf-8"),
        Truth(
            "A row of nothing but spaces and tabs is blank",
            (sheet(HEADER, TYPES, ROWS, apart=(("blank", 5, 5),)),),
        ),
    )
    wide = [(None, *row[:2], None, *row[2:], None) for row in (HEADER, *ROWS)]
    yield from in_formats(
        "blank_columns",
        "Blank columns at the left, in the middle and at the right",
        wide,
        sheet(HEADER, TYPES, ROWS, repaired=(said("blank_columns", "D"),)),
        formats=("csv", "xlsx", "xls", "html.xls"),
    )
    named = [(*row[:2], "nota" if row is HEADER else None, *row[2:]) for row in (HEADER, *ROWS)]
    yield from in_formats(
        "named_column_of_nothing",
        "A column with a name and no value stays",
        named,
        sheet(
            (*HEADER[:2], "nota", *HEADER[2:]),
            "text text text date number integer",
            [(*row[:2], None, *row[2:]) for row in ROWS],
        ),
    )


def _repeats() -> Iterator[Case]:
    yield from in_formats(
        "header_repeated",
        "The header comes again on each printed page",
        (HEADER, *ROWS[:2], HEADER, *ROWS[2:4], HEADER, *ROWS[4:]),
        sheet(
            HEADER,
            TYPES,
            ROWS,
            apart=(("repeated_header", 4, 4), ("repeated_header", 7, 7)),
        ),
        formats=("csv", "xlsx", "xls", "html.xls"),
    )
    yield from in_formats(
        "header_repeated_after_blanks",
        "The header comes again after a blank row",
        (HEADER, *ROWS[:3], BLANK, HEADER, *ROWS[3:]),
        sheet(HEADER, TYPES, ROWS, apart=(("blank", 5, 5), ("repeated_header", 6, 6))),
    )


def _ragged() -> Iterator[Case]:
    longer = (
        "turno;peça;defeitos\nmanhã;A1;3\ntarde;A2;1;revisto;2\nnoite;A3;4\nmanhã;A4;2;ok\n"
        "tarde;A5;0\n"
    )
    yield Case(
        "rows_longer.csv",
        longer.encode("utf-8"),
        Truth(
            "Some rows have more cells than the header",
            (
                sheet(
                    "turno peça defeitos column_4 column_5",
                    "text text integer text integer",
                    [
                        ("manhã", "A1", 3, None, None),
                        ("tarde", "A2", 1, "revisto", 2),
                        ("noite", "A3", 4, None, None),
                        ("manhã", "A4", 2, "ok", None),
                        ("tarde", "A5", 0, None, None),
                    ],
                    doubtful=("longer_rows",),
                    perhaps=("names_given",),
                ),
            ),
        ),
    )
    shorter = "turno;peça;defeitos;nota\nmanhã;A1;3;ok\ntarde;A2\nnoite;A3;4\nmanhã;A4;2;ok\n"
    yield Case(
        "rows_shorter.csv",
        shorter.encode("utf-8"),
        Truth(
            "Some rows have fewer cells than the header",
            (
                sheet(
                    "turno peça defeitos nota",
                    "text text integer text",
                    [
                        ("manhã", "A1", 3, "ok"),
                        ("tarde", "A2", None, None),
                        ("noite", "A3", 4, None),
                        ("manhã", "A4", 2, "ok"),
                    ],
                    repaired=("shorter_rows",),
                ),
            ),
        ),
    )
    trailing = "a;b;c\n1;2;3;\n4;5;6;\n7;8;9;\n"
    yield Case(
        "separator_at_each_end.csv",
        trailing.encode("utf-8"),
        Truth(
            "Each row but the header ends in a separator: no column more",
            (sheet("a b c", "integer integer integer", [(1, 2, 3), (4, 5, 6), (7, 8, 9)]),),
        ),
    )
    no_header = [
        ("A-101", date(2026, 2, 11), 80.5, 3),
        ("A-102", date(2026, 2, 12), 79.25, 1),
        ("B-201", date(2026, 2, 13), 81.0, 12),
        ("B-202", date(2026, 2, 14), 80.75, 4),
        ("C-301", date(2026, 2, 15), 78.5, 7),
    ]
    yield from in_formats(
        "header_none",
        "There is no header: the first row is data",
        no_header,
        sheet(
            "column_1 column_2 column_3 column_4",
            "text date number integer",
            no_header,
            header_row=None,
            doubtful=("no_header",),
            perhaps=("names_given",),
        ),
        formats=("csv", "xlsx", "xls"),
    )
    numbers = [(1, 80.5, 12.25), (2, 79.75, 12.5), (3, 81.25, 12.75), (4, 80.0, 12.0)]
    yield from in_formats(
        "header_none_of_numbers",
        "Nothing but numbers, from the first row on",
        numbers,
        sheet(
            "column_1 column_2 column_3",
            "integer number number",
            numbers,
            header_row=None,
            doubtful=("no_header",),
            perhaps=("names_given",),
        ),
    )
