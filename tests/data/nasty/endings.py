"""Tables with lines of a program, a bank or a printer among their rows, and texts that are none."""

import random
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from statistics import mean, stdev
from typing import Any

from tests.data.nasty.truth import Case, Said, Truth, sheet

Rows = Sequence[Sequence[Any]]
Maker = Callable[[int], Iterator[Case]]


def _lines(rows: Rows, *, separator: str = ";") -> str:
    return "".join(separator.join(map(str, row)) + "\n" for row in rows)


def marks(seed: int, *, rows: int = 20) -> Iterator[Case]:
    """The archive of a control system, with its marks for the end and for the number of rows."""
    chance = random.Random(seed)
    names = ("VarName", "TimeString", "VarValue", "Validity")
    days = [date(2024, 3, 1) + timedelta(number) for number in range(rows)]
    body = [("Temp_1", each, round(chance.uniform(20, 30), 2), 1) for each in days]
    marked = [("$RT_OFF$", f"{days[-1]:%d.%m.%Y}", 0, 2), ("$RT_COUNT$", rows, -1, -1)]
    written = [(name, f"{day:%d.%m.%Y}", value, state) for name, day, value, state in body]
    middle = chance.randrange(3, rows - 3)
    for place, count in ((rows, 2), (middle, 1)):
        listed = [*written[:place], *marked[:count], *written[place:]]
        quoted = [[f'"{cell}"' for cell in row] for row in (names, *listed)]
        apart = [("note", place + 2 + at, place + 2 + at) for at in range(count)]
        truth = sheet(names, "text date number integer", body, apart=apart)
        yield Case(f"marks_{place}_{seed}.csv", _lines(quoted).encode(), Truth("Marks", (truth,)))


BALANCES = (
    ("Saldo final", "", ""), ("", "Saldo contabilístico", ""), ("31-12-2024", "Saldo final", ""),
    ("Saldo em 31-12-2024", "", ""), ("", "Closing balance:", ""), ("Endsaldo", "", ""),
)  # fmt: skip


def balances(seed: int, *, rows: int = 20) -> Iterator[Case]:
    """The statement of a bank, with its balance under the movements, or above them."""
    chance = random.Random(seed)
    names = ("Data", "Descrição", "Valor", "Saldo")
    body: list[tuple[date, str, float, float]] = []
    balance = 1_000.0
    for number in range(rows):
        value = round(chance.uniform(-200, 250), 2)
        balance = round(balance + value, 2)
        what = chance.choice(("Transferência", "Pagamento", "Saldo de férias"))
        body.append((date(2024, 1, 1) + timedelta(number), what, value, balance))
    written = [(f"{row[0]:%d-%m-%Y}", *row[1:]) for row in body]
    for number, label in enumerate(BALANCES):
        for place in (rows, 0):
            listed = [*written[:place], (*label, balance), *written[place:]]
            text = _lines([names, *listed]).replace(".", ",")
            apart = [("note", place + 2, place + 2)]
            truth = sheet(names, "date text number number", body, apart=apart)
            case = f"balance_{number}_{place}_{seed}.csv"
            yield Case(case, text.encode(), Truth("A balance", (truth,)))


TOTALS = (
    "Итого", "Всего:", "Razem", "Ogółem", "Celkem", "Összesen", "Toplam", "Totale", "Totaux",
    "Totaal", "Summa", "Σύνολο", "合計", "总计", "합계", "Suma",
)  # fmt: skip
STATISTICS = {
    "mean": ("Mittelwert", "Mean", "x̄", "Moyenne", "Avg.", "Среднее", "平均"),
    "stdev": ("s", "Std. dev.", "StDev", "Standardabweichung", "σ", "Écart-type"),
    "min": ("Min", "Minimum", "Min.", "Mínimo"),
    "max": ("Max", "Maximum", "Máx.", "Máximo"),
}


def sums(seed: int, *, rows: int = 15) -> Iterator[Case]:
    """A table with its sums under it, called as in other languages; and one called so alone."""
    chance = random.Random(seed)
    names = ("Part", "Made", "Cost")
    body = [(f"T{n:03}", chance.randrange(100, 900), chance.randrange(9, 99_000) / 100)
            for n in range(rows)]  # fmt: skip
    made, cost = sum(row[1] for row in body), round(sum(row[2] for row in body), 2)
    for number, label in enumerate(TOTALS):
        apart = [("total", rows + 2, rows + 2)]
        truth = sheet(names, "text integer number", body, apart=apart)
        text = _lines([names, *body, (label, made, cost)])
        yield Case(f"sum_{number}_{seed}.csv", text.encode(), Truth("Sums", (truth,)))
        other = (label, made - 70, round(cost / 3, 2))
        said = (Said("totals_kept"),)
        truth = sheet(names, "text integer number", [*body, other], doubtful=said)
        text = _lines([names, *body, other])
        yield Case(f"no_sum_{number}_{seed}.csv", text.encode(), Truth("No sums", (truth,)))


def averages(seed: int, *, rows: int = 60) -> Iterator[Case]:
    """A table as a testing machine writes it, with means, deviations and extremes under it."""
    chance = random.Random(seed)
    names = ("Specimen", "Width", "Force", "Break")
    body = [(f"P{n}", round(chance.uniform(9, 11), 2), round(chance.uniform(7_000, 9_000), 1),
             chance.choice(("brittle", "tough"))) for n in range(rows)]  # fmt: skip
    widths, forces = [row[1] for row in body], [row[2] for row in body]
    values = {
        "mean": (round(mean(widths), 2), round(mean(forces), 2)),
        "stdev": (round(stdev(widths), 2), round(stdev(forces), 2)),
        "min": (min(widths), min(forces)),
        "max": (max(widths), max(forces)),
    }
    for number in range(max(map(len, STATISTICS.values()))):
        below = [
            (labels[number % len(labels)], *values[kind], "") for kind, labels in STATISTICS.items()
        ]
        chance.shuffle(below)
        below = below[: chance.randrange(1, 5)]
        apart = [("total", rows + 2 + at, rows + 2 + at) for at in range(len(below))]
        truth = sheet(names, "text number number text", body, apart=apart)
        text = _lines([names, *body, *below])
        yield Case(f"mean_{number}_{seed}.csv", text.encode(), Truth("Means", (truth,)))


def codes(seed: int, *, rows: int = 30) -> Iterator[Case]:
    """A table in which such words are values like others."""
    chance = random.Random(seed)
    names = ("Code", "Speed", "Length")
    words = ("s", "n", "σ", "Razem", "Suma", "A", "B", "Min", "Avg")
    body = [(chance.choice(words), round(chance.uniform(1, 9), 2), chance.randrange(1, 50))
            for _ in range(rows)]  # fmt: skip
    truth = sheet(names, "text number integer", body)
    yield Case(f"codes_{seed}.csv", _lines([names, *body]).encode(), Truth("Codes", (truth,)))


def ends(seed: int, *, rows: int = 20) -> Iterator[Case]:
    """Records of fixed widths under which the last lines have another shape."""
    chance = random.Random(seed)
    names = ("tipo", "numero", "eixo", "x", "y", "z")
    body = [
        ("ATOM", number, chance.choice("AB"), *(round(chance.uniform(10, 99), 3) for _ in range(3)))
        for number in range(10, 10 + rows)
    ]
    for end in ("END", "EOF", "*** FIM ***", "End of report"):
        listed: Rows = [names, *body, ("TER", 99, "", "", "", "")]
        truth = sheet(
            names,
            "text integer text number number number",
            [*body, ("TER", 99, None, None, None, None)],
            apart=[("note", rows + 3, rows + 3)],
            doubtful=(Said("rows_unlike"),),
        )
        text = _lines(listed) + f"{end};;;;;\n"
        yield Case(f"end_{seed}.csv", text.encode(), Truth("Last lines", (truth,)))


def pages(seed: int, *, count: int = 4) -> Iterator[Case]:
    """A list as a statistics program prints it, with titles and names on each page."""
    chance = random.Random(seed)
    plural = chance.choice(("Pág. {}", "Page {}", "{}", "Página {} de 4"))
    kinds = ("lixo", "gordura", "escorrido")
    for size in (12, 25):
        body: list[tuple[int, str, int, float]] = []
        text = ""
        for page in range(1, count + 1):
            text += f"{'Fábrica de Pintura':>45}{plural.format(page):>30}\n"
            text += f"{'Lista de defeitos  12MAR2024 10:3' + str(page):>50}\n\n"
            text += "   Obs    Tipo             Qtd       Custo\n\n"
            for _row in range(size):
                row = (len(body) + 1, chance.choice(kinds), chance.randrange(1, 90),
                       round(chance.uniform(100, 900), 2))  # fmt: skip
                body.append(row)
                text += f"{row[0]:6d}    {row[1]:14}{row[2]:6d}{row[3]:12.2f}\n"
            text += "\n\f" if size == 12 else "\n"
        truth = sheet(("Obs", "Tipo", "Qtd", "Custo"), "integer text integer number", body)
        yield Case(f"pages_{size}_{seed}.lst", text.encode(), Truth("Pages", (truth,)))


_OPENINGS = ("Exmo. Senhor,", "Cara Ana,", "Dear Sir or Madam,", "Bom dia,", "Relatório da visita")
_SENTENCES = (
    "Vimos por este meio comunicar que recebemos a vossa encomenda no dia 12 de março,",
    "a qual continha 12 peças defeituosas, conforme a fotografia em anexo.",
    "Agradecemos resposta até ao final da semana com as ações tomadas,",
    "sem o que teremos de proceder à devolução de todo o lote.",
    "A espessura medida foi de 85 µm, abaixo do limite da especificação.",
    "Ficamos a aguardar as vossas notícias sobre este assunto.",
)


def letters(seed: int) -> Iterator[str]:
    """Letters and other prose in paragraphs."""
    chance = random.Random(seed)
    for opening in _OPENINGS:
        paragraphs = [
            "\n".join(chance.sample(_SENTENCES, chance.randrange(1, 4)))
            for _each in range(chance.randrange(3, 6))
        ]
        close = "Com os melhores cumprimentos,\n\nRui Costa\nQualidade\n"
        yield "\n\n".join((opening, *paragraphs, close))


def forms(seed: int) -> Iterator[str]:
    """Forms with labels and values in several places."""
    chance = random.Random(seed)
    labels = ["Cliente", "Peça", "Referência", "Responsável", "Data", "Prazo", "Equipa", "Causa",
              "Ação", "Quantidade", "Lote", "Linha"]  # fmt: skip
    values = ["AutoEuropa", "Para-choques", "7L6.807.221", "Ana Silva", "12/03/2024", "30", "A", ""]
    for separator in (";", "\t", ","):
        chance.shuffle(labels)
        rows = [["RELATÓRIO 8D", "", "", ""]]
        for left, right in zip(labels[::2], labels[1::2], strict=True):
            rows.append([f"{left}:", chance.choice(values), f"{right}:", chance.choice(values)])
            if chance.random() < 0.3:
                rows.append(["Foram detetadas peças com casca de laranja", "", "", ""])
        yield _lines(rows, separator=separator)
