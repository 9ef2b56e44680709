"""What a plan is about, however it is shown: its numbers, its data set, what it compares."""

from qhub_desktop.chat.offline.plan import (
    AsChart,
    AsDashboard,
    AsKpi,
    AsTable,
    AsWorkbook,
    Columns,
    Count,
    Data,
    Describe,
    Numbers,
    Scope,
)


def numbers_of(topic: Data) -> Numbers:
    """The numbers of a plan, however they are shown."""
    match topic:
        case AsChart(of=of) | AsTable(of=of) | AsKpi(of=of) | AsWorkbook(of=of):
            return of
        case AsDashboard(of=plans):
            return plans[0]
        case Describe(dataset) | Columns(dataset):
            return Count(Scope(dataset))
        case _:
            return topic


def dataset_of(plan: Data) -> str:
    """The data set that a plan is about."""
    return numbers_of(plan).scope.dataset


def compared_last(topic: Data) -> str | None:
    """The column of numbers that was last compared: 'acima de 28? e abaixo de 22?'."""
    compared = [
        each.column
        for each in numbers_of(topic).scope.filters
        if each.relation not in ("is", "is not", "missing") and not each.grain
    ]
    return compared[-1] if compared else None
