"""Defects of painted parts, February 2026: the repository's own file, one row a defect."""

import shutil
from pathlib import Path

import pandas as pd

from tests.nlq.questions import forms as s
from tests.nlq.questions.question import FILES, Question

NAME = "defects"
FILE = "defeitos.csv"
ORIGINAL = Path(__file__).parents[3] / "data" / FILE


def frame() -> pd.DataFrame:
    """The rows, with real dates. The last is 28 February 2026, a Saturday."""
    return pd.read_csv(ORIGINAL, parse_dates=["data"])


def write() -> None:
    """Copies the file."""
    FILES.mkdir(exist_ok=True)
    shutil.copyfile(ORIGINAL, FILES / FILE)


QUESTIONS: tuple[Question, ...] = (
    # Counting and filtering.
    Question(
        "pt-PT", "quantos defeitos temos ao todo?", {"measure": "count"}, lambda d: s.number(len(d))
    ),
    Question(
        "pt-PT",
        "qtos defeitos de lixo apanhamos à noite",
        {
            "measure": "count",
            "filters": [["tipo_defeito", "is", ["lixo"]], ["turno", "is", ["noite"]]],
        },
        lambda d: s.number(len(d.query("tipo_defeito == 'lixo' and turno == 'noite'"))),
    ),
    Question(
        "en",
        "how many defects did Julia have on the morning shift?",
        {
            "measure": "count",
            "filters": [["operador", "is", ["Julia"]], ["turno", "is", ["manha"]]],
        },
        lambda d: s.number(len(d.query("operador == 'Julia' and turno == 'manha'"))),
    ),
    Question(
        "pt-PT",
        "casca de laranja no abs cinza, quantas?",
        {
            "measure": "count",
            "filters": [
                ["tipo_defeito", "is", ["casca_laranja"]],
                ["material", "is", ["ABS_Cinza"]],
            ],
        },
        lambda d: s.number(
            len(d.query("tipo_defeito == 'casca_laranja' and material == 'ABS_Cinza'"))
        ),
    ),
    Question(
        "pt-BR",
        "quantos registros têm escorrido ou gordura?",
        {"measure": "count", "filters": [["tipo_defeito", "is", ["escorrido", "gordura"]]]},
        lambda d: s.number(len(d.query("tipo_defeito in ['escorrido', 'gordura']"))),
    ),
    Question(
        "pt-PT",
        "defeitos por operador sem contar o lixo",
        {
            "measure": "count",
            "group": ["operador"],
            "filters": [["tipo_defeito", "is not", ["lixo"]]],
        },
        lambda d: s.pairs(d.query("tipo_defeito != 'lixo'").groupby("operador").size()),
    ),
    Question(
        "en",
        "count of everything except lixo and falta_tinta",
        {
            "measure": "count",
            "filters": [["tipo_defeito", "is not", ["lixo", "falta_tinta"]]],
        },
        lambda d: s.number(len(d.query("tipo_defeito not in ['lixo', 'falta_tinta']"))),
    ),
    Question(
        "pt-PT",
        "quantas crateras fez a Margarta?",
        {
            "measure": "count",
            "filters": [
                ["tipo_defeito", "is", ["crateras"]],
                ["operador", "is", ["Margareta"]],
            ],
        },
        lambda d: s.number(len(d.query("tipo_defeito == 'crateras' and operador == 'Margareta'"))),
    ),
    Question(
        "pt-PT",
        "quantos na posição acima de 5?",
        {"measure": "count", "filters": [["posicao", "above", [5]]]},
        lambda d: s.number((d["posicao"] > 5).sum()),
    ),
    Question(
        "en",
        "defects in positions 2 to 4 on rack R12",
        {
            "measure": "count",
            "filters": [["posicao", "between", [2, 4]], ["rack", "is", ["R12"]]],
        },
        lambda d: s.number(len(d.query("2 <= posicao <= 4 and rack == 'R12'"))),
    ),
    Question(
        "pt-PT",
        "defeitos por tipo, só da posição 8 para cima",
        {
            "measure": "count",
            "group": ["tipo_defeito"],
            "filters": [["posicao", "at least", [8]]],
        },
        lambda d: s.pairs(d[d["posicao"] >= 8].groupby("tipo_defeito").size()),
    ),
    Question(
        "pt-BR",
        "quantos defeitos deram na posição 1 do PP negro?",
        {
            "measure": "count",
            "filters": [["posicao", "is", [1]], ["material", "is", ["PP_Negro"]]],
        },
        lambda d: s.number(len(d.query("posicao == 1 and material == 'PP_Negro'"))),
    ),
    # Time.
    Question(
        "pt-PT",
        "quantos defeitos houve ontem?",
        {"measure": "count", "period": ["2026-02-27", "2026-02-27"]},
        lambda d: s.number((d["data"] == "2026-02-27").sum()),
    ),
    Question(
        "pt-PT",
        "mostra os defeitos de gordura da semana passada",
        {
            "measure": "rows",
            "filters": [["tipo_defeito", "is", ["gordura"]]],
            "period": ["2026-02-16", "2026-02-22"],
        },
        lambda d: s.rows(
            d.query("tipo_defeito == 'gordura' and '2026-02-16' <= data <= '2026-02-22'")
        ),
    ),
    Question(
        "pt-PT",
        "lixo na semana 7 por turno",
        {
            "measure": "count",
            "group": ["turno"],
            "filters": [["tipo_defeito", "is", ["lixo"]]],
            "period": ["2026-02-09", "2026-02-15"],
        },
        lambda d: s.pairs(
            s.span(d, "data", "2026-02-09", "2026-02-15")
            .query("tipo_defeito == 'lixo'")
            .groupby("turno")
            .size()
        ),
    ),
    Question(
        "pt-PT",
        "de 10 a 15/02 quem teve mais defeitos?",
        {
            "measure": "count",
            "group": ["operador"],
            "period": ["2026-02-10", "2026-02-15"],
            "top": 1,
            "order": "most",
        },
        lambda d: s.top(
            s.span(d, "data", "2026-02-10", "2026-02-15").groupby("operador").size(), 1
        ),
    ),
    Question(
        "en",
        "how many defects between 3 and 5 February?",
        {"measure": "count", "period": ["2026-02-03", "2026-02-05"]},
        lambda d: s.number(d["data"].between("2026-02-03", "2026-02-05").sum()),
    ),
    Question(
        "pt-PT",
        "desde dia 20 quantos defeitos por material",
        {
            "measure": "count",
            "group": ["material"],
            "period": ["2026-02-20", "2026-02-28"],
        },
        lambda d: s.pairs(d[d["data"] >= "2026-02-20"].groupby("material").size()),
    ),
    Question(
        "pt-PT",
        "total até ao dia 5 no turno da noite",
        {
            "measure": "count",
            "filters": [["turno", "is", ["noite"]]],
            "period": ["2026-02-01", "2026-02-05"],
        },
        lambda d: s.number(len(d.query("turno == 'noite' and data <= '2026-02-05'"))),
    ),
    Question(
        "en",
        "last 7 days by day",
        {
            "measure": "count",
            "group": ["data@day"],
            "period": ["2026-02-22", "2026-02-28"],
        },
        lambda d: s.pairs(s.span(d, "data", "2026-02-22", "2026-02-28").groupby("data").size()),
    ),
    Question(
        "pt-PT",
        "quantos defeitos deram às segundas?",
        {"measure": "count", "filters": [["data@weekday", "is", ["1"]]]},
        lambda d: s.number((d["data"].dt.day_name() == "Monday").sum()),
    ),
    Question(
        "pt-BR",
        "quantos defeitos tivemos de terça?",
        {"measure": "count", "filters": [["data@weekday", "is", ["2"]]]},
        lambda d: s.number((d["data"].dt.day_name() == "Tuesday").sum()),
    ),
    Question(
        "en",
        "weekend defects per operator",
        {
            "measure": "count",
            "group": ["operador"],
            "filters": [["data@weekday", "is", ["6", "7"]]],
        },
        lambda d: s.pairs(d[d["data"].dt.day_of_week >= 5].groupby("operador").size()),
    ),
    Question(
        "pt-PT",
        "e esta semana, quantos descasques já levamos?",
        {
            "measure": "count",
            "filters": [["tipo_defeito", "is", ["descasque"]]],
            "period": ["2026-02-23", "2026-03-01"],
        },
        lambda d: s.number(len(d.query("tipo_defeito == 'descasque' and data >= '2026-02-23'"))),
    ),
    Question(
        "pt-PT",
        "defeitos na primeira quinzena de fevereiro por tipo",
        {
            "measure": "count",
            "group": ["tipo_defeito"],
            "period": ["2026-02-01", "2026-02-15"],
        },
        lambda d: s.pairs(d[d["data"].dt.day <= 15].groupby("tipo_defeito").size()),
    ),
    Question(
        "en",
        "what happened on 16/02/2026, list the records",
        {"measure": "rows", "period": ["2026-02-16", "2026-02-16"]},
        lambda d: s.rows(d[d["data"] == "2026-02-16"]),
    ),
    # Groups.
    Question(
        "pt-PT",
        "defeitos por turno",
        {"measure": "count", "group": ["turno"]},
        lambda d: s.pairs(d.groupby("turno").size()),
    ),
    Question(
        "pt-BR",
        "me mostra a quantidade de defeitos por dia da semana",
        {"measure": "count", "group": ["data@weekday"]},
        lambda d: s.pairs(d.groupby(s.weekday(d["data"])).size()),
    ),
    Question(
        "en",
        "defects by rack as a bar chart",
        {"measure": "count", "group": ["rack"], "chart": "bar"},
        lambda d: s.pairs(d.groupby("rack").size()),
    ),
    Question(
        "pt-PT",
        "cruza o tipo de defeito com o turno",
        {"measure": "count", "group": ["tipo_defeito", "turno"]},
        lambda d: s.cross(d.groupby(["tipo_defeito", "turno"]).size()),
    ),
    Question(
        "en",
        "table of operator vs material",
        {"measure": "count", "group": ["operador", "material"]},
        lambda d: s.cross(d.groupby(["operador", "material"]).size()),
    ),
    Question(
        "pt-PT",
        "mapa de calor rack por posição",
        {"measure": "count", "group": ["rack", "posicao"], "chart": "heatmap"},
        lambda d: s.cross(d.groupby(["rack", "posicao"]).size()),
    ),
    Question(
        "pt-PT",
        "evolução semanal dos defeitos",
        {"measure": "count", "group": ["data@week"]},
        lambda d: s.pairs(d.groupby(s.week(d["data"])).size()),
    ),
    Question(
        "en",
        "daily trend of lixo, line chart pls",
        {
            "measure": "count",
            "group": ["data@day"],
            "filters": [["tipo_defeito", "is", ["lixo"]]],
            "chart": "line",
        },
        lambda d: s.pairs(d[d["tipo_defeito"] == "lixo"].groupby("data").size()),
    ),
    Question(
        "pt-PT",
        "total acumulado de defeitos por dia",
        {"measure": "count", "group": ["data@day"], "cumulative": True},
        lambda d: s.pairs(d.groupby("data").size().cumsum()),
    ),
    Question(
        "en",
        "weekly count for each shift",
        {"measure": "count", "group": ["data@week", "turno"]},
        lambda d: s.cross(d.groupby([s.week(d["data"]), "turno"]).size()),
    ),
    # Rankings.
    Question(
        "pt-PT",
        "top 3 defeitos",
        {"measure": "count", "group": ["tipo_defeito"], "top": 3, "order": "most"},
        lambda d: s.top(d["tipo_defeito"].value_counts(), 3),
    ),
    Question(
        "pt-PT",
        "qual é a rack que dá menos problemas?",
        {"measure": "count", "group": ["rack"], "top": 1, "order": "least"},
        lambda d: s.top(d["rack"].value_counts(), 1, least=True),
    ),
    Question(
        "en",
        "worst day in the file",
        {"measure": "count", "group": ["data@day"], "top": 1, "order": "most"},
        lambda d: s.top(d["data"].value_counts(), 1),
    ),
    Question(
        "pt-BR",
        "qual o operador com menos defeitos?",
        {"measure": "count", "group": ["operador"], "top": 1, "order": "least"},
        lambda d: s.top(d["operador"].value_counts(), 1, least=True),
    ),
    Question(
        "en",
        "top 4 racks for the ABS_Cinza parts",
        {
            "measure": "count",
            "group": ["rack"],
            "filters": [["material", "is", ["ABS_Cinza"]]],
            "top": 4,
            "order": "most",
        },
        lambda d: s.top(d[d["material"] == "ABS_Cinza"].groupby("rack").size(), 4),
    ),
    Question(
        "pt-PT",
        "faz-me o pareto dos defeitos",
        {
            "measure": "count",
            "group": ["tipo_defeito"],
            "order": "most",
            "cumulative": True,
            "chart": "pareto",
        },
        lambda d: s.top(d.groupby("tipo_defeito").size()),
    ),
    Question(
        "en",
        "pareto of defect types for Julia",
        {
            "measure": "count",
            "group": ["tipo_defeito"],
            "filters": [["operador", "is", ["Julia"]]],
            "order": "most",
            "cumulative": True,
            "chart": "pareto",
        },
        lambda d: s.top(d[d["operador"] == "Julia"].groupby("tipo_defeito").size()),
    ),
    Question(
        "pt-PT",
        "ordena os materiais do que tem mais defeitos para o que tem menos",
        {"measure": "count", "group": ["material"], "order": "most"},
        lambda d: s.top(d.groupby("material").size()),
    ),
    # Shares.
    Question(
        "pt-PT",
        "que percentagem dos defeitos é lixo?",
        {"measure": "share", "filters": [["tipo_defeito", "is", ["lixo"]]]},
        lambda d: s.number(100 * (d["tipo_defeito"] == "lixo").mean()),
    ),
    Question(
        "en",
        "what % of defects come from the night shift in week 8?",
        {
            "measure": "share",
            "filters": [["turno", "is", ["noite"]]],
            "period": ["2026-02-16", "2026-02-22"],
        },
        lambda d: s.number(
            100 * (s.span(d, "data", "2026-02-16", "2026-02-22")["turno"] == "noite").mean()
        ),
    ),
    Question(
        "pt-PT",
        "peso de cada material no total, em %",
        {"measure": "share", "group": ["material"]},
        lambda d: s.pairs(100 * d["material"].value_counts(normalize=True)),
    ),
    Question(
        "pt-BR",
        "gráfico de pizza com a porcentagem por tipo de defeito",
        {"measure": "share", "group": ["tipo_defeito"], "chart": "pie"},
        lambda d: s.pairs(s.percents(d.groupby("tipo_defeito").size())),
    ),
    # Other measures.
    Question(
        "pt-PT",
        "quantas racks diferentes aparecem?",
        {"measure": "distinct:rack"},
        lambda d: s.number(d["rack"].nunique()),
    ),
    Question(
        "en",
        "which operators are in the data?",
        {"measure": "distinct:operador"},
        lambda d: s.names(d["operador"].unique()),
    ),
    Question(
        "pt-BR",
        "qual a mediana da posição no turno da tarde?",
        {"measure": "median:posicao", "filters": [["turno", "is", ["tarde"]]]},
        lambda d: s.number(d.loc[d["turno"] == "tarde", "posicao"].median()),
    ),
    Question(
        "en",
        "average posicao by defect type",
        {"measure": "mean:posicao", "group": ["tipo_defeito"]},
        lambda d: s.pairs(d.groupby("tipo_defeito")["posicao"].mean()),
    ),
    Question(
        "en",
        "highest posicao where we saw escorrido",
        {"measure": "max:posicao", "filters": [["tipo_defeito", "is", ["escorrido"]]]},
        lambda d: s.number(d.query("tipo_defeito == 'escorrido'")["posicao"].max()),
    ),
    Question(
        "pt-PT",
        "histograma da posição",
        {"measure": "values:posicao", "chart": "histogram"},
        lambda d: s.rows(d.dropna(subset=["posicao"])),
    ),
    # Comparisons.
    Question(
        "pt-PT",
        "compara o turno da manhã com o da noite",
        {
            "measure": "count",
            "group": ["turno"],
            "filters": [["turno", "is", ["manha", "noite"]]],
            "compare": True,
        },
        lambda d: s.pairs(d["turno"].value_counts()[["manha", "noite"]]),
    ),
    Question(
        "en",
        "Julia vs Carlos, crateras only",
        {
            "measure": "count",
            "group": ["operador"],
            "filters": [
                ["tipo_defeito", "is", ["crateras"]],
                ["operador", "is", ["Julia", "Carlos"]],
            ],
            "compare": True,
        },
        lambda d: s.pairs(
            d[d["tipo_defeito"] == "crateras"].groupby("operador").size()[["Julia", "Carlos"]]
        ),
    ),
    Question(
        "en",
        "compare week 7 and week 8",
        {
            "measure": "count",
            "group": ["data@week"],
            "period": ["2026-02-09", "2026-02-22"],
            "compare": True,
        },
        lambda d: s.pairs(d.groupby(s.week(d["data"])).size().loc["2026-02-09":"2026-02-16"]),
    ),
    # The table itself, and its rows.
    Question(
        "pt-PT",
        "que colunas há neste ficheiro?",
        {"measure": "columns"},
        lambda d: s.names(d.columns),
    ),
    Question("en", "any missing values?", {"measure": "missing"}, s.gaps),
    Question(
        "pt-PT",
        "há linhas repetidas?",
        {"measure": "duplicates"},
        lambda d: s.number(d.duplicated().sum()),
    ),
    Question("pt-BR", "resume a planilha pra mim", {"measure": "describe"}, s.rows),
    Question(
        "en",
        "show me the descasque rows on R09 or R15",
        {
            "measure": "rows",
            "filters": [["tipo_defeito", "is", ["descasque"]], ["rack", "is", ["R09", "R15"]]],
        },
        lambda d: s.rows(d.query("tipo_defeito == 'descasque' and rack in ['R09', 'R15']")),
    ),
    Question(
        "pt-PT",
        "lista os registos do Pedro com PA Branco depois de 20 de fevereiro",
        {
            "measure": "rows",
            "filters": [["operador", "is", ["Pedro"]], ["material", "is", ["PA_Branco"]]],
            "period": ["2026-02-21", "2026-02-28"],
        },
        lambda d: s.rows(
            d.query("operador == 'Pedro' and material == 'PA_Branco' and data > '2026-02-20'")
        ),
    ),
    # Going on from what was said.
    Question(
        "pt-PT",
        "e só à noite na semana 7?",
        {
            "measure": "count",
            "group": ["operador"],
            "filters": [["turno", "is", ["noite"]]],
            "period": ["2026-02-09", "2026-02-15"],
        },
        lambda d: s.pairs(
            s.span(d, "data", "2026-02-09", "2026-02-15")
            .query("turno == 'noite'")
            .groupby("operador")
            .size()
        ),
        before=("quantos defeitos por operador?",),
    ),
    Question(
        "pt-PT",
        "e por material?",
        {
            "measure": "count",
            "group": ["material"],
            "filters": [["tipo_defeito", "is", ["falta_tinta"]]],
        },
        lambda d: s.pairs(d[d["tipo_defeito"] == "falta_tinta"].groupby("material").size()),
        before=("falta de tinta por turno",),
    ),
    Question(
        "pt-PT",
        "e a Julia?",
        {
            "measure": "count",
            "filters": [["operador", "is", ["Julia"]]],
            "period": ["2026-02-16", "2026-02-22"],
        },
        lambda d: s.number(
            len(s.span(d, "data", "2026-02-16", "2026-02-22").query("operador == 'Julia'"))
        ),
        before=("quantos defeitos teve o Carlos na semana passada?",),
    ),
    Question(
        "en",
        "as percentages please",
        {"measure": "share", "group": ["turno"]},
        lambda d: s.pairs(s.percents(d.groupby("turno").size())),
        before=("defects per shift",),
    ),
    Question(
        "pt-PT",
        "mostra isso num gráfico",
        {
            "measure": "count",
            "group": ["rack"],
            "filters": [["turno", "is", ["tarde"]]],
            "chart": "any",
        },
        lambda d: s.pairs(d[d["turno"] == "tarde"].groupby("rack").size()),
        before=("quais as racks com defeitos?", "conta por rack só à tarde"),
    ),
    Question(
        "pt-PT",
        "volta atrás",
        {"measure": "count", "group": ["material"]},
        lambda d: s.pairs(d.groupby("material").size()),
        before=("defeitos por material", "só o turno da manhã"),
    ),
    Question(
        "en",
        "sort it by name",
        {"measure": "count", "group": ["tipo_defeito"], "sort": "name"},
        lambda d: s.by_name(d.groupby("tipo_defeito").size()),
        before=("defects by type",),
    ),
    Question(
        "en",
        "and without Pedro?",
        {
            "measure": "count",
            "filters": [
                ["material", "is", ["PP_Vermelho"]],
                ["operador", "is not", ["Pedro"]],
            ],
        },
        lambda d: s.number(len(d.query("material == 'PP_Vermelho' and operador != 'Pedro'"))),
        before=("how many defects on PP_Vermelho",),
    ),
    Question(
        "pt-BR",
        "agora só os 5 primeiros",
        {"measure": "count", "group": ["tipo_defeito"], "top": 5, "order": "most"},
        lambda d: s.top(d["tipo_defeito"].value_counts(), 5),
        before=("faz um ranking dos tipos de defeito",),
    ),
    # Nothing that is there.
    Question(
        "pt-PT",
        "defeitos do Alberto",
        {"words": ["Alberto"]},
        expect="decline",
    ),
    Question(
        "pt-PT",
        "porque é que há tanto lixo à noite?",
        {"words": ["porque"]},
        expect="decline",
    ),
    Question(
        "en",
        "defects by paint supplier",
        {"words": ["paint supplier"]},
        expect="decline",
    ),
    Question(
        "pt-BR",
        "quantos defeitos vamos ter em março?",
        {"words": ["vamos ter"]},
        expect="decline",
    ),
    Question(
        "pt-PT",
        "quanto nos custaram as peças com crateras?",
        {"words": ["custaram"]},
        expect="decline",
    ),
    Question(
        "en",
        "should we change the filter in the booth?",
        {"words": ["change the filter", "booth"]},
        expect="decline",
    ),
    Question(
        "en",
        "who is on shift tomorrow?",
        {"words": ["tomorrow"]},
        expect="decline",
    ),
    # More than one honest reading.
    Question(
        "pt-PT",
        "quantos defeitos entre 10 e 14?",
        {
            "words": ["10 e 14", "data de 10 a 14 de fevereiro", "rack de R10 a R14"],
        },
        expect="ask",
    ),
    Question(
        "en",
        "how many in 3?",
        {"words": ["3", "posicao 3", "3 February"]},
        expect="ask",
    ),
    Question(
        "pt-PT",
        "e o PP?",
        {"words": ["PP", "PP_Negro", "PP_Vermelho"]},
        before=("quantos defeitos no ABS_Cinza?",),
        expect="ask",
    ),
    # Talk.
    Question("pt-PT", "boas, bom dia!", {"talk": "greeting"}, expect="talk"),
    Question("en", "who are you?", {"talk": "identity"}, expect="talk"),
    Question("pt-BR", "valeu, obrigado", {"talk": "thanks"}, expect="talk"),
)
