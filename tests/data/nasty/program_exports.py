"""Files as programs beside a line write them, many by seed: logs in aligned columns, lines with
remarks among the rows, labels that stand once for several rows.
"""

import random
from collections.abc import Sequence
from typing import Any

from tests.data.nasty.layouts import PERHAPS, Maker, case
from tests.data.nasty.truth import Case, Truth, sheet

ALARMS = (
    "Motor supervision error",
    "Emergency stop state",
    "Arm joint limit",
    "Program started",
    "Position outside reach of axis 2",
    "Guard 4 opened",
    "Paragem de emergência",
    "Limite do eixo",
)
SITES = ("Porto norte", "Aveiro", "Vila do Conde", "Gaia", "São João da Madeira")
REMARKS = ("sensor changed by operator", "restart, after pause", "nova ferramenta, lote novo")


def _text_case(name: str, seed: int, text: str, truth_sheet: Any) -> Case:
    about = f"{name.replace('_', ' ')}, seed {seed}"
    return Case(f"{name}_{seed}.txt", text.encode(), Truth(about, (truth_sheet,)))


def _aligned(rows: Sequence[Sequence[str]], *, gap: int, right: Sequence[int] = ()) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        (" " * gap)
        .join(
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        .rstrip()
        for row in rows
    )
    return "\n".join(lines) + "\n"


def alarm_logs(seed: int) -> Case:
    """A robot's log in aligned columns, whose last one holds texts of several words."""
    rng = random.Random(seed + 31)
    texts = rng.sample(ALARMS, 4)
    rows = [
        (
            f"2026-03-{day % 28 + 1:02}",
            f"{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}",
            10_000 + rng.randrange(9_000),
            rng.choice("EWI"),
            rng.choice(texts),
        )
        for day in range(rng.randrange(15, 60))
    ]
    names = ("Date", "Time", "Code", "T", "Description")
    cells = [[str(cell) for cell in row] for row in rows]
    has_names = seed % 3 > 0
    text = _aligned([names, *cells] if has_names else cells, gap=1 + seed % 2)
    sheet_ = sheet(
        names if has_names else tuple(f"column_{at}" for at in range(1, 6)),
        "date time integer text text",
        rows,
        header_row=1 if has_names else None,
        header_rows=int(has_names),
        doubtful=() if has_names else ("no_header",),
    )
    return _text_case("alarm_logs", seed, text, sheet_)


def part_lists(seed: int) -> Case:
    """A list in aligned columns with texts of several words inside and at the end."""
    rng = random.Random(seed + 32)
    parts = ("Steel bolt M8", "Nut", "Washer flat 10", "Gear left hand", "Bucha de bronze")
    rows = [
        (
            f"P{number:03}",
            rng.choice(parts),
            rng.randrange(1, 500),
            rng.randrange(100, 999) / 100,
            rng.choice(SITES),
        )
        for number in range(rng.randrange(14, 40))
    ]
    names = ("Part", "Name", "Qty", "Price", "Site")
    cells = [[row[0], row[1], str(row[2]), f"{row[3]:.2f}", row[4]] for row in rows]
    text = _aligned([names, *cells], gap=1 + seed % 2, right=(2, 3))
    sheet_ = sheet(names, "text text integer number text", rows, perhaps=("decimal_mark",))
    return _text_case("part_lists", seed, text, sheet_)


def remarks_among_rows(seed: int) -> Case:
    """A logger's table with lines of remarks among its rows, by the sign of any program."""
    rng = random.Random(seed + 33)
    sign = ("# ", "// ", "; ", "! ", "* ", "% ", "REM ", "#")[seed % 8]
    delimiter = ",;\t"[seed // 2 % 3]
    rows = [
        (number, rng.randrange(1_000) / 1_000 + 0.0001, rng.choice(("ab", "cd")))
        for number in range(rng.randrange(20, 60))
    ]
    lines = [delimiter.join(map(str, row)) for row in rows]
    apart = []
    for count, at in enumerate(sorted(rng.sample(range(3, len(rows)), 2))):
        lines.insert(at + count, sign + REMARKS[(seed + count) % 3])
        apart.append(("note", at + count + 2, at + count + 2))
    text = "\n".join([delimiter.join(("n", "value", "state")), *lines]) + "\n"
    sheet_ = sheet(
        "n value state", "integer number text", rows, apart=tuple(apart), perhaps=("decimal_mark",)
    )
    return _text_case("remarks_among_rows", seed, text, sheet_)


def names_between_signs(seed: int) -> Case:
    """Texts such as '$HOME$' that are values of their column, in rows like all others."""
    rng = random.Random(seed + 34)
    words = ("$HOME$", "$PART$", "fixed", "free", "manual", "auto")
    rows = [
        (rng.choice(words), rng.randrange(100), rng.choice(("ok", "nok")))
        for _ in range(rng.randrange(20, 50))
    ]
    text = "slot;count;state\n" + "".join(";".join(map(str, row)) + "\n" for row in rows)
    sheet_ = sheet("slot count state", "text integer text", rows)
    return _text_case("names_between_signs", seed, text, sheet_)


def failure_modes(seed: int) -> Case:
    """An analysis of failure modes whose labels stand once for several causes, inside the table."""
    rng = random.Random(seed + 35)
    names = ("item", "function", "mode", "effect", "severity", "cause", "occurrence", "control")
    first = (0, 2)[seed % 2]  # of the columns with labels that stand once
    rows: list[tuple[Any, ...]] = []
    for group in range(rng.randrange(4, 9)):
        labels = (
            10 * (group + 1) if first == 0 else None,
            f"function {group // 2}" if first else f"function {group}",
            f"mode {group}",
            f"effect {rng.choice('ABC')}",
            rng.randrange(1, 11),
        )
        for place in range(rng.randrange(2, 5)):
            cells = [label if at < first or place == 0 else None for at, label in enumerate(labels)]
            if first:
                cells[0] = len(rows) + 1
            cause = (f"cause {len(rows)}", rng.randrange(1, 11), f"control {rng.choice('XY')}")
            rows.append((*cells, *cause))
    sheet_ = sheet(
        names,
        "integer text text text integer text integer text",
        rows,
        doubtful=("labels_once",),
        perhaps=PERHAPS,
    )
    return case("failure_modes", seed, (names, *rows), (sheet_,))


def dot_leaders(seed: int) -> Case:
    """A page of settings, in which dots lead from each name to its value."""
    rng = random.Random(seed + 36)
    names = ("Speed", "Feed rate", "Spindle load", "Tool number", "Cycle time", "Depth of cut")
    rows = [(name, rng.randrange(10_000)) for name in names]
    dots, colon = (" .... ", "......", ". . . . ")[seed % 3], ": "[: 2 * (seed % 2)]
    lines = [f"{name}{dots}{colon}{value}" for name, value in rows]
    has_title = seed % 4 > 1
    text = "\n".join([*(["Parameter list", ""] if has_title else []), *lines]) + "\n"
    sheet_ = sheet(
        "column_1 column_2",
        "text integer",
        rows,
        header_row=None,
        header_rows=0,
        apart=(("title", 1, 1), ("blank", 2, 2)) if has_title else (),
        repaired=("dot_leaders",),
        doubtful=("no_header",),
    )
    return _text_case("dot_leaders", seed, text, sheet_)


def answers_under_questions(seed: int) -> Case:
    """A survey whose second row says what stands under each question."""
    rng = random.Random(seed + 37)
    options = ("Filters", "Hoses", "Pumps")[: 2 + seed % 2]
    word, free = (("Response", "Open-Ended Response"), ("Resposta", "Resposta aberta"))[seed % 2]
    rest = len(options) - 1
    upper = ("id", "day", "Satisfied?", "Rate it", "Which ones?", *[None] * rest, "Comments?")
    lower = (None, None, word, word, *options, free)
    rows = [
        (
            118_000 + number,
            f"2026-03-{number % 28 + 1:02}",
            rng.choice(("yes, very", "no", "so so")),
            rng.randrange(1, 6),
            *(option if number < 3 or rng.random() < 0.5 else None for option in options),
            rng.choice((None, "good work", "nothing")),
        )
        for number in range(rng.randrange(12, 40))
    ]
    questions = tuple(f"Which ones? {option}" for option in options)
    sheet_ = sheet(
        ("id", "day", "Satisfied?", "Rate it", *questions, "Comments?"),
        f"integer date text integer {'text ' * len(options)}text",
        rows,
        header_row=2,
        header_rows=2,
        doubtful=("header_rows",),
        perhaps=(*PERHAPS, "names_given", "text_as_date"),
    )
    return case("answers_under_questions", seed, (upper, lower, *rows), (sheet_,))


MAKERS: tuple[Maker, ...] = (
    alarm_logs,
    part_lists,
    remarks_among_rows,
    names_between_signs,
    failure_modes,
    dot_leaders,
    answers_under_questions,
)
