"""The mentions of a path with their neighbours, and the slots that they fill.

Every reader of roles looks at what stands beside a mention, and writes what it found into the same
slots: the filters, groups and measures of a question, in the order in which they were said.
"""

from collections.abc import Sequence
from dataclasses import replace

from qhub_desktop.nlq.column_roles import priced_unit
from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.lexicon import Token, words_by_role
from qhub_desktop.nlq.query_ast import Dimension, Grain, Relation, Value
from qhub_desktop.nlq.rules import role_rule
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.semantic.column_meaning import money_measures, values_of
from qhub_desktop.nlq.semantic.slots import Mention, Slots
from qhub_desktop.nlq.tokenizer import Word, normalize, tokenize
from qhub_desktop.nlq.word_meanings import GRAIN_CUES, OF_A_WHOLE, VERB

AND = words_by_role("and") | words_by_role("or") | words_by_role("neither")
# What roles cost that do not quite fit.
UNBOUND, GUESSED = 2.5, 0.3
HAVING = words_by_role("has")
_MONEY = words_by_role("currency") | {"€", "$"}
_HOW_MANY = words_by_role("how_many")


def _counting(items: list[Mention]) -> list[Mention]:
    """Return mentions in which 'and how many' before a thing counts it: 'peso e quantas vendas'."""
    return [
        replace(item, lemma="#count")
        if at
        and item.lemma == "#again"
        and not _HOW_MANY.isdisjoint(normalize(item.text).split())
        and following is not None
        and following.kind in ("noun", "column")
        else item
        for at, (item, following) in enumerate(zip(items, [*items[1:], None], strict=False))
    ]


class MentionContext:
    """The mentions of a path with their neighbours, and the slots that they fill.

    `recent` is the column that was compared before: 'e acima de 80?'. `flips` are the places of
    mentions that take their second role; `alternatives` has, after the pass, the places with one.
    """

    def __init__(
        self,
        mentions: Sequence[Mention],
        words: Sequence[Word],
        index: SchemaIndex,
        flips: frozenset[int] = frozenset(),
        recent: str | None = None,
    ) -> None:
        self.index = index
        self.recent = recent  # the column that was compared before: 'e acima de 80?'
        self.words = words
        self.items = _counting([each for each in mentions if each.kind != "joining"])
        self.flips = flips
        self.alternatives: set[int] = set()
        self.slots = Slots()
        self.is_by = False
        self.negated_at = -9
        self.is_negated = False
        self.used: set[int] = set()
        self.last_column = ""
        self.follows_copula = False
        self.counts_by = -1  # the place of 'número de', in 'por número de movimentos'
        self.measured = ""  # what a unit measures that stands behind a number
        self.shares = any(each.lemma in OF_A_WHOLE for each in self.items)

    def before(self, at: int) -> set[str]:
        """Return the joining words between a mention and the one before it."""
        start = self.items[at - 1].end if at else 0
        return {word.normalized for word in self.words[start : self.items[at].start]}

    def word_before(self, at: int) -> str:
        """Return the word before a mention, empty at the beginning."""
        place = self.items[at].start
        return self.words[place - 1].normalized if place else ""

    def previous(self, at: int, *skipped: str) -> Mention | None:
        """Return the mention before one, passing over words of no meaning and `skipped` cues."""
        for item in reversed(self.items[:at]):
            if item.kind == "cue" and item.lemma in ("#noise", *skipped):
                continue
            return item
        return None

    def previous_cue(self, at: int) -> str:
        """Return the cue before a mention, empty where something else stands there."""
        item = self.previous(at, "#only", "#distinct")
        return item.lemma if item is not None and item.kind == "cue" else ""

    def following(self, at: int) -> Mention | None:
        """Return the mention behind one, passing over words of no meaning."""
        for item in self.items[at + 1 :]:
            if item.kind == "cue" and item.lemma == "#noise":
                continue
            return item
        return None

    def is_plural(self, item: Mention) -> bool:
        """Return whether things are named: 'centros de custo', 'part refs'."""
        said = [each.normalized for each in self.words[item.start : item.end]]
        heads = said[:1] if words_by_role("of") & {*said} else (said[0], said[-1])
        return any(each.endswith("s") for each in heads)

    def word_of(self, at: int) -> str:
        """Return the first word of a mention."""
        return self.words[self.items[at].start].normalized

    def calls(self, item: Mention, value: Mention) -> bool:
        """Return whether a column's name only introduces the value behind it: 'o cliente Alba'."""
        is_name = value.text[:1].isupper() or value.text.isdigit()
        is_beside = value.start == item.end and not (value.cost or self.is_plural(item))
        return is_name and is_beside and self.index.column(value.column).type != "boolean"

    def has_column_for(self, item: Mention) -> bool:
        """Return whether a value's word is also part of the name of another column with gaps."""
        said = self.words[item.start].normalized
        return any(
            each.missing
            and each.name != item.column
            and said in (word.normalized for word in tokenize(each.name))
            for each in self.index.profile.columns
        )

    def acts_between(self, at: int) -> bool:
        """Return whether a verb other than 'have' stands between a negation and a column."""
        between = self.words[self.items[self.negated_at].end : self.items[at].start]
        said = [each.normalized for each in between]
        return any(VERB.fullmatch(each) and each not in HAVING for each in said)

    def flips_at(self, at: int) -> bool:
        """Return whether a mention takes its second role here; note that it has one."""
        self.alternatives.add(at)
        return at in self.flips

    def moment_column(self) -> str | None:
        """Return the column of moments that was named last, else that of the rows."""
        return self.slots.moments[-1] if self.slots.moments else self.index.date_column

    def group_by(self, name: str) -> None:
        """Group by a column, a column of days by day."""
        index = self.index
        if index.is_measure(name) and self.slots.has("kind_pareto"):
            self.measure(name)  # 'pareto dos motivos por minutos'
            return
        grain: Grain = "day" if index.column(name).type in ("date", "datetime") else ""
        self.slots.groups.append(Dimension(name, grain))
        self.slots.order.append(("group", name))
        self.last_column = name
        self.is_by = True
        if index.is_measure(name):
            self.slots.cost += 0.3

    def measure(self, name: str) -> None:
        """Measure a column."""
        self.slots.measures.append(name)
        self.slots.order.append(("measure", name))
        self.last_column = name
        self.is_by = False

    def is_or_not(self) -> Relation:
        """Return the relation that a value has, by whether it is denied."""
        return "is not" if self.is_negated else "is"

    @role_rule
    def regroups(self, at: int, name: str) -> bool:
        """Apply a grain to the column of days named behind it: 'por mês de fecho'."""
        before = self.items[at - 1] if at else None
        groups = self.slots.groups
        if before is None or before.lemma not in GRAIN_CUES or not (groups and groups[-1].grain):
            return False
        if self.word_before(at) not in words_by_role("of"):
            return False
        groups[-1] = Dimension(name, groups[-1].grain)
        return True

    def add_filter(self, column: str, relation: Relation, *values: Value) -> None:
        """Select rows by values of a column; after 'forget' the column is heeded no longer."""
        if self.slots.has("forget") and not self.slots.has("instead"):
            self.slots.forgotten.append(column)
            if self.slots.cues[-1] == "#forget":
                return
        self.slots.filters.setdefault((column, relation), []).extend(values)
        is_asked = self.shares and self.slots.has("percent", "rate")  # not 'nos vermelhos, que % é'
        if is_asked and (not self.slots.first_filter or self.follows_copula):
            self.slots.first_filter = column
        self.slots.order.append(("filter", column))
        self.last_column = column

    def near_measure(self, at: int) -> int | None:
        """Return the place of the column of numbers right behind or before a mention, or None."""
        for place in (at + 1, at - 1):
            item = self.items[place] if 0 <= place < len(self.items) else None
            if item is not None and item.kind == "column" and self.index.is_measure(item.column):
                return place
        return None

    def measures_in(self, unit: str) -> tuple[str, ...]:
        """Return the columns of numbers in a unit: that of their names, else by its meaning."""
        index = self.index
        token = Token((Word(unit, normalize(unit)),), normalize(unit))
        if unit.startswith("#"):
            names = index.measures_in_unit("minute" if unit == "#grain_hour" else unit)
        else:
            names = index.measures_in(token)
        if not names and unit == "#grain_hour":
            names = index.measures_in_unit("#grain_hour")
        if not names and not unit.startswith("#"):
            concept = domain_lexicon().concept_of_unit(unit)
            if normalize(unit) in _MONEY:
                names = tuple(name for name, _ in money_measures(index)) or values_of(index)
            else:
                names = index.measures_of(concept) if concept else ()
        return tuple(name for name in names if not priced_unit(name))  # none of '€/kg'
