"""The command line as other programs use it, from the call to the last line."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import openpyxl
import pytest

from qhub_desktop import __version__
from qhub_desktop.core.paths import DEMO_DATA
from tests.end_to_end.qhub_process import qhub, qhub_in_turn

QUESTIONS = {
    "pt": ("qual é o defeito mais frequente?", "e por turno?", "mostra num gráfico"),
    "en": ("what is the most frequent defect?", "and by shift?", "show it in a chart"),
}


@pytest.mark.parametrize("language", ["pt", "en"])
def test_the_demo_story_runs_offline_from_question_to_chart(language: str) -> None:
    first, second, third = QUESTIONS[language]

    top = qhub("ask", "--engine", "offline", "--json", first)
    talk = ("--conversation", top.conversation)
    shifts = qhub("ask", "--engine", "offline", "--json", *talk, second)
    chart = qhub("ask", "--engine", "offline", "--json", *talk, third)

    assert [used["name"] for used in top.all("tool_use")] == ["top_defeitos"]
    for word in ("lixo", "62", "31"):
        assert word in top.text
    (used,) = shifts.all("tool_use")
    assert used["name"] == "defeitos_por_turno"
    assert used["result"]["por_turno"] == {"manha": 73, "tarde": 68, "noite": 59}
    assert used["ms"] >= 0
    for number in ("73", "68", "59"):
        assert number in shifts.text
    (shown,) = chart.all("chart")
    assert sorted(row[1] for row in shown["data"]["data"]["rows"]) == [59, 68, 73]
    for called in (top, shifts, chart):
        assert called.code == 0
        assert called.lines[-1] == {"type": "done", "reason": "complete", "cause": ""}


def test_a_dropped_file_is_what_the_question_is_about(tmp_path: Path) -> None:
    export = tmp_path / "retrabalho.csv"
    export.write_text(
        "peca;minutos;linha\nA1;3,5;L1\nA2;4,5;L2\nA3;1,0;L1\n", encoding="cp1252", newline=""
    )

    asked = qhub(
        "ask", "--engine", "offline", "--json", "--file", export, "média de minutos por linha"
    )

    assert asked.code == 0
    assert "2,25" in asked.text
    assert "4,5" in asked.text
    assert asked.all("tool_use")[-1]["source"]["file"] == "retrabalho.csv"


def test_what_a_question_may_mean_is_told_and_one_of_it_is_answered(tmp_path: Path) -> None:
    export = tmp_path / "retrabalho.csv"
    export.write_text(
        "peca;minutos;custo;linha\nA1;3,5;9;L1\nA2;4,5;7;L2\nA3;1,0;5;L1\n", encoding="utf-8"
    )
    question = "total por linha"

    told = qhub("ask", "--file", export, "--readings", question)
    (found,) = told.lines
    talk = ("--engine", "offline", "--json", "--conversation", found["conversation"])
    second = qhub("ask", *talk, "--reading", "2", question)
    beyond = qhub("ask", *talk, "--reading", "9", question)
    (kept,) = qhub("show", "--json", found["conversation"]).lines

    assert told.code == second.code == 0
    titles = [each["title"] for each in found["readings"]]
    assert len(titles) == len({*titles}) >= 2
    assert all(each["value"]["text"] == "2 grupos" for each in found["readings"][:2])
    assert second.all("understanding")[0]["plan"] == found["readings"][1]["plan"]
    assert (beyond.code, "--readings" in beyond.err) == (1, True)
    # Only what was answered is in the conversation.
    assert [each["role"] for each in kept["messages"]] == ["user", "assistant"]


def test_a_list_to_choose_from_is_an_answer_for_a_program(tmp_path: Path) -> None:
    export = tmp_path / "retrabalho.csv"
    export.write_text(
        "peca;minutos;custo;linha\nA1;3,5;9;L1\nA2;4,5;7;L2\nA3;1,0;5;L1\n", encoding="utf-8"
    )

    asked = qhub("ask", "--engine", "offline", "--json", "--file", export, "qual é a média?")

    (question,) = asked.all("question")
    assert asked.code == 0
    assert len(question["choices"]) == len(question["values"]) >= 2
    assert asked.lines[-1] == {"type": "done", "reason": "complete", "cause": ""}


def test_a_profile_has_the_fields_that_programs_rely_on() -> None:
    called = qhub("profile", DEMO_DATA / "defeitos.csv", "--json")

    (profile,) = called.lines
    assert called.code == 0
    assert list(profile) == [
        "file",
        "sheet",
        "sheets",
        "rows",
        "sha256",
        "dataset",
        "columns",
        "warnings",
        "report",
        "duplicate_rows",
        "all_sheets",
    ]
    assert (profile["file"], profile["rows"]) == ("defeitos.csv", 200)
    columns = {column["name"]: column for column in profile["columns"]}
    assert columns["posicao"]["type"] == "integer"
    assert columns["posicao"]["mean"] == pytest.approx(4.59)
    assert columns["posicao"]["std"] == pytest.approx(2.304, abs=5e-4)
    assert (columns["data"]["type"], columns["data"]["min"]) == ("date", "2026-02-01")
    assert columns["tipo_defeito"]["top"][0] == ["lixo", 62]
    assert columns["tipo_defeito"]["distinct"] == 8
    assert list(columns["id"]) == [
        "name", "type", "missing", "distinct", "min", "max", "mean", "std", "top",
        "quartiles", "outliers", "constant",
    ]  # fmt: skip
    assert columns["posicao"]["quartiles"] == [3, 4, 6]
    assert (columns["posicao"]["outliers"], columns["posicao"]["constant"]) == (0, False)


def test_a_profile_carries_the_whole_report_of_the_import(tmp_path: Path) -> None:
    export = tmp_path / "medidas.csv"
    content = "Relatório de medidas\n\npeça;cota;posto\nA;1,5;7\nA;1,5;7\nB;2,5;7\n"
    export.write_text(content, encoding="cp1252")

    (profile,) = qhub("profile", export, "--json").lines
    told = qhub("profile", export).out

    report = profile["report"]
    assert (report["format"], report["encoding"], report["separator"]) == ("CSV", "cp1252", ";")
    assert (report["decimal"], report["header_row"], report["header_rows"]) == (",", 3, 1)
    assert (report["rows_present"], report["rows_read"]) == (6, 3)
    assert [(each["kind"], each["row"], each["last_row"]) for each in report["set_apart"]] == [
        ("title", 1, 1),
        ("blank", 2, 2),
    ]
    assert {"repaired", "doubtful", "choices"} <= set(report)
    assert profile["duplicate_rows"] == 1
    assert [column["constant"] for column in profile["columns"]] == [False, False, True]
    assert "Relatório de medidas" in told
    assert "posto" in told


def test_how_a_file_is_read_can_be_chosen_in_the_call(tmp_path: Path) -> None:
    export = tmp_path / "medidas.csv"
    export.write_text("a|b\n1,5|2\n3,5|4\n", encoding="utf-8")

    (as_found,) = qhub("profile", export, "--json").lines
    (chosen,) = qhub("profile", export, "--json", "--separator", ",", "--header", "0").lines
    refused = qhub("profile", export, "--encoding", "klingon")

    assert [column["name"] for column in as_found["columns"]] == ["a", "b"]
    assert (len(chosen["columns"]), chosen["rows"]) == (2, 3)
    assert chosen["report"]["choices"]["separator"] == ","
    assert chosen["report"]["header_row"] is None
    assert refused.code == 2


def test_a_column_that_a_few_words_keep_text_is_read_as_the_type_that_the_profile_names(
    tmp_path: Path,
) -> None:
    export = tmp_path / "historico.csv"
    cells = ["I/O Timeout" if n % 9 == 4 else f"{n}.5" for n in range(30)]
    lines = ["tag;Valor = x", *(f"T{n};{cell}" for n, cell in enumerate(cells))]
    export.write_text("\n".join(lines), encoding="utf-8")
    option = ["--type", "Valor = x=number"]
    sql = 'SELECT count(*) - count("Valor = x") AS missing FROM historico'

    said, read, asked, unknown, refused = qhub_in_turn(
        [
            ["profile", export],
            ["profile", export, "--json", *option],
            ["sql", export, sql, "--json", *option],
            ["profile", export, "--type", "Peso=number"],
            ["profile", export, "--type", "Valor=colour"],
        ]
    )

    assert '--type "Valor = x=number"' in said.out
    (column,) = [each for each in read.lines[0]["columns"] if each["name"] == "Valor = x"]
    missing = sum("I/O" in cell for cell in cells)
    assert (column["type"], column["missing"]) == ("number", missing)
    assert asked.lines[0]["rows"] == [[missing]]
    assert (unknown.code, "Peso" in unknown.err) == (1, True)
    assert refused.code == 2


def test_a_profile_of_a_workbook_is_of_its_biggest_sheet_and_names_the_others(
    tmp_path: Path,
) -> None:
    book = openpyxl.Workbook()
    for name, rows in (("Pequena", 2), ("Grande", 9)):
        sheet = book.create_sheet(name)
        sheet.append(["n", "m"])
        for number in range(rows):
            sheet.append([number, number * 2])
    del book["Sheet"]
    book.save(tmp_path / "lote.xlsx")

    (profile,) = qhub("profile", tmp_path / "lote.xlsx", "--json").lines
    (small,) = qhub("profile", tmp_path / "lote.xlsx", "--json", "--sheet", "Pequena").lines

    assert (profile["sheet"], profile["sheets"]) == ("Grande", ["Pequena", "Grande"])
    assert [(each["sheet"], each["rows"], each["columns"]) for each in profile["all_sheets"]] == [
        ("Grande", 9, 2),
        ("Pequena", 2, 2),
    ]
    assert (small["sheet"], small["rows"]) == ("Pequena", 2)


def test_each_table_of_a_sheet_has_its_own_report(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in (
        ("peça", "cota"), *((f"P{n}", n / 2) for n in range(1, 7)), (),
        ("dia", "turno", "lixo"), *((f"2026-02-0{n}", "T1", n) for n in range(1, 4)),
        ("Total", None, 6),
    ):  # fmt: skip
        sheet.append([*row])
    book.save(tmp_path / "folha.xlsx")

    file = tmp_path / "folha.xlsx"
    second_ = ["--json", "--table", "2"]
    ways = (["--json"], second_, ["--table", "2"], ["--table", "3"], [*second_, "--totals", "kept"])
    whole, alone, said, beyond, kept = qhub_in_turn([["profile", file, *way] for way in ways])
    (first,), (second,) = whole.lines, alone.lines

    assert [each["table"] for each in first["all_sheets"]] == [1, 2]
    kinds = [[one["kind"] for one in each["report"]["set_apart"]] for each in first["all_sheets"]]
    assert ["total" in each for each in kinds] == [False, True]
    assert first["report"] == first["all_sheets"][0]["report"]
    assert [column["name"] for column in second["columns"]] == ["dia", "turno", "lixo"]
    assert (second["report"], second["rows"]) == (first["all_sheets"][1]["report"], 3)
    assert "Total" in said.out
    assert "--table 1: folha.xlsx" in said.out
    assert kept.lines[0]["rows"] == 4
    assert beyond.code == 1
    assert "2" in beyond.err


def test_a_file_is_exported_whole_or_as_a_select_gives_it(tmp_path: Path) -> None:
    demo = DEMO_DATA / "defeitos.csv"
    sql = "SELECT turno, count(*) AS total FROM defeitos GROUP BY turno ORDER BY total"

    whole = qhub("export", demo, tmp_path / "todos.xlsx", "--json")
    some = qhub("export", demo, tmp_path / "turnos.csv", "--sql", sql)
    refused = qhub("export", demo, tmp_path / "todos.pdf")

    assert whole.lines == [{"file": str(tmp_path / "todos.xlsx"), "rows": 200, "warnings": []}]
    assert qhub("profile", tmp_path / "todos.xlsx", "--json").lines[0]["rows"] == 200
    lines = (tmp_path / "turnos.csv").read_text(encoding="utf-8-sig").splitlines()
    assert lines == ["turno;total", "noite;59", "tarde;68", "manha;73"]
    assert some.code == 0
    assert refused.code == 1
    assert ".xlsx" in refused.err


def test_an_export_replaces_a_file_only_where_that_is_said(tmp_path: Path) -> None:
    source, target = tmp_path / "fonte.csv", tmp_path / "alvo.csv"
    source.write_bytes((DEMO_DATA / "defeitos.csv").read_bytes())
    target.write_text("before", encoding="utf-8")

    onto_itself = qhub("export", source, source)
    in_spite = qhub("export", source, source, "--overwrite")
    asked = qhub("export", source, target)
    kept = target.read_text(encoding="utf-8")
    told = qhub("export", source, target, "--overwrite")

    assert [each.code for each in (onto_itself, in_spite, asked, told)] == [1, 1, 1, 0]
    assert onto_itself.err == in_spite.err
    assert "fonte.csv" in onto_itself.err
    assert "--overwrite" in asked.err
    assert kept == "before"
    assert source.read_bytes() == (DEMO_DATA / "defeitos.csv").read_bytes()
    assert len(target.read_text(encoding="utf-8-sig").splitlines()) == 201


@pytest.mark.parametrize("name", ["defeitos.csv", "defeitos.xlsx"])
def test_sql_gives_typed_rows_and_the_true_count(name: str) -> None:
    select = "SELECT turno, count(*) AS n FROM defeitos GROUP BY turno ORDER BY n DESC"

    (answer,) = qhub("sql", DEMO_DATA / name, select, "--limit", "2", "--json").lines

    assert answer == {
        "columns": ["turno", "n"],
        "types": ["category", "integer"],
        "rows": [["manha", 73], ["tarde", 68]],
        "row_count": 3,
    }


def test_agents_conversations_and_a_whole_conversation_can_be_listed() -> None:
    asked = qhub("ask", "--engine", "offline", "--json", "top 3 defeitos")

    (agents,) = qhub("agents", "--json").lines
    (found,) = qhub("conversations", "--search", "DEFEITOS", "--json").lines
    (none,) = qhub("conversations", "--search", "zebra", "--json").lines
    (whole,) = qhub("show", asked.conversation, "--json").lines

    assert [agent["id"] for agent in agents] == ["qualidade", "analise"]
    assert [talk["id"] for talk in found] == [asked.conversation]
    assert none == []
    assert [message["role"] for message in whole["messages"]] == ["user", "assistant"]
    assert whole["messages"][1]["text"] == asked.text


def test_what_cannot_be_done_says_so_on_standard_error() -> None:
    codes: dict[tuple[str, ...], int] = {
        ("profile", "nenhures.csv"): 1,
        ("show", "000000000000"): 1,
        ("sql", str(DEMO_DATA / "defeitos.csv"), "DROP TABLE defeitos"): 1,
        ("sql", str(DEMO_DATA / "defeitos.csv"), "SELECT nada FROM defeitos"): 1,
        ("ask", "--conversation", "000000000000", "--json", "olá"): 1,
        ("ask",): 2,
        ("ask", "--engine", "magic", "olá"): 2,
        ("fly",): 2,
        (): 2,
    }
    for call, called in zip(codes, qhub_in_turn([*codes]), strict=True):
        assert called.code == codes[call], call
        assert called.err.strip(), call
        assert "Traceback" not in called.err, call
        assert not called.out, call


def test_the_version_is_told() -> None:
    assert qhub("version").out.strip() == __version__


def test_a_person_reads_plain_text() -> None:
    called = qhub("ask", "--engine", "offline", "defeitos por turno")

    assert called.code == 0
    assert "73" in called.out
    assert "{" not in called.out


def test_nothing_asked_with_claude_and_no_key_is_lost() -> None:
    called = qhub(
        "ask", "--engine", "claude", "--json", "porquê?", environment={"ANTHROPIC_API_KEY": ""}
    )

    assert called.code == 1
    assert called.all("error")[0]["kind"] == "key"
    assert called.lines[-1]["reason"] == "failed"
    (kept,) = qhub("show", called.conversation, "--json").lines
    assert kept["messages"][0]["text"] == "porquê?"


def test_no_qt_is_loaded_on_this_path(home: Path) -> None:
    asked = qhub("ask", "--engine", "offline", "--json", "olá", environment={"PYTHONVERBOSE": "1"})

    loaded = {line.split("'")[1] for line in asked.err.splitlines() if line.startswith("import '")}
    assert "qhub_desktop.chat.turn" in loaded
    assert not [name for name in loaded if name.startswith(("PySide6", "pyqtgraph", "anthropic"))]
    with closing(sqlite3.connect(home / "qhub.db")) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_every_line_is_utf8_whatever_the_system_speaks(tmp_path: Path) -> None:
    export = tmp_path / "peças.csv"
    export.write_text("peça,cor\nA,vermelho ✓\nB,verde\n", encoding="utf-8")

    called = qhub("profile", export, "--json", environment={"PYTHONIOENCODING": "cp1252"})

    assert json.loads(called.out)["columns"][1]["top"][0][0] in {"vermelho ✓", "verde"}


def test_a_division_by_zero_is_missing_for_a_person_and_for_a_program() -> None:
    call = ("sql", DEMO_DATA / "defeitos.csv", "SELECT 1 / 0 AS q, 5 AS n FROM defeitos LIMIT 1")
    person, program = qhub(*call), qhub(*call, "--json")
    (told,) = program.lines
    assert (person.code, program.code) == (0, 0)
    assert told["rows"] == [[None, 5]]
    assert told["warnings"][0] in person.out
    assert "inf" not in person.out + program.out
