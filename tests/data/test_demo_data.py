"""The demo data is exactly what the product promises."""

import csv
import importlib.util
from collections import Counter
from datetime import date, datetime
from pathlib import Path
from types import ModuleType

import openpyxl

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "data" / "defeitos.csv"
BIG_RACKS = {"R12": 38, "R11": 37, "R13": 36, "R10": 33, "R14": 29}


def rows() -> list[dict[str, str]]:
    with FILE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def count(column: str) -> Counter[str]:
    return Counter(row[column] for row in rows())


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "make_demo_data", ROOT / "build/make_demo_data.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_file_begins_with_the_two_rows_of_the_specification() -> None:
    text = FILE.read_bytes().decode("utf-8")
    assert text.split("\n")[:3] == [
        "id,data,turno,operador,tipo_defeito,material,rack,posicao",
        "1,2026-02-11,manha,Julia,gordura,ABS_Cinza,R11,3",
        "2,2026-02-12,manha,Julia,escorrido,PP_Negro,R10,2",
    ]


def test_there_are_200_rows_with_ids_in_order() -> None:
    assert [row["id"] for row in rows()] == [str(number) for number in range(1, 201)]


def test_every_count_by_defect_type_is_exact() -> None:
    assert count("tipo_defeito") == {
        "lixo": 62,
        "falta_tinta": 31,
        "casca_laranja": 27,
        "gordura": 24,
        "descasque": 21,
        "escorrido": 19,
        "crateras": 12,
        "outros": 4,
    }


def test_every_count_by_shift_operator_and_material_is_exact() -> None:
    assert count("turno") == {"manha": 73, "tarde": 68, "noite": 59}
    assert count("operador") == {"Julia": 55, "Carlos": 52, "Pedro": 49, "Margareta": 44}
    assert count("material") == {
        "ABS_Cinza": 58,
        "PP_Negro": 54,
        "PP_Vermelho": 47,
        "PA_Branco": 41,
    }


def test_five_racks_carry_most_and_others_carry_27() -> None:
    racks = count("rack")
    assert {name: racks[name] for name in BIG_RACKS} == BIG_RACKS
    others = {name: total for name, total in racks.items() if name not in BIG_RACKS}
    assert sum(others.values()) == 27
    assert max(others.values()) < 29


def test_positions_have_the_exact_mean_and_spread() -> None:
    positions = [int(row["posicao"]) for row in rows()]
    assert set(positions) <= set(range(1, 11))
    assert sum(positions) == 918
    assert sum(position**2 for position in positions) == 5270


def test_the_log_covers_february_in_order_after_its_first_two_rows() -> None:
    days = [date.fromisoformat(row["data"]) for row in rows()]
    assert min(days) == date(2026, 2, 1)
    assert max(days) == date(2026, 2, 28)
    assert days[2:] == sorted(days[2:])


def test_dirt_is_21_of_the_59_defects_of_the_night() -> None:
    night = Counter(row["tipo_defeito"] for row in rows() if row["turno"] == "noite")
    assert night.most_common(1) == [("lixo", 21)]
    assert night.total() == 59


def test_the_workbook_holds_the_same_records_with_real_dates_and_numbers() -> None:
    book = openpyxl.load_workbook(ROOT / "data" / "defeitos.xlsx")
    assert book.sheetnames == ["Defeitos"]
    header, *body = book["Defeitos"].iter_rows(values_only=True)
    assert header == tuple(rows()[0])
    for kept, row in zip(body, rows(), strict=True):
        assert kept == (
            int(row["id"]),
            datetime.fromisoformat(row["data"]),
            *list(row.values())[2:7],
            int(row["posicao"]),
        )


def test_the_script_makes_the_same_file_again(tmp_path: Path) -> None:
    maker = script()
    maker.write_csv(maker.records(), tmp_path / "defeitos.csv")
    assert (tmp_path / "defeitos.csv").read_bytes() == FILE.read_bytes()
