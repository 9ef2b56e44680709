"""The processes of the sandbox: one that makes the engine, and one that runs code in it.

The guest is held by the engine. Around it stand walls of the system's own, for the case that the
engine has a hole: the process has no key, no environment but a few variables, and no handle of its
parent's but two pipes. On Linux it can start, signal and change no other process, open no socket,
and read, write and change no file of the person's: of the kernel's calls it has those few that the
engine needs. On Windows it can start no other process, and write nothing of the person's.
Which walls stand here, and which do not, is told, for the page of diagnostics.
"""

# Why it is so: decisions/sandbox.md

import contextlib
import ctypes
import errno
import json
import os
import platform
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.packs import SAFE_PYTHON, PackMissingError
from qhub_desktop.core.processes.child import Parent, cap_own_data
from qhub_desktop.sandbox.pack import own_library

if TYPE_CHECKING:
    from qhub_desktop.sandbox.engine import Finished

# Of the whole process: its own, the guest's image, and the guest's data. Windows counts in what is
# mapped to be copied when it is written to: the compiled module.
PROCESS_BYTES = (1_280 if sys.platform == "win32" else 1_024) * 2**20
RESULT_DEPTH = 12
THREADS_END_S = 2.0
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
        cap_process(walls)
        is_unprepared = SAFE_PYTHON.wanted() is None and engines.find() is None
        engine = engines.load()
    except PackMissingError as error:
        parent.send({"missing": str(error), "unprepared": is_unprepared})
        parent.listen()
        parent.receive()
        raise SystemExit(0) from error
    close_system(walls, Path(greeting["scratch"]))
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


class Walls:
    """Walls that stand around this process, by name, with what keeps them standing."""

    def __init__(self) -> None:
        self.standing: list[str] = []
        self.missing: dict[str, str] = {}  # why they do not stand
        self._kept: list[object] = []

    def stand(self, name: str, build: Callable[[], object]) -> None:
        """Build a wall; where the system lacks that kind, note that it does not hold."""
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
    import mmap
    import resource
    import socket

    _NO_NEW_PRIVILEGES = 38
    _CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF, _SECCOMP = 444, 445, 446, 317
    _ASK_ABI, _PATH_BENEATH, _READ_FILE = 1, 1, 1 << 2
    # How many rights on files Landlock has, by the version of its ABI: the later ones are to move
    # between folders, to truncate, and to control devices.
    _FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
    # From these versions on: to bind and connect by TCP; signals and abstract sockets of others.
    _HAS_NETWORK, _HAS_SCOPE, _BOTH = 4, 6, 3
    _SET_FILTER, _ALL_THREADS = 1, 1
    _LOAD, _AND, _IS_EQUAL, _RETURN = 0x20, 0x54, 0x15, 0x06
    _MACHINE_AT, _NUMBER_AT, _ARGUMENTS_AT = 4, 0, 16
    _ALLOW, _ANSWER, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
    _X86_64 = 0xC000003E
    _REFUSALS = (errno.EPERM, errno.EACCES, errno.ENOSYS)

    # What may be called behind the walls, by the numbers of x86-64: what the sandbox's tests were
    # seen to call there, and what other kernels, processors and C libraries call in its place.
    _CALLS = (
        *(0, 1, 3, 8),  # read, write, close, lseek
        *(11, 12, 25, 28),  # munmap, brk, mremap, madvise
        *(202, 24, 39, 186),  # threads: futex, sched_yield, getpid, gettid
        *(273, 334, 60, 231),  # their begin and end: set_robust_list, rseq, exit, exit_group
        *(13, 14, 15, 131),  # a trap: rt_sigaction, rt_sigprocmask, rt_sigreturn, sigaltstack
        *(35, 230, 219),  # nanosleep, clock_nanosleep; restart_syscall, after a computer has slept
        # gettimeofday, time, clock_gettime, clock_getres, getcpu: on most computers they are read
        # without the kernel.
        *(96, 201, 228, 229, 309),
        318,  # getrandom
    )
    # What may be called if an argument is as here: which one, its bits that count, and their value.
    # Nothing becomes code behind the walls: what is compiled was mapped before.
    _ALL_BITS = 0xFFFFFFFF
    _CODE = 4  # PROT_EXEC
    _COPY_OF_DESCRIPTOR = 1_030  # F_DUPFD_CLOEXEC, for a mapping; other wishes have signals sent
    _READING = os.O_RDONLY | os.O_CLOEXEC
    # Flags that a thread of this process must have (one memory, one set of handlers), and may have:
    # a new process, a namespace and a debugger are not among them.
    _THREAD, _WITH_THREAD = 0x10900, 0x17C0600
    _CHECKED_CALLS = {
        9: (2, _CODE, 0),  # mmap
        10: (2, _CODE, 0),  # mprotect
        72: (1, _ALL_BITS, _COPY_OF_DESCRIPTOR),  # fcntl
        257: (2, _ALL_BITS, _READING),  # openat: Landlock says of what
        56: (0, _ALL_BITS & ~_WITH_THREAD, _THREAD),  # clone
        234: (0, _ALL_BITS, os.getpid()),  # tgkill: a process aborts by a signal to itself
    }

    def cap_process(walls: Walls) -> None:
        """Cap the memory of this process, and of what it writes to files."""

        def cap() -> None:
            cap_own_data(PROCESS_BYTES)
            _expect_no_room()

        walls.stand("memory", cap)

    def close_system(walls: Walls, scratch: Path) -> None:
        """Take from this process all files but those in `scratch`, and what it never calls.

        A system may take a wall and not keep it, so each is tried.
        """
        parent = os.getppid()  # behind the walls nobody tells
        walls.stand("files", lambda: _close_files(scratch))
        walls.stand("system calls", _close_calls)
        walls.stand("network", _expect_no_network)
        walls.stand("other processes", lambda: _expect_no_other_processes(parent))

    def _expect_no_room() -> None:
        try:
            room = mmap.mmap(-1, PROCESS_BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        except OSError:
            return
        room.close()
        raise OSError("the limit of memory is not kept")

    def _expect_refused(attempts: Mapping[str, Callable[[], object]]) -> None:
        """Make attempts that harm nothing where they succeed. Raises OSError where one is not
        refused.
        """
        for name, attempt in attempts.items():
            try:
                attempt()
            except OSError as error:
                if error.errno in _REFUSALS:
                    continue
            raise OSError(f"not refused: {name}")

    def _expect_no_network() -> None:
        _expect_refused(
            {
                "a socket of the network": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
                "a socket of the computer": lambda: socket.socket(socket.AF_UNIX),
            }
        )

    def _expect_no_other_processes(parent: int) -> None:
        _expect_refused(
            {
                "a signal": lambda: os.kill(parent, 0),
                "limits": lambda: resource.prlimit(parent, resource.RLIMIT_CORE),
                "a priority": lambda: os.getpriority(os.PRIO_PROCESS, parent),
                "a program": lambda: os.execve("", ["a"], {}),  # noqa: S606  there is none
            }
        )

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

    def _landlock_abi() -> int:
        return _called(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_ASK_ABI))

    def _close_files(scratch: Path) -> None:
        """Landlock, with all that this kernel's can: for this thread and those that it starts."""
        abi = _landlock_abi()
        files = max(count for since, count in _FILE_RIGHTS.items() if since <= abi)
        network, scope = (_BOTH * (abi >= since) for since in (_HAS_NETWORK, _HAS_SCOPE))
        # An older kernel takes what is longer than it knows, if the rest is zeros.
        handled = struct.pack("=QQQ", (1 << files) - 1, network, scope)
        _renounce()
        rules = _called(_CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), ctypes.c_uint32(0))
        try:
            folder = os.open(scratch, os.O_PATH | os.O_CLOEXEC)
            try:
                rule = struct.pack("=Qi", _READ_FILE, folder)
                _called(
                    _ADD_RULE,
                    ctypes.c_int(rules),
                    ctypes.c_int(_PATH_BENEATH),
                    rule,
                    ctypes.c_uint32(0),
                )
            finally:
                os.close(folder)
            is_alone = _is_alone()
            _called(_RESTRICT_SELF, ctypes.c_int(rules), ctypes.c_uint32(0))
        finally:
            os.close(rules)
        _expect_refused({"a folder": lambda: os.open("/", os.O_RDONLY)})
        if not is_alone:
            raise OSError("a thread that was there before stands outside")

    def _is_alone() -> bool:
        """Return whether this thread is the only one; those that have ended may take a moment."""
        given_up_at = time.monotonic() + THREADS_END_S
        while len([*Path("/proc/self/task").iterdir()]) > 1:
            if time.monotonic() > given_up_at:
                return False
            time.sleep(0.001)
        return True

    def _close_calls() -> None:
        """Seccomp, for every thread of the process.

        What is not on the list is answered as by a kernel that lacks it, for which libraries have
        another way (a thread is made by clone3, whose flags a filter cannot see, else by clone).
        Ending the process instead would take the safe Python from a computer whose C library makes
        one harmless call that was not seen here.
        """
        if platform.machine() != "x86_64":
            raise OSError(errno.ENOSYS, "the numbers of another machine")
        _renounce()
        lines = [(_LOAD, 0, 0, _MACHINE_AT), (_IS_EQUAL, 1, 0, _X86_64), (_RETURN, 0, 0, _KILL)]
        lines += [(_LOAD, 0, 0, _NUMBER_AT)]
        for number, (argument, bits, value) in _CHECKED_CALLS.items():
            lines += [(_IS_EQUAL, 0, 5, number), (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * argument)]
            lines += [(_AND, 0, 0, bits), (_IS_EQUAL, 0, 1, value)]
            lines += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _ANSWER | errno.EPERM)]
        for number in _CALLS:
            lines += [(_IS_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
        # Also the numbers of the other width of addresses, which have a bit of their own.
        lines += [(_RETURN, 0, 0, _ANSWER | errno.ENOSYS)]
        filters = ctypes.create_string_buffer(
            b"".join(struct.pack("=HBBI", *each) for each in lines)
        )
        program = ctypes.create_string_buffer(
            struct.pack("@HP", len(lines), ctypes.addressof(filters))
        )
        _called(_SECCOMP, ctypes.c_uint(_SET_FILTER), ctypes.c_uint(_ALL_THREADS), program)
        _expect_refused(
            {
                "to truncate": lambda: os.truncate("", 0),
                "a mode": lambda: os.fchmod(-1, 0),
                "a date": lambda: os.utime(""),
                "an attribute": lambda: os.setxattr("", "user.a", b""),
                "to write": lambda: os.open(os.devnull, os.O_WRONLY),
                "code": lambda: mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_EXEC),
            }
        )

else:

    def cap_process(walls: Walls) -> None:
        """Do nothing: this system is not one that the program is shipped for."""

    def close_system(walls: Walls, scratch: Path) -> None:
        """Do nothing: this system is not one that the program is shipped for."""
