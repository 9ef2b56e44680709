"""Questions that a data set invites, from its profile alone."""

from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile
from qhub_desktop.core.table import is_numeric
from qhub_desktop.core.text import gettext as _

_MOST_GROUPS = 30


def suggested(profile: DatasetProfile) -> tuple[str, ...]:
    """Three questions at most, each of which names columns that are there."""
    groups = [column for column in profile.columns if _is_group(column)]
    numbers = [column for column in profile.columns if _is_measure(column, profile.rows)]
    dates = [column for column in profile.columns if column.type in ("date", "datetime")]
    questions: list[str] = []
    if groups:
        asked = _("How many rows by {group}?")
        questions.append(asked.format(group=groups[0].name))
    if numbers and groups:
        asked = _("Mean of {number} by {group}")
        questions.append(asked.format(number=numbers[0].name, group=groups[-1].name))
    if dates:
        asked = _("Trend by {date} in a chart")
        questions.append(asked.format(date=dates[0].name))
    if len(groups) > 1:
        asked = _("Top 5 by {group}")
        questions.append(asked.format(group=groups[1].name))
    if numbers:
        asked = _("Histogram of {number}")
        questions.append(asked.format(number=numbers[0].name))
    questions.append(_("Summarise the data"))
    return tuple(questions[:3])


def _is_group(column: ColumnProfile) -> bool:
    return column.type in ("category", "text", "boolean") and 2 <= column.distinct <= _MOST_GROUPS


def _is_measure(column: ColumnProfile, rows: int) -> bool:
    """A number that is more than a running number or a constant."""
    is_counter = column.type == "integer" and column.distinct == rows
    return is_numeric(column.type) and column.distinct > 1 and not is_counter
