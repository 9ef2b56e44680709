"""Cells that are easily read as something else: numbers, dates, codes, words for nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, time, timedelta
from typing import Any

from tests.data.nasty.every_format import in_formats
from tests.data.nasty.truth import Case, Said, Truth, said, sheet
from tests.data.writers import grids
from tests.data.writers.handwritten_xlsx import exactly


def cases() -> Iterator[Case]:
    """All of them."""
    yield from _codes()
    yield from _numbers()
    yield from _dates()
    yield from _times()
    yield from _yes_and_no()
    yield from _nothing()


def _column(
    name: str,
    about: str,
    texts: Sequence[str],
    type_: str,
    values: Sequence[Any],
    *,
    head: str = "valor",
    repaired: Sequence[str | Said] = (),
    doubtful: Sequence[str | Said] = (),
    in_excel: Sequence[str] = (),
    is_honest: bool = False,
    perhaps: tuple[str, ...] = (),
) -> Iterator[Case]:
    """A column of texts beside one of names, as CSV and as texts in a workbook.

    `in_excel` are the kinds of repairs that are to be said of the workbook on top.
    """
    grid = [("lote", head), *((f"L{n}", text) for n, text in enumerate(texts, start=1))]
    rows = [(f"L{n}", value) for n, value in enumerate(values, start=1)]
    for format_, more in (("csv", ()), ("xlsx", in_excel)):
        yield from in_formats(
            name,
            about,
            grid,
            sheet(
                ("lote", head),
                f"text {type_}",
                rows,
                repaired=(*repaired, *more),
                doubtful=doubtful,
                perhaps=perhaps,
            ),
            formats=(format_,),
            is_honest=is_honest,
        )


def _codes() -> Iterator[Case]:
    for name, about, texts in (
        (
            "leading_zeros",
            "Zeros before a number make it a name",
            ["00123", "00124", "00200", "45"],
        ),
        (
            "ids_of_18_digits",
            "More than 15 digits are kept to the last one",
            ["376012345678901234", "376012345678901235", "376012345678901236"],
        ),
        (
            "ids_of_30_digits",
            "No number of the machine holds these",
            ["9" * 30, "1" + "0" * 29, "123456789012345678901234567890"],
        ),
        ("part_numbers_with_e", "12E4 is a part, not 120,000", ["12E4", "13E5", "1E10", "7E3"]),
        ("codes_like_dates", "1-2 and MAR10 are codes", ["1-2", "3-4", "MAR10", "SEP1", "10-12"]),
        (
            "phones",
            "A plus sign before digits is a telephone number's",
            ["+351912345678", "+351913456789", "+34600700800"],
        ),
        (
            "texts_like_formulas",
            "Texts that begin like formulas are texts",
            ["=1+1", "@soma", "-abc", "+abc", '=HYPERLINK("x")'],
        ),
        (
            "inf_and_nan",
            "Words that some languages read as numbers",
            ["inf", "nan", "Infinity", "1e"],
        ),
        ("hexadecimal", "Hexadecimal is a code", ["0x1F", "0xAB", "0x00", "0x10"]),
        ("underscored", "Digits parted by underscores are a code", ["1_000", "2_000", "3_500"]),
        ("versions", "Numbers with two points are versions", ["1.2.3", "1.10.0", "2.0.1"]),
    ):
        yield from _column(f"text_{name}", about, texts, "text", texts)
    late = [str(number) for number in range(1, 2_101)] + ["00123"]
    yield from _column(
        "text_leading_zero_late",
        "One leading zero in the last of many rows makes the column text",
        late,
        "text",
        late,
        doubtful=(said("mixed_column", "B2102"),),
    )


def _numbers() -> Iterator[Case]:
    yield from _column(
        "number_sign_behind",
        "The sign behind the number, as SAP writes it",
        ["12,5-", "3,25", "1.250,00-", "7,0"],
        "number",
        [-12.5, 3.25, -1250.0, 7.0],
        in_excel=("text_as_number",),
        perhaps=("trailing_minus",),
    )
    yield from _column(
        "number_percent",
        "Percent as text become fractions, and that is said",
        ["12,5%", "50 %", "100%", "6,25%"],
        "number",
        [0.125, 0.5, 1.0, 0.0625],
        repaired=("percent_as_fraction",),
        in_excel=("text_as_number",),
    )
    for name, texts in (
        ("before", ["€ 1.234,50", "€ 2,25", "€ 0,75", "€ 12.000,00"]),
        ("behind", ["1.234,50 €", "2,25 €", "0,75 €", "12.000,00 €"]),
        ("of_america", ["$1,234.50", "$2.25", "$0.75", "$12,000.00"]),
        ("as_a_word", ["1.234,50 EUR", "2,25 EUR", "0,75 EUR", "12.000,00 EUR"]),
    ):
        yield from _column(
            f"number_currency_{name}",
            "One currency throughout is taken off, and that is said",
            texts,
            "number",
            [1234.5, 2.25, 0.75, 12000.0],
            repaired=("currency_removed",),
            in_excel=("text_as_number",),
        )
    mixed = ["€ 10,50", "$ 20,25", "€ 30,75", "£ 40,00"]
    yield from _column(
        "number_currencies_mixed",
        "Different currencies cannot be one column",
        mixed,
        "text",
        mixed,
        doubtful=("mixed_column",),
    )
    yield from _column(
        "number_unclear",
        "1.234 could be one and a bit, or a thousand: that is said",
        ["1.234", "2.345", "3.456", "9.876"],
        "number",
        [1.234, 2.345, 3.456, 9.876],
        doubtful=("decimal_mark",),
        in_excel=("text_as_number",),
        is_honest=True,
    )
    yield from _column(
        "number_blanks_for_thousands",
        "Blanks, narrow ones and apostrophes part thousands",
        ["1 234,5", "12\u00a0345,25", "1\u202f000\u202f000,75", "7,5"],
        "number",
        [1234.5, 12345.25, 1000000.75, 7.5],
        in_excel=("text_as_number",),
    )
    mixture = ["1,5", "2.5", "3,75", "4.25", "5,5", "6.5"]
    yield from _column(
        "number_two_marks",
        "Decimal commas and points in one column are for the person to clear up",
        mixture,
        "text",
        mixture,
        perhaps=("mixed_column",),
    )
    precise = [0.1 + 0.2, 1e-10, 123456789.012345, 274.659999999997, 1.7976931348623157e308, 5e-324]
    grid = [("lote", "valor"), *((f"L{n}", value) for n, value in enumerate(precise, start=1))]
    exact = sheet("lote valor", "text number", grid[1:])
    about = "Seventeen digits, the smallest and the largest number: none is rounded"
    yield from in_formats("number_precision", about, grid, exact, formats=("xls", "ods"))
    named = replace(exact, name="Dados")
    yield Case("number_precision.xlsx", exactly(grid), Truth(about, (named,)))
    # As text, what stands for a number ends at exponents of 299: beyond is another kind of code.
    precise = [*precise[:4], 1.7976931348623157e298, 5e-299]
    exact = sheet("lote valor", "text number", [(f"L{n}", v) for n, v in enumerate(precise, 1)])
    written = "lote;valor\n" + "".join(
        f"L{n};{value!r}\n".replace(".", ",") for n, value in enumerate(precise, start=1)
    )
    yield Case("number_precision.csv", written.encode(), Truth("The same as text", (exact,)))
    zero = "lote;valor\nL1;-0\nL2;0\nL3;-0,0\nL4;1,5\n"
    yield Case(
        "number_negative_zero.csv",
        zero.encode(),
        Truth(
            "A negative zero is a zero",
            (sheet("lote valor", "text number", [("L1", 0), ("L2", 0), ("L3", 0), ("L4", 1.5)]),),
        ),
    )
    yield from _column(
        "number_scientific",
        "Exponents with a sign are numbers",
        ["1,5E+03", "2,5E-10", "1E+200", "3,25E+00"],
        "number",
        [1500.0, 2.5e-10, 1e200, 3.25],
        in_excel=("text_as_number",),
    )
    beyond = ["1E+400", "2,5E+10", "3E+10", "1,5E+3", "2E+4", "3,5E+5", "4E+6", "5,5E+7"]
    yield from _column(
        "number_beyond_all",
        "A number that no machine holds is not made infinite",
        beyond,
        "text",
        beyond,
        doubtful=("mixed_column",),
        is_honest=True,
    )
    yield from _column(
        "number_stored_as_text",
        "Numbers that Excel keeps as text become numbers, and that is said",
        ["15", "27", "308", "4"],
        "integer",
        [15, 27, 308, 4],
        in_excel=("text_as_number",),
    )
    half = [("lote", "valor"), *((f"L{n}", n if n % 2 else str(n)) for n in range(1, 9))]
    yield from in_formats(
        "number_half_stored_as_text",
        "Every other number is kept as text",
        half,
        sheet(
            "lote valor",
            "text integer",
            [(f"L{n}", n) for n in range(1, 9)],
            repaired=("text_as_number",),
        ),
        formats=("xlsx", "xls"),
    )
    late: list[tuple[Any, ...]] = [(f"L{n}", n + 0.5) for n in range(1, 1_501)]
    late[1_200] = ("L1201", "avariado")
    yield from in_formats(
        "number_and_a_word_late",
        "A word among numbers after the first thousand rows",
        [("lote", "valor"), *late],
        sheet(
            "lote valor",
            "text text",
            [(row[0], row[1] if isinstance(row[1], str) else str(row[1])) for row in late],
            doubtful=(said("mixed_column", "B1202"),),
        ),
        formats=("xlsx",),
    )
    comma = [(row[0], str(row[1]).replace(".", ",")) for row in late]
    yield Case(
        "number_and_a_word_late.csv",
        grids.csv_text([("lote", "valor"), *comma]).encode(),
        Truth(
            "A word among numbers after the first thousand rows",
            (
                sheet(
                    "lote valor",
                    "text text",
                    comma,
                    doubtful=(said("mixed_column", "B1202"),),
                ),
            ),
        ),
    )


def _dates() -> Iterator[Case]:
    days = [date(2026, 1, 31), date(2026, 2, 1), date(2026, 2, 28), date(2026, 12, 5)]
    for name, form in (
        ("dmy", "%d/%m/%Y"),
        ("dmy_dashes", "%d-%m-%Y"),
        ("dmy_points", "%d.%m.%Y"),
        ("dmy_short", "%d-%m-%y"),
        ("iso", "%Y-%m-%d"),
        ("ymd_slashes", "%Y/%m/%d"),
        ("ymd_sap", "%Y%m%d"),
        ("mdy_proved", "%m/%d/%Y"),
    ):
        yield from _column(
            f"date_{name}",
            f"Dates written {form}",
            [day.strftime(form) for day in days],
            "date",
            days,
            head="data",
            in_excel=("text_as_date",),
            repaired=("month_first",) if name == "mdy_proved" else (),
            perhaps=("compact_dates",),
        )
    unclear = [date(2026, 4, 3), date(2026, 6, 5), date(2026, 1, 2), date(2026, 12, 11)]
    yield from _column(
        "date_unclear",
        "No day is over 12: day and month could be swapped, and that is said",
        [day.strftime("%d/%m/%Y") for day in unclear],
        "date",
        unclear,
        head="data",
        doubtful=("day_month",),
        in_excel=("text_as_date",),
    )
    months = ["31-jan-2026", "01-fev-2026", "28-fev-2026", "05-dez-2026"]
    yield from _column(
        "date_named_months",
        "Portuguese names of months",
        months,
        "date",
        days,
        head="data",
        in_excel=("text_as_date",),
    )
    words = ["31/01/2026", "por marcar", "28/02/2026", "05/12/2026", "13/03/2026", "14/03/2026"]
    yield from _column(
        "date_and_word",
        "A word among dates leaves the column text, and is named",
        words,
        "text",
        words,
        head="data",
        doubtful=(said("mixed_column", "B3"),),
    )
    wrong = ["28/02/2026", "29/02/2026", "13/03/2026", "14/03/2026", "15/03/2026", "16/03/2026"]
    yield from _column(
        "date_that_is_none",
        "29 February of a year without one is no date",
        wrong,
        "text",
        wrong,
        head="data",
        doubtful=(said("mixed_column", "B3"),),
    )
    old = [date(1899, 12, 31), date(1850, 5, 13), date(2026, 2, 1)]
    yield from _column(
        "date_before_1900",
        "Dates that Excel cannot hold are text there, and dates here",
        [day.strftime("%d/%m/%Y") for day in old],
        "date",
        old,
        head="data",
        in_excel=("text_as_date",),
    )
    serial = [("lote", "Data"), ("L1", 46053), ("L2", 46054), ("L3", 46081), ("L4", 46361)]
    serials = [date(2026, 1, 31), date(2026, 2, 1), date(2026, 2, 28), date(2026, 12, 5)]
    yield from in_formats(
        "date_serial",
        "Excel's own numbers for days under the name Data, without a format",
        serial,
        sheet(
            "lote Data",
            "text date",
            [(f"L{n}", day) for n, day in enumerate(serials, start=1)],
            repaired=("serial_dates",),
        ),
        formats=("xlsx", "xls", "csv"),
    )
    yield from in_formats(
        "number_like_serials",
        "The same numbers under the name peças are pieces",
        [("lote", "peças"), *serial[1:]],
        sheet("lote peças", "text integer", serial[1:]),
    )


def _times() -> Iterator[Case]:
    clock = [time(8, 30), time(12, 0, 5), time(23, 59, 59), time(0, 0)]
    grid = [("lote", "hora"), *((f"L{n}", each) for n, each in enumerate(clock, start=1))]
    yield from in_formats(
        "time_of_day",
        "Times of the day",
        grid,
        sheet("lote hora", "text time", grid[1:]),
        formats=("csv", "xlsx", "xls", "ods"),
    )
    lasting = [
        timedelta(hours=30),
        timedelta(minutes=61, seconds=5),
        timedelta(hours=100, seconds=1),
        timedelta(hours=7),
    ]
    grid_of = [("lote", "tempo"), *((f"L{n}", each) for n, each in enumerate(lasting, start=1))]
    yield from in_formats(
        "time_over_a_day",
        "Durations of more than 24 hours",
        grid_of,
        sheet(
            "lote tempo",
            "text number",
            [(f"L{n}", each.total_seconds() / 3_600) for n, each in enumerate(lasting, start=1)],
            repaired=("durations",),
        ),
        formats=("csv", "xlsx", "xls", "ods"),
    )
    moments = [
        "13/02/2026 08:30",
        "14/02/2026 23:59",
        "15/02/2026 00:00",
    ]
    yield from _column(
        "time_and_date",
        "Dates with the time",
        moments,
        "datetime",
        ["2026-02-13 08:30:00", "2026-02-14 23:59:00", "2026-02-15 00:00:00"],
        head="momento",
        in_excel=("text_as_date",),
    )
    yield from _column(
        "time_and_date_iso",
        "Moments as machines write them, with a T, fractions of seconds",
        ["2026-02-13T08:30:00", "2026-02-14T23:59:59.250", "2026-02-15T00:00:01"],
        "datetime",
        ["2026-02-13 08:30:00", "2026-02-14 23:59:59.250000", "2026-02-15 00:00:01"],
        head="momento",
        in_excel=("text_as_date",),
    )


def _yes_and_no() -> Iterator[Case]:
    truth = [True, False, True, True, False]
    for name, yes, no in (
        ("sim", "sim", "não"),
        ("sim_capitals", "SIM", "NÃO"),
        ("verdadeiro", "VERDADEIRO", "FALSO"),
        ("true", "true", "false"),
        ("s", "S", "N"),
    ):
        yield from _column(
            f"boolean_{name}",
            f"{yes} and {no}",
            [yes if each else no for each in truth],
            "boolean",
            truth,
            head="ok",
            in_excel=("text_as_boolean",),
            perhaps=("text_as_boolean",),
        )
    marks = [("lote", "ok"), *((f"L{n}", "X" if each else None) for n, each in enumerate(truth, 1))]
    yield from in_formats(
        "boolean_marks",
        "An X in some rows, nothing in the others: kept as it is",
        marks,
        sheet("lote ok", "text text", marks[1:]),
    )
    bits = [("lote", "ok"), *((f"L{n}", int(each)) for n, each in enumerate(truth, 1))]
    yield from in_formats(
        "boolean_bits",
        "0 and 1 are numbers",
        bits,
        sheet("lote ok", "text integer", bits[1:]),
    )
    real = [("lote", "ok"), *((f"L{n}", each) for n, each in enumerate(truth, 1))]
    yield from in_formats(
        "boolean_cells",
        "Excel's own yes and no",
        real,
        sheet("lote ok", "text boolean", real[1:]),
        formats=("xlsx", "ods"),
    )
    same = ["não"] * 5
    yield from _column(
        "boolean_one_word", "One word alone is a word", same, "text", same, head="país"
    )


def _nothing() -> Iterator[Case]:
    for name, word in (
        ("na", "NA"),
        ("n_a", "N/A"),
        ("dash", "-"),
        ("null", "null"),
        ("nd", "n/d"),
    ):
        texts = ["12,5", word, "13,25", "14,0", word, "15,75", "16,5", "17,0"]
        yield from _column(
            f"missing_{name}_among_numbers",
            f"'{word}' among numbers is a missing one, and that is said",
            texts,
            "number",
            [12.5, None, 13.25, 14.0, None, 15.75, 16.5, 17.0],
            repaired=(said("missing_words", "B3", "B6"),),
            in_excel=("text_as_number",),
        )
        names = ["Ana", word, "Rui", "Eva", word, "Zé", "Bia", "Gil"]
        yield from _column(
            f"missing_{name}_among_words", f"'{word}' among words is a word", names, "text", names
        )
    flawed = ["#N/D", "1,5", "#DIV/0!", "2,5", "3,5", "4,5", "5,5", "6,5"]
    yield Case(
        "missing_errors.csv",
        grids.csv_text(
            [("lote", "valor"), *((f"L{n}", each) for n, each in enumerate(flawed, 1))]
        ).encode("cp1252"),
        Truth(
            "Excel's errors as text are missing, and counted",
            (
                sheet(
                    "lote valor",
                    "text number",
                    [
                        (f"L{n}", None if each[0] == "#" else float(each.replace(",", ".")))
                        for n, each in enumerate(flawed, 1)
                    ],
                    repaired=(said("error_cells", "B2", "B4"),),
                ),
            ),
        ),
    )
    yield from in_formats(
        "missing_column",
        "A column with a name and nothing in it",
        [("lote", "nota", "n"), ("A", None, 1), ("B", None, 2), ("C", None, 3)],
        sheet("lote nota n", "text text integer", [("A", None, 1), ("B", None, 2), ("C", None, 3)]),
    )
