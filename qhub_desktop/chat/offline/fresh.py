"""Questions by themselves: whether one needs nothing said before it, and the plan it makes."""

from qhub_desktop.chat.offline.asked import Asked
from qhub_desktop.chat.offline.compose import numbers
from qhub_desktop.chat.offline.panels import on_a_page
from qhub_desktop.chat.offline.plan import AsDashboard, Columns, Data, Describe, Unknown
from qhub_desktop.chat.offline.present import presented


def stands_alone(asked: Asked) -> bool:
    """Whether a question is clear without what was said before it."""
    if asked.has("describe", "columns", "trend", "compare", "missing", "duplicates"):
        return True
    if asked.has("outliers", "correlation") or asked.has_subject:
        return True
    if asked.names_dataset or (asked.has("data") and asked.has("show", "count", "list")):
        return True
    if asked.filters and asked.dimensions:
        return True
    if asked.measure_kinds and any(asked.index.is_number(each.column) for each in asked.columns):
        return True
    if asked.columns and asked.has("most", "least", "top", "count", "distinct", "list", "max"):
        return True
    return any(asked.index.is_number(each.column) for each in asked.columns) and bool(
        asked.dimensions
    )


def new_plan(asked: Asked) -> Data | Unknown:
    """What a question asks for by itself."""
    index = asked.index
    dataset = index.profile.dataset
    if asked.ignored and not (asked.coverage or asked.has_subject or asked.has("data")):
        return Unknown()
    if asked.has("missing") or asked.has("duplicates"):
        wanted = numbers(asked)
        assert wanted is not None
        return wanted
    if asked.has("columns") and not asked.names_something:
        return Describe(dataset) if asked.has("rows") else Columns(dataset)
    if asked.has("dashboard"):
        return AsDashboard(on_a_page(asked))
    is_of_all = not (asked.dimensions or asked.filters or asked.columns or asked.period)
    if asked.has("describe") and is_of_all:
        return Describe(dataset)
    wanted = numbers(asked)
    return Unknown() if wanted is None else presented(wanted, asked)
