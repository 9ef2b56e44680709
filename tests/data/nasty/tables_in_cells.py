"""Tables inside cells, texts with stray tabs, and tables inside tables of web pages, by seed."""

import csv
import io
import random
from collections.abc import Iterator, Sequence
from html import escape

from tests.data.nasty.truth import Case, Truth, sheet

WORDS = [
    "risco",
    "bolha",
    "gordura",
    "lixo",
    "escorrido",
    "cratera",
    "mancha",
    "falta",
    "tinta",
    "peça",
    "rack",
    "linha",
    "turno",
]


def quoted_tables(seed: int) -> Iterator[Case]:
    """A column of texts that are tables themselves, separated as the file is or otherwise."""
    for outer in ";,\t":
        for inner in ";,\t|":
            for place in (1, 2):
                chance = random.Random(f"{outer} {inner} {place} {seed}")
                names = ["id", "estado", "defeito", "peso"]
                names.insert(place, "medidas")
                rows = [
                    _row(chance, number, place, inner) for number in range(chance.randint(3, 30))
                ]
                target = io.StringIO(newline="")
                csv.writer(target, delimiter=outer, lineterminator="\r\n").writerows([names, *rows])
                types = ["integer", "text", "text", "integer"]
                types.insert(place, "text")
                truth = sheet(
                    names, " ".join(types), [[*map(_value, row)] for row in rows], separator=outer
                )
                kinds = {";": "semicolon", ",": "comma", "\t": "tab", "|": "bar"}
                name = f"quoted_{kinds[outer]}_{kinds[inner]}_{place}_{seed}.csv"
                content = target.getvalue().encode()
                yield Case(name, content, Truth("Tables in quotation marks", (truth,)))


def _row(chance: random.Random, number: int, place: int, inner: str) -> list[str]:
    width = chance.randint(2, 5)
    lines = [
        inner.join(_small_cell(chance) for _cell in range(width))
        for _line in range(chance.choice((2, 3, 6, 40)))
    ]
    row = [str(number), chance.choice(("OK", "NOK")), chance.choice(WORDS)]
    row.append(str(chance.randrange(100, 1_000)))
    cell = "\n".join(lines) if chance.random() < 0.6 else chance.choice(WORDS)
    row.insert(place, cell)
    return row


def _small_cell(chance: random.Random) -> str:
    return chance.choice((str(chance.randrange(1_000)), chance.choice(WORDS), '"sim"'))


def _value(cell: str) -> int | str:
    return int(cell) if cell.isdecimal() else cell


def texts_with_tabs(seed: int) -> Iterator[Case]:
    """One column of sentences, in a few of which there is a tab, a semicolon or a bar."""
    for kind, stray in (("tab", "\t"), ("semicolon", ";"), ("bar", "|")):
        for share in (0.03, 0.1, 0.3):
            chance = random.Random(f"{kind} {share} {seed}")
            count = chance.choice((20, 40, 60))
            lines = [_sentence(chance) for _line in range(count)]
            for place in chance.sample(range(count), int(count * share) or 1):
                words = lines[place].split(" ")
                words[1] += stray + words.pop(2)
                lines[place] = " ".join(words)
            text = "\n".join(("comentário", *lines)) + "\n"
            truth = sheet(("comentário",), "text", [(line,) for line in lines])
            name = f"tabs_{kind}_{int(share * 100)}_{seed}.csv"
            yield Case(name, text.encode(), Truth("Sentences with stray signs", (truth,)))


def _sentence(chance: random.Random) -> str:
    words = [chance.choice(WORDS) for _word in range(chance.randint(5, 14))]
    for place in range(2, len(words) - 1):
        words[place] += chance.choice(("", "", "", ","))
    return " ".join(words).capitalize() + chance.choice((".", "", "!"))


def nested_pages(seed: int) -> Iterator[Case]:
    """A table of data in one for the page's layout, or with small tables in its cells."""
    for kind in ("layout", "inner", "both", "cell_first"):
        chance = random.Random(f"{kind} {seed}")
        names = ("lote", "defeito", "medidas", "peso")
        rows: list[tuple[object, ...]] = []
        body = "".join(f"<th>{name}</th>" for name in names)
        body = f"<tr>{body}</tr>"
        for number in range(chance.randint(6, 20)):
            lot, defect, weight = f"L{number}", chance.choice(WORDS), chance.randrange(100, 1_000)
            pairs = [
                (chance.choice("ABC"), chance.randrange(10))
                for _pair in range(chance.randint(2, 3))
            ]
            plain = " / ".join(f"{name} {count}" for name, count in pairs)
            is_inner = kind != "layout" and chance.random() < 0.7
            cell = _inner(pairs) if is_inner else escape(plain)
            shown = "\n".join(f"{name} {count}" for name, count in pairs) if is_inner else plain
            body += f"<tr><td>{lot}</td><td>{defect}</td><td>{cell}</td><td>{weight}</td></tr>"
            rows.append((lot, defect, shown, weight))
        page = f"<table border=1>{body}</table>"
        if kind in ("layout", "both"):
            menu = "<table><tr><td>Início</td></tr><tr><td>Sair</td></tr></table>"
            page = (
                "<table width=100%><tr><td colspan=2>Fábrica de Aveiro</td></tr>"
                f"<tr><td>{menu}</td><td>{page}</td></tr><tr><td>rodapé</td></tr></table>"
            )
        content = f"<html><head><meta charset=utf-8></head><body>{page}</body></html>".encode()
        truth = sheet(names, "text text text integer", rows)
        yield Case(f"nested_{kind}_{seed}.html", content, Truth("Tables in tables", (truth,)))


def _inner(pairs: Sequence[tuple[str, int]]) -> str:
    lines = "".join(f"<tr><td>{name}</td><td>{count}</td></tr>" for name, count in pairs)
    return f"<table>{lines}</table>"
