"""What a model is told of a tool: the schema that a method's parameters make."""

from datetime import date
from typing import Annotated, Literal

import pydantic
import pytest
from pydantic import Field

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.tool import ToolContext, ToolOutput, tool, tools_of


class Cell(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=9)]
    unit: str = ""


class Toolbox:
    @tool(label="", category="render", risk="read")
    async def show(
        self,
        context: ToolContext,
        *,
        title: Annotated[str, Field(description="Above the table", title="Heading")],
        rows: Annotated[list[int], Field(min_length=1)] = [1],  # noqa: B006  pydantic copies it
        most: Annotated[int | None, Field(ge=1, le=100)] = None,
        since: date | None = None,
        order: Literal["up", "down"] = "up",
        cells: list[Cell] | None = None,
        notes: dict[str, str | int | float | None] | None = None,
    ) -> ToolOutput:
        """Show a table.

        With a
        heading.
        """
        del most, since, order, cells, notes
        return ToolOutput([title, *rows])


def test_a_schema_tells_types_choices_and_descriptions_and_what_is_required() -> None:
    spec = tools_of(Toolbox())["show"].spec

    assert spec.description == "Show a table. With a heading."
    assert spec.schema == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "Above the table"},
            "rows": {"type": "array", "items": {"type": "integer"}},
            "most": {"type": "integer"},
            "since": {"format": "date"},
            "order": {"enum": ["up", "down"]},
            "cells": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"name": {"type": "string"}, "unit": {"type": "string"}},
                    "required": ["name"],
                },
            },
            "notes": {
                "type": "object",
                "additionalProperties": {"type": ["string", "number", "null"]},
            },
        },
        "required": ["title"],
    }


@pytest.mark.parametrize(
    "given",
    [
        {"title": "a", "more": 1},
        {"title": "a", "rows": []},
        {"title": "a", "most": 0},
        {"title": "a", "most": 101},
        {"title": "a", "since": "ontem"},
        {"title": "a", "order": "sideways"},
        {"title": "a", "cells": [{"name": ""}]},
        {"title": "a", "cells": [{"name": "b", "more": 1}]},
    ],
)
def test_a_call_is_held_to_what_its_schema_does_not_tell(given: JsonObject) -> None:
    with pytest.raises(ToolError, match="Entrada inválida"):
        tools_of(Toolbox())["show"].prepare(given)
