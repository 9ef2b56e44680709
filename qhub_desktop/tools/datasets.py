"""Data set toolboxes: profiles of data sets, and SQL and Python over them."""

import builtins
import keyword
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field

from qhub_desktop.charts.catalogue import draw
from qhub_desktop.core.codec import Json, JsonObject, plain
from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile
from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.core.packs import SAFE_PYTHON
from qhub_desktop.core.processes.supervisor import Progress
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.result_widgets import Chart, Provenance, Roles, Shown, TableView
from qhub_desktop.core.table import is_numeric, quoted
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.core.tool import ToolContext, ToolOutput, tool
from qhub_desktop.core.untrusted import one_line, quoted_name
from qhub_desktop.data.workspace import Workspace
from qhub_desktop.sandbox import (
    PythonData,
    PythonFigure,
    PythonRun,
    PythonService,
    PythonTable,
)
from qhub_desktop.tools.conversation_datasets import ConversationDatasets, find_dataset

TOP_VALUES = 5
MOST_ROWS_SHOWN = 1000

Conjunto = Annotated[str | None, Field(description="ou o último")]


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
        folha: str | None = None,
    ) -> ToolOutput:
        """O que ainda não sabes de um conjunto: quartis, atípicos (fora de 1,5 amplitudes
        interquartis), colunas constantes, linhas repetidas, avisos da importação.
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
            Field(description="um só SELECT do DuckDB"),
        ],
        conjunto: str | None = None,
        limite: Annotated[int, Field(ge=1, le=MOST_ROWS_SHOWN)] = 100,
    ) -> ToolOutput:
        """Dá até `limite` linhas de uma consulta (100; no máximo 1000), e quantas há ao todo."""
        about = None if conjunto is None else find_dataset(context, conjunto)
        found = await self._datasets.query(context, sql, limit=limite, about=about)
        rows: list[Json] = [[plain(cell) for cell in row] for row in found.table.rows]
        content: dict[str, Json] = {
            "colunas": [one_line(name) for name in found.table.names],
            "tipos": [column.type for column in found.table.columns],
            "linhas": rows,
            "total_linhas": found.row_count,
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


# Python over the data sets: a model's code, run in the sandbox.
MOST_CODE = 100_000
MOST_CELLS = 48_000_000  # of eight bytes each: what the memory of a run holds beside its own values
TOLD_ROWS = 20  # of each table, to the model; the person sees the first thousand
OURS = {"dados", "grafico", "np", "pd"}


# What the sandbox's process says of its walls (`core/processes/walls.py`), for a person.
WALLS = {
    "memory": gettext_noop("a limit of memory"),
    "files": gettext_noop("no files"),
    "network": gettext_noop("no network"),
    "other processes": gettext_noop("no other processes"),
    "system calls": gettext_noop("few system calls"),
    "one process": gettext_noop("no further process"),
    "no privileges": gettext_noop("no privileges"),
    "low integrity": gettext_noop("low integrity"),
}


class PythonTools:
    """Toolbox of Python. Owns the thread that draws its charts until closed."""

    def __init__(self, python: PythonService, workspace: Workspace) -> None:
        self._python = python
        self._workspace = workspace
        self._drawing = Worker("drawing Python's charts")
        self._is_there = False

    @property
    def walls(self) -> tuple[str, ...]:
        """Walls of the system's own that stand around the sandbox's process, once it has run."""
        return self._python.walls

    @property
    def missing_walls(self) -> tuple[str, ...]:
        """Walls that this system should have, and has not."""
        return self._python.missing_walls

    async def is_there(self) -> bool:
        """Return whether this computer has what runs the code: asked for every turn."""
        self._is_there = self._is_there or SAFE_PYTHON.missing() is None
        return self._is_there

    def close(self) -> None:
        """End the sandbox and the thread."""
        self._python.close()
        self._drawing.close()

    @tool(
        label=gettext_noop("Computing with Python…"),
        category="compute",
        risk="compute",
        agents=("analise",),
        consent=gettext_noop("Run"),
        code="codigo",
    )
    async def executar_python(
        self,
        context: ToolContext,
        *,
        codigo: Annotated[
            str,
            Field(
                min_length=1,
                max_length=MOST_CODE,
                title=gettext_noop("Code"),
                description="completo: nada fica da execução anterior",
            ),
        ],
        descricao: Annotated[
            str,
            Field(
                min_length=1,
                max_length=500,
                title=gettext_noop("What it does"),
                description="para a pessoa, numa frase",
            ),
        ],
    ) -> ToolOutput:
        """Corre Python 3.15 com pandas 3 (pd), NumPy (np) e SciPy sobre os dados inteiros, para o
        que as outras ferramentas não calculam.

        Os conjuntos de dados desta conversa são DataFrames, pelo nome ou em dados['nome'], com os
        tipos lá ditos: integer é int64 (com falhas Int64), date e datetime datetime64, time
        datetime.time, text e category str. Mostra o que é impresso (5000 caracteres) e o valor da
        última linha; grafico(tipo, titulo, dados, x=None, y=None, por=None) como gerar_grafico.
        Sem matplotlib, rede nem ficheiros; 30 s, 512 MB. np.array e np.arange dão int32, que
        transborda: dtype='int64'.
        """
        del descricao  # for the person, who reads it from the call
        run = await self.compute(
            codigo, context.profiles, on_progress=lambda progress: context.tell(progress.text)
        )
        shown: list[Shown] = [_view(each) for each in run.tables]
        shown += [await self.chart(each) for each in run.figures]
        return ToolOutput(
            _told(run),
            widget=shown[0] if shown else None,
            more=tuple(shown[1:]),
            is_error=not run.succeeded,
        )

    async def compute(
        self,
        code: str,
        profiles: Sequence[DatasetProfile],
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> PythonRun:
        """Run code over data sets, of which those that it names are handed over.

        Raises ToolError if they do not fit into its memory, or where there is no sandbox.
        """
        named = _named(code, profiles)
        cells = sum(profile.rows * len(profile.columns) for profile, _name in named)
        if cells > MOST_CELLS:
            raise ToolError(
                f"Os conjuntos que o código usa têm {cells} células, mais do que as {MOST_CELLS} "
                "que cabem na memória do Python. Agregue primeiro com consultar_dados."
            )
        try:
            await self._python.prepare(on_progress or _ignore)
            async with self._python.handing_over() as folder:
                data = []
                for number, (profile, name) in enumerate(named):
                    file = folder / str(number)
                    columns = await self._workspace.write_columns(profile.id, file)
                    data.append(PythonData(name, profile.file, file, columns))
                return await self._python.run(code, data)
        except UserError as error:
            raise ToolError(
                f"O Python está desligado: {error} Use consultar_dados ou outra ferramenta."
            ) from error

    async def check(self, on_progress: Callable[[Progress], None]) -> str:
        """Run a line of code; return a sentence on it and on the walls around its process.

        Raises UserError where there is no sandbox.
        """
        await self._python.prepare(on_progress)
        run = await self._python.run("print(6 * 7)")
        if run.output.strip() != "42":
            raise UserError(run.error or _("The safe Python gave a wrong result."))
        said = _("The safe Python works ({ms} ms). Around its process: {walls}.").format(
            ms=run.ms, walls=_listed(self.walls) or _("nothing but the engine")
        )
        if not self.missing_walls:
            return said
        missing = _("Not active on this computer: {walls}.").format(
            walls=_listed(self.missing_walls)
        )
        return f"{said} {missing}"

    async def missing(self) -> str | None:
        """Return a sentence where the packaged program lacks the pack of the safe Python."""
        return await self._python.missing()

    async def add_pack(self, archive: Path, on_progress: Callable[[Progress], None]) -> str:
        """Add the pack of the safe Python, and try it. Raises UserError."""
        await self._python.add_pack(archive, on_progress)
        return await self.check(on_progress)

    async def chart(self, figure: PythonFigure) -> Chart | TableView:
        """Draw a chart that the code asked for; what cannot be drawn is shown as its table."""
        try:
            drawn = await self._drawing.run(
                draw, figure.kind, figure.title, figure.table, x=figure.x, y=figure.y, by=figure.by
            )
        except ToolError:
            return TableView(figure.title, figure.table, len(figure.table.rows))
        roles = Roles(figure.x, figure.y, figure.by)
        return Chart(figure.kind, drawn, figure.table, None, roles)


def _listed(walls: Sequence[str]) -> str:
    return ", ".join(_(name) for name in (WALLS.get(each, each) for each in walls))


def python_names(profiles: Iterable[DatasetProfile]) -> list[str]:
    """Return the data sets' names in the code: those of SQL, unless Python has another use for one.

    Names of ours and of Python's own get an underscore, so that they keep their meaning.
    """
    names = []
    for profile in profiles:
        name = profile.dataset
        taken = keyword.iskeyword(name) or hasattr(builtins, name) or name in OURS
        names.append(f"{name}_" if taken or keyword.issoftkeyword(name) else name)
    return names


def run_object(run: PythonRun, figures: Sequence[Chart | TableView]) -> JsonObject:
    """Return a run as the command line prints it, whole."""
    return {
        "output": run.output,
        "sucesso": run.succeeded,
        "erro": run.error,
        "tabelas": [plain(_view(each)) for each in run.tables],
        "figuras": [plain(each) for each in figures],
        "ms": run.ms,
        "limit": run.limit,
    }


def _named(code: str, profiles: Sequence[DatasetProfile]) -> list[tuple[DatasetProfile, str]]:
    """Return the data sets that a code can ask for, with their names in it."""
    words = set(re.findall(r"\w+", code))
    every = [*zip(profiles, python_names(profiles), strict=True)]
    # By `dados[...]` any one can be meant, by a name that is only made while the code runs.
    return every if "dados" in words else [each for each in every if each[1] in words]


def _told(run: PythonRun) -> JsonObject:
    """Return what the model is told of a run."""
    told: JsonObject = {"output": run.output} if run.output or run.succeeded else {}
    if run.error is not None:
        told["erro"] = run.error
    else:
        told["sucesso"] = True
    if run.tables:
        told["tabelas"] = [_told_table(each) for each in run.tables]
    if run.figures:
        told["figuras"] = [
            {"titulo": one_line(each.title), "tipo": each.kind, "linhas": len(each.table.rows)}
            for each in run.figures
        ]
    if run.limit is not None:
        told["limite"] = run.limit
    return told


def _told_table(each: PythonTable) -> JsonObject:
    rows: list[Json] = [[plain(cell) for cell in row] for row in each.table.rows[:TOLD_ROWS]]
    return {
        "titulo": one_line(each.title),
        "colunas": [one_line(name) for name in each.table.names],
        "linhas": rows,
        "total_linhas": each.row_count,
    }


def _view(found: PythonTable) -> TableView:
    return TableView(found.title or "Python", found.table, found.row_count)


def _ignore(_progress: Progress) -> None:
    """Ignore progress."""
