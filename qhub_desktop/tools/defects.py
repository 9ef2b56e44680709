"""Defect toolbox, and the import of files into the station's defect log."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from qhub_desktop.core.codec import Json
from qhub_desktop.core.conditions import date_is, text_is, text_of, translated
from qhub_desktop.core.dataset import (
    DEFECT_FIELDS,
    DEFECT_WORDS,
    LOG_ID,
    SHIFTS,
    Appended,
    DatasetProfile,
    Defect,
    DefectMapping,
    DefectType,
    Shift,
)
from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.core.ids import NO_CONVERSATION
from qhub_desktop.core.table import Table, quoted
from qhub_desktop.core.text import fold_name, gettext_noop, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.tool import ToolContext, ToolOutput, tool
from qhub_desktop.core.untrusted import one_line, quoted_name
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.defect_recognition import (
    MappingProposal,
    certain_mapping,
    propose,
    with_known_words,
)
from qhub_desktop.store.effects import call_key
from qhub_desktop.tools.conversation_datasets import LOG, ConversationDatasets, Found

if TYPE_CHECKING:
    from qhub_desktop.store.defects import DefectRepository

GROUPS = 10_000  # more types than any plant has words for
UNKNOWN = "(sem valor)"

# Filters of three tools: what their names and types say already, and the profile of the data, is
# not said again in each.
Tipo = str | None
Turno = str | None
Operador = str | None
Material = str | None
Rack = str | None
De = date | None
Ate = date | None


class DefectTools:
    """Toolbox of questions about the defect log, or about an imported table of defects."""

    def __init__(
        self, defects: DefectRepository, conversation_datasets: ConversationDatasets
    ) -> None:
        self._defects = defects
        self._datasets = conversation_datasets

    @tool(label=gettext_noop("Counting defects…"), category="data", risk="read")
    async def contar_defeitos(
        self,
        context: ToolContext,
        *,
        tipo_defeito: Tipo = None,
        turno: Turno = None,
        operador: Operador = None,
        material: Material = None,
        rack: Rack = None,
        de: De = None,
        ate: Ate = None,
    ) -> ToolOutput:
        """Conta os defeitos, no total e por tipo; `de` e `ate` inclusive."""
        asked = _DefectSelection(context, (tipo_defeito, turno, operador, material, rack), de, ate)
        found = await self._count(asked, "tipo_defeito")
        counts = {_word(kind): _whole(n) for kind, n in found.table.rows}
        return _outcome({"total": sum(counts.values()), "por_tipo": {**counts}}, found)

    @tool(
        label=gettext_noop("Finding the most frequent defects…"),
        category="data",
        risk="read",
    )
    async def top_defeitos(
        self,
        context: ToolContext,
        *,
        n: Annotated[int, Field(ge=1, le=100)] = 5,
        turno: Turno = None,
        operador: Operador = None,
        material: Material = None,
        rack: Rack = None,
        de: De = None,
        ate: Ate = None,
    ) -> ToolOutput:
        """Os n (5) tipos mais frequentes, com contagem e percentagem do total filtrado.

        `empatados`: quantos mais têm a contagem do último.
        """
        asked = _DefectSelection(context, (None, turno, operador, material, rack), de, ate)
        found = await self._count(asked, "tipo_defeito")
        total = sum(_whole(count) for _, count in found.table.rows)
        top: list[Json] = [
            {
                "tipo": _word(kind),
                "total": _whole(count),
                "percentagem": round(100 * _whole(count) / total, 1),
            }
            for kind, count in found.table.rows[:n]
        ]
        counts = [count for _, count in found.table.rows]
        level = counts[n:].count(counts[n - 1]) if len(counts) > n else 0
        tie: dict[str, Json] = {"empatados": level} if level else {}
        return _outcome({"top": top, "total": total, **tie}, found)

    @tool(
        label=gettext_noop("Comparing the shifts…"),
        category="data",
        risk="read",
        agents=("analise",),
    )
    async def defeitos_por_turno(
        self,
        context: ToolContext,
        *,
        tipo_defeito: Tipo = None,
        turno: Turno = None,
        operador: Operador = None,
        material: Material = None,
        rack: Rack = None,
        de: De = None,
        ate: Ate = None,
    ) -> ToolOutput:
        """Conta os defeitos por turno, e cada tipo por turno."""
        asked = _DefectSelection(context, (tipo_defeito, turno, operador, material, rack), de, ate)
        found = await self._count(asked, "tipo_defeito", "turno")
        shifts: dict[str, int] = {}
        crossed: dict[str, dict[str, int]] = {}
        for kind, shift, count in found.table.rows:
            shifts[_word(shift)] = shifts.get(_word(shift), 0) + _whole(count)
            crossed.setdefault(_word(kind), {})[_word(shift)] = _whole(count)
        content: dict[str, Json] = {
            "por_turno": {shift: shifts[shift] for shift in sorted(shifts, key=_shift_order)},
            "por_tipo": {kind: {**counts} for kind, counts in crossed.items()},
            "total": sum(shifts.values()),
        }
        return _outcome(content, found)

    @tool(
        label=gettext_noop("Recording a defect…"),
        category="action",
        risk="write",
        consent=gettext_noop("Record"),
        gives="nothing",
    )
    async def registar_defeito(
        self,
        context: ToolContext,
        *,
        tipo_defeito: Annotated[DefectType, Field(title=gettext_noop("Defect"))],
        turno: Annotated[Shift, Field(title=gettext_noop("Shift"))],
        operador: Annotated[
            str, Field(title=gettext_noop("Operator"), min_length=1, max_length=80)
        ],
        material: Annotated[
            str, Field(title=gettext_noop("Material"), min_length=1, max_length=80)
        ],
        rack: Annotated[str, Field(title=gettext_noop("Rack"), min_length=1, max_length=40)],
        posicao: Annotated[int, Field(title=gettext_noop("Position"), ge=1, le=1000)],
        data: Annotated[
            date | None, Field(title=gettext_noop("Date"), description="sem ela, hoje")
        ] = None,
        quantos: Annotated[int, Field(title=gettext_noop("How many alike"), ge=1, le=99)] = 1,
    ) -> ToolOutput:
        """Grava um defeito, ou `quantos` iguais, no registo da estação; a pessoa confirma antes."""
        day = data or date.today()
        defect = Defect(day, turno, operador, tipo_defeito, material, rack, posicao)
        key = call_key(context.message, context.call)
        recorded = await self._defects.record(defect, key, count=quantos)
        self._datasets.log_changed()
        return ToolOutput(recorded)

    async def _count(self, asked: _DefectSelection, *by: str) -> Found:
        listed = ", ".join(asked.selected(field) for field in by)
        places = ", ".join(str(place) for place in range(1, len(by) + 1))
        sql = (
            f"SELECT {listed}, count(*) AS total FROM {quoted(asked.profile.dataset)}"  # noqa: S608
            f"{asked.where()} GROUP BY {places} ORDER BY total DESC, {places}"
        )
        found = await self._datasets.query(
            asked.context,
            sql,
            limit=GROUPS,
            about=asked.profile,
        )
        if not found.table.rows:
            asked.check_filter_values()
        return found


@dataclass(frozen=True, slots=True)
class _DefectSelection:
    """Selection of defects that a call is about: a data set, and filters on it."""

    context: ToolContext
    values: tuple[str | None, ...]  # by tipo_defeito, turno, operador, material, rack
    since: date | None
    until: date | None

    @property
    def profile(self) -> DatasetProfile:
        """Last imported data set with types of defect, or else the defect log."""
        return defects_in(self.context)

    @property
    def filters(self) -> Mapping[str, str]:
        """Filters of the call by field of the tool contract."""
        names = ("tipo_defeito", "turno", "operador", "material", "rack")
        pairs = zip(names, self.values, strict=True)
        return {name: value for name, value in pairs if value is not None}

    def column(self, name: str) -> str:
        """Return the data set's own name for a column.

        Raises ToolError if it has no such column.
        """
        found = self.profile.defect_column(name)
        if found is None:
            names = ", ".join(quoted_name(each.name) for each in self.profile.columns)
            raise ToolError(
                f"O conjunto {quoted_name(self.profile.dataset)} não tem a coluna"
                f" {quoted_name(name)}. Tem: {names}."
            )
        return found

    def selected(self, field: str) -> str:
        """Write SQL for a field, with the data set's words translated to the plant's."""
        column, meanings = self.column(field), self.meanings(field)
        if not meanings:
            return quoted(column)
        return f"{translated(text_of(column), meanings)} AS {quoted(field)}"

    def meanings(self, field: str) -> Mapping[str, str]:
        """Map the data set's words for a field to the plant's, where they differ."""
        mapping = self.profile.defects
        return {} if mapping is None else mapping.meanings(field)

    def where(self) -> str:
        """Write the WHERE clause for the filters; empty without filters."""
        conditions = [
            text_is(
                translated(text_of(self.column(name)), self.meanings(name)),
                self._plant_word(value, name),
            )
            for name, value in self.filters.items()
        ]
        if self.since is not None:
            conditions.append(date_is(self.column("data"), ">=", self.since))
        if self.until is not None:
            conditions.append(date_is(self.column("data"), "<=", self.until))
        return f" WHERE {' AND '.join(conditions)}" if conditions else ""

    def check_filter_values(self) -> None:
        """Raise ToolError if a filter value does not occur in the data at all."""
        for name, value in self.filters.items():
            column = self.profile.column(self.column(name))
            if column is None or column.distinct > len(column.top):
                continue
            meanings = self.meanings(name)
            words = [str(each).strip() for each, _ in column.top]
            known = list(dict.fromkeys(meanings.get(word, word) for word in words))
            if fold_name(self._plant_word(value, name)) not in {fold_name(each) for each in known}:
                raise ToolError(
                    f"Não há {name} {quoted_name(value)} em {quoted_name(self.profile.dataset)}."
                    f" Há: {', '.join(map(quoted_name, known))}."
                )

    def _plant_word(self, value: str, field: str) -> str:
        """Return the plant's word for a value, which may be one of the data set's own words."""
        own = {fold_name(word): meaning for word, meaning in self.meanings(field).items()}
        return own.get(fold_name(value), value)


def defects_in(context: ToolContext) -> DatasetProfile:
    """Return the last imported data set with types of defect, or else the defect log.

    Raises ToolError if there is neither.
    """
    for profile in reversed(context.profiles):
        if profile.defect_column("tipo_defeito") is not None:
            return profile
    raise ToolError(f"Não há um conjunto com a coluna 'tipo_defeito'; o registo é '{LOG}'.")


def _outcome(content: dict[str, Json], found: Found) -> ToolOutput:
    return ToolOutput({**content, "fonte": one_line(found.source.file)}, source=found.source)


def _word(value: object) -> str:
    return UNKNOWN if value is None else str(value)


def _whole(value: object) -> int:
    assert isinstance(value, int)
    return value


def _shift_order(shift: str) -> tuple[int, str]:
    known = fold_name(shift)
    return (SHIFTS.index(known) if known in SHIFTS else len(SHIFTS), shift)


MOST_ROWS = 1_000_000
MOST_WORDS = 1_000


class DefectImporter:
    """Reader of files as defects, by the confirmed mappings, which appends them to the log."""

    def __init__(
        self, defects: DefectRepository, conversation_datasets: ConversationDatasets
    ) -> None:
        self._defects = defects
        self._datasets = conversation_datasets

    async def proposal(self, profile: DatasetProfile) -> MappingProposal | None:
        """Propose how to read a data set as defects, with all its words; None if it holds none.

        A mapping that the person confirmed for files with these columns takes precedence.
        """
        if profile.id == LOG_ID:
            return None
        guessed = propose(profile)
        confirmed = await self._defects.mapping(each.name for each in profile.columns)
        mapping = confirmed or (guessed.mapping if guessed else certain_mapping(profile))
        if mapping is None:
            return None
        words = {field: await self.words(profile, mapping, field) for field in DEFECT_WORDS}
        whole = with_known_words(mapping, words)
        settled = {(field, word) for field, word, _meaning in whole.words}
        return MappingProposal(
            mapping=whole,
            confidence=guessed.confidence if guessed else 1.0,
            missing=tuple(field for field in DEFECT_FIELDS if mapping.column(field) is None),
            unknown=tuple(
                (field, word)
                for field, said in words.items()
                for word in said
                if (field, word) not in settled
            ),
            is_certain=guessed is not None and guessed.is_certain,
            is_confirmed=confirmed is not None,
        )

    async def words(
        self, profile: DatasetProfile, mapping: DefectMapping, field: str
    ) -> tuple[str, ...]:
        """List a file's own words for a field, the most frequent first."""
        column = mapping.column(field)
        if column is None:
            return ()
        text = text_of(column)
        found = await self._query(
            profile,
            f"SELECT {text} AS word FROM {quoted(profile.dataset)}"  # noqa: S608  quoted names
            f" WHERE {text} <> '' GROUP BY 1 ORDER BY count(*) DESC, 1",
            limit=MOST_WORDS,
        )
        return tuple(str(word) for (word,) in found.rows)

    async def confirm(self, profile: DatasetProfile, mapping: DefectMapping) -> None:
        """Store a mapping for files with the same columns.

        Raises UserError if it lacks a type of defect or a column of dates.
        """
        _check(profile, mapping)
        await self._defects.keep_mapping((each.name for each in profile.columns), mapping)

    async def append(self, profile: DatasetProfile, mapping: DefectMapping) -> Appended:
        """Append the defects of the file to the log, without duplicates.

        Raises UserError if the mapping is invalid or there are too many rows; the log is unchanged
        then.
        """
        _check(profile, mapping)
        if profile.rows > MOST_ROWS:
            raise UserError(
                _(
                    "{file} has {rows} rows, and at most {most} can be added at a time. Export a"
                    " shorter period, and add that."
                ).format(
                    file=profile.file,
                    rows=number(profile.rows, digits=0),
                    most=number(MOST_ROWS, digits=0),
                )
            )
        rows = await self._query(profile, _rows_sql(profile, mapping), limit=MOST_ROWS)
        appended = await self._defects.append(
            rows,
            dataset_id=profile.id,
            file=profile.file,
            columns=(each.name for each in profile.columns),
        )
        if appended.added:
            self._datasets.log_changed()
        return appended

    async def take_back(self, appended: int) -> int:
        """Delete the rows of one `append`, and return their number."""
        taken = await self._defects.take_back(appended)
        self._datasets.log_changed()
        return taken

    async def _query(self, profile: DatasetProfile, sql: str, *, limit: int) -> Table:
        try:
            found = await self._datasets.query(
                ToolContext(NO_CONVERSATION, (profile,)), sql, limit=limit, about=profile
            )
        except ToolError as error:
            raise UserError(
                _(
                    "{file} cannot be read as defects: {reason} Check which column holds what,"
                    " and try again."
                ).format(file=profile.file, reason=str(error))
            ) from error
        return found.table


def _check(profile: DatasetProfile, mapping: DefectMapping) -> None:
    """Raise UserError if a mapping lacks the type of defect or a date, which every defect has."""
    for field in ("tipo_defeito", "data"):
        column = profile.column(mapping.column(field) or "")
        if column is None:
            raise UserError(
                _(
                    "{file} cannot be added without a column for {field}. Say which one it is, or"
                    " export the file with it."
                ).format(file=profile.file, field=field)
            )
        if field == "data" and column.type not in ("date", "datetime"):
            raise UserError(
                _(
                    "The column {column} of {file} does not hold dates. Choose another one, or"
                    " read the file again with that column as dates."
                ).format(column=column.name, file=profile.file)
            )


def _rows_sql(profile: DatasetProfile, mapping: DefectMapping) -> str:
    """Write SQL that selects the rows with the columns `store.defects.FILE_COLUMNS`."""
    cells = {field: _cell(mapping, field) for field in DEFECT_FIELDS}
    position = mapping.column("posicao")
    if position is None:
        cells["posicao"] = written = "CAST(NULL AS VARCHAR)"
    else:
        written = _text(position)
        figure = f"TRY_CAST({written} AS DOUBLE)"
        # Cast straight to a whole number, 3.5 would become 4.
        cells["posicao"] = (
            f"CASE WHEN {figure} = floor({figure}) AND abs({figure}) < 1e9"
            f" THEN CAST({figure} AS BIGINT) END"
        )
    selected = ", ".join(f"{cells[field]} AS {field}" for field in DEFECT_FIELDS)
    return (
        f"SELECT row_number() OVER () AS linha, {selected}, {written} AS posicao_escrita"  # noqa: S608
        f" FROM {quoted(profile.dataset)}"
    )


def _cell(mapping: DefectMapping, field: str) -> str:
    column = mapping.column(field)
    if column is None:
        return "CAST(NULL AS VARCHAR)"
    if field == "data":
        return f"CAST({quoted(column)} AS DATE)"
    meanings: Mapping[str, str] = mapping.meanings(field)
    return translated(_text(column), meanings) if meanings else _text(column)


def _text(column: str) -> str:
    return f"nullif({text_of(column)}, '')"
