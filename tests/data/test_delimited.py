"""Text files: encodings, delimiters, headers, types. No value changes silently."""

import csv
import io
from datetime import date, datetime, time
from pathlib import Path
from typing import Protocol

import pandas as pd
import pytest

from qhub_desktop.core.errors import UserError
from tests.data.conftest import Imported, Read


class Table(Protocol):
    def __call__(
        self, content: str | bytes, *, encoding: str = "utf-8", name: str = "ensaio.csv"
    ) -> Imported: ...


@pytest.fixture
def table(read: Read, tmp_path: Path) -> Table:
    """Write a text file and read it."""

    def make(
        content: str | bytes, *, encoding: str = "utf-8", name: str = "ensaio.csv"
    ) -> Imported:
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        (imported,) = read(file)
        return imported

    return make


def test_the_quick_way_and_the_careful_way_read_the_same(table: Table) -> None:
    rows = "".join(f"{n};peça {n % 9};{n / 7:.3f};;{n:05}\r\n" for n in range(20_000))
    header = "n;peça;x;vazia;código\r\n"
    quick = table(header + rows, encoding="cp1252", name="rapido.csv")
    careful = table(header + rows.replace("peça 1;", '"peça 1";'), encoding="cp1252")
    assert quick.rows == careful.rows
    assert quick.profile.columns == careful.profile.columns
    assert quick.profile.warnings == careful.profile.warnings


@pytest.mark.parametrize(
    "line", ["", ";;", "1;2", "1;2;3;4", " ; ; ", "\r", "x;y\rz;w", '1;"a;b";2', "\u2028;a;b"]
)
def test_one_odd_line_in_a_long_plain_file_loses_nothing(table: Table, line: str) -> None:
    plain = "".join(f"{n};b{n};c{n}\n" for n in range(3_000))
    imported = table(f"a;b;c\n{plain}{line}\n{plain}")
    lines = io.StringIO(f"{plain}{line}\n{plain}", newline="")
    cells = list(csv.reader(lines, delimiter=";"))
    expected = [row for row in cells if "".join(row).strip()]
    assert len(imported.rows) == len(expected)
    assert [row[1] for row in imported.rows] == [
        row[1] if len(row) > 1 else None for row in expected
    ]


def test_a_plain_file_reads_like_pandas_reads_it(read: Read, tmp_path: Path) -> None:
    file = tmp_path / "medidas.csv"
    frame = pd.DataFrame(
        {
            "peça": [f"P-{number}" for number in range(500)],
            "espessura": [80 + number * 0.37 for number in range(500)],
            "lote": [number % 7 for number in range(500)],
        }
    )
    frame.to_csv(file, index=False, encoding="utf-8")

    (imported,) = read(file)

    assert imported.rows == list(frame.itertuples(index=False, name=None))
    assert imported.types == ["text", "number", "integer"]
    column = imported.profile.column("espessura")
    assert column is not None
    described = frame["espessura"].describe()
    assert column.mean == pytest.approx(described["mean"])
    assert column.std == pytest.approx(described["std"])
    assert column.quartiles == pytest.approx((described["25%"], described["50%"], described["75%"]))


def test_a_portuguese_export_in_cp1252_has_its_accents_decimals_and_dates(table: Table) -> None:
    imported = table(
        "Data;Operação;Espessura\r\n01/02/2026;Lixagem;80,5\r\n13/02/2026;Inspeção;1.079,25\r\n",
        encoding="cp1252",
    )
    assert imported.names == ["Data", "Operação", "Espessura"]
    assert imported.rows == [
        (date(2026, 2, 1), "Lixagem", 80.5),
        (date(2026, 2, 13), "Inspeção", 1079.25),
    ]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]
)
def test_the_encoding_is_found(table: Table, encoding: str) -> None:
    rows = "".join(f"maçã {number};{number}\n" for number in range(50))
    imported = table("fruta;número\n" + rows, encoding=encoding)
    assert imported.names == ["fruta", "número"]
    assert imported.rows[7] == ("maçã 7", 7)


def test_an_accent_late_in_a_long_file_decides_its_encoding(table: Table) -> None:
    imported = table("a,b\n" + "x,1\n" * 60_000 + "é,2\n", encoding="cp1252")
    assert imported.rows[-1] == ("é", 2)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(table: Table, delimiter: str) -> None:
    rows = [["id", "nome", "valor"], ["1", "Ana", "2.5"], ["2", "Rui, o segundo", "3.5"]]
    quoted = "\n".join(
        delimiter.join(f'"{cell}"' if delimiter in cell else cell for cell in row) for row in rows
    )
    imported = table(quoted)
    assert imported.names == ["id", "nome", "valor"]
    assert imported.rows == [(1, "Ana", 2.5), (2, "Rui, o segundo", 3.5)]


def test_decimal_commas_do_not_look_like_delimiters(table: Table) -> None:
    imported = table("a;b;c\n1,5;2,5;3,5\n4,5;5,5;6,5\n")
    assert imported.rows == [(1.5, 2.5, 3.5), (4.5, 5.5, 6.5)]


def test_quotes_delimiters_and_newlines_inside_cells_are_kept(table: Table, tmp_path: Path) -> None:
    rows = [["id", "nota"], ["1", 'diz "olá", e sai'], ["2", "duas\nlinhas"], ["3", "a;b"]]
    file = tmp_path / "original.csv"
    with file.open("w", encoding="utf-8", newline="") as opened:
        csv.writer(opened).writerows(rows)
    imported = table(file.read_bytes())
    assert imported.column("nota") == [row[1] for row in rows[1:]]


def test_a_mark_for_inches_is_no_quotation_mark(table: Table) -> None:
    imported = table('id,tubo\n1,5" curto\n2,"6" longo\n')
    assert imported.column("tubo") == ['5" curto', '"6" longo']
    assert "quotation marks" in imported.warned


def test_leading_zeros_long_numbers_and_plus_signs_stay_text(table: Table) -> None:
    imported = table(
        "serie,cartao,telefone,obra,ordem\n"
        "00123,1234567890123456,+351912345678,12E4,1\n"
        "00124,1234567890123457,+351912345679,13E4,2\n"
    )
    assert imported.rows[0] == ("00123", "1234567890123456", "+351912345678", "12E4", 1)


def test_one_leading_zero_at_the_very_end_keeps_the_whole_column_text(table: Table) -> None:
    imported = table("codigo,n\n" + "".join(f"{n},{n}\n" for n in range(1, 9_000)) + "00123,0\n")
    assert imported.types == ["text", "integer"]
    assert imported.rows[0] == ("1", 1)
    assert imported.rows[-1] == ("00123", 0)
    assert "00123" in imported.warned


def test_words_for_nothing_are_words(table: Table) -> None:
    imported = table("nome,valor\nNA,1\nNone,2\nnull,\n")
    assert imported.rows == [("NA", 1), ("None", 2), ("null", None)]


def test_a_word_among_numbers_keeps_them_text_and_is_named(table: Table) -> None:
    imported = table("v\n" + "1.5\n" * 20 + "partido\n")
    assert imported.types == ["category"]
    assert "1 of 21 values does not read as numbers ('partido')" in imported.warned


def test_numbers_are_read_in_every_usual_spelling(table: Table) -> None:
    imported = table(
        "us;pt;espaços;sap;cientifico\n"
        "1,234.50;1.234,50;1 234,5;12,5-;1.5E+03\n"
        "2.25;2,25;2,25;3,0;2.5e-2\n"
    )
    assert imported.rows == [
        (1234.5, 1234.5, 1234.5, -12.5, 1500.0),
        (2.25, 2.25, 2.25, 3.0, 0.025),
    ]


def test_an_ambiguous_number_follows_the_other_columns_or_is_named(table: Table) -> None:
    decided = table("a;b\n1.234;1,5\n2.345;2,5\n", name="um.csv")
    assert decided.column("a") == [1234, 2345]
    assert decided.profile.warnings == ()
    open_ = table("a,b\n1.234,x\n2.345,y\n", name="outro.csv")
    assert open_.column("a") == [1.234, 2.345]
    assert "two ways" in open_.warned


def test_dates_are_read_as_day_and_month_unless_the_values_say_otherwise(table: Table) -> None:
    assert table("d\n31/01/2026\n01/02/2026\n", name="1.csv").column("d")[1] == date(2026, 2, 1)
    american = table("d\n01/31/2026\n02/01/2026\n", name="2.csv")
    assert american.column("d") == [date(2026, 1, 31), date(2026, 2, 1)]
    assert "month/day" in american.warned
    unclear = table("d\n03/04/2026\n05/06/2026\n", name="3.csv")
    assert unclear.column("d") == [date(2026, 4, 3), date(2026, 6, 5)]
    assert "day and month could be swapped" in unclear.warned


def test_moments_are_read_in_every_usual_spelling(table: Table) -> None:
    imported = table(
        "iso,portugues,curta,hora\n"
        "2026-02-01T08:30:15,01/02/2026 08:30,1-2-26,08:30\n"
        "2026-02-28 23:59:59.250,28/02/2026 23:59,28-2-26,23:59:59\n"
    )
    assert imported.rows == [
        (
            datetime(2026, 2, 1, 8, 30, 15),
            datetime(2026, 2, 1, 8, 30),
            date(2026, 2, 1),
            time(8, 30),
        ),
        (
            datetime(2026, 2, 28, 23, 59, 59, 250_000),
            datetime(2026, 2, 28, 23, 59),
            date(2026, 2, 28),
            time(23, 59, 59),
        ),
    ]
    assert imported.types == ["datetime", "datetime", "date", "time"]


def test_a_day_that_does_not_exist_leaves_the_dates_text(table: Table) -> None:
    imported = table("d\n" + "2026-02-01\n" * 9 + "2026-02-30\n")
    assert imported.column("d")[-1] == "2026-02-30"
    assert "2026-02-30" in imported.warned


def test_yes_and_no_are_booleans_but_zero_and_one_are_not(table: Table) -> None:
    imported = table("ok,feito,bit,pais\nsim,true,0,no\nnão,false,1,no\nSim,TRUE,1,no\n")
    assert imported.types[:3] == ["boolean", "boolean", "integer"]
    assert imported.column("ok") == [True, False, True]
    assert imported.column("pais") == ["no", "no", "no"]


def test_yes_and_no_are_booleans_however_several_people_write_them(table: Table) -> None:
    imported = table(
        "a,b,c,rumo\nSim,yes,ja,N\nNAO,N,nein,S\nS,Y,J,O\nn,No,N,E\nnão,y,nein,N\n,,n/a,S\n"
    )
    assert imported.types == ["boolean", "boolean", "boolean", "text"]
    assert imported.column("a") == [True, False, True, False, False, None]
    assert imported.column("b") == [True, False, True, False, True, None]
    assert imported.column("c") == [True, False, True, False, False, None]


def test_columns_with_the_same_or_no_name_are_told_apart(table: Table) -> None:
    imported = table("a,A,,a\n1,2,3,4\n")
    assert imported.names == ["a", "A_2", "column_3", "a_3"]
    assert "A → A_2" in imported.warned
    assert "column_3" in imported.warned


def test_names_are_kept_as_they_are_in_the_file(table: Table) -> None:
    imported = table(' Peso (kg) ,"Nº ""lote""",%\n1,2,3\n')
    assert imported.names == ["Peso (kg)", 'Nº "lote"', "%"]


def test_longer_and_shorter_rows_lose_nothing(table: Table) -> None:
    imported = table("a,b\n1,2\n3\n4,5,6,7\n")
    assert imported.rows == [(1, 2, None, None), (3, None, None, None), (4, 5, 6, 7)]
    assert "1 row has more cells" in imported.warned
    assert "1 row has fewer cells" in imported.warned


def test_rows_that_leave_out_their_last_cells_keep_to_the_heading(table: Table) -> None:
    rows = [
        ["L-01", "Cuba", "2026-01-05", "2026-01-09"],
        ["L-02", "Guarda-lamas", "2026-01-06"],
        ["L-03", "Capot", "2026-01-07", "2026-01-12", "2026-02-01", "2026-03-01"],
        ["L-04", "Porta", "2026-01-08", "2026-01-13", "2026-02-02"],
        ["L-05", "Tejadilho"],
        ["L-06", "Aba", "2026-01-09", "2026-01-14", "2026-02-03", "2026-03-02"],
        ["", "Ensaio", "2026-01-10"],
    ]
    lines = ["lote,peça,início,pintura,envio,entrega", *map(",".join, rows)]
    imported = table("\n".join(lines) + "\n")
    assert imported.names == ["lote", "peça", "início", "pintura", "envio", "entrega"]
    assert [row.count(None) for row in imported.rows] == [2, 3, 0, 1, 4, 0, 4]
    assert imported.column("peça") == [row[1] for row in rows]
    assert "5 rows have fewer cells than the header" in imported.warned


def test_blank_rows_and_titles_are_counted_and_left_out(table: Table) -> None:
    imported = table("Relatório de pintura\n\n;;\na;b;c\n1;2;3\n;;\n \n4;5;6\n")
    assert imported.names == ["a", "b", "c"]
    assert imported.rows == [(1, 2, 3), (4, 5, 6)]
    assert "Relatório de pintura" in imported.warned
    assert "4 blank rows" in imported.warned


def test_a_comma_at_the_end_of_every_line_makes_no_column(table: Table) -> None:
    assert table("a,b,\n1,2,\n3,4,\n").names == ["a", "b"]


def test_a_file_with_one_column_is_a_table(table: Table) -> None:
    imported = table("valor\n1,5\n2,5\n")
    assert imported.names == ["valor"]
    assert imported.rows == [(1.5,), (2.5,)]
    names = table("nome\nJoão, o primeiro\nAna\nRui\nEva\n", name="nomes.csv")
    assert names.column("nome") == ["João, o primeiro", "Ana", "Rui", "Eva"]


def test_excels_own_word_on_the_delimiter_is_heard(table: Table) -> None:
    imported = table("sep=;\r\na;b\r\n1,5;x\r\n")
    assert imported.names == ["a", "b"]
    assert imported.rows == [(1.5, "x")]


def test_a_header_alone_is_an_empty_table(table: Table) -> None:
    imported = table("a,b\n")
    assert imported.rows == []
    assert "no rows" in imported.warned


def test_a_category_is_a_text_that_repeats(table: Table) -> None:
    imported = table("turno,nota\n" + "".join(f"T{n % 3},nota {n}\n" for n in range(60)))
    assert imported.types == ["category", "text"]
    turno = imported.profile.column("turno")
    assert turno is not None
    assert turno.top == (("T0", 20), ("T1", 20), ("T2", 20))


@pytest.mark.parametrize("content", [b"", b"\n \n\r\n", b"\xef\xbb\xbf"])
def test_a_file_without_data_is_refused(read: Read, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "vazio.csv"
    file.write_bytes(content)
    with pytest.raises(UserError, match=r"vazio\.csv"):
        read(file)


def test_blank_columns_are_named_as_far_as_a_sentence_goes(table: Table) -> None:
    warned = table("a;;;;;;;b\n" + "1;;;;;;;2\n" * 3).warned
    assert "6 blank columns were left out: B, C, D, E, F, …" in warned
