"""Benign code by what it computes, with what it prints; over `pecas`, the rows that `rows` makes."""

import io
from datetime import date, timedelta

COLUMNS = ("data", "maquina", "operador", "peso", "defeitos", "conforme")


def rows() -> list[tuple[date, str, str | None, float | None, int, bool]]:
    """Return 240 rows of weighed parts."""
    return [
        (
            date(2026, 1, 1) + timedelta(days=at // 4),
            f"M{at % 4 + 1}",
            None if at % 40 == 7 else ("Ana", "Célia", "João")[at % 3],
            None if at % 24 == 5 else round(50 + (at * 37 % 101 - 50) / 20, 2),
            at * 7 % 5,
            at % 9 != 0,
        )
        for at in range(240)
    ]


def text() -> str:
    """Return the rows as a file with commas."""
    made = io.StringIO()
    made.write(",".join(COLUMNS) + "\n")
    for day, machine, who, weight, count, good in rows():
        cells = (day.isoformat(), machine, who or "", "" if weight is None else weight, count)
        made.write(",".join(map(str, (*cells, "sim" if good else "não"))) + "\n")
    return made.getvalue()


# What needs no data: what it prints is known.
PLAIN = {
    "arithmetic": (
        "print(7 // 2, -7 % 3, 2**100, round(2.5))",
        "3 2 1267650600228229401496703205376 2",
    ),
    "texts": ("print(f'{3.14159:.2f}', 'ção'.upper(), 'a,b'.split(','))", "3.14 ÇÃO ['a', 'b']"),
    "comprehensions": (
        "print([x * x for x in range(5) if x % 2], {c: 1 for c in 'ab'})",
        "[1, 9] {'a': 1, 'b': 1}",
    ),
    "classes": (
        "class A:\n    def __init__(self, v): self.v = v\n    def dobro(self): return 2 * self.v\nprint(A(4).dobro())",
        "8",
    ),
    "dataclasses": (
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int = 1\nprint(P(), P(2) == P(2))",
        "P(x=1) True",
    ),
    "generators": ("def g():\n    yield from range(3)\nprint(sum(g()))", "3"),
    "exceptions": (
        "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    print(error)",
        "division by zero",
    ),
    "match": ("match {'a': 2}:\n    case {'a': n}: print(n)", "2"),
    "recursion": (
        "def f(n): return 1 if n < 2 else n * f(n - 1)\nprint(f(20))",
        "2432902008176640000",
    ),
    "dates": (
        "from datetime import date, timedelta\nprint(date(2026, 2, 28) + timedelta(days=1))",
        "2026-03-01",
    ),
    "zones": (
        "from datetime import datetime\nfrom zoneinfo import ZoneInfo\nprint(datetime(2026, 7, 1, tzinfo=ZoneInfo('Europe/Lisbon')).utcoffset())",
        "1:00:00",
    ),
    "decimals": ("from decimal import Decimal\nprint(Decimal('0.1') + Decimal('0.2'))", "0.3"),
    "fractions": ("from fractions import Fraction\nprint(Fraction(1, 3) + Fraction(1, 6))", "1/2"),
    "statistics": (
        "import statistics\nprint(statistics.median([3, 1, 2]), statistics.pstdev([2, 4]))",
        "2 1.0",
    ),
    "json": (
        "import json\nprint(json.loads('{\"a\": [1, null]}'), json.dumps('ç'))",
        "{'a': [1, None]} \"\\u00e7\"",
    ),
    "expressions": ("import re\nprint(re.findall(r'R(\\d+)', 'R10 R12'))", "['10', '12']"),
    "csv": (
        "import csv, io\nprint(list(csv.reader(io.StringIO('a;b\\n1;2'), delimiter=';')))",
        "[['a', 'b'], ['1', '2']]",
    ),
    "files of its own": (
        "import tempfile, pathlib\nwith tempfile.TemporaryDirectory() as folder:\n    file = pathlib.Path(folder) / 'a'\n    file.write_text('olá', encoding='utf-8')\n    print(file.read_text(encoding='utf-8'), file.exists())\nprint(file.exists())",
        "olá True\nFalse",
    ),
    "numpy": (
        "print(np.arange(6).reshape(2, 3).sum(axis=0).tolist(), float(np.std([1, 2, 3, 4])))",
        "[3, 5, 7] 1.118033988749895",
    ),
    "numpy solves": (
        "print(np.linalg.solve(np.array([[2.0, 1], [1, 3]]), [3.0, 5]).round(6).tolist())",
        "[0.8, 1.4]",
    ),
    "numpy's seeds": (
        "print(np.random.default_rng(1).integers(0, 10, 5).tolist())",
        "[4, 5, 7, 9, 0]",
    ),
    "scipy": (
        "from scipy import stats\nprint(round(float(stats.norm.ppf(0.975)), 4), round(float(stats.t.sf(2, 10)), 4))",
        "1.96 0.0367",
    ),
    "scipy fits": (
        "from scipy.optimize import brentq\nprint(round(brentq(lambda x: x * x - 2, 0, 2), 6))",
        "1.414214",
    ),
    "sqlite": (
        "import sqlite3\nprint(sqlite3.connect(':memory:').execute('SELECT 1 + 1').fetchone())",
        "(2,)",
    ),
}

# What is compared with the same pandas outside.
OVER_DATA = {
    "shape": "print(pecas.shape, list(pecas.columns))",
    "missing": "print(pecas.isna().sum().to_dict())",
    "describe": "print(pecas['peso'].describe().round(3).to_dict())",
    "groups": "print(pecas.groupby('maquina')['peso'].agg(['mean', 'std', 'count']).round(4).to_string())",
    "groups of two": "print(pecas.groupby(['maquina', 'operador'])['defeitos'].sum().to_dict())",
    "pivot": "print(pecas.pivot_table(index='maquina', columns='operador', values='defeitos', aggfunc='sum').to_string())",
    "crosstab": "print(pd.crosstab(pecas['maquina'], pecas['conforme']).to_string())",
    "sorted": "print(pecas.sort_values(['peso', 'maquina'], ascending=[False, True]).head(5)['peso'].tolist())",
    "filter": "print(len(pecas[(pecas['peso'] > 51) & (pecas['maquina'] == 'M2')]))",
    "query": "print(len(pecas.query('defeitos >= 3 and maquina == \"M1\"')))",
    "counts": "print(pecas['operador'].value_counts().to_dict())",
    "pareto": "c = pecas.groupby('maquina')['defeitos'].sum().sort_values(ascending=False)\nprint((c.cumsum() / c.sum() * 100).round(1).to_dict())",
    "correlation": "print(pecas[['peso', 'defeitos']].corr().round(4).to_string())",
    "months": "print(pecas.groupby(pecas['data'].dt.to_period('M').astype(str))['defeitos'].sum().to_dict())",
    "weekdays": "print(pecas['data'].dt.day_of_week.value_counts().sort_index().to_dict())",
    "rolling": "print(pecas['peso'].interpolate().rolling(5).mean().dropna().head(3).round(4).tolist())",
    "resampled": "print(pecas.set_index('data')['defeitos'].resample('7D').sum().tolist())",
    "shifted": "print(pecas['defeitos'].diff().abs().mean().round(4))",
    "bins": "print(pd.cut(pecas['peso'], [0, 49, 51, 100]).value_counts().sort_index().tolist())",
    "quantiles": "print(pecas['peso'].quantile([0.05, 0.5, 0.95]).round(4).tolist())",
    "texts": "print(pecas['operador'].str.upper().dropna().unique().tolist())",
    "filled": "print(round(pecas['peso'].fillna(pecas['peso'].mean()).sum(), 3))",
    "merged": "m = pd.DataFrame({'maquina': ['M1', 'M2'], 'linha': ['L1', 'L2']})\nprint(pecas.merge(m, on='maquina').groupby('linha').size().to_dict())",
    "melted": "print(pecas[['maquina', 'peso', 'defeitos']].melt(id_vars='maquina').shape)",
    "moving range": "r = pecas['peso'].dropna()\nprint(round(float(r.mean() + 3 * r.diff().abs().mean() / 1.128), 4))",
    "capability": "r = pecas['peso'].dropna()\nprint(round(float(min(53 - r.mean(), r.mean() - 47) / (3 * r.std())), 4))",
    "regression": "d = pecas.dropna(subset=['peso'])\nprint(np.polyfit(np.arange(len(d)), d['peso'], 1).round(6).tolist())",
    "booleans": "print(round(float(pecas['conforme'].mean()), 4), int((~pecas['conforme']).sum()))",
    "applied": "print(pecas.groupby('maquina')['peso'].apply(lambda s: round(float(s.max() - s.min()), 3)).to_dict())",
    "ranked": "print(pecas.groupby('maquina')['defeitos'].rank(method='dense').max())",
}
