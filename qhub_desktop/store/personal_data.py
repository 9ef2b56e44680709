"""Personal data: everything that is one person's, to be written to a file or deleted for good."""

from sqlite3 import Connection

from qhub_desktop.core import codec
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.message import Message, ToolResult
from qhub_desktop.core.person import ADMINS
from qhub_desktop.store.audit import append
from qhub_desktop.store.conversations import Conversation, find_in, own_number, reaching
from qhub_desktop.store.database import Repository, read_json, reads, writes
from qhub_desktop.store.datasets import Pin, pinned_in
from qhub_desktop.store.deletion import delete_counted, leave_files
from qhub_desktop.store.messages import latest_in
from qhub_desktop.store.people import check_not_last, named_in
from qhub_desktop.store.rights import requires


class PersonalDataRepository(Repository):
    """What is somebody's, for an administrator. Raises UserError for a name without an account.

    The audit log tells of each export and each deletion.
    """

    @writes
    @requires(*ADMINS)
    def delete(self, db: Connection, name: str) -> dict[str, int]:
        """Delete an account with all that is its person's; return the rows gone, by table.

        What stays is the plant's: the schema says what, and under which name. The files that
        answers have made for them are noted, to go too. Raises UserError for the last
        administrator.
        """
        person = named_in(db, name)
        if person.is_admin:
            check_not_last(db, person)
        append(db, self.database.actor, "account", name, {"deleted": "yes"})
        leave_files(db, _exported_by(db, person.id))
        return delete_counted(db, "DELETE FROM people WHERE id = ?", person.id)

    @writes
    @requires(*ADMINS)
    def counts_of(self, db: Connection, name: str) -> dict[str, int]:
        """Return how many rows would go with somebody, by table; nothing goes yet."""
        person = named_in(db, name)
        db.execute("SAVEPOINT counting")
        try:
            return delete_counted(db, "DELETE FROM people WHERE id = ?", person.id)
        finally:
            db.execute("ROLLBACK TO counting")
            db.execute("RELEASE counting")

    @writes
    @requires(*ADMINS)
    def begin_export(self, db: Connection, name: str, file: str) -> list[Conversation]:
        """List all conversations of a person that are to be written to a file, deleted ones too.

        The log tells it.
        """
        append(db, self.database.actor, "export", name, {"file": file})
        with reaching(db, self.database, named_in(db, name).id, agents=None):
            rows = db.execute(
                "SELECT id FROM mine WHERE is_deleted <> 2 ORDER BY number"
            ).fetchall()
            return [find_in(db, id_, is_deleted_too=True) for (id_,) in rows]

    @reads
    @requires(*ADMINS)
    def said_in(
        self, db: Connection, name: str, id_: ConversationId
    ) -> tuple[list[Message], list[Pin]]:
        """Read a whole conversation of a person, and its data sets, for an export."""
        with reaching(db, self.database, named_in(db, name).id, agents=None):
            messages = latest_in(db, id_, before=None, limit=1 << 62)
            return messages, pinned_in(db, own_number(db, id_))

    @reads
    @requires(*ADMINS)
    def rows_of(self, db: Connection, name: str) -> JsonObject:
        """Read what else is a person's, as rows by table: of each table with an owner."""
        id_ = named_in(db, name).id
        found: JsonObject = {}
        tables = db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        for (table,) in tables.fetchall():
            columns = [each[1] for each in db.execute(f'PRAGMA table_info("{table}")')]
            if "owner" in columns and table != "conversations":
                rows = db.execute(f'SELECT * FROM "{table}" WHERE owner = ?', (id_,))  # noqa: S608
                names = [each[0] for each in rows.description]
                found[table] = [dict(zip(names, row, strict=True)) for row in rows]
        boards = db.execute(
            """SELECT d.id, d.title, d.visibility, v.data FROM dashboards d
                JOIN dashboard_versions v ON v.dashboard = d.number AND v.version = d.version
                WHERE d.author = ? AND d.is_deleted = 0""",
            (name,),
        )
        found["dashboards"] = [
            {"id": id_, "title": title, "visibility": to, "contents": read_json(data)}
            for id_, title, to, data in boards
        ]
        return found


def _exported_by(db: Connection, owner: int) -> list[str]:
    """Return the files that answers have made for a person, and for nobody else."""
    made = """SELECT json_extract(b.data, '$.content.ficheiro') AS file FROM blocks b
        JOIN messages m ON m.id = b.message JOIN conversations c ON c.number = m.conversation
        WHERE b.kind = ?1 AND json_valid(b.data) AND c.owner {} ?2"""
    rows = db.execute(
        f"{made.format('=')} AND file IS NOT NULL EXCEPT {made.format('<>')}",
        (codec.TAGS[ToolResult], owner),
    )
    return [file for (file,) in rows if isinstance(file, str)]
