"""Statistics from the command line: a file in, a verdict or whole numbers out."""

import random
import re
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtPdf import QPdfDocument

from tests.cli.conftest import Call
from tests.end_to_end.qhub_process import qhub


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    random.seed(8)
    rows = [f"{at // 5 + 1},{random.gauss(100, 4)!r}" for at in range(100)]
    path = tmp_path / "medidas.csv"
    path.write_text("lote,espessura\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_its_help_is_printed_with_its_signs_of_per_cent() -> None:
    called = qhub("stats", "--help")

    assert called.code == 0
    assert ", % " in " ".join(called.out.split())


def test_a_process_of_its_own_prints_a_whole_result(measured: Path) -> None:
    called = qhub(
        *("stats", "capability", str(measured), "--column", "espessura", "--by", "lote"),
        *("--lsl", "80", "--usl", "120", "--json"),
    )

    (told,) = called.lines
    assert told["method"] == "capacidade"
    assert told["result"]["capability"]["within"]["cpk"]["value"] > 1
    assert len(told["points"]["rows"]) == 20
    assert "panels" not in told


def test_a_chart_is_told_in_words_with_its_doubts_first(call: Call, measured: Path) -> None:
    code, out, _err = call("stats", "xbar", str(measured), "--column", "espessura", "--by", "5")

    assert code == 0
    assert "LSC" in out or "UCL" in out or "Rbar/d2" in out
    shown = [line for line in out.splitlines() if line.startswith("!")]
    assert out.splitlines()[1 : 1 + len(shown)] == shown


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("capability", "--column", "espessura"), "LIE"),
        (("p", "--column", "espessura"), "volume"),
        (("pareto", "--lsl", "3"), "--lsl"),
        (("c", "--volume", "9", "--period", "day"), "medidas.csv"),
    ],
)
def test_what_a_file_does_not_carry_is_one_sentence(
    call: Call, measured: Path, words: tuple[str, ...], said: str
) -> None:
    method, *options = words

    code, out, err = call("stats", method, str(measured), *options)

    assert (code, out) == (1, "")
    assert said in err


def test_groups_are_compared_and_reported_on_paper(
    call: Call, measured: Path, tmp_path: Path
) -> None:
    told = tmp_path / "told.pdf"

    code, out, _err = call(
        *("stats", "groups", str(measured), "--column", "espessura", "--by", "lote"),
        *("--where", "lote <= 2", "--report", str(told)),
    )

    assert code == 0
    assert "Welch" in out
    assert told.read_bytes().startswith(b"%PDF")
    assert told.with_suffix(".xlsx").stat().st_size


def test_a_report_takes_the_place_of_no_file(call: Call, measured: Path, tmp_path: Path) -> None:
    beside = tmp_path / "told.xlsx"
    beside.write_text("mine", "utf-8")
    asked = ("stats", "groups", str(measured), "--column", "espessura", "--by", "lote", "--report")

    code, _out, err = call(*asked, str(tmp_path / "told.pdf"))
    assert (code, beside.read_text("utf-8")) == (1, "mine")
    assert "told.xlsx" in err
    assert "--overwrite" in err
    code, _out, err = call(*asked, str(tmp_path / "told.csv"))
    assert code == 1
    assert "told.pdf" in err
    assert {each.name for each in tmp_path.iterdir()} >= {"told.xlsx"}
    assert not (tmp_path / "told.pdf").exists()


def test_moments_on_paper_stand_apart(call: Call, tmp_path: Path) -> None:
    first = datetime(2026, 3, 2, 6, 3, 11)
    rows = [f"{first + at * timedelta(minutes=97)};{24 + at * 37 % 11 / 5}" for at in range(556)]
    (tmp_path / "binario.csv").write_text("momento;valor\n" + "\n".join(rows) + "\n", "utf-8")
    told = tmp_path / "told.pdf"

    code, _out, _err = call(
        *("stats", "capability", str(tmp_path / "binario.csv"), "--column", "valor"),
        *("--lsl", "20", "--usl", "30", "--report", str(told)),
    )

    assert code == 0
    document = QPdfDocument()
    document.load(str(told))
    words = document.getAllText(0).text()
    assert words.count("02/03 06:03:11") == 2  # below both panels of the chart, and not cut
    assert not re.search(r":\d\d:\d\d\d", words)


def test_what_monitors_have_found_is_listed_and_nothing_before_the_first(call: Call) -> None:
    code, out, _err = call("monitors", "--look")
    listed, told, _other = call("monitors", "--open", "--json")

    assert (code, listed) == (0, 0)
    assert out.strip()
    assert told.strip() in ("", "[]")


def test_a_sampling_plan_needs_no_file(call: Call) -> None:
    code, out, err = call("stats", "sampling", "--lot", "2000", "--aql", "2.5", "--level", "S-3")
    tightened = call("stats", "sampling", "--lot", "500", "--aql", "1", "--severity", "tightened")
    by_risk = call("stats", "sampling", "--good", "1", "--bad", "8")

    assert (code, err) == (0, "")
    assert "n = 20, Ac = 1" in out
    assert "n = 80, Ac = 1" in tightened[1]
    assert "n = 65, Ac = 2" in by_risk[1]
    assert call("stats", "sampling", "--lot", "500")[0] == 1


def test_every_other_method_asks_for_its_file(call: Call) -> None:
    code, out, err = call("stats", "capability", "--usl", "3")

    assert (code, out) == (1, "")
    assert "capability" in err


def test_a_test_is_run_by_its_name(call: Call, measured: Path) -> None:
    code, out, _err = call(
        "stats", "levene", str(measured), "--column", "espessura", "--by", "lote"
    )

    assert code == 0
    assert "Levene" in out


def test_limits_and_class_are_taken_from_the_file(call: Call, tmp_path: Path) -> None:
    random.seed(3)
    values = "\n".join(f"{random.gauss(100, 2):.2f}\x140" for _at in range(50))
    path = tmp_path / "medidas.dfq"
    path.write_text(
        "K0100 1\nK1001/1 A\nK2001/1 1\nK2002/1 Espessura\nK2005/1 4\nK2110/1 90\nK2111/1 111\n"
        f"K2142/1 µm\n{values}\n",
        encoding="utf-8",
    )

    code, out, _err = call("stats", "capability", str(path), "--column", "espessura")

    assert code == 0
    assert "LIE 90, LSE 111" in out
    assert "Classe: 4 (crítica)" in out
    assert "Unidade: µm" in out
