"""What code that has escaped from the engine would try, made from behind the product's own walls.

Started as the process of the sandbox (`python -m tests.sandbox.attempts FILE`): everything is the
product's, but a run whose code begins with ATTEMPTS makes them, by the kernel's own numbers
(x86-64). Where no wall refuses one, it does as little harm as one of its kind can.
"""

import ctypes
import errno
import json
import os
import socket
import struct
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from qhub_desktop.__main__ import CHILDREN
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.processes import child

ATTEMPTS = "# attempts "  # the JSON of the targets follows
REFUSALS = ("EPERM", "EACCES", "ENOSYS")
HERE = -100  # AT_FDCWD
OPENAT, EVERYBODY = 257, 0o777
READING, WRITING = os.O_RDONLY | os.O_CLOEXEC, os.O_WRONLY | os.O_CLOEXEC
NO_CORE = struct.pack("QQ", 0, 0)

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_room = ctypes.create_string_buffer(4_096)

Argument = int | bytes | ctypes.Array[ctypes.c_char] | None
Calls = dict[str, tuple[Argument, ...]]


def call(number: int, *given: Argument) -> str:
    """Make a system call; return the name of the error that it is answered with, or "done"."""
    plain = [ctypes.c_long(each) if isinstance(each, int) else each for each in given]
    if _libc.syscall(ctypes.c_long(number), *plain) >= 0:
        return "done"
    return errno.errorcode[ctypes.get_errno()]


@dataclass(frozen=True, slots=True)
class Opened:
    """Numbers of what was open before the walls stood."""

    file: int
    terminal: int
    local: int  # a socket of the computer's own
    tcp: int
    udp: int


def on_files(file: bytes, handed: bytes, opened: Opened) -> Calls:
    """Return calls that tell of a file, change it, or write beside what was handed over."""
    return {
        "truncate": (76, file, 0),
        "ftruncate": (77, opened.file, 0),
        "fallocate": (285, opened.file, 0, 0, 9),
        "write": (18, opened.terminal, b"a", 1, 0),  # pwrite64
        "chmod": (90, file, EVERYBODY),
        "fchmod": (91, opened.file, EVERYBODY),
        "fchmodat": (268, HERE, file, EVERYBODY),
        "fchmodat2": (452, HERE, file, EVERYBODY, 0),
        "chown": (92, file, 1, 1),
        "fchown": (93, opened.file, 1, 1),
        "lchown": (94, file, 1, 1),
        "fchownat": (260, HERE, file, 1, 1, 0),
        "utime": (132, file, None),
        "utimes": (235, file, None),
        "futimesat": (261, HERE, file, None),
        "utimensat": (280, HERE, file, None, 0),
        "futimens": (280, opened.file, None, None, 0),
        "setxattr": (188, file, b"user.a", b"b", 1, 0),
        "fsetxattr": (190, opened.file, b"user.a", b"b", 1, 0),
        "removexattr": (197, file, b"user.kept"),
        "listxattr": (194, file, _room, 4_096),
        "stat": (4, file, _room),
        "newfstatat": (262, HERE, file, _room, 0),
        "statx": (332, HERE, file, 0, 0x7FF, _room),
        "access": (21, file, 4),
        "readlink": (89, b"/proc/self/exe", _room, 4_096),
        "chdir": (80, b"/"),
        "statfs": (137, file, _room),
        "rename": (82, file, file + b"2"),
        "link": (86, file, file + b"2"),
        "symlink": (88, file, file + b"2"),
        "unlink": (87, file),
        "mkdir": (83, file + b"2", EVERYBODY),
        "mknod": (133, file + b"2", 0o010600, 0),
        "open to read": (OPENAT, HERE, file, READING, 0),
        "open by the old number": (2, handed, os.O_RDONLY, 0),
        "open by the new number": (437, HERE, handed, _room, 24),
        "open to write": (OPENAT, HERE, file, WRITING, 0),
        "open to empty": (OPENAT, HERE, file, READING | os.O_TRUNC, 0),
        "open as a path": (OPENAT, HERE, file, 0o12000000, 0),  # O_PATH | O_CLOEXEC
        "open a folder": (OPENAT, HERE, b"/", READING, 0),
        "open its own memory": (OPENAT, HERE, b"/proc/self/mem", READING, 0),
        "make one beside": (OPENAT, HERE, handed + b"2", WRITING | os.O_CREAT, EVERYBODY),
        "make one without a name": (OPENAT, HERE, b"/tmp", WRITING | 0o20200000, EVERYBODY),
        "write what was handed over": (OPENAT, HERE, handed, WRITING, 0),
        "empty what was handed over": (76, handed, 0),
        "name_to_handle_at": (303, HERE, file, struct.pack("IiQ", 8, 0, 0), _room, 0),
        "open_by_handle_at": (304, HERE, struct.pack("IiQ", 8, 0, 0), 0),
        "inotify_init1": (294, 0),
        "fanotify_init": (300, 0, 0),
        "memfd_create": (319, b"a", 0),
        "umask": (95, 0),
    }


def on_processes(parent: int, opened: Opened) -> Calls:
    """Return calls that reach other processes, or start some."""
    thread_flags = 0x3D0F00  # as the C library makes a thread
    return {
        "kill": (62, parent, 0),
        "kill all": (62, -1, 0),
        "tgkill": (234, parent, parent, 0),
        "tkill": (200, parent, 0),
        "rt_sigqueueinfo": (129, parent, 0, _room),
        "rt_tgsigqueueinfo": (297, parent, parent, 0, _room),
        "pidfd_open": (434, parent, 0),
        "pidfd_send_signal": (424, opened.file, 0, None, 0),
        "pidfd_getfd": (438, opened.file, 0, 0),
        "F_SETOWN": (72, opened.local, 8, parent),
        "F_SETSIG": (72, opened.local, 10, 9),
        "F_SETLEASE": (72, opened.file, 1_024, 0),
        "prlimit, to read": (302, parent, 7, None, _room),
        "prlimit, to write": (302, parent, 4, NO_CORE, None),
        "prlimit, of its own": (302, 0, 4, NO_CORE, None),
        "setrlimit": (160, 4, NO_CORE),
        "sched_setaffinity": (203, parent, 8, struct.pack("Q", 1)),
        "sched_getaffinity": (204, parent, 4_096, _room),
        "sched_setscheduler": (144, parent, 3, struct.pack("i", 0)),  # SCHED_BATCH
        "sched_setparam": (142, parent, struct.pack("i", 0)),
        "sched_setattr": (314, parent, struct.pack("IIQiIQQQ", 48, 3, 0, 0, 0, 0, 0, 0), 0),
        "setpriority": (141, 0, parent, 19),
        "ioprio_set": (251, 1, parent, 0x6000),
        "setpgid": (109, 0, 0),
        "getpgid": (121, parent),
        "setsid": (112,),
        "ptrace": (101, 0x4206, parent, 0, 0),  # PTRACE_SEIZE
        "process_vm_readv": (310, parent, None, 0, None, 0, 0),
        "process_vm_writev": (311, parent, None, 0, None, 0, 0),
        "process_madvise": (440, opened.file, None, 0, 0, 0),
        "kcmp": (312, parent, parent, 0, 0, 0),
        "move_pages": (279, parent, 0, None, None, None, 0),
        "fork": (57,),
        "fork as clone": (56, 17, 0, None, None, 0),
        "thread with a world of its own": (56, thread_flags | 0x10000000, 0, None, None, 0),
        "thread that a debugger gets": (56, thread_flags | 0x2000, 0, None, None, 0),
        "clone3": (435, bytes(88), 88),
        "execve": (59, b"/bin/true", None, None),
        "execveat": (322, HERE, b"/bin/true", None, None, 0),
    }


def on_network(abstract: str, tcp_port: int, udp_port: int, opened: Opened) -> Calls:
    """Return calls that reach the network, or other programs without it."""
    local = struct.pack("H", socket.AF_UNIX) + b"\0" + abstract.encode()
    tcp, udp = (
        struct.pack("=HH4s8x", socket.AF_INET, socket.htons(port), socket.inet_aton("127.0.0.1"))
        for port in (tcp_port, udp_port)
    )
    return {
        "socket of the network": (41, 2, 1, 0),
        "socket of the computer": (41, 1, 1, 0),
        "socketpair": (53, 1, 1, 0, _room),
        "connect to an abstract name": (42, opened.local, local, len(local)),
        "connect to a port": (42, opened.tcp, tcp, len(tcp)),
        "bind": (49, opened.local, local + b"2", len(local) + 1),
        "listen": (50, opened.tcp, 1),
        "sendto": (44, opened.udp, b"a", 1, 0, udp, len(udp)),
        "sendmsg": (46, opened.udp, bytes(56), 0),
        "io_uring_setup": (425, 1, _room),
        "shmget": (29, 0, 4_096, 0o1600),
        "msgget": (68, 0, 0o1600),
        "semget": (64, 0, 1, 0o1600),
        "mq_open": (240, b"qhub", 0o102, 0o600, None),
    }


def on_the_kernel(opened: Opened) -> Calls:
    """Return calls that change the computer, or what this process may run."""
    nowhere = b"/nowhere"
    return {
        "TIOCSTI": (16, opened.terminal, 0x5412, b"x"),
        "TIOCSTI with more bits": (16, opened.terminal, 0x5412 | 1 << 32, b"x"),
        "an ioctl that reads": (16, opened.terminal, 0x5401, _room),
        "memory that runs": (9, None, 4_096, 7, 0x22, -1, 0),
        "memory that runs, of a file": (9, None, 4_096, 5, 2, opened.file, 0),
        "mprotect": (10, None, 4_096, 5),
        "pkey_mprotect": (329, None, 4_096, 5, -1),
        "remap_file_pages": (216, None, 4_096, 0, 0, 0),
        "personality": (135, 0x0400000),
        "prctl": (157, 4, 1, 0, 0, 0),
        "arch_prctl": (158, 0x1003, _room),
        "mount": (165, b"a", nowhere, b"tmpfs", 0, None),
        "umount2": (166, nowhere, 2),
        "fsopen": (430, b"tmpfs", 0),
        "fsmount": (432, opened.file, 0, 0),
        "open_tree": (428, HERE, nowhere, 0),
        "move_mount": (429, HERE, nowhere, HERE, nowhere, 0),
        "mount_setattr": (442, HERE, nowhere, 0, _room, 32),
        "chroot": (161, nowhere),
        "pivot_root": (155, nowhere, nowhere),
        "setns": (308, opened.file, 0),
        "unshare": (272, 0),
        "quotactl": (179, 0, None, 0, None),
        "bpf": (321, 0, _room, 48),
        "perf_event_open": (298, _room, 0, -1, -1, 0),
        "userfaultfd": (323, 1),
        "keyctl": (250, 0, -3, 0),
        "add_key": (248, b"user", b"a", b"b", 1, -3),
        "seccomp": (317, 2, 0, struct.pack("I", 0x7FFF0000)),
        "landlock_create_ruleset": (444, None, 0, 1),
        "setresuid": (117, -1, -1, -1),
        "setresgid": (119, -1, -1, -1),
        "capset": (126, _room, _room),
        "settimeofday": (164, None, None),
        "clock_adjtime": (305, 0, _room),
        "sethostname": (170, None, -1),
        "syslog": (103, 10, None, 0),
        "init_module": (175, None, 0, None),
        "kexec_load": (246, 0, 0, None, 0xFFFF0000),
        "splice": (275, opened.file, None, opened.file, None, 0, 0),
        "timer_create": (222, 0, None, _room),
        "a number of the other width": (0x40000000 | 39,),
        "a number that is none": (9_999,),
        "no number": (-1,),
    }


# What the engine may need on another computer, where these are not answered without the kernel.
HARMLESS: Calls = {
    "gettimeofday": (96, _room, None),
    "time": (201, None),
    "clock_gettime": (228, 1, _room),
    "clock_getres": (229, 1, _room),
    "getcpu": (309, _room, None, None),
    "nanosleep": (35, bytes(16), None),
    "sched_yield": (24,),
    "getpid": (39,),
    "a signal to itself": (234, os.getpid(), os.getpid(), 0),
}


class _Attacker:
    """Makes the attempts, on three threads of the process."""

    def __init__(self, path: str) -> None:
        import pty  # Windows, which only looks for tests here, has none

        kinds = (socket.AF_UNIX, 1), (socket.AF_INET, 1), (socket.AF_INET, 2)
        sockets = [socket.socket(family, kind).detach() for family, kind in kinds]
        self._opened = Opened(os.open(path, os.O_RDONLY), pty.openpty()[1], *sockets)
        self._on_listener = ""
        self._listen_first()

    def run(self, asked: Mapping[str, Any]) -> Mapping[str, str]:
        """Return how each attempt was answered."""
        file, handed = os.fsencode(asked["file"]), os.fsencode(asked["handed"])
        ports = asked["abstract"], asked["tcp_port"], asked["udp_port"]
        tried = (
            on_files(file, handed, self._opened)
            | on_processes(asked["parent"], self._opened)
            | on_network(*ports, self._opened)
            | on_the_kernel(self._opened)
            | HARMLESS
        )
        told = {name: call(*each) for name, each in tried.items()}  # type: ignore[arg-type]
        told["open on the thread that listens"] = self._on_listener

        def late() -> None:
            told["open on a new thread"] = call(OPENAT, HERE, file, READING, 0)

        thread = threading.Thread(target=late)
        thread.start()
        thread.join()
        return told | {"open what was handed over": call(OPENAT, HERE, handed, READING, 0)}

    def _listen_first(self) -> None:
        """On the thread that listens, try to open a file as soon as a request comes."""
        read = child._read

        def read_and_try(pipe: IO[bytes], *, limit_bytes: int | None = None) -> Json:
            message = read(pipe, limit_bytes=limit_bytes)
            if ATTEMPTS in str(message):
                self._on_listener = call(OPENAT, HERE, b"/etc/passwd", READING, 0)
            return message

        child._read = read_and_try


def main() -> int:
    """Be the process of the sandbox, until its parent ends it."""
    from qhub_desktop.sandbox import engine

    attacker = _Attacker(sys.argv[1])
    run: Callable[..., engine.Finished] = engine.Engine.run

    def attack(
        self: engine.Engine, request: JsonObject, inputs: Mapping[str, Path], **limits: Any
    ) -> engine.Finished:
        code = str(request["codigo"])
        if not code.startswith(ATTEMPTS):
            return run(self, request, inputs, **limits)
        told = attacker.run(json.loads(code.removeprefix(ATTEMPTS)))
        refused = [name for name, answer in told.items() if answer in REFUSALS]
        other = {name: answer for name, answer in told.items() if name not in refused}
        return engine.Finished("done", json.dumps([len(refused), other]), b"{}", 1)

    engine.Engine.run = attack  # type: ignore[method-assign]
    return child.serve("python", CHILDREN)


if __name__ == "__main__":
    raise SystemExit(main())
