"""Child processes: messages over pipes, a cap on memory, killable at any time.

A file or a query that is hostile, endless or too large takes down a process of its own, never the
window.

Both ends speak JSON, one message a frame: what comes back may come from a process that ran
model-written SQL, so nothing is ever unpickled. Large answers are sent as many small messages: a
parser holds the interpreter's lock for as long as one message takes.
"""

# Why it is so: decisions/processes.md

import contextlib
import ctypes
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping
from importlib import import_module
from types import TracebackType
from typing import IO, Literal

from qhub_desktop.core import text
from qhub_desktop.core.codec import Json
from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.untrusted import SECRET_NAME, hide_secrets, redact

MEMORY_MB = 2_048  # the cap of whatever computes
# The longest message of a child: its first four bytes may be nonsense, and would ask for 4 GB.
FRAME_LIMIT_BYTES = 64 * 2**20
# What Python, the C runtime and the packaged program's loader need. Keys are not among it.
KEPT_VARIABLES = {
    "COMSPEC",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LD_LIBRARY_PATH",
    "PATH",
    "PROCESSOR_ARCHITECTURE",  # what Python 3.11 on Windows knows its machine by
    "PYTHONHOME",
    "PYTHONPATH",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
    "TZ",
    "WINDIR",
}
# What Qt and its web engine need as well: the person's folders, the screen, fonts, input methods.
PAGE_VARIABLES = {
    *("ALLUSERSPROFILE", "APPDATA", "COMMONPROGRAMFILES", "COMMONPROGRAMFILES(X86)"),
    *("COMMONPROGRAMW6432", "COMPUTERNAME", "DRIVERDATA", "HOMEDRIVE", "HOMEPATH", "HOMESHARE"),
    *("LOCALAPPDATA", "LOGONSERVER", "NUMBER_OF_PROCESSORS", "ONEDRIVE", "ONEDRIVECOMMERCIAL"),
    *("OS", "PATHEXT", "PROCESSOR_IDENTIFIER", "PROCESSOR_LEVEL", "PROCESSOR_REVISION"),
    *("PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432", "PUBLIC", "SESSIONNAME"),
    *("USERDNSDOMAIN", "USERDOMAIN", "USERDOMAIN_ROAMINGPROFILE", "USERNAME", "USERPROFILE"),
    *("DBUS_SESSION_BUS_ADDRESS", "DESKTOP_SESSION", "DISPLAY", "HOME", "ICEAUTHORITY", "LANGUAGE"),
    *("LOGNAME", "SESSION_MANAGER", "SSL_CERT_DIR", "SSL_CERT_FILE", "USER", "WAYLAND_DISPLAY"),
    *("XAUTHORITY", "XMODIFIERS"),
}
PAGE_PREFIXES = (
    *("AT_SPI_", "EGL_", "FONTCONFIG_", "GDK_", "GTK_", "IBUS_", "KDE_", "LC_", "LD_", "LIBGL_"),
    *("MESA_", "QT_", "QTWEBENGINE_", "XCURSOR_", "XDG_", "XKB_"),
)
NICENESS = 10
PAUSES = "pauses"  # in a message: the child listens for no other until it has put up its walls
Priority = Literal["normal", "low"]  # low: whatever has a window goes first
Environment = Literal["least", "pages"]  # pages: for a web engine
KEPT_PREFIX = "_PYI_"  # a packaged program's child finds what its parent has unpacked
_LOGIN = re.compile(r"://[^/\s]*@")  # a name and a password before a host
OUR_PREFIXES = ("ANTHROPIC_", "QHUB_")


class ChildGoneError(Exception):
    """The child ended, or spoke nonsense, before its answer was whole."""


class ChildMemoryError(ChildGoneError):
    """The child needed more memory than its cap, or than there is."""


_OUT_OF_MEMORY = 86  # the exit code of a child that says so
_ENDED_FOR_MEMORY = {
    _OUT_OF_MEMORY,
    # A library in C++ or Rust that gets no memory aborts; the system kills what takes the last.
    *(-signal.SIGABRT, -getattr(signal, "SIGKILL", signal.SIGABRT)),
    0xC0000017,  # STATUS_NO_MEMORY
    0xC000012D,  # STATUS_COMMITMENT_LIMIT
    0xC0000409,  # how Windows ends a program that aborts
}
_END_S = 5  # between the end of a child's pipe and its own


class Child:
    """A running child process, owned until closed. Raises ChildGoneError if it cannot be started.

    One thread may send and receive; any thread may kill.
    """

    def __init__(
        self,
        mode: str,
        *,
        memory_mb: int | None = MEMORY_MB,
        priority: Priority = "normal",
        environment: Environment = "least",
    ) -> None:
        """Start the process. `memory_mb` may be None for a web engine, which reserves terabytes of
        addresses.
        """
        try:
            self._process = subprocess.Popen(
                command(mode),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment_of(environment),
                creationflags=_creation_flags(priority),
            )
        except OSError as error:
            raise ChildGoneError("it could not be started") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to = self._process.stdin
        self._from = self._process.stdout
        self._job = contextlib.ExitStack()
        self._is_killed = False
        try:
            self._job.callback(_assign_to_job(self._process).close)
            self.send({"language": text.language(), "memory_mb": memory_mb, "priority": priority})
        except OSError as error:
            self.close()
            # Without one, nothing would end it with us: it was left running.
            raise ChildGoneError("it could not be put into a job object") from error
        except ChildGoneError:
            self.close()
            raise

    @property
    def is_alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def send(self, message: Json) -> None:
        """Send a message. Raises ChildGoneError."""
        try:
            _write(self._to, message)
        except OSError as error:
            raise ChildGoneError("its pipe is closed") from error

    def receive(self) -> Json:
        """Block until a message comes. Raises ChildGoneError, or ChildBugError for a bug in it."""
        try:
            message = _read(self._from, limit_bytes=FRAME_LIMIT_BYTES)
        except (ChildGoneError, OSError) as error:
            if self._has_lacked_memory():
                raise ChildMemoryError("it lacked memory") from error
            raise ChildGoneError("its pipe is closed") from error
        if isinstance(message, dict) and "bug" in message:
            raise ChildBugError(str(message["bug"]))
        return message

    def kill(self) -> None:
        """End the process now. Whoever waits in `receive` gets ChildGoneError."""
        self._is_killed = True
        self._process.kill()

    def _has_lacked_memory(self) -> bool:
        with contextlib.suppress(subprocess.TimeoutExpired):  # it lives, and speaks nonsense
            return not self._is_killed and self._process.wait(_END_S) in _ENDED_FOR_MEMORY
        return False

    def close(self) -> None:
        """Kill it, and wait until nothing is left of it; a second time does nothing."""
        self.kill()
        self._process.wait()
        self._from.close()
        with contextlib.suppress(OSError):  # what was still to be sent has no reader any more
            self._to.close()
        self._job.close()


class ChildBugError(Exception):
    """A bug inside the child: its traceback, for the log."""


class Parent:
    """The program that started this process, as seen from inside the child.

    Made once, first thing: it takes the standard streams over, so that nothing printed by a
    library can get between the messages, and applies the cap on memory. When the parent dies or
    closes the pipe, the process ends at once, even in the middle of its work (after a message that
    PAUSES, once it listens again).
    """

    def __init__(self) -> None:
        self._from, self._to = _standard_pipes()
        hello = _read(self._from)
        match hello:
            case {
                "language": "pt" | "en" as language,
                "memory_mb": int() | None as memory_mb,
                "priority": "normal" | "low" as priority,
            }:
                text.use(language)
                _step_back(priority)
            case _:
                raise SystemExit(2)
        self._cap = None if memory_mb is None else _cap_memory(memory_mb * 2**20)
        self._arrived: queue.SimpleQueue[Json] = queue.SimpleQueue()
        sys.excepthook = self._report
        self.listen()

    def listen(self) -> None:
        """Listen on a new thread, until a message says PAUSES; then again once this is called.

        A thread that was there before walls are put up around the process may stand outside.
        """
        threading.Thread(target=self._listen, name="parent", daemon=True).start()

    @property
    def is_silent(self) -> bool:
        """Whether nothing has been asked that was not received."""
        return self._arrived.empty()

    def receive(self) -> Json:
        """Wait for the next message."""
        return self._arrived.get()

    def send(self, message: Json) -> None:
        """Send an answer."""
        try:
            _write(self._to, message)
        except OSError:
            os._exit(0)  # nobody listens any more

    def tell(self, text: str, share: float | None) -> None:
        """Report progress: what is being done, and its share of the whole."""
        self.send({"progress": text, "share": share})

    def _listen(self) -> None:
        pauses = False
        while not pauses:
            try:
                message = _read(self._from)
            except (ChildGoneError, OSError):
                os._exit(0)
            pauses = isinstance(message, dict) and PAUSES in message
            self._arrived.put(message)

    def _report(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        self.send({"bug": "".join(traceback.format_exception(kind, error, trace))})


def serve(mode: str, works: Mapping[str, str]) -> int:
    """Do the work of a child of that mode, and send the parent its reply.

    `works` are functions by the mode, as `module:function`, so that a child loads its own only.
    They get the Parent, and what they return is the reply; a QHubError is raised again in the
    parent. Where they run out of memory or end themselves, the parent has a sentence for it.
    """
    parent = Parent()
    if mode not in works:
        return 2
    module, function = works[mode].split(":")
    try:
        reply: Json = getattr(import_module(module), function)(parent)
    except QHubError as error:
        parent.send({"error": str(error), "kind": type(error).__name__})
    except MemoryError:
        return _OUT_OF_MEMORY
    else:
        parent.send({"done": reply})
    return 0


def command(mode: str) -> list[str]:
    """Return the command that starts this program as a child of that mode."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--child", mode]
    return [sys.executable, "-m", "qhub_desktop", "--child", mode]


def _write(pipe: IO[bytes], message: Json) -> None:
    # The path of a file may be no UTF-8; json.loads takes it as it is.
    text_ = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    frame = text_.encode("utf-8", "surrogatepass")
    pipe.write(len(frame).to_bytes(4, "little") + frame)
    pipe.flush()


def _read(pipe: IO[bytes], *, limit_bytes: int | None = None) -> Json:
    size = int.from_bytes(_exactly(pipe, 4), "little")
    if limit_bytes is not None and size > limit_bytes:
        raise ChildGoneError("a message of impossible size")
    try:
        message: Json = json.loads(_exactly(pipe, size))
    except (ValueError, RecursionError) as error:
        raise ChildGoneError("a message that is not JSON") from error
    return message


def _exactly(pipe: IO[bytes], count: int) -> bytes:
    received = pipe.read(count)
    if len(received) < count:
        raise ChildGoneError("it ended")
    return received


def environment_of(kept: Environment) -> dict[str, str]:
    """Return what a child finds in its environment: what it needs by name, and never a secret."""
    return {name: value for name, value in os.environ.items() if _is_kept(name, value, kept)}


def _is_kept(name: str, value: str, kept: Environment) -> bool:
    known = name.upper()
    if known in KEPT_VARIABLES or known.startswith(KEPT_PREFIX):
        return True
    is_for_pages = known in PAGE_VARIABLES or known.startswith(PAGE_PREFIXES)
    return (
        kept == "pages"
        and is_for_pages
        and not SECRET_NAME.search(name)
        # Whatever its name: a proxy's address may hold a login, and any variable a key.
        and redact(value) == value
        and not _LOGIN.search(value)
    )


_withheld: set[str] = set()  # from what the system gives to the programs that are started here


def close_environment() -> None:
    """Leave to the programs that libraries start in here what a web engine needs, and no secret.

    Its processes, in which pages of a model run, are given all that this process has. Our own code
    still finds everything in `os.environ`.
    """
    _withheld.update(os.environ.keys() - environment_of("pages"))
    for name in _withheld:
        os.unsetenv(name)


@contextlib.contextmanager
def open_environment() -> Iterator[None]:
    """Give to a program of the person's, started meanwhile, what it has elsewhere, but our keys."""
    for name in _withheld & os.environ.keys():
        value = os.environ[name]
        if not name.upper().startswith(OUR_PREFIXES) and hide_secrets(value) == value:
            os.putenv(name, value)
    try:
        yield
    finally:
        for name in _withheld:
            os.unsetenv(name)


class _NoJobObject:
    """Stand-in where there are no job objects: the closed pipe alone ends an orphan."""

    def close(self) -> None:
        """Do nothing."""


_SET_QUOTA_AND_TERMINATE = 0x0101  # access rights that joining a job needs
_EXTENDED_LIMITS = 9  # JobObjectExtendedLimitInformation
_LIMIT_ACTIVE_PROCESSES = 0x8
_LIMIT_PROCESS_MEMORY = 0x100
_LIMIT_DIE_ON_UNHANDLED_EXCEPTION = 0x400
_LIMIT_KILL_ON_JOB_CLOSE = 0x2000


class _BasicLimits(ctypes.Structure):
    _fields_ = (
        ("PerProcessUserTimeLimit", ctypes.c_int64),
        ("PerJobUserTimeLimit", ctypes.c_int64),
        ("LimitFlags", ctypes.c_uint32),
        ("MinimumWorkingSetSize", ctypes.c_size_t),
        ("MaximumWorkingSetSize", ctypes.c_size_t),
        ("ActiveProcessLimit", ctypes.c_uint32),
        ("Affinity", ctypes.c_size_t),
        ("PriorityClass", ctypes.c_uint32),
        ("SchedulingClass", ctypes.c_uint32),
    )


class _ExtendedLimits(ctypes.Structure):
    _fields_ = (
        ("BasicLimitInformation", _BasicLimits),
        ("IoInfo", ctypes.c_uint64 * 6),
        ("ProcessMemoryLimit", ctypes.c_size_t),
        ("JobMemoryLimit", ctypes.c_size_t),
        ("PeakProcessMemoryUsed", ctypes.c_size_t),
        ("PeakJobMemoryUsed", ctypes.c_size_t),
    )


if sys.platform == "win32":
    import msvcrt

    _kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    _kernel.CreateJobObjectW.restype = ctypes.c_void_p
    _kernel.CreateJobObjectW.argtypes = (ctypes.c_void_p, ctypes.c_wchar_p)
    _kernel.SetInformationJobObject.argtypes = (
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.c_void_p,
        ctypes.c_uint32,
    )
    _kernel.AssignProcessToJobObject.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
    _kernel.OpenProcess.restype = ctypes.c_void_p
    _kernel.OpenProcess.argtypes = (ctypes.c_uint32, ctypes.c_int, ctypes.c_uint32)
    _kernel.CloseHandle.argtypes = (ctypes.c_void_p,)
    _kernel.GetStdHandle.restype = ctypes.c_void_p
    _kernel.GetStdHandle.argtypes = (ctypes.c_uint32,)

    class _Job:
        """One job object, which lets go of its processes, or ends them, when closed."""

        def __init__(
            self,
            *,
            memory_bytes: int = 0,
            ends_with_its_owner: bool = False,
            has_no_children: bool = False,
        ) -> None:
            self._handle: int | None = _kernel.CreateJobObjectW(None, None)
            if not self._handle:
                raise ctypes.WinError(ctypes.get_last_error())
            limits = _ExtendedLimits()
            flags = _LIMIT_DIE_ON_UNHANDLED_EXCEPTION
            if memory_bytes:
                flags |= _LIMIT_PROCESS_MEMORY
                limits.ProcessMemoryLimit = memory_bytes
            if ends_with_its_owner:
                flags |= _LIMIT_KILL_ON_JOB_CLOSE
            if has_no_children:
                flags |= _LIMIT_ACTIVE_PROCESSES
                limits.BasicLimitInformation.ActiveProcessLimit = 1
            limits.BasicLimitInformation.LimitFlags = flags
            self._checked(
                _kernel.SetInformationJobObject(
                    self._handle, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
                )
            )

        def add(self, process_id: int) -> None:
            """Put a process under this job."""
            process = _kernel.OpenProcess(_SET_QUOTA_AND_TERMINATE, 0, process_id)
            self._checked(process)
            try:
                self._checked(_kernel.AssignProcessToJobObject(self._handle, process))
            finally:
                _kernel.CloseHandle(process)

        def close(self) -> None:
            """Let go of the job."""
            if self._handle:
                _kernel.CloseHandle(self._handle)
                self._handle = None

        def _checked(self, outcome: int | None) -> None:
            if not outcome:
                error = ctypes.WinError(ctypes.get_last_error())
                self.close()
                raise error

    def _standard_handle(name: Literal["in", "out"]) -> int:
        """Return the end that is ours of a standard pipe."""
        handle: int = _kernel.GetStdHandle({"in": -10, "out": -11}[name] & 0xFFFFFFFF)
        return handle

    def _creation_flags(priority: Priority) -> int:
        low = subprocess.BELOW_NORMAL_PRIORITY_CLASS if priority == "low" else 0
        return subprocess.CREATE_NO_WINDOW | low

    def _step_back(priority: Priority) -> None:
        """Do nothing: the process was created with its priority."""

    def _assign_to_job(process: subprocess.Popen[bytes]) -> _Job:
        """Return a job that ends the child when this program's last handle on it goes, even by a
        crash.
        """
        leash = _Job(ends_with_its_owner=True)
        leash.add(process.pid)
        return leash

    def _cap_memory(limit_bytes: int) -> object:
        cap = _Job(memory_bytes=limit_bytes)
        cap.add(os.getpid())
        return cap

    def cap_own_data(limit_bytes: int) -> object:
        """Cap what this process writes to, and let it start no other; the result is to be kept.

        For a process that reserves addresses which it never uses. Raises OSError.
        """
        cap = _Job(memory_bytes=limit_bytes, has_no_children=True)
        cap.add(os.getpid())
        return cap

    def _standard_pipes() -> tuple[IO[bytes], IO[bytes]]:
        # By handle: a program without a console may come without the C runtime's descriptors.
        source = msvcrt.open_osfhandle(_standard_handle("in"), os.O_BINARY)
        target = msvcrt.open_osfhandle(_standard_handle("out"), os.O_BINARY)
        sys.stdin = sys.stdout = None  # as in a windowed program
        return os.fdopen(source, "rb"), os.fdopen(target, "wb")

else:
    import resource

    def _creation_flags(priority: Priority) -> int:  # noqa: ARG001  as on Windows
        return 0

    def _step_back(priority: Priority) -> None:
        if priority == "low":
            os.nice(NICENESS)

    def _assign_to_job(process: subprocess.Popen[bytes]) -> _NoJobObject:  # noqa: ARG001  as on Windows
        return _NoJobObject()

    def _cap_memory(limit_bytes: int) -> object:
        # What may be written to, as on Windows. Of addresses, allocators and threads reserve ten
        # times what they use: 1.1 GB for a file of 16 bytes, and 0.2 GB in use reached the cap.
        resource.setrlimit(resource.RLIMIT_DATA, (limit_bytes, limit_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        return None

    def cap_own_data(limit_bytes: int) -> object:
        """Cap what this process writes to, in memory and in files; the result is to be kept.

        For a process that reserves addresses which it never uses. Raises OSError.
        """
        resource.setrlimit(resource.RLIMIT_DATA, (limit_bytes, limit_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        return None

    def _standard_pipes() -> tuple[IO[bytes], IO[bytes]]:
        # Whatever a library prints goes nowhere: it must not get between the messages.
        source, target = os.dup(0), os.dup(1)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        os.close(nowhere)
        return os.fdopen(source, "rb"), os.fdopen(target, "wb")
