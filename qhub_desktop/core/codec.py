"""Values to JSON and back, versioned: for the store, the command line and child processes."""

import dataclasses
import math
import types
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

# JSON as it came or as it goes out.
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
JsonObject = dict[str, Json]

Packed = TypeVar("Packed")

# Packed here, in 300 lines. pydantic's TypeAdapter recurses without end on `Json` in our blocks,
# and its import costs each child 0.27 s (this 0.11 s, with what it packs). msgspec (27 ms) refuses
# a union of dataclasses, and of text and dates, which our blocks and cells are, and writes NaN as
# null: old data folders could not be read with it.
VERSION = 1

# The tag of each class that stands in a union, by which its JSON says which one it is. A module
# registers its own, so that no reader of a part of them loads the rest.
TAGS: dict[type, str] = {}


def register_tags(kinds: Mapping[type, str]) -> None:
    """Register the tags of classes that stand in a union."""
    TAGS.update(kinds)


def pack(value: object) -> Json:
    """Encode a value as JSON: dataclasses as objects, dates in ISO form, NaN and infinities as
    strings. Raises TypeError for any other kind of value.
    """
    kind: Any = type(value)
    fields = _fields(kind)
    if fields is not None:
        made = {field: pack(getattr(value, field)) for field in fields}
        tag = TAGS.get(kind)
        return made if tag is None else {"type": tag, **made}
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else {"float": repr(value)}
        case datetime():
            return {"datetime": value.isoformat()}
        case date():
            return {"date": value.isoformat()}
        case time():
            return {"time": value.isoformat()}
        case Mapping():
            return {str(key): pack(item) for key, item in value.items()}
        case Sequence():
            return _packed_items(value)
        case _:
            raise TypeError(f"{type(value).__name__} cannot be packed")


def _packed_items(items: Sequence[Any]) -> list[Json]:
    """Pack items one by one; plain ones together: a chart has hundreds of thousands."""
    kinds = set(map(type, items))
    if kinds <= _AS_THEY_ARE:
        return [*items]
    if kinds <= _AS_THEY_ARE | {float}:
        if all(math.isfinite(item) for item in items if type(item) is float):
            return [*items]
        return [
            {"float": repr(item)} if type(item) is float and not math.isfinite(item) else item
            for item in items
        ]
    return [pack(item) for item in items]


_AS_THEY_ARE = {type(None), bool, int, str}


def unpack(kind: type[Packed], data: Json) -> Packed:
    """Decode the value that `pack` encoded as `data`. Raises ValueError for another shape."""
    try:
        return cast("Packed", _read(kind, data))
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"not a packed {getattr(kind, '__name__', kind)}: {error}") from error


def _nothing(_value: object) -> None:
    """Check nothing besides the types."""


def unpack_strictly(
    kind: type[Packed], data: Json, *, also: Callable[[object], None] = _nothing
) -> Packed:
    """Decode like `unpack` what others may have written: every value is what its field declares.

    `also` is called as in `check_types`. Raises ValueError.
    """
    value = unpack(kind, data)
    try:
        check_types(kind, value, also=also)
    except TypeError as error:
        raise ValueError(str(error)) from error
    return value


def check_types(kind: Any, value: object, *, also: Callable[[object], None] = _nothing) -> None:
    """Raise TypeError unless a value is what its type says, all the way down.

    `also` is called with every value and may raise TypeError for what no type can tell.
    """
    origin = get_origin(kind)
    if kind is object:  # JSON, see `_checked_hints`
        _check_json(value)
    elif origin in (Union, types.UnionType):
        if not any(_is_of(each, value, also) for each in get_args(kind)):
            raise TypeError(f"{type(value).__name__} is not one of the kinds expected")
    elif origin in (tuple, Sequence):
        if not isinstance(value, tuple):
            raise TypeError("a list was expected")
        item = _item(kind)
        kinds = list(get_args(kind)) if item is None else [item] * len(value)
        for each, item in zip(kinds, value, strict=True):
            check_types(each, item, also=also)
    elif origin is Literal:
        if not any(value == each and type(value) is type(each) for each in get_args(kind)):
            raise TypeError("a word that is not one of those expected")
    elif origin in (dict, list):
        _check_json(value)
        if not isinstance(value, origin):
            raise TypeError("an object was expected")
    elif dataclasses.is_dataclass(kind):
        if type(value) is not kind:
            raise TypeError(f"{getattr(kind, '__name__', kind)} was expected")
        for name, hint in _checked_hints(cast("type", kind)).items():
            check_types(hint, getattr(value, name), also=also)
    elif kind is float:
        if type(value) not in (int, float):
            raise TypeError("a number was expected")
    elif type(value) is not kind:
        raise TypeError(f"{getattr(kind, '__name__', kind)} was expected")
    also(value)


def _is_of(kind: Any, value: object, also: Callable[[object], None]) -> bool:
    try:
        check_types(kind, value, also=also)
    except TypeError:
        return False
    return True


def _check_json(value: object) -> None:
    match value:
        case None | bool() | int() | float() | str():
            return
        case list():
            for each in value:
                _check_json(each)
        case dict():
            for name, each in value.items():
                if not isinstance(name, str):
                    raise TypeError("a name was expected")
                _check_json(each)
        case _:
            raise TypeError("JSON was expected")


def plain(value: object) -> Json:
    """Encode a value as the JSON that other programs expect: bare ISO dates, null for NaN."""
    return _untagged(pack(value))


def _untagged(packed: Json) -> Json:
    match packed:
        case dict() as fields if len(fields) == 1 and next(iter(fields)) in _SCALAR_TAGS:
            tag, text = next(iter(fields.items()))
            return None if tag == "float" else text
        case dict() as fields:
            return {key: _untagged(item) for key, item in fields.items()}
        case list() as items:
            if not {dict, list} & set(map(type, items)):
                return items
            return [_untagged(item) for item in items]
        case scalar:
            return scalar


_SCALAR_TAGS = {"float", "date", "datetime", "time"}
# Each of them where a value may be missing, too: a plan with a chosen period came back with the
# JSON object in the place of its day, and its answer ended as a bug.
_TAGGED_KINDS = {float, date, datetime, time}


def _read(kind: Any, data: Json) -> object:
    origin = _origin(kind)
    if origin is Union:
        return _read_union(get_args(kind), data)
    if origin is tuple:
        if not isinstance(data, list):
            raise TypeError("a list was expected")
        every = _item(kind)
        if every is not None:
            if set(map(type, data)) <= _read_as_it_is(every):
                return tuple(data)
            return tuple(_read(every, item) for item in data)
        return tuple(_read(each, item) for each, item in zip(get_args(kind), data, strict=True))
    if origin is Literal:
        if data not in get_args(kind):
            raise TypeError(f"{data!r} is none of {get_args(kind)}")
        return data
    if origin is dataclasses.dataclass:
        if not isinstance(data, dict):
            raise TypeError("an object was expected")
        hints = _hints(cast("type", kind))
        present = {name: _read(hints[name], data[name]) for name in hints if name in data}
        return cast("Any", kind)(**present)
    if kind in (datetime, date, time) or (kind is float and isinstance(data, dict)):
        return _scalar(data)
    if kind is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)
    return data


@cache
def _read_as_it_is(kind: Any) -> frozenset[type]:
    """Return the types of JSON that are read as they are where a value of this kind is wanted."""
    kinds = set(get_args(kind)) if get_origin(kind) in (Union, types.UnionType) else {kind}
    return frozenset(kinds & {type(None), bool, int, float, str})


def _read_union(kinds: tuple[Any, ...], data: Json) -> object:
    if data is None and type(None) in kinds:
        return None
    classes = _classes(kinds)
    if classes and isinstance(data, dict):
        if len(classes) == 1:
            return _read(classes[0], data)
        for kind in classes:
            if TAGS.get(kind) == data["type"]:
                return _read(kind, data)
        raise TypeError(f"{data['type']!r} is none of {[TAGS.get(kind) for kind in classes]}")
    if classes and len(classes) == len(kinds):
        raise TypeError("an object was expected")
    if isinstance(data, list):
        listed = [kind for kind in kinds if _origin(kind) is tuple]
        return _read(listed[0], data) if listed else data
    if isinstance(data, dict):
        # JSON as it came is an object too, and stays what it is whatever its fields are called.
        is_json = any(_origin(kind) is dict for kind in kinds)
        return data if is_json or _TAGGED_KINDS.isdisjoint(kinds) else _scalar(data)
    if isinstance(data, int) and not isinstance(data, bool) and float in kinds and int not in kinds:
        return float(data)
    return data


def _scalar(data: Json) -> object:
    match data:
        case {"datetime": str(text)}:
            return datetime.fromisoformat(text)
        case {"date": str(text)}:
            return date.fromisoformat(text)
        case {"time": str(text)}:
            return time.fromisoformat(text)
        case {"float": str(text)}:
            return float(text)
        case _:
            return data


@cache
def _fields(kind: type) -> tuple[str, ...] | None:
    """Return a dataclass's fields, looked up once: a plan with its choices has hundreds."""
    if not dataclasses.is_dataclass(kind):
        return None
    return tuple(field.name for field in dataclasses.fields(kind))


@cache
def _origin(kind: Any) -> Any:
    """Return what a kind is made of, looked up once: `Union` for every union, `dataclass` for a
    class of fields, `tuple` for every sequence, None for a plain class.
    """
    if dataclasses.is_dataclass(kind):
        return dataclasses.dataclass
    origin = get_origin(kind)
    return {types.UnionType: Union, Sequence: tuple}.get(origin, origin)


@cache
def _item(kind: Any) -> Any:
    """Return what each item of a sequence of any length is, looked up once; None of a pair."""
    inner = get_args(kind)
    return inner[0] if get_origin(kind) is Sequence or inner[1:] == (Ellipsis,) else None


@cache
def _classes(kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(kind for kind in kinds if dataclasses.is_dataclass(kind))


@cache
def _hints(kind: type) -> dict[str, Any]:
    # JSON refers to itself by name, in whichever module a field of it stands.
    return get_type_hints(kind, localns={"Json": Json})


@cache
def _checked_hints(kind: type) -> dict[str, Any]:
    hints = get_type_hints(kind, localns={"Json": object})
    return {field: hints[field] for field in _fields(kind) or ()}
