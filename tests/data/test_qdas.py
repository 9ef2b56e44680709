"""Measurements in the Q-DAS ASCII transfer format: read, refused and written again."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import speaking
from qhub_desktop.data.workspace import Workspace
from tests.data.conftest import Imported, Read

HEAD = (
    "K0100 2\nK1001/1 88-A\nK1002/1 Painel\nK2001/1 1\nK2002/1 Espessura\nK2005/1 4\n"
    "K2101/1 100\nK2112/1 -12\nK2113/1 12\nK2142/1 µm\nK2001/2 2\nK2002/2 Rugosidade\n"
    "K2110/2 0\nK2120/2 2\nK2111/2 1,6\n"
)
LINES = (
    "101.5\x140\x1405.03.2026/10:00:00\x14\x14#L1\x141\x147\x143\x0f0,82\x140",
    "99.25\x140\x1405.03.2026/10:05:00\x14\x14#L1\x142\x147\x143\x0f0,80\x14256",
    "0\x14255\x1405.03.2026/10:10:00\x14\x14#L2\x141\x147\x143\x0f0,79\x140",
)


@pytest.fixture(autouse=True)
def in_english() -> Iterator[None]:
    with speaking("en"):
        yield


def _file(folder: Path, text: str, *, name: str = "medidas.dfq", encoding: str = "utf-8") -> Path:
    file = folder / name
    file.write_bytes(text.replace("\n", "\r\n").encode(encoding))
    return file


def _only(found: list[Imported]) -> Imported:
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_lines_without_keys_are_rows_with_a_column_for_each_characteristic(
    read: Read, tmp_path: Path, encoding: str
) -> None:
    found = _only(read(_file(tmp_path, HEAD + "\n".join(LINES), encoding=encoding)))

    assert found.names == [
        *("Date and time", "Batch", "Cavity", "Operator", "Machine"),
        *("Espessura (µm)", "Rugosidade", "Mark · Rugosidade"),
    ]
    assert found.rows == [
        (datetime(2026, 3, 5, 10, 0), "L1", 1, 7, 3, 101.5, 0.82, 0),
        (datetime(2026, 3, 5, 10, 5), "L1", 2, 7, 3, 99.25, None, 256),
        (datetime(2026, 3, 5, 10, 10), "L2", 1, 7, 3, None, 0.79, 0),
    ]
    assert "1 value is marked as not valid" in found.warned


def test_what_is_told_of_the_characteristics_are_facts_of_the_data(
    read: Read, tmp_path: Path
) -> None:
    found = _only(read(_file(tmp_path, HEAD + "\n".join(LINES))))

    report = found.profile.report
    assert report is not None
    assert dict(report.facts) == {
        "LSL Espessura": "88",
        "USL Espessura": "112",
        "Nominal Espessura": "100",
        "Unit Espessura": "µm",
        "Class Espessura": "4 (critical)",
        "Lower natural boundary Rugosidade": "0",
        "USL Rugosidade": "1.6",
        "Part number": "88-A",
        "Part": "Painel",
    }


def test_values_under_keys_are_put_beside_each_other_where_they_were_measured_together(
    read: Read, tmp_path: Path
) -> None:
    values = "".join(
        f"K0001/{number} {value}\nK0004/{number} 0{day}.03.2026/10:00:00\nK0014/{number} P{day}\n"
        for number, column in ((1, (101.5, 99.25)), (2, (0.82, 0.8)))
        for day, value in enumerate(column, 1)
    )
    found = _only(read(_file(tmp_path, HEAD + values)))

    assert found.names == ["Date and time", "Part ident", "Espessura (µm)", "Rugosidade"]
    assert found.rows == [
        (datetime(2026, 3, 1, 10), "P1", 101.5, 0.82),
        (datetime(2026, 3, 2, 10), "P2", 99.25, 0.8),
    ]


def test_values_that_were_measured_apart_are_not_paired(read: Read, tmp_path: Path) -> None:
    values = (
        "K0001/1 101.5\nK0004/1 01.03.2026/10:00:00\nK0001/1 99.25\nK0004/1 02.03.2026/10:00:00\n"
        "K0001/2 0.82\nK0004/2 09.03.2026/10:00:00\n"
    )
    found = _only(read(_file(tmp_path, HEAD + values)))

    assert [row[1:] for row in found.rows] == [(101.5, None), (99.25, None), (None, 0.82)]
    assert "were not measured together" in found.warned


def test_each_part_is_a_table_and_blocks_of_one_part_are_one(read: Read, tmp_path: Path) -> None:
    block = "K0100 1\nK1001/1 {part}\nK2001/1 1\nK2002/1 Cota\n{value}\x140\n"
    blocks = (("A", 1.5), ("B", 7), ("A", 1.6))
    text = "".join(block.format(part=part, value=value) for part, value in blocks)

    found = read(_file(tmp_path, text))

    assert {each.profile.sheet: each.column("Cota") for each in found} == {
        "A": [1.5, 1.6],
        "B": [7],
    }


def test_counts_stand_beside_what_was_inspected(read: Read, tmp_path: Path) -> None:
    text = (
        "K0100 1\nK1001/1 A\nK2001/1 1\nK2002/1 Riscos\nK2004/1 1\n"
        "50\x142\x140\x14\x1405.03.2026/10:00:00\n60\x140\x140\x14\x1405.03.2026/11:00:00\n"
    )
    found = _only(read(_file(tmp_path, text)))

    assert found.names == ["Date and time", "Inspected Riscos", "Riscos"]
    assert [row[1:] for row in found.rows] == [(50, 2), (60, 0)]


@pytest.mark.parametrize("dropped", ["medidas.dfd", "medidas.dfx"])
def test_a_description_and_its_values_are_read_as_one(
    workspace: Workspace, tmp_path: Path, dropped: str
) -> None:
    _file(tmp_path, HEAD.rstrip("\n"), name="medidas.dfd", encoding="utf-8-sig")
    values = _file(tmp_path, "\n".join(LINES[:2]), name="medidas.dfx", encoding="utf-8-sig")

    async def read() -> list[int]:
        counts = [(await workspace.load(tmp_path / dropped))[0].rows]
        values.write_bytes(values.read_bytes() + f"\r\n{LINES[2]}".encode())
        return [*counts, (await workspace.load(tmp_path / dropped))[0].rows]

    assert asyncio.run(read()) == [2, 3]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("medidas.dfd", HEAD, "holds no values"),
        ("medidas.dfx", "\n".join(LINES), "without what describes them"),
        ("medidas.dfq", "K0100 1\nK1001 A\nK2001/1 1\nK0999 0\n", "holds no values"),
    ],
)
def test_half_of_a_pair_is_refused_with_the_way_out(
    read: Read, tmp_path: Path, name: str, text: str, said: str
) -> None:
    with pytest.raises(UserError, match=said) as refused:
        read(_file(tmp_path, text, name=name))

    assert ".dfx" in str(refused.value)


def _far(count: int) -> str:
    return "".join(f"K2001/{at} x\n" for at in range(1, count))


@pytest.mark.parametrize(
    "text",
    [
        "K2002/999999 Longe\nK0001/999999 5\n",
        f"{_far(2_000)}1.5\n",
        "\x0f".join(["1.5"] * 5_000) + "\n",
        "K2002/1 " + "x" * 100_000 + "\n1.5\n",
        "K2002/1 =cmd()\n1.5\x140\x1499.99.9999/99:99:99\x14" + "\x14" * 500 + "\n",
        "K2002/1 \x00\x10\ufffe\n\x0f\x14\x0f\x14\n1e9999\x140\nzzz\n",
        "K0001/1/99999999 5\nK0004/0 x\nK0002/1 y\n",
        "K2101/1 1e308\nK2112/1 1e308\nK2113/1 x\n1,5\x14a\n",
    ],
    ids=["index", "many", "wide", "long", "fields", "signs", "places", "limits"],
)
def test_a_hostile_file_is_read_or_refused_with_a_sentence(
    read: Read, tmp_path: Path, text: str
) -> None:
    file = _file(tmp_path, f"K0100 1\nK1001/1 A\n{text}")
    rows, said = 0, "medidas.dfq"
    try:
        rows = sum(len(each.rows) for each in read(file))
    except UserError as refused:
        said = str(refused)
    assert rows <= 5
    assert "medidas.dfq" in said


def test_a_file_beyond_the_limit_is_refused(
    read: Read, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qhub_desktop.data.ingest.readers.qdas.MOST_QDAS_BYTES", 100)

    with pytest.raises(UserError, match="too large"):
        read(_file(tmp_path, HEAD + "\n".join(LINES)))


@pytest.mark.parametrize("language", ["pt", "en"])
def test_what_is_written_is_read_again_alike(
    workspace: Workspace, read: Read, tmp_path: Path, language: str
) -> None:
    file = _file(tmp_path, HEAD + "\n".join(LINES))
    target = tmp_path / "escrito.dfq"

    async def write() -> tuple[str, ...]:
        profile = (await workspace.load(file))[0]
        return (await workspace.export(profile.id, target)).notes

    with speaking(language):
        assert asyncio.run(write()) == ()
        before, after = _only(read(file)), _only(read(target))
    assert after.names == before.names
    assert after.rows == before.rows
    assert before.profile.report is not None
    assert after.profile.report is not None
    assert after.profile.report.facts == before.profile.report.facts


Write = Callable[[str], tuple[Path, tuple[str, ...]]]


@pytest.fixture
def write(workspace: Workspace, tmp_path: Path) -> Write:
    """Write a table of text as a .dfq file; return where, and the notes."""

    def written(text: str) -> tuple[Path, tuple[str, ...]]:
        source, target = tmp_path / "tabela.csv", tmp_path / "tabela.dfq"
        source.write_text(text, encoding="utf-8")

        async def run() -> tuple[str, ...]:
            profile = (await workspace.load(source))[0]
            return (await workspace.export(profile.id, target)).notes

        return target, asyncio.run(run())

    return written


def test_columns_of_a_table_become_the_fields_that_they_name(read: Read, write: Write) -> None:
    target, notes = write(
        "LSL;9,9;;\nUSL;10,1;;\nCota [mm];Lote;Operador;Cor\n10,01;A7;3;azul\n9,98;A8;3;verde\n"
    )
    found = _only(read(target))

    assert found.names == ["Batch", "Operator", "Cota (mm)"]
    assert found.rows == [("A7", 3, 10.01), ("A8", 3, 9.98)]
    assert notes == ("The format has no field for 1 column, which was left out: Cor.",)
    assert found.profile.report is not None
    facts = dict(found.profile.report.facts)
    assert (facts["LSL Cota"], facts["USL Cota"], facts["Unit Cota"]) == ("9.9", "10.1", "mm")


def test_a_table_without_measurements_is_not_written(write: Write, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no column of measurements"):
        write("Cor;Lote\nazul;A7\nverde;A8\n")

    assert not (tmp_path / "tabela.dfq").exists()
