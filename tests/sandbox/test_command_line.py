"""`qhub python`: a file of code, run as the tool would run it."""

import json
from pathlib import Path

import pytest

from qhub_desktop.cli import parse
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.paths import DEMO_DATA
from tests.program import offline_program


async def _run(folder: Path, code: str, *words: str) -> str | None:
    file = folder / "código.py"
    file.write_text(code, encoding="utf-8")
    program = offline_program(folder / "home")
    asked = parse(["python", *words, str(file)])
    try:
        failure: str | None = await asked.run(program, asked)
    finally:
        await program.close()
    return failure


async def test_a_run_is_printed_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = "print('olá', len(defeitos))\ngrafico('bar', 'g', {'a': 1})\ndefeitos.head(1)"

    failure = await _run(tmp_path, code, "--json", "--file", str(DEMO_DATA / "defeitos.csv"))

    told = json.loads(capsys.readouterr().out)
    assert failure is None
    assert list(told) == ["output", "sucesso", "erro", "tabelas", "figuras", "ms", "limit"]
    assert (told["output"], told["sucesso"], told["erro"], told["limit"]) == (
        *("olá 200\n", True),
        *(None, None),
    )
    (table,) = told["tabelas"]
    assert table["table"]["rows"][0][:3] == [1, "2026-02-11", "manha"]
    (figure,) = told["figuras"]
    assert (figure["type"], figure["kind"]) == ("chart", "bar")


async def test_an_error_is_told_and_is_a_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failure = await _run(tmp_path, "print('a')\n1 / 0")

    assert capsys.readouterr().out == "a\n\n"
    assert failure == "linha 2: 1 / 0\nZeroDivisionError: division by zero"


async def test_the_limit_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    await _run(tmp_path, "bytearray(2**30)", "--json")

    told = json.loads(capsys.readouterr().out)
    assert (told["sucesso"], told["limit"]) == (False, "memory")


async def test_files_of_one_name_are_numbered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = []
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        file = folder / "lote.csv"
        file.write_text("n\n" + "\n".join(str(number * at) for at in range(5)), encoding="utf-8")
        words += ["--file", str(file)]

    failure = await _run(tmp_path, "print(lote.n.sum(), lote_2.n.sum(), sorted(dados))", *words)

    assert failure is None
    assert capsys.readouterr().out == "10 20 ['defeitos', 'lote', 'lote_2']\n\n"


async def test_a_file_of_code_that_is_not_there_is_said(tmp_path: Path) -> None:
    program = offline_program(tmp_path / "home")
    asked = parse(["python", str(tmp_path / "falta.py")])

    with pytest.raises(UserError, match=r"falta\.py cannot be read"):
        await asked.run(program, asked)

    await program.close()
