"""Texts of formats that have rules of their own, and texts of none that only begin as they do."""

import random
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any

from tests.data.nasty.truth import Case, Truth, sheet

NAMES = ("peça", "peso", "dia", "nota")
Row = tuple[str, float, date, str | None]


def _rows(seed: int, *, count: int = 15) -> list[Row]:
    chance = random.Random(seed)
    notes = ("a;b", "it's, so", 'com "aspas"', "simples", "acentuação", None)
    return [
        (
            f"P{number:03}",
            round(chance.uniform(-9, 99), 2),
            date(2024, 1, 1) + timedelta(chance.randrange(300)),
            notes[number % len(notes)],
        )
        for number in range(count)
    ]


def read(seed: int) -> Iterator[Case]:
    """Files of each format, with the table that they hold."""
    rows = _rows(seed)
    for suffix, text, said in (
        ("slk", _sylk(rows), ()),
        ("dif", _dif(rows), ("text_as_date",)),
        ("arff", _arff(rows, "'"), ()),
        ("arff", _arff(rows, '"'), ()),
        ("sql", _mysql(rows), ()),
        ("sql", _inserts(rows), ()),
        ("sql", _postgres(rows), ()),
    ):
        truth = sheet(
            NAMES,
            "text number date text",
            rows,
            header_row=1 if suffix in ("slk", "dif") else None,
            repaired=said,
        )
        for newline in ("\n", "\r\n"):
            content = text.replace("\n", newline).encode()
            yield Case(f"text_{suffix}_{seed}.{suffix}", content, Truth(suffix, (truth,)))


def _sylk(rows: Sequence[Row]) -> str:
    lines = ["ID;PWXL;N;E", "P;PGeneral", "P;P0.00", "P;Pdd/mm/yyyy", "B;Y16;X4"]
    for y, row in enumerate((NAMES, *rows), start=1):
        for x, cell in enumerate(row, start=1):
            at = f"Y{y};X{x}" if x == 1 else f"X{x}"
            if isinstance(cell, date):
                lines.append(f"F;P2;FG0R;{at}")
                lines.append(f"C;K{(cell - date(1899, 12, 30)).days}")
            elif isinstance(cell, str):
                quoted = cell.replace('"', '""').replace(";", ";;")
                lines.append(f'C;{at};K"{quoted}"')
            elif cell is not None:
                lines.append(f"C;{at};K{cell}")
    return "\n".join((*lines, "E", ""))


def _dif(rows: Sequence[Row]) -> str:
    head = ("TABLE", "0,1", '"x"', "VECTORS", "0,4", '""', "TUPLES", "0,9", '""', "DATA", "0,0")
    lines = [*head, '""']
    for row in (NAMES, *rows):
        lines += ["-1,0", "BOT"]
        for cell in row:
            if isinstance(cell, float):
                lines += [f"0,{cell}", "V"]
            else:
                lines += ["1,0", '"' + str("" if cell is None else cell).replace('"', '""') + '"']
    return "\n".join((*lines, "-1,0", "EOD", ""))


def _arff(rows: Sequence[Row], quote: str) -> str:
    head = "% of a laboratory\n@RELATION pintura\n\n@ATTRIBUTE peça string\n"
    head += "@attribute 'peso' numeric\n@ATTRIBUTE dia date \"yyyy-MM-dd\"\n"
    head += "@attribute nota {a,b,'c d'}\n\n@DATA\n"

    def written(cell: object) -> str:
        if cell is None:
            return "?"
        text = str(cell)
        is_plain = text.replace(".", "").replace("-", "").isalnum()
        return text if is_plain else quote + text.replace(quote, f"\\{quote}") + quote

    return head + "".join(",".join(map(written, row)) + "\n% more\n" for row in rows)


def _value(cell: object, *, backslash: bool) -> str:
    if cell is None:
        return "NULL"
    if isinstance(cell, float):
        return str(cell)
    return "'" + str(cell).replace("'", "\\'" if backslash else "''") + "'"


def _mysql(rows: Sequence[Row]) -> str:
    values = ",".join(
        "(" + ",".join(_value(cell, backslash=True) for cell in row) + ")" for row in rows
    )
    return (
        "-- MySQL dump 10.13  Distrib 8.0.31, for Win64 (x86_64)\n--\n-- Host: localhost\n"
        "/*!40101 SET NAMES utf8 */;\n\nDROP TABLE IF EXISTS `defeitos`;\n"
        "CREATE TABLE `defeitos` (\n  `peça` varchar(20) NOT NULL,\n  `peso` decimal(8,2),\n"
        "  `dia` date DEFAULT NULL,\n  `nota` enum('a','b') DEFAULT 'a',\n"
        "  PRIMARY KEY (`peça`),\n  KEY `k` (`dia`)\n) ENGINE=InnoDB;\n\n"
        f"LOCK TABLES `defeitos` WRITE;\nINSERT INTO `defeitos` VALUES {values};\n"
        "UNLOCK TABLES;\n"
    )


def _inserts(rows: Sequence[Row]) -> str:
    names = ", ".join(f"[{name}]" for name in NAMES)
    return "SET NOCOUNT ON\nGO\n" + "".join(
        f"INSERT INTO [dbo].[defeitos] ({names}) VALUES"
        f" ({', '.join(_value(cell, backslash=False) for cell in row)});\n"
        for row in rows
    )


def _postgres(rows: Sequence[Row]) -> str:
    lines = "".join(
        "\t".join("\\N" if cell is None else str(cell) for cell in row) + "\n" for row in rows
    )
    return (
        "--\n-- PostgreSQL database dump\n--\n\nSET statement_timeout = 0;\n\n"
        'CREATE TABLE public.defeitos (\n    "peça" text,\n    peso numeric(8,2)\n);\n\n'
        f"COPY public.defeitos ({', '.join(NAMES)}) FROM stdin;\n{lines}\\.\n\n"
        "--\n-- PostgreSQL database dump complete\n--\n"
    )


def refused(seed: int) -> Iterator[tuple[str, bytes, str]]:
    """Texts that hold no table, with what is said of them."""
    chance = random.Random(seed)
    lines = [
        (number, f"PART{chance.randrange(900)}", chance.randrange(1, 99)) for number in range(9)
    ]
    edifact = "".join(f"LIN+{n}++{part}:IN'~QTY+12:{count}'~" for n, part, count in lines)
    edifact = f"UNB+UNOA:1+S:14+R:14+240301:1200+1'~UNH+1+DESADV:D:96A:UN'~{edifact}UNZ+1+1'~"
    for sign in ("", "\n", "\r\n"):
        text = edifact.replace("~", sign)
        yield "edi", text.encode(), "message between programs"
        yield "edi", f"UNA:+.? '{sign}{text}".encode(), "message between programs"
    x12 = "".join(f"LIN*{n}*BP*{part}~SN1**{count}*EA~" for n, part, count in lines)
    x12 = (
        "ISA*00*          *00*          *ZZ*SENDER         *ZZ*RECEIVER       *240301*1200*U*00401"
        f"*000000001*0*P*>~GS*SH*S*R*20240301*1200*1*X*004010~{x12}IEA*1*000000001~"
    )
    yield "txt", x12.replace("~", "~\n").encode(), "message between programs"
    hl7 = "\r".join(f"OBX|{n}|NM|{part}||{count}|mm|||||F" for n, part, count in lines)
    yield "hl7", f"MSH|^~\\&|LAB|X|Y|Z|20240301||ORU^R01|1|P|2.3\r{hl7}".encode(), "message between"
    step = "".join(
        f"#{n}=CARTESIAN_POINT('{part}',({count}.,0.,1.));\n" for n, part, count in lines
    )
    yield "stp", f"ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\n{step}".encode(), "drawing"
    yield "dxf", b"  0\nSECTION\n  2\nHEADER\n  9\n$ACADVER\n  1\nAC1009\n  0\nENDSEC\n", "drawing"
    mail = (
        "From: Rui <rui@fabrica.pt>\nTo: ana@x.pt\nSubject: peças\nDate: Tue, 12 Mar 2024\n\nOlá,\n"
    )
    yield "eml", mail.encode(), "e-mail"
    yield "txt", f"Received: from a@b.pt\n by c\n{mail}".encode(), "e-mail"
    for label in ("1", "-1", "+1", "0.5"):
        sparse = "".join(
            f"{label} "
            + " ".join(
                f"{at}:{chance.random():.4f}"
                for at in sorted(chance.sample(range(1, 30), chance.randrange(3, 9)))
            )
            + "\n"
            for _line in range(30)
        )
        yield "txt", sparse.encode(), "libsvm"
    made = "CREATE TABLE defeitos (\n  id integer,\n  tipo text\n);\nDROP TABLE x;"
    yield "sql", made.encode(), "commands for a database"


def plain(seed: int) -> Iterator[Case]:
    """Tables whose beginning reminds of another format."""
    chance = random.Random(seed)
    numbers = [chance.randrange(1, 99) for _row in range(20)]
    tables: dict[str, tuple[Sequence[str], str, list[tuple[Any, ...]]]] = {
        "sylk": (("ID", "P"), "text integer", [("C", number) for number in numbers]),
        "sylk_cells": (("ID", "P", "N"), "text text integer",
                       [("C", f"K{number}", number) for number in numbers]),
        "dif": (("TABLE", "x"), "integer integer", [(0, number) for number in numbers]),
        "sql": (("SET", "INSERT INTO x"), "text integer", [("CREATE", n) for n in numbers]),
        "sql_log": (("hora", "comando"), "integer text",
                    [(number, f"INSERT INTO t VALUES ({number})") for number in numbers]),
        "edi": (("UNB", "UNA"), "text integer", [("UNH", number) for number in numbers]),
        "mail": (("From", "To"), "text text", [("a@b.pt", f"c{n}@d.pt") for n in numbers]),
    }  # fmt: skip
    for name, (names, types, rows) in tables.items():
        if not rows:
            continue
        text = "".join(";".join(map(str, row)) + "\n" for row in (names, *rows))
        yield Case(
            f"plain_{name}_{seed}.csv", text.encode(), Truth(name, (sheet(names, types, rows),))
        )
