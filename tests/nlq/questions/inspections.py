"""Paint inspections kept in an English workbook, asked about in English and in Portuguese."""

import re
import zipfile
from datetime import datetime
from io import BytesIO

import numpy as np
import pandas as pd
from openpyxl import Workbook

from tests.nlq.questions import forms
from tests.nlq.questions.question import FILES, Question

NAME = "inspections"
FILE = "paint_inspections.xlsx"

DATE, PART, REWORK, COST = (
    "Inspection Date",
    "Part Number",
    "Rework Minutes",
    "Scrap Cost (EUR)",
)
LAST = pd.Timestamp("2026-03-27")  # a Friday, in week 13


def frame() -> pd.DataFrame:
    """About 280 inspections from January to March 2026."""
    draw = np.random.default_rng(20260327)
    days = pd.date_range("2026-01-05", LAST, freq="D")
    days = days[days.day_of_week < 6]
    weight = np.where(days.month == 2, 1.25, 1.0) * np.where(days.day_of_week == 0, 1.4, 1.0)
    weight = np.where(days == pd.Timestamp("2026-02-11"), 4.5, weight)
    weight = np.where(days >= pd.Timestamp("2026-03-25"), 2.0, weight)
    total = 276
    dates = pd.Series(draw.choice(days, total, p=weight / weight.sum())).sort_values()
    severity = draw.choice([1, 2, 3, 4, 5], total, p=[0.18, 0.3, 0.27, 0.16, 0.09])
    failed = draw.random(total) < 0.08 + 0.11 * severity
    rework = np.round(draw.gamma(3.0, 5.0, total) + 4 * severity).astype(float)
    rework[draw.choice(total, 5, replace=False)] += 90
    cost = np.where(failed, draw.gamma(2.2, 22.0, total) + 6, draw.gamma(1.5, 7.0, total))
    made = pd.DataFrame(
        {
            DATE: dates.to_numpy(),
            "DefectType": draw.choice(
                ["Dirt", "Crater", "Run", "Orange Peel", "Scratch", "Overspray", "Thin Film"],
                total,
                p=[0.27, 0.2, 0.16, 0.13, 0.11, 0.08, 0.05],
            ),
            PART: draw.choice(
                ["004512", "004513", "007781", "012090", "000318", "019944", "004520"],
                total,
                p=[0.25, 0.19, 0.16, 0.14, 0.11, 0.09, 0.06],
            ),
            "Shift": draw.choice(["A", "B", "C"], total, p=[0.42, 0.33, 0.25]),
            "Inspector": draw.choice(
                ["Julia", "Carlos", "Emma", "Priya", "Tom", "Olive"],
                total,
                p=[0.26, 0.21, 0.18, 0.15, 0.12, 0.08],
            ),
            "Colour": draw.choice(
                ["Black", "White", "Silver", "Red", "Blue", "Olive"],
                total,
                p=[0.3, 0.23, 0.18, 0.14, 0.09, 0.06],
            ),
            "paint_line": draw.choice(["L1", "L2", "L3"], total, p=[0.45, 0.34, 0.21]),
            "Severity": pd.array(severity, dtype="Int64"),
            REWORK: rework,
            "Passed": np.where(failed, "no", "yes"),
            COST: np.round(cost, 2),
        }
    )
    for column, holes in (("Inspector", 6), ("Colour", 4), ("Severity", 5), (REWORK, 17)):
        made.loc[draw.choice(total, holes, replace=False), column] = None
    made.loc[draw.choice(total, 11, replace=False), COST] = None
    made.loc[draw.choice(np.arange(20, 200), 2, replace=False), DATE] = pd.NaT
    again = made.iloc[[31, 90, 144, 201]]
    return pd.concat([made, again]).reset_index(drop=True)


def write() -> None:
    """The workbook, the same bytes every time."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Inspections"
    made = frame()
    sheet.append(list(made.columns))
    for line in made.astype(object).itertuples(index=False):
        cells = [None if pd.isna(cell) else cell for cell in line]
        if isinstance(cells[0], pd.Timestamp):
            cells[0] = cells[0].to_pydatetime()
        sheet.append(cells)
    for cell in sheet["A"][1:]:
        cell.number_format = "yyyy-mm-dd"
    book.properties.created = datetime(2026, 3, 27)
    saved = BytesIO()
    book.save(saved)
    FILES.mkdir(exist_ok=True)
    with (
        zipfile.ZipFile(saved) as drawn,
        zipfile.ZipFile(FILES / FILE, "w", zipfile.ZIP_DEFLATED) as kept,
    ):
        for name in drawn.namelist():
            part = drawn.read(name)
            if name == "docProps/core.xml":
                part = re.sub(
                    rb"(<dcterms:modified[^>]*>)[^<]*", rb"\g<1>2026-03-27T00:00:00Z", part
                )
            stamp = zipfile.ZipInfo(name, (2026, 3, 27, 0, 0, 0))
            kept.writestr(stamp, part, zipfile.ZIP_DEFLATED)


def _from_to(d: pd.DataFrame, first: str, last: str) -> pd.DataFrame:
    """The rows of a period, both ends in it."""
    return d[(d[DATE] >= pd.Timestamp(first)) & (d[DATE] <= pd.Timestamp(last))]


QUESTIONS: tuple[Question, ...] = (
    # Counts and filters by value.
    Question(
        "en",
        "how many inspections are in this file?",
        {"measure": "count"},
        lambda d: forms.number(len(d)),
    ),
    Question(
        "en",
        "how many craters did we get",
        {"measure": "count", "filters": [["DefectType", "is", ["Crater"]]]},
        lambda d: forms.number((d["DefectType"] == "Crater").sum()),
    ),
    Question(
        "en",
        "orange peal on black parts, how many?",
        {
            "measure": "count",
            "filters": [["DefectType", "is", ["Orange Peel"]], ["Colour", "is", ["Black"]]],
        },
        lambda d: forms.number(
            ((d["DefectType"] == "Orange Peel") & (d["Colour"] == "Black")).sum()
        ),
    ),
    Question(
        "pt-PT",
        "qts riscos na linha L2",
        {
            "measure": "count",
            "filters": [["DefectType", "is", ["Scratch"]], ["paint_line", "is", ["L2"]]],
        },
        lambda d: forms.number(len(d.query("DefectType == 'Scratch' and paint_line == 'L2'"))),
    ),
    Question(
        "pt-PT",
        "quantas crateras ou escorridos apanhou o Carlos?",
        {
            "measure": "count",
            "filters": [
                ["DefectType", "is", ["Crater", "Run"]],
                ["Inspector", "is", ["Carlos"]],
            ],
        },
        lambda d: forms.number(
            (d["DefectType"].isin(["Crater", "Run"]) & (d["Inspector"] == "Carlos")).sum()
        ),
    ),
    Question(
        "en",
        "count everything except dirt on line L3",
        {
            "measure": "count",
            "filters": [["DefectType", "is not", ["Dirt"]], ["paint_line", "is", ["L3"]]],
        },
        lambda d: forms.number(
            ((d["DefectType"] != "Dirt") & (d["paint_line"] == "L3")).sum(),
        ),
    ),
    Question(
        "en",
        "how many checks on part 004512?",
        {"measure": "count", "filters": [[PART, "is", ["004512"]]]},
        lambda d: forms.number((d[PART] == "004512").sum()),
    ),
    Question(
        "pt-BR",
        "me mostra os registros da Priya que não passaram",
        {
            "measure": "rows",
            "filters": [["Inspector", "is", ["Priya"]], ["Passed", "is", ["no"]]],
        },
        lambda d: forms.rows(d[(d["Inspector"] == "Priya") & (d["Passed"] == "no")]),
    ),
    Question(
        "pt-PT",
        "lista as peças vermelhas com sujidade do turno C",
        {
            "measure": "rows",
            "filters": [
                ["Colour", "is", ["Red"]],
                ["DefectType", "is", ["Dirt"]],
                ["Shift", "is", ["C"]],
            ],
        },
        lambda d: forms.rows(
            d[(d["Colour"] == "Red") & (d["DefectType"] == "Dirt") & (d["Shift"] == "C")]
        ),
    ),
    # Filters by number.
    Question(
        "en",
        "how many with severity 4 or more",
        {"measure": "count", "filters": [["Severity", "at least", [4]]]},
        lambda d: forms.number(d["Severity"].isin([4, 5]).sum()),
    ),
    Question(
        "en",
        "how many needed between 30 and 60 rework minutes?",
        {"measure": "count", "filters": [[REWORK, "between", [30, 60]]]},
        lambda d: forms.number(d[REWORK].between(30, 60).sum()),
    ),
    Question(
        "en",
        "show me the rows where scrap cost is over 80 euros",
        {"measure": "rows", "filters": [[COST, "above", [80]]]},
        lambda d: forms.rows(d[d[COST] > 80]),
    ),
    Question(
        "pt-PT",
        "quantas inspeções com custo de sucata acima de 25,5 e que mesmo assim passaram?",
        {
            "measure": "count",
            "filters": [[COST, "above", [25.5]], ["Passed", "is", ["yes"]]],
        },
        lambda d: forms.number(((d[COST] > 25.5) & (d["Passed"] == "yes")).sum()),
    ),
    Question(
        "en",
        "Rework under 20 min on line L1 - how many?",
        {
            "measure": "count",
            "filters": [[REWORK, "below", [20]], ["paint_line", "is", ["L1"]]],
        },
        lambda d: forms.number((d.loc[d["paint_line"] == "L1", REWORK] < 20).sum()),
    ),
    # Time.
    Question(
        "en",
        "how many defects yesterday?",
        {"measure": "count", "period": ["2026-03-26", "2026-03-26"]},
        lambda d: forms.number((d[DATE] == "2026-03-26").sum()),
    ),
    Question(
        "en",
        "how many inspections did we do last week",
        {"measure": "count", "period": ["2026-03-16", "2026-03-22"]},
        lambda d: forms.number(len(_from_to(d, "2026-03-16", "2026-03-22"))),
    ),
    Question(
        "en",
        "runs in week 7?",
        {
            "measure": "count",
            "filters": [["DefectType", "is", ["Run"]]],
            "period": ["2026-02-09", "2026-02-15"],
        },
        lambda d: forms.number(
            (_from_to(d, "2026-02-09", "2026-02-15")["DefectType"] == "Run").sum()
        ),
    ),
    Question(
        "en",
        "total scrap cost in February",
        {"measure": f"sum:{COST}", "period": ["2026-02-01", "2026-02-28"]},
        lambda d: forms.number(d.loc[d[DATE].dt.month == 2, COST].sum()),
    ),
    Question(
        "pt-PT",
        "quantos defeitos já temos esta semana?",
        {"measure": "count", "period": ["2026-03-23", "2026-03-29"]},
        lambda d: forms.number((d[DATE] >= "2026-03-23").sum()),
    ),
    Question(
        "pt-PT",
        "minutos de retrabalho gastos desde 15 de março",
        {"measure": f"sum:{REWORK}", "period": ["2026-03-15", "2026-03-27"]},
        lambda d: forms.number(d.loc[d[DATE] >= "2026-03-15", REWORK].sum()),
    ),
    Question(
        "en",
        "how many in the last 7 days failed?",
        {
            "measure": "count",
            "filters": [["Passed", "is", ["no"]]],
            "period": ["2026-03-21", "2026-03-27"],
        },
        lambda d: forms.number((_from_to(d, "2026-03-21", "2026-03-27")["Passed"] == "no").sum()),
    ),
    Question(
        "pt-BR",
        "quantas inspeções foram feitas no mês passado?",
        {"measure": "count", "period": ["2026-02-01", "2026-02-28"]},
        lambda d: forms.number((d[DATE].dt.month == 2).sum()),
    ),
    Question(
        "pt-PT",
        "riscos de 10 a 20/02, quantos foram",
        {
            "measure": "count",
            "filters": [["DefectType", "is", ["Scratch"]]],
            "period": ["2026-02-10", "2026-02-20"],
        },
        lambda d: forms.number(
            (_from_to(d, "2026-02-10", "2026-02-20")["DefectType"] == "Scratch").sum()
        ),
    ),
    Question(
        "en",
        "inspections on mondays, how many",
        {"measure": "count", "filters": [[f"{DATE}@weekday", "is", ["1"]]]},
        lambda d: forms.number((d[DATE].dt.day_name() == "Monday").sum()),
    ),
    # Groupings.
    Question(
        "en",
        "defects by shift",
        {"measure": "count", "group": ["Shift"]},
        lambda d: forms.pairs(d.groupby("Shift").size()),
    ),
    Question(
        "en",
        "breakdown by defect type, biggest first",
        {"measure": "count", "group": ["DefectType"], "order": "most"},
        lambda d: forms.top(d["DefectType"].value_counts()),
    ),
    Question(
        "pt-PT",
        "ordena por nome",
        {"measure": f"mean:{COST}", "group": ["Inspector"], "sort": "name"},
        lambda d: forms.pairs(d.groupby("Inspector")[COST].mean().sort_index(), ordered=True),
        before=("custo medio de sucata por inspetor",),
    ),
    Question(
        "en",
        "cross table of defect type against shift",
        {"measure": "count", "group": ["DefectType", "Shift"]},
        lambda d: forms.cross(d.groupby(["DefectType", "Shift"]).size()),
    ),
    Question(
        "en",
        "how many fails per week?",
        {
            "measure": "count",
            "group": [f"{DATE}@week"],
            "filters": [["Passed", "is", ["no"]]],
        },
        lambda d: forms.pairs(forms.week(d.loc[d["Passed"] == "no", DATE]).value_counts()),
    ),
    Question(
        "pt-PT",
        "defeitos por dia da semana",
        {"measure": "count", "group": [f"{DATE}@weekday"]},
        lambda d: forms.pairs(forms.weekday(d[DATE]).value_counts()),
    ),
    Question(
        "en",
        "average rework time by inspector",
        {"measure": f"mean:{REWORK}", "group": ["Inspector"]},
        lambda d: forms.pairs(d.groupby("Inspector")[REWORK].mean()),
    ),
    Question(
        "en",
        "total scrap cost per colour",
        {"measure": f"sum:{COST}", "group": ["Colour"]},
        lambda d: forms.pairs(d.groupby("Colour")[COST].sum()),
    ),
    Question(
        "pt-PT",
        "custo médio de sucata por número de peça",
        {"measure": f"mean:{COST}", "group": [PART]},
        lambda d: forms.pairs(d.groupby(PART)[COST].mean()),
    ),
    Question(
        "pt-BR",
        "qual a média de minutos de retrabalho por turno?",
        {"measure": f"mean:{REWORK}", "group": ["Shift"]},
        lambda d: forms.pairs(d.groupby("Shift")[REWORK].mean()),
    ),
    Question(
        "en",
        "show it as a line chart, just february",
        {
            "measure": "count",
            "group": [f"{DATE}@day"],
            "period": ["2026-02-01", "2026-02-28"],
            "chart": "line",
        },
        lambda d: forms.pairs(d.loc[d[DATE].dt.month == 2, DATE].value_counts()),
        before=("inspections per day",),
    ),
    # First and last of a ranking.
    Question(
        "en",
        "top 3 defects",
        {"measure": "count", "group": ["DefectType"], "top": 3, "order": "most"},
        lambda d: forms.top(d["DefectType"].value_counts(), 3),
    ),
    Question(
        "en",
        "which part number fails the most?",
        {
            "measure": "count",
            "group": [PART],
            "filters": [["Passed", "is", ["no"]]],
            "top": 1,
            "order": "most",
        },
        lambda d: forms.top(d[d["Passed"] == "no"].groupby(PART).size(), 1),
    ),
    Question(
        "pt-PT",
        "os 2 inspetores com menos inspeções",
        {"measure": "count", "group": ["Inspector"], "top": 2, "order": "least"},
        lambda d: forms.top(d["Inspector"].value_counts(), 2, least=True),
    ),
    Question(
        "en",
        "worst 3 colours by scrap cost",
        {"measure": f"sum:{COST}", "group": ["Colour"], "top": 3, "order": "most"},
        lambda d: forms.top(d.groupby("Colour")[COST].sum(), 3),
    ),
    Question(
        "pt-PT",
        "em que dia houve mais defeitos?",
        {"measure": "count", "group": [f"{DATE}@day"], "top": 1, "order": "most"},
        lambda d: forms.top(d[DATE].value_counts(), 1),
    ),
    # Shares.
    Question(
        "en",
        "what % of inspections failed?",
        {"measure": "share", "filters": [["Passed", "is", ["no"]]]},
        lambda d: forms.number(100 * (d["Passed"] == "no").mean()),
    ),
    Question(
        "en",
        "pass rate by line",
        {"measure": "share", "group": ["paint_line"], "filters": [["Passed", "is", ["yes"]]]},
        lambda d: forms.pairs(100 * (d["Passed"] == "yes").groupby(d["paint_line"]).mean()),
    ),
    Question(
        "pt-PT",
        "que percentagem dos defeitos é casca de laranja?",
        {"measure": "share", "filters": [["DefectType", "is", ["Orange Peel"]]]},
        lambda d: forms.number(100 * (d["DefectType"] == "Orange Peel").sum() / len(d)),
    ),
    Question(
        "en",
        "what share of last month's defects was dirt",
        {
            "measure": "share",
            "filters": [["DefectType", "is", ["Dirt"]]],
            "period": ["2026-02-01", "2026-02-28"],
        },
        lambda d: forms.number(
            100 * (_from_to(d, "2026-02-01", "2026-02-28")["DefectType"] == "Dirt").mean()
        ),
    ),
    # Statistics.
    Question(
        "en",
        "avg rework minutes",
        {"measure": f"mean:{REWORK}"},
        lambda d: forms.number(d[REWORK].mean()),
    ),
    Question(
        "pt-BR",
        "qual foi o maior custo de sucata nas peças brancas?",
        {"measure": f"max:{COST}", "filters": [["Colour", "is", ["White"]]]},
        lambda d: forms.number(d.loc[d["Colour"] == "White", COST].max()),
    ),
    Question(
        "en",
        "median severity of the craters",
        {"measure": "median:Severity", "filters": [["DefectType", "is", ["Crater"]]]},
        lambda d: forms.number(d.loc[d["DefectType"] == "Crater", "Severity"].median()),
    ),
    Question(
        "en",
        "how many different part numbers do we paint?",
        {"measure": f"distinct:{PART}"},
        lambda d: forms.number(d[PART].nunique()),
    ),
    Question(
        "pt-PT",
        "que cores aparecem nos dados?",
        {"measure": "distinct:Colour"},
        lambda d: forms.names(d["Colour"].dropna().unique()),
    ),
    # Comparisons.
    Question(
        "en",
        "Julia vs Carlos, average rework",
        {
            "measure": f"mean:{REWORK}",
            "group": ["Inspector"],
            "filters": [["Inspector", "is", ["Julia", "Carlos"]]],
            "compare": True,
        },
        lambda d: forms.pairs(
            d[d["Inspector"].isin(["Julia", "Carlos"])].groupby("Inspector")[REWORK].mean()
        ),
    ),
    Question(
        "pt-PT",
        "compara fevereiro com março em custo de sucata",
        {
            "measure": f"sum:{COST}",
            "group": [f"{DATE}@month"],
            "period": ["2026-02-01", "2026-03-31"],
            "compare": True,
        },
        lambda d: forms.pairs(d[d[DATE] >= "2026-02-01"].groupby(forms.month(d[DATE]))[COST].sum()),
    ),
    # Charts and what a statistician asks.
    Question(
        "en",
        "pareto of defect types",
        {
            "measure": "count",
            "group": ["DefectType"],
            "order": "most",
            "cumulative": True,
            "chart": "pareto",
        },
        lambda d: forms.top(d.groupby("DefectType").size()),
    ),
    Question(
        "pt-PT",
        "histograma dos minutos de retrabalho",
        {"measure": f"values:{REWORK}", "chart": "histogram"},
        lambda d: forms.rows(d.dropna(subset=[REWORK])),
    ),
    Question(
        "en",
        "running total of scrap cost by week",
        {"measure": f"sum:{COST}", "group": [f"{DATE}@week"], "cumulative": True},
        lambda d: forms.pairs(d.groupby(forms.week(d[DATE]))[COST].sum().cumsum()),
    ),
    Question(
        "pt-BR",
        "o tempo de retrabalho tem relação com a severidade?",
        {"measure": f"correlation:{REWORK},Severity"},
        lambda d: forms.number(
            d[[REWORK, "Severity"]].dropna().astype(float).corr().iloc[0, 1],
        ),
    ),
    Question(
        "en",
        "any outliers in the rework minutes?",
        {"measure": f"outliers:{REWORK}"},
        lambda d: forms.rows(d[forms.far(d[REWORK])]),
    ),
    Question(
        "en",
        "what's missing in this file",
        {"measure": "missing"},
        forms.gaps,
    ),
    Question(
        "pt-PT",
        "existem registos duplicados?",
        {"measure": "duplicates"},
        lambda d: forms.number(d.duplicated().sum()),
    ),
    # Conversations.
    Question(
        "en",
        "in percent?",
        {"measure": "share", "group": ["Shift"]},
        lambda d: forms.pairs(100 * d["Shift"].value_counts() / len(d)),
        before=("defects by shift",),
    ),
    Question(
        "en",
        "only line L2",
        {
            "measure": "count",
            "group": ["DefectType"],
            "filters": [["paint_line", "is", ["L2"]]],
            "top": 2,
            "order": "most",
        },
        lambda d: forms.top(d[d["paint_line"] == "L2"].groupby("DefectType").size(), 2),
        before=("top 2 defects",),
    ),
    Question(
        "pt-PT",
        "e só as que chumbaram?",
        {
            "measure": "count",
            "group": ["Inspector"],
            "filters": [["Passed", "is", ["no"]]],
        },
        lambda d: forms.pairs(d[d["Passed"] == "no"]["Inspector"].value_counts()),
        before=("quantas inspeções fez cada inspetor?",),
    ),
    Question(
        "en",
        "now by colour instead",
        {"measure": f"median:{REWORK}", "group": ["Colour"]},
        lambda d: forms.pairs(d.groupby("Colour")[REWORK].median()),
        before=("median rework minutes by line",),
    ),
    Question(
        "pt-PT",
        "e em janeiro?",
        {
            "measure": f"sum:{COST}",
            "group": ["paint_line"],
            "period": ["2026-01-01", "2026-01-31"],
        },
        lambda d: forms.pairs(d[d[DATE].dt.month == 1].groupby("paint_line")[COST].sum()),
        before=("custo de sucata por linha em fevereiro",),
    ),
    Question(
        "en",
        "go back",
        {
            "measure": "count",
            "filters": [["Passed", "is", ["no"]]],
            "period": ["2026-02-01", "2026-02-28"],
        },
        lambda d: forms.number(((d[DATE].dt.month == 2) & (d["Passed"] == "no")).sum()),
        before=("how many failed in february?", "and by shift?"),
    ),
    # Nothing in the data answers these.
    Question(
        "en",
        "how many on the night shift?",
        {"words": ["night"]},
        expect="decline",
    ),
    Question("en", "why is line L2 so bad?", {"words": ["why"]}, expect="decline"),
    Question(
        "en",
        "defects per customer",
        {"words": ["customer"]},
        expect="decline",
    ),
    Question(
        "pt-PT",
        "quantas inspeções fez o Roberto?",
        {"words": ["Roberto"]},
        expect="decline",
    ),
    Question(
        "pt-BR",
        "quanto vai ser o custo de sucata no mês que vem?",
        {"words": ["mês que vem"]},
        expect="decline",
    ),
    # Two honest readings or more.
    Question(
        "en",
        "how many for olive?",
        {"words": ["olive", "Colour", "Inspector"]},
        expect="ask",
    ),
    Question(
        "en",
        "what's the average per line?",
        {"words": ["average", "Severity", REWORK, COST]},
        expect="ask",
    ),
    Question(
        "pt-PT",
        "qual é o pior turno?",
        {"words": ["pior", "count", "Passed", "Severity", REWORK, COST]},
        expect="ask",
    ),
    # Small talk.
    Question("en", "hi there", {"talk": "greeting"}, expect="talk"),
    Question("en", "what can you do for me?", {"talk": "help"}, expect="talk"),
    Question("pt-BR", "valeu, era isso que eu precisava", {"talk": "thanks"}, expect="talk"),
)
