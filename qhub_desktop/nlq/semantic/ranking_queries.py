"""Rankings and shares: what has the most, and what part of what, per group or at large."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from qhub_desktop.nlq.column_roles import flag_values
from qhub_desktop.nlq.grouping import (
    compared_column,
    is_of_lines,
    is_part_amount,
    numbers_things,
    rate_of_part,
)
from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.query_ast import (
    Dimension,
    Filter,
    GroupBy,
    Measure,
    MeasureKind,
    Number,
    Order,
    Rows,
    Several,
    select,
    top,
)
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.semantic.column_meaning import (
    actual_of,
    is_target,
)
from qhub_desktop.nlq.semantic.query_context import PLURAL, Costed, QueryContext
from qhub_desktop.nlq.semantic.slots import EXTREMES, ODD, WRONG
from qhub_desktop.nlq.semantic.timestamps import moment_meaning
from qhub_desktop.nlq.tokenizer import normalize, tokenize, unit, without_unit

_DIFFERENCE = tuple(words_by_role("difference_word"))
_AGED = words_by_role("aged")
_SAID_APART = 0.3  # what it is worth that a limit and what it limits are set against each other
_SUBJECT = 0.05  # of a condition on groups
# 'quem teve a maior multa', 'which trip took longest': a row, not the sum of several.
RATHER_ROW = 0.3
# How a filter selects what a share is the part of.
_PART_RELATIONS = ("is", "above", "below", "at least", "at most", "between", "missing", "is not")


def whole_by_name(index: SchemaIndex, part: str) -> str | None:
    """Return the amount of which another is a part, as their names tell: 'KM', of 'KM vazio'."""
    words = [word.normalized for word in tokenize(without_unit(part))]
    for name in index.measures if index.is_amount(part) and index.wide is None else ():
        own = [word.normalized for word in tokenize(without_unit(name))]
        most, whole = index.column(part).max, index.column(name).max
        is_less = isinstance(most, int | float) and isinstance(whole, int | float) and most <= whole
        begins = len(own) < len(words) and words[: len(own)] == own
        if begins and is_less and index.is_amount(name) and unit(name) == unit(part):
            return name
    return None


def _says_rows(role: str, name: str) -> bool:
    return role == "noun" or name == "#rows"


_FEW_THINGS = 20  # groups of which each has a mean to be told


class RankingQueries(QueryContext):
    """Builds queries that put groups or rows in an order."""

    @property
    def _says_change(self) -> bool:
        """Whether it is asked how much something grew or fell, not what it came to."""
        said = normalize(self.slots.cue_texts.get("#trend", ""))
        return said.startswith(tuple(words_by_role("change_verb")))

    def _rankings(self, measures: tuple[str, ...]) -> Iterator[Costed]:
        slots, index, scope = self.slots, self.index, self.scope
        rising = slots.has("least", "min", "first")
        if slots.has("trend") and self._says_change and slots.has("most", "least"):
            return  # 'a loja que mais cresceu': no total tells
        targets = [*dict.fromkeys([*slots.targets, *map(Dimension, slots.counted)])]
        who = [
            Dimension(name)
            for name in self.asked
            if slots.has("who") or (slots.has("where") and name == index.place_column)
        ]
        if compared_column(scope) is not None and slots.number is None:
            who = []  # 'quem tem mais, A ou B?'
        loose = [each for each in slots.bare if each not in targets]
        measure_, doubt = (
            self._measure(measures[0], ranks_groups=True) if measures else (Measure(), 0.0)
        )
        is_time = slots.has("first", "last") or slots.implied == "date"
        by = slots.moments[0] if slots.moments else index.date_column
        age = " ".join(slots.cue_texts.get(f"#{edge}_date", "") for edge in ("min", "max"))
        if _AGED & {*normalize(age).split()} and not slots.moments and slots.has("who"):
            by = moment_meaning(index, "birth_date") or by  # 'quem é o aluno mais velho'
        things = next((each for each in slots.counted if numbers_things(index, each)), "")
        if things and not measures:  # 'a mesa com mais pedidos', of lines of orders
            targets = [each for each in targets if each.column != things]
            dims = [*slots.groups, *targets, *loose, *who]
            if len(dims) == 1 and dims[0].column != things:
                n = slots.number or (PLURAL if slots.is_plural and slots.has("top") else 1)
                of_things = Measure("distinct", things)
                yield (
                    GroupBy(scope, dims[0], of_things, n=n, order="least" if rising else "most"),
                    0.05,
                )
            return
        # Rows: 'a ação mais cara', 'a última reclamação'.
        says_row = bool(slots.nouns or (slots.has("rows") and slots.has("which")))
        bare_rows = bool(says_row or slots.has("rows") or slots.number or slots.asks_row)
        ids = [each for each in (*targets, *loose) if not each.grain and self._is_key(each.column)]
        groups = [self._called(each) for each in (*targets, *loose, *who) if each not in ids]
        outputs = [*(each.column for each in groups), *slots.outputs]
        if slots.outputs and measures and slots.has("max", "min") and not slots.statistics:
            columns = self._columns([*slots.outputs, *self.asked, *slots.moments], measures[0])
            n = slots.number or 1
            yield Rows(scope, n, "least" if rising else "most", measures[0], columns), 0.05
        if is_time and not (slots.has("most", "least") or slots.statistics):
            if by is None:
                return
            if slots.groups:
                yield from self._of_each(by, [*outputs, *measures])
                return
            outputs += measures  # 'quem fez a última medição e qual foi o P8'
            asks_when = slots.has("when") or (slots.moments and not bare_rows)
            if asks_when and not (slots.nouns or groups or ids):
                yield Number(scope, Measure("min" if rising else "max", by)), 0.1
                return
            n = slots.number or (PLURAL if slots.is_plural else 1)
            columns = self._columns(outputs, by)
            yield (
                Rows(scope, n, "least" if rising else "most", by, columns),
                0.1 + 0.15 * (not (bare_rows or measures)),
            )
            return
        extreme = slots.has("max", "min")
        if extreme and len(measures) == 1 and slots.groups and (self.asked or slots.outputs):
            yield from self._of_each(measures[0], outputs)
        if slots.having is not None:
            return
        if self.ranks_row and measures and not (slots.statistics or slots.groups):
            told = [*outputs, *self.asked, *slots.moments, *measures[1:]]
            n = slots.number or 1
            columns = self._columns(told, measures[0])
            yield Rows(scope, n, "least" if rising else "most", measures[0], columns), 0.0
            return
        if measures and not extreme and slots.has("most", "least", "top") and not groups:
            extreme = bool(ids or slots.nouns or slots.number)  # 'which order took the most hours'
        rows_cost = (
            0.0 if (says_row or slots.asks_row) and extreme else 0.2 if ids and measures else 0.6
        )
        if (
            measures
            and not slots.statistics
            and not slots.groups
            and extreme
            and (bare_rows or ids)
        ) and not (targets and not ids):
            n = slots.number or (PLURAL if slots.is_plural else 1)
            columns = self._columns([*outputs, *self.asked, *measures[1:]], measures[0])
            yield Rows(scope, n, "least" if rising else "most", measures[0], columns), rows_cost
        several = next(
            (
                each.column
                for each in scope.filters
                if each.relation == "is" and len(each.values) > 1 and not each.grain
            ),
            None,
        )
        if several is not None and not groups and not slots.groups and slots.number is None:
            if measures and not slots.statistics and not index.is_amount(measures[0]):
                measure_ = Measure("mean", measures[0])
            yield self._grouped([Dimension(several)], measure_), doubt + 0.1
            return
        is_of_row = not groups or (groups == who and not slots.has("most", "least"))
        if (
            measures
            and extreme
            and (self.asked or slots.moments)
            and is_of_row
            and not slots.groups
        ):
            doubt += RATHER_ROW * bool(groups)
            columns = self._columns([*self.asked, *slots.moments], measures[0])
            yield Rows(scope, 1, "least" if rising else "most", measures[0], columns), 0.1
        # Groups: 'o turno com mais defeitos'.
        n = slots.number or (
            PLURAL if slots.is_plural or (slots.has("top") and not slots.has("which")) else 1
        )
        order: Literal["most", "least"] = "least" if rising else "most"
        if slots.has("worst", "best"):
            gain = index.is_gain(measures[0]) if measures else False
            if gain is None:
                doubt += ODD
            order = "least" if slots.has("worst" if gain else "best") else "most"
            if not measures and index.type_column is None:
                doubt += WRONG if index.measures else ODD  # of what?
        if who and slots.number is None and not slots.has("top"):
            n = 1  # 'quem teve mais multas'
        for dimension in groups[:2]:
            if (slots.number is None and slots.has("which")) or dimension.column in slots.plural_of:
                many = slots.plural_of.get(dimension.column, False)
                n = slots.number or (PLURAL if many else 1)
            paid = doubt + (0.0 if dimension in targets or dimension in who else 0.15)
            paid += 0.35 * (len(groups) - 1)
            if slots.groups:
                if measures or len(slots.groups) > 1:
                    continue
                yield (
                    top(scope, dimension, slots.number or 1, order, within=slots.groups[0]),
                    paid + 0.1,
                )
                continue
            if measures and dimension.column == measures[0]:
                continue
            if not measures:
                if slots.statistics:
                    continue
                ranks_rows = slots.nouns or slots.has_rows or slots.has("most", "least", "top")
                if extreme and not ranks_rows:
                    paid += WRONG  # 'a conta mais alta', of nothing that is measured
                yield top(scope, dimension, n, order, is_share=slots.has("percent")), paid
                continue
            yield GroupBy(scope, dimension, measure_, n=n, order=order), paid
        if slots.groups and not groups:
            dims = [each for each in dict.fromkeys(slots.groups) if each.column not in measures]
            if not dims:
                return
            if not measures:
                if not slots.statistics and len(dims) == 1:
                    yield top(scope, dims[0], n, order), 0.2
                return
            said = measure_
            if extreme and not slots.statistics and not slots.has("which", "most", "least", "top"):
                said = replace(measure_, kind="min" if rising else "max")
                yield self._grouped(dims, said), 0.1
                return
            if len(dims) == 1:
                yield GroupBy(scope, dims[0], said, n=n, order=order), doubt + 0.15
            return
        if measures and extreme and not groups and not ids:
            kinds = [EXTREMES[each] for each in slots.cues if each in EXTREMES]
            made = tuple(
                Number(scope, Measure(kind, name))  # type: ignore[arg-type]
                for name in measures
                for kind in dict.fromkeys(kinds)
            )
            if slots.statistics:
                made += tuple(
                    Number(scope, Measure(kind, measures[0])) for kind in slots.statistics
                )
            paid = 0.3 if says_row else 0.6 if slots.asks_row else 0.0
            yield (made[0] if len(made) == 1 else Several(made)), paid

    def _of_each(self, by: str, outputs: list[str]) -> Iterator[Costed]:
        """Yield the rows that come first within each group: 'a última medição de cada peça'."""
        slots = self.slots
        dims = [self._called(each) for each in dict.fromkeys(slots.groups) if not each.grain]
        if len(dims) != 1 or len(slots.groups) != 1 or dims[0].column == by:
            return
        name = dims[0].column
        if self.index.wide is not None or self._is_key(name):
            return
        told = [*outputs, *self.asked, *slots.moments]
        columns = self._columns([each for each in told if each not in (by, name)], by)
        order: Literal["most", "least"] = "least" if slots.has("least", "min", "first") else "most"
        yield Rows(self.scope, slots.number or 1, order, by, columns, within=name), 0.0

    def _apart(self, measures: tuple[str, ...]) -> Iterator[Costed]:
        """Yield by how much one column is above another: 'desvio médio face ao objetivo'."""
        slots, index = self.slots, self.index
        if slots.is_mean_deviation:
            measures = self._set_apart(measures)
        limits = [name for name in measures if is_target(index, name)]
        rest = [name for name in measures if name not in limits]
        said = normalize(slots.cue_texts.get("#compare", ""))
        is_apart = said.startswith(_DIFFERENCE) or slots.is_mean_deviation
        if not is_apart or len(limits) != 1 or len(rest) != 1:
            return  # 'vs' puts them side by side
        kind: MeasureKind = "sum" if slots.has("total") else "mean"
        kind = slots.statistics[0] if slots.statistics and said else kind
        end, start = rest[0], limits[0]
        order: Literal["most", "least"] = "least" if slots.has("least", "min") else "most"
        dims = [*slots.groups, *slots.targets, *slots.bare]
        dims += [Dimension(name) for name in self.asked if Dimension(name) not in dims]
        keys = [each for each in dims if not each.grain and self._is_key(each.column)]
        if self.superlatives and not (slots.statistics or slots.groups):
            columns = self._columns([each.column for each in dims if each not in keys], "")
            n = slots.number or (PLURAL if slots.is_plural else 1)
            yield (
                Rows(self.scope, n, order, end, columns, since=start, unit="difference"),
                -_SAID_APART,
            )
            return
        measure = Measure(kind, end, since=start, unit="difference")
        if len(dims) == 1:
            groups = GroupBy(self.scope, dims[0], measure)
            n = slots.number or (PLURAL if slots.is_plural else 1)
            yield replace(groups, n=n, order=order) if self.superlatives else groups, -_SAID_APART
        elif not dims and slots.is_mean_deviation:
            yield Number(self.scope, measure), -_SAID_APART

    def _set_apart(self, measures: tuple[str, ...]) -> tuple[str, ...]:
        """Return what is measured and what it ought to be, where only one of them was said."""
        targets = [name for name in self.index.measures if is_target(self.index, name)]
        pairs = [(actual_of(self.index, name), name) for name in targets]
        pairs = [each for each in pairs if each[0] and {*measures} <= {*each}]
        return (str(pairs[0][0]), pairs[0][1]) if len(pairs) == 1 else ()


class ShareQueries(RankingQueries):
    """Builds queries of what is divided by what."""

    def _part_column(self) -> str:
        """Return the column of the filter that says which part of the rows is asked for.

        Behind the rows of which it is a part: 'percentage of A readings over 0.7'.
        """
        order = self.slots.order
        said_so = (("cue", "#part_of"), ("cue", "#percent"))
        at = next((at for at, said in enumerate(order) if said in said_so), len(order))
        behind = order[at + 1 :]
        rows = next((at for at, said in enumerate(behind) if _says_rows(*said)), len(behind))
        before = [said for kind, said in behind[:rows] if kind == "filter"]
        after = [said for kind, said in behind[rows:] if kind == "filter"]
        after += [each.column for each in self.slots.compared if each.column not in before]
        if before and not after and not self._is_state(before[0]):
            after = [each for each in before if self._is_state(each)]  # '% de faltas sem motivo'
        return after[0] if before and after else self.slots.first_filter

    def _is_state(self, name: str) -> bool:
        """Return whether a condition is on a yes and no, or on whether a cell is filled."""
        wanted = self.scope.filter_on(name)
        is_filled = wanted is not None and wanted.relation in ("missing", "present")
        return is_filled or flag_values(self.index.column(name)) is not None

    @property
    def _says_ratio(self) -> bool:
        """Whether one number by another is asked for, rather than per cent: 'rácio A / B'."""
        said = self.slots.cue_texts.get("#rate", "").split()
        return bool(said) and normalize(said[0]) in words_by_role("plain_ratio")

    def _ratios(self, ratio: Measure) -> Iterator[Costed]:
        """Yield one amount by another: over all rows, for each group, or of the first groups."""
        slots, scope = self.slots, self.scope
        dims, paid = self._dimensions()
        several = compared_column(scope)
        if several is not None and Dimension(several) not in dims and len(dims) < 2:
            dims = [*dims, Dimension(several)]
        if not dims:
            yield Number(scope, ratio), 0.0
            return
        order, n = self._order(), None
        if self.superlatives:
            order = "least" if slots.has("least", "min") else "most"
            n = slots.number or (PLURAL if slots.is_plural or slots.has("top") else 1)
        split = dims[1] if len(dims) > 1 else None
        yield GroupBy(scope, dims[0], ratio, split, n=n, order=order), paid

    def _shares(self, measures: tuple[str, ...]) -> Iterator[Costed]:
        slots, index, scope = self.slots, self.index, self.scope
        dims, paid = self._dimensions()
        single = [
            each
            for each in scope.filters
            if each.relation in _PART_RELATIONS
            and (not each.grain or (each.column == slots.first_filter and len(scope.filters) > 1))
        ]
        several = compared_column(scope)
        others = [each for each in single if each.column != several]
        if several is not None and not dims and (measures or others):
            dims, single = [Dimension(several)], others  # 'a taxa de A contra a de B'
        ranked = bool(self.superlatives)
        order: Order = self._order()
        n = None
        if ranked:
            order = "least" if slots.has("least", "min") else "most"
            n = slots.number or (PLURAL if slots.is_plural or slots.has("top") else 1)
        if len(measures) > 1:
            first, over = measures[0], measures[1]
            if "#total" in index.lemmas[first] and not slots.has("divided"):
                first, over = over, first  # 'que parte da área total é mato?'
            kind: MeasureKind = (
                "ratio"
                if (slots.has("divided") or (self._says_ratio and not is_part_amount(index, first)))
                and not slots.has("percent")
                and (self._says_ratio or not slots.has("rate"))
                else "rate"
            )
            measure = Measure(kind, first, over)
            if dims:
                yield GroupBy(scope, dims[0], measure, n=n, order=order), paid
            else:
                yield Number(scope, measure), 0.1
            return
        if measures:
            name = measures[0]
            whole = whole_by_name(index, name)
            if (is_part_amount(index, name) or whole) and (slots.has("rate") or not single):
                rate = Measure("rate", name, whole) if whole else rate_of_part(index, name)
                measure = rate or Measure("rate", name)
                if dims:
                    yield GroupBy(scope, dims[0], measure, n=n, order=order), paid
                else:
                    yield Number(scope, measure), 0.05
                return
            paid += ODD * self._says_ratio  # of two amounts, and no part of one
            if index.is_amount(name) and single and not dims:
                own = (each for each in single if each.column == slots.first_filter)
                shared = next(own, single[0])
                rest = scope.without(shared.column)
                yield Number(rest, Measure("share", name, part=(shared,))), paid + 0.1
                return
            said = [each for each in single if each.column == slots.first_filter]
            if index.is_amount(name) and said and len(dims) == 1:  # 'peso de A nas vendas por mês'
                share = Measure("share", name, part=(said[0],))
                rest = scope.without(said[0].column)
                yield GroupBy(rest, dims[0], share, n=n, order=order), paid
                paid += ODD
            if index.is_amount(name) and dims:
                paid += ODD * (slots.has("rate") and not slots.has("percent"))
                yield (
                    GroupBy(scope, dims[0], Measure("sum", name), n=n, order=order, is_share=True),
                    paid + 0.1,
                )
                return
            return
        of_part = [each for each in single if each.column == self._part_column()]
        part = next(iter([*of_part, *single]), None)
        if part is not None and sum(each.column == part.column for each in scope.filters) > 1:
            slots.cost += WRONG  # 'aprovados, e não os rejeitados': one would go unheeded
            paid += WRONG
        if part is not None and part.relation == "missing":
            paid += ODD * (not index.column(part.column).missing)  # no cell lacks
        if dims and part is not None:
            rest = scope.without(part.column)
            measure = Measure("share", part=(part,))
            if slots.counts_rows and slots.has("compare") and len(dims) == 1:
                both = GroupBy(rest, dims[0]), GroupBy(rest, dims[0], measure)
                yield Several(both), paid  # 'A vs B: number of orders and share cancelled'
                return
            behind = slots.has("part_of", "percent") and dims[0] in slots.bare
            is_divided = behind and not ranked and not slots.groups  # 'percentagem de clientes com'
            yield (
                GroupBy(rest, dims[0], measure, n=n, order=order),
                paid + max(ODD * is_divided, 0.1),
            )
            return
        if part is not None:
            others = [each for each in scope.filters if each.column != part.column]
            flag = flag_values(index.column(part.column))
            has_gaps = flag is not None and flag[1] != "" and index.column(part.column).missing
            if has_gaps and part.relation == "is":
                others = [*others, Filter(part.column, (), "present")]
                scope = replace(scope, filters=(*scope.filters, others[-1]))
                rest = replace(scope, filters=tuple(each for each in scope.filters if each != part))
                yield Number(rest, Measure("share", part=(part,))), 0.1
                return
            if others or scope.period is not None:
                rest = scope.without(part.column)
                yield Number(rest, Measure("share", part=(part,))), 0.1
            else:
                yield Number(scope, is_share=True, noun=self.noun), 0.0
            return
        if dims and not slots.has("rate"):
            if ranked:
                yield top(scope, dims[0], n or 1, order or "most", is_share=True), paid  # type: ignore[arg-type]
            else:
                yield select(scope, dims, is_share=True), paid

    def _having(self, measures: tuple[str, ...]) -> Iterator[Costed]:
        slots = self.slots
        dims, paid = self._dimensions()
        if len(dims) == 1 and not slots.groups:
            paid = min(paid, _SUBJECT)  # 'leitores com mais de 40 requisições'
        dims += [Dimension(name) for name in slots.counted if Dimension(name) not in dims]
        grain = next((grain for grain, is_by in slots.grains if not is_by), None)
        if not dims and grain is not None and self.index.date_column is not None:
            dims = [Dimension(self.index.date_column, grain)]  # type: ignore[arg-type]
        if slots.has("who"):
            dims += [Dimension(name) for name in self.asked if Dimension(name) not in dims]
        dims = [each for each in dims if each.column != slots.different]
        if len(dims) != 1 or measures:
            return
        measure = Measure("distinct", slots.different) if slots.different else Measure()
        yield GroupBy(self.scope, dims[0], measure, having=slots.having), paid

    # One mean over what each group comes to.

    def _per(self, dims: Sequence[Dimension], measures: tuple[str, ...]) -> Costed | None:
        """Return rows, or an amount, per day or per thing: 'média de defeitos por dia'."""
        if self.slots.statistics != ["mean"] or len(measures) > 1:
            return None
        if measures and not self.index.is_amount(measures[0]):
            return None
        time = next((each for each in dims if each.grain in ("day", "week", "month", "year")), None)
        amount = next(iter(measures), "")
        if time is None:
            return self._per_thing(dims, amount)
        if self.slots.counted:
            return None
        rest = [each for each in dims if each != time]
        measure = Measure("per", time.column, time.grain, amount=amount)
        if rest:
            return GroupBy(self.scope, rest[0], measure), 0.2
        return Number(self.scope, measure), 0.1

    def _per_thing(self, dims: Sequence[Dimension], amount: str) -> Costed | None:
        """Return what one of many things has in the mean: 'média de visitas por cliente'.

        A mean of rows per thing is one number. So is that of an amount where a thing has several
        rows by its number ('ticket médio por pedido'), or many things have their own and the mean
        is said behind them ('horas por pessoa, em média').
        """
        slots, index = self.slots, self.index
        things = [each for each in slots.counted if numbers_things(index, each)]
        named = [each.column for each in dims if not each.grain]
        if slots.groups and len(named) == len(dims) == 1 and not slots.counted:
            name = named[0]
        elif things and not dims and amount and slots.counted == things[:1]:
            name = things[0]
        else:
            return None
        order = [said for said in slots.order if said in (("cue", "#mean"), ("group", name))]
        is_behind = order[-1:] == [("cue", "#mean")]
        is_many = index.column(name).distinct > _FEW_THINGS
        if amount and not (is_of_lines(index, name) or (is_behind and is_many)):
            return None
        return Number(self.scope, Measure("per", name, amount=amount)), 0.1
