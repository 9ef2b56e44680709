"""The process of the local model: reads the header of its file, or holds the engine that serves it.

llama.cpp's own server, inside xllamacpp, speaks the Messages format on a port of loopback that the
system chooses, to whoever has the key of this run. The walls stand before a byte of the model is
given to it.
"""

import sys
from pathlib import Path
from typing import Any

from qhub_desktop.chat.local.gguf_header import read_header
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.processes.child import Parent
from qhub_desktop.core.processes.walls import Walls, close_system

# What the engine reads of the system, to know its processors and its memory.
SYSTEM_FILES = ("/proc", "/sys/devices/system", "/dev/urandom", "/dev/null")
SILENT = -1  # of the engine's log


def serve_model(parent: Parent) -> Json:
    """Answer with a file's header, or serve its model until the parent process ends."""
    asked: Any = parent.receive()
    path = Path(asked["path"])
    if not asked["serves"]:
        return read_header(path).as_object()
    parent.send(_serve(path, asked, parent))
    while True:  # until the parent process ends
        parent.receive()


def _serve(path: Path, asked: JsonObject, parent: Parent) -> JsonObject:
    try:
        read_header(path)  # it may be another file by now
    except QHubError as error:
        parent.listen()
        return {"error": str(error)}
    import xllamacpp  # with every library of it, before the walls

    walls = Walls()
    files = [path, *map(Path, SYSTEM_FILES)] if sys.platform == "linux" else [path]
    parts = [*path.parent.glob(f"{path.name.rsplit('-00001-of-', 1)[0]}-*.gguf")]
    close_system(walls, [each for each in (*files, *parts) if each.exists()], serves=True)
    parent.listen()  # on a thread within the walls; from here on the end of the parent is noticed
    try:
        server = xllamacpp.Server(_parameters(asked))
    except RuntimeError:
        return {"refused": True}
    _kept.append(server)
    return {
        "address": server.listening_address,
        "walls": [*walls.standing],
        "missing": {**walls.missing},
    }


_kept: list[object] = []  # what serves, for as long as the process lives


def _parameters(asked: Any) -> Any:
    import xllamacpp

    given = xllamacpp.CommonParams()
    given.model.path = asked["path"]
    given.model_alias = {asked["name"]}
    given.hostnames = ["127.0.0.1"]
    given.port = 0
    given.api_keys = [asked["key"]]
    given.n_ctx = asked["context"]
    given.n_parallel = 1  # questions wait for each other
    given.n_gpu_layers = 0
    given.cpuparams.n_threads = given.cpuparams_batch.n_threads = asked["threads"]
    given.cache_ram_mib = 0  # of prompts that are over
    given.use_jinja = True
    given.fit_params = given.warmup = given.ui = given.endpoint_slots = False
    given.offline = True
    given.verbosity = SILENT
    return given
