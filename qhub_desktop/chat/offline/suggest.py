"""Three things that can be asked of a data set, made of its real columns and values."""

from qhub_desktop.chat.offline.index import Index
from qhub_desktop.chat.offline.voice import Voice


def suggestions(index: Index, voice: Voice) -> tuple[str, ...]:
    """Questions that this engine understands, as a person would write them."""
    made = _of_defects(index, voice) if index.type_column else _of_rows(index, voice)
    _ = voice.gettext
    general = [_("Summarise the data"), _("Which columns are there?"), _("How many rows?")]
    return tuple([*made, *general][:3])


def where_it_concentrates(index: Index, voice: Voice) -> tuple[str, ...]:
    """What can be shown in the place of a cause."""
    text = voice.gettext("And by {column}?")
    columns = [column for column in index.categories if column != index.type_column]
    return tuple(text.format(column=voice.column(column)) for column in columns[:3])


def _of_defects(index: Index, voice: Voice) -> list[str]:
    _ = voice.gettext
    made = [_("What is the most frequent defect?")]
    kind, shift = _first_value(index, index.type_column), _first_value(index, index.shift_column)
    if kind and shift and index.shift_column:
        made.append(
            _("How many {type} defects in the {shift}?").format(
                type=kind, shift=voice.value(shift, is_shift=True)
            )
        )
    settled = (index.type_column, index.shift_column)
    others = [column for column in index.categories if column not in settled]
    if column := next(iter([*others, *index.categories]), None):
        made.append(_("Defects by {column} in a chart").format(column=voice.column(column)))
    return made


def _of_rows(index: Index, voice: Voice) -> list[str]:
    _ = voice.gettext
    made: list[str] = []
    category = next(iter(index.categories), None)
    measure = next(iter(index.measures), None)
    if category:
        made.append(_("How many rows by {column}?").format(column=voice.column(category)))
    if measure and category:
        made.append(
            _("Mean of {measure} by {column} in a chart").format(
                measure=voice.column(measure), column=voice.column(category)
            )
        )
    elif measure:
        made.append(_("Mean of {measure}").format(measure=voice.column(measure)))
    if category and (value := _first_value(index, category)):
        made.append(
            _("How many rows with {column} “{value}”?").format(
                column=voice.column(category), value=value
            )
        )
    return made


def _first_value(index: Index, column: str | None) -> str | None:
    if column is None:
        return None
    return next((value for value, _ in index.column(column).top if isinstance(value, str)), None)
