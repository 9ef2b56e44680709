import json
import math
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qhub_desktop.cli.printing import event_object
from qhub_desktop.core import figure, message, result_widgets
from qhub_desktop.core.codec import TAGS, Json, JsonObject, pack, plain, unpack
from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile
from qhub_desktop.core.events import ToolUsed, WidgetShown
from qhub_desktop.core.figure import Axis, Bars, Figure, Line
from qhub_desktop.core.message import (
    Chip,
    Choice,
    ChosenPlan,
    Clarification,
    Interpretation,
    Text,
    ToolCall,
    ToolResult,
    unpack_block,
)
from qhub_desktop.core.result_widgets import Chart, Provenance
from qhub_desktop.core.table import Cell, Column, Table

TABLE = Table(
    (Column("dia", "date"), Column("n", "number"), Column("às", "datetime"), Column("h", "text")),
    (
        (date(2026, 2, 11), 1.5, datetime(2026, 2, 11, 6, 30), time(6, 30)),
        (None, 2, None, "texto"),
    ),
)
CHART = Chart(
    "bar",
    Figure(
        "Defeitos",
        (Line((0.0, 1.0), (math.inf, 2.0)), Bars((0.0,), (0.0,), (3.0,), labels=("3",))),
        x=Axis(kind="category", categories=("lixo",)),
    ),
    TABLE,
    Provenance("defeitos", "defeitos.csv", None, None, 200, "SELECT 1"),
)

# A plan is nobody's but its maker's: what looks like a packed date in it is none.
PLAN: JsonObject = {"plan": "count", "filters": [{"date": "2026-02-01"}], "n": 5, "by": None}


def test_a_block_with_a_chart_comes_back_as_it_went() -> None:
    block = ToolResult("c1", {"total": 3, "lista": [1, None, "x"]}, CHART, CHART.source, ms=12)

    assert unpack_block(json.loads(json.dumps(pack(block)))) == block


def test_a_profile_comes_back_with_its_tuples_and_dates() -> None:
    column = ColumnProfile(
        "dia",
        "date",
        1,
        2,
        min=date(2026, 2, 1),
        quartiles=(1.0, 2.0, 3.0),
        top=((date(2026, 2, 1), 3), (None, 1)),
        histogram=(1, 2),
    )
    profile = DatasetProfile(
        "a-1", "defeitos", "d.csv", None, ("Folha1",), 2, "ff", (column,), TABLE, ("aviso",)
    )

    assert unpack(DatasetProfile, json.loads(json.dumps(pack(profile)))) == profile


def test_a_profile_of_an_earlier_version_reads_as_one_without_all_values() -> None:
    column = ColumnProfile("Cliente", "text", 0, 2, top=(("Ana", 2),), values=("Ana", "Zita"))
    packed = json.loads(json.dumps(pack(column)))
    assert unpack(ColumnProfile, packed) == column

    del packed["values"]

    assert unpack(ColumnProfile, packed) == replace(column, values=())


def test_a_number_that_is_none_survives_where_json_has_no_word_for_it() -> None:
    packed = json.loads(json.dumps(pack(Line((0.0,), (math.nan,)))))

    assert math.isnan(unpack(Line, packed).y[0])


@pytest.mark.parametrize("packed", [{}, {"type": "text"}, {"type": "nonsense"}, [], "text", None])
def test_what_was_not_packed_is_refused(packed: Json) -> None:
    with pytest.raises(ValueError, match="not a packed"):
        unpack_block(packed)


def test_every_value_that_stands_in_a_union_says_which_it_is() -> None:
    for union in (figure.Mark, message.Block, result_widgets.Widget):
        names = [TAGS[kind] for kind in get_args(union)]
        assert len(set(names)) == len(names)


def test_programs_read_bare_dates_and_the_names_of_the_contract() -> None:
    shown = event_object(WidgetShown(CHART))
    used = event_object(
        ToolUsed(ToolCall("c1", "top_defeitos", {"n": 5}), ToolResult("c1", {"total": 1}, ms=12))
    )

    assert shown["type"] == "chart"
    assert "2026-02-11" in json.dumps(shown, allow_nan=False)
    assert used["type"] == "tool_use"
    assert (used["name"], used["input"], used["ms"]) == ("top_defeitos", {"n": 5}, 12)


@pytest.mark.parametrize(
    "block",
    [
        Interpretation(PLAN, (Chip("period", "fevereiro", (Choice("tudo", PLAN),), is_kept=True),)),
        Interpretation({}, ()),
        ChosenPlan(PLAN),
        Clarification("Qual?", (Choice("esta", PLAN), Choice("outra", {}))),
    ],
)
def test_a_plan_and_what_could_be_chosen_come_back_as_they_went(block: message.Block) -> None:
    assert unpack_block(json.loads(json.dumps(pack(block)))) == block


@dataclass(frozen=True)
class Optional:
    """Each kind of value that JSON has no word for, or nothing."""

    day: date | None = None
    clock: time | None = None
    moment: datetime | None = None
    number: float | None = None


@pytest.mark.parametrize(
    "value",
    [
        Optional(),
        Optional(date(2026, 2, 11), time(6, 30), datetime(2026, 2, 11, 6, 30), math.inf),
        Optional(number=1.5),
    ],
)
def test_a_value_that_may_be_missing_comes_back_as_it_went(value: Optional) -> None:
    assert unpack(Optional, json.loads(json.dumps(pack(value)))) == value


def test_programs_read_what_was_understood_and_what_can_be_answered() -> None:
    chips = (Chip("measure", "contagem", (Choice("soma", {}),)), Chip("filter", "noite"))
    choices = (Choice("esta", PLAN, "12"), Choice("outra", {}))

    assert event_object(Interpretation(PLAN, chips)) == {
        "type": "understanding",
        "plan": PLAN,
        "chips": [
            {"part": "measure", "label": "contagem"},
            {"part": "filter", "label": "noite"},
        ],
        "others": [],
        "next": [],
    }
    assert event_object(Clarification("Qual?", choices)) == {
        "type": "question",
        "text": "Qual?",
        "choices": ["esta", "outra"],
        "values": ["12", ""],
        "call_id": "",
        "is_multiple": False,
        "takes_text": True,
        "wait_s": None,
    }


def test_a_call_keeps_its_input_as_it_was() -> None:
    call = ToolCall("1", "x", {"float": "nan"})

    assert unpack_block(json.loads(json.dumps(pack(call)))) == call
    assert unpack_block(json.loads(json.dumps(pack(Text("olá"))))) == Text("olá")


@given(
    st.lists(
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers(-9, 9),
            st.floats(),
            st.text(max_size=3),
            st.dates(),
        ),
        max_size=8,
    )
)
def test_rows_of_anything_come_back_as_they_went(cells: list[Cell]) -> None:
    columns = tuple(Column(str(at), "text") for at in range(len(cells)))
    made = Table(columns, (tuple(cells), tuple(cells)))

    packed = pack(made)
    back = unpack(Table, json.loads(json.dumps(packed)))

    assert repr(back) == repr(made)
    assert "NaN" not in json.dumps(plain(made))


def test_whole_numbers_are_read_as_floats_where_floats_are_wanted() -> None:
    line = unpack(Line, {"type": "line", "x": [1, 2.5], "y": [1, 2]})

    assert [type(each) for each in (*line.x, *line.y)] == [float] * 4


def test_a_chart_of_many_points_is_packed_at_once() -> None:
    line = Line(tuple(map(float, range(100_000))), (math.nan,) * 100_000)

    packed = pack(line)

    assert isinstance(packed, dict)
    assert packed["x"] == [*line.x]
    assert plain(line)["y"] == [None] * 100_000  # type: ignore[index, call-overload]
    assert unpack(Line, packed).x == line.x
