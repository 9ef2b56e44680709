"""The processes of the sandbox: one that makes the engine, and one that runs code in it.

The guest is held by the engine. Around it stand walls of the system's own, for the case that the
engine has a hole: the process has no key, no environment but a few variables, and no handle of its
parent's but two pipes. On Linux it can start no other process, open no socket and read or write no
file of the person's; on Windows it can start no other process, and write nothing of the person's.
Which walls stand here, and which do not, is told, for the page of diagnostics.
"""

import contextlib
import ctypes
import json
import os
import platform
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.processes.child import Parent, cap_own_data
from qhub_desktop.sandbox import pack

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
        pack.use(Path(greeting["pack"]))
    walls = Walls()
    is_unprepared = False
    try:
        with pack.own_library():
            from qhub_desktop.sandbox import engine as engines
        cap_process(walls)
        is_unprepared = pack.wanted() is None and engines.find() is None
        engine = engines.load()
    except pack.EngineMissingError as error:
        parent.send({"missing": str(error), "unprepared": is_unprepared})
        parent.receive()
        raise SystemExit(0) from error
    close_system(walls, Path(greeting["scratch"]))
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


class Walls:
    """Walls that stand around this process, by name, with what keeps them standing."""

    def __init__(self) -> None:
        self.standing: list[str] = []
        self.missing: dict[str, str] = {}  # why they do not stand
        self._kept: list[object] = []

    def stand(self, name: str, build: Callable[[], object]) -> None:
        """Build a wall; where the system has none of that kind, it does not stand."""
        try:
            self._kept.append(build())
        except (OSError, AttributeError) as error:  # AttributeError: Windows lacks the function
            self.missing[name] = str(error)
            return
        self.standing.append(name)


class _SidAndAttributes(ctypes.Structure):
    _fields_ = (("Sid", ctypes.c_void_p), ("Attributes", ctypes.c_uint32))


class _Privilege(ctypes.Structure):  # LUID_AND_ATTRIBUTES
    _fields_ = (
        ("LowPart", ctypes.c_uint32),
        ("HighPart", ctypes.c_int32),
        ("Attributes", ctypes.c_uint32),
    )


if sys.platform == "win32":
    _TOKEN_QUERY, _TOKEN_ADJUST_PRIVILEGES, _TOKEN_ADJUST_DEFAULT = 0x8, 0x20, 0x80
    _TOKEN_PRIVILEGES, _TOKEN_INTEGRITY_LEVEL = 3, 25
    _SE_GROUP_INTEGRITY, _SE_PRIVILEGE_REMOVED = 0x20, 0x4
    # SeChangeNotifyPrivilege, which everybody has: without it, each folder above a file is asked.
    _WALK_THROUGH_FOLDERS = 23
    _LOW, _LOW_RID = "S-1-16-4096", 4_096
    _MEM_COMMIT_AND_RESERVE, _MEM_RELEASE, _PAGE_READWRITE = 0x3000, 0x8000, 0x4
    _CREATE_SUSPENDED = 0x4

    def cap_process(walls: Walls) -> None:
        """Cap the memory of this process, and let it start no other; tell what holds.

        A system may take a limit and not keep it, so both are tried.
        """

        def cap() -> object:
            job = cap_own_data(PROCESS_BYTES)  # nobody closes it: it holds as long as the process
            _expect_no_room()
            return job

        walls.stand("memory", cap)
        walls.stand("one process", _expect_no_process)

    def close_system(walls: Walls, scratch: Path) -> None:  # noqa: ARG001  as elsewhere
        """Put this process at low integrity, where nothing of the person's can be written.

        Both hold for good: what is removed from a token, or lowered in it, does not come back.
        """
        walls.stand("no privileges", _drop_privileges)
        walls.stand("low integrity", _lower_integrity)

    def _expect_no_room() -> None:
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.VirtualAlloc.restype = ctypes.c_void_p
        sizes = ctypes.c_size_t, ctypes.c_uint32
        kernel.VirtualAlloc.argtypes = ctypes.c_void_p, *sizes, ctypes.c_uint32
        kernel.VirtualFree.argtypes = ctypes.c_void_p, *sizes
        room = kernel.VirtualAlloc(None, PROCESS_BYTES, _MEM_COMMIT_AND_RESERVE, _PAGE_READWRITE)
        if room:
            kernel.VirtualFree(room, 0, _MEM_RELEASE)
            raise OSError("the limit of memory is not kept")

    def _expect_no_process() -> None:
        try:
            started = subprocess.Popen(
                [sys.executable], creationflags=_CREATE_SUSPENDED | subprocess.CREATE_NO_WINDOW
            )
        except OSError:
            return
        started.kill()
        started.wait()
        raise OSError("the limit of processes is not kept")

    @contextlib.contextmanager
    def _own_token() -> Iterator[tuple[ctypes.WinDLL, ctypes.c_void_p]]:
        """Yield advapi32 and the token of this process."""
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.GetCurrentProcess.restype = ctypes.c_void_p
        kernel.CloseHandle.argtypes = (ctypes.c_void_p,)
        security = ctypes.WinDLL("advapi32", use_last_error=True)
        pointer, number = ctypes.c_void_p, ctypes.c_uint32
        security.OpenProcessToken.argtypes = pointer, number, pointer
        security.GetTokenInformation.argtypes = pointer, ctypes.c_int, pointer, number, pointer
        security.SetTokenInformation.argtypes = pointer, ctypes.c_int, pointer, number
        security.AdjustTokenPrivileges.argtypes = (
            *(pointer, ctypes.c_int, pointer),
            *(number, pointer, pointer),
        )
        token = ctypes.c_void_p()
        rights = _TOKEN_QUERY | _TOKEN_ADJUST_PRIVILEGES | _TOKEN_ADJUST_DEFAULT
        _checked(security.OpenProcessToken(kernel.GetCurrentProcess(), rights, ctypes.byref(token)))
        try:
            yield security, token
        finally:
            kernel.CloseHandle(token)

    def _checked(outcome: int) -> None:
        if not outcome:
            raise ctypes.WinError(ctypes.get_last_error())

    def _told_of(security: ctypes.WinDLL, token: ctypes.c_void_p, what: int) -> Any:
        """Return what a token says of itself, as bytes that nothing moves."""
        size = ctypes.c_uint32()
        security.GetTokenInformation(token, what, None, 0, ctypes.byref(size))
        room = ctypes.create_string_buffer(max(size.value, 64))
        _checked(security.GetTokenInformation(token, what, room, len(room), ctypes.byref(size)))
        return room

    def _privileges(security: ctypes.WinDLL, token: ctypes.c_void_p) -> list[tuple[int, int]]:
        room = _told_of(security, token, _TOKEN_PRIVILEGES)
        count = ctypes.c_uint32.from_buffer(room).value
        found = (_Privilege * count).from_buffer(room, 4)
        return [(each.LowPart, each.HighPart) for each in found]

    def _drop_privileges() -> None:
        kept = (_WALK_THROUGH_FOLDERS, 0)
        with _own_token() as (security, token):
            dropped = [each for each in _privileges(security, token) if each != kept]
            if dropped:
                entries = b"".join(
                    struct.pack("=IiI", *each, _SE_PRIVILEGE_REMOVED) for each in dropped
                )
                asked = ctypes.create_string_buffer(struct.pack("=I", len(dropped)) + entries)
                _checked(security.AdjustTokenPrivileges(token, 0, asked, 0, None, None))
            if left := [each for each in _privileges(security, token) if each != kept]:
                raise OSError(f"privileges are left: {left}")

    def _lower_integrity() -> None:
        kernel = ctypes.WinDLL("kernel32")
        kernel.LocalFree.argtypes = (ctypes.c_void_p,)
        sid = ctypes.c_void_p()
        with _own_token() as (security, token):
            security.ConvertStringSidToSidW.argtypes = ctypes.c_wchar_p, ctypes.c_void_p
            security.GetLengthSid.argtypes = (ctypes.c_void_p,)
            _checked(security.ConvertStringSidToSidW(_LOW, ctypes.byref(sid)))
            try:
                label = _SidAndAttributes(sid, _SE_GROUP_INTEGRITY)
                size = ctypes.sizeof(label) + security.GetLengthSid(sid)
                _checked(
                    security.SetTokenInformation(
                        token, _TOKEN_INTEGRITY_LEVEL, ctypes.byref(label), size
                    )
                )
            finally:
                kernel.LocalFree(sid)
            if (level := _integrity(security, token)) > _LOW_RID:
                raise OSError(f"the integrity is {level}, not low")

    def _integrity(security: ctypes.WinDLL, token: ctypes.c_void_p) -> int:
        """Return the last part of the identifier that says how much a token is trusted."""
        room = _told_of(security, token, _TOKEN_INTEGRITY_LEVEL)
        security.GetSidSubAuthorityCount.argtypes = (ctypes.c_void_p,)
        security.GetSidSubAuthorityCount.restype = ctypes.POINTER(ctypes.c_uint8)
        security.GetSidSubAuthority.argtypes = ctypes.c_void_p, ctypes.c_uint32
        security.GetSidSubAuthority.restype = ctypes.POINTER(ctypes.c_uint32)
        sid = _SidAndAttributes.from_buffer(room).Sid
        count = security.GetSidSubAuthorityCount(sid).contents.value
        level: int = security.GetSidSubAuthority(sid, count - 1).contents.value
        return level

elif sys.platform == "linux":
    _NO_NEW_PRIVILEGES = 38
    _CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF, _SECCOMP = 444, 445, 446, 317
    _EVERY_RIGHT_OF_1, _READ_FILE, _READ_FOLDER = (1 << 13) - 1, 1 << 2, 1 << 3
    _PATH_BENEATH = 1
    _SET_FILTER, _ALL_THREADS = 1, 1
    _ALLOW, _ANSWER, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
    _EPERM, _ENOSYS = 1, 38
    _X86_64 = 0xC000003E
    _CLONE, _CLONE3, _CLONE_THREAD = 56, 435, 0x00010000
    # Numbers of x86-64. Sockets, other processes, the kernel's own machinery: nothing of it is ever
    # needed here.
    _REFUSED = (
        *(41, 42, 43, 44, 45, 46, 47, 49, 50, 53, 288, 299, 307),  # sockets
        *(57, 58, 59, 322),  # fork, vfork, execve, execveat
        *(
            62,
            101,
            129,
            297,
            310,
            311,
            434,
            438,
            424,
        ),  # other processes: signals, ptrace, memory, pidfd
        *(
            155,
            161,
            165,
            166,
            169,
            175,
            176,
            246,
            313,
            320,
            272,
            308,
        ),  # mounts, roots, modules, namespaces
        *(248, 249, 250, 298, 321, 323, 425, 426, 427),  # keys, perf, bpf, userfaultfd, io_uring
    )

    def cap_process(walls: Walls) -> None:
        """Cap the memory of this process, and of what it writes to files."""
        walls.stand("memory", lambda: cap_own_data(PROCESS_BYTES))

    def close_system(walls: Walls, scratch: Path) -> None:
        """Take from this process all files but those in `scratch`, and what it never calls."""
        walls.stand("files", lambda: _close_files(scratch))
        walls.stand("system calls", _close_calls)

    def _libc() -> ctypes.CDLL:
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall.restype = ctypes.c_long
        return libc

    def _called(number: int, *given: object) -> int:
        answer = int(_libc().syscall(ctypes.c_long(number), *given))
        if answer < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return answer

    def _renounce() -> None:
        if _libc().prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "PR_SET_NO_NEW_PRIVS")

    def _close_files(scratch: Path) -> None:
        """Landlock: for this thread and those that it starts, the runs' among them."""
        _renounce()
        handled = ctypes.c_uint64(_EVERY_RIGHT_OF_1)
        rules = _called(
            _CREATE_RULESET, ctypes.byref(handled), ctypes.c_size_t(8), ctypes.c_uint32(0)
        )
        try:
            folder = os.open(scratch, os.O_PATH | os.O_CLOEXEC)
            try:
                rule = ctypes.create_string_buffer(
                    struct.pack("=Qi", _READ_FILE | _READ_FOLDER, folder)
                )
                _called(
                    _ADD_RULE,
                    ctypes.c_int(rules),
                    ctypes.c_int(_PATH_BENEATH),
                    rule,
                    ctypes.c_uint32(0),
                )
            finally:
                os.close(folder)
            _called(_RESTRICT_SELF, ctypes.c_int(rules), ctypes.c_uint32(0))
        finally:
            os.close(rules)

    def _close_calls() -> None:
        """Seccomp, for every thread of the process."""
        if platform.machine() != "x86_64":
            raise OSError(_ENOSYS, "the numbers of another machine")
        _renounce()
        lines = [(0x20, 0, 0, 4), (0x15, 1, 0, _X86_64), (0x06, 0, 0, _KILL), (0x20, 0, 0, 0)]
        lines += [
            (0x35, 0, 1, 0x40000000),
            (0x06, 0, 0, _KILL),
        ]  # the other numbers of the same machine
        for number in _REFUSED:
            lines += [(0x15, 0, 1, number), (0x06, 0, 0, _ANSWER | _EPERM)]
        # The C library tries clone3 first, whose flags a filter cannot see, and then clone.
        lines += [(0x15, 0, 1, _CLONE3), (0x06, 0, 0, _ANSWER | _ENOSYS)]
        lines += [(0x15, 0, 3, _CLONE), (0x20, 0, 0, 16), (0x45, 1, 0, _CLONE_THREAD)]
        lines += [(0x06, 0, 0, _ANSWER | _EPERM), (0x06, 0, 0, _ALLOW)]
        filters = ctypes.create_string_buffer(
            b"".join(struct.pack("=HBBI", *each) for each in lines)
        )
        program = ctypes.create_string_buffer(
            struct.pack("@HP", len(lines), ctypes.addressof(filters))
        )
        _called(_SECCOMP, ctypes.c_uint(_SET_FILTER), ctypes.c_uint(_ALL_THREADS), program)

else:

    def cap_process(walls: Walls) -> None:
        """Do nothing: this system is not one that the program is shipped for."""

    def close_system(walls: Walls, scratch: Path) -> None:
        """Do nothing: this system is not one that the program is shipped for."""
