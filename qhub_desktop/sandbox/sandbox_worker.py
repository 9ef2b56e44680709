"""The processes of the sandbox: one that makes the engine, and one that runs code in it.

The guest is held by the engine. Around it stand walls of the system's own, for the case that the
engine has a hole: the process has no key, no environment but a few variables, and no handle of its
parent's but two pipes. On Linux it can start, signal and change no other process, open no socket,
and read, write and change no file of the person's: of the kernel's calls it has those few that the
engine needs. On Windows it can start no other process, and write nothing of the person's.
Which walls stand here, and which do not, is told, for the page of diagnostics.
"""

# Why it is so: decisions/sandbox.md

import json
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.packs import SAFE_PYTHON, PackMissingError
from qhub_desktop.core.processes.child import Parent
from qhub_desktop.core.processes.walls import Walls, cap_process, close_system
from qhub_desktop.sandbox.pack import own_library

if TYPE_CHECKING:
    from qhub_desktop.sandbox.engine import Finished

# Of the whole process: its own, the guest's image, and the guest's data. Windows counts in what is
# mapped to be copied when it is written to: the compiled module.
PROCESS_BYTES = (1_280 if sys.platform == "win32" else 1_024) * 2**20
RESULT_DEPTH = 12
TICK_S = 2.0  # so that who waits sees that something is done


def prepare_engine(parent: Parent) -> Json:
    """Make the engine's files, and tell what is being done."""
    ended = threading.Event()
    said = [""]

    def tell(words: str) -> None:
        said[0] = words
        parent.tell(words, None)

    def tick() -> None:
        began = time.monotonic()
        while not ended.wait(TICK_S):
            seconds = round(time.monotonic() - began)
            parent.tell(f"{said[0]} {seconds} s", None)

    ticking = threading.Thread(target=tick, name="tick", daemon=True)
    ticking.start()
    try:
        from qhub_desktop.sandbox import engine

        engine.prepare(tell)
    finally:
        ended.set()
        ticking.join()
    return None


def answer_runs(parent: Parent) -> NoReturn:
    """Run code, one request after the other, until the parent process ends."""
    greeting: Any = parent.receive()
    if greeting["pack"] is not None:
        SAFE_PYTHON.use(Path(greeting["pack"]))
    walls = Walls()
    is_unprepared = False
    try:
        with own_library():
            from qhub_desktop.sandbox import engine as engines
        cap_process(walls, PROCESS_BYTES)
        is_unprepared = SAFE_PYTHON.wanted() is None and engines.find() is None
        engine = engines.load()
    except PackMissingError as error:
        parent.send({"missing": str(error), "unprepared": is_unprepared})
        parent.listen()
        parent.receive()
        raise SystemExit(0) from error
    close_system(walls, [Path(greeting["scratch"])])
    parent.listen()
    parent.send({"ready": True, "walls": [*walls.standing], "missing": {**walls.missing}})
    while True:
        asked: Any = parent.receive()
        inputs = {name: Path(path) for name, path in asked["inputs"].items()}
        done = engine.run(asked["request"], inputs, limit_s=asked["limit_s"])
        for message in _messages(done):
            parent.send(message)


def _messages(done: "Finished") -> list[JsonObject]:
    """Return the result in parts, each small enough to be read at once."""
    found = _read(done.result) if done.ending == "done" else None
    told: JsonObject = {
        "ending": done.ending if done.ending != "done" or found is not None else "crash",
        "detail": done.detail,
        "output": done.output,
        "ms": done.ms,
        "value": None,
        "error": None,
        "kind": None,
    }
    parts: list[JsonObject] = []
    if found is not None:
        told |= {
            "value": found.get("valor"),
            "error": found.get("erro"),
            "kind": found.get("tipo_erro"),
        }
        for name in ("tabelas", "figuras"):
            listed = found.get(name)
            parts += [{name: each} for each in listed] if isinstance(listed, list) else []
    return [{**told, "parts": len(parts)}, *parts]


def _read(result: bytes) -> JsonObject | None:
    """Read what the guest has left: strict JSON, an object, no deeper than a result is."""
    try:
        found = json.loads(result, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and _is_shallow(found, RESULT_DEPTH) else None


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)  # NaN and Infinity are no JSON


def _is_shallow(value: object, depth: int) -> bool:
    if isinstance(value, (dict, list)):
        inner = value.values() if isinstance(value, dict) else value
        return depth > 0 and all(_is_shallow(each, depth - 1) for each in inner)
    return True
