"""Monitors, what they have judged, and violations that wait for cause and action."""

import json
from collections.abc import Sequence
from dataclasses import replace
from sqlite3 import Connection
from typing import Any

from qhub_desktop.core import codec
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.monitor import (
    FoundViolation,
    JudgedPoint,
    Monitor,
    Violation,
    Watched,
    WatchedInput,
)
from qhub_desktop.core.person import ROLES
from qhub_desktop.core.study import PointNote
from qhub_desktop.core.table import Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import map_texts, sanitize
from qhub_desktop.core.untrusted_files import parse_object
from qhub_desktop.store.database import Repository, as_us, from_us, now_us, reads, unpacked, writes
from qhub_desktop.store.rights import requires

# The words of notes on a violation's point since it was found: the same notes as on the chart.
_NOTED = """(SELECT {column} FROM point_notes n WHERE n.subject = m.subject AND n.label = v.label
    AND n.at >= v.at AND n.{filled} <> '' ORDER BY n.id DESC LIMIT 1)"""
_CAUSE = _NOTED.format(column="cause", filled="cause")
_ACTION = _NOTED.format(column="action", filled="action")
_VIOLATIONS = f"""SELECT v.id, v.monitor, m.title, m.subject, v.at, v.found, v.rows,
        coalesce({_CAUSE}, ''), coalesce({_ACTION}, ''),
        coalesce({_NOTED.format(column="author", filled="action")}, ''),
        {_NOTED.format(column="at", filled="action")}
    FROM violations v JOIN monitors m ON m.id = v.monitor"""  # noqa: S608  constants
MOST_ANSWERED = 500


class MonitorRepository(Repository):
    """Monitors of the station: everybody here sees them, and their violations."""

    @writes
    @requires(*ROLES)
    def create(
        self,
        db: Connection,
        monitor: Monitor,
        inputs: Sequence[WatchedInput],
        points: Sequence[JudgedPoint],
    ) -> Monitor:
        """Keep a monitor, with the inputs and the points that are known with its chart."""
        id_ = db.execute(
            """INSERT INTO monitors (title, subject, arguments, watched, author, created)
                VALUES (?, ?, ?, ?, ?, ?)""",
            (
                sanitize(monitor.title),
                monitor.subject,
                _json(monitor.arguments),
                _json(codec.pack(monitor.watched)),
                sanitize(monitor.by),
                as_us(monitor.created),
            ),
        ).lastrowid
        assert id_ is not None
        for each in inputs:
            _keep_input(db, id_, each)
        _keep_points(db, id_, "", points)
        return _monitor(db, id_)

    @reads
    def listed(self, db: Connection) -> list[Monitor]:
        """List every monitor, the oldest first."""
        ids = db.execute("SELECT id FROM monitors ORDER BY id").fetchall()
        return [_monitor(db, id_) for (id_,) in ids]

    @writes
    @requires(*ROLES)
    def set_stopped(self, db: Connection, monitor: int, *, is_stopped: bool) -> None:
        """Let a monitor rest, or look again: then at all that came in meanwhile."""
        db.execute("UPDATE monitors SET is_stopped = ? WHERE id = ?", (is_stopped, monitor))

    @reads
    def inputs(self, db: Connection, monitor: int) -> list[WatchedInput]:
        """List what a monitor knows of what came in."""
        rows = db.execute(
            "SELECT key, state, problem FROM monitor_inputs WHERE monitor = ? ORDER BY key",
            (monitor,),
        )
        return [WatchedInput(*row) for row in rows]

    @reads
    def points(self, db: Connection, monitor: int, stream: str) -> list[JudgedPoint]:
        """List the points that were judged of one stream, in their order."""
        rows = db.execute(
            """SELECT label, value, size, distance FROM monitor_points
                WHERE monitor = ? AND stream = ? ORDER BY id""",
            (monitor, stream),
        )
        return [JudgedPoint(*row) for row in rows]

    @reads
    def tail(self, db: Connection, monitor: int, stream: str, count: int) -> list[JudgedPoint]:
        """List the last points that were judged, of all streams but one, in their order."""
        rows = db.execute(
            """SELECT label, value, size, distance FROM monitor_points
                WHERE monitor = ? AND stream <> ? ORDER BY id DESC LIMIT ?""",
            (monitor, stream, count),
        ).fetchall()
        return [JudgedPoint(*row) for row in reversed(rows)]

    @writes
    def record(
        self,
        db: Connection,
        monitor: int,
        before: WatchedInput | None,
        now: WatchedInput,
        stream: str,
        points: Sequence[JudgedPoint],
        found: Sequence[FoundViolation],
    ) -> list[Violation]:
        """Keep what was judged of an input, and return the violations that were not known.

        Nothing is kept if another program was quicker: the input is not as it was `before`. A
        violation of a lasting point that breaks the same rules again keeps its place in the list,
        with the newer value.
        """
        row = db.execute(
            "SELECT key, state, problem FROM monitor_inputs WHERE monitor = ? AND key = ?",
            (monitor, now.key),
        ).fetchone()
        if (None if row is None else WatchedInput(*row)) != before:
            return []
        _keep_input(db, monitor, now)
        _keep_points(db, monitor, stream, points)
        at = now_us()
        kept = [_keep_violation(db, monitor, each, at) for each in found]
        return [_violation(db, id_) for id_ in kept if id_ is not None]

    @writes
    def note_problem(self, db: Connection, monitor: int, problem: WatchedInput) -> None:
        """Keep why an input is not judged; one without a problem is forgotten."""
        if problem.problem:
            _keep_input(db, monitor, problem)
        else:
            db.execute(
                "DELETE FROM monitor_inputs WHERE monitor = ? AND key = ?", (monitor, problem.key)
            )

    @reads
    def violations(self, db: Connection, *, is_open: bool | None = None) -> list[Violation]:
        """List violations: the open ones first, the newest of each first; at most 500 answered."""
        answered = f"({_CAUSE} IS NOT NULL AND {_ACTION} IS NOT NULL)"
        wanted = (0, 1) if is_open is None else (int(not is_open),)
        found: list[Violation] = []
        for each in wanted:
            rows = db.execute(
                f"{_VIOLATIONS} WHERE {answered} = ? ORDER BY v.at DESC, v.id DESC LIMIT ?",
                (each, MOST_ANSWERED if each else -1),
            )
            found += [_as_violation(row) for row in rows.fetchall()]
        return found

    @reads
    def open_count(self, db: Connection) -> int:
        """Count the violations that wait for cause and action."""
        (count,) = db.execute(
            f"""SELECT count(*) FROM violations v JOIN monitors m ON m.id = v.monitor
                WHERE {_CAUSE} IS NULL OR {_ACTION} IS NULL"""  # noqa: S608  constants
        ).fetchone()
        return int(count)

    @writes
    @requires(*ROLES)
    def answer(self, db: Connection, violation: int, note: PointNote) -> Violation:
        """Note cause and action on the point of a violation, on its chart too; both are needed.

        Raises UserError if one of them has no word, or the violation is not there.
        """
        found = _violation(db, violation)
        cause, action = sanitize(note.cause).strip(), sanitize(note.action).strip()
        if not cause or not action:
            raise UserError(
                _("A violation is closed by its cause and by what was done. Write both.")
            )
        db.execute(
            """INSERT INTO point_notes (subject, label, cause, action, author, at)
                VALUES (?, ?, ?, ?, ?, ?)""",
            (found.subject, found.found.label, cause, action, sanitize(note.by), as_us(note.at)),
        )
        return _violation(db, violation)

    @reads
    def dataset_ids(self, db: Connection) -> list[str]:
        """List the data sets of the conversations within reach, the first that came in first."""
        rows = db.execute(
            """SELECT p.dataset_id FROM pins p JOIN mine c ON c.number = p.conversation
                GROUP BY p.dataset_id ORDER BY min(p.id)"""
        )
        return [id_ for (id_,) in rows]

    @reads
    def state_of_log(self, db: Connection) -> str:
        """Return words that change with the defect log."""
        count, last = db.execute("SELECT count(*), coalesce(max(id), 0) FROM defects").fetchone()
        return f"{count}:{last}"


def _keep_input(db: Connection, monitor: int, kept: WatchedInput) -> None:
    db.execute(
        """INSERT INTO monitor_inputs VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
            SET state = excluded.state, problem = excluded.problem, looked = excluded.looked""",
        (monitor, kept.key, kept.state, sanitize(kept.problem), now_us()),
    )


def _keep_points(db: Connection, monitor: int, stream: str, points: Sequence[JudgedPoint]) -> None:
    """Keep the points of a stream; what was kept and is the same stays as it is."""
    before = db.execute(
        """SELECT id, label, value, size, distance FROM monitor_points
            WHERE monitor = ? AND stream = ? ORDER BY id""",
        (monitor, stream),
    ).fetchall()
    same = 0
    for (_id, *known), point in zip(before, points, strict=False):
        if (point.label, point.value, point.size, point.distance) != tuple(known):
            break
        same += 1
    if same < len(before):
        db.execute(
            "DELETE FROM monitor_points WHERE monitor = ? AND stream = ? AND id >= ?",
            (monitor, stream, before[same][0]),
        )
    db.executemany(
        """INSERT INTO monitor_points (monitor, stream, label, value, size, distance)
            VALUES (?, ?, ?, ?, ?, ?)""",
        (
            (monitor, stream, sanitize(each.label), each.value, each.size, each.distance)
            for each in points[same:]
        ),
    )


def _keep_violation(db: Connection, monitor: int, found: FoundViolation, at: int) -> int | None:
    """Keep a violation; None if it stands there already."""
    rules, label = ",".join(found.rules), sanitize(found.label)
    data, rows = _without_rows(found), _json(codec.pack(found.rows))
    if found.is_lasting:
        known = db.execute(
            """UPDATE violations SET found = ?, rows = ?
                WHERE monitor = ? AND label = ? AND chart = ? AND rules = ?""",
            (data, rows, monitor, label, found.chart, rules),
        ).rowcount
        if known:
            return None
    return db.execute(
        """INSERT INTO violations (monitor, label, chart, rules, at, found, rows)
            VALUES (?, ?, ?, ?, ?, ?, ?)""",
        (monitor, label, found.chart, rules, at, data, rows),
    ).lastrowid


def _without_rows(found: FoundViolation) -> str:

    return _json(codec.pack(replace(found, rows=None)))


def _json(value: Any) -> str:
    return json.dumps(map_texts(value, sanitize), ensure_ascii=True, separators=(",", ":"))


def _monitor(db: Connection, id_: int) -> Monitor:
    title, subject, arguments, watched, author, created, is_stopped = db.execute(
        """SELECT title, subject, arguments, watched, author, created, is_stopped
            FROM monitors WHERE id = ?""",
        (id_,),
    ).fetchone()
    looked = db.execute(
        "SELECT max(looked) FROM monitor_inputs WHERE monitor = ?", (id_,)
    ).fetchone()[0]
    problems = db.execute(
        """SELECT problem FROM monitor_inputs WHERE monitor = ? AND problem <> ''
            ORDER BY looked DESC LIMIT 5""",
        (id_,),
    )
    return Monitor(
        id_,
        title,
        subject,
        parse_object(arguments),
        unpacked(Watched, codec.VERSION, watched),
        author,
        from_us(created),
        bool(is_stopped),
        None if looked is None else from_us(looked),
        tuple(problem for (problem,) in problems),
    )


def _violation(db: Connection, id_: int) -> Violation:
    row = db.execute(f"{_VIOLATIONS} WHERE v.id = ?", (id_,)).fetchone()
    if row is None:
        raise UserError(_("This violation is not there any more."))
    return _as_violation(row)


def _as_violation(row: tuple[Any, ...]) -> Violation:

    id_, monitor, title, subject, at, data, rows, cause, action, author, noted = row
    found = unpacked(FoundViolation, codec.VERSION, data)
    if rows != "null":
        found = replace(found, rows=unpacked(Table, codec.VERSION, rows))
    return Violation(
        id_,
        monitor,
        title,
        subject,
        from_us(at),
        found,
        cause,
        action,
        author,
        None if noted is None else from_us(noted),
    )
