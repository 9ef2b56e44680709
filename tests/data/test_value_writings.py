"""Writings of values: what a column's name, or all of its cells, say of how they are to be read."""

import random
from datetime import time
from pathlib import Path

import pytest
from openpyxl import Workbook

from qhub_desktop.core.dataset import Finding
from tests.data.conftest import Imported, Read


def _findings(found: Imported) -> list[Finding]:
    report = found.profile.report
    assert report is not None
    return [*report.repaired, *report.doubtful]


def _told(found: Imported) -> set[str]:
    return {each.kind for each in _findings(found)}


def _text_of(found: Imported, kind: str) -> str:
    return " ".join(each.text for each in _findings(found) if each.kind == kind)


_MINUTES_FIRST = (
    "Süre (dk:sn)",
    "Tempo mm:ss",
    "Duración [min:seg]",
    "Zeit MM:SS",
    "Time (m:s)",
    "Время (мин:сек)",
    "時間（分:秒）",
    "Czas [min : sek.]",
)
_HOURS_FIRST = ("Zeit (h:min)", "Duração (hh:mm)", "Время ч:мин")


@pytest.mark.parametrize("name", [*_MINUTES_FIRST, *_HOURS_FIRST])
def test_a_name_says_what_the_parts_of_short_lengths_are(
    read: Read, tmp_path: Path, name: str
) -> None:
    chance = random.Random(name)
    lengths = [(chance.randrange(24), chance.randrange(60)) for _ in range(20)]
    if name in _HOURS_FIRST:
        lengths.append((31, 5))  # beyond a day: else they are times of day
    file = tmp_path / "tempos.csv"
    lines = [f"Lote;{name}", *(f"L{n};{a:02}:{b:02}" for n, (a, b) in enumerate(lengths))]
    file.write_text("\r\n".join(lines), encoding="utf-8", newline="")

    (found,) = read(file)

    assert [row[1] for row in found.rows] == pytest.approx([a + b / 60 for a, b in lengths])
    told = "hours" if name in _HOURS_FIRST else "minutes"
    assert told in _text_of(found, "durations")
    assert "short_lengths" not in _told(found)


@pytest.mark.parametrize(
    "name", ["Hora (hh:mm)", "Início", "Abfahrt (Std:Min)", "Mass m:n", "h:min:s", "Turno s:m"]
)
def test_other_names_leave_times_of_day(read: Read, tmp_path: Path, name: str) -> None:
    file = tmp_path / "horas.csv"
    lines = [f"Lote;{name}", *(f"L{n};{n:02}:{n * 2:02}" for n in range(24))]
    file.write_text("\r\n".join(lines), encoding="utf-8", newline="")

    (found,) = read(file)

    assert found.types[1] == "time"
    assert found.rows[3][1] == time(3, 6)


@pytest.mark.parametrize("name", ["Ciclo (mm:ss)", "Hora"])
def test_cells_of_hours_under_a_name_of_minutes_are_doubted(
    read: Read, tmp_path: Path, name: str
) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["Lote", name])
    for number in range(12):
        sheet.append([f"L{number}", time(number, 30)])
    book.save(tmp_path / "ciclos.xlsx")

    (found,) = read(tmp_path / "ciclos.xlsx")

    assert found.types[1] == "time"
    assert ("times_or_lengths" in _told(found)) == (name != "Hora")
