"""Dashboards in the file: their versions, what their queries gave last, and who may see them."""

import html
import json
import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import replace
from sqlite3 import Connection

from qhub_desktop.core.dashboard import (
    Dashboard,
    DashboardSpec,
    QueryRows,
    Schedule,
    Version,
    Viewer,
    Visibility,
    schedule_from,
    schedule_words,
)
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import NO_CONVERSATION, ConversationId
from qhub_desktop.core.person import ROLES
from qhub_desktop.core.text import fold_in_place
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize
from qhub_desktop.store.conversations import number_of
from qhub_desktop.store.database import (
    Repository,
    from_us,
    now_us,
    packed,
    reads,
    unpacked,
    writes,
)
from qhub_desktop.store.rights import requires

MOST = 1_000  # listed at once

_SELECTED = """SELECT d.id, d.title, d.author, d.agent, coalesce(c.id, ''), d.created,
        d.updated, d.version, d.visibility, d.schedule, d.refreshed, d.query_count
    FROM dashboards d LEFT JOIN conversations c ON c.number = d.conversation"""
_UNSEEN = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.IGNORECASE | re.DOTALL)


class DashboardRepository(Repository):
    """Every dashboard, its versions and its rows.

    Methods that take an id raise UserError where there is none, but for `thumbnail`.
    """

    @writes
    @requires(*ROLES)
    def create(
        self,
        db: Connection,
        contents: DashboardSpec,
        rows: Sequence[QueryRows] = (),
        *,
        author: str = "",
        agent: str = "",
        conversation: ConversationId = NO_CONVERSATION,
    ) -> Dashboard:
        """Make a dashboard with its first version, and what its queries have given.

        Raises UserError if it has no title, or the conversation is not there.
        """
        return _create(db, contents, rows, author=author, agent=agent, conversation=conversation)

    @reads
    def find(self, db: Connection, id_: str) -> Dashboard:
        """Find one by its id. Raises UserError if there is none, or it was deleted."""
        return _find(db, id_)

    @reads
    def made_in(self, db: Connection, conversation: ConversationId, title: str) -> Dashboard | None:
        """Find the one of this title that a conversation has made, if it is still there."""
        row = db.execute(
            f"""{_SELECTED} WHERE c.id = ? AND d.title = ? AND d.is_deleted = 0
            ORDER BY d.number DESC""",
            (sanitize(conversation), _line(title)),
        ).fetchone()
        return _dashboard(row) if row else None

    @reads
    def listed(
        self,
        db: Connection,
        *,
        viewer: Viewer | None = None,
        search: str = "",
        limit: int = MOST,
    ) -> list[Dashboard]:
        """List those that `viewer` may see, or all of the station's, the latest first.

        A search keeps those that have all its words in the title or on the page, whatever their
        accents and case.
        """
        agents = None if viewer is None else viewer.agents
        found = db.execute(
            f"""{_SELECTED} WHERE d.is_deleted = 0
                    AND (:all OR d.author = :name OR d.visibility = 'station'
                        OR (d.visibility = 'agent' AND (:agents IS NULL
                            OR d.agent IN (SELECT value FROM json_each(:agents)))))
                    AND NOT EXISTS
                        (SELECT 1 FROM json_each(:words) WHERE instr(d.words, value) = 0)
                ORDER BY d.updated DESC, d.number DESC LIMIT :limit""",  # noqa: S608  all the text is ours
            {
                "all": viewer is None,
                "name": sanitize(viewer.name) if viewer else "",
                "agents": json.dumps(agents) if agents is not None else None,
                "words": json.dumps(fold_in_place(sanitize(search)).split()),
                "limit": limit,
            },
        )
        return [_dashboard(row) for row in found]

    @reads
    def contents(self, db: Connection, id_: str, *, version: int | None = None) -> DashboardSpec:
        """Read what it holds, now or in an earlier version."""
        return _contents(db, id_, version=version)

    @writes
    @requires(*ROLES)
    def change(
        self, db: Connection, id_: str, contents: DashboardSpec, *, author: str = ""
    ) -> Dashboard:
        """Let it hold this from now on; what it held before stays, as an earlier version.

        Raises UserError if it has no title.
        """
        number = _number(db, id_)
        _add_version(db, number, contents, author)
        db.execute(
            """DELETE FROM dashboard_rows WHERE dashboard = ?
                AND query NOT IN (SELECT value FROM json_each(?))""",
            (number, json.dumps([each.name for each in contents.queries])),
        )
        return _find(db, id_)

    @reads
    def versions(self, db: Connection, id_: str) -> list[Version]:
        """List every version, the latest first."""
        rows = db.execute(
            """SELECT v.version, v.title, v.author, v.created
                FROM dashboard_versions v WHERE v.dashboard = ? ORDER BY v.version DESC""",
            (_number(db, id_),),
        )
        return [Version(each, title, author, from_us(at)) for each, title, author, at in rows]

    @writes
    @requires(*ROLES)
    def duplicate(self, db: Connection, id_: str, title: str, *, author: str = "") -> Dashboard:
        """Make another one that holds the same, with the same rows, seen by its author alone."""
        origin, held = _find(db, id_), _contents(db, id_)
        copy = _create(
            db,
            replace(held, title=title),
            _rows(db, id_),
            author=author,
            agent=origin.agent,
            conversation=origin.conversation,
        )
        db.execute(
            """UPDATE dashboards SET thumbnail =
                (SELECT thumbnail FROM dashboards WHERE id = ?) WHERE id = ?""",
            (origin.id, copy.id),
        )
        return copy

    @writes
    @requires(*ROLES)
    def set_deleted(self, db: Connection, id_: str, *, is_deleted: bool) -> None:
        """Take it out of every list, or bring it back as it was."""
        db.execute(
            "UPDATE dashboards SET is_deleted = ? WHERE number = ?",
            (is_deleted, _number(db, id_, is_deleted_too=True)),
        )

    @writes
    @requires(*ROLES)
    def show_to(self, db: Connection, id_: str, visibility: Visibility) -> None:
        """Set who may see it from now on."""
        db.execute(
            "UPDATE dashboards SET visibility = ? WHERE number = ?",
            (visibility, _number(db, id_)),
        )

    @writes
    @requires(*ROLES)
    def set_schedule(self, db: Connection, id_: str, schedule: Schedule) -> None:
        """Set when its queries run by themselves, while it is open."""
        db.execute(
            "UPDATE dashboards SET schedule = ? WHERE number = ?",
            (schedule_words(schedule), _number(db, id_)),
        )

    @writes
    def keep_rows(self, db: Connection, id_: str, rows: Sequence[QueryRows]) -> None:
        """Keep what its queries gave just now, in place of what they gave before."""
        _keep_rows(db, _number(db, id_), rows)

    @reads
    def rows(self, db: Connection, id_: str) -> list[QueryRows]:
        """Read what its queries gave last, in their order."""
        return _rows(db, id_)

    @writes
    def keep_thumbnail(self, db: Connection, id_: str, picture: bytes) -> None:
        """Keep a small picture of it, as PNG."""
        db.execute(
            "UPDATE dashboards SET thumbnail = ? WHERE number = ?",
            (picture, _number(db, id_, is_deleted_too=True)),
        )

    @reads
    def thumbnail(self, db: Connection, id_: str) -> bytes | None:
        """Read the small picture, if one was taken."""
        row = db.execute(
            "SELECT thumbnail FROM dashboards WHERE id = ?", (sanitize(id_),)
        ).fetchone()
        return row[0] if row else None

    @reads
    def state_of_data(self, db: Connection, conversations: Iterable[ConversationId]) -> str:
        """Return words that change with the data of these conversations or the defect log."""
        log = db.execute("SELECT count(*), coalesce(max(id), 0) FROM defects").fetchone()
        pins = [
            db.execute(
                "SELECT dataset_id, name FROM pins WHERE conversation = ? ORDER BY id",
                (number_of(db, each),),
            ).fetchall()
            for each in sorted(set(conversations))
        ]
        return repr((log, pins))


def _create(
    db: Connection,
    contents: DashboardSpec,
    rows: Sequence[QueryRows],
    *,
    author: str,
    agent: str,
    conversation: ConversationId,
) -> Dashboard:
    id_, now = secrets.token_hex(6), now_us()
    origin = number_of(db, conversation) if conversation else None
    number = db.execute(
        """INSERT INTO dashboards
                (id, title, author, agent, conversation, created, updated, version)
            VALUES (?, '', ?, ?, ?, ?, ?, 0)""",
        (id_, sanitize(author), agent, origin, now, now),
    ).lastrowid
    assert number is not None
    _add_version(db, number, contents, author)
    _keep_rows(db, number, rows)
    return _find(db, id_)


def _find(db: Connection, id_: str) -> Dashboard:
    row = db.execute(
        f"{_SELECTED} WHERE d.id = ? AND d.is_deleted = 0", (sanitize(id_),)
    ).fetchone()
    if row is None:
        raise _unknown(id_)
    return _dashboard(row)


def _contents(db: Connection, id_: str, *, version: int | None = None) -> DashboardSpec:
    row = db.execute(
        """SELECT v.form, v.data
            FROM dashboard_versions v JOIN dashboards d ON d.number = v.dashboard
            WHERE d.id = ? AND v.version = coalesce(?, d.version)""",
        (sanitize(id_), version),
    ).fetchone()
    if row is None:
        raise _unknown(id_)
    return unpacked(DashboardSpec, *row)


def _rows(db: Connection, id_: str) -> list[QueryRows]:
    kept = db.execute(
        """SELECT form, data FROM dashboard_rows WHERE dashboard = ? ORDER BY position""",
        (_number(db, id_),),
    )
    return [unpacked(QueryRows, form, data) for form, data in kept]


def _unknown(id_: str) -> UserError:
    return UserError(
        _("There is no dashboard {id}. See the list: qhub dashboards, or the window.").format(
            id=id_
        )
    )


def _number(db: Connection, id_: str, *, is_deleted_too: bool = False) -> int:
    row = db.execute(
        "SELECT number FROM dashboards WHERE id = ? AND is_deleted <= ?",
        (sanitize(id_), is_deleted_too),
    ).fetchone()
    if row is None:
        raise _unknown(id_)
    number: int = row[0]
    return number


def _add_version(db: Connection, number: int, new: DashboardSpec, author: str) -> None:
    title = _line(new.title)
    if not title:
        raise UserError(_("A dashboard needs a title. Write at least one letter."))
    now = now_us()
    (version,) = db.execute(
        """UPDATE dashboards SET version = version + 1, title = ?, updated = ?, words = ?,
                query_count = ? WHERE number = ? RETURNING version""",
        (title, now, _words(new), len(new.queries), number),
    ).fetchone()
    db.execute(
        "INSERT INTO dashboard_versions VALUES (?, ?, ?, ?, ?, ?, ?)",
        (number, version, title, sanitize(author), now, *packed(new)),
    )


def _keep_rows(db: Connection, number: int, found: Sequence[QueryRows]) -> None:
    db.executemany(
        """INSERT INTO dashboard_rows (dashboard, query, position, form, data)
                VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET position = excluded.position, form = excluded.form,
                data = excluded.data""",
        [(number, each.name, at, *packed(each)) for at, each in enumerate(found)],
    )
    if found:
        db.execute("UPDATE dashboards SET refreshed = ? WHERE number = ?", (now_us(), number))


def _words(new: DashboardSpec) -> str:
    """Return the text that a search looks through: the title, and what the page shows."""
    seen = [new.title, html.unescape(_UNSEEN.sub(" ", new.body))]
    seen += [each.title for each in new.cards] + [each.name for each in new.queries]
    return fold_in_place(sanitize(" ".join(" ".join(seen).split())))


def _line(title: str) -> str:
    return " ".join(sanitize(title).split())


def _dashboard(row: Sequence[object]) -> Dashboard:
    id_, title, author, agent, conversation, created, updated, *others = row
    version, visibility, schedule, refreshed, count = others
    return Dashboard(
        id=str(id_),
        title=str(title),
        author=str(author),
        agent=str(agent),
        conversation=ConversationId(str(conversation)),
        created=from_us(_int(created)),
        updated=from_us(_int(updated)),
        version=_int(version),
        visibility=_visibility(visibility),
        schedule=schedule_from(str(schedule)),
        refreshed=None if refreshed is None else from_us(_int(refreshed)),
        query_count=_int(count),
    )


def _visibility(stored: object) -> Visibility:
    match stored:
        case "agent" | "station":
            return stored
        case _:
            return "me"


def _int(value: object) -> int:
    assert isinstance(value, int)
    return value
