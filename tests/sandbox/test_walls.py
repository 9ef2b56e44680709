"""The walls of Linux around the engine, tried by what code that has escaped from it would do."""

import asyncio
import errno
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from qhub_desktop.core.processes import child
from qhub_desktop.core.processes import walls as built
from qhub_desktop.sandbox import PythonService
from tests.sandbox.attempts import ATTEMPTS, HARMLESS
from tests.sandbox.conftest import Canaries, OwnChildren

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls of Linux")


async def test_code_that_has_escaped_from_the_engine_reaches_nothing(
    python: PythonService, canaries: Canaries, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = [sys.executable, "-m", "tests.sandbox.attempts", str(canaries.file)]
    monkeypatch.setattr(child, "command", lambda _mode: start)
    canaries.file.chmod(0o600)
    os.setxattr(canaries.file, "user.kept", b"a")
    await python.run("1")
    if "system calls" in python.missing_walls:
        pytest.skip("no filter of system calls on this computer")
    own, others = _state_of(canaries.file), [*canaries.folder.parent.iterdir()]

    with socket.socket(socket.AF_UNIX) as local:
        local.bind(f"\0{(abstract := f'qhub-{secrets.token_hex(8)}')}")
        local.listen()
        local.setblocking(False)
        async with python.handing_over() as folder:
            (handed := folder / "0").write_bytes(b"columns")
            asked = {
                "file": str(canaries.file),
                "handed": str(handed),
                "parent": os.getpid(),
                "abstract": abstract,
                "tcp_port": canaries.tcp.getsockname()[1],
                "udp_port": canaries.udp.getsockname()[1],
            }
            run = await python.run(ATTEMPTS + json.dumps(asked))
            assert [*folder.iterdir()] == [handed]
            assert handed.read_bytes() == b"columns"
        with pytest.raises(BlockingIOError):
            local.accept()

    refused, other = json.loads(run.output)
    assert other == dict.fromkeys((*HARMLESS, "open what was handed over"), "done")
    assert refused > 120
    assert canaries.touched(run.output) == []
    assert _state_of(canaries.file) == own
    assert [*canaries.folder.parent.iterdir()] == others
    assert (await python.run("6 * 7")).output == "42"


async def test_code_that_runs_while_the_computer_sleeps_goes_on_afterwards(
    python: PythonService, own_children: OwnChildren
) -> None:
    await python.run("1")
    (process,) = own_children()
    code = "import time\nend = time.monotonic() + 1\nwhile time.monotonic() < end:\n    pass\n42"
    running = asyncio.create_task(python.run(code))
    await asyncio.sleep(0.4)

    psutil.Process(process).suspend()
    psutil.Process(process).resume()

    assert ((await running).output, own_children()) == ("42", {process})


WITHOUT_SECCOMP = {"system calls", "network", "other processes"}
# What a system lacks or takes without keeping it, and the walls that are told to be missing then.
SYSTEMS = {
    "this one": ("pass", set()),
    **{
        f"Landlock {abi}": (f"built._landlock_abi = lambda: min({abi}, abi)", set())
        for abi in range(1, 7)
    },
    "no Landlock": ("built._CREATE_RULESET = 9_999", {"files"}),
    "no seccomp": ("built._SECCOMP = 9_999", WITHOUT_SECCOMP),
    "another machine": ("built.platform.machine = lambda: 'aarch64'", WITHOUT_SECCOMP),
    "neither": (
        "built._CREATE_RULESET = built._SECCOMP = 9_999",
        {"files"} | WITHOUT_SECCOMP,
    ),
    "a limit that is not kept": ("built.cap_own_data = lambda _bytes: None", {"memory"}),
    "Landlock that is not kept": ("built._RESTRICT_SELF = 39", {"files"}),  # getpid
    "seccomp that is not kept": ("built._SECCOMP = 39", WITHOUT_SECCOMP),
    "a thread that was there before": (
        "built.THREADS_END_S = 0; threading.Thread(target=threading.Event().wait).start()",
        {"files"},
    ),
}
# Each system in a process of its own, which puts the walls up and tells what is missing, and how it
# is answered and ended behind them.
SYSTEM = """
import json, mmap, os, socket, sys, threading
from ctypes import CFUNCTYPE, addressof, c_char, c_int
from pathlib import Path
from qhub_desktop.core.processes import walls as built
file, scratch, abstract, *systems = sys.argv[1:]
local, tcp = socket.socket(socket.AF_UNIX), socket.socket()
code = mmap.mmap(-1, 4096, prot=7)
code.write(b"\\xb8\\x14\\0\\0\\0\\xcd\\x80\\xc3")  # getpid of 32 bits
of_32_bits = CFUNCTYPE(c_int)(addressof(c_char.from_buffer(code)))
def attempted(attempt):
    try:
        attempt()
    except OSError as error:
        return error.errno
def told(change):
    built._CHECKED_CALLS[234] = 0, built._ALL_BITS, os.getpid()  # it was forked
    abi = built._landlock_abi()
    exec(change, globals() | {"abi": abi})
    walls = built.Walls()
    built.cap_process(walls, 2**30)
    built.close_system(walls, [Path(scratch)])
    yield [*walls.missing]
    yield [
        attempted(lambda: os.truncate(file, 0)),
        attempted(lambda: os.kill(os.getppid(), 0)),
        attempted(lambda: local.connect("\\0" + abstract)),
        attempted(lambda: tcp.connect(("127.0.0.1", 9))),
    ]
for change in systems:
    read, write = os.pipe()
    if not os.fork():
        for each in told(change):
            os.write(write, json.dumps(each).encode() + b"\\n")
        of_32_bits() if change == "pass" else os.abort()
    os.close(write)
    status = os.wait()[1]
    print(json.dumps([*map(json.loads, open(read)), os.WTERMSIG(status)]))
"""


def test_on_other_systems_what_is_missing_is_told_and_the_rest_stands(tmp_path: Path) -> None:
    try:
        abi = built._landlock_abi()
    except OSError as error:
        pytest.skip(f"no Landlock on this computer: {error}")
    (file := tmp_path / "secret.txt").write_text("mine", encoding="utf-8")
    (scratch := tmp_path / "scratch").mkdir()
    with socket.socket(socket.AF_UNIX) as local:
        local.bind(f"\0{(abstract := f'qhub-{secrets.token_hex(8)}')}")
        local.listen()
        changes = [change for change, _missing in SYSTEMS.values()]
        done = subprocess.run(
            [sys.executable, "-c", SYSTEM, str(file), str(scratch), abstract, *changes],
            stdout=subprocess.PIPE,
            check=True,
            encoding="utf-8",
        )
    told = dict(zip(SYSTEMS, map(json.loads, done.stdout.splitlines()), strict=True))
    if told["this one"][0]:
        pytest.skip(f"this computer has not {told['this one'][0]}")

    missing = {name: {*each[0]} for name, each in told.items()}
    assert missing == {name: missing for name, (_change, missing) in SYSTEMS.items()}
    refused = {name: each[1] for name, each in told.items()}
    assert refused["this one"] == [errno.ENOSYS] * 4
    assert refused["no Landlock"] == [errno.ENOSYS] * 4
    ended = {name: each[2] for name, each in told.items()}
    assert ended.pop("this one") in (signal.SIGSYS, signal.SIGSEGV)  # has the kernel these numbers?
    assert {*ended.values()} == {signal.SIGABRT}
    if abi >= 6:
        assert refused["no seccomp"] == [errno.EACCES, errno.EPERM, errno.EPERM, errno.EACCES]


def _state_of(file: Path) -> tuple[object, ...]:
    """Return what can be changed of a file, and of this process, from another process."""
    status, process = file.stat(), psutil.Process()
    return (
        *(status.st_mode, status.st_uid, status.st_gid, status.st_size, status.st_mtime_ns),
        *os.listxattr(file),
        *(process.rlimit(psutil.RLIMIT_CORE), process.cpu_affinity()),
        *(process.nice(), process.ionice(), os.sched_getscheduler(0)),
    )
