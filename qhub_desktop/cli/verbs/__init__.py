"""What can be asked on the command line: one module for the verbs of one subject.

To add a verb, add a module here with a function `declare(verbs)`: it adds the verb's parser, its
arguments and its help beside the coroutine that runs it (`set_defaults(run=...)`), and nothing
else has to be touched.

The modules are found by name (`pkgutil`), not listed: a list would be a second place to forget.
`pkgutil` finds the modules of a packaged program as well, if the packager was told to take them
all (`collect_submodules("qhub_desktop.cli.verbs")` for PyInstaller), for it can not see them.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Protocol, cast

from qhub_desktop.cli.parsing import Verbs


class VerbModule(Protocol):
    """What each module of this package offers."""

    def declare(self, verbs: Verbs) -> None:
        """Add the module's verbs, with their arguments and what runs them."""
        ...


def verb_modules() -> Iterator[VerbModule]:
    """Every module of this package, by name."""
    for found in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        yield cast("VerbModule", importlib.import_module(f"{__name__}.{found.name}"))
