"""What a model is told of a tool: the schema that a method's parameters make."""

from typing import Annotated

from pydantic import Field

from qhub_desktop.core.tool import ToolContext, ToolOutput, tool, tools_of


class Toolbox:
    @tool(label="", category="render", risk="read")
    async def show(
        self,
        context: ToolContext,
        *,
        title: Annotated[str, Field(description="Above the table", title="Heading")],
        rows: Annotated[list[int], Field(min_length=1)] = [1],  # noqa: B006  pydantic copies it
    ) -> ToolOutput:
        """Show a table."""
        return ToolOutput([title, *rows])


def test_a_schema_has_types_limits_and_descriptions_and_none_of_pydantics_titles() -> None:
    spec = tools_of(Toolbox())["show"].spec

    assert spec.description == "Show a table."
    assert spec.schema == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "Above the table"},
            "rows": {"type": "array", "items": {"type": "integer"}, "minItems": 1, "default": [1]},
        },
        "required": ["title"],
        "additionalProperties": False,
    }
