"""Tables of plants in many languages, in every encoding they come in, by seed."""

import random
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from tests.data.nasty.truth import Case, Truth, sheet

# What stands in a table of a plant: parts, people, places, colours, days.
WORDS: dict[str, str] = tomllib.loads(
    Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
)
ENCODINGS = {
    "japanese": ("cp932", "euc_jp", "iso2022_jp", "utf-16-le"),
    "chinese": ("gbk", "gb18030", "utf-16-be"),
    "taiwanese": ("big5",),
    "korean": ("euc_kr", "cp949"),
    "greek": ("iso8859-7", "cp1253", "utf-16-le"),
    "russian": ("cp1251", "koi8-r", "iso8859-5", "cp866", "mac-cyrillic", "utf-16-le"),
    "bulgarian": ("cp1251",),
    "polish": ("cp1250", "iso8859-2", "cp852"),
    "czech": ("cp1250", "iso8859-2", "cp852"),
    "hungarian": ("cp1250", "iso8859-2"),
    "croatian": ("cp1250", "iso8859-2"),
    "turkish": ("cp1254", "iso8859-9"),
    "lithuanian": ("cp1257",),
    "portuguese": ("cp1252", "mac-roman", "cp850"),
    "spanish": ("cp1252", "mac-roman", "cp850"),
    "french": ("cp1252", "mac-roman", "cp850"),
    "german": ("cp1252", "cp850", "cp437"),
    "danish": ("cp1252", "cp850"),
    "hebrew": ("cp1255",),
    "arabic": ("cp1256",),
    "thai": ("cp874",),
}
HEADER = ("id", "date", "value", "name", "remark")


@dataclass(frozen=True)
class Written:
    """A table's text in one encoding."""

    language: str
    encoding: str
    text: str

    @property
    def content(self) -> bytes:
        return self.text.encode(self.encoding)


def texts(seed: int, *, rows: int) -> Iterator[Written]:
    """A table in each language and encoding."""
    for language, encodings in ENCODINGS.items():
        for encoding in encodings:
            chance = random.Random(f"{language} {encoding} {seed} {rows}")
            grid = [HEADER, *_rows(language, chance, rows)]
            text = "".join(";".join(map(str, row)) + "\r\n" for row in grid)
            yield Written(language, encoding, text)


def wide(seed: int) -> str:
    """A Japanese table whose letters and digits are as wide as the others, in cp932."""
    chance = random.Random(seed)
    kinds = chance.sample(("良", "不良", "再検査", "廃棄"), 3)
    lines = ["日付,品番,数量,判定"]
    for number in range(chance.randrange(6, 40)):
        count = "".join(chr(ord("０") + int(each)) for each in str(chance.randrange(1, 900)))
        part = chr(ord("Ａ") + chance.randrange(26))
        lines.append(
            f"2026/03/{number % 28 + 1:02},{part}－{number},{count},{chance.choice(kinds)}"
        )
    return "\r\n".join(lines) + "\r\n"


def half_wide(seed: int) -> str:
    """A Japanese table with names in letters of half the width alone, in cp932."""
    chance = random.Random(seed)
    names = chance.sample(("ﾛｯﾄ", "ｽﾋﾟｰﾄﾞ", "ﾃﾞｰﾀ", "ｵﾝﾄﾞ", "ﾜｰｸ", "ﾊﾝﾃｲ"), 3)
    rows = (f"{number},{chance.random():.2f},OK" for number in range(chance.randrange(5, 30)))
    return "\r\n".join([",".join(names), *rows]) + "\r\n"


def generated(seed: int, *, rows: int) -> Iterator[Case]:
    """The same as cases with their truth."""
    for written in texts(seed, rows=rows):
        lines = [line.split(";") for line in written.text.split("\r\n")[1:-1]]
        body = [
            (
                int(id_),
                date.fromisoformat(day),
                float(value.replace(",", ".")),
                name,
                remark or None,
            )
            for id_, day, value, name, remark in lines
        ]
        truth = sheet(
            HEADER, "integer date number text text", body, separator=";", perhaps=("encoding",)
        )
        name = f"{written.language}_{written.encoding}_{seed}.csv"
        yield Case(name, written.content, Truth("Words of a plant", (truth,)))


def _rows(language: str, chance: random.Random, count: int) -> Iterator[tuple[object, ...]]:
    words = WORDS[language].split()
    day = date(2026, 2, 1)
    for number in range(count):
        value = f"{chance.randrange(1, 10_000) / 100:.2f}".replace(".", ",")
        remark = " ".join(chance.sample(words, chance.randrange(3)))
        name = chance.choice(words) if chance.random() < 0.7 else chance.choice(("OK", "A-101"))
        yield number + 1, day + timedelta(number % 28), value, name, remark


def mojibake(seed: int) -> Iterator[tuple[str, str]]:
    """Portuguese and other words as they were, and after their UTF-8 was read as cp1252."""
    chance = random.Random(seed)
    for language in ("portuguese", "spanish", "french", "german", "polish", "greek"):
        words = [word for word in WORDS[language].split() if not word.isascii()]
        for word in chance.sample(words, 4):
            yield word, "".join(_read_as_cp1252(code) for code in word.encode("utf-8"))


def _read_as_cp1252(code: int) -> str:
    try:
        return bytes([code]).decode("cp1252")
    except UnicodeDecodeError:
        return chr(code)
