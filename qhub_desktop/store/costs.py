"""Costs and budgets as stored: the sums of what answers took and cost."""

# Why it is so: decisions/costs.md

import json
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from sqlite3 import Connection
from typing import Literal, get_args

from qhub_desktop.core.budget import (
    MOST_USD,
    PERIODS,
    Budget,
    BudgetSpentError,
    BudgetStanding,
    Limits,
    Period,
    Scope,
    Spending,
)
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.ids import MessageId
from qhub_desktop.core.person import ADMINS
from qhub_desktop.core.table import Cell
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.core.values import dataclass
from qhub_desktop.store.audit import append
from qhub_desktop.store.database import Database, OpenMark, Repository, reads, writes
from qhub_desktop.store.rights import check_account, requires

Dimension = Literal["day", "month", "person", "agent", "model"]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
_KEYS: dict[Dimension, str] = {
    "day": "u.day",
    "month": "substr(u.day, 1, 7)",
    "person": "coalesce(p.name, '')",
    "agent": "coalesce(c.agent, u.agent)",
    "model": "u.model",
}
# What was said in a conversation that is gone counts too, without its person.
_WHOSE = """LEFT JOIN messages m ON m.id = u.message
    LEFT JOIN conversations c ON c.number = m.conversation LEFT JOIN people p ON p.id = c.owner"""
# What is counted, and what is reserved by programs that live: as calls of today that took nothing.
_CALLS = """(SELECT message, agent, day, model, input_tokens, output_tokens, cache_write_tokens,
        cache_read_tokens, cost_usd, is_estimated, 1 AS is_call, 0 AS reserved_usd FROM usage
    UNION ALL SELECT message, '', :today, model, 0, 0, 0, 0, 0, 0, 0, usd FROM reservations
        WHERE holder IN (SELECT value FROM json_each(:living)))"""
COLUMNS = (
    "answers",
    "calls",
    "input_tokens",
    "output_tokens",
    "cache_write_tokens",
    "cache_read_tokens",
    "cost_usd",
    "unpriced_calls",
    "estimated_calls",
    "reserved_usd",
)


@dataclass(frozen=True, slots=True)
class CostTotal:
    """Usage and price of the calls of one day, month, person, agent or model.

    `cost_usd` leaves out the calls whose price is not known. `estimated_calls` were left half way.
    `reserved_usd` is the most that requests under way may cost, on today's bill.
    """

    key: str
    answers: int
    calls: int
    input_tokens: int
    output_tokens: int
    cache_write_tokens: int
    cache_read_tokens: int
    cost_usd: float
    unpriced_calls: int
    estimated_calls: int
    reserved_usd: float = 0.0


class CostRepository(Repository):
    """Totals of the calls to services, and budgets. A change of one stands in the audit log.

    `mark` tells which of the programs live that have reserved something.
    """

    def __init__(self, database: Database, mark: OpenMark) -> None:
        super().__init__(database)
        self._mark = mark

    @reads
    def totals(
        self,
        db: Connection,
        by: Dimension,
        *,
        first: date | None = None,
        last: date | None = None,
        owner: int | None = None,
        person: str | None = None,
    ) -> list[CostTotal]:
        """Add up the calls from one day to another, of everybody or of one person's conversations.

        A person is told by id or by name; the empty name is of conversations that are nobody's.
        Days and months come in their order, the others with the most expensive first. What was said
        in a conversation counts although it was deleted. Everybody's are an administrator's to see.
        """
        if owner is None:
            check_account(db, self.database, ADMINS)
        order = "1" if by in ("day", "month") else "cost DESC, 1"
        rows = db.execute(
            f"""SELECT {_KEYS[by]}, count(DISTINCT u.message) FILTER (WHERE u.is_call),
                sum(u.is_call), sum(u.input_tokens),
                sum(u.output_tokens), sum(u.cache_write_tokens), sum(u.cache_read_tokens),
                total(u.cost_usd) AS cost, sum(u.cost_usd IS NULL), sum(u.is_estimated),
                total(u.reserved_usd)
                FROM {_CALLS} u {_WHOSE}
                WHERE u.day >= :first AND u.day <= :last AND (:owner IS NULL OR c.owner = :owner)
                AND (:person IS NULL OR {_KEYS["person"]} = :person)
                GROUP BY 1 ORDER BY {order}""",  # noqa: S608  all the text is ours
            {
                "first": first.isoformat() if first else "",
                "last": (last or date.max).isoformat(),
                "owner": owner,
                "person": person,
                "today": _today().isoformat(),
                "living": self._living(db),
            },
        )
        return [CostTotal(*row) for row in rows]

    @reads
    def budgets(self, db: Connection) -> list[Budget]:
        """List the budgets: the station's, people's, agents'."""
        return [budget for budget, _warned in _budgets(db)]

    @writes
    @requires(*ADMINS)
    def set_budget(self, db: Connection, budget: Budget) -> None:
        """Make a budget, or change it. Raises UserError for one that cannot be kept."""
        self._set(db, budget)

    @writes
    @requires(*ADMINS)
    def set_budgets(self, db: Connection, scope: Scope, name: str, limits: Limits) -> None:
        """Make these the budgets of one subject, in one go; what is as it was is not noted again.

        Raises UserError like `set_budget`.
        """
        before = {each.period: each.usd for each in self._spendings(db, scope, name)}
        for period, usd in limits.items():
            if usd == before[period]:
                continue
            if usd is None:
                self._remove(db, scope, name, period)
            else:
                self._set(db, Budget(scope, name, period, usd))

    @writes
    @requires(*ADMINS)
    def remove_budget(self, db: Connection, scope: Scope, name: str, period: Period) -> Budget:
        """Take a budget away. Raises UserError if there is none."""
        return self._remove(db, scope, name, period)

    @reads
    @requires(*ADMINS)
    def spendings(self, db: Connection, scope: Scope, name: str) -> list[Spending]:
        """Return what one subject has spent today and this month, whether it may or not."""
        return self._spendings(db, scope, name)

    @reads
    def account_names(self, db: Connection) -> list[str]:
        """List the names of the accounts that a budget may be for."""
        return [name for (name,) in db.execute("SELECT name FROM people ORDER BY name")]

    def _set(self, db: Connection, budget: Budget) -> None:
        if not 0 <= budget.usd <= MOST_USD:
            raise UserError(
                _("A budget is an amount from 0 to {most} US$.").format(most=number(MOST_USD))
            )
        if budget.scope == "person" and not _is_account(db, budget.name):
            raise UserError(
                _("There is no account '{name}'. See them all: qhub admin people list.").format(
                    name=budget.name
                )
            )
        db.execute(
            "INSERT OR REPLACE INTO budgets (scope, name, period, usd) VALUES (?, ?, ?, ?)",
            (budget.scope, budget.name, budget.period, budget.usd),
        )
        append(db, self.database.actor, "budget", _subject(budget), {"usd": budget.usd})

    def _remove(self, db: Connection, scope: Scope, name: str, period: Period) -> Budget:
        row = db.execute(
            "DELETE FROM budgets WHERE scope = ? AND name = ? AND period = ? RETURNING usd",
            (scope, name, period),
        ).fetchone()
        if row is None:
            raise UserError(_("There is no such budget. See them all: qhub admin budget list."))
        budget = Budget(scope, name, period, row[0])
        append(db, self.database.actor, "budget", _subject(budget), {"removed": True})
        return budget

    @reads
    def standings(self, db: Connection, answer: MessageId | None) -> list[BudgetStanding]:
        """Return what is spent of each budget that an answer is kept to.

        Without an answer, of those of the station and of the person who uses the program.
        """
        return self._standings(db, answer)

    @writes
    def reserve(
        self, db: Connection, answer: MessageId, *, model: str, most_usd: float | None
    ) -> list[BudgetStanding]:
        """Reserve the most that a request may cost in all budgets of its answer, if they have room.

        Until the answer's usage is added, or it ends, or this program does; in place of what was
        reserved for the answer before. Return the standings of the budgets without it: none where
        none is kept, and nothing is reserved then. Raises BudgetSpentError, or BudgetReservedError
        where others may give something back.
        """
        standings = self._standings(db, answer)
        for each in standings:
            each.check()
            each.check_room(most_usd)
        if standings:
            try:
                holder = self._mark.hold()
            except OSError as error:
                raise BudgetSpentError(
                    _(
                        "Claude is not asked: what the answer may cost cannot be reserved, for"
                        " nothing can be written to {folder}. Free some disk space."
                    ).format(folder=self.database.path.parent)
                ) from error
            db.execute(
                """DELETE FROM reservations
                    WHERE holder <> ? AND holder NOT IN (SELECT value FROM json_each(?))""",
                (holder, self._living(db)),
            )
            db.execute(
                """INSERT OR REPLACE INTO reservations (message, holder, model, usd)
                    VALUES (?, ?, ?, ?)""",
                (answer, holder, model, most_usd),
            )
        return standings

    def _standings(self, db: Connection, answer: MessageId | None) -> list[BudgetStanding]:
        if not (budgets := _budgets(db)):
            return []
        agent, person = "", self.database.actor
        if answer is not None:
            agent, person = db.execute(
                """SELECT c.agent, coalesce(p.name, '') FROM messages m
                    JOIN conversations c ON c.number = m.conversation
                    LEFT JOIN people p ON p.id = c.owner WHERE m.id = ?""",
                (answer,),
            ).fetchone() or (agent, person)
        names: dict[Scope, str] = {"station": "", "person": person, "agent": agent}
        living = self._living(db)
        return [
            _standing(db, budget, warned, answer, living)
            for budget, warned in budgets
            if budget.name == names[budget.scope]
        ]

    @reads
    @requires(*ADMINS)
    def all_standings(self, db: Connection) -> list[BudgetStanding]:
        """Return what is spent of every budget."""
        living = self._living(db)
        return [_standing(db, budget, warned, None, living) for budget, warned in _budgets(db)]

    @writes
    def claim_warning(self, db: Connection, budget: Budget) -> bool:
        """Return whether to warn of a budget: once in its period, whichever program asks."""
        begun = _begin(budget.period, _today())
        changed = db.execute(
            """UPDATE budgets SET warned = :begun
                WHERE scope = :scope AND name = :name AND period = :period AND warned <> :begun""",
            {
                "begun": begun,
                "scope": budget.scope,
                "name": budget.name,
                "period": budget.period,
            },
        )
        return changed.rowcount > 0

    def _living(self, db: Connection) -> str:
        """Return the holders of reservations whose programs live, as JSON."""
        holders = {holder for (holder,) in db.execute("SELECT holder FROM reservations")}
        return json.dumps(self._mark.living(holders) if holders else [])

    def _spendings(self, db: Connection, scope: Scope, name: str) -> list[Spending]:
        kept = {
            budget.period: budget.usd
            for budget, _warned in _budgets(db)
            if (budget.scope, budget.name) == (scope, name)
        }
        spent = {
            each: _standing(db, Budget(scope, name, each, 0), "", None, "[]").spent_usd
            for each in PERIODS
        }
        return [Spending(each, spent[each], kept.get(each)) for each in PERIODS]


def _budgets(db: Connection) -> list[tuple[Budget, str]]:
    rows = db.execute(
        """SELECT scope, name, period, usd, warned FROM budgets
            ORDER BY scope <> 'station', scope DESC, name, period"""
    )
    return [(Budget(scope, name, period, usd), warned) for scope, name, period, usd, warned in rows]


def _standing(
    db: Connection, budget: Budget, warned: str, answer: MessageId | None, living: str
) -> BudgetStanding:
    today = _today()
    begun = _begin(budget.period, today)
    given = {
        "answer": answer,
        "begun": begun,
        "today": today.isoformat(),
        "scope": budget.scope,
        "name": budget.name,
        "living": living,
    }
    of_budget = """(:scope <> 'person' OR p.name = :name)
        AND (:scope <> 'agent' OR {agent} = :name)"""
    of_calls, of_reservations = (
        of_budget.format(agent=each) for each in (_KEYS["agent"], "c.agent")
    )
    # Without an end: by a clock that was put back, what was spent stands on days to come.
    spent, others, unpriced, ahead = db.execute(
        f"""SELECT total(u.cost_usd), total(u.cost_usd) FILTER (WHERE u.message IS NOT :answer),
            count(*) FILTER (WHERE u.cost_usd IS NULL AND u.message IS NOT :answer),
            total(u.cost_usd) FILTER (WHERE u.day > :today)
            FROM usage u {_WHOSE}
            WHERE u.day >= :begun AND {of_calls}""",  # noqa: S608  the same
        given,
    ).fetchone()
    reserved, unlimited = db.execute(
        f"""SELECT total(u.usd), count(*) FILTER (WHERE u.usd IS NULL) FROM reservations u {_WHOSE}
            WHERE u.message IS NOT :answer AND {of_reservations}
                AND u.holder IN (SELECT value FROM json_each(:living))""",  # noqa: S608  the same
        given,
    ).fetchone()
    return BudgetStanding(
        budget,
        spent,
        others,
        unpriced + unlimited,
        is_warned=warned == begun,
        reserved_usd=reserved,
        ahead_usd=ahead,
    )


def _begin(period: Period, today: date) -> str:
    return (today if period == "day" else today.replace(day=1)).isoformat()


def _is_account(db: Connection, name: str) -> bool:
    return db.execute("SELECT 1 FROM people WHERE name = ?", (name,)).fetchone() is not None


def _subject(budget: Budget) -> str:
    return " ".join(each for each in (budget.scope, budget.name, budget.period) if each)


def _today() -> date:
    return datetime.now().astimezone().date()


def notes_on(totals: Sequence[CostTotal]) -> list[str]:
    """Return what is to be known of a sum of totals, in sentences."""
    told: list[str] = []
    if unpriced := sum(each.unpriced_calls for each in totals):
        said = ngettext(
            "{count} call is not in it, for the price of its model is not known.",
            "{count} calls are not in it, for the prices of their models are not known.",
            unpriced,
        )
        told.append(said.format(count=number(unpriced)))
    if estimated := sum(each.estimated_calls for each in totals):
        said = ngettext(
            "{count} call was left half way: what it took is estimated.",
            "{count} calls were left half way: what they took is estimated.",
            estimated,
        )
        told.append(said.format(count=number(estimated)))
    if reserved := sum(each.reserved_usd for each in totals):
        said = _("Reserved for answers under way: {usd} US$.")
        told.append(said.format(usd=number(reserved, digits=2)))
    return told


def totals_as_rows(totals: Sequence[CostTotal]) -> Iterator[tuple[Cell, ...]]:
    """Yield totals as rows of a file, in the order of `COLUMNS` after the key."""
    for each in totals:
        yield each.key, *(getattr(each, name) for name in COLUMNS)
