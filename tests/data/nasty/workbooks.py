"""What only a workbook can hold: errors, formulas, formats, and what writers of files get wrong."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from tests.data.nasty.every_format import HEADER, ROWS, TYPES
from tests.data.nasty.truth import Case, Said, Truth, said, sheet
from tests.data.writers import grids
from tests.data.writers.handwritten_xlsx import STYLES, number, text, workbook, worksheet

_STRICT = (
    (
        "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
        "http://purl.oclc.org/ooxml/spreadsheetml/main",
    ),
    (
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        "http://purl.oclc.org/ooxml/officeDocument/relationships",
    ),
)


def cases() -> Iterator[Case]:
    """All of them."""
    yield from _errors()
    yield from _formulas()
    yield from _formats()
    yield from _writers()


def _named(
    name: str,
    about: str,
    rows: Sequence[str],
    columns: str,
    types: str,
    values: Sequence[Sequence[Any]],
    *,
    repaired: Sequence[str | Said] = (),
    doubtful: Sequence[str | Said] = (),
    is_honest: bool = False,
    perhaps: tuple[str, ...] = (),
    **more: Any,
) -> Case:
    """A workbook of one sheet, its rows given as XML."""
    truth = sheet(
        columns, types, values, repaired=repaired, doubtful=doubtful, name="Dados", perhaps=perhaps
    )
    content = workbook({"Dados": worksheet(rows, **more)})
    return Case(f"{name}.xlsx", content, Truth(about, (truth,), is_honest=is_honest))


def _head(*names: str) -> str:
    return "".join(text(f"{letter}1", name) for letter, name in zip("ABCDE", names, strict=False))


def _error(place: str, name: str) -> str:
    return f'<c r="{place}" t="e"><v>{name}</v></c>'


def _errors() -> Iterator[Case]:
    yield _named(
        "errors_among_numbers",
        "Error cells are missing, counted, and named by their places",
        [
            _head("lote", "valor", "turno"),
            text("A2", "L1") + number("B2", "1.5") + text("C2", "manhã"),
            text("A3", "L2") + _error("B3", "#N/A") + text("C3", "tarde"),
            text("A4", "L3") + number("B4", "2.5") + _error("C4", "#REF!"),
            text("A5", "L4") + _error("B5", "#DIV/0!") + text("C5", "noite"),
        ],
        "lote valor turno",
        "text number text",
        [("L1", 1.5, "manhã"), ("L2", None, "tarde"), ("L3", 2.5, None), ("L4", None, "noite")],
        repaired=(said("error_cells", "B3", "C4", "B5"),),
    )
    yield _named(
        "errors_only",
        "A column of nothing but errors",
        [
            _head("lote", "valor"),
            text("A2", "L1") + _error("B2", "#N/A"),
            text("A3", "L2") + _error("B3", "#VALUE!"),
            text("A4", "L3") + _error("B4", "#NAME?"),
        ],
        "lote valor",
        "text text",
        [("L1", None), ("L2", None), ("L3", None)],
        repaired=(said("error_cells", "B2", "B3", "B4"),),
    )
    yield _named(
        "errors_in_header",
        "An error where a name belongs",
        [
            text("A1", "lote") + _error("B1", "#REF!") + text("C1", "n"),
            text("A2", "L1") + number("B2", "1") + number("C2", "10"),
            text("A3", "L2") + number("B3", "2") + number("C3", "20"),
            text("A4", "L3") + number("B4", "3") + number("C4", "30"),
        ],
        "lote column_2 n",
        "text integer integer",
        [("L1", 1, 10), ("L2", 2, 20), ("L3", 3, 30)],
        repaired=("names_given",),
        perhaps=("error_cells",),
    )
    import_error = [("lote", "valor"), ("L1", 1.5), ("L2", "#N/A"), ("L3", 3.5), ("L4", 4.5)]
    yield Case(
        "errors_as_words.xlsx",
        grids.xlsx(import_error),
        Truth(
            "The letters #N/A as text, pasted from elsewhere",
            (
                sheet(
                    "lote valor",
                    "text number",
                    [("L1", 1.5), ("L2", None), ("L3", 3.5), ("L4", 4.5)],
                    name="Dados",
                    repaired=(said("error_cells", "B3"),),
                ),
            ),
        ),
    )


def _formulas() -> Iterator[Case]:
    def of(place: str, formula: str, value: str | None, type_: str = "") -> str:
        kind = f' t="{type_}"' if type_ else ""
        kept = "" if value is None else f"<v>{value}</v>"
        return f'<c r="{place}"{kind}><f>{formula}</f>{kept}</c>'

    yield _named(
        "formulas_calculated",
        "Formulas give the values that Excel has kept",
        [
            _head("lote", "valor", "dobro", "nota"),
            text("A2", "L1")
            + number("B2", "1.5")
            + of("C2", "B2*2", "3")
            + of("D2", 'IF(B2&gt;2,"alto","")', "", "str"),
            text("A3", "L2")
            + number("B3", "2.5")
            + of("C3", "B3*2", "5")
            + of("D3", 'IF(B3&gt;2,"alto","")', "alto", "str"),
            text("A4", "L3")
            + number("B4", "3.25")
            + of("C4", "B4*2", "6.5")
            + of("D4", 'IF(B4&gt;2,"alto","")', "alto", "str"),
        ],
        "lote valor dobro nota",
        "text number number text",
        [("L1", 1.5, 3, None), ("L2", 2.5, 5, "alto"), ("L3", 3.25, 6.5, "alto")],
    )
    yield _named(
        "formulas_uncalculated",
        "Formulas without a kept value are missing, and that is said",
        [
            _head("lote", "valor", "dobro"),
            text("A2", "L1") + number("B2", "1.5") + of("C2", "B2*2", None),
            text("A3", "L2") + number("B3", "2.5") + of("C3", "B3*2", None),
            text("A4", "L3") + number("B4", "3.5") + of("C4", "B4*2", "7"),
        ],
        "lote valor dobro",
        "text number integer",
        [("L1", 1.5, None), ("L2", 2.5, None), ("L3", 3.5, 7)],
        doubtful=(said("formula_uncalculated", "C2", "C3"),),
    )
    shared = (
        '<c r="C2"><f t="shared" ref="C2:C4" si="0">B2*2</f><v>3</v></c>',
        '<c r="C3"><f t="shared" si="0"/><v>5</v></c>',
        '<c r="C4"><f t="shared" si="0"/></c>',
    )
    yield _named(
        "formulas_shared",
        "A formula written once for several cells, one of them without its value",
        [
            _head("lote", "valor", "dobro"),
            text("A2", "L1") + number("B2", "1.5") + shared[0],
            text("A3", "L2") + number("B3", "2.5") + shared[1],
            text("A4", "L3") + number("B4", "3.5") + shared[2],
        ],
        "lote valor dobro",
        "text number integer",
        [("L1", 1.5, 3), ("L2", 2.5, 5), ("L3", 3.5, None)],
        doubtful=(said("formula_uncalculated", "C4"),),
    )
    yield _named(
        "formulas_that_failed",
        "Formulas whose kept value is an error",
        [
            _head("lote", "valor"),
            text("A2", "L1") + of("B2", "1/0", "#DIV/0!", "e"),
            text("A3", "L2") + of("B3", "1+1", "2"),
            text("A4", "L3") + of("B4", "1+2", "3"),
        ],
        "lote valor",
        "text integer",
        [("L1", None), ("L2", 2), ("L3", 3)],
        repaired=(said("error_cells", "B2"),),
    )


def _formats() -> Iterator[Case]:
    values = ("0.125", "0.5", "1")
    yield _named(
        "format_percent",
        "Numbers shown as percent are fractions in the file, and stay fractions",
        [
            _head("lote", "taxa"),
            *(
                text(f"A{n}", f"L{n - 1}") + number(f"B{n}", value, style=2)
                for n, value in enumerate(values, start=2)
            ),
        ],
        "lote taxa",
        "text number",
        [("L1", 0.125), ("L2", 0.5), ("L3", 1.0)],
    )
    yield _named(
        "format_of_zeros",
        "Numbers that a format shows with leading zeros",
        [
            _head("código", "n"),
            *(
                number(f"A{n}", str(value), style=5) + number(f"B{n}", str(n))
                for n, value in enumerate((123, 124, 200), start=2)
            ),
        ],
        "código n",
        "text integer",
        [("00123", 2), ("00124", 3), ("00200", 4)],
        perhaps=("zeros_shown",),
        is_honest=True,
    )
    yield _named(
        "format_text_long_number",
        "A number of 18 digits kept as text",
        [
            _head("cartão", "n"),
            text("A2", "376012345678901234") + number("B2", "1"),
            text("A3", "376012345678901235") + number("B3", "2"),
        ],
        "cartão n",
        "text integer",
        [("376012345678901234", 1), ("376012345678901235", 2)],
    )
    days = [_head("lote", "data")] + [
        text(f"A{n}", f"L{n - 1}") + number(f"B{n}", str(value), style=1)
        for n, value in enumerate((44591, 44592, 44619), start=2)
    ]
    for name, properties, written in (
        ("1900", "", ["2022-01-30", "2022-01-31", "2022-02-27"]),
        ("1904", '<workbookPr date1904="1"/>', ["2026-01-31", "2026-02-01", "2026-02-28"]),
    ):
        yield Case(
            f"format_dates_from_{name}.xlsx",
            workbook({"Dados": worksheet(days)}, properties=properties),
            Truth(
                f"Days counted from {name}",
                (
                    sheet(
                        "lote data",
                        "text date",
                        [(f"L{n}", day) for n, day in enumerate(written, start=1)],
                        name="Dados",
                    ),
                ),
            ),
        )
    yield _named(
        "format_dates_mixed",
        "Dates as dates and dates as text in one column",
        [
            _head("lote", "data"),
            text("A2", "L1") + number("B2", "46053", style=1),
            text("A3", "L2") + text("B3", "01/02/2026"),
            text("A4", "L3") + number("B4", "46081", style=1),
            text("A5", "L4") + text("B5", "13/03/2026"),
        ],
        "lote data",
        "text date",
        [("L1", "2026-01-31"), ("L2", "2026-02-01"), ("L3", "2026-02-28"), ("L4", "2026-03-13")],
        repaired=("text_as_date",),
        is_honest=True,
    )
    yield _named(
        "format_times",
        "Times of the day and durations, as Excel keeps them",
        [
            _head("lote", "hora", "tempo"),
            text("A2", "L1")
            + number("B2", "0.354166666666667", style=3)
            + number("C2", "1.25", style=4),
            text("A3", "L2") + number("B3", "0.5", style=3) + number("C3", "0.5", style=4),
            text("A4", "L3")
            + number("B4", "0.999988425925926", style=3)
            + number("C4", "2", style=4),
        ],
        "lote hora tempo",
        "text time number",
        [("L1", "08:30:00", 30.0), ("L2", "12:00:00", 12.0), ("L3", "23:59:59", 48.0)],
        repaired=("durations",),
    )


def _writers() -> Iterator[Case]:
    three = [
        ("lote", "peso"),
        ("L1", 1.5),
        ("L2", 2.5),
        ("L3", 3.5),
    ]
    told = sheet("lote peso", "text number", three[1:], name="Dados")
    rows = [
        _head("lote", "peso"),
        *(
            text(f"A{n}", row[0]) + number(f"B{n}", str(row[1]))
            for n, row in enumerate(three[1:], 2)
        ),
    ]
    page = worksheet(rows)
    unplaced = re.sub(r' r="[A-Z]*\d+"', "", page)
    prefixed = re.sub(r"<(/?)(worksheet|sheetData|row|c|v|is|t)\b", r"<\1x:\2", page)
    prefixed = prefixed.replace("xmlns=", "xmlns:x=")
    lying = page.replace("<sheetData>", '<dimension ref="A1:XFD1048576"/><sheetData>')
    for name, about, made in (
        (
            "cells_without_places",
            "Cells that do not say where they stand follow each other",
            unplaced,
        ),
        ("prefixed_names", "A prefix stands before every name of the XML", prefixed),
        ("dimension_that_lies", "The sheet says it fills all of Excel, and has eight cells", lying),
    ):
        yield Case(f"writer_{name}.xlsx", workbook({"Dados": made}), Truth(about, (told,)))
    strict = workbook({"Dados": page})
    parts = grids.unzipped(strict)
    for old, new in _STRICT:
        parts = {name: part.replace(old.encode(), new.encode()) for name, part in parts.items()}
    yield Case(
        "writer_strict.xlsx",
        grids.zipped(parts),
        Truth("Saved by Excel as Strict Open XML", (told,)),
    )
    shared = (
        '<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" count="4">'
        "<si><t>lote</t></si><si><r><t>pe</t></r><r><rPr><b/></rPr><t>so</t></r></si>"
        "<si><t>L1</t><rPh sb='0' eb='1'><t>ele</t></rPh></si><si><t>L2</t></si>"
        "<si><t xml:space='preserve'>L3</t></si></sst>"
    )
    indexed = [
        '<c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c>',
        *(
            f'<c r="A{n}" t="s"><v>{n}</v></c><c r="B{n}"><v>{row[1]}</v></c>'
            for n, row in enumerate(three[1:], start=2)
        ),
    ]
    yield Case(
        "writer_shared_rich_text.xlsx",
        workbook({"Dados": worksheet(indexed)}, shared=shared),
        Truth("Shared texts in several pieces, one with its reading", (told,)),
    )
    escaped = worksheet(
        [
            _head("lote", "nota"),
            text("A2", "L1") + text("B2", "duas_x000D_linhas"),
            text("A3", "L2") + text("B3", "a & b < c"),
            text("A4", "L3") + text("B4", "maçã 🍎"),
        ]
    )
    yield Case(
        "writer_escaped_signs.xlsx",
        workbook({"Dados": escaped}),
        Truth(
            "Signs that XML or Excel write in another way",
            (
                sheet(
                    "lote nota",
                    "text text",
                    [("L1", "duas\rlinhas"), ("L2", "a & b < c"), ("L3", "maçã 🍎")],
                    name="Dados",
                ),
            ),
        ),
    )
    gaps = worksheet(
        [*rows[:2], "", "", *(rows[2].replace('"A3"', '"A5"').replace('"B3"', '"B5"'),)]
    )
    yield Case(
        "writer_rows_left_out.xlsx",
        workbook({"Dados": gaps}),
        Truth(
            "Rows that are not in the file at all are blank rows",
            (
                sheet(
                    "lote peso",
                    "text number",
                    three[1:3],
                    name="Dados",
                    apart=(("blank", 3, 4),),
                ),
            ),
        ),
    )
    far = worksheet([*rows, *[""] * 95, text("A100", "Fonte: balança 3")])
    yield Case(
        "writer_note_far_below.xlsx",
        workbook({"Dados": far}),
        Truth(
            "A note 95 rows under the table",
            (
                sheet(
                    "lote peso",
                    "text number",
                    three[1:],
                    name="Dados",
                    apart=(("blank", 5, 99), ("note", 100, 100)),
                ),
            ),
        ),
    )
    styled = worksheet([*rows, *(f'<c r="A{n}" s="1"/><c r="B{n}" s="1"/>' for n in range(5, 40))])
    yield Case(
        "writer_formatted_below.xlsx",
        workbook({"Dados": styled}),
        Truth(
            "Empty cells with a format under the table hold nothing",
            (told,),
            is_honest=True,
        ),
    )
    yield Case(
        "writer_with_macros.xlsm",
        workbook({"Dados": page}, parts={"xl/vbaProject.bin": bytes(64)}),
        Truth("A workbook with macros is read like any other", (told,)),
    )
    yield Case(
        "named_wrongly_workbook.csv",
        workbook({"Dados": page}),
        Truth("A workbook under the name of a text table", (told,)),
    )
    yield Case(
        "named_wrongly_text.xlsx",
        grids.csv_text((HEADER, *ROWS)).encode("cp1252"),
        Truth("A text table under the name of a workbook", (sheet(HEADER, TYPES, ROWS),)),
    )
    yield Case(
        "named_wrongly_text.xls",
        grids.csv_text((HEADER, *ROWS), delimiter="\t").encode("utf-16"),
        Truth("A text table in UTF-16 under the name of a workbook", (sheet(HEADER, TYPES, ROWS),)),
    )
    yield Case(
        "named_wrongly_new.xls",
        workbook({"Dados": page}),
        Truth("A new workbook under the name of an old one", (told,)),
    )
    yield Case(
        "named_wrongly_old.xlsx",
        grids.xls(three),
        Truth("An old workbook under the name of a new one", (told,)),
    )
    unstyled = parts_without_styles(workbook({"Dados": page}))
    yield Case(
        "writer_without_styles.xlsx", unstyled, Truth("There is no part for styles", (told,))
    )


def parts_without_styles(content: bytes) -> bytes:
    """The workbook as a careless program writes it."""
    parts = grids.unzipped(content)
    assert parts.pop("xl/styles.xml").decode() == STYLES
    for name, pattern in (
        ("[Content_Types].xml", rb"<Override PartName=./xl/styles.xml.[^>]*>"),
        ("xl/_rels/workbook.xml.rels", rb'<Relationship Id="rId90"[^>]*>'),
    ):
        parts[name] = re.sub(pattern, b"", parts[name])
    return grids.zipped(parts)
