"""Forty columns of sensors from the paint line, asked about by the names people give them."""

import numpy as np
import pandas as pd

from tests.nlq.questions import forms
from tests.nlq.questions.question import FILES, Question

NAME = "wide"
FILE = "linha_pintura_sensores.csv"

DATE = "Data/hora"
LAST = pd.Timestamp("2026-02-20")  # a Friday, in week 8


def frame() -> pd.DataFrame:
    """240 passages through the line, from 26 January to 20 February 2026."""
    draw = np.random.default_rng(20260220)
    total = 240
    days = pd.date_range("2026-01-26", LAST, freq="D")
    days = days[days.day_of_week < 6]
    weight = np.where(days >= pd.Timestamp("2026-02-17"), 1.6, 1.0)
    hours = np.array([6, 7, 8, 9, 10, 11, 14, 15, 16, 17, 18, 20, 22, 23, 1, 3])
    often = np.array([4, 5, 6, 5, 4, 3, 4, 4, 3, 3, 2, 2, 3, 2, 2, 1])
    hour = draw.choice(hours, total, p=often / often.sum())
    moment = pd.Series(
        draw.choice(days, total, p=weight / weight.sum())
        + pd.to_timedelta(hour * 60 + draw.integers(0, 60, total), unit="min")
    ).sort_values(ignore_index=True)
    clock = moment.dt.hour.to_numpy()
    turn = np.where((clock >= 22) | (clock < 6), "Noite", np.where(clock < 14, "Manhã", "Tarde"))
    warm = draw.normal(0, 1, total)
    rare = np.linspace(5, 1, 18) ** 2

    def around(middle: float, spread: float, decimals: int, shared: float = 0.0) -> "np.ndarray":
        noise = draw.normal(0, 1, total)
        return np.round(middle + spread * (shared * warm + noise), decimals)

    made: dict[str, object] = {
        DATE: moment,
        "Skid": draw.choice([f"SK-{skid:02}" for skid in range(1, 19)], total, p=rare / rare.sum()),
        "Cor": draw.choice(
            ["Preto", "Branco", "Cinza", "Vermelho", "Azul"],
            total,
            p=[0.34, 0.25, 0.19, 0.13, 0.09],
        ),
        "Turno": turn,
        "Cabine": draw.choice(["CB1", "CB2", "CB3"], total, p=[0.43, 0.33, 0.24]),
    }
    for oven, heat in enumerate((78.0, 82.5, 85.0, 88.0, 90.5, 76.0), start=1):
        made[f"Temp_Estufa_{oven}"] = around(heat, 1.8, 1, 0.8)
    for pump, force in (("A", 4.1), ("B", 3.7), ("C", 5.2)):
        made[f"Pressao_Bomba_{pump}"] = around(force, 0.18, 2)
    made["Caudal_Primario"] = around(310, 12, 0)
    made["Caudal_Base"] = around(285, 14, 0, 0.5)
    made["Caudal_Verniz"] = around(340, 15, 0)
    for booth, damp in enumerate((62.0, 60.0, 64.5), start=1):
        made[f"Humidade_Cabine_{booth}"] = around(damp, 2.6, 1)
    for booth, heat in enumerate((22.8, 23.4, 23.1), start=1):
        made[f"Temp_Cabine_{booth}"] = around(heat, 0.6, 1)
    viscosity = around(24.0, 1.3, 1)
    for place, thick in enumerate((27.0, 29.0, 31.5, 28.0, 33.0, 30.5, 26.0, 32.0), start=1):
        made[f"Espessura_P{place}"] = np.round(around(thick, 1.7, 1) + viscosity - 24.0, 1)
    made["Viscosidade"] = viscosity
    made["Temp_Tinta"] = around(21.5, 0.5, 1)
    made["Pressao_Ar"] = around(5.6, 0.22, 2)
    made["Tensao_Eletrostatica"] = around(72, 2.4, 1)
    made["Vel_Transportador"] = around(3.4, 0.15, 2)
    made["Tempo_Cura"] = around(31, 2.0, 0)
    wet = around(14.0, 1.8, 1)
    wet[draw.choice(total, 6, replace=False)] += 14
    made["Condutividade_Agua"] = np.round(wet, 1)
    made["pH_Banho"] = around(8.4, 0.25, 2)
    made["Resultado"] = draw.choice(["OK", "Retoque", "Sucata"], total, p=[0.66, 0.24, 0.1])
    filled = pd.DataFrame(made)
    for column, holes in (
        ("Temp_Estufa_6", 7),
        ("Caudal_Verniz", 5),
        ("Espessura_P4", 9),
        ("Viscosidade", 12),
        ("pH_Banho", 3),
    ):
        filled[column] = filled[column].astype(float)
        filled.loc[draw.choice(total, holes, replace=False), column] = np.nan
    return filled


def write() -> None:
    """The log, with semicolons, decimal commas and Portuguese dates."""
    FILES.mkdir(exist_ok=True)
    frame().to_csv(
        FILES / FILE,
        sep=";",
        decimal=",",
        index=False,
        date_format="%d/%m/%Y %H:%M",
        encoding="utf-8",
        lineterminator="\n",
    )


def _from_to(d: pd.DataFrame, first: str, last: str) -> pd.DataFrame:
    """The rows of a period, both days in it."""
    return forms.span(d, DATE, first, last)


QUESTIONS: tuple[Question, ...] = (
    # Statistics of one sensor among many.
    Question(
        "pt-PT",
        "temperatura média da estufa 3",
        {"measure": "mean:Temp_Estufa_3"},
        lambda d: forms.number(d["Temp_Estufa_3"].mean()),
    ),
    Question(
        "pt-PT",
        "qual foi a pressão máxima da bomba A?",
        {"measure": "max:Pressao_Bomba_A"},
        lambda d: forms.number(d["Pressao_Bomba_A"].max()),
    ),
    Question(
        "pt-PT",
        "minimo do caudal de verniz",
        {"measure": "min:Caudal_Verniz"},
        lambda d: forms.number(d["Caudal_Verniz"].min()),
    ),
    Question(
        "en",
        "average humidity in booth 2",
        {"measure": "mean:Humidade_Cabine_2"},
        lambda d: forms.number(d["Humidade_Cabine_2"].mean()),
    ),
    Question(
        "pt-PT",
        "desvio padrão da espessura no ponto 5",
        {"measure": "std:Espessura_P5"},
        lambda d: forms.number(d["Espessura_P5"].std()),
    ),
    Question(
        "pt-BR",
        "qual a mediana da viscosidade nas peças cinza?",
        {"measure": "median:Viscosidade", "filters": [["Cor", "is", ["Cinza"]]]},
        lambda d: forms.number(d.query("Cor == 'Cinza'")["Viscosidade"].median()),
    ),
    Question(
        "pt-PT",
        "qts cores diferentes passaram na linha",
        {"measure": "distinct:Cor"},
        lambda d: forms.number(d["Cor"].nunique()),
    ),
    # Counts and records by value and by number.
    Question(
        "pt-PT",
        "quantos retoques tivemos?",
        {"measure": "count", "filters": [["Resultado", "is", ["Retoque"]]]},
        lambda d: forms.number((d["Resultado"] == "Retoque").sum()),
    ),
    Question(
        "pt-PT",
        "pretos com retoque no turno da noite, quantos?",
        {
            "measure": "count",
            "filters": [
                ["Cor", "is", ["Preto"]],
                ["Resultado", "is", ["Retoque"]],
                ["Turno", "is", ["Noite"]],
            ],
        },
        lambda d: forms.number(
            ((d["Cor"] == "Preto") & (d["Resultado"] == "Retoque") & (d["Turno"] == "Noite")).sum()
        ),
    ),
    Question(
        "pt-PT",
        "quantas sucatas tirando os brancos",
        {
            "measure": "count",
            "filters": [["Resultado", "is", ["Sucata"]], ["Cor", "is not", ["Branco"]]],
        },
        lambda d: forms.number((d[d["Cor"] != "Branco"]["Resultado"] == "Sucata").sum()),
    ),
    Question(
        "pt-PT",
        "quantas passagens teve o skid SK-07?",
        {"measure": "count", "filters": [["Skid", "is", ["SK-07"]]]},
        lambda d: forms.number((d["Skid"] == "SK-07").sum()),
    ),
    Question(
        "pt-PT",
        "quantas leituras com a estufa 2 acima de 85 graus?",
        {"measure": "count", "filters": [["Temp_Estufa_2", "above", [85]]]},
        lambda d: forms.number((d["Temp_Estufa_2"] > 85).sum()),
    ),
    Question(
        "pt-PT",
        "humidade da cabine 3 entre 60 e 65, quantos registos",
        {"measure": "count", "filters": [["Humidade_Cabine_3", "between", [60, 65]]]},
        lambda d: forms.number(d["Humidade_Cabine_3"].between(60, 65).sum()),
    ),
    Question(
        "pt-PT",
        "mostra as linhas com espessura P1 abaixo de 25,5 micras",
        {"measure": "rows", "filters": [["Espessura_P1", "below", [25.5]]]},
        lambda d: forms.rows(d[d["Espessura_P1"] < 25.5]),
    ),
    Question(
        "en",
        "list the scrapped ones with viscosity over 24",
        {
            "measure": "rows",
            "filters": [["Resultado", "is", ["Sucata"]], ["Viscosidade", "above", [24]]],
        },
        lambda d: forms.rows(d[(d["Resultado"] == "Sucata") & (d["Viscosidade"] > 24)]),
    ),
    Question(
        "en",
        "how many readings with pump C pressure at least 5.5 bar?",
        {"measure": "count", "filters": [["Pressao_Bomba_C", "at least", [5.5]]]},
        lambda d: forms.number((d["Pressao_Bomba_C"] >= 5.5).sum()),
    ),
    Question(
        "pt-BR",
        "me mostra os registros vermelhos ou azuis da CB3",
        {
            "measure": "rows",
            "filters": [["Cor", "is", ["Vermelho", "Azul"]], ["Cabine", "is", ["CB3"]]],
        },
        lambda d: forms.rows(d[d["Cor"].isin(["Azul", "Vermelho"]) & (d["Cabine"] == "CB3")]),
    ),
    # Time.
    Question(
        "pt-PT",
        "pressao media da bomba b ontem",
        {"measure": "mean:Pressao_Bomba_B", "period": ["2026-02-19", "2026-02-19"]},
        lambda d: forms.number(
            d.loc[forms.day(d[DATE]) == "2026-02-19", "Pressao_Bomba_B"].mean(),
        ),
    ),
    Question(
        "pt-PT",
        "caudal de verniz médio na semana 6",
        {"measure": "mean:Caudal_Verniz", "period": ["2026-02-02", "2026-02-08"]},
        lambda d: forms.number(_from_to(d, "2026-02-02", "2026-02-08")["Caudal_Verniz"].mean()),
    ),
    Question(
        "pt-PT",
        "máximo da temp da tinta hoje",
        {"measure": "max:Temp_Tinta", "period": ["2026-02-20", "2026-02-20"]},
        lambda d: forms.number(d.loc[d[DATE] >= LAST, "Temp_Tinta"].max()),
    ),
    Question(
        "en",
        "mean conveyor speed last week",
        {"measure": "mean:Vel_Transportador", "period": ["2026-02-09", "2026-02-15"]},
        lambda d: forms.number(
            d.loc[d[DATE].dt.isocalendar().week == 7, "Vel_Transportador"].mean()
        ),
    ),
    Question(
        "pt-PT",
        "pH do banho entre 3 e 5 de fevereiro, em média",
        {"measure": "mean:pH_Banho", "period": ["2026-02-03", "2026-02-05"]},
        lambda d: forms.number(_from_to(d, "2026-02-03", "2026-02-05")["pH_Banho"].mean()),
    ),
    Question(
        "pt-PT",
        "tensão electrostática média desde dia 10",
        {"measure": "mean:Tensao_Eletrostatica", "period": ["2026-02-10", "2026-02-20"]},
        lambda d: forms.number(d[d[DATE] >= "2026-02-10"]["Tensao_Eletrostatica"].mean()),
    ),
    Question(
        "pt-BR",
        "quantas sucatas a gente teve nos últimos 7 dias?",
        {
            "measure": "count",
            "filters": [["Resultado", "is", ["Sucata"]]],
            "period": ["2026-02-14", "2026-02-20"],
        },
        lambda d: forms.number(
            (_from_to(d, "2026-02-14", "2026-02-20")["Resultado"] == "Sucata").sum()
        ),
    ),
    Question(
        "pt-PT",
        "às segundas, qual a humidade média da cabine 1?",
        {
            "measure": "mean:Humidade_Cabine_1",
            "filters": [[f"{DATE}@weekday", "is", ["1"]]],
        },
        lambda d: forms.number(
            d.loc[d[DATE].dt.day_name() == "Monday", "Humidade_Cabine_1"].mean()
        ),
    ),
    # Groupings.
    Question(
        "pt-PT",
        "média da temperatura da estufa 1 por turno",
        {"measure": "mean:Temp_Estufa_1", "group": ["Turno"]},
        lambda d: forms.pairs(d.groupby("Turno")["Temp_Estufa_1"].mean()),
    ),
    Question(
        "pt-BR",
        "qual a média da umidade da cabine 1 por dia, na semana 8?",
        {
            "measure": "mean:Humidade_Cabine_1",
            "group": [f"{DATE}@day"],
            "period": ["2026-02-16", "2026-02-22"],
        },
        lambda d: forms.pairs(
            d[d[DATE] >= "2026-02-16"].groupby(forms.day(d[DATE]))["Humidade_Cabine_1"].mean()
        ),
    ),
    Question(
        "pt-PT",
        "sucata por semana",
        {
            "measure": "count",
            "group": [f"{DATE}@week"],
            "filters": [["Resultado", "is", ["Sucata"]]],
        },
        lambda d: forms.pairs(d[d["Resultado"] == "Sucata"].groupby(forms.week(d[DATE])).size()),
    ),
    Question(
        "pt-PT",
        "temperatura média da cabine 2 por hora do dia",
        {"measure": "mean:Temp_Cabine_2", "group": [f"{DATE}@hour"]},
        lambda d: forms.pairs(d.groupby(d[DATE].dt.hour)["Temp_Cabine_2"].mean()),
    ),
    Question(
        "pt-PT",
        "retoques por cor e por turno",
        {
            "measure": "count",
            "group": ["Cor", "Turno"],
            "filters": [["Resultado", "is", ["Retoque"]]],
        },
        lambda d: forms.cross(d[d["Resultado"] == "Retoque"].groupby(["Cor", "Turno"]).size()),
    ),
    Question(
        "pt-PT",
        "espessura média P3 por cor, da maior para a menor",
        {"measure": "mean:Espessura_P3", "group": ["Cor"], "order": "most"},
        lambda d: forms.top(d.groupby("Cor")["Espessura_P3"].mean()),
    ),
    Question(
        "en",
        "result by booth as a table",
        {"measure": "count", "group": ["Resultado", "Cabine"]},
        lambda d: forms.cross(d.groupby(["Resultado", "Cabine"]).size()),
    ),
    Question(
        "pt-PT",
        "tempo de cura medio por dia da semana",
        {"measure": "mean:Tempo_Cura", "group": [f"{DATE}@weekday"]},
        lambda d: forms.pairs(d.groupby(forms.weekday(d[DATE]))["Tempo_Cura"].mean()),
    ),
    Question(
        "pt-PT",
        "gráfico de linhas com a estufa 6 por dia, valor médio",
        {"measure": "mean:Temp_Estufa_6", "group": [f"{DATE}@day"], "chart": "line"},
        lambda d: forms.pairs(d.groupby(forms.day(d[DATE]))["Temp_Estufa_6"].mean()),
    ),
    # First and last of a ranking.
    Question(
        "pt-PT",
        "em que turno é que a bomba C tem a pressão média mais baixa",
        {"measure": "mean:Pressao_Bomba_C", "group": ["Turno"], "top": 1, "order": "least"},
        lambda d: forms.top(d.groupby("Turno")["Pressao_Bomba_C"].mean(), 1, least=True),
    ),
    Question(
        "pt-PT",
        "os 3 dias com mais humidade na cabine 2, em média",
        {
            "measure": "mean:Humidade_Cabine_2",
            "group": [f"{DATE}@day"],
            "top": 3,
            "order": "most",
        },
        lambda d: forms.top(d.groupby(forms.day(d[DATE]))["Humidade_Cabine_2"].mean(), 3),
    ),
    Question(
        "en",
        "top 2 colours by number of reworks",
        {
            "measure": "count",
            "group": ["Cor"],
            "filters": [["Resultado", "is", ["Retoque"]]],
            "top": 2,
            "order": "most",
        },
        lambda d: forms.top(d[d["Resultado"] == "Retoque"]["Cor"].value_counts(), 2),
    ),
    # Shares.
    Question(
        "en",
        "what % came out OK?",
        {"measure": "share", "filters": [["Resultado", "is", ["OK"]]]},
        lambda d: forms.number(100 * (d["Resultado"] == "OK").mean()),
    ),
    Question(
        "pt-PT",
        "nos vermelhos, qual a percentagem de sucata?",
        {
            "measure": "share",
            "filters": [["Resultado", "is", ["Sucata"]], ["Cor", "is", ["Vermelho"]]],
        },
        lambda d: forms.number(100 * (d[d["Cor"] == "Vermelho"]["Resultado"] == "Sucata").mean()),
    ),
    Question(
        "pt-BR",
        "taxa de retoque em cada cabine",
        {
            "measure": "share",
            "group": ["Cabine"],
            "filters": [["Resultado", "is", ["Retoque"]]],
        },
        lambda d: forms.pairs(100 * (d["Resultado"] == "Retoque").groupby(d["Cabine"]).mean()),
    ),
    # Comparisons, charts and what a process engineer asks.
    Question(
        "pt-PT",
        "compara a temperatura média da estufa 4 de manhã e à noite",
        {
            "measure": "mean:Temp_Estufa_4",
            "group": ["Turno"],
            "filters": [["Turno", "is", ["Manhã", "Noite"]]],
            "compare": True,
        },
        lambda d: forms.pairs(
            d[d["Turno"] != "Tarde"].groupby("Turno")["Temp_Estufa_4"].mean(),
        ),
    ),
    Question(
        "en",
        "oven 5 temperature on average, black vs white",
        {
            "measure": "mean:Temp_Estufa_5",
            "group": ["Cor"],
            "filters": [["Cor", "is", ["Preto", "Branco"]]],
            "compare": True,
        },
        lambda d: forms.pairs(
            d[d["Cor"].isin(["Preto", "Branco"])].groupby("Cor")["Temp_Estufa_5"].mean()
        ),
    ),
    Question(
        "pt-PT",
        "correlação entre viscosidade e espessura P2",
        {"measure": "correlation:Viscosidade,Espessura_P2"},
        lambda d: forms.number(d["Viscosidade"].corr(d["Espessura_P2"])),
    ),
    Question(
        "pt-PT",
        "a temp da estufa 2 tem alguma coisa a ver com o caudal da base?",
        {"measure": "correlation:Temp_Estufa_2,Caudal_Base"},
        lambda d: forms.number(d["Temp_Estufa_2"].corr(d["Caudal_Base"])),
    ),
    Question(
        "pt-PT",
        "há picos estranhos na condutividade da água? outliers",
        {"measure": "outliers:Condutividade_Agua"},
        lambda d: forms.rows(d[forms.far(d["Condutividade_Agua"])]),
    ),
    Question(
        "en",
        "box plot of thickness P8",
        {"measure": "values:Espessura_P8", "chart": "box"},
        lambda d: forms.rows(d[d["Espessura_P8"].notna()]),
    ),
    Question(
        "en",
        "which sensors have gaps?",
        {"measure": "missing"},
        forms.gaps,
    ),
    Question(
        "pt-BR",
        "faz um resumo geral aí dos dados",
        {"measure": "describe"},
        forms.rows,
    ),
    # Conversations.
    Question(
        "pt-PT",
        "e a da estufa 4?",
        {"measure": "max:Temp_Estufa_4", "filters": [["Turno", "is", ["Tarde"]]]},
        lambda d: forms.number(d.loc[d["Turno"] == "Tarde", "Temp_Estufa_4"].max()),
        before=("temperatura máxima da estufa 3 no turno da tarde",),
    ),
    Question(
        "pt-PT",
        "só na semana 6",
        {
            "measure": "mean:Pressao_Bomba_A",
            "group": ["Turno"],
            "period": ["2026-02-02", "2026-02-08"],
        },
        lambda d: forms.pairs(
            _from_to(d, "2026-02-02", "2026-02-08").groupby("Turno")["Pressao_Bomba_A"].mean()
        ),
        before=("pressão média da bomba A por turno",),
    ),
    Question(
        "pt-PT",
        "em percentagem",
        {"measure": "share", "group": ["Resultado"]},
        lambda d: forms.pairs(forms.percents(d["Resultado"].value_counts())),
        before=("contagem por resultado",),
    ),
    Question(
        "pt-PT",
        "agora a mediana, num gráfico",
        {"measure": "median:Espessura_P6", "group": ["Cor"], "chart": "any"},
        lambda d: forms.pairs(d.groupby("Cor")["Espessura_P6"].median()),
        before=("espessura média P6 por cor",),
    ),
    Question(
        "en",
        "and only booth CB2?",
        {
            "measure": "count",
            "filters": [
                ["Resultado", "is", ["Sucata"]],
                ["Turno", "is", ["Manhã"]],
                ["Cabine", "is", ["CB2"]],
            ],
        },
        lambda d: forms.number(
            ((d["Resultado"] == "Sucata") & (d["Turno"] == "Manhã") & (d["Cabine"] == "CB2")).sum()
        ),
        before=("how many were scrapped?", "just the morning shift"),
    ),
    Question(
        "pt-PT",
        "volta à pergunta anterior",
        {
            "measure": "count",
            "group": ["Turno"],
            "filters": [["Resultado", "is", ["Sucata"]]],
        },
        lambda d: forms.pairs(d[d["Resultado"] == "Sucata"]["Turno"].value_counts()),
        before=("sucata por turno", "só os pretos"),
    ),
    Question(
        "pt-BR",
        "ordena pelo valor, maior primeiro",
        {"measure": "mean:Viscosidade", "group": ["Cabine"], "sort": "value", "order": "most"},
        lambda d: forms.top(d.groupby("Cabine")["Viscosidade"].mean()),
        before=("viscosidade média por cabine",),
    ),
    # Nothing in the data answers these.
    Question(
        "pt-PT",
        "temperatura média da estufa 9",
        {"words": ["estufa 9"]},
        expect="decline",
    ),
    Question(
        "pt-PT",
        "quanta energia gastou a linha ontem?",
        {"words": ["energia"]},
        expect="decline",
    ),
    Question(
        "pt-PT",
        "pq é que há tanto retoque nos brancos?",
        {"words": ["pq"]},
        expect="decline",
    ),
    Question("pt-BR", "vai chover amanhã?", {"words": ["chover"]}, expect="decline"),
    Question("en", "scrap by supplier", {"words": ["supplier"]}, expect="decline"),
    # Two honest readings or more.
    Question(
        "pt-PT",
        "temperatura média da estufa",
        {"words": ["estufa", *(f"Temp_Estufa_{oven}" for oven in range(1, 7))]},
        expect="ask",
    ),
    Question(
        "pt-PT",
        "espessura máxima por cor",
        {"words": ["espessura", *(f"Espessura_P{place}" for place in range(1, 9))]},
        expect="ask",
    ),
    Question(
        "en",
        "average pump pressure",
        {"words": ["pump", "Pressao_Bomba_A", "Pressao_Bomba_B", "Pressao_Bomba_C"]},
        expect="ask",
    ),
    # Small talk.
    Question("pt-PT", "o que é que sabes fazer?", {"talk": "help"}, expect="talk"),
    Question("pt-PT", "adeus, até amanhã", {"talk": "goodbye"}, expect="talk"),
)
