"""Dashboards in the file: their versions, what their queries gave last, and who may see them."""

from __future__ import annotations  # what is packed is imported with the first dashboard

import html
import json
import re
import secrets
import sqlite3
from collections.abc import Iterable, Sequence

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
from qhub_desktop.core.text import gettext as _
from qhub_desktop.store.conversations import number_of
from qhub_desktop.store.packed import packed, unpacked
from qhub_desktop.store.search import folded
from qhub_desktop.store.transaction import writing
from qhub_desktop.store.values import moment, stamp, storable

_SELECT = """SELECT d.id, d.title, d.author, d.agent, coalesce(c.id, ''), d.created, d.updated,
        d.version, d.visibility, d.schedule, d.refreshed, d.query_count
    FROM dashboards d LEFT JOIN conversations c ON c.number = d.conversation"""
_UNSEEN = re.compile(r"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.IGNORECASE | re.DOTALL)


def create(
    db: sqlite3.Connection,
    contents: DashboardSpec,
    rows: Sequence[QueryRows],
    *,
    author: str,
    agent: str,
    conversation: str,
) -> Dashboard:
    """A new one, with what its queries have given."""
    id_, now = secrets.token_hex(6), stamp()
    origin = number_of(db, conversation) if conversation else None
    with writing(db):
        number = db.execute(
            """INSERT INTO dashboards
                    (id, title, author, agent, conversation, created, updated, version)
                VALUES (?, '', ?, ?, ?, ?, ?, 0)""",
            (id_, storable(author), agent, origin, now, now),
        ).lastrowid
        assert number is not None
        _add_version(db, number, contents, author)
        _keep_rows(db, number, rows)
    return find(db, id_)


def find(db: sqlite3.Connection, id_: str) -> Dashboard:
    """One by its id. Raises UserError if there is none, or it was deleted."""
    row = db.execute(f"{_SELECT} WHERE d.id = ? AND d.is_deleted = 0", (storable(id_),)).fetchone()
    if row is None:
        raise unknown(id_)
    return _dashboard(row)


def made_in(db: sqlite3.Connection, conversation: str, title: str) -> Dashboard | None:
    """The one of this title that a conversation has made, if it is still there."""
    row = db.execute(
        f"{_SELECT} WHERE c.id = ? AND d.title = ? AND d.is_deleted = 0 ORDER BY d.number DESC",
        (storable(conversation), _line(title)),
    ).fetchone()
    return _dashboard(row) if row else None


def listed(
    db: sqlite3.Connection, *, viewer: Viewer | None, search: str, limit: int
) -> list[Dashboard]:
    """The latest first; of those that `viewer` may see, those with every word of the search."""
    found = db.execute(
        f"""{_SELECT} WHERE d.is_deleted = 0
                AND (:all OR d.author = :name OR d.visibility = 'station' OR (d.visibility = 'agent'
                    AND d.agent IN (SELECT value FROM json_each(:agents))))
                AND NOT EXISTS (SELECT 1 FROM json_each(:words) WHERE instr(d.words, value) = 0)
            ORDER BY d.updated DESC, d.number DESC LIMIT :limit""",  # noqa: S608  all the text is ours
        {
            "all": viewer is None,
            "name": storable(viewer.name) if viewer else "",
            "agents": json.dumps(viewer.agents if viewer else ()),
            "words": json.dumps(folded(storable(search)).split()),
            "limit": limit,
        },
    )
    return [_dashboard(row) for row in found]


def contents(db: sqlite3.Connection, id_: str, *, version: int | None = None) -> DashboardSpec:
    """What it holds, now or in an earlier version."""
    row = db.execute(
        """SELECT v.form, v.data
            FROM dashboard_versions v JOIN dashboards d ON d.number = v.dashboard
            WHERE d.id = ? AND v.version = coalesce(?, d.version)""",
        (storable(id_), version),
    ).fetchone()
    if row is None:
        raise unknown(id_)
    return unpacked(DashboardSpec, *row)


def change(db: sqlite3.Connection, id_: str, new: DashboardSpec, *, author: str) -> Dashboard:
    """Let it hold this from now on; what it held before stays, as an earlier version."""
    number = _number(db, id_)
    with writing(db):
        _add_version(db, number, new, author)
        db.execute(
            """DELETE FROM dashboard_rows WHERE dashboard = ?
                AND query NOT IN (SELECT value FROM json_each(?))""",
            (number, json.dumps([each.name for each in new.queries])),
        )
    return find(db, id_)


def versions(db: sqlite3.Connection, id_: str) -> list[Version]:
    """Every version, the latest first."""
    rows = db.execute(
        """SELECT v.version, v.title, v.author, v.created
            FROM dashboard_versions v WHERE v.dashboard = ? ORDER BY v.version DESC""",
        (_number(db, id_),),
    )
    return [Version(each, title, author, moment(at)) for each, title, author, at in rows]


def duplicate(db: sqlite3.Connection, id_: str, title: str, *, author: str) -> Dashboard:
    """Another one that holds the same, with the same rows, seen by its author alone."""
    number, held = _number(db, id_), contents(db, id_)
    origin = find(db, id_)
    copy = create(
        db,
        DashboardSpec(title, held.body, held.queries, held.cards),
        rows(db, id_),
        author=author,
        agent=origin.agent,
        conversation=origin.conversation,
    )
    with writing(db):
        db.execute(
            """UPDATE dashboards SET thumbnail =
                (SELECT thumbnail FROM dashboards WHERE number = ?) WHERE id = ?""",
            (number, copy.id),
        )
    return copy


def mark_deleted(db: sqlite3.Connection, id_: str, *, is_deleted: bool) -> None:
    """Take it out of every list, or bring it back."""
    number = _number(db, id_, is_deleted_too=True)
    with writing(db):
        db.execute("UPDATE dashboards SET is_deleted = ? WHERE number = ?", (is_deleted, number))


def show_to(db: sqlite3.Connection, id_: str, visibility: Visibility) -> None:
    """Who may see it from now on."""
    number = _number(db, id_)
    with writing(db):
        db.execute("UPDATE dashboards SET visibility = ? WHERE number = ?", (visibility, number))


def set_schedule(db: sqlite3.Connection, id_: str, schedule: Schedule) -> None:
    """When its queries run by themselves."""
    number = _number(db, id_)
    with writing(db):
        db.execute(
            "UPDATE dashboards SET schedule = ? WHERE number = ?",
            (schedule_words(schedule), number),
        )


def keep_rows(db: sqlite3.Connection, id_: str, found: Sequence[QueryRows]) -> None:
    """What its queries gave just now, in place of what they gave before."""
    number = _number(db, id_)
    with writing(db):
        _keep_rows(db, number, found)


def rows(db: sqlite3.Connection, id_: str) -> list[QueryRows]:
    """What its queries gave last, in their order."""
    kept = db.execute(
        """SELECT form, data FROM dashboard_rows WHERE dashboard = ? ORDER BY position""",
        (_number(db, id_),),
    )
    return [unpacked(QueryRows, form, data) for form, data in kept]


def keep_thumbnail(db: sqlite3.Connection, id_: str, picture: bytes) -> None:
    """A small picture of it, as PNG."""
    number = _number(db, id_, is_deleted_too=True)
    with writing(db):
        db.execute("UPDATE dashboards SET thumbnail = ? WHERE number = ?", (picture, number))


def thumbnail(db: sqlite3.Connection, id_: str) -> bytes | None:
    """The small picture, if one was taken."""
    row = db.execute("SELECT thumbnail FROM dashboards WHERE id = ?", (storable(id_),)).fetchone()
    return row[0] if row else None


def state_of_data(db: sqlite3.Connection, conversations: Iterable[str]) -> str:
    """Words that change when the data sets of these conversations do, or the log of defects."""
    log = db.execute("SELECT count(*), coalesce(max(id), 0) FROM defects").fetchone()
    pins = [
        db.execute(
            "SELECT dataset_id, name FROM pins WHERE conversation = ? ORDER BY id",
            (number_of(db, each),),
        ).fetchall()
        for each in sorted(set(conversations))
    ]
    return repr((log, pins))


def unknown(id_: str) -> UserError:
    """What to say of an id that means nothing."""
    return UserError(
        _("There is no dashboard {id}. See the list: qhub dashboards, or the window.").format(
            id=id_
        )
    )


def _number(db: sqlite3.Connection, id_: str, *, is_deleted_too: bool = False) -> int:
    row = db.execute(
        "SELECT number FROM dashboards WHERE id = ? AND is_deleted <= ?",
        (storable(id_), is_deleted_too),
    ).fetchone()
    if row is None:
        raise unknown(id_)
    number: int = row[0]
    return number


def _add_version(db: sqlite3.Connection, number: int, new: DashboardSpec, author: str) -> None:
    title = _line(new.title)
    if not title:
        raise UserError(_("A dashboard needs a title. Write at least one letter."))
    now = stamp()
    (version,) = db.execute(
        """UPDATE dashboards SET version = version + 1, title = ?, updated = ?, words = ?,
                query_count = ? WHERE number = ? RETURNING version""",
        (title, now, _words(new), len(new.queries), number),
    ).fetchone()
    db.execute(
        "INSERT INTO dashboard_versions VALUES (?, ?, ?, ?, ?, ?, ?)",
        (number, version, title, storable(author), now, *packed(new)),
    )


def _keep_rows(db: sqlite3.Connection, number: int, found: Sequence[QueryRows]) -> None:
    db.executemany(
        """INSERT INTO dashboard_rows (dashboard, query, position, form, data)
                VALUES (?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET position = excluded.position, form = excluded.form,
                data = excluded.data""",
        [(number, each.name, at, *packed(each)) for at, each in enumerate(found)],
    )
    if found:
        db.execute("UPDATE dashboards SET refreshed = ? WHERE number = ?", (stamp(), number))


def _words(new: DashboardSpec) -> str:
    """All that can be searched: the title, and what a reader of the page sees."""
    seen = [new.title, html.unescape(_UNSEEN.sub(" ", new.body))]
    seen += [each.title for each in new.cards] + [each.name for each in new.queries]
    return folded(storable(" ".join(" ".join(seen).split())))


def _line(title: str) -> str:
    return " ".join(storable(title).split())


def _dashboard(row: Sequence[object]) -> Dashboard:
    id_, title, author, agent, conversation, created, updated, *others = row
    version, visibility, schedule, refreshed, count = others
    return Dashboard(
        id=str(id_),
        title=str(title),
        author=str(author),
        agent=str(agent),
        conversation=str(conversation),
        created=moment(_int(created)),
        updated=moment(_int(updated)),
        version=_int(version),
        visibility="agent"
        if visibility == "agent"
        else "station"
        if visibility == "station"
        else "me",
        schedule=schedule_from(str(schedule)),
        refreshed=None if refreshed is None else moment(_int(refreshed)),
        query_count=_int(count),
    )


def _int(value: object) -> int:
    assert isinstance(value, int)
    return value
