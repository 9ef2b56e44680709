"""Study toolbox: statistical methods of quality control over the data sets of a conversation.

What computes is imported by the thread that computes: it loads NumPy and SciPy.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pydantic
from pydantic import Field

from qhub_desktop.core.codec import Json, JsonObject, plain
from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.settings import Settings, shifts_of
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.core.tool import SQL_MARK, ToolContext, ToolOutput, tool
from qhub_desktop.tools.conversation_datasets import ConversationDatasets, find_dataset

if TYPE_CHECKING:
    from qhub_desktop.core.study import Study
    from qhub_desktop.store.monitors import MonitorRepository
    from qhub_desktop.tools.studies.monitors import Monitors
    from qhub_desktop.tools.studies.selection import Computed, Selection, Work

    Prepare = Callable[[Selection, Mapping[str, Any], str], Awaitable[Work]]

AGENTS = ("analise", "qualidade")
# Words, in Portuguese and English without accents, of questions that ask for one of them.
CUE = (
    r"\b(cartas? (de )?control|cartas? (np?|[cpuirs]|imr|xbar)\b|control charts?|cusum|ewma|laney"
    r"|nelson|limites? de control|control limits?|(fora|sob) d?e? ?control|(out of|in) control"
    r"|cpk?|ppk?|cpm|capacidade|capabilidade|capability|sixpack|pareto|mapas? de concentr"
    r"|concentration|hipotese|hypothesis|significativ|significant|diferencas? (entre|d)"
    r"|difference between|differ\b|anova|tukey|kruskal|levene|fisher|qui.?quadrado|chi.?square"
    r"|kappa|r ?(&|e) ?r\b|gau?ge|repetibilidade|reprodutibilidade|repeatability"
    r"|sistemas? de medicao|measurement system|linearidade|linearity|amostragem|sampling|aql|nqa"
    r"|2859|z1\.4|ftq|rty|fty|dpmo|dpu|rendimento|yield|(boas?|bons?) (a|de) primeira"
    r"|nivel sigma|sigma level|sigmas?)"
)

# What several tools take. A description stands with the first one that a model reads.
Conjunto = str | None
Sql = Annotated[
    str | None,
    Field(description="SELECT em vez do conjunto", json_schema_extra={SQL_MARK: "select"}),
]
Onde = Annotated[
    str | None, Field(description="condição SQL", json_schema_extra={SQL_MARK: "condition"})
]
Turnos = Annotated[dict[str, str] | None, Field(description='nome: início, "06:00"')]
Inicio = Annotated[str | None, Field(description="do dia de produção")]
Tipo = Literal[
    "auto", "i", "xbar", "xbar_r", "xbar_s", "p", "np", "c", "u", "laney_p", "laney_u", "ewma",
    "cusum", "run",
]  # fmt: skip
Modelo = Literal["normal", "lognormal", "weibull", "box_cox", "johnson", "percentiles"]
Teste = Literal[
    "qui_quadrado", "fisher", "proporcoes", "medidas", "t", "t_student", "t_emparelhado",
    "mann_whitney", "anova", "welch", "kruskal", "levene",
]  # fmt: skip
Estimador = Literal[
    "MRbar/d2", "median MR/d4", "s/c4", "Rbar/d2", "Sbar/c4", "pooled/c4", "MVLUE(R/d2)",
    "MVLUE(S/c4)",
]  # fmt: skip
Periodo = Literal["dia", "turno", "semana", "mes"]
Volume = Annotated[
    str | float | None,
    Field(description="inspecionados: coluna, conjunto.coluna ou número por período"),
]


class Exclusao(pydantic.BaseModel):
    """A point left out, and why."""

    model_config = pydantic.ConfigDict(extra="forbid", defer_build=True)

    ponto: str | int
    motivo: Annotated[str, Field(min_length=1, max_length=500)]


class Limites(pydantic.BaseModel):
    """Limits of another time."""

    model_config = pydantic.ConfigDict(extra="forbid", defer_build=True)

    centro: float
    sigma: Annotated[float, Field(gt=0)]
    sigma_z: float | None = None


# Where what prepares a method's work stands, by its tool's name: `module:function`.
METHODS: dict[str, str] = {}


def study(
    label: str, *, prepare: str, gives: Literal["shown", "nothing"] = "shown"
) -> Callable[[Callable[..., None]], Callable[..., Awaitable[ToolOutput]]]:
    """Make a method of a toolbox a statistical method: its signature is the tool's schema."""

    def declare(method: Callable[..., None]) -> Callable[..., Awaitable[ToolOutput]]:
        @functools.wraps(method)
        async def answer(self: StudyTools, context: ToolContext, **given: Any) -> ToolOutput:
            return await self.answer(method.__name__, context, _given(**given))

        METHODS[method.__name__] = prepare
        return tool(
            label=label,
            category="compute",
            risk="read",
            agents=AGENTS,
            opened_by="estatistica",
            gives=gives,
        )(answer)

    return declare


class StudyTools:
    """Toolbox of statistical methods. Owns the thread that they are computed on until closed."""

    def __init__(
        self,
        conversation_datasets: ConversationDatasets,
        settings: Callable[[], Settings],
        *,
        user: str,
    ) -> None:
        self._datasets = conversation_datasets
        self._settings = settings
        self._user = user
        self._computing = Worker("statistics")
        self._monitors: Monitors | None = None

    def close(self) -> None:
        """Shut down the threads."""
        if self._monitors is not None:
            self._monitors.close()
        self._computing.close()

    def monitors(self, store: MonitorRepository) -> Monitors:
        """Return the charts with frozen limits that watch data; the same each time."""
        if self._monitors is None:
            from qhub_desktop.tools.studies.monitors import Monitors

            self._monitors = Monitors(store, self, self._datasets, user=self._user)
        return self._monitors

    @tool(
        label=gettext_noop("Opening the statistical methods…"),
        category="compute",
        risk="read",
        agents=AGENTS,
        gives="nothing",
        cue=CUE,
    )
    async def estatistica(self, context: ToolContext) -> ToolOutput:
        """Abre carta_controlo, capacidade (Cpk), pareto, rendimento (FTQ), estudo_rr,
        teste_hipotese (há diferença?) e plano_amostragem, que dão gráfico e conclusão.
        """
        del context
        return ToolOutput({"abertas": [*METHODS]})

    @study(gettext_noop("Drawing a control chart…"), prepare="control_study:prepare")
    def carta_controlo(
        self,
        context: ToolContext,
        *,
        conjunto: Conjunto = None,
        sql: Sql = None,
        onde: Onde = None,
        tipo: Tipo = "auto",
        coluna: Annotated[
            str | None, Field(description="medida ou contagem; sem ela contam-se linhas")
        ] = None,
        subgrupo: Annotated[
            str | int | None, Field(description="coluna, ou quantas medidas seguidas")
        ] = None,
        ordem: Annotated[str | None, Field(description="coluna")] = None,
        periodo: Periodo | None = None,
        volume: Volume = None,
        regras: Annotated[
            list[str] | None, Field(description="nelson1 a nelson8, we1 a we4; nelson3:7 muda o 6")
        ] = None,
        estimador: Estimador | None = None,
        excluir: list[Exclusao] | None = None,
        congelar: Annotated[
            int | Limites | None, Field(description="os primeiros N pontos fazem os limites")
        ] = None,
        etapas: Annotated[
            list[str | int] | None, Field(description="pontos onde começam limites novos")
        ] = None,
        parametros: Annotated[
            dict[str, float] | None, Field(description="ewma: peso, largura; cusum: k, h; alvo")
        ] = None,
        turnos: Turnos = None,
        inicio_dia: Inicio = None,
    ) -> None:
        """Carta de controlo. `auto` escolhe o tipo pelos dados e diz porquê. Diz primeiro os
        avisos; p, np, u e laney precisam de volume.
        """

    @study(gettext_noop("Ordering the causes…"), prepare="counts_study:prepare_pareto")
    def pareto(
        self,
        context: ToolContext,
        *,
        conjunto: Conjunto = None,
        sql: Sql = None,
        onde: Onde = None,
        coluna: Annotated[str | None, Field(description="causas; sem ela o defeito")] = None,
        valor: Annotated[str | None, Field(description="coluna a somar (custo)")] = None,
        maximo: Annotated[int | None, Field(ge=2, le=50)] = None,
        por: Annotated[
            str | None, Field(description="mapa de concentração, como rack por posição")
        ] = None,
    ) -> None:
        """Pareto com linha de 80 %, tabela e poucas causas vitais."""

    @study(gettext_noop("Computing the yield…"), prepare="counts_study:prepare_yield")
    def rendimento(
        self,
        context: ToolContext,
        *,
        conjunto: Conjunto = None,
        sql: Sql = None,
        onde: Onde = None,
        volume: Volume = None,
        defeituosas: Annotated[str | None, Field(description="coluna: peças")] = None,
        defeitos: Annotated[
            str | None, Field(description="coluna; sem ela contam-se linhas")
        ] = None,
        por: Annotated[str | None, Field(description="coluna: passos ou turnos")] = None,
        oportunidades: Annotated[float | None, Field(gt=0)] = None,
        desvio: Annotated[float | None, Field(description="1,5")] = None,
    ) -> None:
        """FTQ, RTY, DPU, DPMO e nível sigma. Precisa de volume."""

    @study(gettext_noop("Judging the capability…"), prepare="capability_study:prepare")
    def capacidade(
        self,
        context: ToolContext,
        *,
        conjunto: Conjunto = None,
        sql: Sql = None,
        onde: Onde = None,
        coluna: str | None = None,
        lie: float | None = None,
        lse: float | None = None,
        alvo: float | None = None,
        subgrupo: str | int | None = None,
        ordem: str | None = None,
        modelo: Modelo | None = None,
        excluir: list[Exclusao] | None = None,
    ) -> None:
        """Cp, Cpk, Pp, Ppk e Cpm com intervalos e ppm, e o sixpack, entre lie e lse (basta um).
        Diz primeiro os avisos.
        """

    @study(gettext_noop("Judging the measurement system…"), prepare="gauge_view:prepare")
    def estudo_rr(
        self,
        context: ToolContext,
        *,
        conjunto: Conjunto = None,
        sql: Sql = None,
        onde: Onde = None,
        metodo: Literal["anova", "amplitudes", "aninhado", "tipo1", "linearidade", "atributos"]
        | None = None,
        coluna: Annotated[str | None, Field(description="leituras")] = None,
        peca: Annotated[str | None, Field(description="coluna")] = None,
        operador: Annotated[str | None, Field(description="coluna")] = None,
        referencia: Annotated[
            str | float | None, Field(description="coluna; em tipo1 o valor")
        ] = None,
        tolerancia: Annotated[float | None, Field(gt=0)] = None,
    ) -> None:
        """Sistema de medição: R&R (anova), peça padrão, linearidade, concordância (kappa)."""

    @study(gettext_noop("Testing a hypothesis…"), prepare="tests_study:prepare")
    def teste_hipotese(
        self,
        context: ToolContext,
        *,
        por: Annotated[str | None, Field(description="coluna dos grupos (turno)")] = None,
        conjunto: Conjunto = None,
        sql: Sql = None,
        onde: Onde = None,
        metodo: Teste | None = None,
        coluna: Annotated[
            str | None,
            Field(description="categoria ou medida; em proporcoes as más; sem ela o defeito"),
        ] = None,
        par: Annotated[
            str | None,
            Field(description="t_emparelhado: coluna da 2.ª medida, ou com por a da peça"),
        ] = None,
        volume: Annotated[str | None, Field(description="coluna")] = None,
    ) -> None:
        """Há diferença entre grupos? Contagens de categorias, proporções ou medidas, cujo teste é
        escolhido pelos dados sem metodo.
        """

    @study(
        gettext_noop("Finding a sampling plan…"), prepare="tests_study:plan_study", gives="nothing"
    )
    def plano_amostragem(
        self,
        context: ToolContext,
        *,
        lote: Annotated[int | None, Field(ge=2)] = None,
        nqa: Annotated[float | None, Field(description="NQA, %")] = None,
        nivel: Literal["I", "II", "III", "S-1", "S-2", "S-3", "S-4"] | None = None,
        severidade: Literal["normal", "apertada"] | None = None,
        bom: Annotated[float | None, Field(description="% a aceitar, em vez de nqa")] = None,
        mau: Annotated[float | None, Field(description="% a rejeitar")] = None,
    ) -> None:
        """Plano simples de amostragem (ISO 2859-1) e curva característica."""

    async def answer(self, method: str, context: ToolContext, given: JsonObject) -> ToolOutput:
        """Compute a study for a model and a person. Raises ToolError."""
        try:
            computed = await self.compute(method, context, given)
        except ToolError:
            raise
        except UserError as error:  # what the data do not carry
            raise ToolError(str(error)) from error
        return ToolOutput(computed.content, widget=computed.study, source=computed.study.source)

    async def compute(self, method: str, context: ToolContext, given: JsonObject) -> Computed:
        """Compute a study by its tool's name and arguments, which the tool has checked.

        Raises ToolError for what cannot be read, NotComputableError for what the data do not
        carry.
        """
        if method == "plano_amostragem":  # of numbers given, not of rows
            return await self._computing.run(lambda: _load(method)(given))
        if method == "carta_controlo":
            given = {**self._working_time(), **given}
            if given.get("tipo") == "auto":
                del given["tipo"]
        prepare: Prepare = await self._computing.run(_load, method)
        rows = await self._selection(context, given)
        work = await prepare(rows, given, self._user)
        return await self._computing.run(work)

    def _working_time(self) -> JsonObject:
        """Return when the station's days and shifts begin, which a call may say otherwise."""
        settings = self._settings()
        return _given(turnos={**shifts_of(settings)} or None, inicio_dia=settings.day_start or None)

    async def rows_behind(self, context: ToolContext, study: Study, point: int) -> str:
        """Return the SELECT of the rows behind a point of a control chart (a row of `points`).

        Raises ToolError if the data set is gone.
        """
        assert study.arguments is not None
        assert study.points is not None
        rows = await self._selection(context, study.arguments)
        from qhub_desktop.tools.studies.control_study import rows_of_point

        return rows_of_point(rows, study.arguments, str(study.points.rows[point][0]))

    async def _selection(self, context: ToolContext, given: Mapping[str, Any]) -> Selection:
        from qhub_desktop.tools.studies.selection import Selection, WorkingTime

        return await Selection.of(
            self._datasets,
            context,
            find_dataset(context, given.get("conjunto")),
            sql=given.get("sql"),
            where=given.get("onde"),
            time=WorkingTime.of(given.get("inicio_dia"), given.get("turnos")),
        )


def _load(method: str) -> Any:
    """Import what prepares a method's work. Blocks as long as SciPy loads."""
    module, _colon, name = METHODS[method].partition(":")
    return getattr(importlib.import_module(f"{__name__}.{module}"), name)


def _given(**arguments: object) -> JsonObject:
    """Return a call's arguments as JSON, without those that were left out."""
    return {name: _lean(value) for name, value in arguments.items() if value is not None}


def _lean(value: object) -> Json:
    if isinstance(value, pydantic.BaseModel):
        return plain(value.model_dump(exclude_none=True))
    if isinstance(value, list):
        return [_lean(each) for each in value]
    return plain(value)
