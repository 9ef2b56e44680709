"""Prices of models: the vendor's, dated, from a file that may be edited."""

# Why it is so: decisions/costs.md

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from qhub_desktop.core.errors import UserError, reason_of
from qhub_desktop.core.events import CHARACTERS_PER_TOKEN, UsageBegun, UsageCounted
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import one_line
from qhub_desktop.core.untrusted_files import parse_toml, read_regular
from qhub_desktop.core.values import dataclass

FILE = "prices.toml"
MOST_BYTES = 1_000_000
MILLION = 1_000_000
LATER_ROUNDS = 2  # of a usual answer, in which results of tools are told


@dataclass(frozen=True, slots=True)
class Tier:
    """US dollars for a million tokens, for prompts of more than `above_tokens`."""

    above_tokens: int
    input_usd: float
    output_usd: float


@dataclass(frozen=True, slots=True)
class Price:
    """Price of one model. Cached tokens cost a multiple of the price of the others."""

    model: str
    tiers: tuple[Tier, ...]  # the smallest prompts first
    cache_read: float
    cache_write: float

    def of(self, usage: UsageCounted) -> float:
        """Compute the cost in US dollars. The size of the whole prompt, cached or not, decides on
        the tier.
        """
        cached = usage.cache_read_tokens + usage.cache_write_tokens
        prompt = usage.input_tokens + cached
        tier = next(
            (each for each in reversed(self.tiers) if prompt > each.above_tokens), self.tiers[0]
        )
        weighed = (
            usage.input_tokens
            + usage.cache_read_tokens * self.cache_read
            + usage.cache_write_tokens * self.cache_write
        )
        return (weighed * tier.input_usd + usage.output_tokens * tier.output_usd) / MILLION


class Prices:
    """Every price that is known, by model."""

    def __init__(self, prices: Mapping[str, Price], *, checked: str) -> None:
        self._prices = dict(prices)
        self.checked = checked

    @property
    def names(self) -> tuple[str, ...]:
        """The models with a price, those to be recommended first."""
        return tuple(self._prices)

    def cost(self, usage: UsageCounted) -> float | None:
        """Compute the cost in US dollars; None for a model without a known price."""
        name = usage.model
        price = self._prices.get(name) or self._prices.get(re.sub(r"-\d{8}$", "", name))
        return price.of(usage) if price else None

    def begun(self, usage: UsageCounted) -> UsageBegun:
        """Return what a call has taken when its answer begins, with its cost and what follows."""
        cost = self.cost(usage)
        longer = self.cost(replace(usage, output_tokens=usage.output_tokens + MILLION))
        each = None if cost is None or longer is None else (longer - cost) / MILLION
        return UsageBegun(replace(usage, cost_usd=cost), each)

    def most(self, model: str, *, request_bytes: int, answer_tokens: int) -> float | None:
        """Return the most that one request may cost, whatever it says; None without a price.

        A token stands for one byte at least, so there are no more than bytes, and all may be new to
        the service, which may keep them.
        """
        most = UsageCounted(model, request_bytes, answer_tokens)
        kept = replace(most, input_tokens=0, cache_write_tokens=request_bytes)
        costs = [cost for cost in map(self.cost, (most, kept)) if cost is not None]
        return max(costs, default=None)

    def estimate(self, model: str, *, characters: int, answer_tokens: int) -> float | None:
        """Estimate what a request of so many characters may cost with the rounds that follow it.

        All of it is counted as new to the service, and the answer as long as it may be.
        """
        prompt = round(characters / CHARACTERS_PER_TOKEN)
        first = self.cost(UsageCounted(model, 0, answer_tokens, cache_write_tokens=prompt))
        later = self.cost(UsageCounted(model, 0, 0, cache_read_tokens=prompt))
        return None if first is None or later is None else first + LATER_ROUNDS * later


def load_prices(shipped: Path, home: Path) -> Prices:
    """Load the prices from the person's folder if there are any, else those that ship.

    Raises UserError for a file that cannot be read.
    """
    own = home / FILE
    file = own if own.is_file() else shipped / FILE
    try:
        declared = parse_toml(read_regular(file, most_bytes=MOST_BYTES))
        prices = [_price(each) for each in declared["model"]]
        return Prices({each.model: each for each in prices}, checked=str(declared["checked"]))
    except (OSError, ValueError) as error:
        raise _unusable(file, reason_of(error)) from error
    except (KeyError, TypeError, AttributeError) as error:
        raise _unusable(file, one_line(str(error))) from error


def _unusable(file: Path, reason: str) -> UserError:
    return UserError(
        _("The prices in {file} cannot be read ({reason}). Correct the file or delete it.").format(
            file=file, reason=reason
        )
    )


def _price(declared: Mapping[str, Any]) -> Price:
    tiers = [{"above_tokens": 0, **declared}, *declared.get("tier", ())]
    return Price(
        model=declared["name"],
        tiers=tuple(
            Tier(int(each["above_tokens"]), float(each["input"]), float(each["output"]))
            for each in tiers
        ),
        cache_read=float(declared["cache_read"]),
        cache_write=float(declared["cache_write"]),
    )
