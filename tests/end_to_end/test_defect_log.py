"""A file's defects into the log on the command line, once each, and out again."""

from pathlib import Path

from tests.end_to_end.qhub_process import qhub

ROWS = (
    "Dt. Registo;Shift;Colaborador;Cód. Defeito;Suporte",
    "13/03/2026;M;Júlia;Falta Tinta;R10",
    "13/03/2026;T;Júlia;Zarcão;R11",
    "14/03/2026;N;Pedro;Lixo;R12",
    "14/03/2026;N;Pedro;Lixo;R12",
)


def exported(folder: Path, *rows: str) -> Path:
    file = folder / "exportação.csv"
    file.write_text("\n".join(rows) + "\n", encoding="cp1252")
    return file


def test_an_export_is_shown_confirmed_added_once_and_taken_out(tmp_path: Path) -> None:
    file = exported(tmp_path, *ROWS)

    shown = qhub("defects", "append", file, "--json")
    added = qhub("defects", "append", file, "--yes", "--json")
    again = qhub("defects", "append", file, "--json")
    exported(tmp_path, *ROWS, "15/03/2026;M;Rui;Crateras;R10")
    newer = qhub("defects", "append", file)
    asked = qhub("ask", "--engine", "offline", "--json", "quantos defeitos?")
    undone = qhub("defects", "undo", str(added.lines[0]["id"]), "--json")

    assert (shown.code, "--yes" in shown.err) == (1, True)
    assert shown.lines[0]["columns"]["tipo_defeito"] == "Cód. Defeito"
    assert shown.lines[0]["unknown"] == ["Zarcão"]
    assert (added.lines[0]["added"], added.lines[0]["known"]) == (4, 0)
    assert (again.lines[0]["added"], again.lines[0]["known"]) == (0, 4)
    assert newer.code == 0
    assert "205" in asked.text
    assert undone.lines == [{"removed": 4}]


def test_a_file_of_something_else_is_refused_with_a_sentence(tmp_path: Path) -> None:
    called = qhub("defects", "append", exported(tmp_path, "a;b", "1;2", "3;4"), "--yes")

    assert called.code == 1
    assert "exportação.csv" in called.err


def test_questions_about_a_confirmed_export_are_in_the_plants_words(tmp_path: Path) -> None:
    rows = [
        "Data;Equipa/Turno;Motivo do defeito;Suporte",
        *("13/03/2026;1;Sujidade;R10", "13/03/2026;3;Lixo;R11", "14/03/2026;3;LIXO;R12"),
        *("14/03/2026;2;Pele de laranja;R12", "15/03/2026;3;Crateras;R12"),
    ]
    file = exported(tmp_path, *rows)
    ask = ("ask", "--engine", "offline", "--json", "--file", file)

    confirmed = qhub("defects", "append", file, "--yes", "--json")
    most = qhub(*ask, "qual é o defeito mais frequente?")
    night = qhub(*ask, "quantos defeitos de lixo à noite?")
    shifts = qhub(*ask, "defeitos por turno")
    racks = qhub(*ask, "defeitos por suporte e tipo de defeito")

    assert confirmed.lines[0]["added"] == 5
    (used,) = most.all("tool_use")
    assert (used["name"], used["result"]["top"][0]) == (
        "top_defeitos",
        {"tipo": "lixo", "total": 3, "percentagem": 60.0},
    )
    assert used["source"]["file"] == "exportação.csv"
    assert night.all("tool_use")[-1]["result"]["total"] == 2
    by_shift = shifts.all("tool_use")[-1]["result"]["por_turno"]
    assert by_shift == {"manha": 1, "tarde": 1, "noite": 3}
    assert ["R12", "lixo", 1] in racks.all("tool_use")[0]["result"]["linhas"]
