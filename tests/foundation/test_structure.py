"""The structure of the package: import cycles, folded modules.

There is no limit on lines or modules: a file ends where its idea ends.
Layers and the homes of libraries are held by import-linter, documented names by ruff's D rules.
"""

import functools
import graphlib
from pathlib import Path

import grimp

import qhub_desktop

PACKAGE = Path(qhub_desktop.__file__).parent
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


def test_no_import_cycle_exists() -> None:
    assert _order()  # raises CycleError, which names the cycle


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
