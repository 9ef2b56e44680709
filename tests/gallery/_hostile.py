"""Names that try to be more than names, in whatever the scenes are made of."""

import dataclasses
import inspect
from collections.abc import Mapping
from typing import Any

from qhub_desktop.core import dashboard, dataset, events, figure, message, result_widgets
from qhub_desktop.data.ingest import findings  # noqa: F401  its sentences are those of `dataset`
from qhub_desktop.store import conversations

NAME = (
    '<img src="file:///hostile.png"><b>bold</b> R&D &amp; %1 {x}\n'
    "next\u202eline <a href='http://x'>go</a> "
)

# What people, files and models name, and is only shown: no name here is looked up by another part.
POISONED: Mapping[type, tuple[str, ...]] = {
    dataset.DatasetProfile: ("file", "warnings"),
    dataset.Finding: ("text",),
    dataset.SetApart: ("text",),
    figure.Figure: ("title", "subtitle"),
    figure.Axis: ("label", "categories"),
    result_widgets.Provenance: ("dataset", "file", "sheet"),
    result_widgets.Kpi: ("title", "unit"),
    result_widgets.TableView: ("title",),
    result_widgets.DashboardLink: ("title",),
    message.Choice: ("label",),
    message.Chip: ("label",),
    message.Clarification: ("text",),
    message.QueuedQuestion: ("text", "error"),
    message.Text: ("text",),
    events.TextAdded: ("content",),
    events.StatusChanged: ("text",),
    events.ErrorHappened: ("text",),
    events.ApprovalAsked: ("text", "consent"),
    dashboard.DashboardSpec: ("title",),
    dashboard.Dashboard: ("title", "author"),
    conversations.Conversation: ("title",),
}


def poison() -> None:
    """Have every value of these kinds carry the name from now on, however it is made."""
    for kind, fields in POISONED.items():
        unknown = set(fields) - {each.name for each in dataclasses.fields(kind)}
        assert not unknown, f"{kind.__name__} has no {unknown}"
        _poison(kind, fields)


def _poison(kind: type, fields: tuple[str, ...]) -> None:
    make = vars(kind)["__init__"]
    signature = inspect.signature(make)

    def poisoned(self: object, *given: object, **named: object) -> None:
        bound = signature.bind(self, *given, **named)
        for field in fields:
            if field in bound.arguments:
                bound.arguments[field] = _named(bound.arguments[field])
        make(*bound.args, **bound.kwargs)

    setattr(kind, "__init__", poisoned)  # noqa: B010  the type checker knows it as unsound


def _named(value: Any) -> Any:
    match value:
        case str() if value and NAME not in value:
            return f"{value} {NAME}"
        case tuple():
            return tuple(_named(each) for each in value)
        case _:
            return value
