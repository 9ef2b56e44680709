"""Text files: encodings, separators, quotation marks, ends of lines."""

import codecs
from collections.abc import Iterator
from typing import Any

from tests.data.nasty.every_format import HEADER, ROWS, TYPES
from tests.data.nasty.truth import Case, Truth, said, sheet
from tests.data.writers import grids

PLAIN = grids.csv_text((HEADER, *ROWS))
NAMES = ("código", "operação", "peças")
WORKS = (
    ("R-ã", "Lixagem à mão", 20),
    ("R-é", "Inspeção", 30),
    ("R-ç", "Correção", 40),
    ("R-õ", "Medições", 50),
)


def cases() -> Iterator[Case]:
    """All of them."""
    yield from _encodings()
    yield from _separators()
    yield from _quotes()
    yield from _lines()


def _text(name: str, about: str, content: str | bytes, **more: Any) -> Case:
    """A text file of one sheet: `columns`, `types`, `rows`, and what else a sheet has."""
    is_honest = more.pop("is_honest", False)
    truth = sheet(more.pop("columns"), more.pop("types"), more.pop("rows"), **more)
    made = content if isinstance(content, bytes) else content.encode("utf-8")
    return Case(name, made, Truth(about, (truth,), is_honest=is_honest))


def _encodings() -> Iterator[Case]:
    text = grids.csv_text((NAMES, *WORKS))
    for name, encoding, mark, reported in (
        ("cp1252", "cp1252", b"", "cp1252"),
        ("utf8", "utf-8", b"", "utf-8"),
        ("utf8_mark", "utf-8", codecs.BOM_UTF8, None),
        ("utf16_le_mark", "utf-16-le", codecs.BOM_UTF16_LE, None),
        ("utf16_be_mark", "utf-16-be", codecs.BOM_UTF16_BE, None),
        ("utf16_le", "utf-16-le", b"", None),
        ("utf16_be", "utf-16-be", b"", None),
        ("utf32_mark", "utf-32-le", codecs.BOM_UTF32_LE, None),
        ("cp850", "cp850", b"", "cp850"),
    ):
        yield _text(
            f"encoding_{name}.csv",
            f"Portuguese in {encoding}{' after its mark' if mark else ''}",
            mark + text.encode(encoding),
            columns=NAMES,
            types="text text integer",
            rows=WORKS,
            encoding=reported,
            separator=";",
            perhaps=("encoding",),
        )
    money = (("artigo", "preço"), ("tinta “mate”", "5 € / L"), ("cola – lenta", "7 € / L"))
    yield _text(
        "encoding_cp1252_signs.csv",
        "Curly quotation marks, dashes and the euro sign as Windows writes them",
        grids.csv_text(money).encode("cp1252"),
        columns=money[0],
        types="text text",
        rows=money[1:],
        encoding="cp1252",
    )
    late = "".join(f"peça {number};{number}\n" for number in range(2_000)).replace("ç", "c")
    yield _text(
        "encoding_late_accent.csv",
        "The first accent stands in the last row",
        ("nome;n\n" + late + "peça ó;2000\n").encode("cp1252"),
        columns="nome n",
        types="text integer",
        rows=[*((f"peca {number}", number) for number in range(2_000)), ("peça ó", 2_000)],
    )
    yield _text(
        "encoding_two_in_one.csv",
        "One row in cp1252 among rows in UTF-8, as after joining two files",
        "nome;n\nmaçã;1\npêra;2\n".encode() + "limão;3\n".encode("cp1252") + "romã;4\n".encode(),
        columns="nome n",
        types="text integer",
        rows=[("maçã", 1), ("pêra", 2), ("limão", 3), ("romã", 4)],
        perhaps=("encoding",),
        repaired=("mixed_encoding",),
        is_honest=True,
    )


def _separators() -> Iterator[Case]:
    thousands = "lote;massa;custo\nA1;1.250,75;12.500,00\nA2;980,5;1.050.000,25\nA3;12.000,25;3,5\n"
    yield _text(
        "separator_semicolon_thousands.csv",
        "Decimal commas and thousands points",
        thousands,
        columns="lote massa custo",
        types="text number number",
        rows=[("A1", 1250.75, 12500.0), ("A2", 980.5, 1050000.25), ("A3", 12000.25, 3.5)],
    )
    yield _text(
        "separator_comma_quoted_decimals.csv",
        "Commas part cells, and decimal commas stand in quotation marks",
        'lote,massa,custo\nA1,"1250,75","0,5"\nA2,"980,5","1,25"\nA3,"12000,25","3,5"\n',
        columns="lote massa custo",
        types="text number number",
        rows=[("A1", 1250.75, 0.5), ("A2", 980.5, 1.25), ("A3", 12000.25, 3.5)],
        separator=",",
    )
    yield _text(
        "separator_comma_english.csv",
        "Commas part cells, and thousands stand in quotation marks",
        'lot,mass,price\nA1,"1,250.75",0.5\nA2,980.5,1.25\nA3,"12,000.25",3.5\n',
        columns="lot mass price",
        types="text number number",
        rows=[("A1", 1250.75, 0.5), ("A2", 980.5, 1.25), ("A3", 12000.25, 3.5)],
        separator=",",
    )
    for name, mark in (("tab", "\t"), ("pipe", "|"), ("comma", ",")):
        yield _text(
            f"separator_{name}.{'tsv' if name == 'tab' else 'txt'}",
            f"Cells parted by a {name}",
            grids.csv_text((HEADER, *ROWS), delimiter=mark),
            columns=HEADER,
            types=TYPES,
            rows=ROWS,
            separator=mark,
        )
    yield _text(
        "separator_declared.csv",
        "Excel's own first line on the separator",
        "sep=;\r\n" + PLAIN,
        columns=HEADER,
        types=TYPES,
        rows=ROWS,
        header_row=2,
        separator=";",
    )
    odd = "sep=^\nlote^peso\nA;1^2,5\nA;2^3,5\nA;3^4,5\n"
    yield _text(
        "separator_declared_odd.csv",
        "A separator that nobody would guess, declared",
        odd,
        columns="lote peso",
        types="text number",
        rows=[("A;1", 2.5), ("A;2", 3.5), ("A;3", 4.5)],
        header_row=2,
        separator="^",
    )
    yield _text(
        "separator_in_text.csv",
        "Texts are full of commas and semicolons",
        'lote;nota\nA1;"riscos, pó; poros"\nA2;"ok, sem defeitos"\nA3;"a, b, c, d; e"\n',
        columns="lote nota",
        types="text text",
        rows=[("A1", "riscos, pó; poros"), ("A2", "ok, sem defeitos"), ("A3", "a, b, c, d; e")],
    )
    yield _text(
        "separator_after_blanks.csv",
        "A blank after each comma, before the quotation marks too",
        'lote, nota, peças\nA1, "riscos, pó", 3\nA2, "ok, limpo", 4\nA3, "poros", 5\n',
        columns="lote nota peças",
        types="text text integer",
        rows=[("A1", "riscos, pó", 3), ("A2", "ok, limpo", 4), ("A3", "poros", 5)],
    )
    yield _text(
        "separator_none.csv",
        "One column of decimal commas",
        "espessura\n80,5\n79,25\n81,75\n80,0\n",
        columns=("espessura",),
        types="number",
        rows=[(80.5,), (79.25,), (81.75,), (80.0,)],
    )
    yield _text(
        "separator_none_words.txt",
        "One column of sentences with commas",
        "nota\nriscos, poucos\nsem defeito\npoeira, muita, outra vez\nok\nbolhas\n",
        columns=("nota",),
        types="text",
        rows=[
            ("riscos, poucos",),
            ("sem defeito",),
            ("poeira, muita, outra vez",),
            ("ok",),
            ("bolhas",),
        ],
    )
    comments = (
        "# máquina 7\n# exportado 2026-02-17\nhora,temperatura\n"
        "08:00:00,181.5\n08:05:00,182.25\n08:10:00,180.75\n"
    )
    yield _text(
        "comments_above.csv",
        "Lines of comment over the header, as machines write them",
        comments,
        columns="hora temperatura",
        types="time number",
        rows=[("08:00:00", 181.5), ("08:05:00", 182.25), ("08:10:00", 180.75)],
        header_row=3,
        apart=(("title", 1, 2),),
    )


def _quotes() -> Iterator[Case]:
    names = "lote nota peças"
    kinds = "text text integer"
    yield _text(
        "quotes_with_newlines.csv",
        "Cells of several lines",
        'lote;nota;peças\nA1;"primeira linha\nsegunda linha";3\nA2;"uma\n\ntrês";4\nA3;ok;5\n',
        columns=names,
        types=kinds,
        rows=[
            ("A1", "primeira linha\nsegunda linha", 3),
            ("A2", "uma\n\ntrês", 4),
            ("A3", "ok", 5),
        ],
    )
    yield _text(
        "quotes_doubled.csv",
        "Quotation marks within quotation marks",
        'lote;nota;peças\nA1;"diz ""bom"" e sai";3\nA2;"""sim""";4\nA3;"";5\n',
        columns=names,
        types=kinds,
        rows=[("A1", 'diz "bom" e sai', 3), ("A2", '"sim"', 4), ("A3", None, 5)],
    )
    yield _text(
        "quotes_escaped.csv",
        "Quotation marks after a backslash",
        'lote,nota,peças\nA1,"diz \\"bom\\", e sai",3\nA2,"tubo 6\\" curto",4\nA3,"ok",5\n',
        columns=names,
        types=kinds,
        rows=[("A1", 'diz "bom", e sai', 3), ("A2", 'tubo 6" curto', 4), ("A3", "ok", 5)],
        perhaps=("quotes",),
        is_honest=True,
    )
    yield _text(
        "quotes_for_inches.csv",
        "A quotation mark that means inches, and matches none",
        'lote;tubo;peças\nA1;5" curto;3\nA2;6" longo;4\nA3;7";5\n',
        columns="lote tubo peças",
        types=kinds,
        rows=[("A1", '5" curto', 3), ("A2", '6" longo', 4), ("A3", '7"', 5)],
        perhaps=("quotes",),
    )
    yield _text(
        "quotes_unbalanced.csv",
        "A quotation mark is opened and never closed",
        'lote;nota;peças\nA1;riscos;3\nA2;"poros;4\nA3;ok;5\nA4;bolhas;6\n',
        columns=names,
        types=kinds,
        rows=[("A1", "riscos", 3), ("A2", '"poros', 4), ("A3", "ok", 5), ("A4", "bolhas", 6)],
        repaired=(said("quotes", "A3"),),
    )
    yield _text(
        "quotes_single.csv",
        "Apostrophes as quotation marks",
        "lote;nota;peças\n'A1';'riscos; pó';3\n'A2';'ok; limpo';4\n'A3';'poros';5\n",
        columns=names,
        types=kinds,
        rows=[("A1", "riscos; pó", 3), ("A2", "ok; limpo", 4), ("A3", "poros", 5)],
        is_honest=True,
    )
    yield _text(
        "quotes_around_all.csv",
        "Every cell in quotation marks, numbers and dates too",
        '"lote";"data";"peso"\r\n"001";"13/02/2026";"1,5"\r\n"002";"14/02/2026";"2,5"\r\n'
        '"003";"15/02/2026";"3,5"\r\n',
        columns="lote data peso",
        types="text date number",
        rows=[("001", "2026-02-13", 1.5), ("002", "2026-02-14", 2.5), ("003", "2026-02-15", 3.5)],
    )


def _lines() -> Iterator[Case]:
    yield _text(
        "lines_ended_by_returns.csv",
        "Carriage returns alone end the lines, as on an old Macintosh",
        PLAIN.replace("\r\n", "\r"),
        columns=HEADER,
        types=TYPES,
        rows=ROWS,
    )
    halves = PLAIN.split("\r\n")
    mixed = "\r\n".join(halves[:3]) + "\r\n" + "\n".join(halves[3:])
    yield _text(
        "lines_ended_both_ways.csv",
        "Some lines end in CR LF, others in LF",
        mixed,
        columns=HEADER,
        types=TYPES,
        rows=ROWS,
    )
    yield _text(
        "lines_ended_twice.csv",
        "CR CR LF at each end, as after a transfer in text mode",
        PLAIN.replace("\r\n", "\r\r\n"),
        columns=HEADER,
        types=TYPES,
        rows=ROWS,
        apart=tuple(("blank", row, row) for row in range(2, 15, 2)),
        perhaps=("newlines",),
        is_honest=True,
    )
    yield _text(
        "lines_last_unended.csv",
        "The last line has no end",
        PLAIN.rstrip(),
        columns=HEADER,
        types=TYPES,
        rows=ROWS,
    )
    yield _text(
        "lines_ended_by_dos.csv",
        "The sign by which DOS ended files stands in the last line",
        PLAIN + "\x1a",
        columns=HEADER,
        types=TYPES,
        rows=ROWS,
        repaired=("control_characters",),
    )
    yield Case(
        "nuls_between.csv",
        PLAIN.replace("A-101", "A\x00101").encode("utf-8"),
        Truth(
            "A NUL in one cell",
            (
                sheet(
                    HEADER,
                    TYPES,
                    [(each[0], each[1].replace("A-101", "A101"), *each[2:]) for each in ROWS],
                    repaired=("nul",),
                ),
            ),
            is_honest=True,
        ),
    )
    yield Case(
        "nuls_at_end.csv",
        PLAIN.encode("utf-8") + bytes(64),
        Truth(
            "NULs after the last row, as after a crash while writing",
            (
                sheet(
                    HEADER,
                    TYPES,
                    ROWS,
                    repaired=("nul",),
                    perhaps=("shorter_rows",),
                ),
            ),
            is_honest=True,
        ),
    )
    yield _text(
        "lines_parted_by_other_signs.csv",
        "Form feeds and Unicode's own ends of lines within cells end no row",
        "lote;nota;n\nA1;antes\u2028depois;1\nA2;antes\x0bdepois;2\nA3;antes\x85depois;3\n",
        columns="lote nota n",
        types="text text integer",
        rows=[
            ("A1", "antes\u2028depois", 1),
            ("A2", "antes\x0bdepois", 2),
            ("A3", "antes\x85depois", 3),
        ],
    )
    long = "x" * 5_000
    yield _text(
        "cell_very_long.csv",
        "A cell of 5,000 letters",
        f"lote;nota\nA1;{long}\nA2;ok\nA3;bom\n",
        columns="lote nota",
        types="text text",
        rows=[("A1", long), ("A2", "ok"), ("A3", "bom")],
    )
    yield _text(
        "blanks_around_values.csv",
        "Cells filled up with blanks to one width",
        "lote  ;peso   ;data      \nA1    ;   1,50;13/02/2026\nA2    ;  12,25;14/02/2026\n"
        "A3    ; 100,75;15/02/2026\n",
        columns="lote peso data",
        types="text number date",
        rows=[
            ("A1    ", 1.5, "2026-02-13"),
            ("A2    ", 12.25, "2026-02-14"),
            ("A3    ", 100.75, "2026-02-15"),
        ],
        perhaps=("blanks_trimmed",),
    )
