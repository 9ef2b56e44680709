"""Texts in which tables are drawn, and texts that are no tables, by seed."""

import random
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, timedelta

from tests.data.nasty.truth import Case, Sheet, Truth, sheet

Cells = Sequence[Sequence[str]]

WORDS = (
    "A+",
    "a | b",
    "peça",
    "bolha",
    "risco",
    "Welle Ø40",
    "Schraube M8x30",
    "hole basis",
    "p6",
    "tinta",
)
MARKS = ("OK", "NOK", "aberta", "fechada")
PROSE = (
    "Texto entre as tabelas.",
    "See the notes below",
    "Semana 12, ver acções",
    "mysql> select 1;",
)


def _values(chance: random.Random, rows: int) -> list[tuple[str, date, float | None, int, str]]:
    """Rows of a lot, a day, a measurement that may be missing, a count and a word."""
    return [
        (
            f"L{number:04}",
            date(2026, 1, 13) + timedelta(chance.randrange(300)),
            None if chance.random() < 0.15 else chance.randrange(-99_999, 99_999) / 100,
            chance.randrange(1, 900),
            chance.choice(WORDS if chance.random() < 0.5 else MARKS),
        )
        for number in range(rows)
    ]


_NAMES = ("Lote", "Data", "Desvio", "Qtd", "Nota")
_TYPES = "text date number integer text"


def _written(
    values: Sequence[tuple[str, date, float | None, int, str]], mark: str, sign: str
) -> Cells:
    return [
        [
            lot,
            day.isoformat(),
            "" if measured is None else f"{measured:{sign}.2f}".replace(".", mark),
            str(count),
            word,
        ]
        for lot, day, measured, count, word in values
    ]


def _markdown(cells: Cells, chance: random.Random) -> list[str]:
    names, *rows = cells
    if chance.random() < 0.5:
        return [
            "| " + " | ".join(names) + " |",
            "|" + "|".join(chance.choice(("---", ":--", "---:", ":-:")) for _name in names) + "|",
            *("| " + " | ".join(row) + " |" for row in rows),
        ]
    wide = _widths(cells)
    return [
        _padded(names, wide),
        "|" + "|".join(":" + "-" * (width + 1) for width in wide) + "|",
        *(_padded(row, wide) for row in rows),
    ]


def _open_markdown(cells: Cells, _chance: random.Random) -> list[str]:
    names, *rows = cells
    return [
        " | ".join(names),
        " | ".join("---" for _name in names),
        *(" | ".join(row) for row in rows),
    ]


def _console(cells: Cells, chance: random.Random) -> list[str]:
    """As mysql draws."""
    wide = _widths(cells)
    rule = "+" + "+".join("-" * (width + 2) for width in wide) + "+"
    names, *rows = cells
    lines = [rule, _padded(names, wide), rule, *(_padded(row, wide) for row in rows), rule]
    return lines if chance.random() < 0.5 else [f"  {line}" for line in lines]


def _psql(cells: Cells, _chance: random.Random) -> list[str]:
    wide = _widths(cells)
    names, *rows = cells
    return [
        " " + " | ".join(cell.center(width) for cell, width in zip(names, wide, strict=True)),
        "+".join("-" * (width + 2) for width in wide),
        *(
            " " + " | ".join(cell.ljust(width) for cell, width in zip(row, wide, strict=True))
            for row in rows
        ),
    ]


def _box(cells: Cells, chance: random.Random) -> list[str]:
    wide = _widths(cells)
    names, *rows = cells
    heavy = chance.random() < 0.5
    inner = ("╞", "═", "╪", "╡") if heavy else ("├", "─", "┼", "┤")
    body = [_padded(row, wide, "│") for row in rows]
    return [
        _ruled(wide, "┌", "─", "┬", "┐"),
        _padded(names, wide, "│"),
        _ruled(wide, *inner),
        *body,
        _ruled(wide, "└", "─", "┴", "┘"),
    ]


def _org(cells: Cells, _chance: random.Random) -> list[str]:
    wide = _widths(cells)
    names, *rows = cells
    return [
        _padded(names, wide),
        _ruled(wide, "|", "-", "+", "|"),
        *(_padded(r, wide) for r in rows),
    ]


def _grid(cells: Cells, chance: random.Random) -> list[str]:
    """As reStructuredText draws: a rule under every row, and cells of several lines."""
    names, *rows = cells
    broken = [_broken(names, 0, chance), *(_broken(row, 0.5, chance) for row in rows)]
    wide = [max(len(line) for row in broken for line in row[place]) for place in range(len(names))]
    lines = [_ruled(wide, "+", "-", "+", "+")]
    for number, row in enumerate(broken):
        lines += [
            _padded([part[at] if at < len(part) else "" for part in row], wide)
            for at in range(max(map(len, row)))
        ]
        lines.append(_ruled(wide, "+", "-" if number else "=", "+", "+"))
    margin = chance.choice(("", "   "))
    return [margin + line for line in lines]


def _broken(row: Sequence[str], share: float, chance: random.Random) -> list[list[str]]:
    return [cell.split(" ") if chance.random() < share else [cell] for cell in row]


def _simple(cells: Cells, _chance: random.Random) -> list[str]:
    """As reStructuredText draws without bars."""
    wide = _widths(cells)
    rule = "  ".join("=" * width for width in wide)
    names, *rows = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, wide, strict=True)).rstrip()
        for row in cells
    )
    return [rule, names, rule, *rows, rule]


def _widths(cells: Cells) -> list[int]:
    return [max(2, *(len(row[place]) for row in cells)) for place in range(len(cells[0]))]


def _padded(row: Sequence[str], wide: Sequence[int], bar: str = "|") -> str:
    inner = f" {bar} ".join(cell.ljust(width) for cell, width in zip(row, wide, strict=True))
    return f"{bar} {inner} {bar}"


def _ruled(wide: Sequence[int], left: str, dash: str, joint: str, right: str) -> str:
    return left + joint.join(dash * (width + 2) for width in wide) + right


STYLES: dict[str, Callable[[Cells, random.Random], list[str]]] = {
    "markdown": _markdown,
    "open_markdown": _open_markdown,
    "mysql": _console,
    "psql": _psql,
    "box": _box,
    "org": _org,
    "grid": _grid,
    "simple": _simple,
}


def drawn(seed: int) -> Iterator[Case]:
    """One to three tables of every style in a text, with lines of prose between them."""
    for style, draw in STYLES.items():
        chance = random.Random(f"{style} {seed}")
        lines: list[str] = []
        sheets: list[tuple[int, Sheet]] = []
        count = chance.choice((1, 1, 2, 3))
        for number in range(count):
            has_title = chance.random() < 0.7
            if has_title:
                lines += [f"# Tabela {chance.choice(WORDS)} {number}", ""]
            values = _values(chance, 4 + number * 5 + chance.randrange(4))
            names = _NAMES[: 5 - number]
            mark = chance.choice(".,")
            cells = [row[: len(names)] for row in _written(values, mark, chance.choice("-+"))]
            if "markdown" in style:
                cells = [[cell.replace("|", "\\|") for cell in row] for row in cells]
            if style == "org":
                values = [(*row[:4], row[4].replace("|", "/")) for row in values]
                cells = [[cell.replace("|", "/") for cell in row] for row in cells]
            start = len(lines)
            lines += draw([names, *cells], chance)
            rows = [row[: len(names)] for row in values]
            truth = _drawn_sheet(lines, start, rows, names)
            sheets.append((len(rows) * len(names), truth))
            lines.append("")
            if chance.random() < 0.6:
                lines += [chance.choice(PROSE), ""]
        # The biggest is told first.
        ordered = [truth for _size, truth in sorted(sheets, key=lambda each: -each[0])]
        content = "\r\n".join(lines).encode()
        yield Case(f"drawn_{style}_{seed}.txt", content, Truth("Drawn tables", tuple(ordered)))


def _drawn_sheet(
    lines: Sequence[str], start: int, rows: Sequence[tuple[object, ...]], names: Sequence[str]
) -> Sheet:
    """The truth of a table drawn from line `start` to the last: blank is what shows no new row."""
    lots = {row[0] for row in rows}
    header = next(at for at in range(start, len(lines)) if names[0] in lines[at])
    blank = [
        at + 1
        for at in range(start, len(lines))
        if at != header and not any(lot in lines[at] for lot in map(str, lots))
    ]
    return sheet(
        names,
        " ".join(_TYPES.split()[: len(names)]),
        rows,
        header_row=header + 1,
        apart=tuple(("blank", at, at) for at in blank),
        perhaps=("text_beside", "rule_lines", "lines_joined", "missing_words"),
    )


def pages(seed: int) -> Case:
    """A list of SAP: pages with their titles, a minus behind numbers, a total under the last."""
    chance = random.Random(f"pages {seed}")
    names = ("Material", "Werk", "Bestand", "ME", "Wert")
    wide = (18, 4, 15, 3, 14)
    rule = "-" * (sum(wide) + 3 * len(wide) + 1)
    rows: list[tuple[str, int, float, str, float]] = []
    lines: list[str] = []
    apart: list[tuple[str, int, int]] = []
    day = f"{chance.randint(10, 28)}.03.2026"
    for page in range(1, chance.randint(2, 4) + 1):
        lines += [f"{day}   Dynamische Listenausgabe   {page}", *([""] if seed % 2 else [])]
        top = len(lines) + 1
        lines += [rule, _padded(names, wide), rule]
        if page > 1:
            apart += [("blank", at, at) for at in range(top - 1 - seed % 2, top + 1)]
            apart += [("repeated_header", top + 1, top + 1), ("blank", top + 2, top + 2)]
        else:
            apart += [("blank", top, top), ("blank", top + 2, top + 2)]
        for _row in range(chance.randint(4, 12)):
            row = (
                f"{400_000 + 7 * len(rows):018}",
                chance.choice((1000, 1100, 2010)),
                chance.randrange(-2_000_000, 9_000_000) / 1_000,
                chance.choice(("ST", "KG", "M")),
                chance.randrange(-5_000_000, 99_000_000) / 100,
            )
            rows.append(row)
            written = (row[0], str(row[1]), _german(row[2], 3), row[3], _german(row[4], 2))
            lines.append(_padded(written, wide))
        lines.append(rule)
        apart.append(("blank", len(lines), len(lines)))
    total = sum(row[4] for row in rows)
    lines += [_padded(("*", "", "", "", _german(total, 2)), wide), rule]
    apart += [("total", len(lines) - 1, len(lines) - 1), ("blank", len(lines), len(lines))]
    truth = sheet(
        names,
        "text integer number text number",
        rows,
        header_row=2 + 1 + seed % 2,
        apart=tuple(apart),
        doubtful=("text_beside",),
        perhaps=("rule_lines",),
    )
    content = "\r\n".join(lines).encode("cp1252")
    return Case(f"pages_{seed}.txt", content, Truth("Pages of a list", (truth,)))


def _german(value: float, decimals: int) -> str:
    text = f"{abs(value):,.{decimals}f}".translate(str.maketrans(",.", ".,"))
    return f"{text}{'-' if value < 0 else ' '}"


def _moment(chance: random.Random, number: int) -> datetime:
    return datetime(2026, 3, 14, 6, 0) + timedelta(seconds=61 * number + chance.randrange(60))


def _application_log(chance: random.Random, number: int) -> str:
    level = chance.choice(("INFO", "WARN", "ERROR"))
    words = " ".join(chance.choice(("press", "started", "queue", "of", "timeout", "line", "L1"))
                     for _word in range(chance.randint(2, 9)))  # fmt: skip
    return f"{_moment(chance, number)},{chance.randrange(1000):03} [{level}] plc.main: {words}"


def _system_log(chance: random.Random, number: int) -> str:
    moment = _moment(chance, number)
    words = " ".join(chance.choice(("unit", "entered", "failed", "state.", "root", "device"))
                     for _word in range(chance.randint(2, 8)))  # fmt: skip
    process = 10 ** (number % 3) + chance.randrange(9)
    return f"{moment:%b %d %H:%M:%S} host{number % 3} kernel[{process}]: {words}"


def _settings(chance: random.Random, number: int) -> str:
    if number % 6 == 0:
        return f"[station {number}]"
    return f"{chance.choice(('port', 'speed', 'name', 'limit'))}{number}={chance.choice(WORDS)}"


def _metrics(chance: random.Random, number: int) -> str:
    zone = chance.choice(("upper, left", "lower, right", "door 2"))
    return f'press_{chance.choice("ab")}{{line="L{number}",zone="{zone}"}} {chance.random():.2f}'


def _code(chance: random.Random, number: int) -> str:
    return (
        f"def step{number}(self, value):",
        f"    self.total[{number}] = value({chance.random():.2f})",
        f"    if value == {number}: return self.items['{chance.choice(WORDS)}']",
    )[number % 3]


def _facts(chance: random.Random, number: int) -> str:
    return f"<item id={number} name='{chance.choice(WORDS)}' w={chance.random():.2f}/>"


def _interchange(chance: random.Random, number: int) -> str:
    kinds = ("LIN+{0}++{1}:EN'", "QTY+21:{1}'", "PRI+AAA:{1}.5'", "DTM+137:20260314:102'")
    return kinds[number % 4].format(number, chance.randrange(1_000))


def _machine_code(chance: random.Random, number: int) -> str:
    if number % 5 == 4:
        return f"N{number * 10} (tool {number})"
    x, y = chance.random() * 90, chance.random() * 90
    return f"N{number * 10} G0{number % 3} X{x:.3f} Y{y:.3f} F{chance.randrange(900)}"


def _record(chance: random.Random, number: int) -> str:
    name = ("Name", "Weight", "Date")[number % 3]
    value = (chance.choice(WORDS), f"{chance.random():.2f}", f"2026-01-{number % 28 + 1:02}")
    return f"{name}: {value[number % 3]}"


def _sentences(chance: random.Random, number: int) -> str:
    words = " ".join(chance.choice(("audits", "were", "made", "on", "line", "without", "faults"))
                     for _word in range(chance.randint(7, 14)))  # fmt: skip
    return f"In week {number} {words}."


def _facts_of_lots(chance: random.Random, number: int) -> str:
    if number % 4 == 0:
        return f"Lote {number}"
    return ("", "  peso  {:.2f} kg", "  altura  {:.1f} mm", "  estado  {:.0f}")[number % 4].format(
        chance.random() * 90
    )


def _points(chance: random.Random, number: int) -> str:
    return f"#{number}=CARTESIAN_POINT('',({chance.random():.2f},0.,{number}.5));"


def _typeset(chance: random.Random, number: int) -> str:
    return f"{number} & {chance.randrange(90)} & {chance.random():.2f} \\\\"


UNKNOWN: dict[str, Callable[[random.Random, int], str]] = {
    "application_log": _application_log,
    "system_log": _system_log,
    "settings": _settings,
    "metrics": _metrics,
    "code": _code,
    "facts": _facts,
    "interchange": _interchange,
    "machine_code": _machine_code,
    "record": _record,
    "sentences": _sentences,
    "facts_of_lots": _facts_of_lots,
    "points": _points,
    "typeset": _typeset,
}


def unknown(seed: int) -> Iterator[Case]:
    """Texts that are no tables: logs, settings, messages, programs."""
    for kind, line in UNKNOWN.items():
        chance = random.Random(f"{kind} {seed}")
        text = "\n".join(line(chance, number) for number in range(chance.randint(12, 60)))
        yield Case(f"unknown_{kind}_{seed}.txt", text.encode(), Truth("No table", is_honest=True))


def blocks(seed: int) -> Case:
    """A report of a measuring machine: a block for each feature, its names again in each."""
    chance = random.Random(f"blocks {seed}")
    names = ("AX", "NOMINAL", "+TOL", "-TOL", "MEAS", "DEV", "OUT")[: chance.randint(4, 7)]
    mark = chance.choice(".,")
    has_marks = chance.random() < 0.5
    lines = ["PART NAME : 4711", f"OPERATOR  : {chance.choice(WORDS)}", ""]
    rows: list[tuple[object, ...]] = []
    of_rows: list[int] = []
    header = 0
    for number in range(1, chance.randint(3, 6)):
        label = f"DIM LOC{number} = LOCATION OF {chance.choice(('CIRCLE', 'PLANE'))} {number}"
        lines += [f"{label}  UNITS=MM", "GRAPH=OFF  TEXT=OFF"][: 1 + seed % 2]
        lines.append("".join(name.rjust(10) for name in names))
        header = header or len(lines)
        for axis in "XYZDR"[: chance.randint(1, 4)]:
            values = [chance.randrange(-99_999, 99_999) / 1_000]
            values += [chance.randrange(-999, 999) / 1_000 for _name in names[2:]]
            written = "".join(f"{value:10.3f}".replace(".", mark) for value in values)
            tail = (chance.choice(("--#--", "--->", "#----")),) if has_marks else ()
            lines.append(f"{axis.rjust(10)}{written} {''.join(tail)}".rstrip())
            rows.append((f"{label} UNITS=MM", axis, *values, *tail))
            of_rows.append(len(lines))
        lines += [f"END OF DIMENSION LOC{number}", ""]
    shown = ("Block", *names, *((f"column_{len(names) + 2}",) if has_marks else ()))
    types = "text text" + " number" * (len(names) - 1) + (" text" if has_marks else "")
    truth = sheet(
        shown,
        types,
        rows,
        header_row=header,
        apart=tuple(
            ("blank", at, at) for at in range(header + 1, of_rows[-1]) if at not in of_rows
        ),
        doubtful=("blocks", "text_beside", *(("longer_rows",) if has_marks else ())),
        perhaps=("names_given", "decimal_mark"),
    )
    content = "\n".join(lines).encode()
    return Case(f"blocks_{seed}.txt", content, Truth("A report in blocks", (truth,)))


def server_log(seed: int) -> Case:
    """The log of a web server, in the common form or the combined one."""
    chance = random.Random(f"log {seed}")
    is_combined = seed % 2 == 0
    rows: list[tuple[object, ...]] = []
    lines: list[str] = []
    for number in range(chance.randint(15, 60)):
        day = _moment(chance, number).day
        moment = datetime(2026, 3, day, 6, number % 60)
        user = chance.choice((None, "ana", "rui"))
        asked = f"GET /lots/{number}?line=L{chance.randrange(9)};a HTTP/1.1"
        size = chance.choice((None, chance.randrange(9_000)))
        status = chance.choice((200, 304, 404, 500))
        row: tuple[object, ...] = (f"10.0.0.{number}", user, moment, asked, status, size)
        shown = "-" if size is None else size
        written = f"{day:02}/Mar/2026:06:{number % 60:02}:00 +0100"
        line = f'{row[0]} - {user or "-"} [{written}] "{asked}" {status} {shown}'
        if is_combined:
            agent = chance.choice(("Mozilla/5.0 (Windows; x64)", "curl/8.1", 'says \\"hi\\"'))
            line += f' "-" "{agent}"'
            row = (*row, agent.replace("\\", ""))
        rows.append(row)
        lines.append(line)
    kept = [1, 3, 4, 5, 6, 7, *([9] if is_combined else [])]
    truth = sheet(
        [f"column_{place}" for place in kept],
        "text text datetime text integer integer" + (" text" if is_combined else ""),
        rows,
        header_row=None,
        repaired=("blank_columns", "zone_removed"),
        doubtful=("no_header",),
    )
    return Case(f"log_{seed}.log", "\n".join(lines).encode(), Truth("A log", (truth,)))


def statistics(seed: int) -> Case:
    """A table of a statistics office: keys joined by commas, flags behind numbers."""
    chance = random.Random(f"statistics {seed}")
    keys = ("freq", "unit", "geo")[: chance.randint(1, 3)]
    years = [str(2020 + number) for number in range(chance.randint(2, 6))]
    codes = ("DE", "PT", "UK", "PL", "FR", "ES", "IT")
    cells = [
        [
            (
                None if chance.random() < 0.2 else chance.randrange(-500, 9_000) / 10,
                chance.choice(("", "", "", "b", "p", "bp")),
            )
            for _year in years
        ]
        for _code in codes
    ]
    lines = ["\t".join((",".join(keys) + r"\TIME_PERIOD", *(f"{year} " for year in years)))]
    rows: list[tuple[object, ...]] = []
    flagged = [place for place in range(len(years)) if any(row[place][1] for row in cells)]
    for code, row in zip(codes, cells, strict=True):
        key = ("A", "PC", code)[-len(keys) :]
        shown = (f"{':' if value is None else value} {flag}" for value, flag in row)
        lines.append("\t".join((",".join(key), *shown)))
        made: list[object] = [*key]
        for place, (value, flag) in enumerate(row):
            made += [value, flag or None] if place in flagged else [value]
        rows.append(tuple(made))
    names = [*keys]
    types = ["text"] * len(keys)
    for place, year in enumerate(years):
        names += [year, f"{year} flags"] if place in flagged else [year]
        types += ["number", "text"] if place in flagged else ["number"]
    truth = sheet(names, " ".join(types), rows, repaired=("keys_parted",), separator="\t")
    content = "\r\n".join(lines).encode()
    return Case(f"statistics_{seed}.tsv", content, Truth("Keys and flags", (truth,)))


def frequencies(seed: int) -> Case:
    """A box of a statistics program: labels of groups over two columns, totals of each group."""
    chance = random.Random(f"frequencies {seed}")
    wide = (8, 9, 12, 14, 12)
    outer = _ruled((wide[0] + wide[1] + 3, *wide[2:]), "+", "-", "+", "+")
    inner = _ruled(wide, "+", "-", "+", "+")
    lines = ["FREQUENCIES VARIABLES=shift.", "", outer]
    lines += [
        _padded(("", "Count", "Points", "Cumulative"), (wide[0] + wide[1] + 3, *wide[2:])),
        inner,
    ]
    rows: list[tuple[object, ...]] = []
    apart = [("blank", 3, 3), ("blank", 5, 5)]
    sums = [0, 0]
    for group in range(chance.randint(1, 3)):
        values = [(chance.randrange(9, 900), chance.randrange(9, 90)) for _row in range(3 + group)]
        for number, (count, points) in enumerate(values):
            label = f"Gruppe {group}" if number == 0 else ""
            reached = chance.randrange(1, 999) / 10
            cells = (label, f"Typ {number}", str(count), str(points), f"{reached:.1f}")
            lines.append(_padded(cells, wide))
            rows.append((label or None, f"Typ {number}", count, points, reached))
        both = [sum(row[place] for row in values) for place in (0, 1)]
        sums = [sums[place] + both[place] for place in (0, 1)]
        lines += [_padded(("", "Gesamt", *map(str, both), ""), wide), inner]
        apart += [("total", len(lines) - 1, len(lines) - 1), ("blank", len(lines), len(lines))]
    whole = _padded(("Gesamt", *map(str, sums), ""), (wide[0] + wide[1] + 3, *wide[2:]))
    lines += [whole, outer]
    apart += [("total", len(lines) - 1, len(lines) - 1), ("blank", len(lines), len(lines))]
    truth = sheet(
        ("column_1", "column_2", "Count", "Points", "Cumulative"),
        "text text integer integer number",
        rows,
        header_row=4,
        apart=tuple(apart),
        repaired=("names_given", "rule_lines"),
        doubtful=("text_beside", "totals_set_apart", *(["labels_once"] if group else [])),
    )
    return Case(f"frequencies_{seed}.txt", "\n".join(lines).encode(), Truth("A box", (truth,)))
