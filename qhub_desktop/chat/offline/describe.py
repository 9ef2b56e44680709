"""What a data set holds, in a few lines: from its profile, which is over every row."""

from qhub_desktop.chat.offline.index import Index
from qhub_desktop.chat.offline.voice import Voice
from qhub_desktop.core.dataset import ColumnProfile
from qhub_desktop.core.table import is_numeric
from qhub_desktop.core.type_names import TYPE_NAMES

_COLUMNS = 12
_LISTED = 40
_VALUES = 3
_DIGITS = 2


def description(index: Index, voice: Voice, *, days: str) -> str:
    """Size and days; what the rows are sorted by, what is measured, and what is missing."""
    _, profile = voice.gettext, index.profile
    width = len(profile.columns)
    told = _("{rows} and {columns} in {file}.").format(
        file=profile.file,
        rows=voice.ngettext("{count} row", "{count} rows", profile.rows).format(
            count=f"**{voice.number(profile.rows)}**"
        ),
        columns=voice.ngettext("{count} column", "{count} columns", width).format(count=width),
    )
    if days:
        told += " " + days
    worth_telling = [
        column
        for column in profile.columns
        if column.type not in ("date", "datetime") and not index.is_number_of_row(column.name)
    ]
    shown = worth_telling[:_COLUMNS]
    numbers = [column for column in shown if is_numeric(column.type)]
    groups = [column for column in shown if not is_numeric(column.type)]
    parts = [told]
    for head, columns in ((_("To group by:"), groups), (_("To measure:"), numbers)):
        if columns:
            lines = "\n".join(f"- {_line(column, index, voice)}" for column in columns)
            parts.append(f"{head}\n\n{lines}")
    if rest := len(worth_telling) - len(shown):
        more = voice.ngettext("and {count} more column", "and {count} more columns", rest)
        parts.append("… " + more.format(count=rest))
    if warnings := [*_gaps(index, voice), *profile.warnings]:
        lines = "\n".join(f"- {warning}" for warning in warnings)
        parts.append(_("Worth knowing:") + "\n\n" + lines)
    return "\n\n".join(parts)


def columns_text(index: Index, voice: Voice) -> str:
    """Every column with its type."""
    profile = index.profile
    told = voice.ngettext(
        "**{file}** has **{count}** column:",
        "**{file}** has **{count}** columns:",
        len(profile.columns),
    ).format(file=profile.file, count=len(profile.columns))
    lines = [
        f"- **{column.name}** ({voice.gettext(TYPE_NAMES[column.type])})"
        for column in profile.columns[:_LISTED]
    ]
    if len(profile.columns) > _LISTED:
        rest = len(profile.columns) - _LISTED
        more = voice.ngettext("and {count} more column", "and {count} more columns", rest)
        lines.append("- " + more.format(count=rest))
    return told + "\n\n" + "\n".join(lines)


def _line(column: ColumnProfile, index: Index, voice: Voice) -> str:
    _ = voice.gettext
    if is_numeric(column.type) and isinstance(column.min, (int, float)):
        assert isinstance(column.max, (int, float))
        return _("**{column}**: from {min} to {max}, mean {mean}").format(
            column=column.name,
            min=voice.number(column.min),
            max=voice.number(column.max),
            mean=voice.number(round(column.mean or 0, _DIGITS)),
        )
    if column.distinct == index.profile.rows - column.missing and column.distinct > 1:
        return _("**{column}**: different in every row").format(column=column.name)
    is_shift = column.name == index.shift_column
    frequent = [(value if isinstance(value, bool) else str(value), n) for value, n in column.top]
    values = [
        f"{voice.value(value, is_shift=is_shift)} {voice.number(count)} "
        f"({voice.percent(count, index.profile.rows)})"
        for value, count in frequent[:_VALUES]
    ]
    if column.distinct <= len(values):
        return f"**{column.name}**: {voice.listed(values)}"
    text = _("**{column}**: {distinct} values, most often {values}")
    return text.format(
        column=column.name, distinct=voice.number(column.distinct), values=", ".join(values)
    )


def _gaps(index: Index, voice: Voice) -> list[str]:
    """Which columns lack values, the worst first."""
    lacking = sorted(
        (column for column in index.profile.columns if column.missing),
        key=lambda column: -column.missing,
    )
    text = voice.gettext("{column} is empty in {share}")
    return [
        text.format(column=column.name, share=voice.share(column.missing, index.profile.rows))
        for column in lacking[:_VALUES]
    ]
