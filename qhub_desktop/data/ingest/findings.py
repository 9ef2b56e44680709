"""Findings of an import, as sentences: what was repaired, and what could be read otherwise."""

from collections import Counter
from collections.abc import Iterable, Sequence

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.data.ingest.moment_patterns import BOOLEANS, DATES, TIMES
from qhub_desktop.data.ingest.readers.sheet import listed

TIME_UNITS = (3_600, 60, 1)  # seconds of an hour, a minute and a second
LISTED = 5  # addresses in a finding
_OF_SUMS = {"totals_kept", "totals_set_apart", "totals_above", "taxes_set_apart"}
_STORED = {DATES: "text_as_date", BOOLEANS: "text_as_boolean", TIMES: "text_as_time"}


def gravest_first(doubtful: Iterable[Finding]) -> tuple[Finding, ...]:
    """Order findings: first those on rows that may be sums, which make each answer another."""
    return tuple(sorted(doubtful, key=lambda each: each.kind not in _OF_SUMS))


def decimal_mark(name: str, example: str, mark: str) -> Finding:
    """Report numbers that could be read in two ways, and the decimal mark that was assumed."""
    return Finding(
        "decimal_mark",
        _(
            "Column {name}: a value such as {example} could be read in two ways;"
            " '{mark}' was taken to stand before the decimals."
        ).format(name=name, example=example, mark=mark),
    )


def day_month(name: str, example: str) -> Finding:
    """Report dates whose day and month could be swapped: no day in the column is above 12."""
    return Finding(
        "day_month",
        _(
            "Column {name}: day and month could be swapped in every date (as in {example});"
            " they were read as day/month."
        ).format(name=name, example=example),
    )


def month_first(name: str) -> Finding:
    """Report dates written month first: days above 12 stand in second place."""
    return Finding(
        "month_first",
        _("Column {name}: its dates are written month/day, and were read so.").format(name=name),
    )


def percent_as_fraction(name: str, example: str) -> Finding:
    """Report percentages read as fractions, as a spreadsheet itself does."""
    return Finding(
        "percent_as_fraction",
        _(
            "Column {name}: percentages such as {example} were read as fractions (50% = 0.5)."
        ).format(name=name, example=example),
    )


def currency_removed(name: str, example: str) -> Finding:
    """Report amounts read as numbers, without the sign of their currency."""
    return Finding(
        "currency_removed",
        _("Column {name}: amounts such as {example} were read as numbers.").format(
            name=name, example=example
        ),
    )


def unit_removed(name: str, example: str, unit: str) -> Finding:
    """Report numbers that all have one unit in their cells, read without it."""
    return Finding(
        "unit_removed",
        _("Column {name}: values such as {example} were read as numbers, all of them in {unit}.")
        .format(name=name, example=example, unit=unit),
    )  # fmt: skip


def zone_removed(name: str, example: str, zones: Sequence[str]) -> Finding:
    """Report times read as they are written, without the zone behind them."""
    return Finding(
        "zone_removed",
        _(
            "Column {name}: times such as {example} were read as they are written, without their"
            " zone ({zones})."
        ).format(name=name, example=example, zones=", ".join(zones)),
    )


def instants_together(name: str, count: int, example: str, zones: Sequence[str]) -> Finding:
    """Report instants that are one and the same time without their zone."""
    return Finding(
        "instants_together",
        ngettext(
            "Column {name}: {count} time is written in several zones ({zones}), as {example} is,"
            " and different instants are the same without them.",
            "Column {name}: {count} times are written in several zones ({zones}), as {example} is,"
            " and different instants are the same without them.",
            count,
        ).format(name=name, count=number(count, digits=0), example=example, zones=", ".join(zones)),
        count,
    )


def several_tails(name: str, kind: str, tails: Sequence[str]) -> Finding:
    """Report numbers of several units, or times of several zones, which stay text."""
    told = listed([each or _("none") for each in tails[:LISTED]], of=len(tails))
    if kind == DATES:
        text = _(
            "Column {name}: its times are of several zones ({tails}), so the whole column is text."
        )
    else:
        text = _(
            "Column {name}: its numbers have several units ({tails}), so the whole column is text."
        )
    return Finding("mixed_column", text.format(name=name, tails=told))


def durations(name: str, example: str, unit_s: int) -> Finding:
    """Report lengths of time that became numbers of hours, minutes or seconds."""
    text = {
        3_600: _("Column {name}: lengths of time such as {example} were read as hours."),
        60: _("Column {name}: lengths of time such as {example} were read as minutes."),
        1: _("Column {name}: lengths of time such as {example} were read as seconds."),
    }[unit_s]
    return Finding("durations", text.format(name=name, example=example))


def negative_in_parentheses(
    name: str, count: int, examples: Sequence[str], cells: tuple[str, ...]
) -> Finding:
    """Report numbers in parentheses, read as negative as accountants write them."""
    return Finding(
        "negative_in_parentheses",
        ngettext(
            "Column {name}: {count} number in parentheses ({examples}) was read as negative.",
            "Column {name}: {count} numbers in parentheses ({examples}) were read as negative.",
            count,
        ).format(name=name, count=number(count, digits=0), examples=_quoted(examples)),
        count,
        cells,
    )


def stored_as_text(name: str, kind: str, count: int, cells: tuple[str, ...]) -> Finding:
    """Report values that a spreadsheet stores in cells of text."""
    return Finding(
        _STORED.get(kind, "text_as_number"),
        ngettext(
            "Column {name}: {count} cell of {kind} is stored as text in the file.",
            "Column {name}: {count} cells of {kind} are stored as text in the file.",
            count,
        ).format(name=name, count=number(count, digits=0), kind=_(kind)),
        count,
        cells,
    )


def serial_dates(name: str) -> Finding:
    """Report serial dates: numbers of days since 1899-12-30."""
    text = _("Column {name}: it holds a spreadsheet's day numbers, which were read as dates.")
    return Finding("serial_dates", text.format(name=name))


def serial_times(name: str) -> Finding:
    """Report times of day as spreadsheets count them: parts of a day."""
    text = _("Column {name}: it holds parts of a day, which were read as times of day.")
    return Finding("serial_times", text.format(name=name))


def compact_dates(name: str, example: str, *, is_named: bool) -> Finding:
    """Report dates written as numbers: year, month and day without separators.

    Unless the column `is_named` as one of dates, they may be numbers all the same.
    """
    if is_named:
        text = _("Column {name}: numbers such as {example} were read as dates (year, month, day).")
    else:
        text = _(
            "Column {name}: numbers such as {example} are all days (year, month, day), and were"
            " read as dates. If they are numbers or codes, choose that type."
        )
    return Finding("compact_dates", text.format(name=name, example=example))


def perhaps_compact_dates(name: str, example: str) -> Finding:
    """Report numbers that may be days written as numbers, but too few to tell."""
    text = _(
        "Column {name}: numbers such as {example} may be days (year, month, day), and were read as"
        " numbers. If they are days, choose that type."
    )
    return Finding("compact_dates", text.format(name=name, example=example))


def perhaps_yearless(name: str, example: str) -> Finding:
    """Report numbers that may be days and months without a year."""
    text = _(
        "Column {name}: numbers such as {example} may be days without a year, and were read as"
        " numbers."
    )
    return Finding("unread_values", text.format(name=name, example=example))


def missing_words(
    name: str, count: int, examples: Sequence[str], cells: tuple[str, ...]
) -> Finding:
    """Report words for missing values in a column of values."""
    return Finding(
        "missing_words",
        ngettext(
            "Column {name}: {count} cell with {examples} was read as missing.",
            "Column {name}: {count} cells with {examples} were read as missing.",
            count,
        ).format(name=name, count=number(count, digits=0), examples=_quoted(examples)),
        count,
        cells,
    )


def error_cells(kinds: Counter[str], cells: tuple[str, ...]) -> Finding:
    """Report cells with a formula error, counted by the error's name."""
    count = kinds.total()
    return Finding(
        "error_cells",
        ngettext(
            "{count} cell holds an error ({kinds}) and was read as missing: {cells}.",
            "{count} cells hold errors ({kinds}) and were read as missing: {cells}.",
            count,
        ).format(
            count=number(count, digits=0),
            kinds=", ".join(f"{name} × {times}" for name, times in kinds.most_common()),
            cells=listed(cells, of=count),
        ),
        count,
        cells,
    )


def mixed_column(
    name: str, count: int, present: int, examples: Sequence[str], cells: tuple[str, ...]
) -> Finding:
    """Report a spreadsheet's column with cells of several kinds."""
    return Finding(
        "mixed_column",
        ngettext(
            "Column {name}: {count} of {present} cells is of another kind than the others"
            " ({examples}), so the whole column is text.",
            "Column {name}: {count} of {present} cells are of another kind than the others"
            " ({examples}), so the whole column is text.",
            count,
        ).format(
            name=name,
            count=number(count, digits=0),
            present=number(present, digits=0),
            examples=_quoted(examples),
        ),
        count,
        cells,
    )


def mismatches(
    name: str,
    count: int,
    present: int,
    kind: str,
    examples: Sequence[str],
    cells: tuple[str, ...],
) -> Finding:
    """Report the few texts that keep a column from having a type other than text."""
    return Finding(
        "mixed_column",
        ngettext(
            "Column {name}: {count} of {present} values does not read as {kind} ({examples}),"
            " so the whole column is text.",
            "Column {name}: {count} of {present} values are not {kind} ({examples}),"
            " so the whole column is text.",
            count,
        ).format(
            name=name,
            count=number(count, digits=0),
            present=number(present, digits=0),
            kind=_(kind),
            examples=_quoted(examples),
        ),
        count,
        cells,
    )


def several_notations(name: str, count: int, kind: str, examples: Sequence[str]) -> Finding:
    """Report values of one kind in several notations, which no type reads together; or in a single
    one, which the file keeps as text and codes are written in.
    """
    if len(examples) < 2:
        text = _(
            "Column {name}: its values ({examples}) are kept as text in the file and may be codes,"
            " so the whole column is text. If they are {kind}, choose that type."
        )
        said = text.format(name=name, kind=_(kind), examples=_quoted(examples))
        return Finding("mixed_column", said, count)
    return Finding(
        "mixed_column",
        _(
            "Column {name}: its values look like {kind}, but are written in several ways"
            " ({examples}), so the whole column is text."
        ).format(name=name, kind=_(kind), examples=_quoted(examples)),
        count,
    )


def unread_values(name: str, examples: Sequence[str]) -> Finding:
    """Report texts that look like values in a writing that is not read."""
    text = _(
        "Column {name} stays text: its values may be written in a way unknown here ({examples})."
    )
    return Finding("unread_values", text.format(name=name, examples=_quoted(examples)))


def not_of_chosen_type(name: str, count: int, cells: tuple[str, ...]) -> Finding:
    """Report cells that have no value of the type that the person chose."""
    return Finding(
        "not_of_chosen_type",
        ngettext(
            "Column {name}: {count} cell is not of the chosen type and was read as missing:"
            " {cells}.",
            "Column {name}: {count} cells are not of the chosen type and were read as missing:"
            " {cells}.",
            count,
        ).format(name=name, count=number(count, digits=0), cells=listed(cells, of=count)),
        count,
        cells,
    )


def longer_rows(count: int, cells: tuple[str, ...]) -> Finding:
    """Report rows with cells to the right of the last name."""
    return Finding(
        "longer_rows",
        ngettext(
            "{count} row has more cells than the header; they are kept in extra columns.",
            "{count} rows have more cells than the header; they are kept in extra columns.",
            count,
        ).format(count=number(count, digits=0)),
        count,
        cells,
    )


def shorter_rows(count: int, cells: tuple[str, ...]) -> Finding:
    """Report rows that end before the last name."""
    return Finding(
        "shorter_rows",
        ngettext(
            "{count} row has fewer cells than the header; those that lack are missing.",
            "{count} rows have fewer cells than the header; those that lack are missing.",
            count,
        ).format(count=number(count, digits=0)),
        count,
        cells,
    )


def merged_filled(count: int, cells: tuple[str, ...]) -> Finding:
    """Report merged ranges whose value was filled into every row that they cover."""
    return Finding(
        "merged_filled",
        ngettext(
            "{count} merged range was filled down: {cells}.",
            "{count} merged ranges were filled down: {cells}.",
            count,
        ).format(count=number(count, digits=0), cells=listed(cells, of=count)),
        count,
        cells,
    )


def blank_columns(letters: Sequence[str]) -> Finding:
    """Report blank columns before or between those that hold something."""
    shown = tuple(letters[:LISTED])
    return Finding(
        "blank_columns",
        ngettext(
            "{count} blank column was left out: {columns}.",
            "{count} blank columns were left out: {columns}.",
            len(letters),
        ).format(count=len(letters), columns=listed(shown, of=len(letters))),
        len(letters),
        shown,
    )


def no_header() -> Finding:
    """Report a table without a row of names."""
    return Finding(
        "no_header",
        _(
            "No row holds the columns' names, so they were given names. If one does, choose it as"
            " the header."
        ),
    )


def header_rows(first: int, last: int, cell: str) -> Finding:
    """Report a header of several rows, the lower ones of which could be rows of data."""
    return Finding(
        "header_rows",
        _(
            "Rows {first} to {last} were read as the header. If the lower ones are data, choose"
            " row {first} as the header."
        ).format(first=first, last=last),
        cells=(cell,),
    )


def numbers_as_names(row: int, cell: str) -> Finding:
    """Report a header that consists of numbers, and could be a row of data."""
    return Finding(
        "numbers_as_names",
        _(
            "The numbers in row {row} were read as the columns' names, as they rise or fall evenly."
            " If they are data, choose that there is no header."
        ).format(row=row),
        cells=(cell,),
    )


def values_as_names(names: Sequence[str], row: int, cells: tuple[str, ...]) -> Finding:
    """Report names that look like values of their columns, so that their row could be data."""
    count = len(names)
    return Finding(
        "values_as_names",
        ngettext(
            "The name {names} in row {row} looks like a value of its column. If the row is data,"
            " choose that there is no header.",
            "The names {names} in row {row} look like values of their columns. If the row is data,"
            " choose that there is no header.",
            count,
        ).format(names=listed([f"'{name}'" for name in names[:LISTED]], of=count), row=row),
        count,
        cells[:LISTED],
    )


def days_as_names(cell: str) -> Finding:
    """Report a plan of a month, with a column for each of its days."""
    return Finding(
        "days_as_names",
        _(
            "The columns look like the days of a month. To ask about days, drop a table that has a"
            " row for each day, and the day in a column."
        ),
        cells=(cell,),
    )


def labels_once(names: str, count: int, cells: tuple[str, ...]) -> Finding:
    """Report labels that stand in the first row of their group only."""
    return Finding(
        "labels_once",
        ngettext(
            "Column {names}: {count} row has no value under one that has, as if it were written"
            " once for several rows.",
            "Column {names}: {count} rows have no value under one that has, as if it were written"
            " once for several rows.",
            count,
        ).format(names=names, count=number(count, digits=0)),
        count,
        cells,
    )


def labels_filled(names: str, count: int, cells: tuple[str, ...]) -> Finding:
    """Report labels of groups that were given to all of their rows."""
    return Finding(
        "labels_filled",
        ngettext(
            "Column {names}: {count} row was given the value above it.",
            "Column {names}: {count} rows were given the value above them.",
            count,
        ).format(names=names, count=number(count, digits=0)),
        count,
        cells,
    )


def records_in_columns(cell: str) -> Finding:
    """Report a table with its fields in rows and its records in columns."""
    return Finding(
        "records_in_columns",
        _(
            "Each row seems to hold one property, and each column one record, so the columns mix"
            " values of several kinds. Exchange rows and columns to ask about them."
        ),
        cells=(cell,),
    )


def lines_of_records(lines: int, cell: str) -> Finding:
    """Report a table whose records take several rows each."""
    return Finding(
        "lines_of_records",
        _(
            "Each record seems to take {lines} rows, so the columns mix values of several kinds. To"
            " ask about them, export the table with one row for each record."
        ).format(lines=lines),
        cells=(cell,),
    )


def transposed() -> Finding:
    """Report that rows and columns were exchanged, as the person chose."""
    return Finding(
        "transposed",
        _(
            "Rows and columns were exchanged. The rows and cells named here are those of the"
            " exchanged table."
        ),
    )


def calendar(cell: str) -> Finding:
    """Report a sheet that is laid out as the calendar of a month."""
    return Finding(
        "calendar",
        _(
            "The sheet looks like the calendar of a month, which is no table. To ask about its"
            " days, drop a table that has a row for each day, and the day in a column."
        ),
        cells=(cell,),
    )


def form(labels: Sequence[str], cell: str) -> Finding:
    """Report a sheet that is laid out as a form to be filled in."""
    told = listed([f"'{each}'" for each in labels[:LISTED]], of=len(labels))
    return Finding(
        "form",
        _(
            "The sheet looks like a form, with labels such as {labels} and their values beside"
            " them, and is no table. Its columns mix values of several kinds."
        ).format(labels=told),
        len(labels),
        (cell,),
    )


def totals_kept(count: int, cells: tuple[str, ...]) -> Finding:
    """Report rows that are called totals and were kept, as nothing else shows that they are."""
    return Finding(
        "totals_kept",
        ngettext(
            "{count} row has the name of a total, but it is not certain that it is one. It was kept"
            " as data: {cells}.",
            "{count} rows have the name of a total, but it is not certain that they are. They were"
            " kept as data: {cells}.",
            count,
        ).format(count=number(count, digits=0), cells=listed(cells, of=count)),
        count,
        cells,
    )


def totals_set_apart(count: int, cells: tuple[str, ...]) -> Finding:
    """Report that many rows sum up those above them, and were set apart."""
    return Finding(
        "totals_set_apart",
        ngettext(
            "{count} row sums up those above it, and was set apart: {cells}.",
            "{count} rows sum up those above them, and were set apart: {cells}.",
            count,
        ).format(count=number(count, digits=0), cells=listed(cells, of=count)),
        count,
        cells,
    )


def guarded_texts(name: str, count: int, example: str) -> Finding:
    """Report texts that a program wrote as formulas, so that spreadsheets keep their zeros."""
    return Finding(
        "guarded_texts",
        ngettext(
            "Column {name}: {count} cell such as {example} was read as the text in it.",
            "Column {name}: {count} cells such as {example} were read as the text in them.",
            count,
        ).format(name=name, count=number(count, digits=0), example=example),
        count,
    )


def hidden_sheet(name: str) -> Finding:
    """Report a sheet that the workbook does not show."""
    return Finding(
        "hidden_sheet",
        _("The sheet '{sheet}' is hidden in the workbook, and was read too.").format(sheet=name),
    )


def tables_read_apart(areas: Sequence[str]) -> Finding:
    """Report that a sheet holds several tables, each a data set of its own."""
    return Finding(
        "tables_read_apart",
        _("The sheet holds {count} tables, each a data set of its own: {areas}.").format(
            count=len(areas), areas=listed(areas[:LISTED], of=len(areas))
        ),
        len(areas),
        tuple(areas[:LISTED]),
    )


def several_tables(areas: Sequence[str]) -> Finding:
    """Report that a sheet that was read as one table may hold several."""
    return Finding(
        "several_tables",
        _("The sheet may hold {count} tables, and was read as one: {areas}.").format(
            count=len(areas), areas=listed(areas[:LISTED], of=len(areas))
        ),
        len(areas),
        tuple(areas[:LISTED]),
    )


def rows_unlike(count: int, cells: tuple[str, ...]) -> Finding:
    """Report rows under a blank one that have far fewer cells than the table above."""
    return Finding(
        "rows_unlike",
        ngettext(
            "{count} row under the table has far fewer cells than its rows. It was kept as data:"
            " {cells}.",
            "{count} rows under the table have far fewer cells than its rows. They were kept as"
            " data: {cells}.",
            count,
        ).format(count=number(count, digits=0), cells=listed(cells, of=count)),
        count,
        cells,
    )


def groups_left_out(labels: Sequence[str], row: int, cell: str) -> Finding:
    """Report labels over groups of columns whose columns are not certain."""
    return Finding(
        "groups_left_out",
        _(
            "Row {row} has labels over groups of columns ({labels}), and it is not certain over"
            " which. They are in no column's name."
        ).format(row=row, labels=", ".join(labels)),
        1,
        (cell,),
    )


def unnamed_rows_kept(count: int, cells: tuple[str, ...]) -> Finding:
    """Report rows at the end that may be totals, though neither a word nor their numbers say so."""
    return Finding(
        "totals_kept",
        ngettext(
            "{count} row at the end has numbers and nothing of what names all other rows, as a"
            " total has. It was kept as data: {cells}.",
            "{count} rows at the end have numbers and nothing of what names all other rows, as"
            " totals have. They were kept as data: {cells}.",
            count,
        ).format(count=number(count, digits=0), cells=listed(cells, of=count)),
        count,
        cells,
    )


def titles_differ(titles: Sequence[str], cells: tuple[str, ...]) -> Finding:
    """Report names that come again under other titles, whose rows no column tells apart."""
    text = _(
        "The names of the columns come again under other titles ({titles}). The rows under them may"
        " be of other tables, and no column tells them apart: {cells}."
    ).format(
        titles=listed([f"'{title}'" for title in titles[:LISTED]], of=len(titles)),
        cells=listed(cells[:LISTED], of=len(cells)),
    )
    return Finding("titles_differ", text, len(cells), cells[:LISTED])


def last_row_sums(count: int, cells: tuple[str, ...]) -> Finding:
    """Report a last row that has all that others have, and holds the sums of them."""
    text = _(
        "The last row holds the sums of all rows above it, as a total does. It was kept as data."
    )
    return Finding("totals_kept", text, count, cells)


def no_rows() -> Finding:
    """Report a header without rows below it."""
    return Finding("no_rows", _("There are no rows under the header."))


def _quoted(values: Sequence[str]) -> str:
    return ", ".join(f"'{value}'" for value in values)
