"""Cost verbs: what the answers cost, and the budgets that an administrator sets."""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from qhub_desktop.cli.printing import format_table, print_json
from qhub_desktop.cli.verbs import (
    CommandServices,
    Verbs,
    add_json_option,
    add_overwrite_option,
    check_free,
)
from qhub_desktop.core.budget import PERIODS, SCOPES, Budget, BudgetStanding
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.person import ADMINS
from qhub_desktop.core.table import Column, Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number

if TYPE_CHECKING:
    from qhub_desktop.store.costs import CostTotal

BY = ("day", "month", "person", "agent", "model")


def declare(verbs: Verbs) -> None:
    """Declare `costs`."""
    costs = verbs.add_parser("costs", help=_("what the answers took and cost"))
    costs.set_defaults(run=_costs)
    costs.add_argument("--by", choices=BY, default="day", help=_("added up by (default: day)"))
    costs.add_argument(
        "--person", dest="whose", metavar="NAME", help=_("only what this account spent")
    )
    costs.add_argument("--from", dest="first", type=date.fromisoformat, metavar="DATE")
    costs.add_argument("--to", dest="last", type=date.fromisoformat, metavar="DATE")
    costs.add_argument("--csv", type=Path, metavar="PATH", help=_("into a CSV file"))
    add_overwrite_option(costs)
    add_json_option(costs)


def declare_budgets(doing: Verbs) -> None:
    """Declare `budget` among what an administrator does."""
    budget = doing.add_parser("budget", help=_("what may be spent, and by whom"))
    acts = budget.add_subparsers(dest="act", required=True, metavar="DOING")
    setting = acts.add_parser("set", help=_("make a budget, or change it"))
    setting.set_defaults(run=_set)
    removing = acts.add_parser("remove", help=_("take a budget away"))
    removing.set_defaults(run=_remove)
    for each in (setting, removing):
        each.add_argument("--scope", choices=SCOPES, required=True)
        each.add_argument("--name", default="", help=_("the account or the agent"))
        each.add_argument("--period", choices=PERIODS, required=True)
    setting.add_argument(
        "--usd", type=float, required=True, metavar="AMOUNT", help=_("US dollars in a period")
    )
    listing = acts.add_parser("list", help=_("every budget, and what is spent of it"))
    listing.set_defaults(run=_list)
    for each in (setting, removing, listing):
        each.set_defaults(roles=ADMINS)
        add_json_option(each)


async def _costs(services: CommandServices, asked: argparse.Namespace) -> None:
    """Print what was spent: an administrator everybody's, anybody else their own."""
    person = services.person
    totals = await services.store.costs.totals(
        asked.by,
        first=asked.first,
        last=asked.last,
        owner=None if person is None or person.is_admin else person.id,
        person=None if asked.whose is None else await _account(services, asked.whose),
    )
    if asked.csv is not None:
        await _write(services, totals, asked)
    elif asked.json:
        print_json(totals)
    elif totals:
        print(format_table(_table(totals, asked.by), row_count=len(totals)))
        spent = number(sum(each.cost_usd for each in totals), digits=4)
        print(_("Together: {spent} US$").format(spent=spent))
        from qhub_desktop.store.costs import notes_on

        for note in notes_on(totals):
            print(note)
    else:
        print(_("Nothing was spent."))


async def _account(services: CommandServices, name: str) -> str:
    """Return the name of the account whose costs are asked for.

    Raises UserError where there is none, or where they are not the asker's to see.
    """
    name, person = name.strip().casefold(), services.person
    if person is not None and not person.is_admin:
        if name != person.name:
            raise UserError(_("Only an administrator sees what others spent."))
        return name
    return (await services.store.people.find(name)).name


async def _write(
    services: CommandServices, totals: list[CostTotal], asked: argparse.Namespace
) -> None:
    from qhub_desktop.data.export.output import atomic_write
    from qhub_desktop.data.export.text_tables import CsvWriter
    from qhub_desktop.store.costs import COLUMNS, totals_as_rows

    check_free(asked.csv, asked)
    detail: JsonObject = {"file": asked.csv.name, "by": asked.by}
    if asked.whose is not None:
        detail["person"] = asked.whose.strip().casefold()
    await services.store.audit.add("export", "costs", detail)
    with (
        atomic_write(asked.csv) as draft,
        draft.open("w", encoding="utf-8-sig", newline="") as out,
    ):
        CsvWriter(out, [asked.by, *COLUMNS], locale="en").write(totals_as_rows(totals))
    if asked.json:
        print_json({"file": str(asked.csv), "rows": len(totals)})
    else:
        said = ngettext("{count} row in {file}.", "{count} rows in {file}.", len(totals))
        print(said.format(count=len(totals), file=asked.csv))


def _table(totals: list[CostTotal], by: str) -> Table:
    columns = (
        Column(_HEADS[by](), "text"),
        Column(_("Answers"), "integer"),
        Column(_("Input"), "integer"),
        Column(_("Output"), "integer"),
        Column(_("Cache written"), "integer"),
        Column(_("Cache read"), "integer"),
        Column("US$", "number"),
    )
    rows = tuple(
        (
            each.key or "-",
            each.answers,
            each.input_tokens,
            each.output_tokens,
            each.cache_write_tokens,
            each.cache_read_tokens,
            round(each.cost_usd, 6),
        )
        for each in totals
    )
    return Table(columns, rows)


_HEADS = {
    "day": lambda: _("Day"),
    "month": lambda: _("Month"),
    "person": lambda: _("Person"),
    "agent": lambda: _("Agent"),
    "model": lambda: _("Model"),
}


async def _set(services: CommandServices, asked: argparse.Namespace) -> None:
    budget = Budget(asked.scope, _name(services, asked), asked.period, asked.usd)
    await services.store.costs.set_budget(budget)
    if asked.json:
        print_json(budget)
    else:
        print(f"{budget.title}: {number(budget.usd, digits=2)} US$")


async def _remove(services: CommandServices, asked: argparse.Namespace) -> None:
    name = "" if asked.scope == "station" else asked.name.strip().casefold()
    budget = await services.store.costs.remove_budget(asked.scope, name, asked.period)
    if asked.json:
        print_json(budget)
    else:
        print(_("Taken away: {what}").format(what=budget.what))


async def _list(services: CommandServices, asked: argparse.Namespace) -> None:
    standings = await services.store.costs.all_standings()
    if asked.json:
        print_json([_object(each) for each in standings])
        return
    for each in standings:
        print(f"{each.budget.title}: {each.amounts} US$")
    if not standings:
        print(_("There is no budget: what is asked is not limited."))


def _name(services: CommandServices, asked: argparse.Namespace) -> str:
    """Return the name that a budget is for. Raises UserError for one that cannot be."""
    name = str(asked.name).strip().casefold()
    if asked.scope == "station":
        if name:
            raise UserError(_("There is one station: leave --name out."))
        return ""
    if not name:
        raise UserError(_("Say whose budget it is: --name NAME."))
    if asked.scope == "agent" and name not in services.agents:
        names = ", ".join(services.agents)
        raise UserError(
            _("There is no agent '{name}'. There are: {names}.").format(name=name, names=names)
        )
    return name


def _object(standing: BudgetStanding) -> JsonObject:
    budget = standing.budget
    return {
        "scope": budget.scope,
        "name": budget.name,
        "period": budget.period,
        "usd": budget.usd,
        "spent_usd": standing.spent_usd,
        "reserved_usd": standing.reserved_usd,
    }
