"""Which data sets a conversation works on, and by which names."""

import sqlite3
from itertools import count

from qhub_desktop.store.conversations import number_of
from qhub_desktop.store.transaction import writing
from qhub_desktop.store.values import Pin


def add(db: sqlite3.Connection, conversation: str, dataset_id: str, name: str) -> str:
    """Pin a data set once; its name gets a number if another one has it already."""
    number = number_of(db, conversation)
    with writing(db):
        pinned = _pinned(db, number)
        for pin in pinned:
            if pin.dataset_id == dataset_id:
                return pin.name
        unique = _unique(name, {pin.name.casefold() for pin in pinned})
        db.execute(
            "INSERT INTO pins (conversation, dataset_id, name) VALUES (?, ?, ?)",
            (number, dataset_id, unique),
        )
    return unique


def remove(db: sqlite3.Connection, conversation: str, dataset_id: str) -> None:
    """The conversation works on it no more."""
    number = number_of(db, conversation)
    with writing(db):
        db.execute(
            "DELETE FROM pins WHERE conversation = ? AND dataset_id = ?", (number, dataset_id)
        )


def listed(db: sqlite3.Connection, conversation: str) -> list[Pin]:
    """In the order of pinning."""
    return _pinned(db, number_of(db, conversation))


def _pinned(db: sqlite3.Connection, number: int) -> list[Pin]:
    rows = db.execute(
        "SELECT dataset_id, name FROM pins WHERE conversation = ? ORDER BY id", (number,)
    )
    return [Pin(*row) for row in rows]


def _unique(name: str, taken: set[str]) -> str:
    # SQL knows no capitals in names, so neither may the comparison.
    if name.casefold() not in taken:
        return name
    tries = (f"{name}_{number}" for number in count(2))
    return next(each for each in tries if each.casefold() not in taken)
