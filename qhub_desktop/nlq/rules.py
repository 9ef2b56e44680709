"""Rules: the named steps by which a question is read, as `qhub ask --explain` tells them.

A rule is a function under one of the decorators below. It is called by its module and its own name
('roles.take_lacking'), and its docstring says what it reads. For each rule,
`tests/nlq/rule_examples.toml` has questions that it reads, and others like them that it does not.
"""

import inspect
from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, TypeVar, cast

RULES: dict[str, str] = {}  # by name, the first line of the docstring
_Rule = TypeVar("_Rule", bound=Callable[..., Any])


def role_rule(rule: _Rule) -> _Rule:
    """Mark a function that gives parts of a question their roles, in the slots of its context.

    It is noted as used where it returns something that is true, or nothing at all by its type.
    """
    return _noted_in(rule, "slots")


def step_rule(rule: _Rule) -> _Rule:
    """Mark a method of the reader from left to right, noted as a `role_rule` is."""
    return _noted_in(rule, "_slots")


def query_rule(rule: _Rule) -> _Rule:
    """Mark a function that makes queries with their costs: one or none, several, or an iterator.

    It is noted in its context beside each query.
    """
    name = _registered(rule)

    @wraps(rule)
    def yielding(context: Any, *args: Any) -> Iterator[Any]:
        for costed in rule(context, *args):
            context.made_by.append((costed[0], name))
            yield costed

    @wraps(rule)
    def returning(context: Any, *args: Any) -> Any:
        made = rule(context, *args)
        for costed in made if made and isinstance(made[0], tuple) else (made,) if made else ():
            context.made_by.append((costed[0], name))
        return made

    return cast("_Rule", yielding if inspect.isgeneratorfunction(rule) else returning)


def _noted_in(rule: _Rule, slots: str) -> _Rule:
    name = _registered(rule)
    returns_nothing = rule.__annotations__["return"] is None

    @wraps(rule)
    def noted(context: Any, *args: Any, **named: Any) -> Any:
        read = rule(context, *args, **named)
        if returns_nothing or read:
            getattr(context, slots).rules.append(name)
        return read

    return cast("_Rule", noted)


def _registered(rule: Callable[..., Any]) -> str:
    name = f"{rule.__module__.rpartition('.')[2]}.{rule.__name__.lstrip('_')}"
    RULES[name] = (rule.__doc__ or "").partition("\n")[0]
    return name
