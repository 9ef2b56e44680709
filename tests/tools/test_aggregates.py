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
from qhub_desktop.tools.disclosure import Atoms, ToldQuery, rounded, tellable_however
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


def near_rows() -> list[Row]:
    """Rows of which 30 have a; of these all but one have b, all but one c and all but one d."""
    rows = []
    for number in range(100):
        row = {"id": number, "a": "A1" if number < 30 else "A2"}
        rows.append(row | {each: f"{each}{1 + (number >= 60)}" for each in "bcd"})
    for number, name in enumerate("bcd"):
        rows[number][name] = f"{name}2"
    return rows


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
        {"filtros": equals(nome="Pessoa 7000")},
        {"filtros": [{"coluna": "id", "valores": [*range(30)]}]},
        {"filtros": equals(tipo="zeros")},
        {"por": ["salario"]},
        {"por": ["tipo", "salario"], "primeiros": 1},
    ]
    told = [await harness.result("agregar", medidas=salary, **each) for each in attacks]

    kinds, names, both, rare, person, nobody, numbers, zeros, *_more = told
    # 'raro' has one row and would be the rest of the total: the smallest other kind goes with it.
    assert {line[0] for line in kinds["linhas"]} == {"a", "b"}
    assert "são mais de 200 grupos" in names["retido"]
    assert "são mais de 200 grupos" in both["retido"]
    for few in (rare, person, nobody, numbers):
        assert few["retido"] == rare["retido"]
        assert "em menos de 5 linhas, ou em nenhuma" in few["retido"]
        assert "total" not in few
    # Five rows, of which one makes up the whole sum: they may be counted, never added up.
    assert "total" not in zeros or zeros["total"]["soma_salario"] is None
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
    await harness.drop(written(near_rows(), tmp_path / "perto.csv"))

    assert "total" in await harness.result("agregar", filtros=equals(a="A1"))
    again = ToolHarness(tmp_path, conversation=await harness.conversation())
    told = await again.result("agregar", filtros=equals(a="A1", b="b1"))
    await again.program.close()

    assert "total" not in told


def people(ill: Sequence[int] = ()) -> list[Row]:
    """Rows of people of five rooms; alone in hers is who works nights in the first."""
    return [
        {
            "nome": f"Pessoa {number}",
            "sala": f"S{number % 5}",
            "turno": "noite" if number in (0, *range(41, 60, 2)) else "dia",
            "saude": "doente" if number in ill else "bem",
            "nascida": date(1970, 1, 1) + timedelta(days=97 * number),
            "salario": 1_000 + 13.7 * number,
        }
        for number in range(60)
    ]


async def _answers(asked: Sequence[dict[str, Any]], file: Path) -> list[str]:
    """What is told of each question, or why nothing is, in a conversation of its own."""
    harness = ToolHarness(file.parent)
    await harness.drop(file)
    told = [await harness.result("agregar", **each) for each in asked]
    await harness.program.close()
    return [each.get("retido", "told") for each in told]


async def test_that_nothing_is_told_tells_nothing_of_anybody(tmp_path: Path) -> None:
    day = {"coluna": "turno", "valores": ["dia"]}
    both = {"coluna": "turno", "valores": ["dia", "noite"]}
    room, well = equals(sala="S0"), equals(saude="bem")
    names = [{"coluna": "nome", "valores": [f"Pessoa {each}" for each in (0, 5, 10, 15, 20, 25)]}]
    asked: list[dict[str, Any]] = [
        {"filtros": [*room, day, *well]},
        {"filtros": [*room, both, *well]},  # one person more, if she is well
        {"filtros": well, "por": ["sala"]},
        {"filtros": well, "por": ["sala", "turno"]},
        {"filtros": [*names, *well]},
        {"filtros": [{"coluna": "salario", "valores": [1000.0, 1013.7]}]},
        {"filtros": well, "periodo": {"ate": "1974-05-17"}},
    ]
    some = [*range(26, 40)]
    healthy = await _answers(asked, written(people(some), tmp_path / "bem.csv"))
    ill = await _answers(asked, written(people([0, *some]), tmp_path / "doente.csv"))

    assert healthy == ill
    assert healthy[0] == "told"
    assert "chegava-se a menos de 5 linhas" in healthy[1]
    assert "os filtros está em menos de 5" in healthy[4].replace("dos filtros", "os filtros")
    assert "período" in healthy[6]


async def test_a_period_begins_and_ends_with_what_hides_its_rows(
    harness: ToolHarness, tmp_path: Path
) -> None:
    await harness.drop(written(made_rows(8, 120), tmp_path / "custos.csv"))  # four rows a day
    ragged = {"de": "2026-01-06", "ate": "2026-01-18"}
    whole = {"de": "2026-01-05", "ate": "2026-01-18"}

    told = await harness.result("agregar", periodo=ragged)
    assert told["retido"] == "nestes dados um período começa e acaba com a semana"
    assert "total" in await harness.result("agregar", periodo=whole)
    assert "total" in await harness.result("agregar", periodo={"ate": "9999-12-31"})


async def test_the_order_of_groups_tells_nothing_of_those_held_back(
    harness: ToolHarness, tmp_path: Path
) -> None:
    rows = [{"id": n, "sala": f"S{n % 10}", "salario": 1_000.0 + n % 10} for n in range(200)]
    rows.append({"id": 200, "sala": "Chefe", "salario": 1_004.5})
    await harness.drop(written(rows, tmp_path / "salas.csv"))

    for first in range(1, 12):
        told = await harness.result(
            "agregar", medidas=measures("media", of="salario"), por=["sala"], primeiros=first
        )
        assert len(told["linhas"]) == min(first, 9)  # without the chief's, and the one beside it


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
    await harness.drop(written(near_rows(), tmp_path / "perto.csv"))
    asked = [{"filtros": equals(a="A1", **more)} for more in ({}, *({x: f"{x}1"} for x in "bcd"))]

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
    return ToldQuery(tuple(keys), tuple(conditions))


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
        for each in query.conditions:
            self._cells(each)
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
        named = tellable_however(atoms, self.told, asked, "custo")
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

    told = [audited.ask(ToldQuery(conditions=(where,))) for where in _RANGES]

    assert told == [[()], [()], [()], []]


# S(0, 12) - S(6, 12) + S(6, 20) - S(1, 20) is row 0; any two of them differ by five rows or more.
_RANGES = [f"id >= {first} AND id < {last}" for first, last in ((0, 12), (6, 12), (6, 20), (1, 20))]
