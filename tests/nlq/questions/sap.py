"""An export from SAP with the headers SAP gives, asked about as people on the floor speak."""

import numpy as np
import pandas as pd

from tests.nlq.questions import forms
from tests.nlq.questions.question import FILES, Question

NAME = "sap"
FILE = "export_sap.csv"

ORDER, DATE, CODE, LABEL, BAD, GOOD, PLACE, PART, USER, NOTE = (
    "Nº OF",
    "DT_LANC",
    "COD_DEF",
    "DENOM.DEF",
    "QTD_REJ",
    "QTD BOA",
    "CENTRO TRAB",
    "Mat.",
    "UTILIZ",
    "Obs",
)
LAST = pd.Timestamp("2026-02-26")  # a Thursday, in week 9

LABELS = {
    "CRAT": "Cratera",
    "LIXO": "Inclusão lixo",
    "ESCOR": "Escorrido",
    "FTINT": "Falta tinta",
    "RISC": "Risco",
    "CLAR": "Casca laranja",
}


def frame() -> pd.DataFrame:
    """About 260 postings of January and February 2026, one a defect and a production order."""
    draw = np.random.default_rng(20260226)
    days = pd.bdate_range("2026-01-05", LAST)
    weight = np.where(days.month == 2, 1.3, 1.0) * np.where(days.day_of_week == 4, 0.6, 1.0)
    weight = np.where(days >= pd.Timestamp("2026-02-24"), 1.9, weight)
    total = 257
    dates = pd.Series(draw.choice(days, total, p=weight / weight.sum())).sort_values()
    codes = draw.choice(list(LABELS), total, p=[0.26, 0.23, 0.19, 0.14, 0.1, 0.08])
    bad = 1 + draw.negative_binomial(2, 0.2, total)
    bad[draw.choice(total, 4, replace=False)] += 45
    made = pd.DataFrame(
        {
            ORDER: 1000300 + np.sort(draw.integers(0, 90, total)),
            DATE: dates.to_numpy(),
            CODE: codes,
            LABEL: [LABELS[code] for code in codes],
            BAD: bad,
            GOOD: draw.integers(40, 260, total) + 3 * bad,
            PLACE: draw.choice(
                ["PINT01", "PINT02", "VERN01", "RETOQ"], total, p=[0.4, 0.3, 0.18, 0.12]
            ),
            PART: draw.choice(
                ["M-10417", "M-10418", "M-20733", "M-20950", "M-31002"],
                total,
                p=[0.32, 0.26, 0.2, 0.14, 0.08],
            ),
            USER: draw.choice(
                ["JSILVA", "MCOSTA", "RPINTO", "ALOPES", "TFARIA"],
                total,
                p=[0.33, 0.26, 0.19, 0.14, 0.08],
            ),
            NOTE: draw.choice(
                ["", "retrabalhar", "sucata", "aguarda qualidade", "cliente avisado"],
                total,
                p=[0.6, 0.16, 0.12, 0.08, 0.04],
            ),
        }
    )
    made[NOTE] = made[NOTE].replace("", None)
    made.loc[draw.choice(total, 5, replace=False), PART] = None
    made.loc[draw.choice(total, 4, replace=False), USER] = None
    made.loc[draw.choice(np.arange(20, 200), 3, replace=False), DATE] = pd.NaT
    again = made.iloc[[12, 77, 160]]
    return pd.concat([made, again]).reset_index(drop=True)


def write() -> None:
    """The export, with semicolons and Portuguese dates."""
    FILES.mkdir(exist_ok=True)
    frame().to_csv(
        FILES / FILE,
        sep=";",
        index=False,
        date_format="%d/%m/%Y",
        encoding="utf-8-sig",
        lineterminator="\n",
    )


def _from_to(d: pd.DataFrame, first: str, last: str) -> pd.DataFrame:
    """The rows of a period, both ends in it."""
    return d[(d[DATE] >= pd.Timestamp(first)) & (d[DATE] <= pd.Timestamp(last))]


QUESTIONS: tuple[Question, ...] = (
    # Counts, sums and filters by value.
    Question(
        "pt-PT",
        "quantas linhas tem o ficheiro?",
        {"measure": "count"},
        lambda d: forms.number(d.shape[0]),
    ),
    Question(
        "pt-PT",
        "qts lançamentos de cratera",
        {"measure": "count", "filters": [[LABEL, "is", ["Cratera"]]]},
        lambda d: forms.number((d[LABEL] == "Cratera").sum()),
    ),
    Question(
        "pt-PT",
        "total de peças rejeitadas",
        {"measure": f"sum:{BAD}"},
        lambda d: forms.number(d[BAD].sum()),
    ),
    Question(
        "pt-PT",
        "quantas boas saíram da PINT02?",
        {"measure": f"sum:{GOOD}", "filters": [[PLACE, "is", ["PINT02"]]]},
        lambda d: forms.number(d.loc[d[PLACE] == "PINT02", GOOD].sum()),
    ),
    Question(
        "pt-PT",
        "rejeitadas por escorrido na pint01",
        {
            "measure": f"sum:{BAD}",
            "filters": [[LABEL, "is", ["Escorrido"]], [PLACE, "is", ["PINT01"]]],
        },
        lambda d: forms.number(d[(d[LABEL] == "Escorrido") & (d[PLACE] == "PINT01")][BAD].sum()),
    ),
    Question(
        "pt-PT",
        "quantos lançamentos fez o jsilva?",
        {"measure": "count", "filters": [[USER, "is", ["JSILVA"]]]},
        lambda d: forms.number((d[USER] == "JSILVA").sum()),
    ),
    Question(
        "pt-BR",
        "quantas peças foram rejeitadas por falta de tinta?",
        {"measure": f"sum:{BAD}", "filters": [[LABEL, "is", ["Falta tinta"]]]},
        lambda d: forms.number(d.loc[d[CODE] == "FTINT", BAD].sum()),
    ),
    Question(
        "pt-BR",
        "me mostra os registros com obs sucata",
        {"measure": "rows", "filters": [[NOTE, "is", ["sucata"]]]},
        lambda d: forms.rows(d[d[NOTE] == "sucata"]),
    ),
    Question(
        "pt-PT",
        "qtd rejeitada sem contar com o LIXO",
        {"measure": f"sum:{BAD}", "filters": [[CODE, "is not", ["LIXO"]]]},
        lambda d: forms.number(d[BAD].sum() - d.loc[d[CODE] == "LIXO", BAD].sum()),
    ),
    Question(
        "pt-PT",
        "soma das rejeitadas em CRAT e RISC",
        {"measure": f"sum:{BAD}", "filters": [[CODE, "is", ["CRAT", "RISC"]]]},
        lambda d: forms.number(d[d[CODE].isin(["CRAT", "RISC"])][BAD].sum()),
    ),
    Question(
        "en",
        "how many entries for material M-10417, work centre PINT02 only",
        {
            "measure": "count",
            "filters": [[PART, "is", ["M-10417"]], [PLACE, "is", ["PINT02"]]],
        },
        lambda d: forms.number(((d[PART] == "M-10417") & (d[PLACE] == "PINT02")).sum()),
    ),
    Question(
        "pt-PT",
        "mostra-me tudo da OF 1000348",
        {"measure": "rows", "filters": [[ORDER, "is", [1000348]]]},
        lambda d: forms.rows(d[d[ORDER] == 1000348]),
    ),
    Question(
        "pt-BR",
        "quantas ordens de fabricação diferentes tem aqui?",
        {"measure": f"distinct:{ORDER}"},
        lambda d: forms.number(d[ORDER].nunique()),
    ),
    # Filters by number.
    Question(
        "pt-PT",
        "quantos registos têm mais de 20 rejeitadas?",
        {"measure": "count", "filters": [[BAD, "above", [20]]]},
        lambda d: forms.number((d[BAD] > 20).sum()),
    ),
    Question(
        "en",
        "rejected qty between 5 and 10, how many records?",
        {"measure": "count", "filters": [[BAD, "between", [5, 10]]]},
        lambda d: forms.number(d[BAD].isin(range(5, 11)).sum()),
    ),
    Question(
        "en",
        "list the rows with at least 30 rejects",
        {"measure": "rows", "filters": [[BAD, "at least", [30]]]},
        lambda d: forms.rows(d[d[BAD] >= 30]),
    ),
    Question(
        "pt-PT",
        "quantos lançamentos da VERN01 com menos de 100 boas?",
        {
            "measure": "count",
            "filters": [[PLACE, "is", ["VERN01"]], [GOOD, "below", [100]]],
        },
        lambda d: forms.number((d[d[PLACE] == "VERN01"][GOOD] < 100).sum()),
    ),
    # Time.
    Question(
        "pt-PT",
        "rejeitadas ontem?",
        {"measure": f"sum:{BAD}", "period": ["2026-02-25", "2026-02-25"]},
        lambda d: forms.number(d.loc[d[DATE] == "2026-02-25", BAD].sum()),
    ),
    Question(
        "pt-PT",
        "quantas peças boas hoje",
        {"measure": f"sum:{GOOD}", "period": ["2026-02-26", "2026-02-26"]},
        lambda d: forms.number(d.loc[d[DATE] == LAST, GOOD].sum()),
    ),
    Question(
        "pt-PT",
        "total rejeitado na semana 7",
        {"measure": f"sum:{BAD}", "period": ["2026-02-09", "2026-02-15"]},
        lambda d: forms.number(d.loc[d[DATE].dt.isocalendar().week == 7, BAD].sum()),
    ),
    Question(
        "pt-PT",
        "qtd rejeitada de 10 a 15/02 na PINT01",
        {
            "measure": f"sum:{BAD}",
            "filters": [[PLACE, "is", ["PINT01"]]],
            "period": ["2026-02-10", "2026-02-15"],
        },
        lambda d: forms.number(
            _from_to(d, "2026-02-10", "2026-02-15").groupby(PLACE)[BAD].sum()["PINT01"]
        ),
    ),
    Question(
        "pt-PT",
        "kuantas rejeitadas do rpinto em janeiro",
        {
            "measure": f"sum:{BAD}",
            "filters": [[USER, "is", ["RPINTO"]]],
            "period": ["2026-01-01", "2026-01-31"],
        },
        lambda d: forms.number(d.loc[(d[USER] == "RPINTO") & (d[DATE].dt.month == 1), BAD].sum()),
    ),
    Question(
        "pt-BR",
        "quantos registros a gente teve na semana passada?",
        {"measure": "count", "period": ["2026-02-16", "2026-02-22"]},
        lambda d: forms.number(len(_from_to(d, "2026-02-16", "2026-02-22"))),
    ),
    Question(
        "pt-PT",
        "peças rejeitadas nos ultimos 7 dias",
        {"measure": f"sum:{BAD}", "period": ["2026-02-20", "2026-02-26"]},
        lambda d: forms.number(_from_to(d, "2026-02-20", "2026-02-26")[BAD].sum()),
    ),
    Question(
        "en",
        "good pieces so far this month",
        {"measure": f"sum:{GOOD}", "period": ["2026-02-01", "2026-02-28"]},
        lambda d: forms.number(d[d[DATE].dt.month == 2][GOOD].sum()),
    ),
    Question(
        "pt-PT",
        "desde dia 16 quantas rejeitadas no retoque?",
        {
            "measure": f"sum:{BAD}",
            "filters": [[PLACE, "is", ["RETOQ"]]],
            "period": ["2026-02-16", "2026-02-26"],
        },
        lambda d: forms.number(d[(d[DATE] >= "2026-02-16") & (d[PLACE] == "RETOQ")][BAD].sum()),
    ),
    Question(
        "pt-PT",
        "Quantos lançamentos foram feitos até 9 de janeiro?",
        {"measure": "count", "period": ["2026-01-05", "2026-01-09"]},
        lambda d: forms.number((d[DATE] < "2026-01-10").sum()),
    ),
    Question(
        "pt-BR",
        "de sexta, quantas peças são rejeitadas no total?",
        {"measure": f"sum:{BAD}", "filters": [[f"{DATE}@weekday", "is", ["5"]]]},
        lambda d: forms.number(d[d[DATE].dt.day_name() == "Friday"][BAD].sum()),
    ),
    # Groupings.
    Question(
        "pt-PT",
        "rejeitadas por centro de trabalho",
        {"measure": f"sum:{BAD}", "group": [PLACE]},
        lambda d: forms.pairs(d.groupby(PLACE)[BAD].sum()),
    ),
    Question(
        "pt-PT",
        "qtd rejeitada por código de defeito, do maior para o menor",
        {"measure": f"sum:{BAD}", "group": [CODE], "order": "most"},
        lambda d: forms.top(d.groupby(CODE)[BAD].sum()),
    ),
    Question(
        "en",
        "good quantity by material",
        {"measure": f"sum:{GOOD}", "group": [PART]},
        lambda d: forms.pairs(d.groupby(PART)[GOOD].sum()),
    ),
    Question(
        "pt-PT",
        "evolução semanal das rejeitadas",
        {"measure": f"sum:{BAD}", "group": [f"{DATE}@week"]},
        lambda d: forms.pairs(d.groupby(forms.week(d[DATE]))[BAD].sum()),
    ),
    Question(
        "pt-PT",
        "tabela com código de defeito por centro de trabalho",
        {"measure": "count", "group": [CODE, PLACE]},
        lambda d: forms.cross(d.groupby([CODE, PLACE]).size()),
    ),
    Question(
        "en",
        "rejected parts per month and user",
        {"measure": f"sum:{BAD}", "group": [f"{DATE}@month", USER]},
        lambda d: forms.cross(d.groupby([forms.month(d[DATE]), USER])[BAD].sum()),
    ),
    Question(
        "pt-BR",
        "qual a média de peças rejeitadas por centro?",
        {"measure": f"mean:{BAD}", "group": [PLACE]},
        lambda d: forms.pairs(d.groupby(PLACE)[BAD].mean()),
    ),
    Question(
        "pt-PT",
        "lançamentos por observação, só VERN01",
        {"measure": "count", "group": [NOTE], "filters": [[PLACE, "is", ["VERN01"]]]},
        lambda d: forms.pairs(d[d[PLACE] == "VERN01"][NOTE].value_counts()),
    ),
    # First and last of a ranking.
    Question(
        "pt-PT",
        "top 3 denominações de defeito em qtd rejeitada",
        {"measure": f"sum:{BAD}", "group": [LABEL], "top": 3, "order": "most"},
        lambda d: forms.top(d.groupby(LABEL)[BAD].sum(), 3),
    ),
    Question(
        "pt-PT",
        "os 5 dias com mais rejeitadas",
        {"measure": f"sum:{BAD}", "group": [f"{DATE}@day"], "top": 5, "order": "most"},
        lambda d: forms.top(d.groupby(DATE)[BAD].sum(), 5),
    ),
    Question(
        "en",
        "who booked the fewest entries?",
        {"measure": "count", "group": [USER], "top": 1, "order": "least"},
        lambda d: forms.top(d[USER].value_counts(), 1, least=True),
    ),
    # Shares and rates.
    Question(
        "pt-PT",
        "que percentagem dos lançamentos é LIXO?",
        {"measure": "share", "filters": [[CODE, "is", ["LIXO"]]]},
        lambda d: forms.number(100 * (d[CODE] == "LIXO").mean()),
    ),
    Question(
        "pt-PT",
        "peso de cada centro de trabalho nos lançamentos, em %",
        {"measure": "share", "group": [PLACE]},
        lambda d: forms.pairs(100 * d.groupby(PLACE).size() / len(d)),
    ),
    Question(
        "pt-PT",
        "rácio de rejeitadas sobre boas",
        {"measure": f"rate:{BAD}/{GOOD}"},
        lambda d: forms.number(100 * d[BAD].sum() / d[GOOD].sum()),
    ),
    Question(
        "pt-PT",
        "taxa rejeitadas/boas por centro de trabalho",
        {"measure": f"rate:{BAD}/{GOOD}", "group": [PLACE]},
        lambda d: forms.pairs(100 * d.groupby(PLACE)[BAD].sum() / d.groupby(PLACE)[GOOD].sum()),
    ),
    Question(
        "en",
        "ratio of rejected to good for PINT02 in february",
        {
            "measure": f"rate:{BAD}/{GOOD}",
            "filters": [[PLACE, "is", ["PINT02"]]],
            "period": ["2026-02-01", "2026-02-28"],
        },
        lambda d: forms.number(
            100
            * d[(d[PLACE] == "PINT02") & (d[DATE].dt.month == 2)][BAD].sum()
            / d[(d[PLACE] == "PINT02") & (d[DATE].dt.month == 2)][GOOD].sum()
        ),
    ),
    # Statistics.
    Question(
        "pt-PT",
        "desvio padrao das rejeitadas na PINT01",
        {"measure": f"std:{BAD}", "filters": [[PLACE, "is", ["PINT01"]]]},
        lambda d: forms.number(d.loc[d[PLACE] == "PINT01", BAD].std(ddof=1)),
    ),
    Question(
        "en",
        "biggest rejected qty on a single posting by MCOSTA",
        {"measure": f"max:{BAD}", "filters": [[USER, "is", ["MCOSTA"]]]},
        lambda d: forms.number(d.loc[d[USER] == "MCOSTA", BAD].max()),
    ),
    # Comparisons and charts.
    Question(
        "pt-PT",
        "compara a PINT01 com a PINT02 em peças rejeitadas",
        {
            "measure": f"sum:{BAD}",
            "group": [PLACE],
            "filters": [[PLACE, "is", ["PINT01", "PINT02"]]],
            "compare": True,
        },
        lambda d: forms.pairs(
            d[d[PLACE].str.startswith("PINT")].groupby(PLACE)[BAD].sum(),
        ),
    ),
    Question(
        "pt-PT",
        "pareto dos códigos de defeito",
        {
            "measure": "count",
            "group": [CODE],
            "order": "most",
            "cumulative": True,
            "chart": "pareto",
        },
        lambda d: forms.top(d[CODE].value_counts()),
    ),
    Question(
        "pt-PT",
        "acumulado de rejeitadas por semana em fevereiro",
        {
            "measure": f"sum:{BAD}",
            "group": [f"{DATE}@week"],
            "period": ["2026-02-01", "2026-02-28"],
            "cumulative": True,
        },
        lambda d: forms.pairs(
            d[d[DATE].dt.month == 2].groupby(forms.week(d[DATE]))[BAD].sum().cumsum()
        ),
    ),
    Question(
        "en",
        "are rejects and good qty correlated?",
        {"measure": f"correlation:{BAD},{GOOD}"},
        lambda d: forms.number(np.corrcoef(d[BAD], d[GOOD])[0, 1]),
    ),
    Question(
        "pt-PT",
        "há valores fora do normal na qtd rejeitada",
        {"measure": f"outliers:{BAD}"},
        lambda d: forms.rows(d[forms.far(d[BAD])]),
    ),
    Question(
        "pt-PT",
        "onde é que faltam dados?",
        {"measure": "missing"},
        forms.gaps,
    ),
    Question(
        "pt-BR",
        "que colunas tem essa planilha?",
        {"measure": "columns"},
        lambda d: forms.names(d.columns),
    ),
    Question(
        "en",
        "duplicate rows?",
        {"measure": "duplicates"},
        lambda d: forms.number(len(d) - len(d.drop_duplicates())),
    ),
    # Conversations.
    Question(
        "pt-PT",
        "e por utilizador?",
        {"measure": f"sum:{BAD}", "group": [USER], "period": ["2026-02-01", "2026-02-28"]},
        lambda d: forms.pairs(_from_to(d, "2026-02-01", "2026-02-28").groupby(USER)[BAD].sum()),
        before=("quantas peças rejeitadas em fevereiro?",),
    ),
    Question(
        "pt-PT",
        "e o mês passado?",
        {
            "measure": f"sum:{GOOD}",
            "filters": [[PLACE, "is", ["PINT01"]]],
            "period": ["2026-01-01", "2026-01-31"],
        },
        lambda d: forms.number(d[(d[PLACE] == "PINT01") & (d[DATE].dt.month == 1)][GOOD].sum()),
        before=("peças boas da PINT01 este mês",),
    ),
    Question(
        "pt-PT",
        "tira as crateras",
        {"measure": "count", "group": [PLACE], "filters": [[LABEL, "is not", ["Cratera"]]]},
        lambda d: forms.pairs(d[d[LABEL] != "Cratera"].groupby(PLACE).size()),
        before=("quantos lançamentos por centro de trabalho?",),
    ),
    Question(
        "pt-PT",
        "num gráfico de barras, só os 3 primeiros",
        {
            "measure": f"sum:{BAD}",
            "group": [PART],
            "top": 3,
            "order": "most",
            "chart": "bar",
        },
        lambda d: forms.top(d.groupby(PART)[BAD].sum(), 3),
        before=("rejeitadas por material, da maior para a menor",),
    ),
    Question(
        "pt-BR",
        "e o da MCOSTA?",
        {
            "measure": f"mean:{BAD}",
            "filters": [[USER, "is", ["MCOSTA"]]],
        },
        lambda d: forms.number(d.loc[d[USER] == "MCOSTA", BAD].mean()),
        before=("qual é o valor médio de rejeitadas do JSILVA?",),
    ),
    Question(
        "en",
        "just week 8",
        {
            "measure": f"sum:{BAD}",
            "group": [f"{DATE}@day"],
            "period": ["2026-02-16", "2026-02-22"],
        },
        lambda d: forms.pairs(_from_to(d, "2026-02-16", "2026-02-22").groupby(DATE)[BAD].sum()),
        before=("rejected quantity per day",),
    ),
    # Nothing in the data answers these.
    Question("pt-PT", "rejeitadas por turno", {"words": ["turno"]}, expect="decline"),
    Question("pt-PT", "quantas rejeitadas na PINT07?", {"words": ["PINT07"]}, expect="decline"),
    Question(
        "pt-PT",
        "porque é que a PINT01 rejeita tanto?",
        {"words": ["porque"]},
        expect="decline",
    ),
    Question(
        "en",
        "which colour has the most rejects?",
        {"words": ["colour"]},
        expect="decline",
    ),
    Question(
        "pt-BR",
        "quanto custou cada peça rejeitada?",
        {"words": ["custou"]},
        expect="decline",
    ),
    # Two honest readings or more.
    Question("pt-PT", "qual a média?", {"words": ["média", BAD, GOOD]}, expect="ask"),
    Question(
        "pt-PT",
        "quantidade total por centro de trabalho",
        {"words": ["quantidade", BAD, GOOD]},
        expect="ask",
    ),
    Question(
        "en",
        "show me the top 3",
        {"words": ["top", CODE, PLACE, PART, USER]},
        expect="ask",
    ),
    # Small talk.
    Question("pt-PT", "bom dia!", {"talk": "greeting"}, expect="talk"),
    Question("pt-PT", "quem és tu?", {"talk": "identity"}, expect="talk"),
)
