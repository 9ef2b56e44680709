"""Which data sets a conversation has, by which names, and which of them it works on."""

import sqlite3
from itertools import count

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.conversations import number_of
from qhub_desktop.store.transaction import writing
from qhub_desktop.store.values import Pin


def add(
    db: sqlite3.Connection, conversation: str, dataset_id: str, name: str, *, is_used: bool
) -> str:
    """Pin a data set once; its name gets a number if another one has it already."""
    number = number_of(db, conversation)
    with writing(db):
        pinned = _pinned(db, number)
        for pin in pinned:
            if pin.dataset_id == dataset_id:
                return pin.name
        unique = _unique(name, {pin.name.casefold() for pin in pinned})
        db.execute(
            "INSERT INTO pins (conversation, dataset_id, name, is_used) VALUES (?, ?, ?, ?)",
            (number, dataset_id, unique, is_used),
        )
    return unique


def remove(db: sqlite3.Connection, conversation: str, dataset_id: str) -> None:
    """The conversation works on it no more."""
    number = number_of(db, conversation)
    with writing(db):
        db.execute(
            "DELETE FROM pins WHERE conversation = ? AND dataset_id = ?", (number, dataset_id)
        )


def rename(db: sqlite3.Connection, conversation: str, dataset_id: str, name: str) -> str:
    """Give it a name of its own, numbered if another one has it; what it is called then."""
    number = number_of(db, conversation)
    with writing(db):
        others = {
            pin.name.casefold() for pin in _pinned(db, number) if pin.dataset_id != dataset_id
        }
        unique = _unique(name, others)
        db.execute(
            "UPDATE pins SET name = ? WHERE conversation = ? AND dataset_id = ?",
            (unique, number, dataset_id),
        )
    return unique


def use(db: sqlite3.Connection, conversation: str, dataset_id: str, *, is_used: bool) -> None:
    """Whether questions are about it."""
    number = number_of(db, conversation)
    with writing(db):
        db.execute(
            "UPDATE pins SET is_used = ? WHERE conversation = ? AND dataset_id = ?",
            (is_used, number, dataset_id),
        )


def replace(db: sqlite3.Connection, conversation: str, old: str, new: str) -> str:
    """Let another data set have this one's place and name. Raises UserError if it has none."""
    number = number_of(db, conversation)
    with writing(db):
        place = next((pin for pin in _pinned(db, number) if pin.dataset_id == old), None)
        if place is None:
            raise UserError(
                _("The data set is not in this conversation any more. Drop its file again.")
            )
        if old != new:
            db.execute("DELETE FROM pins WHERE conversation = ? AND dataset_id = ?", (number, new))
            db.execute(
                "UPDATE pins SET dataset_id = ? WHERE conversation = ? AND dataset_id = ?",
                (new, number, old),
            )
    return place.name


def listed(db: sqlite3.Connection, conversation: str) -> list[Pin]:
    """In the order of pinning, those that are not used among them."""
    return _pinned(db, number_of(db, conversation))


def _pinned(db: sqlite3.Connection, number: int) -> list[Pin]:
    rows = db.execute(
        "SELECT dataset_id, name, is_used FROM pins WHERE conversation = ? ORDER BY id", (number,)
    )
    return [Pin(dataset_id, name, bool(is_used)) for dataset_id, name, is_used in rows]


def _unique(name: str, taken: set[str]) -> str:
    # SQL knows no capitals in names, so neither may the comparison.
    if name.casefold() not in taken:
        return name
    tries = (f"{name}_{number}" for number in count(2))
    return next(each for each in tries if each.casefold() not in taken)
