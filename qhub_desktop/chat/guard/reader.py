"""Reader of the guard: one text against all rules, in one go and without a model."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from qhub_desktop.chat.guard.identifiers import (
    TAX_NUMBER,
    tax_numbers_in,
    without_people,
    without_secrets,
)
from qhub_desktop.chat.guard.rules import FILE, GuardRule, RuleSet, read_rules
from qhub_desktop.core.codec import Json
from qhub_desktop.core.guard import ACTIONS, GuardVerdict
from qhub_desktop.core.paths import RESOURCES


class GuardReader:
    """Reads texts by the rules of the program and those in a data folder.

    The files are read with the first text, and again when one in the data folder has changed.
    """

    def __init__(self, home: Path) -> None:
        self._own = home / FILE
        self._read_at: float | None = None
        self._rules: RuleSet | None = None

    @property
    def rules(self) -> RuleSet:
        """Rules as they are now."""
        try:
            changed = self._own.stat().st_mtime
        except OSError:
            changed = 0.0
        if self._rules is None or changed != self._read_at:
            self._rules = read_rules([RESOURCES / FILE, self._own])
            self._read_at = changed
        return self._rules

    @property
    def is_ready(self) -> bool:
        """Whether the rules are read: else the first text waits for them."""
        return self._rules is not None

    def read(self, text: str) -> GuardVerdict:
        """Return what a text is, and the text without secrets."""
        rules = self.rules
        masked, secret = without_secrets(text, off=rules.off)
        found = rules.found(text)
        blocked = next((each for each in found if each.category != "personal"), None)
        if blocked is not None and not blocked.is_doubtful:
            return GuardVerdict(masked, ACTIONS[blocked.category], blocked.category, blocked.id)
        if secret:
            return GuardVerdict(masked, "mask", "secret", secret)
        if personal := self._personal_rule(text, found):
            return GuardVerdict(masked, "ask", "personal", personal)
        if blocked is not None:
            return GuardVerdict(masked, "allow", blocked.category, blocked.id, is_doubtful=True)
        return GuardVerdict(masked)

    def personal_rule(self, text: str) -> str:
        """Return the rule by which a text tells of a person what should not leave; "" for none."""
        return self._personal_rule(text, self.rules.found(text))

    def _personal_rule(self, text: str, found: Iterable[GuardRule]) -> str:
        if TAX_NUMBER not in self.rules.off and tax_numbers_in(text):
            return TAX_NUMBER
        return next((each.id for each in found if each.category == "personal"), "")

    def without_people(self, text: str) -> str:
        """Return a text as it leaves where personal data is hidden: as it is, if it has none."""
        return without_people(text, self.rules.people) if self.personal_rule(text) else text

    def order_in(self, content: Json) -> str:
        """Return the rule by which data holds what looks like an order to a model; "" for none."""
        found = self.rules.found("\n\n".join(_texts(content)))
        orders = (each for each in found if each.category == "injection" and not each.is_doubtful)
        return next((each.id for each in orders), "")


def _texts(content: Json) -> Iterator[str]:
    match content:
        case str():
            yield content
        case dict():
            for name, each in content.items():
                yield name
                yield from _texts(each)
        case list():
            for each in content:
                yield from _texts(each)
        case _:
            pass
