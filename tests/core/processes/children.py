"""Children that a test starts: one line here is one more mode, as in the program's own list."""

import mmap
import os
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from qhub_desktop.core.codec import Json
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.processes.child import Parent, serve

CHILDREN = {
    "echo": "tests.core.processes.children:echo",
    "refuse": "tests.core.processes.children:refuse",
    "hang": "tests.core.processes.children:hang",
    "die": "tests.core.processes.children:die",
    "swell": "tests.core.processes.children:swell",
    "abort": "tests.core.processes.children:abort",
    "reserve": "tests.core.processes.children:reserve",
    "count": "tests.core.processes.children:count",
}


def echo(parent: Parent) -> Json:
    request = parent.receive()
    parent.tell("half", 0.5)
    return request


def refuse(parent: Parent) -> Json:
    parent.receive()
    raise ToolError("no such table")


def hang(parent: Parent) -> Json:
    request: Any = parent.receive()
    Path(request["draft"]).write_text("half", encoding="utf-8")
    parent.tell("hanging", None)
    time.sleep(600)
    return None


def die(parent: Parent) -> Json:
    parent.receive()
    os._exit(3)


def swell(parent: Parent) -> Json:
    parent.receive()
    return len(b"x" * 2**30)


def abort(parent: Parent) -> Json:
    parent.receive()
    os.abort()  # as a library does that gets no memory


def reserve(parent: Parent) -> Json:
    """Take a GB of addresses that nothing is written to, and use 8 MB."""
    parent.receive()
    access = {"access": mmap.ACCESS_READ} if sys.platform == "win32" else {"prot": mmap.PROT_READ}
    with mmap.mmap(-1, 2**30, **access) as reserved:
        return len(reserved) + len(b"x" * 2**23)


def count(parent: Parent) -> NoReturn:
    """Answer with how many requests there were; end at `0`, and hang at `-1`."""
    asked = 0
    while True:
        match parent.receive():
            case 0:
                os._exit(3)
            case -1:
                time.sleep(600)
            case _:
                asked += 1
                parent.send(asked)


if __name__ == "__main__":
    raise SystemExit(serve(sys.argv[1], CHILDREN))
