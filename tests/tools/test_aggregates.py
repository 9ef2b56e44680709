"""What `agregar` tells a model: right figures, and of few rows nothing, however it is asked."""

import asyncio
import csv
import math
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

from qhub_desktop.core.errors import InputError
from qhub_desktop.core.result_widgets import Chart, DashboardLink, Kpi, TableView
from qhub_desktop.tools.aggregation import Keys
from qhub_desktop.tools.disclosure import Atoms, ToldQuery, rounded, tellable
from tests.tools.conftest import ToolHarness

Row = dict[str, Any]


def made_rows(seed: int, count: int = 60) -> list[Row]:
    """Rows of few people and many days, whose costs lie over three powers of ten."""
    chance = random.Random(seed)
    return [
        {
            "id": number + 1,
            "turno": chance.choice(["manha", "tarde", "noite"]),
            "operador": chance.choice(["Ana", "Rui", "Eva", "Léo"]),
            "tipo": chance.choice("abcde"),
            "rack": chance.choice(["R1", "R2", "R3", "R4", "R5", "R6"]),
            "data": date(2026, 1, 1) + timedelta(days=chance.randrange(30)),
            "custo": round(math.exp(chance.uniform(0, 7)), 2),
        }
        for number in range(count)
    ]


def written(rows: Sequence[Row], file: Path) -> Path:
    """Write rows to a CSV file."""
    with file.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.DictWriter(opened, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return file


def measures(*kinds: str, of: str = "custo") -> list[dict[str, str]]:
    """Measures of one column."""
    return [{"calculo": kind, "coluna": of} for kind in kinds]


def equals(**columns: object) -> list[dict[str, Any]]:
    """Filters by one value each."""
    return [{"coluna": name, "valores": [value]} for name, value in columns.items()]


async def test_the_figures_are_those_of_another_program(
    harness: ToolHarness, tmp_path: Path
) -> None:
    rows = made_rows(1, 4_000)
    await harness.drop(written(rows, tmp_path / "custos.csv"))
    frame = pd.DataFrame(rows)
    wanted = measures("soma", "media", "mediana", "quartis", "percentagem")

    told = await harness.result(
        "agregar",
        medidas=[{"calculo": "contagem"}, *wanted],
        por=["turno", {"coluna": "data", "por": "semana"}],
        filtros=[{"coluna": "operador", "valores": ["leo", "ANA"]}],
        periodo={"de": "2026-01-05", "ate": "2026-01-25"},
    )

    days = pd.to_datetime(frame["data"])
    chosen = frame[
        frame["operador"].isin(["Léo", "Ana"]) & days.between("2026-01-05", "2026-01-25")
    ].copy()
    week = pd.to_datetime(chosen["data"]).dt.to_period("W-SUN").dt.start_time.dt.date.astype(str)
    groups = chosen.groupby([chosen["turno"], week])["custo"]
    assert told["total"]["contagem"] == len(chosen)
    assert told["colunas"][:3] == ["turno", "data_semana", "contagem"]
    assert len(told["linhas"]) == len(groups)
    for turno, first, count, total, mean, median, low, middle, high, share in told["linhas"]:
        cells = groups.get_group((turno, first))
        assert count == len(cells)
        expected = [
            cells.sum(),
            cells.mean(),
            cells.median(),
            *cells.quantile([0.25, 0.5, 0.75]),
            100 * cells.sum() / chosen["custo"].sum(),
        ]
        assert [total, mean, median, low, middle, high, share] == [rounded(x) for x in expected]


async def test_the_demos_starter_questions_are_answered(harness: ToolHarness) -> None:
    most = await harness.result("agregar", por=["tipo_defeito"], primeiros=5)
    night = await harness.result("agregar", filtros=equals(tipo_defeito="Lixo", turno="noite"))
    shifts = await harness.result("agregar", por=["turno"], medidas=[{"calculo": "percentagem"}])
    chart = await harness.use_closed(
        "gerar_grafico", tipo="bar", titulo="Por rack", consulta={"por": ["rack"]}
    )

    assert [*map(tuple, most["linhas"])][:2] == [("lixo", 62), ("falta_tinta", 31)]
    assert night["total"] == {"contagem": 21}
    assert ["noite", 29.5] in shifts["linhas"]
    assert isinstance(chart.widget, Chart)
    assert ("R12", 38) in chart.widget.data.rows


async def test_what_would_tell_of_few_rows_is_withheld(
    harness: ToolHarness, tmp_path: Path
) -> None:
    rows = [
        {"id": n, "tipo": "a" if n < 150 else "b", "nome": f"Pessoa {n}", "salario": 1000.0 + 7 * n}
        for n in range(300)
    ]
    rows[0] |= {"tipo": "raro"}  # one of its kind
    for number, row in enumerate(rows[200:205]):
        row |= {"tipo": "zeros", "salario": 0.0 if number else 4321.0}
    await harness.drop(written(rows, tmp_path / "pessoas.csv"))
    salary = measures("soma", "media", "mediana", "quartis", of="salario")
    attacks: list[dict[str, Any]] = [
        {"por": ["tipo"]},
        {"por": ["nome"]},
        {"por": ["id", "nome"]},
        {"filtros": equals(tipo="raro")},
        {"filtros": equals(nome="Pessoa 7")},
        {"filtros": [{"coluna": "id", "valores": [7]}]},
        {"filtros": equals(tipo="zeros")},
        {"filtros": [{"coluna": "id", "valores": [*range(10)]}]},
        {"filtros": [{"coluna": "id", "valores": [*range(9)]}]},  # a row fewer than the one before
        {"filtros": [{"coluna": "id", "valores": [*range(1, 14)]}]},
        {"filtros": [{"coluna": "id", "valores": [*range(30)]}]},
        {"por": ["salario"]},
        {"por": ["tipo", "salario"], "primeiros": 1},
    ]
    told = [await harness.result("agregar", medidas=salary, **each) for each in attacks]

    kinds, names, both, rare, person, seventh, zeros, ten, nine, *_more = told
    # 'raro' has one row and would be the rest of the total: the smallest other kind goes with it.
    assert {line[0] for line in kinds["linhas"]} == {"a", "b"}
    assert "são mais de 200 grupos" in names["retido"]
    assert "são mais de 200 grupos" in both["retido"]
    for few in (rare, person, seventh):
        assert few["retido"] == "menos de 5 linhas, ou nenhuma"
        assert "total" not in few
    # Five rows, of which one makes up the whole sum: they may be counted, never added up.
    assert "total" not in zeros or zeros["total"]["soma_salario"] is None
    assert ten["total"]["contagem"] == 10
    assert "total" not in nine
    said = repr(told)
    assert "4321" not in said
    assert "432" not in said
    assert "Pessoa" not in said


async def test_equal_and_larger_sets_stay_allowed(harness: ToolHarness, tmp_path: Path) -> None:
    await harness.drop(written(made_rows(2, 5_000), tmp_path / "custos.csv"))
    asked: list[dict[str, Any]] = [
        {"por": ["turno"]},
        {"por": ["turno"]},
        {"por": ["operador", "turno"]},
        {"por": ["rack"]},
        {"por": [{"coluna": "data", "por": "dia"}]},
        {"por": ["tipo", "rack"]},
        {"filtros": equals(turno="noite"), "por": ["tipo"]},
        {"periodo": {"de": "2026-01-10"}, "por": ["rack"]},
    ]
    for each in asked:
        told = await harness.result("agregar", medidas=measures("soma"), **each)
        assert "retido" not in told, each


async def test_another_program_knows_what_was_told_before(
    harness: ToolHarness, tmp_path: Path
) -> None:
    await harness.drop(written(made_rows(3), tmp_path / "custos.csv"))
    first = [*range(1, 31)]
    ids = {"filtros": [{"coluna": "id", "valores": first}]}
    fewer = {"filtros": [{"coluna": "id", "valores": first[:-1]}]}

    assert "total" in await harness.result("agregar", **ids)
    again = ToolHarness(tmp_path, conversation=await harness.conversation())
    told = await again.result("agregar", **fewer)
    await again.program.close()

    assert "total" not in told


async def test_what_is_new_in_the_log_is_told_once_it_is_a_group(harness: ToolHarness) -> None:
    recorded = {
        "tipo_defeito": "crateras",
        "turno": "noite",
        "operador": "Nova",
        "material": "ABS",
        "rack": "R1",
        "posicao": 1,
    }
    await harness.result("agregar", por=["turno"])
    counts = []
    for _number in range(5):
        await harness.result("registar_defeito", **recorded)
        told = await harness.result("agregar", por=["turno"])
        counts.append((told["total"]["contagem"], "nota" in told))

    assert counts == [(200, True)] * 4 + [(205, False)]


async def test_a_log_that_lost_rows_is_not_told_of_again(
    harness: ToolHarness, tmp_path: Path
) -> None:
    lines = [f"2026-03-{day:02},noite,Nova,crateras,ABS,R1,1" for day in range(1, 9)]
    file = tmp_path / "mais.csv"
    file.write_text(
        "data,turno,operador,tipo_defeito,material,rack,posicao\n" + "\n".join(lines), "utf-8"
    )
    (profile,) = await harness.workspace.load(file)
    importer = harness.program._defect_importer()
    mapping = (await harness.conversation_datasets.profiles(await harness.conversation()))[
        0
    ].defects
    assert mapping is not None
    came = await importer.append(profile, replace(mapping, columns=mapping.columns[1:]))
    assert came.id is not None
    assert (await harness.result("agregar"))["total"] == {"contagem": 208}
    await importer.take_back(came.id)

    assert "perdeu linhas" in (await harness.result("agregar"))["retido"]


async def test_two_programs_at_once_do_not_tell_two_halves(
    harness: ToolHarness, tmp_path: Path
) -> None:
    await harness.drop(written(made_rows(4), tmp_path / "custos.csv"))
    ids = [*range(1, 31)]
    asked = [{"filtros": [{"coluna": "id", "valores": ids[:last]}]} for last in (30, 29, 28, 27)]

    told = await asyncio.gather(*(harness.result("agregar", **each) for each in asked))

    assert sum("total" in each for each in told) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"por": ["peso"]},
        {"medidas": measures("soma", of="turno")},
        {"medidas": measures("maximo")},
        {"medidas": [{"calculo": "soma"}]},
        {"filtros": [{"coluna": "custo", "valores": ["muito"]}]},
        {"filtros": [{"coluna": "data", "valores": ["ontem"]}]},
        {"por": [{"coluna": "turno", "por": "mes"}]},
        {"por": ["turno", "turno"]},
        {"periodo": {"coluna": "turno", "de": "2026-01-01"}},
        {"conjunto": "outro"},
        {"sql": "SELECT 1"},
        {"por": ["turno"] * 4},
    ],
    ids=repr,
)
async def test_a_wrong_form_is_told_without_the_data(
    wrong: dict[str, Any], harness: ToolHarness, tmp_path: Path
) -> None:
    await harness.drop(written(made_rows(5), tmp_path / "custos.csv"))

    with pytest.raises(InputError):
        await harness.use("agregar", **wrong)


async def test_the_person_sees_whole_what_closed_forms_show(
    harness: ToolHarness, tmp_path: Path
) -> None:
    rows = made_rows(6)
    await harness.drop(written(rows, tmp_path / "custos.csv"))
    form = {"por": ["operador"], "medidas": measures("maximo", "soma")}
    table = await harness.use_closed("gerar_tabela", titulo="Tudo", consulta=form)
    kpi = await harness.use_closed(
        "gerar_kpi", titulo="Máximo", consulta={"medidas": measures("maximo")}
    )
    page = await harness.use_closed(
        "gerar_dashboard",
        titulo="Turnos",
        html="<p id=x></p>",
        dados={"turnos": {"por": ["turno"]}, "racks": {"por": ["rack"], "primeiros": 3}},
    )
    book = await harness.use_closed(
        "exportar_excel", titulo="Livro", folhas=[{"nome": "A", "consulta": form}]
    )
    study = await harness.use_closed("pareto", coluna="tipo", onde=equals(turno="noite"))

    costs: dict[str, list[float]] = {}
    for row in rows:
        costs.setdefault(row["operador"], []).append(row["custo"])
    assert isinstance(table.widget, TableView)
    shown: dict[Any, Any] = {row[0]: row[1:] for row in table.widget.table.rows}
    assert shown == {name: (max(each), pytest.approx(sum(each))) for name, each in costs.items()}
    assert isinstance(kpi.widget, Kpi)
    assert kpi.widget.value == max(row["custo"] for row in rows)
    assert isinstance(page.widget, DashboardLink)
    assert isinstance(book.content, dict)
    assert book.content["linhas"] == len(shown)
    assert study.source is not None
    assert study.source.rows_used == sum(row["turno"] == "noite" for row in rows)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("gerar_tabela", {"titulo": "T", "consulta": "SELECT * FROM custos"}),
        ("gerar_dashboard", {"titulo": "T", "html": "<p>", "dados": {"a": "SELECT 1"}}),
        ("exportar_excel", {"titulo": "T", "folhas": [{"nome": "a", "consulta": "SELECT 1"}]}),
        ("pareto", {"coluna": "tipo", "onde": "1 = 1"}),
        ("pareto", {"coluna": "tipo", "sql": "SELECT 1"}),
        ("gerar_grafico", {"tipo": "bar", "titulo": "T", "consulta": {"por": ["turno"]}, "x": "z"}),
    ],
)
async def test_sql_is_refused_where_a_closed_form_stands(
    name: str, given: dict[str, Any], harness: ToolHarness, tmp_path: Path
) -> None:
    await harness.drop(written(made_rows(7), tmp_path / "custos.csv"))

    with pytest.raises(InputError):
        await harness.use_closed(name, **given)


# As a linear system: what was told, solved for the rows.


def _random_query(chance: random.Random) -> ToldQuery:
    keys = chance.sample(
        ["turno", "operador", "tipo", "rack", "data", "date_trunc('week', data)"],
        chance.choice([0, 0, 1, 1, 2, 3]),
    )
    conditions = []
    for name, values in (
        ("turno", ["manha", "tarde", "noite"]),
        ("operador", ["Ana", "Rui", "Eva", "Léo"]),
        ("tipo", [*"abcde"]),
        ("rack", ["R1", "R2", "R3", "R4", "R5", "R6"]),
    ):
        if chance.random() < 0.3:
            chosen = chance.sample(values, chance.randint(1, len(values) - 1))
            conditions.append(f"{name} IN ({', '.join(map(repr, chosen))})")
    if chance.random() < 0.5:
        first, last = sorted(chance.sample(range(30), 2))
        start = date(2026, 1, 1)
        days = [start + timedelta(days=each) for each in (first, last)]
        conditions.append(f"data BETWEEN DATE '{days[0]}' AND DATE '{days[1]}'")
    return ToldQuery(tuple(keys), " AND ".join(conditions))


class Audited:
    """A table of which sums are told, as long as the rows stay hidden: each row is an atom."""

    def __init__(self, rows: Sequence[Row], folder: Path) -> None:
        self._db = duckdb.connect()
        self._db.execute(
            f"CREATE TABLE rows AS FROM read_csv('{written(rows, folder / 'rows.csv')}')"
        )
        self._labels: dict[str, Sequence[Any]] = {}
        self._squares = np.square([float(row["custo"]) for row in rows])
        self.told: list[ToldQuery] = []
        self.sets: list[np.ndarray[Any, Any]] = []  # of rows, one for each sum that was told

    def ask(self, query: ToldQuery) -> list[Keys]:
        """Return the groups whose sums are told: of five rows and more, and hiding every row."""
        inside = self._cells(query.condition)
        keys = [self._cells(f"CAST({key} AS VARCHAR)") for key in query.keys]
        groups: dict[Keys, set[int]] = {(): {row for row, is_in in enumerate(inside) if is_in}}
        for row in groups[()] if keys else ():
            groups.setdefault(tuple(each[row] for each in keys), set()).add(row)
        large = [group for group, rows in groups.items() if len(rows) >= 5]
        if large[:1] != [()]:
            return []
        ones = np.ones(len(inside))
        atoms = Atoms(
            self._labels, ones, {"custo": ones}, {"custo": self._squares}, {"custo": self._squares}
        )
        asked = replace(query, sets={"custo": large})
        named = tellable(atoms, self.told, asked, "custo")
        self.told.append(replace(asked, sets={"custo": named}))
        self.sets += [np.isin(range(len(inside)), [*groups[group]]) for group in named]
        return named

    def _cells(self, label: str) -> Sequence[Any]:
        if label not in self._labels:
            found = self._db.execute(f"SELECT {label} FROM rows ORDER BY id").fetchall()
            self._labels[label] = [cell for (cell,) in found]
        return self._labels[label]


@pytest.mark.parametrize("seed", range(3))
def test_five_hundred_queries_solve_for_no_row(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    audited = Audited(made_rows(seed), tmp_path)
    for _query in range(500):
        audited.ask(_random_query(chance))
    system = np.array(audited.sets, dtype=float)
    projection = np.linalg.pinv(system) @ system

    assert len(system) > 10
    assert projection.diagonal().max() < 1 / 4
    # A guess hits a value by chance; five draws of values over the same sets it hits only where
    # the system tells it.
    hit = np.ones(system.shape[1], dtype=bool)
    for draw in range(5):
        values = np.array([row["custo"] for row in made_rows(seed + 100 * draw)])
        sums = np.array([rounded(each) for each in system @ values])
        solved = np.linalg.lstsq(system, sums, rcond=1e-9)[0]
        hit &= np.abs(solved - values) < 0.05 * values
    assert not hit.any()


def test_four_sums_that_differ_by_many_rows_do_not_add_up_to_one(tmp_path: Path) -> None:
    rows = [{"id": day, "custo": 10.0 + day} for day in range(40)]
    audited = Audited(rows, tmp_path)

    told = [audited.ask(ToldQuery(where=where)) for where in _RANGES]

    assert told == [[()], [()], [()], []]


# S(0, 12) - S(6, 12) + S(6, 20) - S(1, 20) is row 0; any two of them differ by five rows or more.
_RANGES = [f"id >= {first} AND id < {last}" for first, last in ((0, 12), (6, 12), (6, 20), (1, 20))]
