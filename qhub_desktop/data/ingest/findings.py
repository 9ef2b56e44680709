"""Findings of an import: the sentences on what was repaired, and what could be read otherwise."""

from collections.abc import Iterable, Sequence

from typing_extensions import override

from qhub_desktop.core.dataset import Finding
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.core.values import dataclass

LISTED = 5  # addresses in a finding
_OF_SUMS = {"totals_kept", "totals_set_apart", "totals_above", "taxes_set_apart"}


@dataclass(frozen=True, slots=True)
class Sentence:
    """What a finding of one kind says, in English; `build/translations.py` finds it by this name.

    It says `{count}` and `{cells}` of the finding itself, and values that each place fills in.
    """

    kind: str
    one: str

    def finding(self, count: int = 1, cells: Sequence[str] = (), **values: str | int) -> Finding:
        """Return the finding on so many cells, rows or columns, the first of them at `cells`."""
        return Finding(self.kind, self.text(count, cells, **values), count, tuple(cells))

    def text(self, count: int = 1, cells: Sequence[str] = (), **values: str | int) -> str:
        """Return the sentence in the person's language."""
        told = {"count": number(count, digits=0), "cells": listed(cells, of=count)}
        # A list that is cut ends a sentence by itself.
        return self._form(count).format(**told | values).replace("….", "…")

    def _form(self, count: int) -> str:
        del count
        return _(self.one)


@dataclass(frozen=True, slots=True)
class CountedSentence(Sentence):
    """A sentence that has another form where it is about several."""

    many: str

    @override
    def _form(self, count: int) -> str:
        return ngettext(self.one, self.many, count)


def listed(names: Sequence[str], *, of: int) -> str:
    """Join names with commas; an ellipsis stands for those of `of` that are not among them."""
    return ", ".join(names) + (", …" if of > len(names) else "")


def quoted(values: Sequence[str], *, most: int | None = None) -> str:
    """Join values, each in quotation marks; an ellipsis stands for those beyond `most`."""
    return listed([f"'{value}'" for value in values[:most]], of=len(values))


def gravest_first(doubtful: Iterable[Finding]) -> tuple[Finding, ...]:
    """Order findings: first those on rows that may be sums, which make each answer another."""
    return tuple(sorted(doubtful, key=lambda each: each.kind not in _OF_SUMS))


DECIMAL_MARK = Sentence(
    "decimal_mark",
    "Column {name}: a value such as {example} could be read in two ways; '{mark}' was taken to"
    " stand before the decimals.",
)
DAY_MONTH = Sentence(
    "day_month",
    "Column {name}: day and month could be swapped in every date (as in {example}); they were read"
    " as day/month.",
)
MONTH_FIRST = Sentence(
    "month_first",
    "Column {name}: its dates are written month/day, and were read so.",
)
PERCENT_AS_FRACTION = Sentence(
    "percent_as_fraction",
    "Column {name}: percentages such as {example} were read as fractions (50% = 0.5).",
)
CURRENCY_REMOVED = Sentence(
    "currency_removed",
    "Column {name}: amounts such as {example} were read as numbers.",
)
UNIT_REMOVED = Sentence(
    "unit_removed",
    "Column {name}: values such as {example} were read as numbers, all of them in {unit}.",
)
ZONE_REMOVED = Sentence(
    "zone_removed",
    "Column {name}: times such as {example} were read as they are written, without their zone"
    " ({zones}).",
)
INSTANTS_TOGETHER = CountedSentence(
    "instants_together",
    "Column {name}: {count} time is written in several zones ({zones}), as {example} is, and"
    " different instants are the same without them.",
    "Column {name}: {count} times are written in several zones ({zones}), as {example} is, and"
    " different instants are the same without them.",
)
SEVERAL_ZONES = Sentence(
    "mixed_column",
    "Column {name}: its times are of several zones ({tails}), so the whole column is text.",
)
SEVERAL_UNITS = Sentence(
    "mixed_column",
    "Column {name}: its numbers have several units ({tails}), so the whole column is text.",
)
HOURS = Sentence(
    "durations", "Column {name}: lengths of time such as {example} were read as hours."
)
MINUTES = Sentence(
    "durations", "Column {name}: lengths of time such as {example} were read as minutes."
)
SECONDS = Sentence(
    "durations", "Column {name}: lengths of time such as {example} were read as seconds."
)
TEXT_AS_NUMBER = CountedSentence(
    "text_as_number",
    "Column {name}: {count} cell of {kind} is stored as text in the file.",
    "Column {name}: {count} cells of {kind} are stored as text in the file.",
)
NEGATIVE_IN_PARENTHESES = CountedSentence(
    "negative_in_parentheses",
    "Column {name}: {count} number in parentheses ({examples}) was read as negative.",
    "Column {name}: {count} numbers in parentheses ({examples}) were read as negative.",
)
SERIAL_DATES = Sentence(
    "serial_dates",
    "Column {name}: it holds a spreadsheet's day numbers, which were read as dates.",
)
SERIAL_TIMES = Sentence(
    "serial_times",
    "Column {name}: it holds parts of a day, which were read as times of day.",
)
COMPACT_DATES = Sentence(
    "compact_dates",
    "Column {name}: numbers such as {example} were read as dates (year, month, day).",
)
LIKELY_COMPACT_DATES = Sentence(
    "compact_dates",
    "Column {name}: numbers such as {example} are all days (year, month, day), and were read as"
    " dates. If they are numbers or codes, choose that type.",
)
PERHAPS_COMPACT_DATES = Sentence(
    "compact_dates",
    "Column {name}: numbers such as {example} may be days (year, month, day), and were read as"
    " numbers. If they are days, choose that type.",
)
PERHAPS_YEARLESS = Sentence(
    "unread_values",
    "Column {name}: numbers such as {example} may be days without a year, and were read as"
    " numbers.",
)
READ_AS_MISSING = CountedSentence(
    "missing_words",
    "Column {name}: {count} cell with {examples} was read as missing.",
    "Column {name}: {count} cells with {examples} were read as missing.",
)
ERROR_CELLS = CountedSentence(
    "error_cells",
    "{count} cell holds an error ({kinds}) and was read as missing: {cells}.",
    "{count} cells hold errors ({kinds}) and were read as missing: {cells}.",
)
MIXED_COLUMN = CountedSentence(
    "mixed_column",
    "Column {name}: {count} of {present} cells is of another kind than the others ({examples}), so"
    " the whole column is text.",
    "Column {name}: {count} of {present} cells are of another kind than the others ({examples}),"
    " so the whole column is text.",
)
MISMATCHES = CountedSentence(
    "mixed_column",
    "Column {name}: {count} of {present} values does not read as {kind} ({examples}), so the whole"
    " column is text.",
    "Column {name}: {count} of {present} values are not {kind} ({examples}), so the whole column"
    " is text.",
)
PERHAPS_CODES = Sentence(
    "mixed_column",
    "Column {name}: its values ({examples}) are kept as text in the file and may be codes, so the"
    " whole column is text. If they are {kind}, choose that type.",
)
SEVERAL_NOTATIONS = Sentence(
    "mixed_column",
    "Column {name}: its values look like {kind}, but are written in several ways ({examples}), so"
    " the whole column is text.",
)
UNREAD_VALUES = Sentence(
    "unread_values",
    "Column {name} stays text: its values may be written in a way unknown here ({examples}).",
)
GLUED_COLUMNS = Sentence(
    "glued_columns",
    "Column {name}: its texts, as in '{example}', seem to hold several values with blanks between"
    " them; columns of the print may have been read as one.",
)
NOT_OF_CHOSEN_TYPE = CountedSentence(
    "not_of_chosen_type",
    "Column {name}: {count} cell is not of the chosen type and was read as missing: {cells}.",
    "Column {name}: {count} cells are not of the chosen type and were read as missing: {cells}.",
)
LONGER_ROWS = CountedSentence(
    "longer_rows",
    "{count} row has more cells than the header; they are kept in extra columns.",
    "{count} rows have more cells than the header; they are kept in extra columns.",
)
SHORTER_ROWS = CountedSentence(
    "shorter_rows",
    "{count} row has fewer cells than the header; those that lack are missing.",
    "{count} rows have fewer cells than the header; those that lack are missing.",
)
MERGED_FILLED = CountedSentence(
    "merged_filled",
    "{count} merged range was filled down: {cells}.",
    "{count} merged ranges were filled down: {cells}.",
)
BLANK_COLUMNS = CountedSentence(
    "blank_columns",
    "{count} blank column was left out: {columns}.",
    "{count} blank columns were left out: {columns}.",
)
NO_HEADER = Sentence(
    "no_header",
    "No row holds the columns' names, so they were given names. If one does, choose it as the"
    " header.",
)
HEADER_ROWS = Sentence(
    "header_rows",
    "Rows {first} to {last} were read as the header. If the lower ones are data, choose row"
    " {first} as the header.",
)
NUMBERS_AS_NAMES = Sentence(
    "numbers_as_names",
    "The numbers in row {row} were read as the columns' names, as they rise or fall evenly. If"
    " they are data, choose that there is no header.",
)
VALUES_AS_NAMES = CountedSentence(
    "values_as_names",
    "The name {names} in row {row} looks like a value of its column. If the row is data, choose"
    " that there is no header.",
    "The names {names} in row {row} look like values of their columns. If the row is data, choose"
    " that there is no header.",
)
DAYS_AS_NAMES = Sentence(
    "days_as_names",
    "The columns look like the days of a month. To ask about days, drop a table that has a row for"
    " each day, and the day in a column.",
)
LABELS_ONCE = CountedSentence(
    "labels_once",
    "Column {names}: {count} row has no value under one that has, as if it were written once for"
    " several rows.",
    "Column {names}: {count} rows have no value under one that has, as if it were written once for"
    " several rows.",
)
LABELS_FILLED = CountedSentence(
    "labels_filled",
    "Column {names}: {count} row was given the value above it.",
    "Column {names}: {count} rows were given the value above them.",
)
RECORDS_IN_COLUMNS = Sentence(
    "records_in_columns",
    "Each row seems to hold one property, and each column one record, so the columns mix values of"
    " several kinds. Exchange rows and columns to ask about them.",
)
LINES_OF_RECORDS = Sentence(
    "lines_of_records",
    "Each record seems to take {lines} rows, so the columns mix values of several kinds. To ask"
    " about them, export the table with one row for each record.",
)
TRANSPOSED = Sentence(
    "transposed",
    "Rows and columns were exchanged. The rows and cells named here are those of the exchanged"
    " table.",
)
CALENDAR = Sentence(
    "calendar",
    "The sheet looks like the calendar of a month, which is no table. To ask about its days, drop"
    " a table that has a row for each day, and the day in a column.",
)
FORM = Sentence(
    "form",
    "The sheet looks like a form, with labels such as {labels} and their values beside them, and"
    " is no table. Its columns mix values of several kinds.",
)
TOTALS_KEPT = CountedSentence(
    "totals_kept",
    "{count} row has the name of a total, but it is not certain that it is one. It was kept as"
    " data: {cells}.",
    "{count} rows have the name of a total, but it is not certain that they are. They were kept as"
    " data: {cells}.",
)
TOTALS_SET_APART = CountedSentence(
    "totals_set_apart",
    "{count} row sums up those above it, and was set apart: {cells}.",
    "{count} rows sum up those above them, and were set apart: {cells}.",
)
GUARDED_TEXTS = CountedSentence(
    "guarded_texts",
    "Column {name}: {count} cell such as {example} was read as the text in it.",
    "Column {name}: {count} cells such as {example} were read as the text in them.",
)
HIDDEN_SHEET = Sentence(
    "hidden_sheet",
    "The sheet '{sheet}' is hidden in the workbook, and was read too.",
)
TABLES_READ_APART = Sentence(
    "tables_read_apart",
    "The sheet holds {count} tables, each a data set of its own: {areas}.",
)
SEVERAL_TABLES = Sentence(
    "several_tables",
    "The sheet may hold {count} tables, and was read as one: {areas}.",
)
ROWS_UNLIKE = CountedSentence(
    "rows_unlike",
    "{count} row under the table has far fewer cells than its rows. It was kept as data: {cells}.",
    "{count} rows under the table have far fewer cells than its rows. They were kept as data:"
    " {cells}.",
)
GROUPS_LEFT_OUT = Sentence(
    "groups_left_out",
    "Row {row} has labels over groups of columns ({labels}), and it is not certain over which."
    " They are in no column's name.",
)
UNNAMED_ROWS_KEPT = CountedSentence(
    "totals_kept",
    "{count} row at the end has numbers and nothing of what names all other rows, as a total has."
    " It was kept as data: {cells}.",
    "{count} rows at the end have numbers and nothing of what names all other rows, as totals"
    " have. They were kept as data: {cells}.",
)
EDGE_ROWS_KEPT = CountedSentence(
    "totals_kept",
    "{count} row at the end has words where all others have numbers or dates, as results below a"
    " table have. It was kept as data: {cells}.",
    "{count} rows at the end have words where all others have numbers or dates, as results below a"
    " table have. They were kept as data: {cells}.",
)
TITLES_DIFFER = Sentence(
    "titles_differ",
    "The names of the columns come again under other titles ({titles}). The rows under them may be"
    " of other tables, and no column tells them apart: {cells}.",
)
LAST_ROW_SUMS = Sentence(
    "totals_kept",
    "The last row holds the sums of all rows above it, as a total does. It was kept as data.",
)
NO_ROWS = Sentence("no_rows", "There are no rows under the header.")
BLANKS_REMOVED = CountedSentence(
    "odd_blanks",
    "Column {name}: a tab or a no-break space around {count} cell was left out: {cells}.",
    "Column {name}: tabs or no-break spaces around {count} cells were left out: {cells}.",
)
HOURS_AND_MINUTES = Sentence(
    "short_lengths",
    "Column {name}: lengths such as {example} were read as hours and minutes.",
)
MINUTES_AND_SECONDS = Sentence(
    "short_lengths",
    "Column {name}: lengths such as {example} were read as minutes and seconds; they may be"
    " hours and minutes.",
)
SECONDS_OF_CLOCK = Sentence(
    "seconds_of_clock",
    "Column {name}: numbers such as {example} seem to count seconds or milliseconds since"
    " 1970, and were read as numbers.",
)
TIMES_OR_LENGTHS = Sentence(
    "times_or_lengths",
    "Column {name}: values such as {example} were read as times of day; by its name they may be"
    " lengths of time.",
)
PLAIN_SIGNS = Sentence(
    "plain_signs",
    "Column {name}: numbers in signs of print such as {example} were read as numbers.",
)
MARKS_LEFT_OUT = Sentence(
    "marks_left_out",
    "Column {name}: marks behind its dates ({marks}), as in {example}, were left out. To keep them,"
    " choose the type text.",
)
CLAUSES_KEPT = Sentence(
    "kept_as_text",
    "Column {name}: texts such as {example} number clauses or versions, and stay text:"
    " 8.1 and 8.10 would be the same number.",
)
DIGITS_KEPT = Sentence(
    "kept_as_text",
    "Column {name}: digits such as {example} stay text, as a number would lose some of them.",
)
IDENTIFIERS_KEPT = Sentence(
    "kept_as_text",
    "Column {name}: digits such as {example} are identifiers ({kind}), and stay text.",
)
LIMITS = CountedSentence(
    "limits",
    "{count} row holds limits or units of the columns, and is not part of the data: {limits}.",
    "{count} rows hold limits or units of the columns, and are not part of the data: {limits}.",
)
TAXES_SET_APART = CountedSentence(
    "taxes_set_apart",
    "{count} row holds a tax on the rows around it, and was set apart: {cells}.",
    "{count} rows hold a tax on the rows around them, and were set apart: {cells}.",
)
COMMENT_AS_NAMES = Sentence(
    "comment_as_names",
    "The names of the columns were read from a line that looks like a comment ({cell}). If it"
    " is one, choose that there is no header.",
)
LEVELS_ABOVE = CountedSentence(
    "totals_above",
    "{count} row is of a level above the others ({names}): it holds their sums, and was set"
    " apart, so that questions do not see it. To ask about it, keep it as data: {cells}.",
    "{count} rows are of the levels above the others ({names}): they hold their sums, and"
    " were set apart, so that questions do not see them. To ask about them, keep them as"
    " data: {cells}.",
)
TOTALS_ABOVE = CountedSentence(
    "totals_above",
    "{count} row sums up those under it, and was set apart: {cells}.",
    "{count} rows sum up those under them, and were set apart: {cells}.",
)
GROUPS_AS_COLUMN = CountedSentence(
    "groups_as_column",
    "{count} row holds a title over the rows under it ({cells}). In column {name} each row has its"
    " own.",
    "{count} rows hold titles over the rows under them ({cells}). In column {name} each row has its"
    " own.",
)
GROUPS_SET_APART = CountedSentence(
    "groups_set_apart",
    "{count} row holds a title over the rows under it, and was set apart: {cells}.",
    "{count} rows hold titles over the rows under them, and were set apart: {cells}.",
)
NAMES_GIVEN = CountedSentence(
    "names_given",
    "{count} column without a name was given one: {names}.",
    "{count} columns without a name were given one: {names}.",
)
NAMES_TOLD_APART = CountedSentence(
    "names_told_apart",
    "{count} column with a name that is used already was renamed: {names}.",
    "{count} columns with names that are used already were renamed: {names}.",
)
NOTES_AMONG = CountedSentence(
    "note",
    "{count} row that is no data, among the rows of the table ({rows}), is not part of the data:"
    " {texts}",
    "{count} rows that are no data, among the rows of the table ({rows}), are not part of the data:"
    " {texts}",
)
_SET_APART = (
    CountedSentence(
        "title",
        "{count} title row above the header is not part of the data: {texts}",
        "{count} title rows above the header are not part of the data: {texts}",
    ),
    CountedSentence(
        "total",
        "{count} row with totals is not part of the data: {texts}",
        "{count} rows with totals are not part of the data: {texts}",
    ),
    CountedSentence(
        "note",
        "{count} row with a note below the table is not part of the data: {texts}",
        "{count} rows with notes below the table are not part of the data: {texts}",
    ),
    CountedSentence(
        "numbering",
        "{count} row with the numbers of the columns is not part of the data: {texts}",
        "{count} rows with the numbers of the columns are not part of the data: {texts}",
    ),
    CountedSentence(
        "group",
        "{count} row with a title over other rows is not part of the data: {texts}",
        "{count} rows with titles over other rows are not part of the data: {texts}",
    ),
    CountedSentence(
        "repeated_header",
        "The header is repeated in {count} row, which is not part of the data.",
        "The header is repeated in {count} rows, which are not part of the data.",
    ),
    CountedSentence(
        "blank", "{count} blank row was left out.", "{count} blank rows were left out."
    ),
)
APART = {each.kind: each for each in _SET_APART}  # on rows that are set apart
