"""Which data set of a conversation a file that has come in is a newer version of, by its names."""

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Protocol

from qhub_desktop.core.dataset import DatasetProfile

_VARYING = re.compile(r"\b(?:copy|copia|cópia|de|of)\b|[\d\W_]+", re.IGNORECASE)
_SHARED = 0.5  # of the columns, where the file has the very same name


class Compared(Protocol):
    """What is different in a newer version."""

    @property
    def sentence(self) -> str:
        """All of it, for the person."""
        ...


class Versions(Protocol):
    """Compares two versions of an export, and joins them."""

    async def compare(self, old_id: str, new_id: str) -> Compared:
        """What changed from the old data set to the new one."""
        ...

    async def append(self, old_id: str, new_id: str) -> DatasetProfile:
        """A data set of the old one's rows and those that only the new one has."""
        ...


def earlier(new: DatasetProfile, among: Sequence[DatasetProfile]) -> DatasetProfile | None:
    """The latest of these that comes from the same export, if any does."""
    return next((old for old in reversed(among) if _is_same_export(old, new)), None)


def _is_same_export(old: DatasetProfile, new: DatasetProfile) -> bool:
    if not old.sha256 or old.sha256 == new.sha256:
        return False
    if len(new.sheets) > 1 and (old.sheet or "").casefold() != (new.sheet or "").casefold():
        return False
    before = {column.name for column in old.columns}
    after = {column.name for column in new.columns}
    if old.file.casefold() == new.file.casefold():
        return len(before & after) >= _SHARED * max(len(before), len(after))
    return before == after and _plain(old.file) == _plain(new.file)


def _plain(file: str) -> str:
    """A file's name without dates, numbers and what marks a copy."""
    path = PurePath(file)
    return _VARYING.sub(" ", path.stem).casefold().strip() + path.suffix.casefold()
