"""Text tables of codes, clauses, lengths of time and odd bytes, by seed: kinds of cells that look
like others.
"""

import random
from collections.abc import Callable

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


MAKERS: tuple[Maker, ...] = (open_byte,)
