"""Rules of the guard: read from `guard.toml`, each phrase checked, and found in a text."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

from qhub_desktop.chat.guard.folding import FoldedText, Vocabulary, plain_words
from qhub_desktop.core.guard import GuardCategory
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import one_line
from qhub_desktop.core.untrusted_files import (
    MalformedContentError,
    decoded,
    parse_toml,
    read_regular,
)

FILE = "guard.toml"
GAP_WORDS = 4  # for which '…' stands at most
MOST_BYTES = 500_000  # of a file of rules
MOST_FAULTS = 50  # lines that are left out, before the whole file is
# Found by their form, not by phrases.
BUILT_IN = ("secret.key", "secret.password", "secret.card", "secret.iban", "personal.nif")
_CATEGORIES = [each for each in get_args(GuardCategory) if each != "secret"]
_GAPS = ("…", "...")
_NO_PHRASE = re.compile(r"[\\\[\](){}*+|^$]")  # of regular expressions, which no rule has
_LINE = re.compile(r"\(at line (\d+), ")
_FIELDS = {"id", "category", "doubtful", "phrases", "needs", "unless"}

Element = tuple[int, frozenset[str]]  # words, one of which stands there, up to so many words behind
Phrase = tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class GuardRule:
    """What is looked for, and as what."""

    id: str
    category: GuardCategory
    phrases: tuple[Phrase, ...]
    needs: tuple[Phrase, ...] = ()
    unless: tuple[Phrase, ...] = ()
    is_doubtful: bool = False

    @property
    def all_phrases(self) -> tuple[Phrase, ...]:
        """Phrases of every kind."""
        return (*self.phrases, *self.needs, *self.unless)

    def is_in(self, text: FoldedText) -> bool:
        """Return whether a sentence of a text is what this rule is for."""
        found = 0
        for phrase in self.phrases:
            found |= _places(phrase, text)
        if not found or not (self.needs or self.unless):
            return found != 0
        needed, excused = (
            [place for each in phrases if (place := _places(each, text))]
            for phrases in (self.needs, self.unless)
        )
        return any(
            (not self.needs or any(each & sentence for each in needed))
            and not any(each & sentence for each in excused)
            for sentence in text.sentences(found)
        )


@dataclass(frozen=True, slots=True)
class RuleFault:
    """What is wrong in a file of rules, and in which of its lines."""

    file: str
    line: int
    text: str


@dataclass(frozen=True)
class RuleSet:
    """Rules that are in use, whom to speak with, and what of the files was left out."""

    rules: tuple[GuardRule, ...]
    contact: str = ""
    faults: tuple[RuleFault, ...] = ()
    off: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()  # first names

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Every word of a phrase."""
        phrases = (each for rule in self.rules for each in rule.all_phrases)
        return Vocabulary({word for each in phrases for _gap, words in each for word in words})

    def found(self, text: str) -> list[GuardRule]:
        """Return the rules that a text is for, in their order."""
        folded = FoldedText(text, self.vocabulary)
        return [rule for rule in self.rules if rule.is_in(folded)]


def read_rules(files: Iterable[Path]) -> RuleSet:
    """Read files of rules, the later ones beside the earlier; what is wrong is left out alone."""
    reader = _Reader()
    for file in files:
        reader.read(file)
    return RuleSet(
        tuple(each for each in reader.rules.values() if each.id not in reader.off),
        reader.contact,
        tuple(reader.faults),
        frozenset(reader.off),
        reader.lists.get("names", frozenset()),
    )


def _places(phrase: Phrase, text: FoldedText) -> int:
    """Return the places where a phrase ends, as bits."""
    found = text.places(phrase[0][1])
    for gap, words in phrase[1:]:
        if not found:
            return 0
        found = text.behind(found, gap) & text.places(words)
    return found


class _Reader:
    """Reads files, one after the other, and notes what is wrong."""

    def __init__(self) -> None:
        self.rules: dict[str, GuardRule] = {}
        self.off: set[str] = set()
        self.contact = ""
        self.faults: list[RuleFault] = []
        self.lists: dict[str, frozenset[str]] = {}
        self._file = Path()
        self._lines: list[str] = []

    def read(self, file: Path) -> None:
        self._file = file
        try:
            if not file.exists():
                return
            self._lines = decoded(read_regular(file, most_bytes=MOST_BYTES)).splitlines()
        except (OSError, MalformedContentError) as error:
            self._fault(1, str(error))
            return
        tables = self._tables()
        self._note_unknown(tables, {"contact", "off", "lists", "rule"})
        contact = tables.get("contact", "")
        if isinstance(contact, str):
            self.contact = one_line(contact) or self.contact
        else:
            self._fault(self._line_of("contact"), _("The contact is a text."))
        lists = tables.get("lists", {})
        for name, words in lists.items() if isinstance(lists, dict) else ():
            listed = (plain_words(each)[:1] for each in self._texts(words, name))
            self.lists[name] = frozenset(word for each in listed for word in each)
        rules = tables.get("rule", [])
        for table in rules if isinstance(rules, list) else [rules]:
            if isinstance(table, dict):
                self._add_rule(table)
        for id_ in self._texts(tables.get("off", []), "off"):
            if id_ not in self.rules and id_ not in BUILT_IN:
                self._fault(self._line_of(id_), _("There is no rule '{id}'.").format(id=id_))
            self.off.add(id_)

    def _tables(self) -> Mapping[str, Any]:
        """Parse the file; a line that is no TOML is left out, and the others read without it."""
        lines = list(self._lines)
        for _try in range(MOST_FAULTS):
            try:
                return parse_toml("\n".join(lines))
            except MalformedContentError as error:
                found = _LINE.search(str(error))
                number = min(int(found[1]), len(lines)) if found else len(lines)
                while number > 1 and not lines[number - 1].strip():
                    number -= 1
                self._fault(number, _("This line is no TOML."))
                lines[number - 1 : number] = [""]
        return {}

    def _add_rule(self, table: Mapping[str, Any]) -> None:
        id_ = table.get("id")
        if not isinstance(id_, str) or not id_.strip():
            line = self._line_of(next((str(each) for each in table.values()), "[[rule]]"))
            self._fault(line, _("A rule needs an id."))
            return
        self._note_unknown(table, _FIELDS)
        category = next((each for each in _CATEGORIES if each == table.get("category")), None)
        if category is None:
            told = _("The category is one of: {names}.").format(names=", ".join(_CATEGORIES))
            self._fault(self._line_of(id_), told)
            return
        phrases = self._phrases(table.get("phrases", []), "phrases")
        if not phrases:
            self._fault(self._line_of(id_), _("The rule '{id}' has no phrase.").format(id=id_))
            return
        self.rules[id_] = GuardRule(
            id_,
            category,
            phrases,
            self._phrases(table.get("needs", []), "needs"),
            self._phrases(table.get("unless", []), "unless"),
            is_doubtful=table.get("doubtful") is True,
        )

    def _phrases(self, value: object, name: str) -> tuple[Phrase, ...]:
        phrases = map(self._phrase, self._texts(value, name))
        return tuple(each for each in phrases if each)

    def _phrase(self, text: str) -> Phrase:
        if _NO_PHRASE.search(text):
            words = _("A phrase has words, '…' and '@list'; no regular expression.")
            self._fault(self._line_of(text), words)
            return ()
        elements: list[Element] = []
        gap = 0
        for part in text.split():
            if part in _GAPS:
                gap = GAP_WORDS
                continue
            listed: list[frozenset[str]] = []
            name, said = "", part
            if part.startswith("@"):
                name, _sign, said = part[1:].partition("'")
                if name not in self.lists:
                    told = _("There is no list '{name}'.").format(name=name)
                    self._fault(self._line_of(text), told)
                    return ()
                listed.append(self.lists[name])
            listed += [frozenset([word]) for word in plain_words(said)]
            for each in listed:
                elements.append((gap, each))
                gap = 0
        if not elements:
            self._fault(self._line_of(text), _("A phrase needs a word."))
        return tuple(elements)

    def _texts(self, value: object, name: str) -> Sequence[str]:
        listed = [value] if isinstance(value, str) else value
        if isinstance(listed, list) and all(isinstance(each, str) for each in listed):
            return listed
        self._fault(self._line_of(name), _("'{name}' is a list of texts.").format(name=name))
        return ()

    def _note_unknown(self, table: Mapping[str, Any], known: set[str]) -> None:
        for name in table.keys() - known:
            told = _("Nothing is called '{name}' here.").format(name=one_line(name))
            self._fault(self._line_of(name), told)

    def _line_of(self, text: str) -> int:
        """Return the first line that holds a text; 1 where none does."""
        lines: Iterator[int] = (n for n, line in enumerate(self._lines, 1) if text in line)
        return next(lines, 1)

    def _fault(self, line: int, text: str) -> None:
        self.faults.append(RuleFault(self._file.name, line, text))
