"""Text tables of every make: what parts their cells, how letters are written, what was mended."""

import csv
import io
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from qhub_desktop.core.dataset import Finding, ImportChoices
from qhub_desktop.core.errors import UserError
from qhub_desktop.data.ingest.readers.delimited import read_delimited
from qhub_desktop.data.ingest.readers.encoding import scan_text
from qhub_desktop.data.ingest.readers.sheet import InputFile, RawSheet, Value

TABLE = [
    ["id", "nome", "peso"],
    ["1", "Ana", "10,5"],
    ["2", "Rui", "9,75"],
    ["3", "Eva Sá", "8,0"],
]


@dataclass(frozen=True)
class Opened:
    sheet: RawSheet
    rows: list[Sequence[Value]]

    @property
    def repaired(self) -> list[str]:
        return [finding.kind for finding in self.sheet.repaired]

    @property
    def doubtful(self) -> list[str]:
        return [finding.kind for finding in self.sheet.doubtful]

    def finding(self, kind: str) -> Finding:
        (found,) = (
            each for each in (*self.sheet.repaired, *self.sheet.doubtful) if each.kind == kind
        )
        return found


Open = Callable[..., Opened]


@pytest.fixture
def opened(tmp_path: Path) -> Open:
    """Write a text file and read its rows as they stand in it."""

    def open_(
        content: str | bytes, *, encoding: str = "utf-8", choices: ImportChoices | None = None
    ) -> Opened:
        file = tmp_path / "ensaio.csv"
        file.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        source = InputFile(file, file.name, choices=choices or ImportChoices())
        (sheet,) = read_delimited(source).read
        return Opened(sheet, [list(row) for row in sheet.rows])

    return open_


def lines_of(rows: list[list[str]], delimiter: str) -> str:
    return "".join(delimiter.join(row) + "\n" for row in rows)


@pytest.mark.parametrize("delimiter", [";", "\t", "|", "||", "~", "^", "\x1f", "\x01", "::", "¬"])
def test_any_delimiter_is_found(opened: Open, delimiter: str) -> None:
    found = opened(lines_of(TABLE, delimiter))
    assert found.rows == TABLE
    assert found.sheet.separator == delimiter
    assert found.sheet.decimal == ","


def test_a_blank_after_each_delimiter_is_no_part_of_the_cells(opened: Open) -> None:
    found = opened('id, nome, nota\n1, Ana, "sim, mas"\n2, Rui, não\n')
    assert found.rows == [["id", "nome", "nota"], ["1", "Ana", "sim, mas"], ["2", "Rui", "não"]]


def test_blanks_part_cells_where_nothing_else_does(opened: Open) -> None:
    assert opened("a b c\n1 2 3\n4 5 6\n").rows == [list("abc"), list("123"), list("456")]
    quoted = opened('"nome" "cor de fundo"\n"Ana" "azul"\n"" "verde"\n')
    assert quoted.rows == [["nome", "cor de fundo"], ["Ana", "azul"], ["", "verde"]]


@pytest.mark.parametrize(
    "content",
    [
        "quando\n2026-01-01 10:00:00\n2026-01-02 11:30:00\n",
        "valor\n1,5\n2,5\n",
        "nome\nJoão, o primeiro\nAna\nRui\nEva\n",
        "nome\nAna Silva\nRui Costa\nEva Sá\n",
    ],
)
def test_one_column_is_not_cut(opened: Open, content: str) -> None:
    found = opened(content)
    assert found.rows == [[line] for line in content.splitlines()]
    assert found.sheet.separator is None


def test_apostrophes_wrap_cells_where_they_stand_at_both_ends(opened: Open) -> None:
    found = opened("'id','nota'\n'1','a, b'\n'2','it''s'\n")
    assert found.rows == [["id", "nota"], ["1", "a, b"], ["2", "it's"]]


def test_a_backslash_before_a_quotation_mark_is_no_letter_and_others_are(opened: Open) -> None:
    found = opened('id,nota\n1,"diz \\"olá\\", e sai"\n2,"C:\\temp\\novo"\n3,x\n')
    assert [row[1] for row in found.rows[1:]] == ['diz "olá", e sai', "C:\\temp\\novo", "x"]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_any_end_of_line_is_one(opened: Open, newline: str) -> None:
    assert opened(lines_of(TABLE, ";").replace("\n", newline)).rows == TABLE


def test_ends_of_lines_may_be_mixed(opened: Open) -> None:
    assert opened("a;b\r\n1;2\n3;4\r\n5;6").rows == [["a", "b"], ["1", "2"], ["3", "4"], ["5", "6"]]


def test_titles_notes_and_ragged_rows_stand_where_they_are(opened: Open) -> None:
    content = "Relatório de turno\n\nid;nome;peso\n1;Ana;10,5\n2;Rui\n3;Eva;8,0;?\nFim\n"
    rows = opened(content).rows
    assert rows == [line.split(";") if line else [] for line in content.splitlines()]


def test_comments_above_a_table_are_one_cell_each(opened: Open) -> None:
    found = opened("# feito por x, y, z\n# 2026\nid,v\n1,2\n")
    assert found.rows == [["# feito por x, y, z"], ["# 2026"], ["id", "v"], ["1", "2"]]
    assert opened("#id,v\n1,2\n3,4\n").rows[0] == ["#id", "v"]


def test_the_person_has_the_last_word_on_the_separator(opened: Open) -> None:
    found = opened("a;b,c\n1;2,3\n", choices=ImportChoices(separator=","))
    assert found.rows == [["a;b", "c"], ["1;2", "3"]]
    assert opened("a b\n1 2\n", choices=ImportChoices(separator=";")).rows == [["a b"], ["1 2"]]


def test_the_person_has_the_last_word_on_the_encoding(opened: Open) -> None:
    found = opened("a;b\né;1\n", encoding="cp850", choices=ImportChoices(encoding="cp850"))
    assert found.rows[1] == ["é", "1"]
    broken = opened("a;b\né;1\n", encoding="cp1252", choices=ImportChoices(encoding="utf-8"))
    assert broken.doubtful == ["lost_letters"]


def test_columns_aligned_with_blanks_are_cut_where_they_begin(opened: Open) -> None:
    found = opened(
        "Resumo do turno\n\n"
        "Peça         Peso (kg)  Data        Estado\n"
        "-----------  ---------  ----------  ------\n"
        "Tampa azul        10,5  2026-01-01  ok\n"
        "Tampa           1.110,5 2026-01-02\n"
        "Fundo              9,0  2026-01-03  nok\n"
    )
    assert found.rows == [
        ["Resumo do turno"],
        [],
        ["Peça", "Peso (kg)", "Data", "Estado"],
        [],
        ["Tampa azul", "10,5", "2026-01-01", "ok"],
        ["Tampa", "1.110,5", "2026-01-02", ""],
        ["Fundo", "9,0", "2026-01-03", "nok"],
    ]
    assert found.sheet.separator == "fixed width"
    assert found.finding("rule_lines").cells == ("A4",)


def test_a_drawn_table_is_read_without_its_lines(opened: Open) -> None:
    rule = "-" * 33 + "\n"
    found = opened(
        f"Lista\n{rule}|Ordem   |Material |Quantidade  |\n{rule}"
        f"|1000    |A-1      |     1.234,5|\n|1001    |         |        12,0|\n{rule}"
    )
    assert [row for row in found.rows if row] == [
        ["Lista"],
        ["Ordem", "Material", "Quantidade"],
        ["1000", "A-1", "1.234,5"],
        ["1001", "", "12,0"],
    ]
    assert found.finding("rule_lines").count == 3


def test_a_stray_quotation_mark_costs_its_own_row_only(opened: Open) -> None:
    good = '2026;"a; b";"it is";1\n'
    for odd, cells in (
        ('2026;"x;"it is";1\n', ["2026", '"x', "it is", "1"]),
        ('2026;""x";"it is";1\n', ["2026", '"x', "it is", "1"]),
        ('2026;"3" tubo";"it is";1\n', ["2026", '3" tubo', "it is", "1"]),
        ('2026;"6" longo;"it is";1\n', ["2026", '"6" longo', "it is", "1"]),
        ('2026;x;"it is";"\n', ["2026", "x", "it is", '"']),
    ):
        found = opened("data;a;b;n\n" + good * 4 + odd + good * 4)
        assert found.rows[5] == cells
        assert found.rows[1:5] == found.rows[6:] == [["2026", "a; b", "it is", "1"]] * 4
        assert found.finding("quotes").cells == ("A6",)


def test_marks_for_the_same_as_above_are_cells(opened: Open) -> None:
    content = 'n;cor;x\n1;azul;a\n2;";b\n3;";c\n4;verde;d\n5;";e\n6;";f\n'
    assert opened(content).rows == [line.split(";") for line in content.splitlines()]


def test_a_mark_that_would_swallow_rows_does_not(opened: Open) -> None:
    rows = "".join(f"{n},x,{n}\n" for n in range(20))
    found = opened(f'a,b,c\n{rows}5,"x,6\n{rows}7,x",8\n{rows}')
    assert len(found.rows) == 63
    assert found.finding("quotes").cells == ("A22",)


def test_a_note_of_many_lines_is_one_cell(opened: Open) -> None:
    note = "Turno da manhã:\n- parou, e voltou\n- afinado\n\nEva, Rui"
    found = opened(f'id,nota\n1,"{note}"\n2,ok\n3,ok\n')
    assert found.rows[1] == ["1", note]
    assert found.repaired == []


@pytest.mark.parametrize(
    "encoding", ["cp1252", "cp850", "utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32"]
)
def test_portuguese_is_read_in_every_encoding_it_comes_in(opened: Open, encoding: str) -> None:
    words = ["Operação", "Inspeção à mão", "ÓLEO Nº 5", "três", "fim-de-linha", "já é ímpar"]
    found = opened("\n".join(f"{word};{n}" for n, word in enumerate(words)), encoding=encoding)
    assert [row[0] for row in found.rows] == words


def test_lines_in_two_encodings_are_each_read_in_their_own(opened: Open) -> None:
    found = opened("a;b\nção;1\n".encode() + "são;2\n".encode("cp1252") + "até;3\n".encode())
    assert [row[0] for row in found.rows] == ["a", "ção", "são", "até"]
    assert found.finding("mixed_encoding").count == 1


def test_letters_that_went_wrong_before_are_left_and_said(opened: Open) -> None:
    found = opened("a;b\ninspeÃ§Ã£o;1\n?\ufffd;2\n")
    assert found.rows[1] == ["inspeÃ§Ã£o", "1"]
    assert found.doubtful == ["mojibake", "lost_letters"]


def test_a_few_zero_bytes_are_left_out_and_said_and_many_are_no_text(opened: Open) -> None:
    found = opened(b"a;b\n1\0;2\n" + b"3;4\n" * 50)
    assert found.rows[1] == ["1", "2"]
    assert found.finding("nul").count == 1
    with pytest.raises(UserError, match="not a table"):
        opened(b"a;b\n1;2\n" + b"\0" * 20)


def test_records_are_counted_without_reading_cells(opened: Open, tmp_path: Path) -> None:
    chance = random.Random(7)
    cells = ["", "a", "1,5", 'diz "x"', "duas\nlinhas", 'fim"', '"', "a\r\nb", "é"]
    for newline in ("\n", "\r\n"):
        for _round in range(40):
            rows = [[chance.choice(cells) for _ in range(3)] for _ in range(chance.randint(2, 30))]
            target = io.StringIO(newline="")
            csv.writer(target, delimiter=";", lineterminator=newline).writerows(
                [["x", "y", "z"], *rows]
            )
            found = opened(target.getvalue(), choices=ImportChoices(separator=";"))
            assert found.rows == [["x", "y", "z"], *rows]
            assert (
                scan_text(InputFile(tmp_path / "ensaio.csv", "ensaio.csv")).lines == len(rows) + 1
            )


def test_a_plain_file_with_quotation_marks_has_a_quick_way(opened: Open) -> None:
    plain = opened('a;b\r\n1;"x; y"\r\n2;"duas\nlinhas"\r\n').sheet.plain
    assert plain is not None
    assert (plain.delimiter, plain.newline, plain.lines, plain.has_quotes) == (";", "\r\n", 3, True)


def test_marks_that_do_not_balance_leave_no_quick_way(opened: Open) -> None:
    found = opened('a;b\n1;5" tubo\n' + "2;x\n" * 5)
    assert found.rows[1] == ["1", '5" tubo']
    assert found.sheet.plain is None or found.sheet.plain.lines is None


def test_the_decimal_sign_is_the_one_that_the_cells_show(opened: Open) -> None:
    assert opened("a;b\n1.5;2.25\n3.5;1.000\n").sheet.decimal == "."
    assert opened("a\tb\n1,5\t2,25\n").sheet.decimal == ","
    assert opened('a,b\n"1,5",x\n"2,5",y\n').sheet.decimal == ","
