"""Day and month told apart by the step at which rows follow each other."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from tests.data.conftest import Imported, Read

START = datetime(2023, 1, 2)


def _doubts(imported: Imported) -> set[str]:
    assert imported.profile.report is not None
    return {each.kind for each in imported.profile.report.doubtful}


def _written(form: str, moments: list[datetime]) -> str:
    rows = [f"{moment.strftime(form)},{at % 7},{20 + at % 3}" for at, moment in enumerate(moments)]
    return "\n".join(["Stamp,Level,Temp", *rows])


def _logged(minutes: int, count: int) -> list[datetime]:
    return [START + timedelta(minutes=minutes * at) for at in range(count)]


def _monthly(count: int) -> list[datetime]:
    return [datetime(2015 + at // 12, at % 12 + 1, 1) for at in range(count)]


@pytest.mark.parametrize(
    "form", ["%m/%d/%Y %H:%M", "%d/%m/%Y %H:%M", "%m-%d-%Y %H:%M:%S", "%d.%m.%Y %H:%M:%S"]
)
@pytest.mark.parametrize(("minutes", "count"), [(5, 900), (60, 60), (1440, 9)])
def test_rows_at_one_step_tell_day_from_month(
    read: Read, tmp_path: Path, form: str, minutes: int, count: int
) -> None:
    moments = _logged(minutes, count)
    file = tmp_path / "log.csv"
    file.write_text(_written(form, moments), encoding="utf-8")

    (imported,) = read(file)

    told = _doubts(imported)
    if count < 13:  # too few rows to be sure by
        assert "day_month" in told
    else:
        assert [row[0] for row in imported.rows] == moments
        assert "day_month" not in told


@pytest.mark.parametrize("form", ["%m/%d/%Y", "%d/%m/%Y"])
def test_a_monthly_series_tells_day_from_month(read: Read, tmp_path: Path, form: str) -> None:
    moments = _monthly(40)
    file = tmp_path / "series.csv"
    file.write_text(_written(form, moments), encoding="utf-8")

    (imported,) = read(file)

    assert [row[0] for row in imported.rows] == [moment.date() for moment in moments]
    assert "day_month" not in _doubts(imported)


def _irregular() -> list[datetime]:
    return [datetime(2023, at % 12 + 1, at * 5 % 12 + 1) for at in range(60)]


def _of_one_day() -> list[datetime]:
    return [START + timedelta(minutes=5 * at) for at in range(200)]


@pytest.mark.parametrize("made", [_irregular, _of_one_day], ids=["irregular", "one day"])
def test_other_dates_stay_in_doubt(
    read: Read, tmp_path: Path, made: Callable[[], list[datetime]]
) -> None:
    file = tmp_path / "dates.csv"
    file.write_text(_written("%d/%m/%Y %H:%M", made()), encoding="utf-8")

    (imported,) = read(file)

    assert "day_month" in _doubts(imported)
    assert isinstance(imported.rows[0][0], date)
