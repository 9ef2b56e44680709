"""Monitors: control charts with frozen limits that watch data, and violations that they find."""

from datetime import datetime
from typing import Literal

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.table import Table
from qhub_desktop.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Watched:
    """Data that a monitor watches, and the data set that its chart was made of.

    A `dataset` is watched wherever a file of its name and sheet comes in, and under its name in its
    conversation; a `folder` for files with the same columns.
    """

    kind: Literal["dataset", "log", "folder"]
    conversation: ConversationId
    dataset: str  # the name SQL knows it by
    file: str = ""
    sheet: str | None = None
    folder: str = ""

    @property
    def name(self) -> str:
        """What a person calls it."""
        return self.folder if self.kind == "folder" else self.file


@dataclass(frozen=True, slots=True)
class Monitor:
    """A chart whose limits are in its `arguments`, which are those of the tool for charts.

    `subject` is what notes on the points of this chart are kept under. `problems` are sentences on
    inputs that could not be judged yet.
    """

    id: int
    title: str
    subject: str
    arguments: JsonObject
    watched: Watched
    by: str
    created: datetime
    is_stopped: bool = False
    looked: datetime | None = None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WatchedInput:
    """One state of one thing that came in: a version of the data, or of a file of the folder.

    What has a `problem` is not judged, and is tried again.
    """

    key: str
    state: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class JudgedPoint:
    """A point that was judged: statistic, size, and its distance from the centre in sigmas."""

    label: str
    value: float | None
    size: float | None
    distance: float | None


@dataclass(frozen=True, slots=True)
class FoundViolation:
    """A point of a chart that breaks rules, with the rows behind it as they were then.

    `chart` names the chart, which may be that of the spread below. A `label` that `is_lasting`
    names the same point in each version of the data, as a day does.
    """

    label: str
    chart: str
    rules: tuple[str, ...]
    words: tuple[str, ...]
    value: float | None
    lower: float | None
    centre: float | None
    upper: float | None
    rows: Table | None = None
    is_lasting: bool = False


@dataclass(frozen=True, slots=True)
class Violation:
    """A violation as it stands in the list; open until both cause and action are noted on it."""

    id: int
    monitor: int
    title: str
    subject: str
    at: datetime
    found: FoundViolation
    cause: str = ""
    action: str = ""
    noted_by: str = ""
    noted: datetime | None = None

    @property
    def is_open(self) -> bool:
        """Whether cause or action is missing."""
        return not (self.cause and self.action)
