"""The processes that draw pages: what they hold and use, which there are, and their end.

Number 0 stands for one that is not known, and not for what a system has under it.
"""

import os
import sys
from contextlib import suppress

import psutil


def end(process_id: int) -> None:
    """End the process at once; nothing happens if it has ended already."""
    if not process_id:
        return
    with suppress(psutil.Error):
        psutil.Process(process_id).kill()


def memory_bytes(process_id: int) -> int:
    """What the process holds for itself; 0 if it has ended."""
    if not process_id:
        return 0
    try:
        held = psutil.Process(process_id).memory_info()
    except psutil.Error:
        return 0
    if sys.platform == "win32":
        return int(held.private)
    return int(held.rss - held.shared)


def processor_s(process_id: int) -> float:
    """The processor time it has used; 0 if it has ended."""
    if not process_id:
        return 0.0
    try:
        used = psutil.Process(process_id).cpu_times()
    except psutil.Error:
        return 0.0
    return float(used.user + used.system)


def all_of_program() -> set[int]:
    """Those of this program's descendants that draw pages; takes some milliseconds."""
    program = os.getpid()
    told: dict[int, tuple[int, list[str]]] = {}
    for each in psutil.Process(program).children(recursive=True):
        with suppress(psutil.Error):  # it has ended meanwhile
            told[each.pid] = each.ppid(), each.cmdline()
    parents = {parent for parent, _words in told.values()}
    # On Linux they are copies, that keep its name, of a process that waits to be copied.
    return {
        process_id
        for process_id, (parent, words) in told.items()
        if "--type=renderer" in words
        or ("--type=zygote" in words and parent != program and process_id not in parents)
    }
