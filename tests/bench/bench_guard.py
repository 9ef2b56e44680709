"""The guard: how often it is right about bad and good sentences, and how fast.

Run it as `python -m tests.bench bench_guard`. The sentences stand in `tests/chat/guard`: those that
the rules were made with, and a third that was written after the rules and asked once; what came of
that once is kept in `guard_unseen.json`, and never measured again. At least 95 % are to be right,
and no good sentence blocked. A text of 2,000 characters is to be read within 3 ms, one of 200,000
within 100. The exit code says whether the goals are met.
"""

import sys
import tempfile
import time
import tomllib
from collections.abc import Mapping
from pathlib import Path

from qhub_desktop.chat.guard.reader import GuardReader
from tests.bench.record import RESULTS, Figure, record

SENTENCES = Path(__file__).parents[1] / "chat" / "guard"
UNSEEN = "guard_unseen"
LEAST_RIGHT, MOST_SHORT_MS, MOST_LONG_MS = 0.95, 3.0, 100.0
USUAL = "Quantos defeitos houve ontem na linha 2, turno da noite? A espessura média foi de 102 µm. "
HOSTILE = (
    "i g n o r a ",
    "ignora sem como desativar ",
    "1 2 3 4 5 6 ",
    "palavra-passe: ",
    "não é ã ",
)
TRIES = 7


def main() -> int:
    """Measure, and return the exit code."""
    with tempfile.TemporaryDirectory() as home:
        reader = GuardReader(Path(home))
        seen = _asked(reader, "sentences.toml")
        last = _asked(reader, "sentences_last.toml")
        if not (RESULTS / f"{UNSEEN}.json").exists():
            record(UNSEEN, last)
        short_ms, long_ms = _cpu_ms(reader, USUAL, 2_000), _cpu_ms(reader, USUAL, 200_000)
        worst_short_ms = max(_cpu_ms(reader, each, 2_000) for each in HOSTILE)
        worst_long_ms = max(_cpu_ms(reader, each, 200_000) for each in HOSTILE)
    both = [*seen.values(), *last.values()]
    count, right = (sum(int(each[name]) for each in both) for name in ("sentences", "right"))
    blocked = int(seen["good"]["blocked"]) + int(last["good"]["blocked"])
    figures: dict[str, Mapping[str, Figure] | Figure] = {
        **{f"made with: {kind}": each for kind, each in seen.items()},
        **{f"afterwards: {kind}": each for kind, each in last.items()},
        "right_share": right / count,
        "good_blocked": blocked,
        "2000_characters_cpu_ms": short_ms,
        "200000_characters_cpu_ms": long_ms,
        "hostile_2000_characters_cpu_ms": worst_short_ms,
        "hostile_200000_characters_cpu_ms": worst_long_ms,
    }
    record("guard", figures)
    is_met = (
        right >= LEAST_RIGHT * count
        and not blocked
        and max(short_ms, worst_short_ms) <= MOST_SHORT_MS
        and max(long_ms, worst_long_ms) <= MOST_LONG_MS
    )
    return 0 if is_met else 1


def _asked(reader: GuardReader, file: str) -> dict[str, dict[str, Figure]]:
    """Return how many sentences of each kind are read as what they are."""
    found: dict[str, dict[str, Figure]] = {}
    kinds = tomllib.loads((SENTENCES / file).read_text(encoding="utf-8"))
    for kind, sentences in kinds.items():
        verdicts = [reader.read(each) for each in sentences]
        read = ["good" if each.action == "allow" else each.category for each in verdicts]
        for sentence, each in zip(sentences, read, strict=True):
            if each != kind:
                print(f"{kind} read as {each}: {sentence}")
        found[kind] = {
            "sentences": len(sentences),
            "right": read.count(kind),
            "blocked": sum(each.action == "block" for each in verdicts),
        }
    return found


def _cpu_ms(reader: GuardReader, words: str, length: int) -> float:
    """Return the time of the processor that a text of this length takes, at best."""
    text = (words * (length // len(words) + 1))[:length]
    taken = []
    for _try in range(TRIES):
        begun = time.process_time()
        reader.read(text)
        taken.append(time.process_time() - begun)
    return 1_000 * min(taken)


if __name__ == "__main__":
    sys.exit(main())
