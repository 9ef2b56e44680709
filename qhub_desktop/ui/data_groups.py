"""The data sets of a conversation by the file they came from, the last file first."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from qhub_desktop.core.dataset import DatasetProfile


@dataclass(slots=True)
class Group:
    """One file; its sheets biggest first."""

    file: str
    used: list[DatasetProfile] = field(default_factory=list)
    unused: list[DatasetProfile] = field(default_factory=list)

    @property
    def sheets(self) -> int:
        """How many of its sheets are in the conversation."""
        return len(self.used) + len(self.unused)

    @property
    def is_workbook(self) -> bool:
        """Whether its sheets stand under its name; a single one stands for its file."""
        return self.sheets > 1 or not self.used


def grouped(used: Sequence[DatasetProfile], unused: Sequence[DatasetProfile]) -> list[Group]:
    """A group for each file, in the order in which the conversation shows them."""
    groups: dict[tuple[str, str], Group] = {}
    for profile in used:
        _group(groups, profile).used.append(profile)
    for profile in unused:
        _group(groups, profile).unused.append(profile)
    for group in groups.values():
        group.used.sort(key=lambda each: -each.rows)
        group.unused.sort(key=lambda each: -each.rows)
    return list(reversed(groups.values()))


def _group(groups: dict[tuple[str, str], Group], profile: DatasetProfile) -> Group:
    return groups.setdefault((profile.sha256, profile.file), Group(profile.file))
