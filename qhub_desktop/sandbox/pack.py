"""The pack of the safe Python: its engine, which the packaged program does not hold itself.

The compiled module, the start image, the guest's library and Wasmtime's, some 380 MB. From source
the engine is made from the packages (`sandbox/engine.py`).
"""

# Why it is so: decisions/sandbox.md

import contextlib
import ctypes
from collections.abc import Iterator
from pathlib import Path

from qhub_desktop.core.packs import SAFE_PYTHON, PackContent, PackMissingError

LIBRARIES = ("_libwasmtime.so", "_wasmtime.dll", "_libwasmtime.dylib")


class EngineMissingError(PackMissingError):
    """There is no engine that may be used; the reason is for the person."""


def library_of(content: PackContent) -> str:
    """Return the name of Wasmtime's library in a pack."""
    return next(name for name in LIBRARIES if name in content.sizes)


@contextlib.contextmanager
def own_library() -> Iterator[None]:
    """Let Wasmtime's binding, which is imported meanwhile, load the pack's library, once checked.

    From source it has one of its own. Raises PackMissingError.
    """
    content, folder = SAFE_PYTHON.wanted(), SAFE_PYTHON.found()
    if content is None:
        yield
        return
    if folder is None:
        raise PackMissingError(SAFE_PYTHON.missing() or "")
    library = folder / library_of(content)
    SAFE_PYTHON.check(library, content.sha256[library.name])
    loader = ctypes.cdll
    load = loader.LoadLibrary

    def load_ours(name: str) -> ctypes.CDLL:
        return load(str(library) if Path(name).name == library.name else name)

    vars(loader)["LoadLibrary"] = load_ours
    try:
        yield
    finally:
        del vars(loader)["LoadLibrary"]
