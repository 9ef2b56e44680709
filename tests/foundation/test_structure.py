"""The structure of the package: module sizes, import cycles, the longest chain, folded modules.

Layers and the homes of libraries are held by import-linter, documented names by ruff's D rules.
"""

import functools
import graphlib
from pathlib import Path

import grimp

import qhub_desktop

PACKAGE = Path(qhub_desktop.__file__).parent
MAX_LINES = 600
# The second edition of the design: 260. The rooms after it come on top: people, sandbox and updates
# (60), statistical quality control (51: a method of `quality` a module, its tools, its card), the
# pack of the safe Python (1), the weighing of whole plans of a question (16), the reading of
# periods (3: units of time, their grammar, times of day), expressions of SQL (1), comparisons (1),
# the verbs and the shorthand of questions (2), the keys by which words are compared (1), what only
# refers to an answer before (1), columns that are alike (1), the wishes of a dashboard (1),
# what is said before and behind a question (1), what brackets say of the words before them (1),
# in which states a row is open or over (1), ratios of two amounts (1), fiscal years (1),
# what rows are called, and nouns (2), what stands beside a mention (1), what happens on which day
# (4: events, the columns of their days, the spans that name them, what is set against them).
MAX_MODULES = 421
MAX_CHAIN = 14
SMALL_LINES = 80


@functools.cache
def _graph() -> grimp.ImportGraph:
    # Imports for annotations alone are left out: nobody follows a question through them.
    return grimp.build_graph("qhub_desktop", cache_dir=None, exclude_type_checking_imports=True)


@functools.cache
def _lines(module: str) -> int:
    path = PACKAGE.parent.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return len(file.read_text(encoding="utf-8").splitlines())


def _order() -> list[str]:
    """Return the modules, each after those that it imports. Raises CycleError for a cycle."""
    graph = _graph()
    imports = {each: graph.find_modules_directly_imported_by(each) for each in graph.modules}
    return list(graphlib.TopologicalSorter(imports).static_order())


def _longest_chain() -> list[str]:
    chains: dict[str, list[str]] = {}
    for module in _order():
        below = _graph().find_modules_directly_imported_by(module)
        longest = max((chains[each] for each in below), key=len, default=[])
        chains[module] = [module, *longest]
    return max(chains.values(), key=len)


def test_no_module_is_longer_than_a_reader_can_hold() -> None:
    assert {each: _lines(each) for each in _graph().modules if _lines(each) > MAX_LINES} == {}


def test_the_package_has_no_more_modules_than_its_goal() -> None:
    assert len(_graph().modules) <= MAX_MODULES


def test_no_import_cycle_exists() -> None:
    assert _order()  # raises CycleError, which names the cycle


def test_one_question_is_followed_through_few_files() -> None:
    chain = _longest_chain()

    assert len(chain) <= MAX_CHAIN, " -> ".join(chain)


def test_a_small_module_with_one_importer_stands_inside_it() -> None:
    graph = _graph()
    alone = {
        each
        for each in graph.modules
        if _lines(each) < SMALL_LINES
        and not graph.find_children(each)
        and len(graph.find_modules_that_directly_import(each)) == 1
    }

    assert alone == set()
