"""A conversation with the offline engine, its calls carried out over the real rows."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

import duckdb

from qhub_desktop.core.chat_model import ModelRequest, ToolSpec
from qhub_desktop.core.events import Answering, RoundEnded, TextAdded, UsageCounted
from qhub_desktop.core.json_values import Json, JsonObject
from qhub_desktop.core.message import Block, Message, Text, ToolCall, ToolResult
from qhub_desktop.core.table import Cell
from qhub_desktop.core.widgets import Kpi, Provenance, Widget
from qhub_desktop.nlq.engine import OfflineEngine
from tests.offline.profiles import Data

ALL_TOOLS = (
    "contar_defeitos",
    "top_defeitos",
    "defeitos_por_turno",
    "registar_defeito",
    "perfil_dados",
    "consultar_dados",
    "gerar_grafico",
    "gerar_tabela",
    "gerar_kpi",
    "exportar_excel",
)
QUALITY_TOOLS = tuple(
    name for name in ALL_TOOLS if name not in ("defeitos_por_turno", "perfil_dados")
)
ASKED_ON = datetime(2026, 2, 20, 10, tzinfo=UTC)
MOST_ROUNDS = 8


@dataclass(frozen=True)
class Answer:
    """One turn of the engine."""

    text: str
    calls: tuple[ToolCall, ...]
    pieces: tuple[str, ...]
    rounds: int
    results: tuple[ToolResult, ...] = ()

    @property
    def tools(self) -> list[str]:
        """What was called, in order."""
        return [call.name for call in self.calls]


@dataclass
class Conversation:
    """Questions and answers over some data sets, with every tool or with some."""

    data: tuple[Data, ...]
    tools: Sequence[str] = ALL_TOOLS
    broken: str = ""  # a tool that fails
    is_confirmed: bool = True
    engine: OfflineEngine = field(default_factory=OfflineEngine)
    messages: list[Message] = field(default_factory=list)

    async def ask(self, question: str) -> Answer:
        """One question, to the end of its answer."""
        self.messages.append(self._message("user", [Text(question)]))
        blocks: list[Block] = []
        calls: list[ToolCall] = []
        pieces: list[str] = []
        for number in range(1, MOST_ROUNDS + 1):
            events = [event async for event in self.engine.stream(self._request(blocks))]
            assert events[0] == Answering("offline")
            assert not any(isinstance(event, UsageCounted) for event in events)
            for event in events:
                match event:
                    case ToolCall():
                        calls.append(event)
                        blocks.append(event)
                    case TextAdded(text):
                        pieces.append(text)
            if events[-1] == RoundEnded("complete"):
                answer = "".join(pieces)
                self.messages.append(self._message("assistant", [*blocks, Text(answer)]))
                results = tuple(each for each in blocks if isinstance(each, ToolResult))
                return Answer(answer, tuple(calls), tuple(pieces), number, results)
            assert events[-1] == RoundEnded("tools")
            done = {each.call_id for each in blocks if isinstance(each, ToolResult)}
            blocks.extend(self._run(call) for call in calls if call.id not in done)
        raise AssertionError("the answer does not come to an end")

    def _request(self, blocks: Sequence[Block]) -> ModelRequest:
        under_way = [self._message("assistant", blocks)] if blocks else []
        return ModelRequest(
            stable_prompt="",
            messages=(*self.messages, *under_way),
            tools=tuple(ToolSpec(name, "", {}) for name in self.tools),
            profiles=tuple(each.profile for each in self.data),
            profiles_text="",
            answer_tokens=4096,
        )

    def _message(self, role: str, blocks: Sequence[Block]) -> Message:
        assert role in ("user", "assistant")
        number = len(self.messages) + 1
        if role == "user":
            return Message(number, "user", tuple(blocks), ASKED_ON)
        return Message(number, "assistant", tuple(blocks), ASKED_ON)

    def _run(self, call: ToolCall) -> ToolResult:
        if call.name == self.broken:
            return ToolResult(call.id, {"erro": "a consulta demorou demais"}, is_error=True)
        try:
            content, used, total, widget = self._outcome(call.name, call.input)
        except duckdb.Error as error:
            raise AssertionError(f"{call.input}: {error}") from error
        profile = self._about(call).profile
        used, total = (used, profile.rows) if total else (0, 0)
        source = Provenance(profile.dataset, profile.file, None, used, total, "") if total else None
        # As it comes back from the store.
        return ToolResult(call.id, json.loads(json.dumps(content)), widget, source)

    def _outcome(self, name: str, given: JsonObject) -> tuple[Json, int, int, Widget | None]:
        match name:
            case "contar_defeitos" | "top_defeitos" | "defeitos_por_turno":
                rows = [row for row in self._log() if _fits(row, given)]
                return _defects(name, rows, given), len(rows), len(self._log()), None
            case "consultar_dados":
                content = self._query(str(given["sql"]))
                return content, len(self._log()), len(self._log()), None
            case "gerar_grafico" | "gerar_tabela" | "gerar_kpi":
                content = self._query(str(given["consulta"]))
                lines = content["linhas"]
                assert isinstance(lines, list)
                self._check_columns(content, given)
                shown: JsonObject = {"estado": "mostrado", "linhas": len(lines)}
                return shown, 0, 0, Kpi(str(given["titulo"]), 0)
            case "exportar_excel":
                sheets = given["folhas"]
                assert isinstance(sheets, list)
                for sheet in sheets:
                    assert isinstance(sheet, dict)
                    self._check_columns(self._query(str(sheet["consulta"])), sheet)
                return {"estado": "gravado", "ficheiro": f"{given['titulo']}.xlsx"}, 0, 0, None
            case "registar_defeito" if self.is_confirmed:
                return {"estado": "gravado", "id": 201}, 0, 0, None
            case "registar_defeito":
                return {"estado": "não confirmado pela pessoa; nada foi gravado"}, 0, 0, None
            case "perfil_dados":
                return {"linhas": 0}, 0, 0, None
        raise AssertionError(name)

    def _check_columns(self, content: JsonObject, given: JsonObject) -> None:
        """A chart may only name columns that its query gives."""
        columns = content["colunas"]
        assert isinstance(columns, list)
        y = given.get("y", [])
        assert isinstance(y, list)
        for name in (given.get("x"), given.get("por"), *y):
            assert name is None or name in columns, (name, columns)

    def _about(self, call: ToolCall) -> Data:
        sql = str(call.input.get("sql", ""))
        return next(
            (each for each in self.data if f'"{each.profile.dataset}"' in sql), self.data[0]
        )

    def _log(self) -> Sequence[Mapping[str, Cell]]:
        return self.data[0].rows

    def _query(self, sql: str) -> JsonObject:
        with duckdb.connect() as database:
            for each in self.data:
                _load(database, each.profile.dataset, each.rows)
            done = database.execute(sql)
            columns: list[Json] = [column[0] for column in done.description]
            lines: list[Json] = [[_plain(cell) for cell in line] for line in done.fetchall()]
        return {"colunas": columns, "linhas": lines, "total_linhas": len(lines)}


def _load(
    database: duckdb.DuckDBPyConnection, name: str, rows: Sequence[Mapping[str, Cell]]
) -> None:
    kinds = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", date: "DATE"}
    columns = ", ".join(
        f"unnest(?::{kinds.get(type(cell), 'VARCHAR')}[]) AS {_quoted(column)}"
        for column, cell in rows[0].items()
    )
    cells = [[row[column] for row in rows] for column in rows[0]]
    database.execute(f"CREATE TABLE {_quoted(name)} AS SELECT {columns}", cells)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _fits(row: Mapping[str, Cell], given: JsonObject) -> bool:
    day = row["data"]
    assert isinstance(day, date)
    since, until = given.get("de"), given.get("ate")
    if isinstance(since, str) and day < date.fromisoformat(since):
        return False
    if isinstance(until, str) and day > date.fromisoformat(until):
        return False
    names = ("tipo_defeito", "turno", "operador", "material", "rack")
    return all(row[name] == given[name] for name in names if name in given)


def _defects(name: str, rows: Sequence[Mapping[str, Cell]], given: JsonObject) -> Json:
    kinds = Counter(str(row["tipo_defeito"]) for row in rows)
    ranked = sorted(kinds.items(), key=lambda pair: (-pair[1], pair[0]))
    if name == "contar_defeitos":
        return {"total": len(rows), "por_tipo": dict(ranked)}
    if name == "top_defeitos":
        n = given.get("n", 5)
        assert isinstance(n, int)
        top: list[Json] = [
            {"tipo": kind, "total": count, "percentagem": round(100 * count / len(rows), 1)}
            for kind, count in ranked[:n]
        ]
        return {"top": top, "total": len(rows)}
    shifts = Counter(str(row["turno"]) for row in rows)
    ordered = {shift: shifts[shift] for shift in ("manha", "tarde", "noite") if shift in shifts}
    return {"por_turno": {**ordered}, "por_tipo": {}, "total": len(rows)}


def _plain(cell: object) -> Json:
    match cell:
        case None | bool() | int() | float() | str():
            return cell
        case date():
            return cell.isoformat()
        case _:
            return float(str(cell))
