"""A table as text for other programs: CSV for Excel, tab-separated and HTML for its clipboard."""

import html
from collections.abc import Sequence
from datetime import date, datetime, time

from qhub_desktop.core.table import Cell, Table
from qhub_desktop.core.text import Language, gettext, language

# A text that begins so is run as a formula by Excel (OWASP, 'CSV injection').
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def to_csv(table: Table, *, spoken: Language | None = None) -> bytes:
    """CSV as the person's Excel opens it: UTF-8 with its mark, ';' and decimal comma in pt."""
    tongue = spoken or language()
    separator = ";" if tongue == "pt" else ","
    rows: list[Sequence[str]] = [[_harmless(name) for name in table.names]]
    rows += [[plain_cell(cell, spoken=tongue) for cell in row] for row in table.rows]
    lines = [separator.join(_quoted(cell, separator) for cell in row) for row in rows]
    return "\r\n".join([*lines, ""]).encode("utf-8-sig")


def to_tsv(table: Table) -> str:
    """Tab-separated lines with the columns' names first."""
    rows = [[_harmless(name) for name in table.names]]
    rows += [[plain_cell(cell) for cell in row] for row in table.rows]
    return "\n".join("\t".join(_on_one_line(cell) for cell in row) for row in rows)


def to_html(table: Table) -> str:
    """A bare HTML table, which Excel and Word prefer to tabs."""
    head = "".join(f"<th>{html.escape(_harmless(name), quote=False)}</th>" for name in table.names)
    body = "".join(
        "<tr>"
        + "".join(f"<td>{html.escape(plain_cell(cell), quote=False)}</td>" for cell in row)
        + "</tr>"
        for row in table.rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def plain_cell(cell: Cell, *, spoken: Language | None = None) -> str:
    """A cell that a spreadsheet reads back as what it is: nothing grouped, nothing rounded."""
    tongue = spoken or language()
    match cell:
        case None:
            return ""
        case bool():
            return gettext("yes", language=tongue) if cell else gettext("no", language=tongue)
        case int():
            return str(cell)
        case float():
            return repr(cell).replace(".", ",") if tongue == "pt" else repr(cell)
        case datetime():
            return cell.strftime("%d/%m/%Y %H:%M:%S" if tongue == "pt" else "%Y-%m-%d %H:%M:%S")
        case date():
            return cell.strftime("%d/%m/%Y" if tongue == "pt" else "%Y-%m-%d")
        case time():
            return cell.strftime("%H:%M:%S")
        case str():
            return _harmless(cell)


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def _quoted(cell: str, separator: str) -> str:
    if any(each in cell for each in (separator, '"', "\n", "\r")):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def _on_one_line(cell: str) -> str:
    return " ".join(cell.replace("\t", " ").splitlines())
