"""Roles of cues and comparisons: statistics, orders, grains, negations, numbers in relation.

A comparison is bound to a column, to another one or to rows before anything else gets its role.
"""

from collections.abc import Sequence

from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.lexicon import Token, words_by_role
from qhub_desktop.nlq.query_ast import OPPOSITES, Dimension, Filter, Grain, Relation, Value
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.semantic.column_meaning import (
    elapsed_pair,
    in_order,
    money_measures,
    time_unit,
)
from qhub_desktop.nlq.semantic.schema_linking import flag_values
from qhub_desktop.nlq.semantic.slots import STATISTICS, SUPERLATIVES, Mention, Slots
from qhub_desktop.nlq.token_meanings import GRAINS, RELATIONS, WEEKDAY_NUMBERS
from qhub_desktop.nlq.tokenizer import Word, normalize

AND = words_by_role("and") | words_by_role("or") | words_by_role("neither")
# What roles cost that do not quite fit.
UNBOUND, GUESSED = 2.5, 0.3
_SUPERLATIVE = tuple(words_by_role("superlative_ending"))
_AFTERWARDS: dict[str, Relation] = {"#or_more": "at least", "#or_less": "at most"}
_TO = words_by_role("to")
_REACH = 4  # mentions between a comparison and its column
_FAR = 0.15
_COLUMNS_IN = {"minutes": "minute", "hours": "#grain_hour", "days": "#grain_day"}
_MONEY = words_by_role("currency") | {"€", "$"}
# What an adjective measures: 'mais caro' is of money.
_IMPLIED = frozenset(["cost", "time", "date", "age", "temperature", "weight"])
_HOW_MANY = words_by_role("how_many") | words_by_role("how_much")
_TWO_QUESTIONS = 1.2
_LONGEST_SINGULAR = 3  # letters of a grain that ends like a plural: 'mês'


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
        self._index = index
        self._recent = recent  # the column that was compared before: 'e acima de 80?'
        self._words = words
        self._items = [each for each in mentions if each.kind != "joining"]
        self._flips = flips
        self.alternatives: set[int] = set()
        self.slots = Slots()
        self._is_by = False
        self._negated_at = -9
        self._is_negated = False
        self._used: set[int] = set()
        self._last_column = ""
        self._follows_copula = False
        self._counts_by = -1  # the place of 'número de', in 'por número de movimentos'
        self._shares = any(each.lemma in ("#percent", "#part_of", "#rate") for each in self._items)

    def _before(self, at: int) -> set[str]:
        """Return the joining words between a mention and the one before it."""
        start = self._items[at - 1].end if at else 0
        return {word.normalized for word in self._words[start : self._items[at].start]}

    def _word_before(self, at: int) -> str:
        place = self._items[at].start
        return self._words[place - 1].normalized if place else ""

    def _previous(self, at: int, *skipped: str) -> Mention | None:
        for item in reversed(self._items[:at]):
            if item.kind == "cue" and item.lemma in ("#noise", *skipped):
                continue
            return item
        return None

    def _previous_cue(self, at: int) -> str:
        item = self._previous(at, "#only", "#distinct")
        return item.lemma if item is not None and item.kind == "cue" else ""

    def _next(self, at: int) -> Mention | None:
        for item in self._items[at + 1 :]:
            if item.kind == "cue" and item.lemma == "#noise":
                continue
            return item
        return None

    def _is_plural(self, item: Mention) -> bool:
        return self._words[item.start].normalized.endswith("s")

    def _flips_at(self, at: int) -> bool:
        self.alternatives.add(at)
        return at in self._flips

    def _moment_column(self) -> str | None:
        return self.slots.moments[-1] if self.slots.moments else self._index.date_column

    def _group(self, name: str) -> None:
        index = self._index
        grain: Grain = "day" if index.column(name).type in ("date", "datetime") else ""
        self.slots.groups.append(Dimension(name, grain))
        self.slots.order.append(("group", name))
        self._last_column = name
        self._is_by = True
        if index.is_measure(name):
            self.slots.cost += 0.3

    def _measure(self, name: str, said: str = "") -> None:
        if said.lower().endswith(_SUPERLATIVE) and not self.slots.has("max"):  # 'windiest'
            self.slots.cues.append("#max")
            self.slots.order.append(("cue", "#max"))
        self.slots.measures.append(name)
        self.slots.order.append(("measure", name))
        self._last_column = name
        self._is_by = False

    # Values, numbers and nouns.

    def _is_or_not(self) -> Relation:
        return "is not" if self._is_negated else "is"

    def _filter(self, column: str, relation: Relation, *values: Value) -> None:
        if self.slots.has("forget") and not self.slots.has("instead"):
            self.slots.forgotten.append(column)
            if self.slots.cues[-1] == "#forget":
                return
        self.slots.filters.setdefault((column, relation), []).extend(values)
        is_asked = self._shares and self.slots.has(
            "percent", "rate"
        )  # not 'nos vermelhos, que % é'
        if is_asked and (not self.slots.first_filter or self._follows_copula):
            self.slots.first_filter = column
        self.slots.order.append(("filter", column))
        self._last_column = column

    def _near_measure(self, at: int) -> int | None:
        """Return the place of the column of numbers beside a word for a sign, None if none is."""
        for place in (at + 1, at - 1):
            item = self._items[place] if 0 <= place < len(self._items) else None
            if item is not None and item.kind == "column" and self._index.is_measure(item.column):
                return place
        return None


class ComparisonRoles(MentionContext):
    """Binds each comparison before any other mention gets its role."""

    def _bind_comparisons(self) -> None:
        for at, item in enumerate(self._items):
            if at in self._used:
                continue
            if self._bind_columns(at, item):
                continue
            found = self._comparison_at(at, item)
            if found is None:
                continue
            relation, numbers, places = found
            end = max(places)
            unit = self._items[end + 1] if end + 1 < len(self._items) else None
            said_unit = ""
            if unit is not None and unit.kind == "unit":
                places.append(end + 1)
                end, said_unit = end + 1, unit.text
            elif unit is not None and unit.lemma in ("#grain_hour", "#grain_day", "#percent"):
                said_unit = unit.lemma
            self._bind(relation, numbers, places, end, said_unit)

    def _bind_columns(self, at: int, item: Mention) -> bool:
        """Bind a comparison of two columns of numbers: 'stock abaixo do mínimo'."""
        relation = RELATIONS.get(item.lemma)
        if relation is None or not 0 < at < len(self._items) - 1:
            return False
        before, after = self._items[at - 1], self._items[at + 1]
        both = (before, after)
        if any(each.kind != "column" or not self._index.is_measure(each.column) for each in both):
            return False
        if before.column == after.column:
            return False
        self.slots.compared.append(Filter(before.column, (), relation, other=after.column))
        self.slots.order.append(("filter", before.column))
        self._used.update((at - 1, at, at + 1))
        return True

    def _comparison_at(
        self, at: int, item: Mention
    ) -> tuple[Relation, tuple[float, ...], list[int]] | None:
        items = self._items

        def number_at(place: int) -> float | None:
            if place < len(items) and items[place].kind == "number":
                return items[place].number
            return None

        if item.kind == "cue" and item.lemma == "#between":
            first, rest = number_at(at + 1), at + 2
            if rest < len(items) and items[rest].kind == "unit":
                rest += 1
            if rest < len(items) and items[rest].lemma == "#again":
                rest += 1
            second = number_at(rest)
            years = [
                each for each in (first, second) if each is not None and self._index.is_year(each)
            ]
            if first is not None and second is not None and len(years) < 2:
                low, high = sorted((first, second))
                return "between", (low, high), [*range(at, rest + 1)]
            return None
        if item.kind == "cue" and (relation := RELATIONS.get(item.lemma)) is not None:
            number = number_at(at + 1)
            if number is None:
                return None
            return relation, (number,), [at, at + 1]
        number = number_at(at)
        if number is None:
            return None
        after = at + 1
        if after < len(items) and items[after].kind == "unit":
            after += 1
        if after < len(items) and (relation := _AFTERWARDS.get(items[after].lemma)) is not None:
            return relation, (number,), [*range(at, after + 1)]
        second = number_at(at + 1)
        if second is not None and self._before(at + 1) & _TO and second > number:
            return "between", (number, second), [at, at + 1]
        return None

    def _bind(
        self,
        relation: Relation,
        numbers: tuple[float, ...],
        places: list[int],
        end: int,
        unit: str,
    ) -> None:
        """Bind a comparison to a column of numbers near it, or to the number of rows."""
        start = min(places)
        negated = start > 0 and self._items[start - 1].lemma == "#except"
        if negated:
            relation = OPPOSITES[relation]
            places.append(start - 1)
        if self._bind_elapsed(relation, numbers, places, end):
            return
        column, paid, at = self._compared_column(start, end, unit)
        rows = self._items[end + 1] if end + 1 < len(self._items) else None
        counts = rows is not None and (
            rows.kind == "noun"
            or rows.lemma == "#rows"
            or (rows.kind == "column" and self._index.is_identity(rows.column))
            or (rows.kind == "column" and self._index.is_called_rows(rows.column))
        )
        if counts and (column is None or paid > 0 or at > end):
            self.slots.having = Filter("", numbers, relation)
            self._used.update((*places, end + 1))
            if rows is not None and rows.kind == "noun":
                self.slots.nouns.append(rows.text)
            self.slots.has_rows = True
            return
        if column is None:
            return
        if unit == "#grain_hour" and column in self._index.measures_in_unit("minute"):
            numbers = tuple(60 * each for each in numbers)
            places.append(end + 1)
        elif unit.startswith("#"):
            places.append(end + 1)
        profile = self._index.column(column)
        if unit == "#percent" and isinstance(profile.max, int | float) and profile.max <= 1:
            numbers = tuple(each / 100 for each in numbers)
        self.slots.compared.append(Filter(column, numbers, relation))
        self.slots.order.append(("filter", column))
        self.slots.cost += paid
        if rows is not None and rows.kind == "column" and rows.column == column:
            places.append(end + 1)  # the unit, by which the column is called: '10k EUR'
        self._used.update(places)
        if at >= 0:
            item = self._items[at]
            is_ranked = any(each.lemma in STATISTICS for each in self._items[max(0, at - 1) : at])
            if not is_ranked and item.kind == "column":
                self._used.add(at)
                self._last_column = column

    def _bind_elapsed(
        self, relation: Relation, numbers: tuple[float, ...], places: list[int], end: int
    ) -> bool:
        """Bind a comparison with a length of time that no column of numbers holds."""
        index = self._index
        last = [self._items[place] for place in (end, end + 1) if place < len(self._items)]
        units = [found for each in last if (found := time_unit(each.text))]
        unit = units[0] if units else ""
        if not unit or index.measures_of("time") or index.measures_in_unit(_COLUMNS_IN[unit]):
            return False
        near = {
            at: each
            for at, each in enumerate(self._items)
            if (each.kind == "column" and index.is_moment(each.column)) or each.kind == "elapsed"
        }
        said = [name for each in near.values() for name in (each.since, each.column) if name]
        named = [*dict.fromkeys(said)]
        pair = elapsed_pair(index)
        if len(named) == 2:
            pair = (named[0], named[1])
        if pair is None or not {*named} <= {*pair}:
            return False
        if any(each.kind == "column" and index.is_measure(each.column) for each in last):
            return False  # 'dias perdidos'
        first, second = in_order(index, *pair)
        self.slots.compared.append(Filter(second, numbers, relation, since=first, unit=unit))
        self.slots.order.append(("filter", second))
        self._used.update((*places, *near, *(end + 1 for each in last[1:] if time_unit(each.text))))
        return True

    def _compared_column(self, start: int, end: int, unit: str) -> tuple[str | None, float, int]:
        """Return the column that a comparison is about, what that costs, and its place or -1."""
        index = self._index
        near: list[tuple[float, str, int]] = []
        for at, item in enumerate(self._items):
            if item.kind != "column" or not index.is_measure(item.column):
                continue
            if flag_values(index.column(item.column)) is not None:
                continue
            distance = start - at if at < start else at - end
            if distance <= _REACH:
                between = self._items[min(at, end) + 1 : max(at, start)]
                crossed = sum(each.kind in ("column", "value") for each in between)
                after = 0.3 if at > end else 0.0
                near.append((crossed + 0.1 * (distance - 1) + after, item.column, at))
        if near:
            paid, column, at = min(near)
            return column, _FAR * paid, at
        if unit:
            token = Token((Word(unit, normalize(unit)),), normalize(unit))
            names = (
                index.measures_in_unit("minute" if unit == "#grain_hour" else unit)
                if unit.startswith("#")
                else index.measures_in(token)
            )
            if not names and unit == "#grain_hour":
                names = index.measures_in_unit("#grain_hour")
            if not names and not unit.startswith("#"):
                concept = domain_lexicon().concept_of_unit(unit)
                if normalize(unit) in _MONEY:
                    names = tuple(name for name, _ in money_measures(index))
                else:
                    names = index.measures_of(concept) if concept else ()
            if len(names) == 1:
                return names[0], 0.1, -1
        if self._recent is not None:
            return self._recent, 0.0, -1
        following = self._items[end + 1] if end + 1 < len(self._items) else None
        if following is None or following.kind in ("cue", "date"):
            money = tuple(name for name, _ in money_measures(index))
            for names in (index.measures, money):
                if len(names) == 1:
                    return names[0], 0.4, -1
        return None, 0.0, -1


class CueRoles(ComparisonRoles):
    """Gives the words for what is wanted their roles."""

    def _take_cue(self, at: int, item: Mention) -> None:
        slots, lemma = self.slots, item.lemma
        slots.cue_texts.setdefault(lemma, item.text)
        match lemma:
            case "#noise":
                return
            case "#by":
                self._is_by = True
                return
            case "#again":
                if at == 0:
                    slots.cues.append(lemma)
                asks = {*normalize(item.text).split()} & _HOW_MANY
                if asks and slots.has("count"):
                    slots.cost += _TWO_QUESTIONS
                return
            case "#except":
                self._is_negated, self._negated_at = True, at
                return
            case "#only":
                self._is_negated = False
                return
        if lemma in GRAINS:
            self._take_grain(at, item)
            return
        if lemma in STATISTICS:
            slots.statistics.append(STATISTICS[lemma])
        if lemma == "#part_of":
            slots.cues.append("#percent")
        if lemma in ("#rate", "#percent") and (part := self._part_before(at, item)):
            slots.first_filter = part
        if lemma == "#negative" and (near := self._near_measure(at)) is not None:
            name = self._items[near].column
            slots.compared.append(Filter(name, (0.0,), "below"))
            slots.order.append(("filter", name))
            self._used.add(near)
            if name in slots.measures:
                slots.measures.remove(name)
                slots.order.remove(("measure", name))
            return
        if lemma == "#repeated":
            slots.having = Filter("", (1,), "above")
        if lemma == "#on_weekday":
            self._take_weekday(item)
            return
        if lemma == "#percentile":
            self._take_quantile(at)
        base, _, what = lemma.partition("_")
        if base in ("#max", "#min") and what in _IMPLIED:
            slots.implied = "money" if what == "cost" else what
            lemma = base if what != "age" else "#min"
            if what == "date" and self._names_age():
                lemma = "#min" if base == "#max" else "#max"
                slots.implied = ""
            elif what == "date":
                lemma = "#last" if base == "#max" else "#first"
        if lemma == "#money":
            slots.implied = slots.implied or "money"
            return
        if lemma == "#duration":
            slots.implied = slots.implied or "time"
        if lemma == "#rows":
            slots.has_rows = True
            slots.is_plural = slots.is_plural or normalize(item.text).endswith("s")
        if lemma == "#more" and self._compares_values():
            lemma = "#most"
        if lemma in RELATIONS or lemma in ("#or_more", "#or_less"):
            if lemma in ("#above", "#below") and self._compares_values():
                lemma = "#most" if lemma == "#above" else "#least"
                slots.cues.append(lemma)
                slots.order.append(("cue", lemma))
                return
            if sum(each.kind == "date" for each in self._items) == 2:
                slots.cues.append("#compare")  # 'o de maio foi superior ao de abril?'
                slots.order.append(("cue", "#compare"))
                return
            if lemma != "#equal":
                slots.cost += UNBOUND / 2
                slots.unknown.append(item.text)
            return
        if lemma == "#count" and "#count" in slots.cues and at > 1:
            slots.cost += _TWO_QUESTIONS
        if lemma == "#count" and self._is_by:
            self._counts_by = at
        slots.cues.append(lemma)
        slots.order.append(("cue", lemma))
        self._is_by = self._is_by and lemma in ("#which", "#distinct")

    def _part_before(self, at: int, item: Mention) -> str:
        """Return the column of what a rate is of, which stands before it: 'reject rate'."""
        before = self._items[at - 1] if at else None
        if before is None or before.end != item.start or before.kind not in ("value", "column"):
            return ""
        if self._word_before(at - 1) in words_by_role("of"):
            return ""  # 'dos verdes que percentagem'
        return before.column if any(name == before.column for name, _ in self.slots.filters) else ""

    def _names_age(self) -> bool:
        ages = self._index.concepts.get("age", ())
        return any(each.kind == "column" and each.column in ages for each in self._items)

    def _compares_values(self) -> bool:
        """Return whether two values of a column are set against each other: 'A mais que B'."""
        named = [each for each in self._items if each.kind == "value"]
        return any(
            one.column == other.column and one.values != other.values
            for place, one in enumerate(named)
            for other in named[place + 1 :]
        )

    def _take_grain(self, at: int, item: Mention) -> None:
        """Read a grain of time: what is grouped by, or what is counted or a unit."""
        grain = GRAINS[item.lemma]
        words = item.text.lower().split()
        says_by = len(words) > 1 or normalize(words[0]) in words_by_role("periodic")
        before = self._previous_cue(at)
        previous = self._previous(at)
        is_by = self._is_by or says_by or before in SUPERLATIVES or before in ("#which", "#trend")
        ranked = self.slots.number is not None and self.slots.order[-1:] == [
            ("number", previous.text if previous is not None else "")
        ]
        if previous is not None and previous.kind == "number" and ranked and not self._is_by:
            column = self._moment_column()
            if column is not None and grain not in ("", "hour"):
                self.slots.targets.append(Dimension(column, grain))  # 'os 5 dias com mais'
                self.slots.grains.append((grain, True))
                self.slots.order.append(("grain", grain))
                return
        if previous is not None and previous.kind == "number" and not says_by:
            self.slots.units.append(item.text)
            return
        if before == "#count" and not self._is_by:
            self.slots.grains.append((grain, False))
            self.slots.order.append(("grain", grain))
            return
        if self._word_before(at) in AND and self.slots.groups:
            is_by = True
        leads = at == 0 and any(each.lemma in SUPERLATIVES for each in self._items)
        is_by = is_by or (leads and not says_by)
        if (
            before == "#which"
            and not leads
            and SUPERLATIVES & {*self.slots.cues}
            and not self._is_by
        ):
            if (named := self._moment_column()) is not None:
                self.slots.outputs.append(named)
            return
        asked = (leads or before == "#which" or before in SUPERLATIVES) and not self._is_by
        self.slots.grains.append((grain, is_by))
        self.slots.order.append(("grain", grain))
        column = self._index.hour_column if grain == "hour" else self._moment_column()
        if is_by and column is not None:
            dimension = Dimension(column, grain)
            last = normalize(words[-1])
            self.slots.plural_of[column] = last.endswith("s") and len(last) > _LONGEST_SINGULAR
            (self.slots.targets if asked else self.slots.groups).append(dimension)
        elif is_by:
            self.slots.cost += UNBOUND
        elif not self._is_unit_of_answer(at, grain):
            self.slots.cost += GUESSED

    def _is_unit_of_answer(self, at: int, grain: Grain) -> bool:
        """Return whether an answer is asked for in a unit of time: 'em dias'."""
        slots = self.slots
        is_told = bool(slots.measures or slots.statistics) and not slots.groups
        return is_told and at == len(self._items) - 1 and grain in ("hour", "day", "year")

    def _take_weekday(self, item: Mention) -> None:
        """Select the rows of days of the week."""
        column = self._moment_column()
        if column is None:
            self.slots.cost += UNBOUND
            return
        days = WEEKDAY_NUMBERS[item.text]
        if self._is_negated:
            days = tuple(day for day in range(1, 8) if day not in days)
            self._is_negated = False
        for place, each in enumerate(self.slots.compared):
            if each.grain == "weekday" and each.column == column:
                self.slots.compared[place] = Filter(column, (*each.values, *days), grain="weekday")
                return
        self.slots.compared.append(Filter(column, days, grain="weekday"))
        self.slots.order.append(("filter", column))

    def _take_quantile(self, at: int) -> None:
        for place in (at - 1, at + 1):
            if 0 <= place < len(self._items) and self._items[place].kind == "number":
                number = self._items[place].number
                if 0 < number < 100:
                    self.slots.quantile = number / 100
                    self._used.add(place)
                    if self.slots.numbers_left and place < at:
                        self.slots.numbers_left.pop()
                    if place < at and self.slots.number == int(number):
                        self.slots.number = None
                    return

    # Columns.
