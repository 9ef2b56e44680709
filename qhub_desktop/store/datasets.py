"""Data sets: what each conversation has, by which names, and what words mean in their columns."""

import json
from collections.abc import Iterable
from itertools import count
from sqlite3 import Connection

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.core.untrusted_files import parse_object
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.conversations import number_of
from qhub_desktop.store.database import Repository, now_us, reads, writes


@dataclass(frozen=True, slots=True)
class Pin:
    """A data set that came into a conversation, and the name SQL knows it by there.

    One that is not used stays in sight of the person, but no question is about it.
    """

    dataset_id: str
    name: str
    is_used: bool = True


_TOLD = "SELECT figures FROM told_figures WHERE conversation = ? AND dataset_id = ? ORDER BY id"


class DatasetRepository(Repository):
    """Which data sets a conversation works on, what a model was told of them, and how words were
    read in data of their columns.

    A conversation that was never there raises UserError.
    """

    @writes
    def pin(
        self,
        db: Connection,
        conversation: ConversationId,
        dataset_id: str,
        name: str,
        *,
        is_used: bool = True,
    ) -> str:
        """Pin a data set to a conversation, once; return its name, numbered if it was taken."""
        number = number_of(db, conversation)
        others = {p.name.casefold() for p in pinned_in(db, number) if p.dataset_id != dataset_id}
        kept: str = db.execute(
            """INSERT INTO pins (conversation, dataset_id, name, is_used) VALUES (?, ?, ?, ?)
                ON CONFLICT (conversation, dataset_id) DO UPDATE SET name = name RETURNING name""",
            (number, dataset_id, _unique(name, others), is_used),
        ).fetchone()[0]
        return kept

    @writes
    def unpin(self, db: Connection, conversation: ConversationId, dataset_id: str) -> None:
        """Take a data set out of a conversation."""
        db.execute(
            "DELETE FROM pins WHERE conversation = ? AND dataset_id = ?",
            (number_of(db, conversation), dataset_id),
        )

    @writes
    def rename(
        self, db: Connection, conversation: ConversationId, dataset_id: str, name: str
    ) -> str:
        """Rename a data set in a conversation; return its name, numbered if it was taken."""
        number = number_of(db, conversation)
        others = {
            pin.name.casefold() for pin in pinned_in(db, number) if pin.dataset_id != dataset_id
        }
        unique = _unique(name, others)
        db.execute(
            "UPDATE pins SET name = ? WHERE conversation = ? AND dataset_id = ?",
            (unique, number, dataset_id),
        )
        return unique

    @writes
    def set_used(
        self, db: Connection, conversation: ConversationId, dataset_id: str, *, is_used: bool
    ) -> None:
        """Let the questions of a conversation be about this data set, or not."""
        db.execute(
            "UPDATE pins SET is_used = ? WHERE conversation = ? AND dataset_id = ?",
            (is_used, number_of(db, conversation), dataset_id),
        )

    @writes
    def replace(self, db: Connection, conversation: ConversationId, old: str, new: str) -> str:
        """Replace a data set in a conversation by another, under its name; return that name.

        Raises UserError if the other one is not there.
        """
        number = number_of(db, conversation)
        replaced = next((pin for pin in pinned_in(db, number) if pin.dataset_id == old), None)
        if replaced is None:
            raise UserError(
                _("The data set is not in this conversation any more. Drop its file again.")
            )
        if old != new:
            db.execute("DELETE FROM pins WHERE conversation = ? AND dataset_id = ?", (number, new))
            db.execute(
                "UPDATE pins SET dataset_id = ? WHERE conversation = ? AND dataset_id = ?",
                (new, number, old),
            )
        return replaced.name

    @reads
    def pinned(
        self, db: Connection, conversation: ConversationId, *, include_unused: bool = False
    ) -> list[Pin]:
        """List the data sets that a conversation works on, in the order of pinning."""
        pinned = pinned_in(db, number_of(db, conversation))
        return [pin for pin in pinned if pin.is_used or include_unused]

    @reads
    def released(self, db: Connection) -> list[str]:
        """List the data sets that a conversation let go of, and of whose file none has any."""
        rows = db.execute(
            """SELECT dataset_id FROM released_datasets r WHERE NOT EXISTS (SELECT 1 FROM pins
                WHERE substr(pins.dataset_id, 1, 12) = substr(r.dataset_id, 1, 12))"""
        )
        return [dataset_id for (dataset_id,) in rows]

    @writes
    def forget_released(self, db: Connection, dataset_ids: Iterable[str]) -> None:
        """Note that the files of these data sets are gone."""
        given = [(each,) for each in dataset_ids]
        db.executemany("DELETE FROM released_datasets WHERE dataset_id = ?", given)

    @reads
    def told_figures(
        self, db: Connection, conversation: ConversationId, dataset_id: str
    ) -> list[JsonObject]:
        """List what a model was told of a data set in a conversation, oldest first."""
        rows = db.execute(_TOLD, (number_of(db, conversation), dataset_id))
        return [parse_object(figures) for (figures,) in rows]

    @writes
    def keep_told_figures(
        self,
        db: Connection,
        conversation: ConversationId,
        dataset_id: str,
        figures: JsonObject,
        *,
        after: int,
    ) -> bool:
        """Keep what is about to be told; False, and nothing kept, unless `after` were before."""
        number = number_of(db, conversation)
        if len(db.execute(_TOLD, (number, dataset_id)).fetchall()) != after:
            return False
        db.execute(
            "INSERT INTO told_figures (conversation, dataset_id, figures) VALUES (?, ?, ?)",
            (number, dataset_id, json.dumps(figures, ensure_ascii=False)),
        )
        return True

    @writes
    def keep_reading(self, db: Connection, columns: Iterable[str], word: str, reading: str) -> None:
        """Remember what a word means in data with these columns."""
        db.execute(
            """INSERT INTO readings VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE
                SET reading = excluded.reading, chosen = excluded.chosen""",
            (shape_of(columns), sanitize(word), sanitize(reading), now_us()),
        )

    @reads
    def readings(self, db: Connection, columns: Iterable[str]) -> tuple[tuple[str, str], ...]:
        """List each word with its meaning in data with these columns, the first chosen first."""
        return tuple(
            db.execute(
                "SELECT word, reading FROM readings WHERE shape = ? ORDER BY chosen, word",
                (shape_of(columns),),
            )
        )


def shape_of(columns: Iterable[str]) -> str:
    """Return a key that files with the same columns share, whatever their order."""
    return json.dumps(sorted(sanitize(column) for column in columns), ensure_ascii=False)


def pinned_in(db: Connection, number: int) -> list[Pin]:
    """List the data sets of a conversation by its row number, in the order of pinning."""
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
