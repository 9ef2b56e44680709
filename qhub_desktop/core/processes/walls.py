"""Walls of the system's own around a process that reads or runs what nobody trusts.

On Linux, Landlock takes its files and seccomp the kernel's calls; on Windows its job, its
privileges and its integrity are lowered. A process that computes has those few calls that it needs;
one that serves on loopback has all but those that would start, change or reach something else.
Which walls stand, and which do not, is told.
"""

# Why it is so: decisions/sandbox.md

import contextlib
import ctypes
import errno
import os
import platform
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from qhub_desktop.core.processes.child import cap_own_data

THREADS_END_S = 2.0


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

    def cap_process(walls: Walls, memory_bytes: int) -> None:
        """Cap the memory of this process, and let it start no other; tell what holds.

        A system may take a limit and not keep it, so both are tried.
        """

        def cap() -> object:
            job = cap_own_data(memory_bytes)  # nobody closes it: it holds as long as the process
            _expect_no_room(memory_bytes)
            return job

        walls.stand("memory", cap)
        walls.stand("one process", _expect_no_process)

    def close_system(walls: Walls, files: Sequence[Path], *, serves: bool = False) -> None:  # noqa: ARG001  as elsewhere
        """Put this process at low integrity, where nothing of the person's can be written.

        Both hold for good: what is removed from a token, or lowered in it, does not come back.
        """
        walls.stand("no privileges", _drop_privileges)
        walls.stand("low integrity", _lower_integrity)

    def _expect_no_room(memory_bytes: int) -> None:
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.VirtualAlloc.restype = ctypes.c_void_p
        sizes = ctypes.c_size_t, ctypes.c_uint32
        kernel.VirtualAlloc.argtypes = ctypes.c_void_p, *sizes, ctypes.c_uint32
        kernel.VirtualFree.argtypes = ctypes.c_void_p, *sizes
        room = kernel.VirtualAlloc(None, memory_bytes, _MEM_COMMIT_AND_RESERVE, _PAGE_READWRITE)
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
    _CONNECT = 2  # by TCP
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

    # What a server on loopback may not call: what starts, changes, signals or reaches others.
    _REFUSED_CALLS = (
        *(42, 46, 307, 425),  # connect, sendmsg, sendmmsg, io_uring_setup
        *(57, 58, 59, 322, 435),  # fork, vfork, execve, execveat, clone3
        *(62, 200, 101, 310, 311),  # kill, tkill, ptrace, process_vm_readv and _writev
        *(2, 85, 437, 76, 77),  # open, creat, openat2, truncate, ftruncate
        *(82, 264, 316, 86, 265, 88, 266, 87, 263, 83, 258, 84, 133, 259),  # names of files
        *(90, 91, 268, 92, 93, 94, 260, 132, 235, 261, 280, 188, 189, 190),  # their attributes
        *(161, 165, 166, 272, 308, 321, 298, 248, 249, 250, 155, 175, 313),  # the system itself
    )
    _CHECKED_OF_SERVER = {
        9: (2, _CODE, 0),  # mmap
        10: (2, _CODE, 0),  # mprotect
        257: (2, os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0),  # openat
        41: (1, 0xF, socket.SOCK_STREAM),  # socket
        44: (3, socket.MSG_FASTOPEN, 0),  # sendto, which would connect
        56: (0, _ALL_BITS & ~_WITH_THREAD, _THREAD),  # clone
        302: (0, _ALL_BITS, 0),  # prlimit64
        234: (0, _ALL_BITS, os.getpid()),  # tgkill
    }

    class _Calls(NamedTuple):
        """What a filter says of the kernel's calls."""

        checked: Mapping[int, tuple[int, int, int]]
        listed: tuple[int, ...]
        answer: int  # to those listed
        others: int

    def cap_process(walls: Walls, memory_bytes: int) -> None:
        """Cap the memory of this process, and of what it writes to files."""

        def cap() -> None:
            cap_own_data(memory_bytes)
            _expect_no_room(memory_bytes)

        walls.stand("memory", cap)

    def close_system(walls: Walls, files: Sequence[Path], *, serves: bool = False) -> None:
        """Take from this process all files but `files` and what lies in them, and most calls.

        One that `serves` may listen and be spoken to, but connects to nobody. A system may take a
        wall and not keep it, so each is tried.
        """
        parent = os.getppid()  # behind the walls nobody tells
        walls.stand("files", lambda: _close_files(files, serves=serves))
        walls.stand("system calls", lambda: _close_calls(_serving() if serves else _computing()))
        if serves:
            walls.stand("network", _expect_no_connection)
            return
        walls.stand("network", _expect_no_network)
        walls.stand("other processes", lambda: _expect_no_other_processes(parent))

    def _expect_no_room(memory_bytes: int) -> None:
        try:
            room = mmap.mmap(-1, memory_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
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

    def _close_files(readable: Sequence[Path], *, serves: bool) -> None:
        """Landlock, with all that this kernel's can: for this thread and those that it starts."""
        abi = _landlock_abi()
        files = max(count for since, count in _FILE_RIGHTS.items() if since <= abi)
        network, scope = (_BOTH * (abi >= since) for since in (_HAS_NETWORK, _HAS_SCOPE))
        if serves:
            network &= _CONNECT
        # An older kernel takes what is longer than it knows, if the rest is zeros.
        handled = struct.pack("=QQQ", (1 << files) - 1, network, scope)
        _renounce()
        rules = _called(_CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), ctypes.c_uint32(0))
        try:
            for each in readable:
                place = os.open(each, os.O_PATH | os.O_CLOEXEC)
                try:
                    rule = struct.pack("=Qi", _READ_FILE, place)
                    _called(
                        _ADD_RULE,
                        ctypes.c_int(rules),
                        ctypes.c_int(_PATH_BENEATH),
                        rule,
                        ctypes.c_uint32(0),
                    )
                finally:
                    os.close(place)
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

    def _close_calls(list_: _Calls) -> None:
        """Seccomp, for every thread of the process.

        What may not be called is answered as by a kernel that lacks it, for which libraries have
        another way (a thread is made by clone3, whose flags a filter cannot see, else by clone).
        Ending the process instead would take the safe Python from a computer whose C library makes
        one harmless call that was not seen here.
        """
        if platform.machine() != "x86_64":
            raise OSError(errno.ENOSYS, "the numbers of another machine")
        _renounce()
        lines = [(_LOAD, 0, 0, _MACHINE_AT), (_IS_EQUAL, 1, 0, _X86_64), (_RETURN, 0, 0, _KILL)]
        lines += [(_LOAD, 0, 0, _NUMBER_AT)]
        for number, (argument, bits, value) in list_.checked.items():
            lines += [(_IS_EQUAL, 0, 5, number), (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * argument)]
            lines += [(_AND, 0, 0, bits), (_IS_EQUAL, 0, 1, value)]
            lines += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _ANSWER | errno.EPERM)]
        for number in list_.listed:
            lines += [(_IS_EQUAL, 0, 1, number), (_RETURN, 0, 0, list_.answer)]
        lines += [(_RETURN, 0, 0, list_.others)]
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

    def _computing() -> _Calls:
        # Others also by the numbers of the other width of addresses, which have a bit of their own.
        return _Calls(_CHECKED_CALLS, _CALLS, _ALLOW, _ANSWER | errno.ENOSYS)

    def _serving() -> _Calls:
        return _Calls(_CHECKED_OF_SERVER, _REFUSED_CALLS, _ANSWER | errno.ENOSYS, _ALLOW)

    def _expect_no_connection() -> None:
        def connect() -> None:
            with socket.socket() as tried:
                tried.connect(("127.0.0.1", 9))

        _expect_refused(
            {
                "a connection": connect,
                "a datagram": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
                "a program": lambda: os.execve("", ["a"], {}),  # noqa: S606  there is none
                "a signal": lambda: os.kill(os.getppid(), 0),
            }
        )

else:

    def cap_process(walls: Walls, memory_bytes: int) -> None:
        """Do nothing: this system is not one that the program is shipped for."""

    def close_system(walls: Walls, files: Sequence[Path], *, serves: bool = False) -> None:
        """Do nothing: this system is not one that the program is shipped for."""
