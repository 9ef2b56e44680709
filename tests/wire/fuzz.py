"""Mutated streams against the real SDK, turn and store: `python -m tests.wire.fuzz --streams 5000`.

Each stream answers a question in a conversation of its own. However it is broken: the turn ends
with one `Done`, a second question is then answered by a service that takes nothing but what is
right, and the key stands in no file, though many streams quote it. `--record` keeps the figures in
`tests/bench/results/wire_fuzz.json`.
"""

import argparse
import asyncio
import gzip
import json
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from qhub_desktop.core.events import Done, ErrorHappened
from qhub_desktop.core.settings import Settings
from qhub_desktop.store import Store
from tests.bench.record import Figure, record
from tests.chat.fakes import AGENT, Person, turns_with
from tests.chat.requests import claude_at
from tests.wire.events import events
from tests.wire.scenes import Answer, Call, Raw, Scene, Thought, Words, answer, calls, thinking
from tests.wire.server import WireServer

KEY = "sk-ant-api03-Fz7Qm2Lk9Xc5Rb0Vt4Ym8Gd1Jf6Ps3EaUiOy-8Kr2Nv5Tz7Wq1Bx4Cm6Dl9Fh3Gj0"
# A model that runs away is ended by the limit on rounds; nothing here is silent for long.
SETTINGS = Settings(engine="claude", rounds=3, heartbeat_s=8.0, question_s=9.0, inactivity_s=20.0)
TYPES = (
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "ping",
    "error",
    "content_block_deltas",
    "",
)
KINDS = ("text/event-stream", "application/json", "text/html", "", "text/event-stream; charset=x")

Event = dict[str, Any]


@dataclass
class Tally:
    """What came of the streams."""

    ends: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def raw(dice: random.Random) -> Raw:
    """One answer of the service, mutated in its events, its bytes and its headers."""
    told: list[Any] = [*events(_scene(dice), "claude-sonnet-5-5")]
    for _ in range(dice.choice([0, 1, 1, 2, 4])):
        _mutate(told, dice)
    is_ascii = dice.random() < 0.5
    body = b"".join(_written(each, dice, is_ascii=is_ascii) for each in told)
    for _ in range(dice.choice([0, 0, 1, 3])):
        body = _spoiled(body, dice)
    status = dice.choice([200] * 12 + [204, 302, 400, 403, 418, 500])
    headers: list[tuple[str, str]] = []
    match dice.randrange(12):
        case 0:
            body, headers = gzip.compress(body), [("content-encoding", "gzip")]
        case 1:
            headers = [("content-encoding", dice.choice(["gzip", "deflate", "br", "x", "\x01"]))]
        case 2:
            headers = [("retry-after", dice.choice(["nan", "-1", "inf", "0", "1e400", KEY]))]
        case 3:
            headers = [("location", dice.choice(["/v1/messages", f"http://{KEY}.invalid", "//["]))]
        case _:
            pass
    kind = KINDS[0] if dice.random() < 0.9 else dice.choice(KINDS)
    return Raw(b"" if status == 204 else body, status, tuple(headers), kind)


def _scene(dice: random.Random) -> Answer:
    size = dice.choice([1, 3, 8, 200])
    text = dice.choice(["Há 62 defeitos de lixo. 😀", f"A chave é {KEY}.", "```html\n<b>", " "])
    called = Call("somar", {"valores": [1, 2]}, id=dice.choice(["a", "", "b c", KEY]))
    return dice.choice(
        [
            answer(text, size=size),
            thinking("Penso nisto.", text, size=size),
            calls(called, text=text, size=size),
            calls(called, called, size=size),
            calls(called, Call(dice.choice(["falhar", "nada", KEY, ""]), {}), thought="Vou ver."),
            Answer((Thought("x", is_redacted=True), Words(text), called), "max_tokens", size=size),
        ]
    )


def _junk(dice: random.Random) -> Any:
    deep: Any = []
    for _ in range(dice.choice([70, 300, 900])):
        deep = [deep]
    return dice.choice(
        [
            None,
            True,
            -1,
            10**30,
            1e308,
            [],
            {},
            "",
            "\ud83d",
            "\udc00 \0",
            "x" * 100_000,
            KEY,
            KEY.upper(),
            f"Authorization: Bearer {KEY}",
            {KEY: [KEY]},
            {"type": "text", "text": None},
            deep,
            dice.choice(TYPES),
        ]
    )


def _mutate(told: list[Any], dice: random.Random) -> None:
    place = dice.randrange(len(told)) if told else 0
    match dice.randrange(8):
        case 0 if told:
            del told[place]
        case 1 if told:
            told.insert(dice.randrange(len(told)), json.loads(json.dumps(told[place])))
        case 2 if told:
            dice.shuffle(told)
        case 3 if told:
            del told[place:]
        case 4:
            told.insert(place, {"type": dice.choice(TYPES), dice.choice(TYPES): _junk(dice)})
        case 5:
            fault = {"type": _junk(dice), "message": _junk(dice), "details": _junk(dice)}
            told.insert(place, {"type": "error", "error": dice.choice([fault, _junk(dice)])})
        case 6 if told:
            told[place] = _junk(dice)
        case _ if told:
            spots = [*_spots(told[place])]
            if spots:
                holder, name = dice.choice(spots)
                holder[name] = _junk(dice)


def _spots(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a value that can hold another."""
    inside = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for name, each in inside:
        yield value, name
        if not isinstance(each, list) or len(each) != 1:  # not into depths without end
            yield from _spots(each)


def _written(event: Any, dice: random.Random, *, is_ascii: bool) -> bytes:
    text = json.dumps(event, ensure_ascii=is_ascii)
    name = event.get("type", "x") if isinstance(event, dict) else "x"
    end = dice.choice(["\n", "\n", "\n", "\r\n", "\r"])
    said = (
        f"event: {name}{end}data: {text}{end}{end}" if dice.random() < 0.97 else f"data: {text}\n\n"
    )
    return said.encode("utf-8", "surrogatepass")


def _spoiled(body: bytes, dice: random.Random) -> bytes:
    place = dice.randrange(len(body) + 1)
    made: tuple[Callable[[], bytes], ...] = (
        lambda: body[:place],
        lambda: body[place:],
        lambda: body[:place] + dice.randbytes(dice.choice([1, 4, 300])) + body[place:],
        lambda: body[:place] + KEY.encode() + body[place:],
        lambda: b"\xef\xbb\xbf" + body,
        lambda: body.decode("utf-8", "replace").encode("utf-16"),
        lambda: body.replace(b"\n\n", b"\n", 1),
        lambda: body + b"data: " + b"y" * 300_000,
        lambda: body * 2,
    )
    return dice.choice(made)()


async def run(streams: int, seed: int, folder: Path) -> Tally:
    """Play so many streams, and tell how they ended and what must not have happened."""
    tally = Tally()
    script: list[Scene] = []

    def next_scene(_body: dict[str, Any]) -> Scene:
        return script.pop(0) if script else answer("Fim.")

    store = Store.open(folder)
    with WireServer(next_scene, key=KEY) as server:
        async with claude_at(server.url, key=KEY, settings=SETTINGS) as claude:
            claude._first_wait_s = 0.001
            turns = turns_with(store, claude, settings=SETTINGS)
            for number in range(streams):
                dice = random.Random(f"{seed}-{number}")
                script[:] = [raw(dice) for _ in range(dice.choice([1, 1, 2, 5]))]
                talk = (await store.conversations.create(AGENT.id)).id
                first, second = Person(), Person()
                try:
                    await turns.reply(talk, "Quantos?", audience=first)
                    script.clear()
                    await turns.reply(talk, "E agora?", audience=second)
                except Exception:  # noqa: BLE001  which one it is, is what is looked for
                    tally.failures.append(f"{seed}-{number}: {traceback.format_exc()[-1500:]}")
                    continue
                ends = [each.reason for each in first.all(Done)]
                tally.ends[" ".join(ends)] += 1
                again = [each.reason for each in second.all(Done)]
                said = [each.text for each in second.all(ErrorHappened)]
                if len(ends) != 1 or again != ["complete"]:
                    tally.failures.append(f"{seed}-{number}: {ends}, then {again}: {said}")
                if KEY.lower() in repr((first.saw, second.saw)).lower():
                    tally.failures.append(f"{seed}-{number}: the key was shown")
    store.close()
    tally.failures += _files_with_key(folder)
    return tally


def _files_with_key(folder: Path) -> list[str]:
    files = [file for file in folder.rglob("*") if file.is_file()]
    assert files
    return [
        f"the key stands in {file.name}"
        for file in files
        if KEY.lower().encode() in file.read_bytes().lower()
    ]


def main() -> int:
    """Run the fuzz by command; the exit code is 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", action="store_true", help="keep the figures")
    asked = parser.parse_args()
    begun, begun_cpu = time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        tally = asyncio.run(run(asked.streams, asked.seed, Path(folder)))
    for each in tally.failures[:20]:
        print(ascii(each), file=sys.stderr)
    took_s = time.perf_counter() - begun
    ends = ", ".join(f"{end} {count}" for end, count in tally.ends.most_common())
    print(f"{asked.streams} streams in {took_s:.0f} s: {ends}; {len(tally.failures)} failures")
    if asked.record:
        figures: dict[str, Figure] = {
            "streams": asked.streams,
            "seed": asked.seed,
            "failures": len(tally.failures),
            **{f"ended {end}": count for end, count in tally.ends.most_common()},
            "cpu_s": round(time.process_time() - begun_cpu, 1),
        }
        record("wire_fuzz", figures)
    return 1 if tally.failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
