"""Ten questions over a dropped file: what goes out, and what it costs, beside a way without tools.

Run it as `python -m tests.bench.bench_thrift`. The program answers with its own prompts, tools and
data through the local service; every request is counted as it arrives, by one estimator (3.6
characters a token, of JSON as compact as the SDK sends it), and what stood at a cache mark of an
earlier request at the price of the cache. The other way is that of the proof of concept: the rows
of the file in the prompt and the whole history with every question, without a cache. Both give the
same answers, and are paid at 3 and 15 US$ a million tokens. The goal is at most a quarter of the
cost; the exit code says whether it was met.

The proof of concept is said to have taken about 40,000 tokens and 0.16 US$, so some 2,700 for its
ten answers. The answers that are played are shorter, and the other way takes less here. So what
ours costs of those 0.16 US$ is told beside the ratio of what was counted, as are the ratio of the
input alone, which is all that the program decides on, and both once more with answers as long as
those must have been: such answers alone cost a quarter. What a request is made of is printed first.

Beside it stands what the abilities add: the session with all of them as they are by default,
without notes and with as many as there is room for, against the same with every one off. That is
to be at most 1.15 times as much.
"""

import asyncio
import json
import os
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from qhub_desktop.app import Program
from qhub_desktop.chat.claude.pricing import load_prices
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.events import ApprovalAsked, ChatEvent, ErrorHappened, UsageCounted
from qhub_desktop.core.examples import LONGEST_NOTE, ExampleDraft, TaughtCall
from qhub_desktop.core.memory import LEARNED, MEMORY_CHARACTERS, MOST_NOTES, ROOT
from qhub_desktop.core.message import ToolResult
from qhub_desktop.core.paths import DEMO_DATA, RESOURCES
from qhub_desktop.core.settings import FLAGS, FLAGS_VARIABLE
from qhub_desktop.core.text import fold
from tests.bench.record import record
from tests.unasked import Unasked
from tests.wire import WireServer, answer, calls
from tests.wire.scenes import Answer, Call, Scene, Words

PRICED_AS = "claude-sonnet-4-6"  # 3 and 15 US$ a million, whichever model is asked
CHARACTERS = 3.6  # a token
LEAST_CACHED_TOKENS = 1024  # the service caches nothing shorter
LOOKED_BACK = 20  # blocks before a mark, in which it looks for what it has
GOAL = 0.25
ABILITIES_GOAL = 1.15
EXAMPLES_GOAL = 1.1  # of what guards, checks and teaches
CHECKS = ("guard", "guard_model", "figures", "signals", "judge", "examples")
REPORTED_USD = 0.16
REPORTED_ANSWER_TOKENS = 267
FILE = DEMO_DATA / "defeitos.csv"
POC_PROMPT = (
    "És um assistente da qualidade de uma fábrica de pintura de peças de plástico. Responde em"
    " português, com números exatos, e só com base nos dados que se seguem, em CSV:\n\n"
)
# A question, the query that a model writes for it, and its answer.
SESSION = (
    (
        "Qual é o defeito mais frequente?",
        "SELECT tipo_defeito, count(*) AS n FROM defeitos GROUP BY 1 ORDER BY n DESC LIMIT 5",
        (
            "O defeito mais frequente é **lixo**, com 62 dos 200 registos (31 %). Seguem-se a casca"
            " de laranja e a falta de tinta."
        ),
    ),
    (
        "E por turno, como se reparte?",
        "SELECT turno, count(*) AS n FROM defeitos GROUP BY 1 ORDER BY n DESC",
        "A manhã tem mais defeitos do que a tarde e a noite; a diferença para a tarde é pequena.",
    ),
    (
        "Que operador regista mais defeitos?",
        "SELECT operador, count(*) AS n FROM defeitos GROUP BY 1 ORDER BY n DESC",
        (
            "Quem mais regista está no turno da manhã. Lembre-se de que registar mais não é causar"
            " mais: os turnos não têm o mesmo número de peças."
        ),
    ),
    (
        "Há racks com mais problemas do que as outras?",
        "SELECT rack, count(*) AS n FROM defeitos GROUP BY 1 ORDER BY n DESC LIMIT 10",
        "Sim: três racks juntam mais de um quarto dos registos. Convém ver a limpeza destas.",
    ),
    (
        "Nessas racks, que defeitos são?",
        (
            "SELECT rack, tipo_defeito, count(*) AS n FROM defeitos WHERE rack IN (SELECT rack FROM"
            " defeitos GROUP BY 1 ORDER BY count(*) DESC LIMIT 3) GROUP BY 1, 2 ORDER BY 1, n DESC"
        ),
        "Em todas elas domina o lixo, o que aponta para a limpeza e não para os parâmetros.",
    ),
    (
        "Como evoluíram os defeitos por semana?",
        (
            "SELECT date_trunc('week', data) AS semana, count(*) AS n FROM defeitos GROUP BY 1"
            " ORDER BY 1"
        ),
        "Sobem até ao meio do período e descem depois; a última semana está incompleta.",
    ),
    (
        "E só o lixo?",
        (
            "SELECT date_trunc('week', data) AS semana, count(*) AS n FROM defeitos WHERE"
            " tipo_defeito = 'lixo' GROUP BY 1 ORDER BY 1"
        ),
        "O lixo segue a mesma curva: explica a maior parte da subida.",
    ),
    (
        "Que material é o pior?",
        "SELECT material, count(*) AS n FROM defeitos GROUP BY 1 ORDER BY n DESC",
        (
            "Um dos materiais junta quase metade dos registos; sem as quantidades pintadas não se"
            " sabe se é pior por peça."
        ),
    ),
    (
        "A posição na rack conta?",
        "SELECT posicao, count(*) AS n FROM defeitos GROUP BY 1 ORDER BY 1",
        "As posições de cima têm mais registos, como é de esperar quando o pó assenta.",
    ),
    (
        "Resume em três pontos o que devo fazer.",
        "",
        (
            "1. Limpar as três racks com mais registos e verificar ao fim de uma semana.\n"
            "2. Verificar os filtros da cabine, porque o lixo explica a subida.\n"
            "3. Registar as quantidades por material, para comparar por peça."
        ),
    ),
)


# What the notes are about; of the words of the first question, one has 'defeito'.
SUBJECTS = (
    "defeito cabine turno operadora rack gancho filtro estufa pistola verniz primário lote cliente"
    " reunião tabela gráfico percentagem semana relatório limite auditoria amostra brilho espessura"
    " viscosidade humidade temperatura linha robô máscara fixação embalagem retrabalho sucata"
    " fornecedor resina molde cor paragem manutenção"
)
HABITS = "\n".join(
    f"Pergunta por {each} às {hour} h: {hour} de 30 conversas."
    for hour, each in enumerate(("turno", "rack", "operador", "material", "semana", "tipo"), 6)
)


@dataclass(slots=True)
class Meter:
    """Adds up requests as a service with a cache would charge for them, block by block."""

    input_tokens: float = 0
    cache_read_tokens: float = 0
    cache_write_tokens: float = 0
    output_tokens: float = 0
    cost_usd: float = 0
    input_usd: float = 0
    _kept: set[int] = field(default_factory=set)  # prefixes that ended at a mark

    def add(self, body: JsonObject, said: float) -> None:
        """Count a request and its answer."""
        sizes, prefixes, marks = [], [], []
        prefix = 0
        for place, (text, is_marked) in enumerate(_blocks(body)):
            sizes.append(len(text) / CHARACTERS)
            prefix = hash((prefix, text))
            prefixes.append(prefix)
            if is_marked and sum(sizes) >= LEAST_CACHED_TOKENS:
                marks.append(place)
        found = [
            place
            for mark in marks
            for place in range(max(0, mark - LOOKED_BACK + 1), mark + 1)
            if prefixes[place] in self._kept
        ]
        read_to = max(found, default=-1) + 1
        write_to = max(marks, default=-1) + 1
        self._kept.update(prefixes[mark] for mark in marks)
        read, written = sum(sizes[:read_to]), sum(sizes[read_to:write_to])
        fresh = sum(sizes[max(read_to, write_to) :])
        usage = UsageCounted(PRICED_AS, round(fresh), round(said), round(read), round(written))
        self.cost_usd += PRICES.cost(usage) or 0.0
        self.input_usd += PRICES.cost(replace(usage, output_tokens=0)) or 0.0
        self.input_tokens += fresh
        self.cache_read_tokens += read
        self.cache_write_tokens += written
        self.output_tokens += said

    def figures(self) -> dict[str, float | int | str]:
        """Return what was counted, for the record."""
        return {
            "input_tokens": round(self.input_tokens),
            "cache_write_tokens": round(self.cache_write_tokens),
            "cache_read_tokens": round(self.cache_read_tokens),
            "output_tokens": round(self.output_tokens),
            "input_usd": round(self.input_usd, 4),
            "cost_usd": round(self.cost_usd, 4),
        }


PRICES = load_prices(RESOURCES, RESOURCES)


def _blocks(body: JsonObject) -> Iterator[tuple[str, bool]]:
    """Yield the blocks in the order in which the service caches them, and where a mark is."""
    for part in ("tools", "system"):
        given: Any = body.get(part, ())
        for each in [given] if isinstance(given, str) else given:
            yield _told(each)
    messages: Any = body["messages"]
    for message in messages:
        content = message["content"]
        for each in [content] if isinstance(content, str) else content:
            text, is_marked = _told(each)
            yield f"{message['role']}{text}", is_marked


def _told(block: Any) -> tuple[str, bool]:
    if isinstance(block, str):
        return block, False
    bare = {name: value for name, value in block.items() if name != "cache_control"}
    return json.dumps(bare, ensure_ascii=False, separators=(",", ":")), "cache_control" in block


def _size(scene: Answer) -> float:
    """Return the tokens of an answer."""
    said = sum(
        len(each.text) if isinstance(each, Words) else len(_told(each.input)[0]) + len(each.name)
        for each in scene.blocks
        if isinstance(each, Words | Call)
    )
    return said / CHARACTERS


class Watcher(Unasked):
    """Watches, and sees to it that every query was answered."""

    def show(self, event: ChatEvent) -> None:
        """One event."""
        if isinstance(event, ErrorHappened):
            sys.exit(event.text)

    async def approve(self, request: ApprovalAsked) -> JsonObject:
        """Agree."""
        return request.call.input


Session = Sequence[tuple[str, str, str]]


def _script(session: Session) -> list[Answer]:
    script: list[Answer] = []
    for _question, query, said in session:
        if query:
            script.append(calls(("consultar_dados", {"sql": query})))
        script.append(answer(said))
    return script


def _with_long_answers() -> Session:
    """Return the session with each answer said again until it is as long as those reported."""
    length = round(REPORTED_ANSWER_TOKENS * CHARACTERS)
    return [(question, query, (f"{said} " * 40)[:length]) for question, query, said in SESSION]


async def _leave_nothing(_program: Program) -> None:
    """Remember nothing."""


def _whole(text: str, _before: str | None) -> str:
    return text


async def _fill_memory(program: Program) -> None:
    """Remember as many notes as there is room for, one of them pinned, and what was counted."""
    memories = program.store.memories
    for subject in SUBJECTS.split():
        said = f"Sobre {subject}, diz sempre o número da peça, quem o viu e a que horas foi; "
        text = (said * 9)[: MEMORY_CHARACTERS // MOST_NOTES - 1] + "."
        await memories.edit(f"{ROOT}/{fold(subject)}", partial(_whole, text), origin="person")
    await memories.edit(f"{LEARNED}padroes", partial(_whole, HABITS), origin="learned")
    await memories.set_pinned(f"{ROOT}/reuniao", is_pinned=True)
    kept = [
        each for each in await memories.listed(include_archived=False) if each.origin != "learned"
    ]
    assert len(kept) == MOST_NOTES
    assert sum(len(each.text) for each in kept) == MEMORY_CHARACTERS


async def _fill_examples(program: Program) -> None:
    """Approve an example for each question of the session, as long as one may be."""
    examples = program.store.reviews.examples
    for place, (question, query, said) in enumerate(SESSION):
        calls_ = (TaughtCall("consultar_dados", {"sql": query}),) if query else ()
        answer_ = re.sub(r"\d+", "‹n›", f"{said} " * 8)
        note = "Conta primeiro com a ferramenta, e só depois compara os turnos entre si. " * 3
        asked = f"{question} ({'abcdefghij'[place]})"
        draft = ExampleDraft(asked, calls_, answer_, note[:LONGEST_NOTE])
        made = await examples.add("analise", draft, plan="group")
        await examples.approve(made.id)


async def _ask(
    script: Sequence[Answer], prepare: Callable[[Program], Awaitable[None]]
) -> list[JsonObject]:
    """Play the session with the program, and return the requests that arrived."""
    scenes: list[Scene] = [*script]
    with WireServer(scenes) as server:
        os.environ["ANTHROPIC_BASE_URL"] = server.url
        os.environ["ANTHROPIC_API_KEY"] = "key-for-tests"
        program = Program(engine="claude")
        try:
            await prepare(program)
            talk = (await program.store.conversations.create("analise")).id
            for profile in await program.workspace.load(FILE):
                await program.store.datasets.pin(talk, profile.id, profile.dataset)
            for question, _query, _said in SESSION:
                await program.turns.reply(talk, question, audience=Watcher())
            messages = await program.store.messages.latest(talk)
        finally:
            await program.close()
    results = [each for one in messages for each in one.blocks if isinstance(each, ToolResult)]
    failed = [each.content for each in results if each.is_error]
    assert not failed, failed
    assert len(results) == sum(bool(query) for _question, query, _said in SESSION)
    return [request.body for request in server.requests]


def _counted(bodies: Sequence[JsonObject], script: Sequence[Answer]) -> Meter:
    meter = Meter()
    for body, scene in zip(bodies, script, strict=True):
        meter.add(body, _size(scene))
    return meter


def _parts(body: JsonObject) -> dict[str, int]:
    """Return the tokens of each part of a request."""
    parts: Counter[str] = Counter()
    tools: Any = body.get("tools", ())
    for each in tools:
        parts[f"tool {each['name']}"] += len(_told(each)[0])
    system: Any = body["system"]
    for name, each in zip(("prompt", "data sets"), system, strict=True):
        parts[name] += len(_told(each)[0])
    messages: Any = body["messages"]
    for message in messages:
        for each in message["content"]:
            parts[f"{message['role']}: {each['type']}"] += len(_told(each)[0])
    return {name: round(size / CHARACTERS) for name, size in parts.items()}


def _proof_of_concept(session: Session) -> Meter:
    """Count the session with every row and the whole history in each prompt."""
    meter = Meter()
    system = POC_PROMPT + FILE.read_text(encoding="utf-8-sig")
    history: list[Any] = []
    for question, _query, said in session:
        history.append({"role": "user", "content": question})
        meter.add({"system": system, "messages": [*history]}, len(said) / CHARACTERS)
        history.append({"role": "assistant", "content": said})
    return meter


def _play(
    session: Session, prepare: Callable[[Program], Awaitable[None]] = _leave_nothing
) -> tuple[list[JsonObject], Meter]:
    """Return the requests of the program, and what they took."""
    script = _script(session)
    with tempfile.TemporaryDirectory() as home:
        os.environ["QHUB_HOME"] = home
        bodies = asyncio.run(_ask(script, prepare))
    return bodies, _counted(bodies, script)


def _abilities() -> dict[str, float | int | str]:
    """Return what the abilities add to the session, as ratios to it with all of them off."""
    os.environ[FLAGS_VARIABLE] = ",".join(f"{name}=off" for name in FLAGS)
    _bodies, off = _play(SESSION)
    del os.environ[FLAGS_VARIABLE]
    _bodies, empty = _play(SESSION)
    bodies, full = _play(SESSION, _fill_memory)
    assert HABITS.splitlines()[0] in str(bodies[0]["messages"])
    os.environ[FLAGS_VARIABLE] = ",".join(f"{name}=off" for name in CHECKS)
    _bodies, unchecked = _play(SESSION)
    del os.environ[FLAGS_VARIABLE]
    bodies, taught = _play(SESSION, _fill_examples)
    assert "<exemplos>" in str(bodies[0]["messages"])
    return {
        "with full examples": round(taught.cost_usd / unchecked.cost_usd, 3),
        "goal of examples": EXAMPLES_GOAL,
        "off_usd": round(off.cost_usd, 4),
        "without notes": round(empty.cost_usd / off.cost_usd, 3),
        "with full memory": round(full.cost_usd / off.cost_usd, 3),
        "goal": ABILITIES_GOAL,
    }


def main() -> int:
    """Print and keep the figures."""
    _bodies, ours_long = _play(_with_long_answers())
    theirs_long = _proof_of_concept(_with_long_answers())
    bodies, ours = _play(SESSION)
    theirs = _proof_of_concept(SESSION)
    abilities = _abilities()
    for name, tokens in _parts(bodies[-1]).items():
        print(f"{name:28} {tokens:5}")
    print()
    ratio = ours.cost_usd / theirs.cost_usd
    record(
        "thrift",
        {
            "with tools and a cache": ours.figures(),
            "with every row in the prompt": theirs.figures(),
            "with tools, long answers": ours_long.figures(),
            "with every row, long answers": theirs_long.figures(),
            "abilities, of the session with all off": abilities,
            "ratio": round(ratio, 3),
            "ratio of the input alone": round(ours.input_usd / theirs.input_usd, 3),
            "of the 0.16 US$ reported": round(ours.cost_usd / REPORTED_USD, 3),
            "of every row with long answers": round(ours.cost_usd / theirs_long.cost_usd, 3),
            "ratio, long answers": round(ours_long.cost_usd / theirs_long.cost_usd, 3),
            "ratio of the input alone, long answers": round(
                ours_long.input_usd / theirs_long.input_usd, 3
            ),
            "goal": GOAL,
        },
    )
    is_met = ratio <= GOAL and float(abilities["with full memory"]) <= ABILITIES_GOAL
    is_met = is_met and float(abilities["with full examples"]) <= EXAMPLES_GOAL
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
