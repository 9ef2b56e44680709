"""The corpus of documents read with OCR, and 2,000 files of it made worse at random.

Run it as `python -m tests.bench.fuzz_documents`: what differs from the truth, and what broke, is
printed. What breaks is kept in `--keep FOLDER`. A case is decided by the seed and its number alone,
and read as the child does that reads documents, under its cap on memory; OCR is left out of them.
"""

import argparse
import json
import random
import shutil
import sys
import tempfile
import threading
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

from qhub_desktop.core import text
from qhub_desktop.core.documents import DocumentText
from qhub_desktop.core.errors import UserError
from qhub_desktop.knowledge.passages import MOST
from qhub_desktop.knowledge.reading import read_document
from tests.bench.fuzz_import import LATE, PATIENT_S, Worker
from tests.bench.mutating import mutated
from tests.bench.record import record
from tests.knowledge.corpus import FILES, PASSWORD, TRUTH, content_of
from tests.knowledge.reading import differences, sheets

CASES = 2_000
SEED = 20261130
MEMORY_MB = 1_024
LARGEST = 400_000
WORKERS = 2
FINE = ("read", "refused", "out of memory")


def made(number: int, seed: int) -> tuple[str, bytes]:
    """One case: a file's name and its bytes."""
    chance = random.Random(f"{seed}:{number}")
    names = [name for name in FILES if 0 < len(content_of(name)) <= LARGEST]
    name, other = chance.choice(names), chance.choice(names)
    return name, mutated(chance, content_of(name), content_of(other))


# In the process that reads.


def work(seed: int) -> None:
    """Read case after case; each line in is a number, each line out says what came of it."""
    if sys.platform != "win32":
        import resource

        limit = MEMORY_MB * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    text.use("en")
    with tempfile.TemporaryDirectory() as folder:
        for line in sys.stdin:
            number = int(line)
            answer = {"case": number, **_outcome(*made(number, seed), Path(folder))}
            print(json.dumps(answer), flush=True)


def _outcome(name: str, content: bytes, folder: Path) -> dict[str, Any]:
    file = folder / "in" / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content or b" ")
    begun = time.perf_counter()
    try:
        found = read_document(
            file,
            name=name,
            ocr="never",
            password=PASSWORD,
            sheets=sheets,
            attachments=folder / "in" / "attached",
        )
        wrong = _wrong(found)
        outcome = {"outcome": "wrong" if wrong else "read", "why": "; ".join(wrong)}
    except UserError as error:
        outcome = {"outcome": "refused", "why": str(error)}
        if not str(error).endswith("."):
            outcome["outcome"] = "no sentence"
        elif error.__cause__ is not None and _is_ours(error.__cause__):
            outcome = {"outcome": "bug", "why": "".join(traceback.format_exception(error))}
    except MemoryError:
        outcome = {"outcome": "out of memory"}
    except BaseException:  # noqa: BLE001  whatever it is, it is what this program looks for
        outcome = {"outcome": "bug", "why": traceback.format_exc()}
    shutil.rmtree(folder / "in", ignore_errors=True)
    return {**outcome, "s": round(time.perf_counter() - begun, 3)}


def _is_ours(error: BaseException) -> bool:
    """Whether an error that became a refusal was raised by our code, not by a library's."""
    if isinstance(error, (UserError, OSError)):
        return False
    frames = traceback.extract_tb(error.__traceback__)
    return "qhub_desktop" in frames[-1].filename


def _wrong(found: DocumentText) -> list[str]:
    """What no document may have, whatever its bytes are."""
    wrong = []
    for passage in found.passages:
        place = passage.place
        if not passage.text.strip() or len(passage.text) > MOST:
            wrong.append(f"a passage of {len(passage.text)} characters")
        if place.page is not None and not 1 <= place.page <= (found.pages or 0):
            wrong.append(f"page {place.page} of {found.pages}")
        for left, top, right, bottom in place.rectangles:
            if not (0 <= left <= right <= 1 and 0 <= top <= bottom <= 1):
                wrong.append(f"a rectangle {(left, top, right, bottom)}")
    return wrong


# In the process that watches.


def read_corpus() -> dict[str, float | int | str]:
    """Read every document, with OCR, and compare it with its truth."""
    text.use("en")
    begun = time.perf_counter()
    wrong = Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(FILES):
            for each in differences(name, Path(folder) / str(number)):
                wrong[name] += 1
                print(f"{name}: {each}", flush=True)
    passages = [len(TRUTH[name].get("passages", ())) for name in FILES]
    return {
        "documents": len(FILES),
        "documents_wrong": len(wrong),
        "passages": sum(passages),
        "differences": wrong.total(),
        "read_s": round(time.perf_counter() - begun, 1),
    }


def read_mutated(cases: int, seed: int, keep: Path) -> dict[str, float | int | str]:
    """Read the mutated files, two at a time; keep what broke."""
    numbers = iter(range(cases))
    lock = threading.Lock()
    answers: dict[int, dict[str, Any]] = {}

    def take() -> None:
        worker = Worker(["--seed", str(seed)], program="tests.bench.fuzz_documents")
        try:
            while True:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                answer = worker.read(number)
                if answer["outcome"] == LATE:
                    again = worker.read(number, limit_s=PATIENT_S)
                    late = again["outcome"] == LATE
                    answer = {**again, "outcome": "hung" if late else again["outcome"]}
                answers[number] = answer
        finally:
            worker.close()

    begun = time.perf_counter()
    threads = [threading.Thread(target=take) for _each in range(WORKERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, answer in answers.items():
        if answer["outcome"] not in FINE:
            folder = keep / f"{answer['outcome']}-{number}"
            folder.mkdir(parents=True, exist_ok=True)
            name, content = made(number, seed)
            (folder / name).write_bytes(content)
            (folder / "why.txt").write_text(str(answer.get("why", "")), encoding="utf-8")
            print(number, name, answer["outcome"], str(answer.get("why", ""))[-400:], flush=True)
    counts = Counter(answer["outcome"] for answer in answers.values())
    kinds = (*FINE, "no sentence", "wrong", "died", "hung", "bug")
    return {
        "cases": len(answers),
        "seed": seed,
        **{kind.replace(" ", "_"): counts[kind] for kind in kinds},
        "slowest_case_s": max(answer["s"] for answer in answers.values()),
        "wall_s": round(time.perf_counter() - begun, 1),
    }


def main() -> int:
    """Run, print, keep; 1 if anything broke."""
    parser = argparse.ArgumentParser(description="Read the corpus, and its files made worse.")
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--keep", type=Path, default=Path(".work") / "fuzz-documents")
    parser.add_argument("--worker", action="store_true")
    given = parser.parse_args()
    if given.worker:
        work(given.seed)
        return 0
    mutated_files = read_mutated(given.cases, given.seed, given.keep)
    figures = {"mutated": mutated_files, "corpus": read_corpus()}
    flat = {
        f"{part}_{name}": value for part, all_ in figures.items() for name, value in all_.items()
    }
    record(
        "fuzz_documents", flat, libraries=("pypdfium2", "python-docx", "python-pptx", "rapidocr")
    )
    broken = ("no_sentence", "wrong", "died", "hung", "bug")
    return int(any(mutated_files[name] for name in broken) or bool(flat["corpus_differences"]))


if __name__ == "__main__":
    sys.exit(main())
