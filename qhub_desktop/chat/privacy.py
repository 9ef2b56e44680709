"""What of a conversation may leave for a service, by its agent's privacy.

Under 'aggregates' the result of a tool that gives rows is replaced by its shape and, of columns of
numbers, by what describes many rows at once; the person sees the whole of it. What stands in a
single cell stays: also where an error quotes it, a pivot makes a column's name of it, a group has
few members, or the offline engine told it.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean, pstdev

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.events import ModelRequest
from qhub_desktop.core.message import Block, Message, Text, ToolCall, ToolResult
from qhub_desktop.core.text import gettext as _

# A group of fewer says something about one of its members, who can mostly be named.
LEAST_GROUP = 5
WITHHELD = "retido"
LOCAL_ANSWER = "(Respondido neste computador; o conteúdo não sai da fábrica.)"
PROMPT = (
    "# Privacidade\n\n"
    "Deste agente só saem agregados. Dos resultados que têm linhas recebes a forma (linhas, "
    "colunas) e, das colunas numéricas, médias e desvios; grupos com menos de "
    f"{LEAST_GROUP} registos e tudo o que está em células fica '{WITHHELD}'. A pessoa vê os "
    "resultados inteiros: mostra-lhos com gerar_tabela, gerar_grafico ou gerar_kpi e uma consulta, "
    "e diz-lhe onde olhar. Não repitas chamadas para veres linhas, nem adivinhes valores."
)


def outgoing(request: ModelRequest) -> ModelRequest:
    """Return what of a request may leave.

    Raises UserError where nothing may.
    """
    match request.privacy:
        case "rows":
            return request
        case "nothing":
            raise nothing_leaves()
        case "aggregates":
            known = _words(_names(request.profiles))
            counting = {each.name for each in request.tools if each.gives == "counts"}
            return replace(
                request,
                stable_prompt=f"{request.stable_prompt}\n\n{PROMPT}",
                messages=tuple(_without_rows(each, known, counting) for each in request.messages),
            )


def nothing_leaves() -> UserError:
    """Make the error for a question to a service with an agent from which nothing may leave."""
    return UserError(
        _("Nothing that this agent is asked may leave this computer: the offline engine answers."),
        fault="refused",
    )


def _names(profiles: Iterable[DatasetProfile]) -> str:
    names = [
        name
        for each in profiles
        for name in (each.dataset, each.file, each.sheet or "", *(c.name for c in each.columns))
    ]
    return " ".join(names)


def _without_rows(message: Message, known: set[str], counting: set[str]) -> Message:
    if message.role == "user":
        return message
    if message.engine in ("", "offline"):  # its words quote what its tools gave
        return replace(message, blocks=(Text(LOCAL_ANSWER),))
    calls: dict[str, ToolCall] = {}
    blocks: list[Block] = []
    for block in message.blocks:
        match block:
            case ToolCall(id=call_id):
                calls[call_id] = block
                blocks.append(block)
            case ToolResult(call_id=call_id):
                content = _result(block, calls.get(call_id), known, counting)
                blocks.append(replace(block, content=content, widget=None, more=()))
            case _:
                blocks.append(block)
    return replace(message, blocks=tuple(blocks))


def _result(result: ToolResult, call: ToolCall | None, known: set[str], counting: set[str]) -> Json:
    # The model wrote the call itself: it is told nothing by its own words.
    asked = set() if call is None else _words(json.dumps(call.input, ensure_ascii=False))
    names = known | asked
    if result.is_error:
        return _error(result.content, names | _ERROR_WORDS)
    if call is not None and call.name in counting:
        return _large_groups(result.content)
    return _shape(result.content, names | _FIELDS)


_WORD = re.compile(r"\w+")


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _masked(text: str, words: set[str]) -> str:
    """Write a text with every word that is not among these replaced."""
    return _WORD.sub(lambda found: found[0] if found[0].lower() in words else "…", text)


def _is_known(text: str, words: set[str]) -> bool:
    return _words(text) <= words


def _error(content: Json, words: set[str]) -> Json:
    match content:
        case {"erro": str(said)}:
            return {"erro": _masked(said, words)}
        case _:
            return {"erro": "falhou; a pessoa vê porquê"}


def _large_groups(content: Json) -> Json:
    """Return counts without the groups of few members, and without any other text."""
    match content:
        case dict():
            groups = {
                name: count
                for name, count in content.items()
                if _is_count(count) and name not in _FIELDS
            }
            small = {name for name, count in groups.items() if _is_small(count)}
            kept: dict[str, Json] = {
                name: _large_groups(each)
                for name, each in content.items()
                if name not in small and (not isinstance(each, str) or name in _GROUP_NAMES)
            }
            if small:
                kept[f"grupos com menos de {LEAST_GROUP}"] = len(small)
            return _without_nameless(kept)
        case list():
            rows = [each for each in content if isinstance(each, dict)]
            return [_large_groups(each) for each in rows if _is_group(each.get("total"))]
        case _:
            return content


def _without_nameless(kept: dict[str, Json]) -> Json:
    """Drop the groups of which nothing is left: their names are values of few rows."""
    return {
        name: each
        for name, each in kept.items()
        if not (isinstance(each, dict) and name not in _FIELDS and not _is_large(each))
    }


def _is_large(group: Mapping[str, Json]) -> bool:
    counts = [each for each in group.values() if isinstance(each, int)]
    return sum(counts) >= LEAST_GROUP


def _is_count(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_group(value: Json) -> bool:
    return isinstance(value, (int, float)) and value >= LEAST_GROUP


def _is_small(value: Json) -> bool:
    return isinstance(value, (int, float)) and 0 < value < LEAST_GROUP


def _shape(content: Json, words: set[str], field: str = "") -> Json:
    match content:
        case dict() if all(_is_known(name, words) for name in content):
            columns = _column_names(content, words)
            return {
                name: _table(each, columns)
                if isinstance(each, list) and name not in _NAME_LISTS
                else columns
                if name in _NAME_LISTS
                else _shape(each, words, name)
                for name, each in content.items()
            }
        case dict():
            return {WITHHELD: f"objeto com {len(content)} campos"}
        case list():
            return _table(content, [])
        case bool() if field in _FLAGS:
            return content
        case int() if field in _SIZES:
            return content
        case str() if content in _STATES or _DASHBOARD.fullmatch(content):
            return content
        case str():
            return {WITHHELD: f"texto com {len(content)} caracteres"}
        case None:
            return None
        case _:
            return {WITHHELD: "um valor"}


def _column_names(content: JsonObject, words: set[str]) -> list[Json]:
    names = content.get("colunas")
    if not isinstance(names, list):
        return []
    return [_masked(each, words) if isinstance(each, str) else WITHHELD for each in names]


def _table(rows: Sequence[Json], columns: Sequence[Json]) -> Json:
    """Describe many rows by their number, and by what their columns of numbers have in common."""
    told: dict[str, Json] = {WITHHELD: f"{len(rows)} linhas ou itens"}
    lists = [each for each in rows if isinstance(each, list)]
    if len(lists) != len(rows) or not lists or len({len(each) for each in lists}) != 1:
        return told
    described: list[Json] = []
    for place in range(len(lists[0])):
        name = columns[place] if place < len(columns) else f"coluna {place + 1}"
        if figures := _figures([each[place] for each in lists]):
            described.append({"coluna": name, **figures})
    if described:
        told["numeros"] = described
    return told


def _figures(cells: Sequence[Json]) -> dict[str, Json]:
    numbers = [
        float(each)
        for each in cells
        if isinstance(each, (int, float)) and not isinstance(each, bool) and math.isfinite(each)
    ]
    # Of few, or of equal ones, the mean would tell what one of them is.
    if len(numbers) < LEAST_GROUP or len(set(numbers)) < 2:
        return {}
    return {
        "valores": len(numbers),
        "media": float(f"{fmean(numbers):.4g}"),
        "desvio_padrao": float(f"{pstdev(numbers):.4g}"),
    }


_DASHBOARD = re.compile(r"qhub://dashboards/[0-9a-f]{12}")
_STATES = {"ok", "mostrado", "mostrada"}
_SIZES = {"linhas", "total_linhas", "id"}
_FLAGS = {"sucesso"}
_NAME_LISTS = {"colunas"}
_GROUP_NAMES = {"tipo", "turno"}  # of a row whose count says that it is large
_FIELDS = _words(
    "total por_tipo por_turno top percentagem tipo tipos turno colunas linhas total_linhas fonte"
    " estado status url valor avisos output erro sucesso tabelas figuras limite titulo cortado"
    " ficheiro folha conjunto folhas resultado id linhas_repetidas colunas_constantes"
    " entrada_alterada_pela_pessoa estatisticas figura caminho"
)
# Of our own errors for models, and of DuckDB's about a statement.
_ERROR_WORDS = _words(
    "a o os as um uma e de do da dos das em no na nos nas que não existe aqui há são é com sem por"
    " para entrada inválida falta tem ter deve pelo menos máximo mínimo caracteres texto número"
    " inteiro lista objeto elementos data ferramenta conjunto dados coluna colunas tabela linha"
    " linhas consulta agregue filtre peça use só um select dê então existem memória tempo tomou"
    " limite erro código python desligado outra demasiado demorou muito passou segundos"
    " binder parser catalog error syntax at or near table column with name does not exist did you"
    " mean referenced found in from clause candidate bindings must appear the group by be part of"
    " an aggregate function no matches given and argument types you might need to add explicit type"
    " casts functions scalar ambiguous reference use conversion could convert string cast invalid"
    " input out range line statement give exactly one sql only for this value cannot is of"
    " varchar integer bigint double date timestamp boolean decimal time interval"
    " traceback most recent call last file module keyerror valueerror typeerror nameerror"
    " attributeerror indexerror zerodivisionerror syntaxerror defined object has attribute"
)
