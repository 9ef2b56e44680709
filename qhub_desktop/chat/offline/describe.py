"""What a data set holds, in a few lines: from its profile, which is over every row."""

from qhub_desktop.chat.offline.index import Index
from qhub_desktop.chat.offline.voice import Voice
from qhub_desktop.core.dataset import ColumnProfile
from qhub_desktop.core.table import ColumnType, is_numeric

_COLUMNS = 12
_LISTED = 40
_VALUES = 3
_DIGITS = 2


def description(index: Index, voice: Voice, *, days: str) -> str:
    """Size, days, the frequent values, the ranges, and what is missing."""
    _, profile = voice.gettext, index.profile
    told = _("**{file}** has **{rows}** rows and {columns} columns.").format(
        file=profile.file, rows=voice.number(profile.rows), columns=len(profile.columns)
    )
    if days:
        told += " " + days
    worth_telling = [
        column
        for column in profile.columns
        if column.type not in ("date", "datetime") and not index.is_number_of_row(column.name)
    ]
    lines = [f"- {_line(column, voice)}" for column in worth_telling[:_COLUMNS]]
    if len(worth_telling) > _COLUMNS:
        rest = len(worth_telling) - _COLUMNS
        more = voice.ngettext("and {count} more column", "and {count} more columns", rest)
        lines.append("- " + more.format(count=rest))
    warnings = [f"- {warning}" for warning in profile.warnings]
    parts = [told, "\n".join(lines)]
    if warnings:
        parts.append(_("Worth knowing:") + "\n\n" + "\n".join(warnings))
    return "\n\n".join(part for part in parts if part)


def columns_text(index: Index, voice: Voice) -> str:
    """Every column with its type."""
    profile = index.profile
    told = voice.ngettext(
        "**{file}** has **{count}** column:",
        "**{file}** has **{count}** columns:",
        len(profile.columns),
    ).format(file=profile.file, count=len(profile.columns))
    lines = [
        f"- **{column.name}** ({_type(column.type, voice)})" for column in profile.columns[:_LISTED]
    ]
    if len(profile.columns) > _LISTED:
        rest = len(profile.columns) - _LISTED
        more = voice.ngettext("and {count} more column", "and {count} more columns", rest)
        lines.append("- " + more.format(count=rest))
    return told + "\n\n" + "\n".join(lines)


def _line(column: ColumnProfile, voice: Voice) -> str:
    _ = voice.gettext
    if is_numeric(column.type) and isinstance(column.min, (int, float)):
        assert isinstance(column.max, (int, float))
        told = _("**{column}**: from {min} to {max}, mean {mean}").format(
            column=column.name,
            min=voice.number(column.min),
            max=voice.number(column.max),
            mean=voice.number(round(column.mean or 0, _DIGITS)),
        )
    else:
        values = ", ".join(
            f"{voice.value(str(value))} {voice.number(count)}"
            for value, count in column.top[:_VALUES]
        )
        told = _("**{column}**: {distinct} values, most often {values}").format(
            column=column.name, distinct=voice.number(column.distinct), values=values
        )
    if column.missing:
        told += "; " + _("{count} missing").format(count=voice.number(column.missing))
    return told


def _type(type_: ColumnType, voice: Voice) -> str:
    _ = voice.gettext
    match type_:
        case "integer":
            return _("whole number")
        case "number":
            return _("number")
        case "text":
            return _("text")
        case "category":
            return _("category")
        case "date":
            return _("date")
        case "datetime":
            return _("date and time")
        case "boolean":
            return _("yes or no")
