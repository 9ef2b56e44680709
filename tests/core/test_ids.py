"""Ids of conversations and of messages: the type checker takes neither for the other."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """
from qhub_desktop.core.ids import ConversationId, MessageId
from qhub_desktop.store import Store


async def use(store: Store, conversation: ConversationId, message: MessageId, theirs: str) -> None:
    await store.messages.latest(conversation)
    await store.messages.usage(message)
    await store.messages.latest(theirs)  # wrong
    await store.messages.latest(message)  # wrong
    await store.messages.usage(7)  # wrong
"""


def test_a_services_id_is_not_taken_for_ours(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM, encoding="utf-8")

    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", str(file)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )

    wrong = [at for at, line in enumerate(PROGRAM.splitlines(), 1) if "# wrong" in line]
    told = [int(line.split(":")[1]) for line in checked.stdout.splitlines() if "[arg-type]" in line]
    assert told == wrong, checked.stdout
