"""Text tables of codes, clauses, lengths of time and odd bytes, by seed: kinds of cells that look
like others.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tests.data.nasty.truth import Case, Truth, said, sheet

Maker = Callable[[int], Case]
_WORDS = ("สีทาบ้าน", "ตัวอย่าง", "ชิ้นส่วน", "เครื่องจักร", "ความหนา")
_OPEN = {"cp874": (0xDB, 0xDE, 0xFC, 0xFF), "cp1253": (0xD2, 0xFF), "cp1255": (0xD9, 0xFF)}
_SPELT = {
    "cp874": _WORDS,
    "cp1253": ("βαφή", "δείγμα", "εξάρτημα", "μηχανή", "πάχος"),
    "cp1255": ("צבע", "דגימה", "חלק", "מכונה", "עובי"),
}


def open_byte(seed: int) -> Case:
    """A table in an encoding of 8 bits with a byte that stands for nothing in it, in the midst of
    it or as its last.
    """
    chance = random.Random(f"open {seed}")
    encoding = chance.choice([*_OPEN])
    words = _SPELT[encoding]
    rows = [
        (number, " ".join(chance.sample(words, 3)), chance.randrange(1, 900))
        for number in range(1, chance.randrange(30, 60))
    ]
    lines = [f"{number};{name};{count}".encode(encoding) for number, name, count in rows]
    place = chance.randrange(10, len(rows))
    odd = bytes([chance.choice(_OPEN[encoding])])
    number, _name, count = rows[place]
    lines[place] = f"{number};".encode() + odd + f";{count}".encode()
    rows[place] = (number, "\N{REPLACEMENT CHARACTER}", count)
    content = b"\r\n".join([b"id;name;count", *lines, b""])
    return Case(
        f"open_byte_{seed}.csv",
        content,
        Truth(
            "A byte that stands for nothing in the encoding",
            (
                sheet(
                    "id name count",
                    "integer text integer",
                    rows,
                    doubtful=[said("lost_letters")],
                    perhaps=("encoding",),
                    encoding=encoding,
                ),
            ),
        ),
    )


def _gtin(chance: random.Random) -> str:
    digits = [chance.randrange(1, 10), *(chance.randrange(10) for _ in range(11))]
    total = sum(each * (3 if place % 2 else 1) for place, each in enumerate(digits))
    return "".join(map(str, digits)) + str(-total % 10)


def _isbn(chance: random.Random) -> str:
    digits = [chance.randrange(10) for _ in range(9)]
    rest = -sum(each * (10 - place) for place, each in enumerate(digits)) % 11
    return "".join(map(str, digits)) + ("X" if rest == 10 else str(rest))


def _imei(chance: random.Random) -> str:
    digits = [chance.randrange(1, 10), *(chance.randrange(10) for _ in range(13))]
    doubled = [each * 2 if place % 2 else each for place, each in enumerate(digits)]
    return "".join(map(str, digits)) + str(-sum(each // 10 + each % 10 for each in doubled) % 10)


def _nif(chance: random.Random) -> str:
    digits = [5, *(chance.randrange(10) for _ in range(7))]
    rest = sum(each * (9 - place) for place, each in enumerate(digits)) % 11
    return "".join(map(str, digits)) + str(0 if rest < 2 else 11 - rest)


def _waybill(chance: random.Random) -> str:
    serial = chance.randrange(1_000_000, 10_000_000)
    return f"{chance.randrange(100, 999)}{serial}{serial % 7}"


def _long(chance: random.Random) -> str:
    return str(chance.randrange(10**16, 10**20))


def _zeros(chance: random.Random) -> str:
    return f"{chance.randrange(1, 10_000):08}"


_CODES = (_gtin, _isbn, _imei, _nif, _waybill, _long, _zeros)


def identifiers(seed: int) -> Case:
    """Digits that identify, under a name that doesn't say so, beside quantities."""
    chance = random.Random(f"identifiers {seed}")
    write = _CODES[seed % len(_CODES)]
    rows = [(write(chance), chance.randrange(1, 99)) for _ in range(chance.randrange(20, 60))]
    lines = ["Ref;Qtd", *(f"{code};{count}" for code, count in rows)]
    return _text(
        f"identifiers_{seed}.csv", lines, rows, "Ref Qtd", "text integer", repaired=["kept_as_text"]
    )


def quantities(seed: int) -> Case:
    """Whole numbers of one length that are quantities: no check digit holds."""
    chance = random.Random(f"quantities {seed}")
    length = chance.choice((8, 9, 10, 12, 13))
    rows = [
        (chance.randrange(10 ** (length - 1), 10**length), chance.randrange(1, 99))
        for _ in range(chance.randrange(20, 60))
    ]
    lines = ["Volume;Qtd", *(f"{one};{count}" for one, count in rows)]
    return _text(f"quantities_{seed}.csv", lines, rows, "Volume Qtd", "integer integer")


def odd_blanks(seed: int) -> Case:
    """Orders with a tab or a no-break space behind some of them."""
    chance = random.Random(f"blanks {seed}")
    is_text, blank = seed % 2, chance.choice(("\t", "\xa0", " \t"))
    rows, lines = [], ["Pedido,Peso"]
    for number in range(chance.randrange(12, 40)):
        code = chance.randrange(10_000, 99_999)
        order = f"PO-{code}" if is_text else code
        rows.append((order, number / 4))
        lines.append(f"{order}{blank if number % 3 else ''},{number / 4}")
    return _text(
        f"odd_blanks_{seed}.csv",
        lines,
        rows,
        "Pedido Peso",
        "text number" if is_text else "integer number",
        repaired=["odd_blanks"],
    )


def clauses(seed: int) -> Case:
    """Clauses that count on behind the point: 8.9, 8.10, 8.11."""
    chance = random.Random(f"clauses {seed}")
    first = chance.randrange(1, 12)
    texts = [
        f"{chapter}.{part}"
        for chapter in range(first, first + chance.randrange(1, 4))
        for part in range(1, chance.randrange(11, 24))
    ]
    rows = [(text, chance.choice(("OK", "NOK"))) for text in texts]
    lines = ["Requisito;Estado", *(";".join(row) for row in rows)]
    return _text(
        f"clauses_{seed}.csv",
        lines,
        rows,
        "Requisito Estado",
        "text text",
        repaired=["kept_as_text"],
    )


def rounded_by_hand(seed: int) -> Case:
    """Measures as people write them: 1.5 beside 1.50 and 1.10, which are numbers all the same."""
    chance = random.Random(f"rounded {seed}")
    texts = [
        f"{chance.randrange(1, 9)}.{chance.choice(('1', '10', '5', '50', '25', '7', '33'))}"
        for _ in range(chance.randrange(20, 80))
    ]
    rows = [(number, float(text)) for number, text in enumerate(texts)]
    lines = ["n;Medida", *(f"{number};{text}" for number, text in enumerate(texts))]
    return _text(f"rounded_by_hand_{seed}.csv", lines, rows, "n Medida", "integer number")


def short_lengths(seed: int) -> Case:
    """Lengths of minutes and seconds, some beyond a day's hours."""
    chance = random.Random(f"lengths {seed}")
    lengths = [(chance.randrange(90, 200), 30)] + [
        (chance.randrange(200), chance.randrange(60)) for _ in range(chance.randrange(5, 40))
    ]
    chance.shuffle(lengths)
    rows = [(f"P{n}", minutes + seconds / 60) for n, (minutes, seconds) in enumerate(lengths)]
    lines = ["Peça;Valor", *(f"P{n};{one:02}:{two:02}" for n, (one, two) in enumerate(lengths))]
    return _text(
        f"short_lengths_{seed}.csv",
        lines,
        rows,
        "Peça Valor",
        "text number",
        repaired=["durations"],
        doubtful=["short_lengths"],
    )


def impossible_time(seed: int) -> Case:
    """Times of which one has 75 seconds: neither a time nor a length."""
    chance = random.Random(f"impossible {seed}")
    texts = [f"{chance.randrange(24):02}:{chance.randrange(60):02}" for _ in range(20)]
    texts.insert(chance.randrange(len(texts)), f"12:{chance.randrange(60, 100)}")
    rows = [(number, text) for number, text in enumerate(texts)]
    lines = ["n;Valor", *(f"{number};{text}" for number, text in rows)]
    return _text(
        f"impossible_time_{seed}.csv",
        lines,
        rows,
        "n Valor",
        "integer text",
        doubtful=["mixed_column"],
    )


def _signed(chance: random.Random, minus: str) -> tuple[str, float]:
    value = chance.randrange(-9_999, 9_999) / 100
    return f"{abs(value):.2f}".replace(".", ",").join((minus if value < 0 else "", "")), value


def _grouped(chance: random.Random, blank: str) -> tuple[str, float]:
    whole = chance.randrange(1_000, 9_000_000)
    return f"{whole:,},5".replace(",", blank, f"{whole:,}".count(",")), whole + 0.5


def _power(chance: random.Random) -> tuple[str, float]:
    digit, power = chance.randrange(11, 99), chance.randrange(2, 8)
    raised = "⁰¹²³⁴⁵⁶⁷⁸⁹"[power]
    return f"{digit // 10},{digit % 10}×10{raised}", float(f"{digit / 10}e{power}")


_PRINTED: tuple[Callable[[random.Random], tuple[str, float]], ...] = (
    lambda chance: _signed(chance, "\N{MINUS SIGN}"),
    lambda chance: _signed(chance, "\N{FIGURE DASH}"),
    lambda chance: _signed(chance, "\N{EN DASH}"),
    lambda chance: _grouped(chance, "\N{THIN SPACE}"),
    lambda chance: _grouped(chance, "\N{FIGURE SPACE}"),
    _power,
)


def signs_of_print(seed: int) -> Case:
    """Numbers with a typographic minus, thin blanks or powers of ten, in a text or a page."""
    chance = random.Random(f"print {seed}")
    write = _PRINTED[seed % len(_PRINTED)]
    cells = [write(chance) for _ in range(30)]
    rows = [(number, value) for number, (_text_, value) in enumerate(cells)]
    if seed % len(_PRINTED) in (0, 2, 5):  # a page's thin blanks are blanks like others
        body = "".join(
            f"<tr><td>{number}</td><td>{text}</td></tr>" for number, (text, _) in enumerate(cells)
        )
        page = f"<meta charset=utf-8><table><tr><th>n</th><th>Desvio</th></tr>{body}</table>"
        name, lines = f"signs_of_print_{seed}.html", [page]
    else:
        name = f"signs_of_print_{seed}.csv"
        lines = ["n;Desvio", *(f"{number};{text}" for number, (text, _) in enumerate(cells))]
    return _text(name, lines, rows, "n Desvio", "integer number", repaired=["plain_signs"])


def seconds_of_clock(seed: int) -> Case:
    """Moments as seconds or milliseconds since 1970, under a name that says so."""
    chance = random.Random(f"clock {seed}")
    unit = chance.choice((1, 1_000))
    count = chance.randrange(5, 30)
    rows = [((1_767_225_600 + number * 60) * unit, number % 7) for number in range(count)]
    lines = ["ts;n", *(f"{one};{two}" for one, two in rows)]
    return _text(
        f"clock_{seed}.csv", lines, rows, "ts n", "integer integer", doubtful=["seconds_of_clock"]
    )


_DRESSED: tuple[Callable[[random.Random], str], ...] = (
    lambda chance: chance.choice(("<0,05", f"{chance.random():.2f}".replace(".", ","), "n.d.")),
    lambda chance: f"{chance.choice(('7,5', '8', '8,25'))}T",
    lambda chance: chance.choice((f"{chance.randrange(60, 99)}%", f"0,{chance.randrange(60, 99)}")),
    lambda chance: chance.choice(("1/2", "3/4", "1 1/4", "5/8", "2 1/2")),
    lambda chance: f"{chance.random() * 9:.2f}{chance.choice(('A', 'B', 'G'))}",
    lambda chance: f"{chance.random() * 9:.2f} ± {chance.random():.2f}",
    lambda chance: f"temp={chance.random() * 9:.2f}",
)


def dressed_numbers(seed: int) -> Case:
    """Numbers with signs and letters around them, in no notation that is read: said, not read."""
    chance = random.Random(f"dressed {seed}")
    write = _DRESSED[seed % len(_DRESSED)]
    rows = [(number, write(chance)) for number in range(chance.randrange(20, 50))]
    lines = ["n;Resultado", *(f"{number};{text}" for number, text in rows)]
    case = _text(f"dressed_{seed}.csv", lines, rows, "n Resultado", "integer text")
    return replace(case, truth=replace(case.truth, is_honest=True))


def sizes(seed: int) -> Case:
    """Codes of digits and letters, which are no numbers and about which nothing is said."""
    chance = random.Random(f"sizes {seed}")
    rows = [
        (number, f"{chance.randrange(1, 40)}{chance.choice(('A', 'B', 'E', 'XL'))}")
        for number in range(chance.randrange(20, 50))
    ]
    lines = ["n;Posto", *(f"{number};{text}" for number, text in rows)]
    return _text(f"sizes_{seed}.csv", lines, rows, "n Posto", "integer text")


def _text(
    name: str,
    lines: list[str],
    rows: list[Any],
    columns: str,
    types: str,
    *,
    repaired: Sequence[str] = (),
    doubtful: Sequence[str] = (),
) -> Case:
    content = ("\n".join(lines) + "\n").encode()
    table = sheet(columns, types, rows, repaired=repaired, doubtful=doubtful)
    return Case(name, content, Truth(name.rpartition("_")[0].replace("_", " "), (table,)))


MAKERS: tuple[Maker, ...] = (
    open_byte,
    identifiers,
    quantities,
    odd_blanks,
    clauses,
    rounded_by_hand,
    short_lengths,
    impossible_time,
    signs_of_print,
    seconds_of_clock,
    dressed_numbers,
    sizes,
)
