"""Crash reports and a rotating log, with no key and nobody's data in them.

The message of an exception may quote a cell of somebody's file, so none is kept: of an exception,
only its type, its codes and the places it passed through are written down. Whoever logs gives
exceptions as arguments (`log.warning("not saved: %s", error)`), never inside the text.
"""

import asyncio
import contextlib
import faulthandler
import getpass
import io
import logging
import os
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path, PurePath
from types import TracebackType
from typing import Any, Self

from typing_extensions import override

from qhub_desktop import __version__
from qhub_desktop.core import clock, untrusted
from qhub_desktop.core.errors import QHubError, data_folder_error, has_no_room, is_reader_gone
from qhub_desktop.core.paths import data_folder, replace_file
from qhub_desktop.core.text import gettext as _

LOG_BYTES = 1_000_000
LOG_FILES = 5
REPORTS_KEPT = 20
FRAMES_SHOWN = 60
CODES = ("errno", "winerror", "sqlite_errorname", "status_code")
LIBRARIES = (
    "anthropic",
    "duckdb",
    "keyring",
    "numpy",
    "pydantic",
    "pyqtgraph",
    "pyside6-essentials",
    "python-calamine",
    "qasync",
)

_log = logging.getLogger(__name__)


def install(home: Path) -> "CrashReporter":
    """Begin to write the log, and a report of every exception that nothing else catches."""
    return CrashReporter(home / "logs")


def watch(loop: asyncio.AbstractEventLoop) -> None:
    """Report the exceptions of this loop's tasks and callbacks like any other crash."""
    loop.set_exception_handler(_on_loop_exception)


def report(error: BaseException) -> None:
    """Report a bug that was caught, so that it is not lost."""
    sys.excepthook(type(error), error, error.__traceback__)


class CrashReporter:
    """The log and the crash reports in one folder, fed by Python's hooks until closed.

    As a context it also reports the bug that ends it, which Python's hooks would hear of too late.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._described: set[str] = set()
        self._listeners: list[Callable[[Path], object]] = []
        self._report_last_fault()
        # Each process has its own: the window, the command line and their children may all run.
        self._fault_path = folder / f"fault-{os.getpid()}.txt"
        self._faults = self._fault_path.open("w", encoding="utf-8")
        faulthandler.enable(self._faults)
        self._handler = _log_file(folder / "qhub.log")
        logging.getLogger().addHandler(self._handler)
        logging.getLogger("qhub_desktop").setLevel(logging.INFO)
        self._before = (sys.excepthook, threading.excepthook, sys.unraisablehook)
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception
        sys.unraisablehook = self._on_unraisable

    def listen(self, listener: Callable[[Path], object]) -> None:
        """Call `listener` with each new report, on the thread that crashed."""
        self._listeners.append(listener)

    def close(self) -> None:
        """Give the hooks back and let go of the files."""
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._before
        logging.getLogger().removeHandler(self._handler)
        self._handler.close()
        faulthandler.disable()
        self._faults.close()
        # Windows deletes no file that a scanner looks at; empty, it says nothing of a fault.
        with contextlib.suppress(OSError):
            self._fault_path.unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Neither what a person is told nor a reader who has left is a bug.
        has_left = isinstance(error, OSError) and is_reader_gone(error)
        if isinstance(error, Exception) and not isinstance(error, QHubError) and not has_left:
            self._keep(error)
        self.close()

    def _on_exception(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, Exception):
            self._keep(error)
        _print_redacted(self._before[0], kind, error, trace)

    def _on_thread_exception(self, happened: threading.ExceptHookArgs) -> None:
        if happened.exc_value is not None and issubclass(happened.exc_type, Exception):
            self._keep(happened.exc_value)
        _print_redacted(self._before[1], happened)

    def _on_unraisable(self, happened: "sys.UnraisableHookArgs") -> None:
        if happened.exc_value is not None and issubclass(happened.exc_type, Exception):
            self._keep(happened.exc_value)
        _print_redacted(self._before[2], happened)

    def _keep(self, error: BaseException) -> None:
        if not clock.is_readable():
            return  # neither a line of the log nor a report has a date then
        description = describe(error)
        _log.critical("Unexpected, on thread %s:\n%s", threading.current_thread().name, description)
        # A widget that cannot be painted fails sixty times a second: one report is enough.
        if description in self._described or len(self._described) >= REPORTS_KEPT:
            return
        self._described.add(description)
        # A full disk must not hide the error itself.
        with contextlib.suppress(OSError):
            path = self._write(description)
            for listener in self._listeners:
                listener(path)

    def _write(self, description: str) -> Path:
        now = datetime.now(UTC)
        path = self._folder / f"crash-{now:%Y%m%d-%H%M%S-%f}.txt"
        path.write_text(
            redact("\n".join([f"{now:%Y-%m-%d %H:%M:%S} UTC", *_versions(), "", description, ""])),
            encoding="utf-8",
        )
        _keep_newest(self._folder.glob("crash-*.txt"))
        return path

    def _report_last_fault(self) -> None:
        """Report what faulthandler wrote when a process died without a Python exception."""
        for left in self._folder.glob("fault-*.txt"):
            # On Windows a file cannot be removed from under a process that still runs.
            with contextlib.suppress(OSError):
                words = left.read_text(encoding="utf-8", errors="replace")
                if words.strip():
                    left.unlink()
                    self._write("The program was ended by a fault:\n" + _with_places(words))
        # A process that is killed leaves an empty one.
        _keep_newest(self._folder.glob("fault-*.txt"))


def _print_redacted(hook: Callable[..., object], *happened: object) -> None:
    """Call a hook that prints an exception with its message, which may quote a service."""
    printed = io.StringIO()
    with contextlib.redirect_stderr(printed):
        hook(*happened)
    # A program with a window has none on Windows.
    if sys.stderr is not None:
        sys.stderr.write(untrusted.redact(printed.getvalue()))


def describe(error: BaseException) -> str:
    """Describe an exception and its causes by types, codes and places, without any message."""
    return "\n".join(_described(error, set()))


def redact(text: str) -> str:
    """Remove keys, the user's name and the path of the user's folder from a text."""
    text = untrusted.redact(text)
    for folder in {str(Path.home()), Path.home().as_posix()} - {"/"}:
        text = text.replace(folder, "~")
    return _user().sub("<user>", text)


_FRAME = re.compile(r'File "([^"]*)"')
_STANDARD_LIBRARY = PurePath(os.__file__).parent


class _RedactingFormatter(logging.Formatter):
    """Lines of a log that can be sent to somebody."""

    @override
    def format(self, record: logging.LogRecord) -> str:
        # Other handlers see the same record, so it stays as it is.
        copy = logging.makeLogRecord(record.__dict__)
        copy.exc_text = None
        copy.stack_info = None
        match record.args:
            case tuple() as values:
                copy.args = tuple(map(_without_message, values))
            case dict() as values:
                copy.args = {name: _without_message(value) for name, value in values.items()}
        if record.name.startswith(("asyncio", "qasync")):
            # What follows the first line is the repr of a task, with its exception and its result.
            copy.msg, copy.args = copy.getMessage().partition("\n")[0], None
        return redact(super().format(copy))

    @override
    def formatException(self, ei: Any) -> str:
        return describe(ei[1])


def _without_message(value: object) -> object:
    return _headline(value) if isinstance(value, BaseException) else value


class _SharedLogHandler(RotatingFileHandler):
    """Handler of a log that several programs write to: the window, the command line.

    Its own failures, as on a full disk, are not printed to the person's terminal.
    """

    @override
    def handleError(self, record: logging.LogRecord) -> None:
        """Do nothing."""

    @override
    def doRollover(self) -> None:
        """Begin a new file and shift the old ones; only follow if another program has done so."""
        # While one program held the log on Windows, the other pushed an old one out with every
        # line; elsewhere a program went on in a file that the other had put aside.
        is_ours = self._is_in_place()
        if self.stream is not None:
            self.stream.close()
        log, full = Path(self.baseFilename), Path(f"{self.baseFilename}.full")
        # Moved before the old ones are: on Windows it cannot be while another program of ours has
        # it open, and with every line one more of the old ones would be pushed out.
        if is_ours and _try_move(log, full):
            for number in range(self.backupCount - 1, 0, -1):
                _try_move(Path(f"{log}.{number}"), Path(f"{log}.{number + 1}"))
            _try_move(full, Path(f"{log}.1"))
        self.stream = self._open()

    def _is_in_place(self) -> bool:
        """Return whether the file that is open is still the log; another program may have begun
        a new one.
        """
        if self.stream is None:
            return True
        try:
            now = Path(self.baseFilename).stat()
        except OSError:
            return False
        return os.path.samestat(now, os.fstat(self.stream.fileno()))


def _try_move(source: Path, target: Path) -> bool:
    """Move a file; return whether that was possible at once, without waiting for a log."""
    try:
        replace_file(source, target, waits_s=())
    except OSError:
        return False
    return True


def _log_file(path: Path) -> logging.Handler:
    handler = _SharedLogHandler(
        path, maxBytes=LOG_BYTES, backupCount=LOG_FILES, encoding="utf-8", delay=True
    )
    handler.setFormatter(_RedactingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    return handler


def _on_loop_exception(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    error = context.get("exception")
    if error is None:
        _log.error("%s", context["message"])
    else:
        report(error)


def _described(error: BaseException, seen: set[int]) -> Iterator[str]:
    seen.add(id(error))
    yield _headline(error)
    yield from _frames(error.__traceback__)
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            if id(each) not in seen:
                yield "which holds"
                yield from _described(each, seen)
    hidden = None if error.__suppress_context__ else error.__context__
    cause = error.__cause__ or hidden
    if cause is not None and id(cause) not in seen:
        yield "because of"
        yield from _described(cause, seen)


def _headline(error: BaseException) -> str:
    kind = type(error)
    codes = [f"{name} {getattr(error, name)}" for name in CODES if _is_code(error, name)]
    name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
    return f"{name} ({', '.join(codes)})" if codes else name


def _is_code(error: BaseException, name: str) -> bool:
    value = getattr(error, name, None)
    return isinstance(value, int) or (isinstance(value, str) and value.isidentifier())


def _frames(trace: TracebackType | None) -> Iterator[str]:
    lines = [
        f"  {_place(frame.f_code.co_filename)}:{line} in {frame.f_code.co_qualname}"
        for frame, line in traceback.walk_tb(trace)
    ]
    half = FRAMES_SHOWN // 2
    if len(lines) > FRAMES_SHOWN:
        lines[half:-half] = [f"  ... {len(lines) - FRAMES_SHOWN} more ..."]
    yield from lines


def _place(file: str) -> str:
    """Return a source file's path without the folders that are this machine's own."""
    path = PurePath(file)
    if path.is_relative_to(_STANDARD_LIBRARY) and "site-packages" not in path.parts:
        return path.relative_to(_STANDARD_LIBRARY).as_posix()
    steps = re.split(r"[/\\]", file)
    for folder, kept in (("site-packages", 1), ("qhub_desktop", 0)):
        if folder in steps:
            at = len(steps) - 1 - steps[::-1].index(folder)
            return "/".join(steps[at + kept :])
    return steps[-1]


def _keep_newest(files: Iterable[Path]) -> None:
    # Another process may have been quicker; and what is in use stays, on Windows.
    with contextlib.suppress(OSError):
        for old in sorted(files, key=lambda file: file.stat().st_mtime)[:-REPORTS_KEPT]:
            old.unlink()


def _with_places(words: str) -> str:
    return _FRAME.sub(lambda found: f'File "{_place(found[1])}"', words)


def _versions() -> Iterator[str]:
    import importlib.metadata  # 40 ms that only a crash should cost
    import platform

    packaged = " (packaged)" if getattr(sys, "frozen", False) else ""
    yield f"QHub Desktop {__version__}{packaged}"
    yield f"Python {platform.python_version()} on {platform.platform()}"
    for library in LIBRARIES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            yield f"{library} {importlib.metadata.version(library)}"


def _user() -> re.Pattern[str]:
    try:
        name = getpass.getuser()
    except (OSError, KeyError, ImportError):  # what it raises where nobody is logged in
        name = Path.home().name
    return re.compile(rf"(?i)\b{re.escape(name)}\b" if len(name) > 2 else r"(?!)")


def print_error(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print an unexpected error in one sentence; the crash report has the details."""
    if not issubclass(kind, Exception):
        sys.__excepthook__(kind, error, trace)
        return
    if not clock.is_readable():
        sys.stderr.write(f"{clock.unreadable()}\n")
        return
    folder = data_folder()
    if has_no_room(folder) or _is_in_folder(error, folder):  # there is no report then
        cause = error if isinstance(error, OSError) else OSError()
        sys.stderr.write(f"{data_folder_error(cause, folder)}\n")
        return
    sentence = _("Something went wrong inside the program. The report is in {folder}.")
    sys.stderr.write(sentence.format(folder=folder / "logs") + "\n")


def _is_in_folder(error: BaseException, folder: Path) -> bool:
    file = error.filename if isinstance(error, OSError) else None
    return isinstance(file, str) and Path(file).is_relative_to(folder)
