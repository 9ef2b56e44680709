"""Accounts from a CSV file, as a plant's list of people comes out of Excel."""

import csv
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Protocol

from qhub_desktop.core.budget import Limits, Scope, parse_usd
from qhub_desktop.core.errors import UserError, unreadable
from qhub_desktop.core.person import ROLES
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted_files import MalformedContentError, read_regular
from qhub_desktop.core.values import dataclass
from qhub_desktop.people.accounts import Accounts, NewAccount

MOST_BYTES = 1_000_000


class BudgetWriter(Protocol):
    """Where it is kept what people may spend."""

    async def set_budgets(self, scope: Scope, name: str, limits: Limits, /) -> None:
        """Make these the budgets of one subject."""
        ...


@dataclass(frozen=True, slots=True)
class Imported:
    """The accounts that a file made, and a sentence for each line that made none."""

    made: Sequence[NewAccount]
    problems: Sequence[str]


async def import_accounts(
    accounts: Accounts, budgets: BudgetWriter, file: Path, known: Collection[str]
) -> Imported:
    """Make the accounts of a file with the columns name, role and, if it has them, agents, budget
    and budget_day: what they may spend in a month and in a day.

    `known` are the ids of the agents that there are. Raises UserError if the file cannot be read
    as such.
    """
    made, problems = [], []
    for number, line in read_people(file):
        try:
            role = line.get("role", "")
            if role not in ROLES:
                raise UserError(_("'{role}' is no role").format(role=role))
            agents = parse_agents(line.get("agents"), known)
            limits: Limits = {
                "day": parse_usd(line.get("budget_day", "")),
                "month": parse_usd(line.get("budget", "")),
            }
            account = await accounts.add(line.get("name", ""), role, agents)
            made.append(account)
            await budgets.set_budgets("person", account.person.name, limits)
        except UserError as error:
            problems.append(_("Line {line}: {problem}").format(line=number, problem=error))
    return Imported(made, problems)


def parse_agents(written: str | None, known: Collection[str]) -> list[str] | None:
    """Parse the ids of agents; None stands for every one. Raises UserError for an unknown one."""
    if written is None or written.strip() in ("", "*"):
        return None
    ids = [each.strip() for each in written.replace(";", ",").split(",") if each.strip()]
    for each in ids:
        if each not in known:
            raise UserError(
                _("There is no agent '{name}'. There are: {names}.").format(
                    name=each, names=", ".join(known)
                )
            )
    return ids


def read_people(file: Path) -> list[tuple[int, dict[str, str]]]:
    """Read the lines of a file, with their numbers. Raises UserError without these columns."""
    try:
        raw = read_regular(file, most_bytes=MOST_BYTES)
    except (OSError, MalformedContentError) as error:
        raise unreadable(error, file) from error
    try:
        written = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        written = raw.decode("cp1252", "replace")
    head = written.split("\n", 1)[0]
    reader = csv.reader(written.splitlines(), delimiter=";" if head.count(";") else ",")
    try:
        rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if any(row)]
    except csv.Error as error:  # a cell of more than 131,072 characters
        raise unreadable(error, file) from error
    names = [name.casefold() for name in rows[0][1]] if rows else []
    if not {"name", "role"} <= set(names):
        raise UserError(
            _(
                "{name} has no columns 'name' and 'role'. Others may be 'agents', 'budget' (in US"
                " dollars a month) and 'budget_day'."
            ).format(name=file.name)
        )
    return [(line, dict(zip(names, row, strict=False))) for line, row in rows[1:]]
