"""The switch to aggregate privacy: an agent's tools without SQL.

Where a tool takes a SELECT, it takes the closed form of `agregar`; where it takes a condition,
filters. What comes of it is for the person: the model is told nothing of it (`chat.privacy`).
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, cast

import pydantic

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import InputError
from qhub_desktop.core.tool import SQL_MARK, Tool, ToolContext, ToolOutput, complaint, lean
from qhub_desktop.tools.aggregation import Agregacao, Filtro, compile_form, whole_sql
from qhub_desktop.tools.conversation_datasets import find_dataset

FORMS: Mapping[str, JsonObject] = {
    "select": {"type": "object", "description": "como em agregar, sem SQL"},
    "selects": {
        "type": "object",
        "additionalProperties": {"type": "object"},
        "description": "{nome: consulta como em agregar}; o script lê qhub.data.nome.colunas e "
        ".linhas (listas)",
    },
    "condition": {
        "type": "array",
        "items": {"type": "object"},
        "description": "filtros como em agregar, sem SQL",
    },
}
_ROLES = ("x", "y", "por")  # of a chart: columns of the query beside them

Write = Callable[[str, Json], Json]  # from a mark and a closed form to what the tool takes


def with_closed_forms(tools: Mapping[str, Tool]) -> dict[str, Tool]:
    """Add to each tool what a model has of it from which rows are kept."""
    return {name: replace(each, closed=_closed(each)) for name, each in tools.items()}


def _closed(tool: Tool) -> Tool | None:
    if tool.spec.gives == "rows":
        return None
    if tool.spec.gives != "shown":
        return tool

    def schema() -> JsonObject:
        return lean(cast("JsonObject", _without_sql(tool.schema())))

    def prepare(given: Json) -> Callable[[ToolContext], Awaitable[ToolOutput]]:
        tool.prepare(_rewritten(tool.schema(), given, _checked))

        async def run(context: ToolContext) -> ToolOutput:
            named = given.get("conjunto") if isinstance(given, dict) else None
            profile = find_dataset(context, named if isinstance(named, str) else None)

            def compiled(mark: str, form: Json) -> Json:
                return _compiled(mark, form, context, profile)

            _check_roles(given, context)
            return await tool.prepare(_rewritten(tool.schema(), given, compiled))(context)

        return run

    return replace(tool, spec=replace(tool.spec, given=schema), prepare=prepare)


def _without_sql(schema: Json) -> Json:
    """Write the closed forms in the place of every parameter that takes SQL."""
    match schema:
        case {"sql": str(mark)}:
            return FORMS[mark]
        case dict():
            return {name: _without_sql(each) for name, each in schema.items()}
        case list():
            return [_without_sql(each) for each in schema]
        case _:
            return schema


def _rewritten(schema: JsonObject, given: Json, write: Write) -> Json:
    """Write what a tool takes, from what a model gave by the closed schema."""
    definitions = cast("Mapping[str, JsonObject]", schema.get("$defs", {}))

    def follow(part: Any, value: Json) -> Json:
        if "$ref" in part:
            part = definitions[part["$ref"].rpartition("/")[2]]
        if value is None:
            return None
        if (mark := part.get(SQL_MARK)) is not None:
            return write(mark, value)
        for choice in part.get("anyOf", ()):
            value = follow(choice, value)
        properties = part.get("properties", {})
        if isinstance(value, dict):
            return {
                name: follow(properties[name], each) if name in properties else each
                for name, each in value.items()
            }
        if isinstance(value, list) and isinstance(part.get("items"), dict):
            return [follow(part["items"], each) for each in value]
        return value

    return follow(schema, given)


def _checked(mark: str, form: Json) -> Json:
    """Check a closed form, and write any SQL for it. Raises InputError."""
    match mark:
        case "selects" if isinstance(form, dict):
            return {name: _checked("select", each) for name, each in form.items()}
        case "condition":
            _filters(form)
            return "true"
        case _:
            _form(form)
            return "SELECT 1"


def _compiled(mark: str, form: Json, context: ToolContext, profile: DatasetProfile) -> Json:
    """Write the SQL of a closed form, filters over this data set.

    Raises InputError for columns that are not there.
    """
    match mark:
        case "selects":
            named = cast("JsonObject", form)
            return {
                name: _compiled("select", each, context, profile) for name, each in named.items()
            }
        case "condition":
            filters = Agregacao(filtros=_filters(form))
            return " AND ".join(compile_form(filters, profile).conditions) or "true"
        case _:
            wanted = _form(form)
            return whole_sql(compile_form(wanted, find_dataset(context, wanted.conjunto)))


def _form(form: Json) -> Agregacao:
    if not isinstance(form, dict):
        raise InputError(
            "Com este agente não há SQL: dê um objeto {medidas, por, filtros, periodo, primeiros, "
            "conjunto}, como em agregar."
        )
    try:
        return Agregacao.model_validate(form)
    except pydantic.ValidationError as error:
        raise InputError(complaint(error)) from error


@cache
def _list_of_filters() -> pydantic.TypeAdapter[list[Filtro]]:
    return pydantic.TypeAdapter(list[Filtro])


def _filters(form: Json) -> list[Filtro]:
    try:
        return _list_of_filters().validate_python(form)
    except pydantic.ValidationError as error:
        raise InputError(
            f"Com este agente não há SQL: dê filtros, como em agregar. {complaint(error)}"
        ) from error


def _check_roles(given: Json, context: ToolContext) -> None:
    """Raise InputError for the role of a column that the query beside it does not give."""
    match given:
        case {"consulta": dict(form), **roles}:
            wanted = _form(form)
            names = compile_form(wanted, find_dataset(context, wanted.conjunto)).names
            for role in _ROLES:
                value = roles.get(role)
                for name in value if isinstance(value, list) else [value]:
                    if name is not None and name not in names:
                        raise InputError(
                            f"{role} não é do resultado. Dele são: {', '.join(names)}."
                        )
        case {"folhas": list(sheets)}:
            for each in sheets:
                _check_roles(each, context)
