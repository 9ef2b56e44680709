"""Text files made by seed: each is read as it is in truth, and what is doubtful is said."""

import random
from collections import Counter
from pathlib import Path

import duckdb
import numpy as np
import pytest

from qhub_desktop.core.dataset import ImportChoices
from qhub_desktop.data.ingest.readers.delimited import read_delimited
from qhub_desktop.data.ingest.readers.encoding import scan_text
from qhub_desktop.data.ingest.readers.sheet import Decimal, InputFile
from qhub_desktop.data.ingest.type_inference import exact_text
from qhub_desktop.data.ingest.type_patterns import candidates, quick_check
from tests.bench.bench_encodings import lists, outcome
from tests.data.conftest import Read, read_here
from tests.data.nasty import encodings, listings, typed_texts
from tests.data.nasty.by_seed import by_seed
from tests.data.nasty.truth import Case
from tests.data.test_nasty import differences

# Of the words of two rows nothing is sure; of 40, all of it.
RIGHT_SHARE = {6: 0.9, 40: 0.985}


def wrong_in(read: Read, folder: Path, case: Case) -> list[str]:
    """In what the reading of a case is wrong without having said so."""
    file = folder / case.name
    file.write_bytes(case.content)
    return differences([(each.profile, each.rows) for each in read(file)], case.truth)


@pytest.mark.parametrize("rows", RIGHT_SHARE)
def test_a_table_is_read_in_the_encoding_of_its_language(tmp_path: Path, rows: int) -> None:
    written = [each for seed in range(4) for each in encodings.texts(seed, rows=rows)]
    wrong = []
    for each in written:
        file = tmp_path / "ensaio.csv"
        file.write_bytes(each.content)
        (sheet,) = read_delimited(InputFile(file, file.name)).read
        text = "".join(";".join(map(str, row)) + "\r\n" for row in sheet.rows)
        if text != each.text:
            wrong.append((each.language, each.encoding, sheet.encoding))
    assert len(wrong) <= len(written) * (1 - RIGHT_SHARE[rows]), wrong


def test_a_small_list_in_another_encoding_than_its_own_is_told_to_be_doubtful(
    tmp_path: Path,
) -> None:
    outcomes = Counter(outcome(each, tmp_path)[0] for each in [*lists(rows=(8,))][::2])
    assert outcomes["wrong_unsaid"] == 0
    assert outcomes["wrong_doubted"] <= outcomes.total() * 0.03
    assert outcomes["right"] >= outcomes.total() * 0.5


# What is in it, where it was read as something else or was once in danger of it.
SMALL = [
    ("cp932", "測定項目,男女別,地区\n重量【ｋｇ】,男女計,全国\n重量【ｋｇ】,男女計,宮城県\n"),
    ("cp932", "厚さ（μm）;判定\n12;再塗装\n13;良好\n"),
    ("gb18030", "厚度（μm）;结论\n12;返工\n13;合格\n"),
    ("cp866", "ИМЯ;ЦЕХ\nФЁДОР;ОКРАСКА\nСЁМЁН;СБОРКА\n"),
    ("euc_kr", "번호;구분\n1;남자\n2;여자\n3;전체\n4;남자\n"),
    ("cp1252", "Lote;Peça\n1;A\n2;B\n"),
    ("cp1252", "Lote;Nome\n1;Zé\n2;Rui\n"),
    ("cp1252", "Lote;Resp.\n1;José\n2;André\n"),
    ("cp1252", "Lote;SECÇÃO\n1;A\n2;B\n"),
    ("cp1252", "Ø 12;m²;1.ª\n25 °C;10 µm;2.º\n"),
    ("cp1252", "Lote;Ø (mm);µm\n1;2;3\n"),
    ("cp1252", "Preço;Obs.\n12 €;A – B\n13 €;“x”…\n"),
]


@pytest.mark.parametrize(("name", "text"), SMALL)
def test_a_handful_of_letters_says_enough(tmp_path: Path, name: str, text: str) -> None:
    file = tmp_path / "ensaio.csv"
    file.write_bytes(text.encode(name))

    scan = scan_text(InputFile(file, file.name))

    assert file.read_text(encoding=scan.encoding) == text
    assert name != "cp1252" or not scan.rival


@pytest.mark.parametrize(
    ("name", "word"), [("mac-roman", "Änderung"), ("mac-roman", "pó"), ("iso8859-2", "Požega")]
)
def test_letters_that_are_signs_in_cp1252_are_told(tmp_path: Path, name: str, word: str) -> None:
    file = tmp_path / "ensaio.csv"
    file.write_bytes(f"n;{word}\n1;2\n3;4\n".encode(name))

    scan = scan_text(InputFile(file, file.name))

    assert scan.encoding == name or scan.rival


@pytest.mark.parametrize("case", [*encodings.generated(1, rows=30)], ids=lambda case: case.name)
def test_a_table_in_any_language_is_imported_whole(read: Read, tmp_path: Path, case: Case) -> None:
    assert wrong_in(read, tmp_path, case) == []


@pytest.mark.parametrize("seed", range(6))
def test_wide_letters_whose_second_byte_is_ascii_are_japanese(tmp_path: Path, seed: int) -> None:
    file = tmp_path / "ensaio.csv"
    file.write_bytes(encodings.wide(seed).encode("cp932"))

    scan = scan_text(InputFile(file, file.name))

    assert scan.encoding == "cp932"


@pytest.mark.parametrize("seed", range(6))
def test_an_encoding_of_which_nothing_is_known_is_said_to_be_doubtful(
    tmp_path: Path, seed: int
) -> None:
    file = tmp_path / "ensaio.csv"
    file.write_bytes(encodings.half_wide(seed).encode("cp932"))

    scan = scan_text(InputFile(file, file.name))

    assert scan.encoding == "cp932" or scan.rival


@pytest.mark.parametrize("seed", range(3))
def test_letters_that_went_wrong_are_said_and_put_right_on_demand(
    tmp_path: Path, seed: int
) -> None:
    words = [*encodings.mojibake(seed)]
    file = tmp_path / "ensaio.csv"
    file.write_text(
        "id;name\n" + "".join(f"{n};{bad}\n" for n, (_good, bad) in enumerate(words)),
        encoding="utf-8",
    )
    (found,) = read_here(file, tmp_path / "first")
    assert found.column("name") == [bad for _good, bad in words]
    assert found.profile.report is not None
    assert "mojibake" in {each.kind for each in found.profile.report.doubtful}
    again = ImportChoices(encoding="utf-8 twice")
    (right,) = read_here(file, tmp_path / "second", choices=again)
    assert right.column("name") == [good for good, _bad in words]


def test_control_characters_of_windows_are_said(read: Read, tmp_path: Path) -> None:
    file = tmp_path / "ensaio.csv"
    file.write_text("id;name\n1;a \x93b\x94\n2;c \x96 d\n", encoding="utf-8")
    (found,) = read(file)
    assert found.column("name") == ["a \x93b\x94", "c \x96 d"]
    report = found.profile.report
    assert report is not None
    assert [(each.kind, each.count) for each in report.doubtful] == [("control_characters", 3)]


# Five seeds of every kind are read in `tests.bench.bench_generated_texts`.
TYPED = [*by_seed("one writing", 0), *by_seed("mixed writings", 0, 1)]


@pytest.mark.parametrize("case", TYPED, ids=lambda case: case.name)
def test_a_column_has_the_type_of_its_values(read: Read, tmp_path: Path, case: Case) -> None:
    assert wrong_in(read, tmp_path, case) == []


@pytest.mark.parametrize("seed", range(3))
def test_a_column_of_few_values_has_their_type(read: Read, tmp_path: Path, seed: int) -> None:
    assert wrong_in(read, tmp_path, typed_texts.sparse(seed)) == []


@pytest.mark.parametrize("case", [*by_seed("in a cell", 0)], ids=lambda case: case.name)
def test_a_table_in_a_cell_is_the_cells_text(read: Read, tmp_path: Path, case: Case) -> None:
    assert wrong_in(read, tmp_path, case) == []


@pytest.mark.parametrize("case", [*by_seed("drawn", 0, 1)], ids=lambda case: case.name)
def test_tables_drawn_in_a_text_are_read_as_tables(read: Read, tmp_path: Path, case: Case) -> None:
    assert wrong_in(read, tmp_path, case) == []


UNKNOWN = [case for seed in range(2) for case in listings.unknown(seed)]


@pytest.mark.parametrize("case", UNKNOWN, ids=lambda case: case.name)
def test_a_text_that_is_no_table_is_said_to_be_none(read: Read, tmp_path: Path, case: Case) -> None:
    file = tmp_path / case.name
    file.write_bytes(case.content)
    for each in read(file):
        assert each.profile.report is not None
        assert "no_table" in {found.kind for found in each.profile.report.doubtful}


@pytest.mark.parametrize("case", [*by_seed("known", 0, 1)], ids=lambda case: case.name)
def test_a_text_of_a_known_kind_is_read_as_what_it_is(
    read: Read, tmp_path: Path, case: Case
) -> None:
    assert wrong_in(read, tmp_path, case) == []


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("look", [*typed_texts.UNREAD, *typed_texts.CODES])
def test_values_in_an_unknown_writing_stay_texts_and_are_told(
    read: Read, tmp_path: Path, look: str, seed: int
) -> None:
    write = (typed_texts.UNREAD | typed_texts.CODES)[look]
    chance = random.Random(f"{look} {seed}")
    texts = [write(chance) for _ in range(chance.randrange(20, 60))]
    file = tmp_path / "ensaio.csv"
    file.write_text("id;v\n" + "".join(f"{n};{each}\n" for n, each in enumerate(texts)), "utf-8")

    (found,) = read(file)

    assert found.column("v") == texts
    assert found.profile.report is not None
    told = {each.kind for each in found.profile.report.doubtful}
    assert ("unread_values" in told) == (look in typed_texts.UNREAD)


@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("size", range(2, 8))
def test_what_is_quickly_known_to_come_back_does(decimal: Decimal, size: int) -> None:
    numbers = next(each for each in candidates(decimal) if each.type == "number")
    usual = [f"1{decimal}{'1' * size}"] * 9 + [f"0{decimal}0"]
    quick, text = quick_check(numbers, usual), exact_text(numbers, usual)
    assert quick
    assert text is not None
    chance = random.Random(size)
    texts = [
        chance.choice(["", "", "", "-", "+", " ", "0"])
        + str(chance.randrange(10 ** chance.randrange(1, 16)))
        + chance.choice([decimal, decimal, decimal, "", ".", ","])
        + chance.choice(["9" * size, "0", "10", "7" * size, str(chance.randrange(10**9))])
        + chance.choice(["", "", "", " ", "e1", "E-2"])
        for _each in range(20_000)
    ]
    texts += [f"{chance.random() * 100:.{size}f}".replace(".", decimal) for _each in range(20_000)]
    with duckdb.connect(":memory:") as db:
        db.register("given", {"c": np.array(texts, dtype=object)})
        counted = db.execute(
            f"SELECT count(*) FILTER (quick), count(*) FILTER (quick AND is_back IS NOT TRUE)"
            f" FROM (SELECT {quick.format(v='v', c='c')} AS quick,"
            f" {text.format(v='v')} = c AS is_back"
            f" FROM (SELECT c, {numbers.conversion.format(v='c')} AS v FROM given))"
        ).fetchone()
    assert counted is not None
    found, wrong = counted
    assert found > len(texts) // 3
    assert not wrong
