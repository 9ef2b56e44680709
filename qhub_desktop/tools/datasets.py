"""Data set toolbox: profiles of data sets, and SQL queries over them."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Literal

from pydantic import Field

from qhub_desktop.core.codec import Json, plain
from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.result_widgets import Provenance
from qhub_desktop.core.table import is_numeric, quoted, sql_literal
from qhub_desktop.core.text import fold_name, gettext_noop
from qhub_desktop.core.tool import ToolContext, ToolOutput, tool
from qhub_desktop.core.untrusted import one_line, quoted_name
from qhub_desktop.tools.conversation_datasets import ConversationDatasets, find_dataset

TOP_VALUES = 5
MOST_ROWS = 1000

Conjunto = Annotated[
    str | None, Field(description="Nome do conjunto de dados; sem ele, o último carregado.")
]


class DatasetTools:
    """Toolbox of profiles and queries over the data sets pinned to the conversation."""

    def __init__(self, conversation_datasets: ConversationDatasets) -> None:
        self._datasets = conversation_datasets

    @tool(
        label=gettext_noop("Getting to know the data…"),
        category="data",
        risk="read",
        agents=("analise",),
    )
    async def perfil_dados(
        self,
        context: ToolContext,
        *,
        conjunto: Conjunto = None,
        folha: Annotated[str | None, Field(description="Nome da folha, se houver várias.")] = None,
    ) -> ToolOutput:
        """Perfil de um conjunto sobre todas as linhas: colunas, tipos, valores em falta, resumo.

        Dá mínimo, máximo, média, desvio padrão, quartis e atípicos (fora de 1,5 amplitudes
        interquartis) das colunas numéricas, o intervalo das datas, os 5 valores mais frequentes das
        outras, as colunas constantes, as linhas repetidas e os avisos da importação.
        """
        profile = find_dataset(context, conjunto)
        if folha is not None and profile.sheet != folha:
            profile = _sheet(context, profile, folha)
        source = Provenance(
            dataset=profile.dataset,
            file=profile.file,
            sheet=profile.sheet,
            rows_used=profile.rows,
            rows_total=profile.rows,
            sql=f"SUMMARIZE {quoted(profile.dataset)}",
        )
        return ToolOutput(_described(profile), source=source)

    @tool(label=gettext_noop("Querying the data…"), category="data", risk="read")
    async def consultar_dados(
        self,
        context: ToolContext,
        *,
        sql: Annotated[
            str,
            Field(
                description="Um só SELECT em SQL do DuckDB sobre os conjuntos desta conversa, pelo "
                "nome; nomes de colunas com maiúsculas ou espaços entre aspas."
            ),
        ],
        conjunto: Conjunto = None,
        limite: Annotated[
            int, Field(ge=1, le=MOST_ROWS, description="Máximo de linhas devolvidas.")
        ] = 100,
    ) -> ToolOutput:
        """Consulta os dados com um SELECT e devolve linhas, tipos e o número total de linhas."""
        about = None if conjunto is None else find_dataset(context, conjunto)
        found = await self._datasets.query(context, sql, limit=limite, about=about)
        rows: list[Json] = [[plain(cell) for cell in row] for row in found.table.rows]
        content: dict[str, Json] = {
            "colunas": [one_line(name) for name in found.table.names],
            "tipos": [column.type for column in found.table.columns],
            "linhas": rows,
            "total_linhas": found.row_count,
            "fonte": one_line(found.source.file),
        }
        return ToolOutput(content, source=found.source)


def _sheet(context: ToolContext, profile: DatasetProfile, sheet: str) -> DatasetProfile:
    for each in context.profiles:
        if each.file == profile.file and each.sheet == sheet:
            return each
    names = ", ".join(map(quoted_name, profile.sheets))
    raise ToolError(
        f"{quoted_name(profile.file)} não tem a folha {quoted_name(sheet)}. Tem: {names}."
    )


def _described(profile: DatasetProfile) -> Json:
    return {
        "conjunto": one_line(profile.dataset),
        "ficheiro": one_line(profile.file),
        "folha": None if profile.sheet is None else one_line(profile.sheet),
        "linhas": profile.rows,
        "linhas_repetidas": profile.duplicate_rows,
        "colunas_constantes": [
            one_line(column.name) for column in profile.columns if column.is_constant
        ],
        "colunas": [_column(column) for column in profile.columns],
        "avisos": [*profile.warnings],
    }


def _column(column: ColumnProfile) -> Json:
    told: dict[str, Json] = {
        "nome": one_line(column.name),
        "tipo": column.type,
        "em_falta": column.missing,
        "distintos": column.distinct,
    }
    if is_numeric(column.type):
        told |= {"minimo": plain(column.min), "maximo": plain(column.max)}
        told |= {"media": column.mean, "desvio_padrao": column.std}
        told |= {"quartis": plain(column.quartiles), "atipicos": column.outliers}
    elif column.type in ("date", "datetime"):
        told |= {"primeira": plain(column.min), "ultima": plain(column.max)}
    elif column.min is not None:  # times of day and durations
        told |= {"minimo": plain(column.min), "maximo": plain(column.max)}
    else:
        told["top"] = [[plain(value), count] for value, count in column.top[:TOP_VALUES]]
    return told


def text_of(column: str) -> str:
    """Write SQL for the cells of a column as trimmed text."""
    return f"trim(CAST({quoted(column)} AS VARCHAR))"


def text_is(text: str, value: str) -> str:
    """Write SQL that compares a text with `value`, ignoring case and accents."""
    return f"replace(lower(strip_accents({text})), ' ', '_') = {sql_literal(fold_name(value))}"


def translated(text: str, meanings: Mapping[str, str]) -> str:
    """Write SQL that replaces a text by its meaning, if it has one."""
    if not meanings:
        return text
    cases = " ".join(
        f"WHEN {sql_literal(word)} THEN {sql_literal(to)}" for word, to in meanings.items()
    )
    return f"CASE {text} {cases} ELSE {text} END"


def date_is(column: str, relation: Literal[">=", "<="], day: date) -> str:
    """Write SQL that compares the date of a column with `day`, inclusive."""
    return f"CAST({quoted(column)} AS DATE) {relation} DATE {sql_literal(day.isoformat())}"
