"""What Windows lacks, and the encodings that it would choose: found in the code, not on a station.

A call counts as guarded where the platform was asked before: `sys.platform == "win32"` in any form
that Python can follow without running, or `hasattr`.
"""

import ast
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from typing_extensions import override

import qhub_desktop

PACKAGE = Path(qhub_desktop.__file__).parent
ROOT = PACKAGE.parent

BOTH = frozenset({"windows", "posix"})
POSIX_MODULES = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
WINDOWS_MODULES = {"_winapi", "msvcrt", "winreg", "winsound"}
POSIX_NAMES = {
    "asyncio": {"get_child_watcher", "open_unix_connection", "start_unix_server"},
    # os.kill is there on Windows, and ends the process whatever the signal.
    "os": {
        *(
            "chown",
            "chroot",
            "confstr",
            "ctermid",
            "fchmod",
            "fchown",
            "fork",
            "forkpty",
            "getegid",
        ),
        *("geteuid", "getgid", "getgroups", "getloadavg", "getpgid", "getpgrp", "getpriority"),
        *("getresgid", "getresuid", "getsid", "getuid", "initgroups", "kill", "killpg", "lchown"),
        *("lockf", "mkfifo", "mknod", "nice", "openpty", "pathconf", "pipe2", "posix_fadvise"),
        *("posix_spawn", "pread", "pwrite", "sched_getaffinity", "sched_setaffinity", "sendfile"),
        *("setegid", "seteuid", "setgid", "setpgid", "setpriority", "setsid", "setuid", "statvfs"),
        *("sync", "sysconf", "tcgetpgrp", "ttyname", "uname", "wait", "wait3", "wait4", "waitid"),
        *("O_CLOEXEC", "O_DIRECTORY", "O_NOCTTY", "O_NOFOLLOW", "O_NONBLOCK", "O_SYNC"),
    },
    "select": {"epoll", "poll"},
    "signal": {
        *("SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSTOP"),
        *("SIGUSR1", "SIGUSR2", "alarm", "pause", "pthread_kill", "setitimer", "sigwait"),
    },
    "socket": {"AF_UNIX", "socketpair"},
    "time": {"tzset", "clock_gettime"},
}
WINDOWS_NAMES = {
    "ctypes": {"WinDLL", "WinError", "get_last_error", "windll"},
    "os": {"O_BINARY", "startfile"},
    "subprocess": {"BELOW_NORMAL_PRIORITY_CLASS", "CREATE_NO_WINDOW", "STARTUPINFO"},
}
POSIX_ARGUMENTS = {"preexec_fn", "start_new_session", "pass_fds"}


class _PlatformCalls(ast.NodeVisitor):
    """Finds what one of the platforms lacks where it may be running."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._on = BOTH

    @override
    def visit_Import(self, node: ast.Import) -> None:
        for each in node.names:
            self._module(each.name, node)

    @override
    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        self._module(module, node)
        for each in node.names:
            self._name(module, each.name, node)

    @override
    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name):
            self._name(node.value.id, node.attr, node)
        self.generic_visit(node)

    @override
    def visit_Call(self, node: ast.Call) -> None:
        for each in node.keywords:
            if each.arg in POSIX_ARGUMENTS:
                self._lacking("windows", each.arg, node)
        self.generic_visit(node)

    @override
    def visit_If(self, node: ast.If) -> None:
        self._branches(node.test, node.body, node.orelse)

    @override
    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._branches(node.test, [node.body], [node.orelse])

    @override
    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        before = self._on
        for each in node.values:
            self.visit(each)
            true, false = _platforms(each)
            self._on &= true if isinstance(node.op, ast.And) else false
        self._on = before

    @override
    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        before = self._on
        self.generic_visit(node)
        self._on = before

    def _branches(self, test: ast.expr, body: list, orelse: list) -> None:  # type: ignore[type-arg]
        before = self._on
        self.visit(test)
        true, false = _platforms(test)
        for platforms, statements in ((true, body), (false, orelse)):
            self._on = before & platforms
            for each in statements:
                self.visit(each)
        # What follows a branch that leaves is for the other platform alone.
        leaves = bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue)
        self._on = before & false if leaves else before

    def _module(self, module: str, node: ast.AST) -> None:
        if module.partition(".")[0] in POSIX_MODULES:
            self._lacking("windows", module, node)
        if module.partition(".")[0] in WINDOWS_MODULES:
            self._lacking("posix", module, node)

    def _name(self, module: str, name: str, node: ast.AST) -> None:
        if name in POSIX_NAMES.get(module, ()):
            self._lacking("windows", f"{module}.{name}", node)
        if name in WINDOWS_NAMES.get(module, ()):
            self._lacking("posix", f"{module}.{name}", node)

    def _lacking(self, platform: str, what: str, node: ast.AST) -> None:
        if platform in self._on:
            self.found.append(f"{getattr(node, 'lineno', 0)}: {what}")


def _platforms(test: ast.expr) -> tuple[frozenset[str], frozenset[str]]:
    """Return the platforms on which a condition may be true, and those on which it may be false."""
    match test:
        case ast.Compare(
            left=ast.Attribute(value=ast.Name(id="sys"), attr="platform"),
            ops=[ast.Eq() | ast.NotEq() as op],
            comparators=[ast.Constant(value=str(name))],
        ):
            named = frozenset({"windows" if name == "win32" else "posix"})
            # Which of several that are not Windows it is, nobody asks of their own.
            others = BOTH - named if name == "win32" else BOTH
            return (named, others) if isinstance(op, ast.Eq) else (others, named)
        case ast.Call(func=ast.Name(id="hasattr")):
            return frozenset(), BOTH  # what is asked for is there
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            true, false = _platforms(operand)
            return false, true
        case ast.BoolOp(op=ast.And(), values=values):
            return frozenset.intersection(*(_platforms(each)[0] for each in values)), BOTH
        case ast.BoolOp(op=ast.Or(), values=values):
            return BOTH, frozenset.intersection(*(_platforms(each)[1] for each in values))
    return BOTH, BOTH


def platform_calls(code: str) -> list[str]:
    visitor = _PlatformCalls()
    visitor.visit(ast.parse(code))
    return visitor.found


def _keywords(call: ast.Call) -> dict[str, ast.expr]:
    return {each.arg: each.value for each in call.keywords if each.arg is not None}


def _mode(call: ast.Call, *, at: int) -> str | None:
    node = _keywords(call).get("mode") or (call.args[at] if len(call.args) > at else None)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def unnamed_encodings(code: str) -> Iterator[str]:
    """Find files and pipes that are opened as text in whatever encoding the system prefers."""
    tree = ast.parse(code)
    blocks = {
        id(item.context_expr)
        for node in ast.walk(tree)
        if isinstance(node, ast.With)
        for item in node.items
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or "encoding" in _keywords(node):
            continue
        match node.func:
            case ast.Name(id="open") | ast.Attribute(value=ast.Name(id="io"), attr="open"):
                is_text = "b" not in (_mode(node, at=1) or "r")
            case ast.Attribute(value=ast.Name(id="os"), attr="fdopen" | "open" as name):
                is_text = name == "fdopen" and "b" not in (_mode(node, at=1) or "r")
            case ast.Attribute(value=ast.Name(id="gzip" | "bz2" | "lzma"), attr="open"):
                is_text = "t" in (_mode(node, at=1) or "")
            case ast.Attribute(attr="open"):
                mode = _mode(node, at=0)
                is_mode = len(node.args) == 1 and mode is not None and set(mode) <= set("rwxat+")
                # Without a mode it may be a window that is opened, unless a block closes it.
                is_text = is_mode or (not node.args and id(node) in blocks)
            case ast.Attribute(attr="read_text"):
                is_text = not node.args
            case ast.Attribute(attr="write_text"):
                is_text = len(node.args) < 2
            case ast.Attribute(attr="run" | "Popen" | "check_output"):
                is_text = bool({"text", "universal_newlines"} & set(_keywords(node)))
            case ast.Attribute(attr="NamedTemporaryFile" | "TemporaryFile"):
                is_text = "b" not in (_mode(node, at=0) or "w+b")
            case ast.Attribute(attr="TextIOWrapper" | "FileHandler" | "RotatingFileHandler"):
                is_text = len(node.args) < 2
            case _:
                is_text = False
        if is_text:
            yield f"{node.lineno}: {ast.unparse(node)}"


def moves(code: str) -> Iterator[str]:
    """Find files that are moved past `core.paths.replace_file`, which waits for their holder."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="os"), attr="replace" | "rename")):
                yield f"{node.lineno}: {ast.unparse(node)}"
            case ast.Call(func=ast.Attribute(value=ast.Name(id="shutil"), attr="move")):
                yield f"{node.lineno}: {ast.unparse(node)}"
            case ast.Call(
                func=ast.Attribute(value=owner, attr="replace"),
                args=[_],
                keywords=[] | [ast.keyword(arg="missing_ok")],
            ) if not ast.unparse(owner).endswith(("live_settings", "chosen")):
                yield f"{node.lineno}: {ast.unparse(node)}"


def _sources(*folders: Path) -> list[Path]:
    found = [each for folder in folders for each in folder.rglob("*.py")]
    return sorted(each for each in found if not {".work", ".dist"} & set(each.parts))


def _code(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def test_nothing_that_windows_lacks_is_called_without_asking() -> None:
    files = _sources(PACKAGE, ROOT / "build")

    found = {str(file.relative_to(ROOT)): platform_calls(_code(file)) for file in files}

    assert {file: calls for file, calls in found.items() if calls} == {}


def test_every_text_is_opened_in_an_encoding_that_is_named() -> None:
    files = [*_sources(PACKAGE, ROOT / "build", ROOT / "tests"), ROOT / "dev.py"]

    found = {str(file.relative_to(ROOT)): [*unnamed_encodings(_code(file))] for file in files}

    assert {file: calls for file, calls in found.items() if calls} == {}


def test_files_are_moved_in_one_place() -> None:
    found = {str(each.relative_to(PACKAGE)): [*moves(_code(each))] for each in _sources(PACKAGE)}

    moving = {file: calls for file, calls in found.items() if calls}
    assert list(moving) == [str(Path("core", "paths.py"))]


@pytest.mark.parametrize(
    "code",
    [
        "import os\nos.geteuid()",
        "import fcntl",
        "from os import nice",
        "import signal\nsignal.SIGKILL",
        "if sys.platform == 'win32':\n    os.kill(1, 9)",
        "if sys.platform != 'win32':\n    pass\nelse:\n    os.fork()",
        "if x:\n    return\nos.mkfifo('x')",
        "x = sys.platform == 'win32' and os.nice(1)",
        "def f():\n    if sys.platform == 'win32':\n        return\ndef g():\n    os.nice(1)",
        "if sys.platform == 'darwin' or x:\n    os.nice(1)",
        "subprocess.run([], start_new_session=True)",
        "import msvcrt",
        "if sys.platform != 'win32':\n    ctypes.WinDLL('kernel32')",
    ],
)
def test_a_call_that_a_platform_lacks_is_found(code: str) -> None:
    assert platform_calls(code)


@pytest.mark.parametrize(
    "code",
    [
        "if sys.platform == 'win32':\n    pass\nelse:\n    import fcntl",
        "if sys.platform != 'win32' and os.geteuid() == 0:\n    pass",
        "x = os.nice(1) if sys.platform != 'win32' else 0",
        "if hasattr(os, 'geteuid'):\n    os.geteuid()",
        "def f():\n    if sys.platform == 'win32':\n        return\n    os.fork()",
        "if sys.platform == 'win32':\n    import msvcrt",
        "if sys.platform == 'linux':\n    os.fork()",
        "x = sys.platform == 'win32' or os.geteuid()",
    ],
)
def test_a_call_behind_the_platform_is_left_alone(code: str) -> None:
    assert platform_calls(code) == []


@pytest.mark.parametrize(
    ("code", "is_found"),
    [
        ("open('x')", True),
        ("open('x', 'rb')", False),
        ("open('x', encoding='utf-8')", False),
        ("path.open('w')", True),
        ("path.open('wb')", False),
        ("with path.open() as file: pass", True),
        ("dialog.open()", False),
        ("dialog.open('a', 'b')", False),
        ("archive.open(name)", False),
        ("path.read_text()", True),
        ("path.read_text('utf-8')", False),
        ("path.write_text(text)", True),
        ("subprocess.run([], text=True)", True),
        ("subprocess.run([], text=True, encoding='utf-8')", False),
        ("os.fdopen(3, 'rb')", False),
        ("os.fdopen(3, 'w')", True),
        ("gzip.open(path)", False),
        ("gzip.open(path, 'rt')", True),
    ],
)
def test_a_text_without_an_encoding_is_found(code: str, *, is_found: bool) -> None:
    assert bool([*unnamed_encodings(code)]) == is_found


@pytest.mark.parametrize(
    ("code", "is_found"),
    [
        ("draft.replace(target)", True),
        ("os.rename(a, b)", True),
        ("shutil.move(a, b)", True),
        ("text.replace('a', 'b')", False),
        ("now.replace(microsecond=0)", False),
        ("replace(settings, theme='dark')", False),
    ],
)
def test_a_file_that_is_moved_past_the_one_place_is_found(code: str, *, is_found: bool) -> None:
    assert bool([*moves(code)]) == is_found


@pytest.fixture(scope="module")
def wheels() -> ModuleType:
    """The script that asks for Windows' wheels, without asking anybody."""
    spec = importlib.util.spec_from_file_location("wheels", ROOT / "build" / "windows_wheels.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["wheels"] = module  # where its dataclass looks for its own types
    spec.loader.exec_module(module)
    return module


def test_the_lock_says_what_windows_needs(wheels: ModuleType) -> None:
    locked = [*wheels.read_lock((ROOT / "requirements.lock").read_text(encoding="utf-8"))]

    needed = {each.name for each in locked if each.is_for_windows("3.13")}
    assert needed > {"pywin32-ctypes", "pyside6-essentials", "keyring", "duckdb"}
    assert not needed & {"secretstorage", "jeepney", "zipp"}
    assert all(each.hashes for each in locked)


def test_a_dependency_without_a_wheel_is_named(
    wheels: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = [
        wheels.Locked("whole==1.0", "", frozenset({"aa"})),
        wheels.Locked("source==1.0", "", frozenset({"bb"})),
        wheels.Locked("other==1.0", "sys_platform == 'win32'", frozenset({"cc"})),
        wheels.Locked("elsewhere==1.0", "sys_platform == 'linux'", frozenset({"dd"})),
    ]
    index = {"whole": ("x/whole.whl", "aa"), "other": ("x/other.whl", "ee")}

    def resolve(asked: list[str], _version: str) -> tuple[dict[str, tuple[str, str]], str]:
        names = [each.partition("==")[0] for each in asked]
        if missing := set(names) - set(index):
            return {}, f"no matching distribution for {missing}"
        return {name: index[name] for name in names}, ""

    monkeypatch.setattr(wheels, "_resolved", resolve)

    assert wheels.problems(locked, "3.11") == [
        "source==1.0: no wheel",
        "other==1.0: other.whl is not among the lock's hashes",
    ]
