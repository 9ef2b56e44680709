"""Papers of a plant and questions to them, asked of the offline engine and judged.

A file, as `tests/knowledge/quotes_open.toml`, has `[documents]`, texts by the names of files, and
`[[questions]]` with `q`, and `says`, which must stand in the quote; a question without it is
answered by none of the papers.
"""

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any, Literal

import qhub_desktop.charts.catalogue  # noqa: F401  the lexicon has the words of charts
from qhub_desktop.core.documents import Citation
from qhub_desktop.core.message import Message
from qhub_desktop.nlq.lexicon import current_lexicon
from qhub_desktop.nlq.offline_engine import OfflineEngine
from qhub_desktop.store import Store
from qhub_desktop.tools.document_service import DocumentService
from qhub_desktop.tools.documents import DocumentTools
from tests.chat.fakes import Person, turns_with
from tests.tools.test_documents import AGENT

FOLDER = Path(__file__).parents[1] / "knowledge"
Judgement = Literal["right", "wrong", "not claimed", "rightly not claimed"]


def papers(file: Path) -> dict[str, Any]:
    """Read a set of papers and questions."""
    return tomllib.loads(file.read_text(encoding="utf-8"))


async def judged(
    content: dict[str, Any], folder: Path, *, words_only: bool
) -> list[tuple[Judgement, str, Message]]:
    """Ask every question of a set; return how each is answered, the question and the answer."""
    store = Store.open(folder / "home")
    synonyms = current_lexicon().synonyms(("pt", "en"))
    documents = DocumentService(store.documents, folder / "home", synonyms=lambda: synonyms)
    files = []
    for name, words in content["documents"].items():
        files.append(folder / name)
        files[-1].write_text(words, encoding="utf-8")
    await documents.add(files)
    await documents.indexing.finish(words_only=words_only)
    toolbox = DocumentTools(store.documents, lambda: documents)
    engine = OfflineEngine()
    turns = turns_with(store, engine, agent=AGENT, toolbox=toolbox)
    found = list[tuple[Judgement, str, Message]]()
    for asked in content["questions"]:
        talk = (await store.conversations.create("analise")).id
        await turns.reply(talk, asked["q"], audience=Person())
        answer = (await store.messages.latest(talk))[-1]
        found.append((_judgement(answer, asked.get("says", "")), asked["q"], answer))
    engine.close()
    documents.close()
    store.close()
    return found


def _judgement(answer: Message, says: str) -> Judgement:
    quotes = [each.quote for each in answer.blocks if isinstance(each, Citation)]
    if not (quotes and answer.text.startswith("«")):
        return "not claimed" if says else "rightly not claimed"
    return "right" if says and says in " ".join(quotes[0].split()) else "wrong"


def shares(found: list[tuple[Judgement, str, Message]]) -> dict[str, float]:
    """How many questions that have an answer get it, and how many answers are wrong claims."""
    counts = Counter(kind for kind, _question, _answer in found)
    answerable = counts["right"] + counts["not claimed"]
    return {
        **{kind.replace(" ", "_"): count for kind, count in sorted(counts.items())},
        "right_share": counts["right"] / max(1, answerable),
        "wrong_share": counts["wrong"] / max(1, len(found)),
    }
