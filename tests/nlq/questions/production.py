"""Production by shift and line, December 2025 to February 2026: a workbook."""

import datetime as dt

import numpy as np
import pandas as pd

from tests.nlq.questions import forms as s
from tests.nlq.questions.question import FILES, Question

NAME = "production"
FILE = "producao.xlsx"

DATE, SHIFT, LINE, CODE = "Data", "Turno", "Linha", "Referência"
MADE, BAD, AGAIN, STOP = "Produzidas", "Rejeitadas", "Retrabalho", "Paragem (min)"
CHIEF = "Chefe de turno"


def frame() -> pd.DataFrame:
    """One row a day, shift and line that ran. The last day is Friday, 27 February 2026."""
    chance = np.random.default_rng(20260227)
    closed = [*pd.date_range("2025-12-24", "2026-01-02"), pd.Timestamp("2025-12-08")]
    codes = ["PB-4410", "GR-2075", "SP-3301", "ES-1190", "PX-0520"]
    chiefs = ["João Silva", "Marta Silva", "Paulo Neves", "Helena Brito"]
    made = []
    for day in pd.bdate_range("2025-12-01", "2026-02-27").difference(closed):
        for shift, pace in (("1º Turno", 340), ("2º Turno", 315), ("3º Turno", 260)):
            ran = chance.choice([1, 2], p=[0.5, 0.5])
            for line in sorted(chance.choice(["L1", "L2", "L3"], ran, False, [0.4, 0.35, 0.25])):
                pieces = int(chance.normal(pace, 35))
                risk = 0.03 + 0.015 * (line == "L3") + 0.01 * (shift == "3º Turno")
                made.append(
                    {
                        DATE: day,
                        SHIFT: shift,
                        LINE: str(line),
                        CODE: str(chance.choice(codes, p=[0.34, 0.24, 0.2, 0.13, 0.09])),
                        MADE: pieces,
                        BAD: int(chance.binomial(pieces, risk)),
                        AGAIN: int(chance.binomial(pieces, 0.045)),
                        STOP: float(int(chance.gamma(1.3, 16))),
                        CHIEF: str(chance.choice(chiefs, p=[0.33, 0.24, 0.26, 0.17])),
                    }
                )
    table = pd.DataFrame(made)
    table.loc[[40, 171], STOP] = [240.0, 310.0]
    table.loc[chance.choice(len(table), 6, replace=False), STOP] = None
    table.loc[chance.choice(len(table), 4, replace=False), CHIEF] = None
    return table


def write() -> None:
    """Writes the workbook, the same bytes each time."""
    FILES.mkdir(exist_ok=True)
    with pd.ExcelWriter(
        FILES / FILE, engine="xlsxwriter", datetime_format="dd/mm/yyyy"
    ) as workbook:
        frame().to_excel(workbook, sheet_name="Produção", index=False)
        workbook.book.set_properties({"created": dt.datetime(2026, 3, 2, 8)})


DECEMBER, JANUARY = ["2025-12-01", "2025-12-31"], ["2026-01-01", "2026-01-31"]
FEBRUARY = ["2026-02-01", "2026-02-28"]

QUESTIONS: tuple[Question, ...] = (
    # Sums and other single numbers.
    Question(
        "pt-PT",
        "quantas peças produzimos em janeiro?",
        {"measure": f"sum:{MADE}", "period": JANUARY},
        lambda d: s.number(d.loc[d[DATE].dt.month == 1, MADE].sum()),
    ),
    Question(
        "pt-PT",
        "total de rejeitadas na L3",
        {"measure": f"sum:{BAD}", "filters": [[LINE, "is", ["L3"]]]},
        lambda d: s.number(d.loc[d[LINE] == "L3", BAD].sum()),
    ),
    Question(
        "en",
        "how many minutes were we stopped last week?",
        {"measure": f"sum:{STOP}", "period": ["2026-02-16", "2026-02-22"]},
        lambda d: s.number(d[d[DATE].dt.isocalendar().week == 8][STOP].sum()),
    ),
    Question(
        "pt-BR",
        "quantas peças foram retrabalhadas ontem?",
        {"measure": f"sum:{AGAIN}", "period": ["2026-02-26", "2026-02-26"]},
        lambda d: s.number(d.loc[d[DATE] == "2026-02-26", AGAIN].sum()),
    ),
    Question(
        "pt-PT",
        "taxa de rejeição global",
        {"measure": f"rate:{BAD}/{MADE}"},
        lambda d: s.number(100 * d[BAD].sum() / d[MADE].sum()),
    ),
    Question(
        "en",
        "reject rate for GR-2075 in February",
        {
            "measure": f"rate:{BAD}/{MADE}",
            "filters": [[CODE, "is", ["GR-2075"]]],
            "period": FEBRUARY,
        },
        lambda d: s.number(
            100
            * d.loc[(d[CODE] == "GR-2075") & (d[DATE].dt.month == 2), BAD].sum()
            / d.loc[(d[CODE] == "GR-2075") & (d[DATE].dt.month == 2), MADE].sum()
        ),
    ),
    Question(
        "pt-PT",
        "média de paragem no 3º turno",
        {"measure": f"mean:{STOP}", "filters": [[SHIFT, "is", ["3º Turno"]]]},
        lambda d: s.number(d.loc[d[SHIFT] == "3º Turno", STOP].mean()),
    ),
    Question(
        "en",
        "longest stop this month",
        {"measure": f"max:{STOP}", "period": FEBRUARY},
        lambda d: s.number(d.loc[d[DATE] >= "2026-02-01", STOP].max()),
    ),
    Question(
        "pt-PT",
        "mediana das produzidas na ref PB-4410",
        {"measure": f"median:{MADE}", "filters": [[CODE, "is", ["PB-4410"]]]},
        lambda d: s.number(d[d[CODE] == "PB-4410"][MADE].median()),
    ),
    Question(
        "pt-BR",
        "qual o mínimo de peças produzidas no primeiro turno",
        {"measure": f"min:{MADE}", "filters": [[SHIFT, "is", ["1º Turno"]]]},
        lambda d: s.number(d[d[SHIFT] == "1º Turno"][MADE].min()),
    ),
    Question(
        "en",
        "std dev of produzidas on line 2",
        {"measure": f"std:{MADE}", "filters": [[LINE, "is", ["L2"]]]},
        lambda d: s.number(np.std(d.loc[d[LINE] == "L2", MADE], ddof=1)),
    ),
    Question(
        "pt-PT",
        "quantas referências diferentes passaram na L1 em dezembro",
        {
            "measure": f"distinct:{CODE}",
            "filters": [[LINE, "is", ["L1"]]],
            "period": DECEMBER,
        },
        lambda d: s.number(d[(d[LINE] == "L1") & (d[DATE].dt.year == 2025)][CODE].nunique()),
    ),
    Question(
        "en",
        "what part references do we have?",
        {"measure": f"distinct:{CODE}"},
        lambda d: s.names(set(d[CODE])),
    ),
    # Limits.
    Question(
        "pt-BR",
        "em quantos registros a paragem passou de 60 minutos?",
        {"measure": "count", "filters": [[STOP, "above", [60]]]},
        lambda d: s.number((d[STOP] > 60).sum()),
    ),
    Question(
        "pt-PT",
        "mostra-me os registos com 20 ou mais rejeitadas na linha 3",
        {"measure": "rows", "filters": [[BAD, "at least", [20]], [LINE, "is", ["L3"]]]},
        lambda d: s.rows(d[(d[BAD] >= 20) & (d[LINE] == "L3")]),
    ),
    Question(
        "en",
        "list records with production under 220",
        {"measure": "rows", "filters": [[MADE, "below", [220]]]},
        lambda d: s.rows(d[d[MADE] < 220]),
    ),
    Question(
        "pt-PT",
        "quantas vezes o retrabalho ficou entre 10 e 15 peças",
        {"measure": "count", "filters": [[AGAIN, "between", [10, 15]]]},
        lambda d: s.number(((d[AGAIN] >= 10) & (d[AGAIN] <= 15)).sum()),
    ),
    Question(
        "en",
        "total rejeitadas when paragem is more than 45 min, by line",
        {"measure": f"sum:{BAD}", "group": [LINE], "filters": [[STOP, "above", [45]]]},
        lambda d: s.pairs(d[d[STOP] > 45].groupby(LINE)[BAD].sum()),
    ),
    Question(
        "pt-BR",
        "me mostra os registros com paragem igual a 0",
        {"measure": "rows", "filters": [[STOP, "is", [0]]]},
        lambda d: s.rows(d[d[STOP] == 0]),
    ),
    # Values.
    Question(
        "pt-PT",
        "produção total da Helena e do Paulo",
        {"measure": f"sum:{MADE}", "filters": [[CHIEF, "is", ["Helena Brito", "Paulo Neves"]]]},
        lambda d: s.number(d.loc[d[CHIEF].isin(["Helena Brito", "Paulo Neves"]), MADE].sum()),
    ),
    Question(
        "pt-PT",
        "rejeitadas por referencia exceto a PX-0520",
        {"measure": f"sum:{BAD}", "group": [CODE], "filters": [[CODE, "is not", ["PX-0520"]]]},
        lambda d: s.pairs(d.groupby(CODE)[BAD].sum().drop("PX-0520")),
    ),
    Question(
        "en",
        "pieces produced in January on everything but line 1",
        {
            "measure": f"sum:{MADE}",
            "filters": [[LINE, "is not", ["L1"]]],
            "period": JANUARY,
        },
        lambda d: s.number(d.loc[(d[LINE] != "L1") & (d[DATE].dt.month == 1), MADE].sum()),
    ),
    Question(
        "pt-PT",
        "retrabalho do joao silva no 2 turno",
        {
            "measure": f"sum:{AGAIN}",
            "filters": [[CHIEF, "is", ["João Silva"]], [SHIFT, "is", ["2º Turno"]]],
        },
        lambda d: s.number(
            d.loc[(d[CHIEF] == "João Silva") & (d[SHIFT] == "2º Turno"), AGAIN].sum()
        ),
    ),
    # Time.
    Question(
        "pt-PT",
        "quantas pecas se fizeram esta semana",
        {"measure": f"sum:{MADE}", "period": ["2026-02-23", "2026-03-01"]},
        lambda d: s.number(d.loc[d[DATE] >= "2026-02-23", MADE].sum()),
    ),
    Question(
        "en",
        "rejects from 5 to 9 January",
        {"measure": f"sum:{BAD}", "period": ["2026-01-05", "2026-01-09"]},
        lambda d: s.number(s.span(d, DATE, "2026-01-05", "2026-01-09")[BAD].sum()),
    ),
    Question(
        "pt-PT",
        "produção de dezembro de 2025 por linha",
        {"measure": f"sum:{MADE}", "group": [LINE], "period": DECEMBER},
        lambda d: s.pairs(d[d[DATE] < "2026-01-01"].groupby(LINE)[MADE].sum()),
    ),
    Question(
        "pt-PT",
        "paragens nos últimos 30 dias por chefe de turno, em minutos",
        {
            "measure": f"sum:{STOP}",
            "group": [CHIEF],
            "period": ["2026-01-29", "2026-02-27"],
        },
        lambda d: s.pairs(d[d[DATE] >= "2026-01-29"].groupby(CHIEF)[STOP].sum()),
    ),
    Question(
        "pt-BR",
        "qual a média de rejeitadas de segunda?",
        {"measure": f"mean:{BAD}", "filters": [[f"{DATE}@weekday", "is", ["1"]]]},
        lambda d: s.number(d.loc[d[DATE].dt.day_name() == "Monday", BAD].mean()),
    ),
    Question(
        "en",
        "production on Fridays per shift",
        {
            "measure": f"sum:{MADE}",
            "group": [SHIFT],
            "filters": [[f"{DATE}@weekday", "is", ["5"]]],
        },
        lambda d: s.pairs(d[d[DATE].dt.day_name() == "Friday"].groupby(SHIFT)[MADE].sum()),
    ),
    Question(
        "pt-PT",
        "hoje quantas rejeitadas já temos por turno?",
        {"measure": f"sum:{BAD}", "group": [SHIFT], "period": ["2026-02-27", "2026-02-27"]},
        lambda d: s.pairs(d[d[DATE] == d[DATE].max()].groupby(SHIFT)[BAD].sum()),
    ),
    # Groups.
    Question(
        "pt-PT",
        "produzidas por mês num gráfico de barras",
        {"measure": f"sum:{MADE}", "group": [f"{DATE}@month"], "chart": "bar"},
        lambda d: s.pairs(d.groupby(s.month(d[DATE]))[MADE].sum()),
    ),
    Question(
        "en",
        "reject rate by line",
        {"measure": f"rate:{BAD}/{MADE}", "group": [LINE]},
        lambda d: s.pairs(100 * d.groupby(LINE)[BAD].sum() / d.groupby(LINE)[MADE].sum()),
    ),
    Question(
        "pt-PT",
        "taxa de retrabalho por turno",
        {"measure": f"rate:{AGAIN}/{MADE}", "group": [SHIFT]},
        lambda d: s.pairs(
            d.groupby(SHIFT)[[AGAIN, MADE]].sum().pipe(lambda t: 100 * t[AGAIN] / t[MADE])
        ),
    ),
    Question(
        "en",
        "total rework by reference and shift",
        {"measure": f"sum:{AGAIN}", "group": [CODE, SHIFT]},
        lambda d: s.cross(d.groupby([CODE, SHIFT])[AGAIN].sum()),
    ),
    Question(
        "pt-PT",
        "evolução semanal da taxa de rejeição",
        {"measure": f"rate:{BAD}/{MADE}", "group": [f"{DATE}@week"]},
        lambda d: s.pairs(
            d.groupby(s.week(d[DATE]))[[BAD, MADE]].sum().pipe(lambda t: 100 * t[BAD] / t[MADE])
        ),
    ),
    Question(
        "pt-BR",
        "média de produzidas por dia da semana",
        {"measure": f"mean:{MADE}", "group": [f"{DATE}@weekday"]},
        lambda d: s.pairs(d.groupby(s.weekday(d[DATE]))[MADE].mean()),
    ),
    Question(
        "en",
        "cumulative production per day in February",
        {
            "measure": f"sum:{MADE}",
            "group": [f"{DATE}@day"],
            "period": FEBRUARY,
            "cumulative": True,
        },
        lambda d: s.pairs(d[d[DATE] >= "2026-02-01"].groupby(DATE)[MADE].sum().cumsum()),
    ),
    # Rankings and shares.
    Question(
        "pt-PT",
        "que chefe de turno tem mais peças rejeitadas?",
        {"measure": f"sum:{BAD}", "group": [CHIEF], "top": 1, "order": "most"},
        lambda d: s.top(d.groupby(CHIEF)[BAD].sum(), 1),
    ),
    Question(
        "en",
        "top 3 references by production",
        {"measure": f"sum:{MADE}", "group": [CODE], "top": 3, "order": "most"},
        lambda d: s.top(d.groupby(CODE)[MADE].sum(), 3),
    ),
    Question(
        "pt-PT",
        "os 5 dias com mais tempo parado",
        {"measure": f"sum:{STOP}", "group": [f"{DATE}@day"], "top": 5, "order": "most"},
        lambda d: s.top(d.groupby(DATE)[STOP].sum(), 5),
    ),
    Question(
        "en",
        "which line has the lowest reject rate?",
        {"measure": f"rate:{BAD}/{MADE}", "group": [LINE], "top": 1, "order": "least"},
        lambda d: s.top(
            100 * d.groupby(LINE)[BAD].sum() / d.groupby(LINE)[MADE].sum(), 1, least=True
        ),
    ),
    Question(
        "pt-PT",
        "pareto das rejeitadas por referência",
        {
            "measure": f"sum:{BAD}",
            "group": [CODE],
            "order": "most",
            "cumulative": True,
            "chart": "pareto",
        },
        lambda d: s.top(d.groupby(CODE)[BAD].sum()),
    ),
    Question(
        "en",
        "what percent of the records are 3º turno?",
        {"measure": "share", "filters": [[SHIFT, "is", ["3º Turno"]]]},
        lambda d: s.number(100 * d[SHIFT].eq("3º Turno").sum() / len(d)),
    ),
    # Comparing.
    Question(
        "pt-PT",
        "compara as produzidas da L1 com as da L2 este mês",
        {
            "measure": f"sum:{MADE}",
            "group": [LINE],
            "filters": [[LINE, "is", ["L1", "L2"]]],
            "period": FEBRUARY,
            "compare": True,
        },
        lambda d: s.pairs(d[d[DATE].dt.month == 2].groupby(LINE)[MADE].sum()[["L1", "L2"]]),
    ),
    Question(
        "en",
        "Paulo Neves vs Helena Brito reject rate",
        {
            "measure": f"rate:{BAD}/{MADE}",
            "group": [CHIEF],
            "filters": [[CHIEF, "is", ["Paulo Neves", "Helena Brito"]]],
            "compare": True,
        },
        lambda d: s.pairs(
            (100 * d.groupby(CHIEF)[BAD].sum() / d.groupby(CHIEF)[MADE].sum())[
                ["Paulo Neves", "Helena Brito"]
            ]
        ),
    ),
    # How values lie, and the table itself.
    Question(
        "en",
        "is downtime correlated with rejects?",
        {"measure": f"correlation:{STOP},{BAD}"},
        lambda d: s.number(d[STOP].corr(d[BAD])),
    ),
    Question(
        "pt-PT",
        "paragens fora do comum, há? procura os outliers",
        {"measure": f"outliers:{STOP}"},
        lambda d: s.number(s.far(d[STOP]).sum()),
    ),
    Question(
        "pt-PT",
        "caixa de bigodes das produzidas por turno",
        {"measure": f"values:{MADE}", "group": [SHIFT], "chart": "box"},
        lambda d: s.rows(d[d[MADE].notna()]),
    ),
    Question(
        "en", "how many rows in the sheet?", {"measure": "count"}, lambda d: s.number(d.shape[0])
    ),
    Question(
        "pt-PT",
        "faz um resumo dos dados",
        {"measure": "describe"},
        s.rows,
    ),
    Question("en", "which columns have blanks?", {"measure": "missing"}, s.gaps),
    # Going on from what was said.
    Question(
        "pt-PT",
        "e a taxa?",
        {"measure": f"rate:{BAD}/{MADE}", "group": [LINE]},
        lambda d: s.pairs(
            d.groupby(LINE)[[BAD, MADE]].sum().pipe(lambda t: 100 * t[BAD] / t[MADE])
        ),
        before=("quantas rejeitadas por linha?",),
    ),
    Question(
        "pt-PT",
        "e no mes anterior?",
        {"measure": f"sum:{STOP}", "group": [LINE], "period": JANUARY},
        lambda d: s.pairs(d[d[DATE].dt.month == 1].groupby(LINE)[STOP].sum()),
        before=("minutos de paragem por linha este mês",),
    ),
    Question(
        "en",
        "same but rework",
        {"measure": f"sum:{AGAIN}", "group": [CHIEF], "period": JANUARY},
        lambda d: s.pairs(d[d[DATE].dt.month == 1].groupby(CHIEF)[AGAIN].sum()),
        before=("rejeitadas by shift chief", "only January"),
    ),
    Question(
        "pt-BR",
        "coloca em linhas",
        {"measure": f"sum:{MADE}", "group": [f"{DATE}@week"], "chart": "line"},
        lambda d: s.pairs(d.groupby(s.week(d[DATE]))[MADE].sum()),
        before=("produção por semana",),
    ),
    Question(
        "pt-PT",
        "ordena do maior para o menor",
        {"measure": f"sum:{AGAIN}", "group": [CODE], "sort": "value", "order": "most"},
        lambda d: s.top(d.groupby(CODE)[AGAIN].sum()),
        before=("retrabalho por referência",),
    ),
    Question(
        "en",
        "undo that",
        {"measure": f"sum:{MADE}", "group": [SHIFT]},
        lambda d: s.pairs(d.groupby(SHIFT)[MADE].sum()),
        before=("production by shift", "only L2"),
    ),
    Question(
        "pt-PT",
        "e só a L2?",
        {
            "measure": f"sum:{MADE}",
            "group": [SHIFT],
            "filters": [[LINE, "is", ["L2"]]],
            "period": ["2026-02-16", "2026-02-22"],
        },
        lambda d: s.pairs(
            s.span(d[d[LINE] == "L2"], DATE, "2026-02-16", "2026-02-22").groupby(SHIFT)[MADE].sum()
        ),
        before=("produção por turno", "na semana passada"),
    ),
    # Nothing that is there.
    Question("pt-PT", "qual foi o OEE da L1?", {"words": ["OEE"]}, expect="decline"),
    Question("en", "production by customer", {"words": ["customer"]}, expect="decline"),
    Question("pt-PT", "rejeitadas da linha 5", {"words": ["linha 5"]}, expect="decline"),
    Question("en", "why did we stop so long on Tuesday?", {"words": ["why"]}, expect="decline"),
    Question(
        "pt-BR",
        "quanto vamos produzir na semana que vem?",
        {"words": ["vamos produzir", "semana que vem"]},
        expect="decline",
    ),
    Question(
        "en", "where do we get a decent pizza around here?", {"words": ["pizza"]}, expect="decline"
    ),
    # More than one honest reading.
    Question(
        "pt-PT",
        "quantas linhas há?",
        {"words": ["linhas", "registos da tabela", f"valores de {LINE}"]},
        expect="ask",
    ),
    Question(
        "en",
        "average by line",
        {"words": ["average", MADE, BAD, AGAIN, STOP]},
        expect="ask",
    ),
    Question(
        "pt-PT",
        "produzidas do Silva",
        {"words": ["Silva", "João Silva", "Marta Silva"]},
        expect="ask",
    ),
    # Talk.
    Question("pt-PT", "até amanhã", {"talk": "goodbye"}, expect="talk"),
    Question("en", "thx mate", {"talk": "thanks"}, expect="talk"),
    Question("pt-PT", "como é que isto funciona?", {"talk": "help"}, expect="talk"),
)
