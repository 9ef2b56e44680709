"""Study toolbox: statistical methods of quality control over the data sets of a conversation.

What computes is imported by the thread that computes: it loads NumPy and SciPy.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import importlib
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import pydantic
from pydantic import Field

from qhub_desktop.core.codec import Json, JsonObject, plain
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import SessionOverError, ToolError, UserError
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.settings import Settings, shifts_of
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop, speaking
from qhub_desktop.core.tool import SQL_MARK, ToolContext, ToolOutput, in_form, tool
from qhub_desktop.tools.conversation_datasets import (
    ConversationDatasets,
    RememberedQueries,
    find_dataset,
)
from qhub_desktop.tools.studies.names import (
    CHOSEN,
    COUNTED,
    GAUGES,
    KEPT_DEMAND,
    KEPT_LOTS,
    KINDS,
    MEASURED,
    MODELS,
    NONE,
    PERIODS,
    PHASES,
    RULE_CHOICES,
    RULES,
    SEVERITIES,
    STEPS,
    TESTS,
    USUAL_RULES,
    asked,
    field_of,
)

if TYPE_CHECKING:
    from qhub_desktop.core.study import Study
    from qhub_desktop.store.monitors import MonitorRepository
    from qhub_desktop.store.settings import SettingRepository
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
Conjunto = Annotated[str | None, asked(gettext_noop("Data"), takes="dataset")]
_HIDDEN = in_form("hidden")  # no choice of a form
Idioma = Annotated[
    Literal["pt", "en"] | None, Field(description="da pergunta", json_schema_extra=_HIDDEN)
]
Sql = Annotated[
    str | None,
    Field(
        title=gettext_noop("Query"),
        description="SELECT em vez do conjunto",
        json_schema_extra={SQL_MARK: "select", **in_form("kept")},
    ),
]
Onde = Annotated[
    str | None,
    Field(
        title=gettext_noop("Only rows with"),
        description="condição SQL",
        json_schema_extra={SQL_MARK: "condition", **in_form("kept")},
    ),
]
Turnos = Annotated[
    dict[str, str] | None,
    Field(description='nome: início, "06:00"', json_schema_extra=_HIDDEN),
]
Inicio = Annotated[str | None, Field(description="do dia de produção", json_schema_extra=_HIDDEN)]
Tipo = Literal[
    "auto", "i", "xbar", "xbar_r", "xbar_s", "p", "np", "c", "u", "laney_p", "laney_u", "ewma",
    "cusum", "run",
]  # fmt: skip
Modelo = Literal["normal", "lognormal", "weibull", "box_cox", "johnson", "percentiles"]
Teste = Literal[
    "normalidade", "intervalo_tolerancia", "tamanho_amostra", "regressao", "qui_quadrado",
    "fisher", "proporcoes", "medidas", "t", "t_student", "t_emparelhado", "mann_whitney", "anova",
    "welch", "kruskal", "levene",
]  # fmt: skip
Estimador = Literal[
    "MRbar/d2", "median MR/d4", "s/c4", "Rbar/d2", "Sbar/c4", "pooled/c4", "MVLUE(R/d2)",
    "MVLUE(S/c4)",
]  # fmt: skip
Periodo = Literal["hora", "dia", "turno", "semana", "mes"]
Ordem = Annotated[
    str | None,
    asked(gettext_noop("Order"), takes="column", nothing=gettext_noop("As the rows stand")),
]
_OF_VOLUME = "inspecionados: coluna, conjunto.coluna ou número por período"
_OF_SUBGROUP = "coluna, ou quantas medidas seguidas"


class Exclusao(pydantic.BaseModel):
    """A point left out, and why."""

    model_config = pydantic.ConfigDict(extra="forbid", defer_build=True)

    ponto: str | int
    motivo: Annotated[str, Field(min_length=1, max_length=500)]


Excluir = Annotated[list[Exclusao] | None, asked(gettext_noop("Points left out"), takes="kept")]


class Limites(pydantic.BaseModel):
    """Limits of another time."""

    model_config = pydantic.ConfigDict(extra="forbid", defer_build=True)

    centro: float
    sigma: Annotated[float, Field(gt=0)]
    sigma_z: float | None = None


class Parametros(pydantic.BaseModel):
    """Numbers of the charts that weigh points."""

    model_config = pydantic.ConfigDict(extra="forbid", defer_build=True)

    alvo: Annotated[
        float | None, asked(gettext_noop("Target"), when={"tipo": ("ewma", "cusum")})
    ] = None
    peso: Annotated[
        float | None,
        asked(gettext_noop("Weight of the newest"), usual=0.2, when={"tipo": ("ewma",)}),
    ] = None
    largura: Annotated[
        float | None,
        asked(gettext_noop("Limits at how many sigma"), usual=3, when={"tipo": ("ewma",)}),
    ] = None
    k: Annotated[float | None, asked("k", usual=0.5, when={"tipo": ("cusum",)})] = None
    h: Annotated[float | None, asked("h", usual=5, when={"tipo": ("cusum",)})] = None


Regras = Annotated[
    list[str] | None,
    asked(
        gettext_noop("Rules and false alarms"),
        "nelson1 a nelson8, we1 a we4; nelson3:7 muda o 6",
        words=RULE_CHOICES,
        choices=(*RULES,),
        usual=[*USUAL_RULES],
    ),
]
DoSigma = Annotated[
    Estimador | None,
    asked(gettext_noop("Estimator of sigma"), nothing=CHOSEN, when={"tipo": MEASURED}),
]
Congelar = Annotated[
    int | Limites | None,
    asked(
        gettext_noop("First points that make the limits"),
        "os primeiros N pontos fazem os limites",
        nothing=gettext_noop("All"),
    ),
]
Etapas = Annotated[
    list[str | int] | str | None,
    asked(
        gettext_noop("Phases: points where new limits begin, or a column"),
        "pontos onde começam limites novos, ou a coluna que muda aí",
        "points",
        nothing=NONE,
    ),
]
Subgrupo = Annotated[
    str | int | None,
    asked(
        gettext_noop("Subgroup"),
        _OF_SUBGROUP,
        "column",
        nothing=NONE,
        when={"tipo": MEASURED},
    ),
]
VolumeDaCarta = Annotated[
    str | float | None,
    asked(
        gettext_noop("Units inspected"),
        _OF_VOLUME,
        "numbers",
        nothing=NONE,
        when={"tipo": COUNTED},
    ),
]
ContadoPor = Annotated[
    Periodo | None,
    asked(
        gettext_noop("Period of a point"),
        "contagens somadas, ou medidas em subgrupo, por período",
        words=PERIODS,
        nothing=NONE,
    ),
]
PorCada = Annotated[
    str | None,
    asked(
        gettext_noop("One for each"),
        "tabela, um estudo por valor desta coluna (peça, cavidade)",
        "column",
        nothing=NONE,
    ),
]
Par = Annotated[
    str | None,
    asked(
        gettext_noop("Second measurement, or part"),
        "t_emparelhado: coluna da 2.ª medida, ou com por a da peça; regressao: o x",
        "column",
        when={"metodo": ("t_emparelhado", "regressao")},
    ),
]
Confianca = Annotated[
    float | None,
    asked(
        gettext_noop("Confidence, %"),
        above=0,
        usual=95,
        when={"metodo": ("intervalo_tolerancia",)},
    ),
]
Proporcao = Annotated[
    float | None,
    asked(
        gettext_noop("Share of the parts, %"),
        above=0,
        usual=99,
        when={"metodo": ("intervalo_tolerancia",)},
    ),
]
Diferenca = Annotated[
    float | None,
    asked(
        gettext_noop("Difference to be seen"),
        "de médias; com volume, de percentagens em pontos",
        when={"metodo": ("tamanho_amostra",)},
    ),
]
Potencia = Annotated[
    float | None,
    asked(
        gettext_noop("Power, %"),
        above=0,
        usual=90,
        when={"metodo": ("tamanho_amostra",)},
    ),
]
Tamanho = Annotated[
    int | None,
    asked(
        gettext_noop("Values of each group, to tell the power"),
        "diz a potência, em vez do tamanho",
        least=2,
        when={"metodo": ("tamanho_amostra",)},
    ),
]
_OF_PARTS = ("anova", "amplitudes", "aninhado", "atributos")

# Where what prepares a method's work stands, by its tool's name: `module:function`.
METHODS: dict[str, str] = {}


def study(
    label: str, name: str, *, prepare: str, gives: Literal["shown", "nothing"] = "shown"
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
            name=name,
        )(answer)

    return declare


class StudyTools:
    """Toolbox of statistical methods. Owns the thread that they are computed on until closed."""

    def __init__(
        self,
        conversation_datasets: ConversationDatasets | RememberedQueries,
        settings: Callable[[], Settings],
        kept: SettingRepository,
        *,
        user: str,
        keeps: bool = True,
    ) -> None:
        self._datasets = conversation_datasets
        self._settings = settings
        self._kept = kept
        self._keeps = keeps
        self._user = user
        self._computing = Worker("statistics")
        # To let go of the points of a study takes 30 ms where there are 100,000: the thread that
        # computes holds those of a form until its window has others, and lets go of them itself.
        self._shown: deque[Computed] = deque(maxlen=0 if keeps else 2)
        self._monitors: Monitors | None = None

    def close(self) -> None:
        """Shut down the threads."""
        if self._monitors is not None:
            self._monitors.close()
        self._computing.close()

    def for_form(self) -> StudyTools:
        """Return the same tools for a form, which asks for nearly the same again and again.

        They have a thread of their own, remember what was read, and are closed with the form.
        """
        assert isinstance(self._datasets, ConversationDatasets)
        return StudyTools(
            RememberedQueries(self._datasets),
            self._settings,
            self._kept,
            user=self._user,
            keeps=False,
        )

    def abandon(self) -> None:
        """Let go of the thread of a form, without waiting for what it computes."""
        self._computing.abandon()

    async def first_guess(
        self, profile: DatasetProfile, method: str = ""
    ) -> tuple[str, JsonObject]:
        """Return a method, or the one that fits a data set, and what its columns suggest for it."""
        return await self._computing.run(_guessed, profile, method)

    def monitors(self, store: MonitorRepository) -> Monitors:
        """Return the charts with frozen limits that watch data; the same each time."""
        if self._monitors is None:
            from qhub_desktop.tools.studies.monitors import Monitors

            assert isinstance(self._datasets, ConversationDatasets)
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

    @study(
        gettext_noop("Drawing a control chart…"),
        gettext_noop("Control chart"),
        prepare="control_study:prepare",
    )
    def carta_controlo(
        self,
        context: ToolContext,
        *,
        conjunto: Conjunto = None,
        sql: Sql = None,
        onde: Onde = None,
        tipo: Annotated[Tipo, asked(gettext_noop("Kind of chart"), words=KINDS)] = "auto",
        coluna: Annotated[
            str | None,
            asked(
                gettext_noop("Column"),
                "medida ou contagem; sem ela contam-se linhas",
                "numbers",
                nothing=CHOSEN,
            ),
        ] = None,
        subgrupo: Subgrupo = None,
        por: PorCada = None,
        ordem: Ordem = None,
        periodo: ContadoPor = None,
        volume: VolumeDaCarta = None,
        regras: Regras = None,
        estimador: DoSigma = None,
        excluir: Excluir = None,
        congelar: Congelar = None,
        etapas: Etapas = None,
        parametros: Annotated[
            Parametros | None, Field(description="ewma: peso, largura; cusum: k, h; alvo")
        ] = None,
        turnos: Turnos = None,
        inicio_dia: Inicio = None,
        idioma: Idioma = None,
    ) -> None:
        """Carta de controlo. `auto` escolhe o tipo pelos dados e diz porquê. Diz primeiro os
        avisos; p, np, u e laney precisam de volume.
        """

    @study(
        gettext_noop("Ordering the causes…"),
        gettext_noop("Pareto"),
        prepare="counts_study:prepare_pareto",
    )
    def pareto(
        self,
        context: ToolContext,
        *,
        conjunto: Conjunto = None,
        sql: Sql = None,
        onde: Onde = None,
        coluna: Annotated[
            str | None,
            asked(gettext_noop("Causes"), "causas; sem ela o defeito", "column", nothing=CHOSEN),
        ] = None,
        valor: Annotated[
            str | None,
            asked(
                gettext_noop("Add up"),
                "coluna a somar (custo)",
                "numbers",
                nothing=gettext_noop("Count rows"),
            ),
        ] = None,
        maximo: Annotated[
            int | None, asked(gettext_noop("Bars at most"), least=2, most=50, usual=12)
        ] = None,
        por: Annotated[
            str | None,
            asked(
                gettext_noop("By"),
                "mapa de concentração, como rack por posição",
                "column",
                nothing=NONE,
            ),
        ] = None,
        idioma: Idioma = None,
    ) -> None:
        """Pareto com linha de 80 %, tabela e poucas causas vitais."""

    @study(
        gettext_noop("Computing the yield…"),
        gettext_noop("Yield"),
        prepare="counts_study:prepare_yield",
    )
    def rendimento(
        self,
        context: ToolContext,
        *,
        conjunto: Conjunto = None,
        sql: Sql = None,
        onde: Onde = None,
        volume: Annotated[
            str | float | None,
            asked(gettext_noop("Units inspected"), _OF_VOLUME, "numbers", nothing=NONE),
        ] = None,
        defeituosas: Annotated[
            str | None,
            asked(gettext_noop("Defective units"), "coluna: peças", "numbers", nothing=NONE),
        ] = None,
        defeitos: Annotated[
            str | None,
            asked(
                gettext_noop("Defects"),
                "coluna; sem ela contam-se linhas",
                "numbers",
                nothing=gettext_noop("Count rows"),
            ),
        ] = None,
        por: Annotated[
            str | None,
            asked(gettext_noop("By"), "coluna: passos ou turnos", "column", nothing=NONE),
        ] = None,
        passos: Annotated[
            Literal["paralelo", "serie"] | None,
            asked(
                gettext_noop("Groups are"),
                "serie: passos seguidos de cada peça, que dão RTY",
                words=STEPS,
                usual="paralelo",
            ),
        ] = None,
        oportunidades: Annotated[
            float | None, asked(gettext_noop("Opportunities of a unit"), above=0, usual=1)
        ] = None,
        desvio: Annotated[
            float | None, asked(gettext_noop("Shift of the sigma level"), "1,5", usual=1.5)
        ] = None,
        idioma: Idioma = None,
    ) -> None:
        """FTQ, RTY, DPU, DPMO e nível sigma. Precisa de volume."""

    @study(
        gettext_noop("Judging the capability…"),
        gettext_noop("Capability"),
        prepare="capability_study:prepare",
    )
    def capacidade(
        self,
        context: ToolContext,
        *,
        conjunto: Conjunto = None,
        sql: Sql = None,
        onde: Onde = None,
        coluna: Annotated[
            str | None, asked(gettext_noop("Column"), takes="numbers", nothing=CHOSEN)
        ] = None,
        lie: Annotated[float | None, asked(gettext_noop("Lower limit (LSL)"))] = None,
        lse: Annotated[float | None, asked(gettext_noop("Upper limit (USL)"))] = None,
        alvo: Annotated[float | None, asked(gettext_noop("Target"))] = None,
        subgrupo: Annotated[
            str | int | None, asked(gettext_noop("Subgroup"), takes="column", nothing=NONE)
        ] = None,
        por: PorCada = None,
        ordem: Ordem = None,
        modelo: Annotated[
            Modelo | None, asked(gettext_noop("Model"), words=MODELS, usual="normal")
        ] = None,
        estudo: Annotated[
            Literal["serie", "inicial", "maquina"] | None,
            asked(gettext_noop("Study of"), words=PHASES, usual="serie"),
        ] = None,
        exigido: Annotated[
            float | None,
            asked(
                gettext_noop("Cpk demanded"),
                "Cpk pedido; fica guardado para a coluna",
                above=0,
                nothing=gettext_noop("As kept, else 1.33 or 1.67"),
            ),
        ] = None,
        excluir: Excluir = None,
        idioma: Idioma = None,
    ) -> None:
        """Cp, Cpk, Pp, Ppk e Cpm com intervalos e ppm, e o sixpack, entre lie e lse (basta um).
        Diz primeiro os avisos.
        """

    @study(
        gettext_noop("Judging the measurement system…"),
        gettext_noop("Measurement system (R&R)"),
        prepare="gauge_view:prepare",
    )
    def estudo_rr(
        self,
        context: ToolContext,
        *,
        conjunto: Conjunto = None,
        sql: Sql = None,
        onde: Onde = None,
        metodo: Annotated[
            Literal["anova", "amplitudes", "aninhado", "tipo1", "linearidade", "atributos"] | None,
            asked(gettext_noop("Method"), words=GAUGES, usual="anova"),
        ] = None,
        coluna: Annotated[
            str | None,
            asked(gettext_noop("Readings"), "leituras", "column", nothing=CHOSEN),
        ] = None,
        peca: Annotated[
            str | None,
            asked(gettext_noop("Part"), "coluna", "column", when={"metodo": _OF_PARTS}),
        ] = None,
        operador: Annotated[
            str | None,
            asked(gettext_noop("Operator"), "coluna", "column", when={"metodo": _OF_PARTS}),
        ] = None,
        referencia: Annotated[
            str | float | None,
            asked(
                gettext_noop("Reference value"),
                "coluna; em tipo1 o valor",
                "column",
                when={"metodo": ("tipo1", "linearidade", "atributos")},
            ),
        ] = None,
        tolerancia: Annotated[
            float | None,
            asked(
                gettext_noop("Tolerance"),
                above=0,
                when={"metodo": ("anova", "amplitudes", "aninhado", "tipo1")},
            ),
        ] = None,
        idioma: Idioma = None,
    ) -> None:
        """Sistema de medição: R&R (anova), peça padrão, linearidade, concordância (kappa)."""

    @study(
        gettext_noop("Testing a hypothesis…"),
        gettext_noop("Hypothesis test"),
        prepare="tests_study:prepare",
    )
    def teste_hipotese(
        self,
        context: ToolContext,
        *,
        por: Annotated[
            str | None,
            asked(gettext_noop("Groups"), "coluna dos grupos (turno)", "column", nothing=NONE),
        ] = None,
        conjunto: Conjunto = None,
        sql: Sql = None,
        onde: Onde = None,
        metodo: Annotated[
            Teste | None, asked(gettext_noop("Test"), words=TESTS, nothing=CHOSEN)
        ] = None,
        coluna: Annotated[
            str | None,
            asked(
                gettext_noop("Column"),
                "categoria ou medida; em proporcoes as más; sem ela o defeito",
                "column",
                nothing=CHOSEN,
            ),
        ] = None,
        par: Par = None,
        volume: Annotated[
            str | None,
            asked(
                gettext_noop("Units inspected"),
                "coluna",
                "numbers",
                when={"metodo": ("proporcoes", "tamanho_amostra")},
            ),
        ] = None,
        confianca: Confianca = None,
        proporcao: Proporcao = None,
        diferenca: Diferenca = None,
        tamanho: Tamanho = None,
        potencia: Potencia = None,
        idioma: Idioma = None,
    ) -> None:
        """Há diferença entre grupos? Contagens de categorias, proporções ou medidas, cujo teste é
        escolhido pelos dados sem metodo. normalidade e intervalo_tolerancia são de uma coluna;
        tamanho_amostra com por é de uma ANOVA; regressao é de duas colunas.
        """

    @study(
        gettext_noop("Finding a sampling plan…"),
        gettext_noop("Sampling plan"),
        prepare="sampling_study:plan_study",
        gives="nothing",
    )
    def plano_amostragem(
        self,
        context: ToolContext,
        *,
        lote: Annotated[int | None, asked(gettext_noop("Lot"), least=2)] = None,
        nqa: Annotated[float | None, asked(gettext_noop("AQL, %"), "NQA, %")] = None,
        nivel: Annotated[
            Literal["I", "II", "III", "S-1", "S-2", "S-3", "S-4"] | None,
            asked(gettext_noop("Level"), usual="II"),
        ] = None,
        severidade: Annotated[
            Literal["normal", "apertada", "reduzida"] | None,
            asked(gettext_noop("Inspection"), words=SEVERITIES, usual="normal"),
        ] = None,
        bom: Annotated[
            float | None,
            asked(gettext_noop("Instead of the AQL: accept at, %"), "% a aceitar, em vez de nqa"),
        ] = None,
        mau: Annotated[
            float | None,
            asked(gettext_noop("And reject at, %"), "% a rejeitar; sem bom, plano c = 0"),
        ] = None,
        confianca: Annotated[
            float | None,
            asked(gettext_noop("Confidence of a plan with c = 0, %"), above=0, usual=90),
        ] = None,
        caracteristica: Annotated[
            str | None,
            asked(
                gettext_noop("Characteristic, for the switching rules"),
                "cujos lotes ficam guardados e decidem a severidade",
            ),
        ] = None,
        identificacao: Annotated[
            str | None, asked(gettext_noop("Number of the lot inspected"), "do lote inspecionado")
        ] = None,
        encontradas: Annotated[
            int | None,
            asked(gettext_noop("Nonconforming found in it"), "não conformes nele", least=0),
        ] = None,
        idioma: Idioma = None,
    ) -> None:
        """Plano simples de amostragem (ISO 2859-1) e curva característica; com caracteristica,
        as regras de comutação.
        """

    async def answer(self, method: str, context: ToolContext, given: JsonObject) -> ToolOutput:
        """Compute a study for a model and a person. Raises ToolError."""
        try:
            computed = await self.compute(method, context, given)
        except ToolError:
            raise
        except UserError as error:  # what the data do not carry
            raise ToolError(str(error), field=field_of(getattr(error, "kind", ""))) from error
        return ToolOutput(computed.content, widget=computed.study, source=computed.study.source)

    async def compute(self, method: str, context: ToolContext, given: JsonObject) -> Computed:
        """Compute a study by its tool's name and arguments, which the tool has checked.

        Raises ToolError for what cannot be read, NotComputableError for what the data do not
        carry.
        """
        with speaking(str(given.get("idioma", ""))):
            return await self._answered(method, context, given)

    async def _answered(self, method: str, context: ToolContext, given: JsonObject) -> Computed:
        if method == "plano_amostragem":  # of numbers given, not of rows
            given = await self._with_lots(given)
            return await self._computed(lambda: _load(method)(given))
        if method == "carta_controlo":
            given = {**self._working_time(), **given}
            if given.get("tipo") == "auto":
                del given["tipo"]
        prepare: Prepare = await self._computing.run(_load, method)
        rows = await self._selection(context, given)
        from qhub_desktop.tools.studies.column_doubts import facts_of_column, with_known_limits

        unkept = ""
        if method == "capacidade":
            given = await self._computing.run(with_known_limits, rows, given)
            given, unkept = await self._with_demand(rows, given)
        computed = await self._computed(await prepare(rows, given, self._user))
        column = cast("str | None", given.get("coluna"))
        if method not in ("capacidade", "carta_controlo") or given.get("por") is not None:
            return computed
        facts = (*computed.study.facts, *facts_of_column(rows, column))
        doubts = (*computed.study.doubts, *filter(None, [unkept]))
        return replace(computed, study=replace(computed.study, facts=facts, doubts=doubts))

    async def _computed(self, work: Work) -> Computed:
        """Wait for work on the thread; what nobody waits for when its turn comes is not done."""
        is_awaited = True

        def run() -> Computed | None:
            if not is_awaited:
                return None
            made = work()
            self._shown.append(made)
            return made

        try:
            # A thread hears the language of the question from its context.
            computed = await self._computing.run(contextvars.copy_context().run, run)
        except asyncio.CancelledError:
            is_awaited = False
            raise
        assert computed is not None
        return computed

    async def _with_demand(self, rows: Selection, given: JsonObject) -> tuple[JsonObject, str]:
        """Keep what is demanded of a characteristic, its column; or add what was, unsaid now.

        Whoever may not set it has it for this study alone: then the sentence that says so, too.
        """
        phase = given.get("estudo") or "serie"
        from qhub_desktop.quality.findings import NotComputableError

        try:
            column = rows.measured(cast("str | None", given.get("coluna")))
        except NotComputableError:  # columns x1 to xn; what else is wrong is said when it is read
            column = ""
        key = f"demand/{phase}/{column.casefold()}"
        known, said = await self._kept.state(key), given.get("exigido")
        if said is None:
            return (given if known is None else {**given, KEPT_DEMAND: known}), ""
        if self._keeps and said != known:
            try:
                await self._kept.keep_demand(key, said)
            except SessionOverError:
                raise
            except UserError as error:
                text = _("What is demanded holds for this study alone. {why}")
                return given, text.format(why=error)
        return given, ""

    async def _with_lots(self, given: JsonObject) -> JsonObject:
        """Keep a lot that was inspected, and add those of its characteristic."""
        name = cast("str | None", given.get("caracteristica"))
        if name is None:
            return given
        key, found = f"lots/{name.strip().casefold()}", given.get("encontradas")
        if found is None:
            return {**given, KEPT_LOTS: await self._kept.state(key) or []}
        missing = [each for each in ("identificacao", "lote", "nqa") if given.get(each) is None]
        if missing:
            text = _("An inspected lot needs its number, its size and the AQL. Name {names}.")
            raise ToolError(text.format(names=", ".join(missing)), field=missing[0])
        told = ("lote", "nqa", "nivel", "encontradas")
        lot: JsonObject = {each: given[each] for each in told if given.get(each) is not None}
        lot["id"] = given["identificacao"]
        if self._keeps:
            return {**given, KEPT_LOTS: await self._kept.record_lot(key, lot)}
        return {**given, KEPT_LOTS: [*cast("list[Json]", await self._kept.state(key) or []), lot]}

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


def _guessed(profile: DatasetProfile, method: str) -> tuple[str, JsonObject]:
    from qhub_desktop.nlq.schema_index import schema_index_of
    from qhub_desktop.nlq.study_columns import fitting_study, study_input

    index = schema_index_of(profile)
    chosen = method or fitting_study(index)
    return chosen, study_input(chosen, index)


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
