"""Ten thousand files made worse at random, each read: what was refused, and whether anything broke.

Run it as `python -m tests.bench.fuzz_import --keep FOLDER`. What breaks is kept in that folder with
its input, and so is how far the run has come: started again, it goes on. The files are the nasty
ones of tests/data, and those in each `--files FOLDER`.

A case is decided by the seed and its number alone. It is read by the code that the child of an
import runs, under the same cap on memory, in a process that takes many cases one after the other,
so that starting up is not paid for each. One that takes 10 s is killed, and read again at the end,
alone, for as long as the program would wait: it is slow if it comes to an end, else it hung.
"""

import argparse
import gc
import hashlib
import json
import queue
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import duckdb

from qhub_desktop.core import text
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.processes.child import MEMORY_MB
from qhub_desktop.data.ingest.dataset_store import DatasetStore
from qhub_desktop.data.ingest.import_worker import read_into
from tests.bench.mutating import mutated
from tests.bench.record import record
from tests.data.nasty.corpus import FILES
from tests.data.nasty.truth import receipt_of

CASES = 10_000
SEED = 20261122
LIMIT_S = 10
PATIENT_S = 60
START_S = 30
LARGEST = 300_000  # a real file that is larger is left out: it would only be slow
WORKERS = 2
# A process that has read so many files is replaced, so that what it leaks does not add up.
CASES_A_PROCESS = 500
FINE = ("read", "refused", "out of memory")
LATE = "late"  # until it was read again


def files_of(folders: list[Path]) -> list[Path]:
    """What is mutated, in an order that every machine has."""
    return [
        path
        for folder in (FILES, *folders)
        for path in sorted(folder.rglob("*"), key=lambda path: path.name)
        if path.is_file() and 0 < path.stat().st_size <= LARGEST
    ]


def made(number: int, seed: int, files: list[Path]) -> tuple[str, bytes]:
    """One case: a file's name and its bytes."""
    chance = random.Random(f"{seed}:{number}")
    file = chance.choice(files)
    other = chance.choice(files)
    content = mutated(chance, file.read_bytes(), other.read_bytes())
    # Now and then the name is another's too.
    name = file.name if chance.random() < 0.9 else f"{file.stem}{other.suffix}"
    return name, content


# In the process that reads.


def work(seed: int, files: list[Path]) -> None:
    """Read case after case; each line in is a number, each line out says what came of it."""
    _cap_memory()
    text.use("en")
    with tempfile.TemporaryDirectory() as folder:
        for line in sys.stdin:
            number = int(line)
            outcome = _outcome(*made(number, seed, files), Path(folder))
            print(json.dumps({"case": number, **outcome}), flush=True)


def _outcome(name: str, content: bytes, folder: Path) -> dict[str, Any]:
    file = folder / "in" / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content)
    begun = time.perf_counter()
    try:
        wrong = _read(file, folder / "shelf")
        outcome = {"outcome": "receipt" if wrong else "read", "why": "; ".join(wrong)}
    except UserError as error:
        is_sentence = str(error).endswith(".")
        outcome = {"outcome": "refused" if is_sentence else "no sentence", "why": str(error)}
    except (MemoryError, duckdb.OutOfMemoryException):
        outcome = {"outcome": "out of memory"}
    except BaseException:  # noqa: BLE001  whatever it is, it is what this program looks for
        outcome = {"outcome": "bug", "why": traceback.format_exc()}
    gc.collect()  # a generator that was not read to its end may hold the file open
    shutil.rmtree(folder / "shelf", ignore_errors=True)
    shutil.rmtree(folder / "in", ignore_errors=True)
    return {**outcome, "s": round(time.perf_counter() - begun, 3)}


def _read(file: Path, root: Path) -> list[str]:
    """In what the receipt is wrong; nothing if all is well."""
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    shelf = DatasetStore(root)
    folder = shelf.begin()
    read_into(file, folder, sha256=sha256, tell=lambda _text, _share: None)
    shelf.finish(folder)
    wrong = []
    for profile in shelf.profiles_of(sha256):
        wrong += receipt_of(profile)
        path = shelf.rows(profile.id)
        assert path is not None
        with duckdb.connect(str(path), read_only=True) as db:
            counted = db.execute("SELECT count(*) FROM rows").fetchone()
        read = profile.report.rows_read if profile.report else -1
        if counted is None or not counted[0] == profile.rows == read:
            wrong.append(f"{read} rows were read, {counted} are stored, {profile.rows} are said")
    return wrong


def _cap_memory() -> None:
    if sys.platform != "win32":
        import resource

        limit = MEMORY_MB * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


# In the process that watches.


class Worker:
    """A process that reads, replaced whenever it ends or has to be ended."""

    def __init__(self, arguments: list[str], *, program: str = "tests.bench.fuzz_import") -> None:
        self._command = [sys.executable, "-m", program, "--worker", *arguments]
        self._start()

    def read(self, number: int, *, limit_s: float = LIMIT_S) -> dict[str, Any]:
        """What comes of a case."""
        if self._done >= CASES_A_PROCESS:
            self._start_again()
        self._done += 1
        begun = time.perf_counter()
        try:
            self._to.write(f"{number}\n")
            self._to.flush()
            # The first case also waits for the process to start.
            line = self._lines.get(timeout=limit_s + (START_S if self._done == 1 else 0))
        except queue.Empty:
            line, outcome = None, LATE
        except OSError:
            line, outcome = None, "died"
        else:
            outcome = "died"
        if line:
            answer: dict[str, Any] = json.loads(line)
            return answer
        self._start_again()
        return {"case": number, "outcome": outcome, "s": round(time.perf_counter() - begun, 3)}

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to: IO[str] = self._process.stdin
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        threading.Thread(
            target=_pass_on, args=(self._process.stdout, self._lines), daemon=True
        ).start()
        self._done = 0

    def _start_again(self) -> None:
        self.close()
        self._start()


def _pass_on(lines: IO[str], to: "queue.SimpleQueue[str]") -> None:
    for line in lines:
        to.put(line)
    to.put("")  # it ended


class Run:
    """All cases, and what has come of them: kept line by line, so that a run can go on."""

    def __init__(self, keep: Path, seed: int, files: list[Path]) -> None:
        keep.mkdir(parents=True, exist_ok=True)
        self._keep, self._seed, self._files = keep, seed, files
        self._progress = keep / f"progress-{seed}.jsonl"
        self._lock = threading.Lock()
        self.answers: dict[int, dict[str, Any]] = {}
        if self._progress.exists():
            for line in self._progress.read_text(encoding="utf-8").splitlines():
                answer = json.loads(line)
                self.answers[answer["case"]] = answer

    def work(self, numbers: Iterator[int], arguments: list[str]) -> None:
        """Take case after case, until there are no more."""
        worker = Worker(arguments)
        try:
            while (number := self._next(numbers)) is not None:
                self._note(worker.read(number))
        finally:
            worker.close()

    def read_again(self, arguments: list[str]) -> None:
        """Give those that were killed the time that the program would give them."""
        worker = Worker(arguments)
        try:
            for number in [case for case, each in self.answers.items() if each["outcome"] == LATE]:
                answer = worker.read(number, limit_s=PATIENT_S)
                ended = "hung" if answer["outcome"] == LATE else answer["outcome"]
                self._note({**answer, "outcome": "slow" if ended in FINE else ended})
        finally:
            worker.close()

    def _next(self, numbers: Iterator[int]) -> int | None:
        with self._lock:
            return next((each for each in numbers if each not in self.answers), None)

    def _note(self, answer: dict[str, Any]) -> None:
        with self._lock:
            self.answers[answer["case"]] = answer
            with self._progress.open("a", encoding="utf-8") as file:
                file.write(json.dumps(answer) + "\n")
            if answer["outcome"] not in (*FINE, LATE):
                self._keep_case(answer)
            if len(self.answers) % 500 == 0 and answer["outcome"] != "slow":
                counts = Counter(each["outcome"] for each in self.answers.values())
                print(len(self.answers), dict(counts), flush=True)

    def _keep_case(self, answer: dict[str, Any]) -> None:
        name, content = made(answer["case"], self._seed, self._files)
        folder = self._keep / f"{answer['outcome']}-{answer['case']}"
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
        (folder / "why.txt").write_text(str(answer.get("why", "")), encoding="utf-8")


def main() -> int:
    """Run, print, keep; 1 if anything broke."""
    parser = argparse.ArgumentParser(description="Read files made worse at random.")
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--keep", type=Path, default=Path(".work") / "fuzz")
    parser.add_argument("--files", type=Path, action="append", default=[])
    parser.add_argument("--worker", action="store_true")
    given = parser.parse_args()
    files = files_of(given.files)
    if given.worker:
        work(given.seed, files)
        return 0
    arguments = ["--seed", str(given.seed)]
    for folder in given.files:
        arguments += ["--files", str(folder)]
    run = Run(given.keep, given.seed, files)
    numbers = iter(range(given.cases))
    begun = time.perf_counter()
    threads = [
        threading.Thread(target=run.work, args=(numbers, arguments)) for _each in range(WORKERS)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    run.read_again(arguments)
    counts = Counter(each["outcome"] for each in run.answers.values())
    record(
        "fuzz",
        {
            "cases": len(run.answers),
            "seed": given.seed,
            "files": len(files),
            **{
                name.replace(" ", "_"): counts[name]
                for name in (*FINE, "slow", "no sentence", "died", "hung", "receipt", "bug")
            },
            "slowest_case_s": max(each["s"] for each in run.answers.values()),
            "read_s": sum(each["s"] for each in run.answers.values()),
            "wall_s": round(time.perf_counter() - begun, 1),
        },
    )
    return int(any(counts[name] for name in ("no sentence", "hung", "receipt", "bug")))


if __name__ == "__main__":
    sys.exit(main())
