"""Sentences of findings: each is filled with all that it names, in every language."""

import ast
import importlib
import string
from collections.abc import Iterator, Mapping
from functools import cache
from types import ModuleType

from typing_extensions import override

from qhub_desktop.data.ingest.findings import CountedSentence, Sentence
from tests.foundation import measure

FILLED_BY_ITSELF = {"count", "cells"}
Function = ast.FunctionDef | ast.AsyncFunctionDef
Call = tuple[list[Sentence], frozenset[str]]  # what may be said there, and the names given
Taker = tuple[int, frozenset[str]]  # the place of the sentence among the arguments


def _modules() -> Iterator[tuple[ModuleType, ast.Module]]:
    for module in measure.modules():
        imports = "\n".join(line for line in module.lines if "findings" in line)
        if module.name.startswith("data.ingest.") and imports:
            yield importlib.import_module(f"qhub_desktop.{module.name}"), module.tree


class _Calls(ast.NodeVisitor):
    """The sentences that a module fills, with the names that it fills them with.

    `passed` are the places where a function takes a sentence, and what it fills that with.
    """

    def __init__(
        self, module: ModuleType, passed: Mapping[str, tuple[int, frozenset[str]]]
    ) -> None:
        self.found: list[Call] = []
        self.takers: dict[str, tuple[int, frozenset[str]]] = {}
        self.unknown: list[str] = []
        self._module, self._passed = module, passed
        self._functions: list[Function] = []

    @override
    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._functions.append(node)
        self.generic_visit(node)
        self._functions.pop()

    @override
    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("finding", "text"):
            self._fill(node, node.func.value)
        elif isinstance(node.func, ast.Name) and node.func.id in self._passed:
            place, filled = self._passed[node.func.id]
            self.found.append((self._sentences(node.args[place]), filled))

    def _fill(self, node: ast.Call, receiver: ast.expr) -> None:
        named = {each.arg for each in node.keywords if each.arg}
        given = ("count", "cells")[: len(node.args)]
        filled = frozenset({*named, *given})
        if some := self._sentences(receiver):
            self.found.append((some, filled))
        elif isinstance(receiver, ast.Name) and self._functions:
            names = [each.arg for each in self._functions[-1].args.args]
            if receiver.id in names:
                taker = self._functions[-1].name
                self.takers[taker] = (names.index(receiver.id), filled)
            elif filled - FILLED_BY_ITSELF:
                self.unknown.append(ast.unparse(node))

    def _sentences(self, node: ast.expr) -> list[Sentence]:
        """Return the sentences that an expression may be."""
        match node:
            case ast.IfExp(body=one, orelse=other):
                return [*self._sentences(one), *self._sentences(other)]
            case ast.Subscript(value=table):
                return self._sentences(table)
            case ast.Call(func=ast.Attribute(value=table, attr="get"), args=[_, other]):
                return [*self._sentences(table), *self._sentences(other)]
            case ast.Call(func=ast.Name(id="replace"), args=[one]):
                return self._sentences(one)
            case ast.Attribute(value=ast.Name(id=module), attr=name):
                return _values(getattr(getattr(self._module, module, None), name, None))
            case ast.Name(id=name):
                return self._local(name) or _values(getattr(self._module, name, None))
        return []

    def _local(self, name: str) -> list[Sentence]:
        return [
            sentence
            for function in self._functions
            for node in ast.walk(function)
            if isinstance(node, ast.Assign)
            and any(isinstance(each, ast.Name) and each.id == name for each in node.targets)
            for sentence in self._sentences(node.value)
        ]


def _values(value: object) -> list[Sentence]:
    some = value.values() if isinstance(value, dict) else [value]
    return [each for each in some if isinstance(each, Sentence)]


@cache
def _calls() -> tuple[tuple[Call, ...], tuple[str, ...]]:
    passed: dict[str, Taker] = {}
    for module, tree in _modules():
        calls = _Calls(module, {})
        calls.visit(tree)
        passed |= calls.takers
    found: list[Call] = []
    unknown: list[str] = []
    for module, tree in _modules():
        calls = _Calls(module, passed)
        calls.visit(tree)
        found += calls.found
        unknown += calls.unknown
    return tuple(found), tuple(unknown)


def _sentences() -> set[Sentence]:
    return {
        each
        for module, _tree in _modules()
        for value in vars(module).values()
        for each in _values(value)
    }


def _named(sentence: Sentence) -> set[str]:
    forms = [sentence.one, *([sentence.many] if isinstance(sentence, CountedSentence) else [])]
    return {name for form in forms for _, name, _, _ in string.Formatter().parse(form) if name}


def test_every_sentence_is_filled_with_all_that_it_names_and_nothing_else() -> None:
    found, unknown = _calls()
    lacking = {
        (each.one, *(_named(each) - filled))
        for some, filled in found
        for each in some
        if _named(each) - filled
    }
    needless = [
        (some[0].one, *extra)
        for some, filled in found
        if (extra := filled.difference(FILLED_BY_ITSELF, *map(_named, some)))
    ]

    assert unknown == ()
    assert lacking == set()
    assert needless == []


def test_every_sentence_is_said_somewhere() -> None:
    said = {each for some, _filled in _calls()[0] for each in some}
    # Those that go through a list are filled with the count and the cells alone.
    unsaid = {each for each in _sentences() - said if _named(each) - FILLED_BY_ITSELF}

    assert len(said) > 90
    assert unsaid == set()


def test_the_form_depends_on_the_count() -> None:
    sentence = CountedSentence("kept", "{count} row of {name}.", "{count} rows of {name}.")

    assert sentence.text(1, name="A") == "1 row of A."
    assert sentence.text(3, name="A") == "3 rows of A."


def test_a_finding_names_the_first_of_its_cells() -> None:
    sentence = Sentence("kept", "Kept: {cells}, of {name}.")

    finding = sentence.finding(3, ["A1", "A2"], name="B")

    assert (finding.kind, finding.count, finding.cells) == ("kept", 3, ("A1", "A2"))
    assert finding.text == "Kept: A1, A2, …, of B."
