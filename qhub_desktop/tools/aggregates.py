"""The tools of aggregate privacy: what a model is told of data whose rows may not leave.

`agregar` computes a closed form over all rows and tells of it what `tools.disclosure` lets
through, in view of all that was told in the conversation before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from qhub_desktop.chat.privacy import LEAST_GROUP
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.dataset import LOG_ID
from qhub_desktop.core.errors import InputError, ToolError, UserError
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.result_widgets import Provenance
from qhub_desktop.core.table import Cell, quoted
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.core.tool import ToolContext, ToolOutput, tool
from qhub_desktop.core.untrusted import one_line
from qhub_desktop.core.values import dataclass
from qhub_desktop.tools.aggregation import (
    COUNTS,
    QUARTILES,
    UNITS,
    Agregacao,
    ClosedQuery,
    Filtros,
    GroupMeasure,
    Keys,
    Measure,
    Medidas,
    Periodo,
    Por,
    Primeiros,
    compile_form,
    is_first_day,
    is_last_day,
    whole_sql,
)
from qhub_desktop.tools.conversation_datasets import ConversationDatasets, find_dataset

if TYPE_CHECKING:
    from qhub_desktop.store.datasets import DatasetRepository
    from qhub_desktop.tools.disclosure import ToldQuery  # it loads NumPy

# So many lie on either side of a median, or of the outer quartiles.
LEAST_OF: Mapping[Measure, int] = {"mediana": 2 * LEAST_GROUP, "quartis": 4 * LEAST_GROUP}
MOST_GROUPS = 200
MOST_CONDITIONS = 4  # every choice of them is looked at
USUAL = 0.9  # of the units of time have a group's rows
MOST_SETS = 400  # told of one data set in a conversation
MOST_ATOMS = 20_000  # smallest sets of rows that a conversation can tell apart
FEW = f"menos de {LEAST_GROUP} linhas, ou nenhuma"
NEAR = (
    f"com o que esta conversa já disse destes dados chegava-se a menos de {LEAST_GROUP} linhas: "
    "use outros grupos ou filtros, ou a pessoa começa outra conversa"
)
MANY = f"são mais de {MOST_GROUPS} grupos: agrupe por menos colunas, ou por períodos maiores"
SPENT = "esta conversa já disse o que podia destes dados: a pessoa pode começar outra"
CHANGED = "o registo perdeu linhas que esta conversa contou: a pessoa pode começar outra"
RARE = (
    f"um dos valores dos filtros está em menos de {LEAST_GROUP} linhas, ou em nenhuma: agrupe pela "
    "coluna para ver os que se podem dizer"
)
RAGGED = "nestes dados um período começa e acaba com {unit}"
NO_PERIOD = "nestes dados há poucas linhas por ano: peça sem período"
SOME = f"grupos com menos de {LEAST_GROUP} linhas, e outros por onde se chegaria a eles"
NEWEST = f"sem os registos mais novos, que são menos de {LEAST_GROUP}"
FAILED = "O cálculo não chegou ao fim. Peça-o de forma mais simples."
SHOWN_ONLY = (
    "minimo e maximo são de uma só linha: mostre-os à pessoa com gerar_tabela ou gerar_kpi."
)


class AggregateTools:
    """Toolbox of aggregates for a model. Owns the thread that judges them until closed."""

    def __init__(
        self, conversation_datasets: ConversationDatasets, told: DatasetRepository
    ) -> None:
        self._datasets = conversation_datasets
        self._told = told
        self._worker = Worker("disclosure")

    def close(self) -> None:
        """Shut down the thread."""
        self._worker.close()

    @tool(
        label=gettext_noop("Adding up the data…"), category="data", risk="read", gives="aggregates"
    )
    async def agregar(
        self,
        context: ToolContext,
        *,
        medidas: Medidas | None = None,
        por: Por | None = None,
        filtros: Filtros | None = None,
        periodo: Periodo | None = None,
        primeiros: Primeiros = None,
        conjunto: str | None = None,
    ) -> ToolOutput:
        """Contagens, somas, médias, medianas, quartis e percentagens de um conjunto inteiro, ao
        todo e por até três colunas; sem medidas, contagem.

        Grupos com menos de 5 linhas ficam retidos, e outros por onde se chegaria a eles; as
        contagens são exatas, o resto tem 3 algarismos. As colunas do resultado são as de por
        (data_mes…) e contagem, percentagem, soma_coluna, media_coluna, q1_coluna a q3_coluna…
        """
        form = Agregacao(
            medidas=medidas or [],
            por=por or [],
            filtros=filtros or [],
            periodo=periodo,
            primeiros=primeiros,
            conjunto=conjunto,
        )
        profile = find_dataset(context, conjunto)
        query = compile_form(form, profile)
        if any(each.measure in ("minimo", "maximo") for each in query.figures):
            raise InputError(SHOWN_ONLY)
        if len(query.conditions) > MOST_CONDITIONS:
            raise InputError(f"São no máximo {MOST_CONDITIONS} filtros, com o período.")
        source = Provenance(
            dataset=profile.dataset,
            file=profile.file,
            sheet=profile.sheet,
            rows_used=None,
            rows_total=profile.rows,
            sql=whole_sql(query),
        )
        try:
            content = await self._answer(context, query)
        except (ToolError, UserError) as error:  # whose words may quote a cell
            raise InputError(FAILED) from error
        return ToolOutput(content, source=source)

    async def _answer(self, context: ToolContext, query: ClosedQuery) -> JsonObject:
        """Return what a model may be told, which is kept before."""
        from qhub_desktop.tools.disclosure import ToldQuery

        conversation, dataset_id = context.conversation, query.profile.id
        while True:
            kept = await self._told.told_figures(conversation, dataset_id)
            told = [ToldQuery.from_json(each) for each in kept]
            try:
                content, asked = await self._judge(context, query, told)
            except _RefusedError as refused:
                return {"conjunto": one_line(query.profile.dataset), "retido": refused.why}
            if asked in told or await self._told.keep_told_figures(
                conversation, dataset_id, asked.as_json(), after=len(kept)
            ):
                return content

    async def _judge(
        self, context: ToolContext, query: ClosedQuery, told: Sequence[ToldQuery]
    ) -> tuple[JsonObject, ToldQuery]:
        asked = await self._rows_of(context, query, told)
        await self._check_filters(context, query, asked)
        total, groups = await self._compute(context, query, asked)
        asked = replace(asked, sets=_candidates(total, groups, query.columns))
        count = sum(len(named) for each in (*told, asked) for named in each.sets.values())
        if count > MOST_SETS:
            raise _RefusedError(SPENT)
        sets = await self._tellable(context, query, told, asked)
        shown = _in_order(
            [each for each in groups if each.keys in sets[COUNTS]], total, query, sets
        )
        is_whole = len(sets[COUNTS]) == len(groups) + 1
        content = _content(query, total, shown, sets, is_whole=is_whole)
        keys = {(), *(each.keys for each in shown)}
        sets = {column: [each for each in named if each in keys] for column, named in sets.items()}
        if asked.rows < query.profile.rows:
            content["nota"] = NEWEST
        return content, replace(asked, sets=sets)

    async def _rows_of(
        self, context: ToolContext, query: ClosedQuery, told: Sequence[ToldQuery]
    ) -> ToldQuery:
        """Return the query that is asked, over the rows that take part.

        The station's log grows: new rows take part once they are a group of their own, for the
        difference to what was told before would be these rows.
        """
        from qhub_desktop.tools.disclosure import ToldQuery

        asked = ToldQuery(tuple(key.sql for key in query.keys), query.conditions)
        if query.profile.id != LOG_ID:
            return replace(asked, rows=query.profile.rows)
        before = told[-1] if told else ToldQuery(last=0)
        counted = f"count(*) FILTER (id <= {before.last}), count(*), max(id)"
        sql = f"SELECT {counted} FROM {quoted(query.profile.dataset)}"  # noqa: S608  names are quoted
        found = await self._datasets.query(context, sql, limit=1, about=query.profile)
        still, now, newest = (cast("int", each or 0) for each in found.table.rows[0])
        if still != before.rows:
            raise _RefusedError(CHANGED)
        if told and now - still < LEAST_GROUP:
            return replace(asked, last=before.last, rows=still)
        return replace(asked, last=newest, rows=now)

    async def _check_filters(
        self, context: ToolContext, query: ClosedQuery, asked: ToldQuery
    ) -> None:
        """Refuse filters by what few rows have: whether they change anything would tell of those.

        A value has to stand in as many rows as a group has, and a period to begin and end with a
        unit of time that has as many nearly always.
        """
        table = quoted(query.profile.dataset)
        rows = f"FROM {table} WHERE {asked.without(query.conditions).condition}"
        if query.values:
            counted = ", ".join(f"count(*) FILTER ({each})" for each in query.values)
            sql = f"SELECT least({counted}, {LEAST_GROUP}) {rows}"
            found = await self._datasets.query(context, sql, limit=1, about=query.profile)
            if cast("int", found.table.rows[0][0]) < LEAST_GROUP:
                raise _RefusedError(RARE)
        if query.period is None:
            return
        column, first, last = query.period
        cells = f"CAST({quoted(column)} AS DATE)"
        for unit, words in UNITS.items():
            begins = f"CAST(date_trunc('{unit}', {cells}) AS DATE)"
            units = f"SELECT count(*) AS n {rows} AND {begins} IS NOT NULL GROUP BY {begins}"
            enough = f"count(*) FILTER (n >= {LEAST_GROUP}) >= {USUAL} * count(*)"
            sql = f"SELECT {enough} FROM ({units})"  # noqa: S608  names are quoted
            found = await self._datasets.query(context, sql, limit=1, about=query.profile)
            if found.table.rows[0][0]:
                if not (is_first_day(first, unit) and is_last_day(last, unit)):
                    raise _RefusedError(RAGGED.format(unit=words))
                return
        raise _RefusedError(NO_PERIOD)

    async def _compute(
        self, context: ToolContext, query: ClosedQuery, asked: ToldQuery
    ) -> tuple[_Group, list[_Group]]:
        """Compute the total, and every group."""
        computed = ["count(*)"]
        for name in query.columns:
            cells = f"CAST({quoted(name)} AS DOUBLE)"
            computed += [f"count({cells})", f"sum({cells})"]
            computed += [f"max(abs({cells}))", f"sum(abs({cells}))"]
            computed += [f"quantile_cont({cells}, {share})" for share in QUARTILES]
        rest = f"{', '.join(computed)} FROM {quoted(query.profile.dataset)} WHERE {asked.condition}"
        found = await self._datasets.query(context, f"SELECT {rest}", limit=1, about=query.profile)
        total = _Group.of((), found.table.rows[0], query.columns)
        if total.rows < LEAST_GROUP:
            raise _RefusedError(FEW)
        if not asked.keys:
            return total, []
        keys = ", ".join(f"CAST({key} AS VARCHAR)" for key in asked.keys)
        places = ", ".join(str(place + 1) for place in range(len(asked.keys)))
        sql = f"SELECT {keys}, {rest} GROUP BY {places}"
        found = await self._datasets.query(context, sql, limit=MOST_GROUPS, about=query.profile)
        if found.row_count > MOST_GROUPS:
            raise _RefusedError(MANY)
        width = len(asked.keys)
        groups = [
            _Group.of(cast("Keys", row[:width]), row[width:], query.columns)
            for row in found.table.rows
        ]
        return total, groups

    async def _tellable(
        self,
        context: ToolContext,
        query: ClosedQuery,
        told: Sequence[ToldQuery],
        asked: ToldQuery,
    ) -> dict[str, list[Keys]]:
        """Return the sets of rows that may be told, by column."""
        from qhub_desktop.tools.disclosure import Atoms, ToldQuery, tellable, tellable_however

        # The profile tells how many rows there are.
        everything = ToldQuery(last=asked.last, sets={COUNTS: [()]})
        known = [everything, *told]
        queries, columns = [*known, asked], query.columns
        sql = Atoms.sql(query.profile.dataset, queries, columns)
        found = await self._datasets.query(context, sql, limit=MOST_ATOMS, about=query.profile)
        if found.row_count > MOST_ATOMS:
            raise _RefusedError(SPENT)

        def judge() -> dict[str, list[Keys]]:
            atoms = Atoms.read(found.table.rows, queries, columns)
            counted = tellable_however(atoms, known, asked, COUNTS)
            sets = {COUNTS: counted}
            for column in columns:
                named = [each for each in asked.sets.get(column, ()) if each in counted]
                if named[:1] == [()]:
                    wanted = replace(asked, sets={column: named})
                    sets[column] = tellable(atoms, known, wanted, column)
            return sets

        sets = await self._worker.run(judge)
        if not sets[COUNTS]:
            raise _RefusedError(NEAR)
        return sets


class _RefusedError(Exception):
    """Nothing of a query may be told, and why."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Figures of a column in a group, over its `filled` cells."""

    filled: int
    sum: float
    largest: float  # without its sign, as in `absolute`
    absolute: float
    quartiles: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Group:
    """Rows with the same keys, and what each column comes to in them."""

    keys: Keys
    rows: int
    numbers: Mapping[str, _Numbers]

    @classmethod
    def of(cls, keys: Keys, cells: Sequence[Cell], columns: Sequence[str]) -> _Group:
        """Read what `_compute` selects."""
        rows, *rest = (cast("float", each or 0) for each in cells)
        width = 4 + len(QUARTILES)
        numbers = {}
        for place, column in enumerate(columns):
            filled, added, largest, absolute, *quartiles = rest[place * width :][:width]
            numbers[column] = _Numbers(int(filled), added, largest, absolute, tuple(quartiles))
        return cls(keys, int(rows), numbers)


def _in_order(
    groups: Sequence[_Group],
    total: _Group,
    query: ClosedQuery,
    sets: Mapping[str, Sequence[Keys]],
) -> list[_Group]:
    """Put groups in the order of time, or the largest first, and keep the first that are wanted.

    By what is told of them alone: the place of another figure would tell its size.
    """
    if any(key.is_time for key in query.keys) and query.first is None:
        return sorted(groups, key=lambda each: [(key is not None, key or "") for key in each.keys])
    ordered = sorted(groups, key=lambda each: [str(key) for key in each.keys])
    figure = query.figures[0]
    ordered.sort(
        key=lambda each: cast("float", _told(figure, each, total, sets)[0] or 0), reverse=True
    )
    return ordered[: query.first]


def _candidates(
    total: _Group, groups: Sequence[_Group], columns: Sequence[str]
) -> dict[str, list[Keys]]:
    """Return the sets that are large enough to be told, by column: the total first."""
    from qhub_desktop.tools.disclosure import is_dominated

    sets: dict[str, list[Keys]] = {
        COUNTS: [each.keys for each in (total, *groups) if each.rows >= LEAST_GROUP]
    }
    for column in columns:
        sets[column] = [
            each.keys
            for each in (total, *groups)
            if (numbers := each.numbers[column]).filled >= LEAST_GROUP
            and not is_dominated(numbers.largest, numbers.absolute)
        ]
    return sets


def _content(
    query: ClosedQuery,
    total: _Group,
    groups: Sequence[_Group],
    sets: Mapping[str, Sequence[Keys]],
    *,
    is_whole: bool,
) -> JsonObject:
    """Write what a model is told; what is held back is null. `is_whole` if no group is."""
    names = [name for each in query.figures for name in each.names]

    def told(group: _Group) -> list[Json]:
        return [value for each in query.figures for value in _told(each, group, total, sets)]

    rows: list[list[Json]] = [[*each.keys, *told(each)] for each in groups]
    totals = told(total)
    content: JsonObject = {
        "conjunto": one_line(query.profile.dataset),
        "total": {"contagem": total.rows, **dict(zip(names, totals, strict=True))},
    }
    if query.keys:
        content["colunas"] = [*(one_line(key.name) for key in query.keys), *map(one_line, names)]
        content["tipos"] = [*("text" for _key in query.keys), *("number" for _name in names)]
        content["linhas"] = [*rows]
    if not is_whole or any(None in each for each in (totals, *rows)):
        content["retido"] = SOME
    return content


def _told(
    figure: GroupMeasure, group: _Group, total: _Group, sets: Mapping[str, Sequence[Keys]]
) -> list[Json]:
    if figure.measure == "contagem":
        return [group.rows]
    if figure.column is not None:
        filled = group.numbers[figure.column].filled
        is_told = group.keys in sets.get(figure.column, ())
        if not is_told or filled < LEAST_OF.get(figure.measure, LEAST_GROUP):
            return [None for _name in figure.names]
    from qhub_desktop.tools.disclosure import rounded

    return [None if each is None else rounded(each) for each in _computed(figure, group, total)]


def _computed(figure: GroupMeasure, group: _Group, total: _Group) -> list[float | None]:
    if figure.column is None:
        share = 100 * group.rows / total.rows
        return [float(group.rows) if figure.measure == "contagem" else share]
    numbers = group.numbers[figure.column]
    match figure.measure:
        case "percentagem":
            whole = total.numbers[figure.column].sum
            return [100 * numbers.sum / whole if whole else None]
        case "soma":
            return [numbers.sum]
        case "media":
            return [numbers.sum / numbers.filled if numbers.filled else None]
        case "mediana":
            return [numbers.quartiles[1]]
        case _:
            return [*numbers.quartiles]
