"""A value is what the standard library makes of its class, though it is made when it is needed."""

import dataclasses
from collections.abc import Callable
from dataclasses import field
from typing import Any

import pytest
from typing_extensions import override

from qhub_desktop.core import values


def _cell(declare: Callable[..., Any]) -> Any:
    @declare(frozen=True, slots=True)
    class Cell:
        """One cell."""

        name: str
        value: float
        marks: tuple[str, ...] = ()
        notes: list[str] = field(default_factory=list, compare=False)
        secret: str = field(default="", repr=False)

        @property
        def shown(self) -> str:
            """As it is read."""
            return f"{self.name} {self.value}"

    return Cell


def _only(declare: Callable[..., Any]) -> Any:
    @declare(frozen=True, slots=True)
    class Only:
        """One field, checked."""

        value: float

        def __post_init__(self) -> None:
            if self.value < 0:
                raise ValueError("below zero")

    return Only


OURS, THEIRS = _cell(values.dataclass), _cell(dataclasses.dataclass)
ONE, ONE_OF_THEIRS = _only(values.dataclass), _only(dataclasses.dataclass)


def test_a_value_reads_compares_and_hashes_as_one_of_the_standard_library() -> None:
    ours, theirs = (kind("a", 1.0, secret="s") for kind in (OURS, THEIRS))

    assert repr(ours) == repr(theirs)
    assert hash(ours) == hash(theirs)
    assert ours == OURS("a", 1.0, notes=["left out"], secret="s")
    assert ours != OURS("a", 1.0)
    assert ours != theirs
    assert ours.notes == []
    assert ours.notes is not OURS("a", 1.0).notes
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert dataclasses.replace(ours, value=2.0).shown == "a 2.0"
    assert OURS.__match_args__ == THEIRS.__match_args__
    assert OURS.__slots__ == THEIRS.__slots__
    assert repr(OURS.__dataclass_params__) == repr(THEIRS.__dataclass_params__)


def test_a_value_of_one_field_is_compared_as_a_whole() -> None:
    never = float("nan")

    assert hash(ONE(1.0)) == hash(ONE_OF_THEIRS(1.0))
    assert ONE(never) == ONE(never)  # the same object, as in a tuple
    assert ONE(never) != ONE(float("nan"))
    with pytest.raises(ValueError, match="below zero"):
        ONE(-1.0)


def test_a_value_does_not_change() -> None:
    cell = OURS("a", 1.0)

    with pytest.raises(dataclasses.FrozenInstanceError, match="assign to field 'name'"):
        cell.name = "b"
    with pytest.raises(dataclasses.FrozenInstanceError, match="delete field 'name'"):
        del cell.name


def test_wrong_fields_are_named_as_the_standard_library_names_them() -> None:
    told = []
    for kind in (_cell(values.dataclass), _cell(dataclasses.dataclass)):
        for wrong in ({}, {"name": "a"}, {"name": "a", "value": 1.0, "colour": "red"}):
            with pytest.raises(TypeError) as error:
                kind(**wrong)
            told.append(str(error.value))

    assert told[:3] == told[3:]


def test_what_builds_on_a_value_has_its_fields() -> None:
    @values.dataclass(frozen=True, slots=True)
    class Marked(OURS):  # type: ignore[misc, valid-type]
        """A cell with a colour."""

        colour: str = "red"

    marked = Marked("a", 1.0)

    assert (marked.shown, marked.colour) == ("a 1.0", "red")
    assert marked == Marked("a", 1.0)
    assert marked != OURS("a", 1.0)


def test_a_method_of_its_own_stays() -> None:
    @values.dataclass(frozen=True, slots=True)
    class Spoken:
        """Says what it is."""

        word: str

        @override
        def __repr__(self) -> str:
            return self.word

    @values.dataclass(frozen=True, slots=True, eq=False)
    class Same:
        """Is itself alone."""

        word: str

    assert repr(Spoken("hello")) == "hello"
    assert Same("a") != Same("a")
    assert len({Same("a"), Same("a")}) == 2


def test_nothing_is_compiled_before_the_first_value(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []

    def told(source: str, known: dict[str, object]) -> None:
        compiled.append(source)
        exec(source, known)

    monkeypatch.setattr(values, "exec", told, raising=False)
    monkeypatch.setattr(dataclasses, "exec", lambda *_given: pytest.fail("compiled"), raising=False)

    kind = _only(values.dataclass)
    assert compiled == []
    kind(1.0)
    kind(2.0)

    assert len(compiled) == 1
