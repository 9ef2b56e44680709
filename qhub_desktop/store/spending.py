"""What each call to a model took, and what a day has cost."""

import sqlite3
from datetime import date, datetime

from qhub_desktop.core.events import UsageCounted
from qhub_desktop.store.transaction import writing


def add(db: sqlite3.Connection, message: int, usage: UsageCounted) -> None:
    """Count one call of an answer, on today's bill."""
    with writing(db):
        db.execute(
            """INSERT INTO usage (message, day, model, input_tokens, output_tokens,
                cache_read_tokens, cache_write_tokens, cost_usd)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                message,
                _today().isoformat(),
                usage.model,
                usage.input_tokens,
                usage.output_tokens,
                usage.cache_read_tokens,
                usage.cache_write_tokens,
                usage.cost_usd,
            ),
        )


def of_message(db: sqlite3.Connection, message: int) -> list[UsageCounted]:
    """The calls of one answer, first one first."""
    rows = db.execute(
        """SELECT model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens,
            cost_usd FROM usage WHERE message = ? ORDER BY id""",
        (message,),
    )
    return [UsageCounted(*row) for row in rows]


def spent_today(db: sqlite3.Connection) -> float:
    """US dollars since midnight on the station's clock, as far as prices are known."""
    row = db.execute(
        "SELECT total(cost_usd) FROM usage WHERE day = ?", (_today().isoformat(),)
    ).fetchone()
    spent: float = row[0]
    return spent


def _today() -> date:
    return datetime.now().astimezone().date()
