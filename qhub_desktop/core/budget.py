"""Budgets as values: how much may be spent on a service, by whom, in which period."""

import re
from collections.abc import Mapping
from typing import Literal, get_args

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop, number
from qhub_desktop.core.values import dataclass

Scope = Literal["station", "person", "agent"]
Period = Literal["day", "month"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
PERIODS: tuple[Period, ...] = get_args(Period)
WARNED_SHARE = 0.8
MOST_USD = 1_000_000.0  # what is more was mistyped
Limits = Mapping[Period, float | None]  # in US dollars; None for none

# Three digits after a point or a comma are thousands to some and thousandths to others.
_AMOUNT = re.compile(r"(\d{1,7})(?:[.,](\d{1,2}))?")

_WHAT: dict[tuple[Scope, Period], str] = {
    ("station", "day"): gettext_noop("the station's budget for today"),
    ("station", "month"): gettext_noop("the station's budget for this month"),
    ("person", "day"): gettext_noop("the budget of {name} for today"),
    ("person", "month"): gettext_noop("the budget of {name} for this month"),
    ("agent", "day"): gettext_noop("the budget of the agent {name} for today"),
    ("agent", "month"): gettext_noop("the budget of the agent {name} for this month"),
}


@dataclass(frozen=True, slots=True)
class Budget:
    """US dollars that may be spent in a period; `name` is the account's or the agent's."""

    scope: Scope
    name: str
    period: Period
    usd: float

    @property
    def title(self) -> str:
        """The budget in words, to stand alone."""
        return self.what[:1].upper() + self.what[1:]

    @property
    def what(self) -> str:
        """The budget in words, to stand in a sentence."""
        return _(_WHAT[self.scope, self.period]).format(name=self.name)


@dataclass(frozen=True, slots=True)
class Spending:
    """Amounts spent in a present period, and their limits: None for no limit."""

    period: Period
    spent_usd: float
    usd: float | None


def parse_usd(written: str) -> float | None:
    """Return an amount as a person writes it, '12,50' or '12.50'; None for nothing.

    Raises UserError for what is none, and for what is more than a budget can be.
    """
    bare = written.strip().removesuffix("US$").removesuffix("$").strip()
    if not bare:
        return None
    found = _AMOUNT.fullmatch(bare)
    usd = float(f"{found[1]}.{found[2] or 0}") if found else MOST_USD + 1
    if usd > MOST_USD:
        raise UserError(
            _("'{text}' is no amount in US dollars. Write it like 12.50, at most {most}.").format(
                text=written.strip()[:40], most=number(MOST_USD)
            )
        )
    return usd


@dataclass(frozen=True, slots=True)
class BudgetStanding:
    """State of a budget in its present period: spent, and reserved for requests under way.

    `others_usd` leaves out what the answer that is asked about has spent, as `reserved_usd` leaves
    out what is reserved for it: one that has begun may be finished, and is the only one that goes
    beyond. `unpriced_calls` are those whose cost nobody knows; `ahead_usd` is the part of what is
    spent that stands on days which, by the computer's clock, are still to come.
    """

    budget: Budget
    spent_usd: float
    others_usd: float
    unpriced_calls: int = 0
    is_warned: bool = False
    reserved_usd: float = 0.0
    ahead_usd: float = 0.0

    @property
    def is_spent(self) -> bool:
        """Whether no further answer may be asked for."""
        return self.others_usd >= self.budget.usd

    @property
    def is_nearly_spent(self) -> bool:
        """Whether it is time for a warning."""
        return self.spent_usd >= WARNED_SHARE * self.budget.usd

    @property
    def amounts(self) -> str:
        """What is spent, may be, and is reserved, as '0.31 / 1.00 (0.07 reserved)'."""
        said = (
            _("{spent} / {most} ({reserved} reserved)") if self.reserved_usd else "{spent} / {most}"
        )
        return said.format(**self._amounts)

    @property
    def warning(self) -> str:
        """What is left, in a sentence."""
        return _("Nearly spent: {what} ({spent} of {most} US$).").format(
            what=self.budget.what, **self._amounts
        )

    def check(self) -> None:
        """Raise BudgetSpentError if no further answer may be asked for."""
        if self.is_spent:
            said = _("Claude is not asked: {what} is spent ({spent} of {most} US$).")
            if self.ahead_usd:
                said = _(
                    "Claude is not asked: {what} is spent ({spent} of {most} US$, of which {ahead}"
                    " on days to come). Check the date of this computer."
                )
            raise BudgetSpentError(said.format(what=self.budget.what, **self._amounts))
        if self.unpriced_calls:
            raise BudgetSpentError(
                _(
                    "Claude is not asked: {what} cannot be kept, for the price of a model in use"
                    " is not known. It belongs into prices.toml."
                ).format(what=self.budget.what)
            )

    def check_room(self, most_usd: float | None) -> None:
        """Raise BudgetReservedError if a request does not fit beside those under way.

        `most_usd` is the most that it may cost; None where nobody knows. Alone, it may go beyond
        what is left: budgets smaller than the longest answer would else be good for nothing, and
        an answer cut to what is left is paid for and of no use.
        """
        if not self.reserved_usd:
            return
        if most_usd is None or self.spent_usd + self.reserved_usd + most_usd > self.budget.usd:
            raise BudgetReservedError(
                _(
                    "Claude is not asked: what is left of {what} is reserved for answers under way"
                    " ({spent} US$ spent and {reserved} reserved, of {most}). Ask again in a"
                    " moment."
                ).format(what=self.budget.what, **self._amounts)
            )

    @property
    def _amounts(self) -> dict[str, str]:
        return {
            "spent": number(self.spent_usd, digits=2),
            "reserved": number(self.reserved_usd, digits=2),
            "ahead": number(self.ahead_usd, digits=2),
            "most": number(self.budget.usd, digits=2),
        }


class BudgetSpentError(UserError):
    """Nothing more may be spent; `reason` says why, without what to do."""

    def __init__(self, reason: str) -> None:
        offer = _("Choose the offline engine, or ask an administrator for a larger budget.")
        super().__init__(f"{reason} {offer}", fault="budget")
        self.reason = reason


class BudgetReservedError(BudgetSpentError):
    """The rest of a budget is reserved for answers under way, and may be given back."""
