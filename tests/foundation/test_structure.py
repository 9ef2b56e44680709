"""The structure of the package: import cycles, folded modules, sizes, names.

There is no limit on lines or modules: a file ends where its idea ends. What is still over a limit
is listed, so that the lists can only become shorter.
Layers and the homes of libraries are held by import-linter, documented names by ruff's D rules.
"""

import functools
import graphlib
from pathlib import Path

import grimp

import qhub_desktop
from tests.foundation import measure

PACKAGE = Path(qhub_desktop.__file__).parent
SMALL_LINES = 80
MOST_FUNCTION_LINES = 80
MOST_METHODS = 35
MOST_OWN_BASES = 2


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


def test_no_import_cycle_exists() -> None:
    assert _order()  # raises CycleError, which names the cycle


def test_a_small_module_with_one_importer_stands_inside_it() -> None:
    graph = _graph()
    alone = {
        each
        for each in graph.modules
        if _lines(each) < SMALL_LINES
        and not graph.find_children(each)
        # A toolbox of its own is put together by the program alone.
        and len(graph.find_modules_that_directly_import(each) - {"qhub_desktop.app"}) == 1
    }

    assert alone == set()


# Each of these is to be parted; none may be added.
MANY_METHODS = {
    "Program",
    "SchemaIndex",
    "StillWorld",
    "World",
    "_Head",
}
MANY_BASES = {
    "BudgetReservedError",
}


def test_no_function_is_longer_than_a_page_and_a_half() -> None:
    over = {name for name, lines in measure.functions() if lines > MOST_FUNCTION_LINES}

    assert over == set()


def test_no_class_has_more_methods_than_one_can_know() -> None:
    over = {each.name for each in measure.classes() if each.methods > MOST_METHODS}

    assert over == MANY_METHODS


def test_no_class_builds_on_more_than_two_of_ours() -> None:
    over = {each.name for each in measure.classes() if len(each.bases) > MOST_OWN_BASES}

    assert over == MANY_BASES


def test_two_public_classes_have_two_names() -> None:
    assert measure.names_of_two_classes() == {}


def test_two_constants_of_a_folder_have_two_names() -> None:
    assert measure.constants_of_two_values() == {}
