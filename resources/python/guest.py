"""The guest's side of `executar_python`: data in as DataFrames, code run, values out as JSON.

It runs in the sandbox's own Python, is kept in its start image, and trusts nothing to itself:
whoever reads what it leaves behind checks it again. Sizes are limited here as well, so that a large
result says what was cut.
"""

import ast
import io
import json
import linecache
import math
import random
import sys
import traceback
import types
import warnings
from datetime import date, time, timedelta

import numpy as np
import pandas as pd

# Loaded into the start image, where it costs a run nothing: what code of this kind asks for first.
for _each in (
    "calendar",
    "collections",
    "dataclasses",
    "decimal",
    "fractions",
    "functools",
    "itertools",
    "operator",
):
    __import__(_each)
for _each in ("re", "statistics", "string", "textwrap", "scipy.optimize", "scipy.stats"):
    __import__(_each)

REQUEST = "/pedido.json"
RESULT = "/resultado.json"
DATA = "/conjuntos/{}"
CODE = "<codigo>"
TABLES = 10
FIGURES = 12
TABLE_ROWS = 1_000
FIGURE_ROWS = 20_000
COLUMNS = 100
TEXT_CHARACTERS = 500
VALUE_CHARACTERS = 5_000
ERROR_CHARACTERS = 2_000


def main():
    """Run what is asked for, and leave the result behind. Called once for each run."""
    with open(REQUEST, encoding="utf-8") as file:
        request = json.load(file)
    tables, figures = [], []
    told = {"valor": None, "erro": None, "tipo_erro": None, "tabelas": tables, "figuras": figures}
    screen = _Screen(request["saida"])
    sys.stdout = sys.stderr = screen
    space = types.ModuleType("__main__")
    sys.modules["__main__"] = space
    space.__dict__.update(_surroundings(request, figures))
    try:
        value = _run(request["codigo"], space.__dict__)
        told["valor"] = _shown(value, tables)
    except SystemExit as error:
        if error.code not in (None, 0):
            told["erro"] = f"SystemExit: {error.code}"[:ERROR_CHARACTERS]
            told["tipo_erro"] = "SystemExit"
    except BaseException as error:
        told["erro"] = _trimmed(error)
        told["tipo_erro"] = type(error).__name__
    screen.flush()
    with open(RESULT, "w", encoding="utf-8") as file:
        json.dump(told, file, ensure_ascii=True, allow_nan=False)


class _Screen(io.TextIOBase):
    """What is printed: each line at once, so that a stopped run has shown it; cut at its limit."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self, room):
        self._room = room + 1  # one more tells that something was cut
        self._line = []
        self._raw = io.FileIO(1, "w", closefd=False)

    def writable(self):
        return True

    def isatty(self):
        return False

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if self._room > 0 and text:
            part = text[: self._room]
            self._room -= len(part)
            self._line.append(part)
            if "\n" in part or self._room <= 0:
                self.flush()
        return len(text)

    def flush(self):
        if self._line:
            data = "".join(self._line).encode("utf-8", "replace")
            self._line.clear()
            self._raw.write(data)


def _surroundings(request, figures):
    """Return what the code finds by name."""
    loaded = _Loaded(request["conjuntos"])
    named = {each: loaded[each] for each in loaded if each in request["usados"]}
    return {
        **named,
        "dados": loaded,
        "grafico": _chart_helper(request["graficos"], figures),
        "np": np,
        "pd": pd,
    }


class _Loaded(dict):
    """Data sets by their name and that of their file, made DataFrames when first asked for."""

    def __init__(self, described):
        super().__init__()
        self._waiting = {}
        for number, each in enumerate(described):
            self[each["name"]] = None
            self._waiting[each["name"]] = (number, each)
        self._files = {each["file"]: each["name"] for each in described if each["file"]}

    def __getitem__(self, name):
        name = name if dict.__contains__(self, name) else self._files.get(name, name)
        if name in self._waiting:
            number, about = self._waiting.pop(name)
            self[name] = _frame(number, about)
        return super().__getitem__(name)

    def __missing__(self, name):
        raise KeyError(f"{name!r}; há: {', '.join(self)}")

    def get(self, name, default=None):
        try:
            return self[name]
        except KeyError:
            return default

    def values(self):
        return [self[each] for each in self]

    def items(self):
        return [(each, self[each]) for each in self]


def _frame(number, about):
    rows = about["rows"]
    with open(DATA.format(number), "rb", buffering=0) as file:
        columns = [_column(file, rows, each) for each in about["columns"]]
    frame = pd.DataFrame(dict(enumerate(columns)), index=pd.RangeIndex(rows), copy=False)
    frame.columns = [each["name"] for each in about["columns"]]
    return frame


def _column(file, rows, about):
    kind = about["type"]
    missing = None
    if about["missing"] is not None:
        missing = _block(file, about["missing"], np.uint8, rows).view(bool)
    if kind in ("text", "time", "mixed"):
        offset, size = about["values"]
        raw = bytearray(size)
        _fill(file, offset, raw)
        texts = raw.decode("utf-8").split(about["separator"]) if about["different"] else []
        if kind == "time":
            texts = [time.fromisoformat(each) for each in texts]
        values = np.empty(len(texts) + 1, dtype=object)
        values[:-1] = texts
        values[-1] = np.nan if kind == "text" else None
        codes = _block(file, about["place"], np.dtype(about["format"]), rows)
        found = values[codes]
        if kind != "text":
            return found
        return pd.array(found, dtype=pd.StringDtype("python", na_value=np.nan))
    found = _block(file, about["place"], np.dtype(about["format"]), rows)
    if kind == "integer" and missing is not None:
        return pd.arrays.IntegerArray(found, missing)
    if kind == "boolean":
        found = found.view(bool)
        return found if missing is None else pd.arrays.BooleanArray(found, missing)
    if kind in ("date", "datetime"):
        found = found.view("datetime64[us]")
        if missing is not None:
            found[missing] = np.datetime64("NaT")
    return found


def _block(file, offset, dtype, count):
    block = np.empty(count, dtype=dtype)
    if count:
        _fill(file, offset, memoryview(block.view(np.uint8)))
    return block


def _fill(file, offset, target):
    file.seek(offset)
    target = memoryview(target)
    while len(target) > 0:
        got = file.readinto(target)
        if not got:
            raise EOFError("the data set is cut")
        target = target[got:]


def _run(code, space):
    """Run the code; return the value of its last line, if that is an expression."""
    linecache.cache[CODE] = (len(code), None, code.splitlines(keepends=True), CODE)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.simplefilter("ignore", ResourceWarning)  # what it leaves open goes with the run
        tree = ast.parse(code, CODE)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
        exec(compile(tree, CODE, "exec"), space)
        return None if last is None else eval(compile(last, CODE, "eval"), space)


def _trimmed(error):
    """Return the error with the places of the code alone, in as many characters as are read."""
    frames = [each for each in traceback.extract_tb(error.__traceback__) if each.filename == CODE]
    if len(frames) > 8:
        frames = [*frames[:3], *frames[-5:]]
    lines = []
    for each in frames:
        where = "" if each.name == "<module>" else f", em {each.name}"
        lines.append(f"linha {each.lineno}{where}: {(each.line or '').strip()}"[:TEXT_CHARACTERS])
    if isinstance(error, SyntaxError) and error.filename == CODE:
        lines.append(f"linha {error.lineno}: {(error.text or '').strip()}"[:TEXT_CHARACTERS])
    place = "\n".join(lines)
    try:
        said = str(error)
    except Exception:
        said = ""
    kind = type(error).__name__
    told = f"{kind}: {said}" if said else kind
    room = max(200, ERROR_CHARACTERS - len(place) - 1)
    if len(told) > room:
        told = told[: room - 1] + "…"
    return f"{place}\n{told}".strip()[:ERROR_CHARACTERS]


def _shown(value, tables):
    """Make tables of the value of the last line; return what else it is, as text."""
    if value is None:
        return None
    if isinstance(value, (pd.DataFrame, pd.Series)):
        tables.append(_table("", value, TABLE_ROWS))
        return None
    several = {}
    if isinstance(value, dict):
        several = {str(name): each for name, each in value.items()}
    elif isinstance(value, (list, tuple)):
        several = {str(at + 1): each for at, each in enumerate(value)}
    if several and all(isinstance(each, (pd.DataFrame, pd.Series)) for each in several.values()):
        tables.extend(
            _table(name, each, TABLE_ROWS) for name, each in list(several.items())[:TABLES]
        )
        return None
    if isinstance(value, np.generic):
        value = value.item()
    return repr(value)[: VALUE_CHARACTERS + 1]


def _chart_helper(kinds, figures):
    def grafico(tipo, titulo, dados, x=None, y=None, por=None):
        """Desenha um gráfico: tipo, título e dados (DataFrame, Series ou dicionário)."""
        if tipo not in kinds:
            raise ValueError(f"tipo de gráfico desconhecido: {tipo!r}; há: {', '.join(kinds)}")
        if len(figures) >= FIGURES:
            raise ValueError(f"no máximo {FIGURES} gráficos por execução")
        if isinstance(dados, dict) and not any(np.iterable(each) for each in dados.values()):
            dados = pd.Series(dados)
        frame = dados if isinstance(dados, (pd.DataFrame, pd.Series)) else pd.DataFrame(dados)
        if len(frame) > FIGURE_ROWS:
            raise ValueError(
                f"{len(frame)} linhas; um gráfico leva até {FIGURE_ROWS}: agregue primeiro"
            )
        names = [y] if isinstance(y, str) else [str(each) for each in y or ()]
        table = _table(titulo, frame, FIGURE_ROWS)
        columns = [each[0] for each in table["colunas"]]
        x = None if x is None else str(x)
        por = None if por is None else str(por)
        for each in (*names, x, por):
            if each is not None and each not in columns:
                raise KeyError(f"{each!r}; colunas: {', '.join(columns)}")
        figures.append({"tipo": tipo, "x": x, "y": names, "por": por, **table})

    return grafico


def _table(title, value, limit):
    frame = (
        value.to_frame(name=value.name if value.name is not None else "valor")
        if isinstance(value, pd.Series)
        else value
    )
    if not (isinstance(frame.index, pd.RangeIndex) and frame.index.name is None):
        frame = _with_index(frame)
    total = len(frame)
    frame = frame.iloc[:limit, :COLUMNS]
    columns, cells = [], []
    for at, name in enumerate(_names(frame)):
        kind, values = _cells(frame.iloc[:, at])
        columns.append([name, kind])
        cells.append(values)
    rows = [list(row) for row in zip(*cells, strict=True)] if cells else []
    return {"titulo": str(title)[:200], "colunas": columns, "linhas": rows, "total": total}


def _with_index(frame):
    index = frame.index.to_frame(index=False)
    taken = {str(each) for each in frame.columns}
    index.columns = [
        str(each)
        if name is not None and str(each) not in taken
        else f"indice_{at + 1}"
        if index.shape[1] > 1
        else "indice"
        for at, (each, name) in enumerate(zip(index.columns, frame.index.names, strict=True))
    ]
    return pd.concat([index, frame.reset_index(drop=True)], axis=1)


def _names(frame):
    seen, names = set(), []
    for each in frame.columns:
        name = (
            " · ".join(str(part) for part in each if str(part))
            if isinstance(each, tuple)
            else str(each)
        )
        name = name[:200] or "coluna"
        plain, number = name, 2
        while name in seen:
            name, number = f"{plain}_{number}", number + 1
        seen.add(name)
        names.append(name)
    return names


def _cells(column):
    dtype = column.dtype
    values = column.tolist()
    if pd.api.types.is_bool_dtype(dtype):
        return "boolean", [None if pd.isna(each) else bool(each) for each in values]
    if pd.api.types.is_integer_dtype(dtype):
        return "integer", [None if pd.isna(each) else int(each) for each in values]
    if pd.api.types.is_float_dtype(dtype):
        return "number", [
            None if pd.isna(each) or not math.isfinite(each) else float(each) for each in values
        ]
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return _moments(values)
    filled = [each for each in values if not _is_missing(each)]
    if filled and all(type(each) is bool for each in filled):
        return "boolean", [None if _is_missing(each) else each for each in values]
    if filled and all(
        isinstance(each, (int, np.integer)) and abs(int(each)) < 2**63 for each in filled
    ):
        return "integer", [None if _is_missing(each) else int(each) for each in values]
    if filled and all(isinstance(each, (int, float, np.number)) for each in filled):
        return "number", [
            None if _is_missing(each) or not math.isfinite(each) else float(each) for each in values
        ]
    if filled and all(isinstance(each, date) for each in filled):
        return _moments(values)
    if filled and all(isinstance(each, time) for each in filled):
        return "time", [
            None if _is_missing(each) else each.replace(tzinfo=None).isoformat() for each in values
        ]
    return "text", [None if _is_missing(each) else _text(each) for each in values]


def _moments(values):
    found = [
        None
        if _is_missing(each)
        else pd.Timestamp(each).to_pydatetime(warn=False).replace(tzinfo=None)
        for each in values
    ]
    if all(each is None or each.time() == time() for each in found):
        return "date", [None if each is None else each.date().isoformat() for each in found]
    return "datetime", [None if each is None else each.isoformat() for each in found]


def _is_missing(value):
    if value is None:
        return True
    try:
        return bool(pd.isna(value))
    except (TypeError, ValueError):
        return False


def _text(value):
    if isinstance(value, timedelta):
        return str(value)
    return str(value)[:TEXT_CHARACTERS]


# The same code on the same data gives the same numbers: a generator without a seed of its own
# starts from here.
random.seed(0)
np.random.seed(0)
