"""A faster `@dataclass`: the methods of frozen values are made when first called.

The standard library writes and compiles six methods of each class as it is declared. That takes
0.5 ms a class, so every start waited 120 ms for 240 classes, most of which it makes no value of.
"""

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn

__all__ = ["dataclass"]

_set = object.__setattr__  # a frozen value is filled in past its own `__setattr__`


def _declare(
    kind: type | None = None,
    /,
    *,
    frozen: bool = False,
    slots: bool = False,
    eq: bool = True,
    **others: bool,
) -> Any:
    """Make a class a dataclass, as `dataclasses.dataclass` does.

    Classes that may change, and those that build on another, are left to it whole.
    """

    def declare(kind: type) -> type:
        if not (frozen and slots) or others or any(map(dataclasses.is_dataclass, kind.__bases__)):
            return dataclasses.dataclass(frozen=frozen, slots=slots, eq=eq, **others)(kind)
        own = vars(kind)
        methods = {name: each for name, each in _methods(eq=eq).items() if name not in own}
        made: type = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(kind)
        parameters: Any = vars(made)["__dataclass_params__"]  # what others are told of the class
        parameters.init = parameters.repr = parameters.frozen = True
        parameters.eq = eq
        for name, make in methods.items():
            setattr(made, name, make(made))
        return made

    return declare if kind is None else declare(kind)


def _methods(*, eq: bool) -> dict[str, Callable[[type], Callable[..., Any]]]:
    """Return what makes each method of a class, by the method's name."""
    always: dict[str, Callable[[type], Callable[..., Any]]] = {
        "__init__": _late_init,
        "__repr__": _repr,
        "__setattr__": lambda _kind: _refuse_set,
        "__delattr__": lambda _kind: _refuse_delete,
    }
    return always | {"__eq__": _eq, "__hash__": _hash} if eq else always


def _late_init(kind: Any) -> Callable[..., None]:
    def __init__(self: object, *args: object, **named: object) -> None:  # noqa: N807  as it is told in a traceback
        kind.__init__ = init = _init(kind)
        init(self, *args, **named)

    return __init__


def _init(kind: type) -> Callable[..., None]:
    """Compile the method that fills in the fields."""
    known: dict[str, Any] = {"_set": _set}
    taken, body = ["self"], []
    for field in dataclasses.fields(kind):
        name, given = field.name, field.name
        if field.default is not dataclasses.MISSING:
            known[f"_default_{name}"] = field.default
            given = f"{name}=_default_{name}"
        elif field.default_factory is not dataclasses.MISSING:
            known[f"_made_{name}"] = field.default_factory
            known["_none"] = dataclasses.MISSING
            given = f"{name}=_none"
            body.append(f" if {name} is _none: {name} = _made_{name}()")
        taken.append(given)
        body.append(f" _set(self, {name!r}, {name})")
    if hasattr(kind, "__post_init__"):
        body.append(" self.__post_init__()")
    source = f"def __init__({', '.join(taken)}):\n" + "\n".join(body or [" pass"])
    exec(source, known)  # noqa: S102  of the names of fields alone, as dataclasses does
    made: Callable[..., None] = known["__init__"]
    made.__qualname__ = f"{kind.__qualname__}.__init__"
    return made


def _compared(kind: type) -> Callable[[object], Any]:
    """Return what gives the values by which two of a class are compared, as a tuple."""
    names = [each.name for each in dataclasses.fields(kind) if each.compare]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


def _eq(kind: type) -> Callable[[object, object], bool]:
    compared = _compared(kind)

    def __eq__(self: object, other: object) -> bool:  # noqa: N807  as it is told in a traceback
        if other.__class__ is not self.__class__:
            return NotImplemented
        return bool(compared(self) == compared(other))

    return __eq__


def _hash(kind: type) -> Callable[[object], int]:
    compared = _compared(kind)

    def __hash__(self: object) -> int:  # noqa: N807  as it is told in a traceback
        return hash(compared(self))

    return __hash__


def _repr(kind: type) -> Callable[[object], str]:
    def __repr__(self: object) -> str:  # noqa: N807  as it is told in a traceback
        shown = [each.name for each in dataclasses.fields(kind) if each.repr]
        told = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{self.__class__.__qualname__}({told})"

    return __repr__


def _refuse_set(_self: object, name: str, _value: object) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(_self: object, name: str) -> NoReturn:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    dataclass = _declare
