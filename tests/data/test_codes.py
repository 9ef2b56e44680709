"""Codes, clauses and lengths of time by seed: each is read as it is, and what was done is said."""

from pathlib import Path

import pytest

from qhub_desktop.data.ingest.readers.encoding import scan_text
from qhub_desktop.data.ingest.readers.sheet import InputFile
from tests.data.conftest import Read
from tests.data.nasty import codes, rows_apart
from tests.data.nasty.codes import Maker
from tests.data.test_generated_texts import wrong_in

SEEDS = 3  # of each kind; `tests.bench.bench_generated_texts` reads five


@pytest.mark.parametrize(
    "maker", [*codes.MAKERS, *rows_apart.MAKERS], ids=lambda maker: maker.__name__
)
def test_cells_that_look_like_others_are_read_as_they_are(
    read: Read, tmp_path: Path, maker: Maker
) -> None:
    cases = [maker(seed) for seed in range(SEEDS)]
    wrong = {case.name: wrong_in(read, tmp_path, case) for case in cases}
    assert {name: said for name, said in wrong.items() if said} == {}


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1250", "nazwa;n\nłożysko;1\nśruba;2\n"),
        ("cp1251", "имя;n\nболт;1\nгайка;2\n"),
        ("cp1253", "όνομα;n\nβίδα;1\n"),
    ],
)
def test_the_encoding_of_very_few_letters_is_said_to_be_a_guess(
    tmp_path: Path, encoding: str, text: str
) -> None:
    file = tmp_path / "curto.csv"
    file.write_bytes(text.encode(encoding))

    scan = scan_text(InputFile(file, file.name))

    assert scan.rival


@pytest.mark.parametrize("seed", range(7))
def test_numbers_that_stay_text_are_said_to(read: Read, tmp_path: Path, seed: int) -> None:
    case = codes.dressed_numbers(seed)
    file = tmp_path / case.name
    file.write_bytes(case.content)

    (found,) = read(file)

    assert found.types == ["integer", "text"] or found.types == ["integer", "category"]
    assert found.profile.report is not None
    assert found.profile.report.doubtful


def test_a_form_of_labels_and_values_by_turns_is_said_to_be_none(
    read: Read, tmp_path: Path
) -> None:
    lines = (
        "Cliente;ACME;Reclamação;R-1",
        "Data;2026-01-02;Produto;Peça X",
        "Quantidade;12;Lote;L77",
        "Responsável;Ana;Estado;Aberta",
        "Turno;Manhã;Linha;3",
        "Defeito;Risco;Severidade;4",
    )
    file = tmp_path / "reclamacao.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")

    (found,) = read(file)

    assert found.profile.report is not None
    assert "form" in {each.kind for each in found.profile.report.doubtful}


@pytest.mark.parametrize(
    ("header", "word"),
    [
        ("N°;Conductivité;Remarque", "renouvelé"),
        ("N.º;Condução;Observação", "à espera"),
        ("Nº;Conductividad;Observación", "después"),
    ],
)
@pytest.mark.parametrize("unit", ["µS/cm", "µS", "µSv", "µPa"])
@pytest.mark.parametrize("rows", [8, 120])
def test_a_micro_sign_before_a_unit_is_no_capital_letter_of_dos(
    tmp_path: Path, header: str, word: str, unit: str, rows: int
) -> None:
    file = tmp_path / "banho.csv"
    lines = [header, *(f"{n};{n * 7},5 {unit};{'' if n % 5 else word}" for n in range(rows))]
    file.write_bytes("\r\n".join(lines).encode("cp1252"))

    assert scan_text(InputFile(file, file.name)).encoding == "cp1252"


@pytest.mark.parametrize("rows", [8, 120])
def test_capital_letters_of_dos_stay_those_of_dos(tmp_path: Path, rows: int) -> None:
    file = tmp_path / "pecas.csv"
    lines = ["ÁREA;MÁQUINA;LOCALIZAÇÃO", *(f"ÁGUA;PRESSÃO Á;ESTAÇÃO {n}" for n in range(rows))]
    file.write_bytes("\r\n".join(lines).encode("cp850"))

    assert scan_text(InputFile(file, file.name)).encoding == "cp850"
