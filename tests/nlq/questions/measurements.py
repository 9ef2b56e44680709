"""Film measurements, January and February 2026: a semicolon CSV of a Portuguese Windows."""

import numpy as np
import pandas as pd

from tests.nlq.questions import forms as s
from tests.nlq.questions.question import FILES, Question

NAME = "measurements"
FILE = "medicoes.csv"

DATE, PART, PLACE = "Data", "Peça", "Posição"
FILM, GLOSS, WARM, DAMP = "Espessura (µm)", "Brilho", "Temperatura cabine (°C)", "Humidade (%)"
WHO, ROBOT, RESULT = "Operador", "Máquina", "Resultado"


def frame() -> pd.DataFrame:
    """The rows: some gaps, a few strays, four of them twice. The last day is a Thursday."""
    chance = np.random.default_rng(20260226)
    many = 296
    working = [day for day in pd.date_range("2026-01-05", "2026-02-26") if day.weekday() < 6]
    days = [*chance.choice(len(working), many - 1), len(working) - 1]
    minutes = chance.integers(6 * 60, 22 * 60, many)
    moments = [
        working[day] + pd.Timedelta(minutes=int(minute))
        for day, minute in zip(days, minutes, strict=True)
    ]
    made = pd.DataFrame({DATE: pd.Series(moments).sort_values(ignore_index=True)})
    parts = ["Para-choques", "Grelha", "Spoiler", "Retrovisor", "Puxador"]
    made[PART] = chance.choice(parts, many, p=[0.32, 0.24, 0.19, 0.15, 0.10])
    places = ["Topo", "Centro", "Lateral esquerda", "Lateral direita"]
    made[PLACE] = chance.choice(places, many, p=[0.3, 0.28, 0.22, 0.2])
    robots = chance.choice(["Robô 1", "Robô 2", "Robô 3"], many, p=[0.42, 0.35, 0.23])
    warm = np.round(chance.normal(22.5, 1.3, many), 1)
    damp = np.round(chance.normal(58, 5, many), 1)
    drift = np.where(robots == "Robô 3", 1.2, 0.0)
    film = np.round(25.0 + drift - 0.6 * (warm - 22.5) + chance.normal(0, 1.6, many), 1)
    film[[31, 142, 250]] = [41.3, 9.8, 38.6]
    gloss = np.round(89 + 0.5 * (film - 25) + chance.normal(0, 1.9, many), 1)
    gloss[[77, 201]] = [61.5, 64.2]
    bad = (film < 21.5) | (film > 29) | (gloss < 84.5) | (chance.random(many) < 0.06)
    people = ["Ana Costa", "Rui Costa", "Inês Duarte", "Miguel Faria", "Sofia Lopes"]
    made[FILM], made[GLOSS], made[WARM], made[DAMP] = film, gloss, warm, damp
    made[WHO] = chance.choice(people, many, p=[0.26, 0.14, 0.24, 0.2, 0.16])
    made[ROBOT] = robots
    made[RESULT] = np.where(bad, "NOK", "OK")
    for column, gaps in ((FILM, 5), (GLOSS, 7), (DAMP, 9), (WHO, 4)):
        made.loc[chance.choice(np.arange(5, many - 5), gaps, replace=False), column] = None
    made.loc[[60, 188], DATE] = pd.NaT
    again = made.iloc[[15, 98, 173, 240]]
    return pd.concat([made, again]).sort_index(kind="stable").reset_index(drop=True)


def write() -> None:
    """Writes the file as such a station does: semicolons, decimal commas, cp1252."""
    FILES.mkdir(exist_ok=True)
    frame().to_csv(
        FILES / FILE,
        sep=";",
        decimal=",",
        encoding="cp1252",
        index=False,
        date_format="%d/%m/%Y %H:%M",
        lineterminator="\r\n",
    )


JANUARY, FEBRUARY = ["2026-01-01", "2026-01-31"], ["2026-02-01", "2026-02-28"]

QUESTIONS: tuple[Question, ...] = (
    # One number.
    Question(
        "pt-PT",
        "qual é a espessura média?",
        {"measure": f"mean:{FILM}"},
        lambda d: s.number(d[FILM].mean()),
    ),
    Question(
        "pt-BR",
        "qual a média de brilho do robô 2?",
        {"measure": f"mean:{GLOSS}", "filters": [[ROBOT, "is", ["Robô 2"]]]},
        lambda d: s.number(d.loc[d[ROBOT] == "Robô 2", GLOSS].mean()),
    ),
    Question(
        "en",
        "how many readings came out NOK?",
        {"measure": "count", "filters": [[RESULT, "is", ["NOK"]]]},
        lambda d: s.number((d[RESULT] == "NOK").sum()),
    ),
    Question(
        "pt-PT",
        "espessura maxima nas grelhas",
        {"measure": f"max:{FILM}", "filters": [[PART, "is", ["Grelha"]]]},
        lambda d: s.number(d.loc[d[PART] == "Grelha", FILM].max()),
    ),
    Question(
        "en",
        "lowest brilho we measured in January",
        {"measure": f"min:{GLOSS}", "period": JANUARY},
        lambda d: s.number(d.loc[d[DATE].dt.month == 1, GLOSS].min()),
    ),
    Question(
        "en",
        "standard deviation of thickness on Robô 3",
        {"measure": f"std:{FILM}", "filters": [[ROBOT, "is", ["Robô 3"]]]},
        lambda d: s.number(d.loc[d[ROBOT] == "Robô 3", FILM].std(ddof=1)),
    ),
    Question(
        "pt-PT",
        "desvio padrao do brilho no spoiler",
        {"measure": f"std:{GLOSS}", "filters": [[PART, "is", ["Spoiler"]]]},
        lambda d: s.number(d.loc[d[PART] == "Spoiler", GLOSS].std()),
    ),
    Question(
        "pt-PT",
        "mediana da humidade em fevereiro",
        {"measure": f"median:{DAMP}", "period": FEBRUARY},
        lambda d: s.number(d.loc[d[DATE].dt.month == 2, DAMP].median()),
    ),
    Question(
        "en",
        "median espessura for Para-choques at the Centro position",
        {
            "measure": f"median:{FILM}",
            "filters": [[PART, "is", ["Para-choques"]], [PLACE, "is", ["Centro"]]],
        },
        lambda d: s.number(d[(d[PART] == "Para-choques") & (d[PLACE] == "Centro")][FILM].median()),
    ),
    Question(
        "pt-PT",
        "quantos operadores fizeram medições?",
        {"measure": f"distinct:{WHO}"},
        lambda d: s.number(len(set(d[WHO].dropna()))),
    ),
    Question(
        "pt-BR",
        "quais peças aparecem na planilha?",
        {"measure": f"distinct:{PART}"},
        lambda d: s.names(d[PART].unique()),
    ),
    Question(
        "en",
        "hottest booth temperature in the last 7 days",
        {"measure": f"max:{WARM}", "period": ["2026-02-20", "2026-02-26"]},
        lambda d: s.number(d.loc[d[DATE] >= "2026-02-20", WARM].max()),
    ),
    # Limits on numbers.
    Question(
        "pt-PT",
        "quantas medições com espessura acima de 25,5 micras?",
        {"measure": "count", "filters": [[FILM, "above", [25.5]]]},
        lambda d: s.number((d[FILM] > 25.5).sum()),
    ),
    Question(
        "pt-PT",
        "peças com brilho inferior a 85, por máquina",
        {"measure": "count", "group": [ROBOT], "filters": [[GLOSS, "below", [85]]]},
        lambda d: s.pairs(d[d[GLOSS] < 85].groupby(ROBOT).size()),
    ),
    Question(
        "en",
        "how many with espessura between 24 and 26?",
        {"measure": "count", "filters": [[FILM, "between", [24, 26]]]},
        lambda d: s.number(d[FILM].between(24, 26).sum()),
    ),
    Question(
        "en",
        "rows with humidade under 50",
        {"measure": "rows", "filters": [[DAMP, "below", [50]]]},
        lambda d: s.rows(d[d[DAMP] < 50]),
    ),
    Question(
        "pt-PT",
        "NOK com pelo menos 24 graus na cabine",
        {
            "measure": "count",
            "filters": [[RESULT, "is", ["NOK"]], [WARM, "at least", [24]]],
        },
        lambda d: s.number(((d[RESULT] == "NOK") & (d[WARM] >= 24)).sum()),
    ),
    Question(
        "pt-BR",
        "me mostra os registros com brilho maior que 92,5",
        {"measure": "rows", "filters": [[GLOSS, "above", [92.5]]]},
        lambda d: s.rows(d[d[GLOSS] > 92.5]),
    ),
    Question(
        "pt-PT",
        "qual o brilho médio quando a humidade não passa dos 55%?",
        {"measure": f"mean:{GLOSS}", "filters": [[DAMP, "at most", [55]]]},
        lambda d: s.number(d.loc[d[DAMP] <= 55, GLOSS].mean()),
    ),
    Question(
        "en",
        "gloss at least 90 and booth temp at most 22, how many",
        {
            "measure": "count",
            "filters": [[GLOSS, "at least", [90]], [WARM, "at most", [22]]],
        },
        lambda d: s.number(len(d[(d[GLOSS] >= 90) & (d[WARM] <= 22)])),
    ),
    # Values, one or several, or not.
    Question(
        "pt-PT",
        "medições da Inês ou da Sofia no topo",
        {
            "measure": "count",
            "filters": [[WHO, "is", ["Inês Duarte", "Sofia Lopes"]], [PLACE, "is", ["Topo"]]],
        },
        lambda d: s.number(
            (d[WHO].isin(["Inês Duarte", "Sofia Lopes"]) & (d[PLACE] == "Topo")).sum()
        ),
    ),
    Question(
        "pt-PT",
        "qtas reprovadas (nok) nos retrovisores e puxadores",
        {
            "measure": "count",
            "filters": [[RESULT, "is", ["NOK"]], [PART, "is", ["Retrovisor", "Puxador"]]],
        },
        lambda d: s.number(len(d[(d[RESULT] == "NOK") & d[PART].isin(["Retrovisor", "Puxador"])])),
    ),
    Question(
        "en",
        "mean espessura excluding Robo 1",
        {"measure": f"mean:{FILM}", "filters": [[ROBOT, "is not", ["Robô 1"]]]},
        lambda d: s.number(d[~d[ROBOT].eq("Robô 1")][FILM].mean()),
    ),
    Question(
        "pt-PT",
        "media da espesura por peça tirando os NOK",
        {"measure": f"mean:{FILM}", "group": [PART], "filters": [[RESULT, "is not", ["NOK"]]]},
        lambda d: s.pairs(d[d[RESULT] != "NOK"].groupby(PART)[FILM].mean()),
    ),
    Question(
        "pt-PT",
        "lateral esquerda: qual a espessura mínima?",
        {"measure": f"min:{FILM}", "filters": [[PLACE, "is", ["Lateral esquerda"]]]},
        lambda d: s.number(d.loc[d[PLACE] == "Lateral esquerda", FILM].min()),
    ),
    Question(
        "pt-BR",
        "quantas peças foram medidas pelo Miguel?",
        {"measure": "count", "filters": [[WHO, "is", ["Miguel Faria"]]]},
        lambda d: s.number((d[WHO] == "Miguel Faria").sum()),
    ),
    # Time.
    Question(
        "pt-PT",
        "quantas medições se fizeram ontem?",
        {"measure": "count", "period": ["2026-02-25", "2026-02-25"]},
        lambda d: s.number((d[DATE].dt.normalize() == "2026-02-25").sum()),
    ),
    Question(
        "en",
        "just last week",
        {
            "measure": "count",
            "group": [ROBOT],
            "filters": [[RESULT, "is", ["NOK"]]],
            "period": ["2026-02-16", "2026-02-22"],
        },
        lambda d: s.pairs(
            s.span(d[d[RESULT] == "NOK"], DATE, "2026-02-16", "2026-02-22").groupby(ROBOT).size()
        ),
        before=("NOK readings by machine",),
    ),
    Question(
        "pt-PT",
        "espessura média na semana 4",
        {"measure": f"mean:{FILM}", "period": ["2026-01-19", "2026-01-25"]},
        lambda d: s.number(d.loc[d[DATE].dt.isocalendar().week == 4, FILM].mean()),
    ),
    Question(
        "pt-PT",
        "de 12 a 23/01 quantas ok e quantas nok",
        {"measure": "count", "group": [RESULT], "period": ["2026-01-12", "2026-01-23"]},
        lambda d: s.pairs(s.span(d, DATE, "2026-01-12", "2026-01-23").groupby(RESULT).size()),
    ),
    Question(
        "pt-PT",
        "brilho médio antes das 10 da manhã",
        {"measure": f"mean:{GLOSS}", "filters": [[f"{DATE}@hour", "below", [10]]]},
        lambda d: s.number(d.loc[d[DATE].dt.hour < 10, GLOSS].mean()),
    ),
    Question(
        "en",
        "how many measurements after 18:00?",
        {"measure": "count", "filters": [[f"{DATE}@hour", "at least", [18]]]},
        lambda d: s.number((d[DATE].dt.hour >= 18).sum()),
    ),
    Question(
        "pt-BR",
        "quantas medições NOK tivemos de sexta?",
        {
            "measure": "count",
            "filters": [[RESULT, "is", ["NOK"]], [f"{DATE}@weekday", "is", ["5"]]],
        },
        lambda d: s.number(((d[DATE].dt.day_name() == "Friday") & d[RESULT].eq("NOK")).sum()),
    ),
    Question(
        "pt-PT",
        "no mês passado qual foi a temperatura média da cabine",
        {"measure": f"mean:{WARM}", "period": JANUARY},
        lambda d: s.number(s.span(d, DATE, "2026-01-01", "2026-01-31")[WARM].mean()),
    ),
    Question(
        "pt-PT",
        "até 10 de janeiro quantas leituras há?",
        {"measure": "count", "period": ["2026-01-05", "2026-01-10"]},
        lambda d: s.number((d[DATE] < "2026-01-11").sum()),
    ),
    Question(
        "en",
        "average humidity since 15 February",
        {"measure": f"mean:{DAMP}", "period": ["2026-02-15", "2026-02-26"]},
        lambda d: s.number(d.loc[d[DATE] >= "2026-02-15", DAMP].mean()),
    ),
    # Groups.
    Question(
        "pt-PT",
        "espessura média por máquina e por peça",
        {"measure": f"mean:{FILM}", "group": [ROBOT, PART]},
        lambda d: s.cross(d.groupby([ROBOT, PART])[FILM].mean()),
    ),
    Question(
        "pt-PT",
        "brilho médio por mês",
        {"measure": f"mean:{GLOSS}", "group": [f"{DATE}@month"]},
        lambda d: s.pairs(d.groupby(s.month(d[DATE]))[GLOSS].mean()),
    ),
    Question(
        "en",
        "as a line chart",
        {"measure": f"mean:{FILM}", "group": [f"{DATE}@week"], "chart": "line"},
        lambda d: s.pairs(d.groupby(s.week(d[DATE]))[FILM].mean()),
        before=("mean thickness per week",),
    ),
    Question(
        "pt-PT",
        "a que horas é que o brilho médio anda mais baixo?",
        {"measure": f"mean:{GLOSS}", "group": [f"{DATE}@hour"], "top": 1, "order": "least"},
        lambda d: s.top(d.groupby(d[DATE].dt.hour)[GLOSS].mean(), 1, least=True),
    ),
    Question(
        "en",
        "number of readings by hour of the day",
        {"measure": "count", "group": [f"{DATE}@hour"]},
        lambda d: s.pairs(d[DATE].dt.hour.value_counts()),
    ),
    Question(
        "pt-BR",
        "gráfico de colunas da umidade média por dia da semana",
        {"measure": f"mean:{DAMP}", "group": [f"{DATE}@weekday"], "chart": "bar"},
        lambda d: s.pairs(d.groupby(s.weekday(d[DATE]))[DAMP].mean()),
    ),
    Question(
        "en",
        "cross operador with resultado",
        {"measure": "count", "group": [WHO, RESULT]},
        lambda d: s.cross(d.groupby([WHO, RESULT]).size()),
    ),
    Question(
        "pt-PT",
        "como tem andado a espessura dia a dia em fevereiro no robô 1",
        {
            "measure": f"mean:{FILM}",
            "group": [f"{DATE}@day"],
            "filters": [[ROBOT, "is", ["Robô 1"]]],
            "period": FEBRUARY,
        },
        lambda d: s.pairs(
            d[(d[ROBOT] == "Robô 1") & (d[DATE].dt.month == 2)]
            .groupby(d[DATE].dt.normalize())[FILM]
            .mean()
            .dropna()
        ),
    ),
    # Rankings and shares.
    Question(
        "pt-PT",
        "que peça tem a espessura média mais alta?",
        {"measure": f"mean:{FILM}", "group": [PART], "top": 1, "order": "most"},
        lambda d: s.top(d.groupby(PART)[FILM].mean(), 1),
    ),
    Question(
        "en",
        "just the 2 lowest",
        {"measure": f"mean:{GLOSS}", "group": [WHO], "top": 2, "order": "least"},
        lambda d: s.top(d.groupby(WHO)[GLOSS].mean(), 2, least=True),
        before=("average brilho by operator",),
    ),
    Question(
        "pt-PT",
        "e isso em percentagem?",
        {
            "measure": "share",
            "filters": [[RESULT, "is", ["NOK"]]],
            "period": ["2026-02-16", "2026-02-22"],
        },
        lambda d: s.number(
            100 * (s.span(d, DATE, "2026-02-16", "2026-02-22")[RESULT] == "NOK").mean()
        ),
        before=("quantas NOK na semana 8?",),
    ),
    Question(
        "pt-PT",
        "taxa de nok por máquina",
        {"measure": "share", "group": [ROBOT], "filters": [[RESULT, "is", ["NOK"]]]},
        lambda d: s.pairs(100 * d[RESULT].eq("NOK").groupby(d[ROBOT]).mean()),
    ),
    Question(
        "en",
        "pie chart of measurements by part, in percent",
        {"measure": "share", "group": [PART], "chart": "pie"},
        lambda d: s.pairs(100 * d[PART].value_counts(normalize=True)),
    ),
    Question(
        "pt-PT",
        "pareto das NOK por peça",
        {
            "measure": "count",
            "group": [PART],
            "filters": [[RESULT, "is", ["NOK"]]],
            "order": "most",
            "cumulative": True,
            "chart": "pareto",
        },
        lambda d: s.top(d[d[RESULT] == "NOK"].groupby(PART).size()),
    ),
    # Comparing.
    Question(
        "pt-PT",
        "compara a espessura média do robo 1 com a do robo 3",
        {
            "measure": f"mean:{FILM}",
            "group": [ROBOT],
            "filters": [[ROBOT, "is", ["Robô 1", "Robô 3"]]],
            "compare": True,
        },
        lambda d: s.pairs(d.groupby(ROBOT)[FILM].mean()[["Robô 1", "Robô 3"]]),
    ),
    Question(
        "en",
        "January vs February, mean brilho",
        {
            "measure": f"mean:{GLOSS}",
            "group": [f"{DATE}@month"],
            "period": ["2026-01-01", "2026-02-28"],
            "compare": True,
        },
        lambda d: s.pairs(d.groupby(s.month(d[DATE]))[GLOSS].mean()),
    ),
    # How values lie.
    Question(
        "pt-PT",
        "histograma da espessura",
        {"measure": f"values:{FILM}", "chart": "histogram"},
        lambda d: s.rows(d[d[FILM].notna()]),
    ),
    Question(
        "en",
        "box plot of brilho by machine",
        {"measure": f"values:{GLOSS}", "group": [ROBOT], "chart": "box"},
        lambda d: s.rows(d[d[GLOSS].notna()]),
    ),
    Question(
        "pt-PT",
        "há correlação entre a temperatura e a espessura?",
        {"measure": f"correlation:{WARM},{FILM}"},
        lambda d: s.number(d[WARM].corr(d[FILM])),
    ),
    Question(
        "en",
        "does espessura correlate with brilho on Robô 2?",
        {"measure": f"correlation:{FILM},{GLOSS}", "filters": [[ROBOT, "is", ["Robô 2"]]]},
        lambda d: s.number(d[d[ROBOT] == "Robô 2"][[FILM, GLOSS]].dropna().corr().iloc[0, 1]),
    ),
    Question(
        "pt-PT",
        "valores fora do normal na espessura?",
        {"measure": f"outliers:{FILM}"},
        lambda d: s.number(s.far(d[FILM]).sum()),
    ),
    Question(
        "en",
        "find the outliers in brilho",
        {"measure": f"outliers:{GLOSS}"},
        lambda d: s.number(s.far(d[GLOSS]).sum()),
    ),
    Question(
        "pt-BR",
        "tem dado faltando em alguma coluna?",
        {"measure": "missing"},
        s.gaps,
    ),
    Question(
        "en",
        "are there duplicate rows",
        {"measure": "duplicates"},
        lambda d: s.number(d.duplicated().sum()),
    ),
    # Going on from what was said.
    Question(
        "pt-PT",
        "e o máximo?",
        {"measure": f"max:{FILM}", "filters": [[PART, "is", ["Spoiler"]]]},
        lambda d: s.number(d.loc[d[PART] == "Spoiler", FILM].max()),
        before=("espessura média no spoiler",),
    ),
    Question(
        "pt-PT",
        "e no mês anterior?",
        {
            "measure": "count",
            "group": [ROBOT],
            "filters": [[RESULT, "is", ["NOK"]]],
            "period": JANUARY,
        },
        lambda d: s.pairs(d[(d[RESULT] == "NOK") & (d[DATE].dt.month == 1)].groupby(ROBOT).size()),
        before=("quantos NOK por máquina este mês?",),
    ),
    Question(
        "en",
        "only lateral esquerda",
        {
            "measure": f"mean:{FILM}",
            "group": [PART],
            "filters": [[PLACE, "is", ["Lateral esquerda"]]],
        },
        lambda d: s.pairs(d[d[PLACE] == "Lateral esquerda"].groupby(PART)[FILM].mean()),
        before=("average espessura by part",),
    ),
    Question(
        "pt-BR",
        "agora por operador em vez de peça",
        {"measure": f"mean:{GLOSS}", "group": [WHO], "period": FEBRUARY},
        lambda d: s.pairs(d[d[DATE].dt.month == 2].groupby(WHO)[GLOSS].mean()),
        before=("brilho médio por peça", "só fevereiro"),
    ),
    # Nothing that is there.
    Question("pt-PT", "espessura média por cor", {"words": ["cor"]}, expect="decline"),
    Question("en", "what was the viscosity yesterday?", {"words": ["viscosity"]}, expect="decline"),
    Question(
        "pt-PT",
        "por que motivo o robô 3 pinta mais grosso?",
        {"words": ["por que motivo"]},
        expect="decline",
    ),
    Question("en", "will it rain on Monday?", {"words": ["rain"]}, expect="decline"),
    Question("en", "readings from Robô 7", {"words": ["Robô 7"]}, expect="decline"),
    Question(
        "pt-PT", "prevê a espessura da próxima semana", {"words": ["prevê"]}, expect="decline"
    ),
    # More than one honest reading.
    Question(
        "pt-PT",
        "média por máquina",
        {"words": ["média", FILM, GLOSS, WARM, DAMP]},
        expect="ask",
    ),
    Question(
        "en",
        "how many did Costa measure?",
        {"words": ["Costa", "Ana Costa", "Rui Costa"]},
        expect="ask",
    ),
    Question(
        "pt-BR",
        "quantos ficaram acima de 24?",
        {"words": ["24", FILM, GLOSS, WARM, DAMP]},
        expect="ask",
    ),
    # Talk.
    Question("pt-PT", "ola", {"talk": "greeting"}, expect="talk"),
    Question("en", "what can you do?", {"talk": "help"}, expect="talk"),
)
