"""dev.py: a whole environment from nothing, and a sentence where that cannot be."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import dev

# A project that builds itself with nothing but the standard library, so that its environment is
# made for real and yet without a network.
PYPROJECT = """
[project]
name = "small"
version = "1"

[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""
BACKEND = """
import zipfile
from pathlib import Path

FILES = {
    "small.pth": str(Path(__file__).parent),
    "small-1.dist-info/METADATA": "Metadata-Version: 2.1\\nName: small\\nVersion: 1\\n",
    "small-1.dist-info/WHEEL": "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    "small-1.dist-info/RECORD": "",
}

def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    name = "small-1-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w") as wheel:
        for path, text in FILES.items():
            wheel.writestr(path, text)
    return name
"""


class Machine:
    """A project in a folder of its own, on which dev.py is let loose."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.lock = folder / "requirements.lock"
        self.lock.write_text("", encoding="utf-8")
        self.copy("dev.py", Path(dev.__file__).read_text(encoding="utf-8"))
        self.copy("pyproject.toml", PYPROJECT)
        self.copy("backend.py", BACKEND)

    def copy(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def prepare(self) -> str:
        """What is said while the environment is made, on a console with few characters."""
        return self.python("import dev; dev.main([]); dev.prepare({})")

    def python(self, program: str) -> str:
        """What the Python that this test runs with says of a program in the folder."""
        return subprocess.run(
            [sys.executable, "-c", program],
            cwd=self.folder,
            env={**os.environ, "PYTHONIOENCODING": "cp1252", "PIP_NO_INPUT": "1"},
            stdout=subprocess.PIPE,
            check=True,
            encoding="cp1252",
        ).stdout


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "a folder with spaces, ção and プラント")


def test_half_an_environment_is_made_anew_and_a_whole_one_is_kept(machine: Machine) -> None:
    machine.copy("backend.py", "")  # so that the last step fails
    with pytest.raises(subprocess.CalledProcessError):
        machine.prepare()
    left_over = machine.folder / ".venv" / "left over"
    left_over.touch()

    machine.copy("backend.py", BACKEND)
    assert "Making the environment" in machine.prepare()
    assert "Making the environment" not in machine.prepare()

    assert not left_over.exists()
    version = "from importlib.metadata import version; print(version('small'))"
    python = machine.folder / dev.PYTHON.relative_to(dev.ROOT)
    assert subprocess.check_output([python, "-c", version], encoding="utf-8") == "1\n"


def test_another_lock_asks_for_another_environment(machine: Machine) -> None:
    facts = "import dev; print(ascii(dev._facts()))"
    before = machine.python(facts)
    machine.lock.write_text("# changed\n", encoding="utf-8")

    assert machine.python(facts) != before


def test_line_endings_do_not_change_what_an_environment_is_made_from(machine: Machine) -> None:
    facts = "import dev; print(dev._facts()['lock'])"
    machine.lock.write_bytes(b"one\ntwo\n")
    unix = machine.python(facts)
    machine.lock.write_bytes(b"one\r\ntwo\r\n")

    assert machine.python(facts) == unix


@pytest.mark.parametrize("version", [(3, 6, 15), (3, 10, 13), (3, 14, 0)])
def test_a_python_that_will_not_do_is_told_so(version: tuple[int, int, int]) -> None:
    pretence = f"import runpy, sys; sys.version_info = {version}; sys.version = '{version}'"
    ended = subprocess.run(
        [sys.executable, "-c", f"{pretence}; runpy.run_path({dev.__file__!r})"],
        stderr=subprocess.PIPE,
        check=False,
        encoding="utf-8",
    )

    assert ended.returncode == 1
    assert "needs Python 3.11, 3.12 or 3.13" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_an_old_python_can_read_as_far_as_the_sentence() -> None:
    source = Path(dev.__file__).read_text(encoding="utf-8")

    ast.parse(source, feature_version=(3, 6))


def test_a_word_it_does_not_know_brings_the_list_of_those_it_does(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert dev.main(["begin"]) == 2
    said = capsys.readouterr().out
    for command in dev.COMMANDS:
        assert f"  {command} " in said


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere Qt brings all it needs")
def test_what_the_system_lacks_is_found_with_the_package_that_has_it() -> None:
    libraries = {"libc.so.6": "libc6", "libnowhere.so.1": "nowhere"}

    packages, missing = dev._missing_from_system(libraries, with_xvfb=False)

    assert packages == ["nowhere"]
    assert missing == ["libnowhere.so.1"]


def test_every_dependency_has_one_locked_version_and_hashes() -> None:
    lines = dev.LOCK.read_text(encoding="utf-8").replace("\\\n", "").splitlines()

    assert lines
    assert all("==" in line and "--hash=sha256:" in line for line in lines)
    assert "://" not in dev.LOCK.read_text(encoding="utf-8")


def test_what_a_change_needs_first_exists_and_needs_no_window() -> None:
    assert [each for each in dev.QUICK if not (dev.ROOT / each).exists()] == []
    assert not any("/ui_" in each or "end_to_end" in each for each in dev.QUICK)
