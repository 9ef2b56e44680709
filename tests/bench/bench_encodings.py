"""Finding the encoding of small lists in many languages: right, doubted, or wrong and unsaid.

Run it as `python -m tests.bench.bench_encodings`. Each list is written in each encoding that its
language comes in, in six shapes of 5 to 200 rows: from one whose every text is in its language to
one in which a handful of letters stand in the header or in a few remarks. What is right is the
text, not the encoding's name: cp850 and cp437 are the same for most of German.
"""

import random
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

from qhub_desktop.core.dataset import Finding
from qhub_desktop.data.ingest.readers import encoding
from qhub_desktop.data.ingest.readers.sheet import InputFile
from tests.bench.record import Figure, record

ROWS = (5, 8, 15, 40, 200)
SHAPES = ("whole", "capitals", "names", "statuses", "header", "remark")
TOLD = {"encoding", "mojibake", "control_characters", "lost_letters", "mixed_encoding"}

Outcome = Literal["right", "right_doubted", "wrong_doubted", "wrong_unsaid"]


@dataclass(frozen=True)
class Written:
    """A list in one language and encoding."""

    language: str
    encoding: str
    shape: str
    rows: int
    text: str


def _words() -> dict[str, dict[str, list[str]]]:
    file = Path(__file__).with_name("encoding_words.toml")
    found: dict[str, dict[str, str | list[str]]] = tomllib.loads(file.read_text(encoding="utf-8"))
    return {
        language: {
            kind: texts if isinstance(texts, list) else texts.split(", ")
            for kind, texts in each.items()
        }
        for language, each in found.items()
    }


def lists(*, seeds: range = range(1), rows: tuple[int, ...] = ROWS) -> Iterator[Written]:
    """Yield a list for each language, encoding, shape and length in which it is not ASCII."""
    for language, words in _words().items():
        for name in words["encodings"]:
            for shape in SHAPES:
                for count in rows:
                    for seed in seeds:
                        chance = random.Random(f"{language} {name} {shape} {count} {seed}")
                        text = _written(words, shape, count, chance)
                        if not text.isascii():
                            yield Written(language, name, shape, count, text)


def _written(words: dict[str, list[str]], shape: str, rows: int, chance: random.Random) -> str:
    separator = chance.choice((";", ",", "\t"))
    headers = ["No", "Date", "Qty", "Name", "Place", "Remark"]
    if shape in ("whole", "capitals", "header"):
        local = chance.sample(words["headers"], min(4, len(words["headers"])))
        headers = ["No", *local, "Qty"][:6]
    if shape == "header":
        headers = ["ID", *chance.sample(words["headers"], 2), "Max"]
    lines = [headers]
    statuses = chance.sample(words["remarks"], 3)
    day = date(2026, 1, 5)
    for number in range(1, rows + 1):
        when = (day + timedelta(number)).isoformat()
        name, place = chance.choice(words["names"]), chance.choice(words["places"])
        remark = chance.choice(words["remarks"])
        quantity = str(chance.randrange(1, 500))
        match shape:
            case "whole" | "capitals":
                row = [str(number), when, name, place, remark, quantity][: len(headers)]
            case "names":
                row = [str(number), when, quantity, name, "Line 2", "OK"]
            case "statuses":
                row = [str(number), when, quantity, "A-101", "B", chance.choice(statuses)]
            case "header":
                row = [str(number), when, quantity, f"{chance.random():.3f}"]
            case _:
                is_said = number == rows // 2 + 1 or chance.random() < 0.03
                row = [str(number), when, quantity, "A-101", "B", remark if is_said else ""]
        lines.append(row)
    text = "".join(separator.join(line) + "\r\n" for line in lines)
    # Small letters without a capital of one letter in an encoding, as of "ß", stay as they are.
    return text.replace("ß", "SS").upper() if shape == "capitals" else text


def outcome(written: Written, folder: Path) -> tuple[Outcome, str]:
    """Read a list, and return how it came out, with the encoding that it was read in."""
    file = folder / "list.csv"
    content = written.text.encode(written.encoding)
    file.write_bytes(content)
    scan = encoding.scan_text(InputFile(file, file.name))
    if scan.encoding == encoding.MIXED:
        read = encoding.decode_mixed(content)
    elif scan.encoding == encoding.TWICE:
        read = content.decode("utf-8")
    else:
        read = content.decode(scan.encoding, "replace")
    findings: list[Finding] = encoding.doubtful(scan)
    is_told = any(each.kind in TOLD for each in findings) or scan.encoding == encoding.MIXED
    shown = f"{scan.encoding}|{scan.rival}"
    if read == written.text:
        return ("right_doubted" if is_told else "right"), shown
    return ("wrong_doubted" if is_told else "wrong_unsaid"), shown


def main() -> None:
    """Read every list, and keep how many came out how, by encoding and by shape."""
    tables: dict[str, Counter[str]] = {}
    started = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        for written in lists():
            result, shown = outcome(written, Path(folder))
            if result == "wrong_unsaid":
                print(written.language, written.encoding, written.shape, written.rows, shown)
            for key in (
                written.encoding,
                f"shape: {written.shape}",
                f"rows: {written.rows}",
                "all",
            ):
                tables.setdefault(key, Counter())[result] += 1
    figures: dict[str, dict[str, Figure] | Figure] = {
        key: {
            "right": found["right"],
            "right_doubted": found["right_doubted"],
            "wrong_doubted": found["wrong_doubted"],
            "wrong_unsaid": found["wrong_unsaid"],
        }
        for key, found in sorted(tables.items())
    }
    each_ms = (time.process_time() - started) * 1000 / sum(tables["all"].values())
    record("encodings", figures | {"each_ms": round(each_ms, 2)}, libraries=("chardet",))


if __name__ == "__main__":
    main()
