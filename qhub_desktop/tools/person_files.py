"""Everything that is one person's, as a ZIP: conversations to be read and taken in again, files."""

from __future__ import annotations  # the public function comes first

import asyncio
import json
import shutil
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.paths import scratch_folder
from qhub_desktop.core.text import file_name
from qhub_desktop.data.export.output import (
    atomic_write,
    check_writable,
    os_errors_as_user_errors,
)
from qhub_desktop.store import Store
from qhub_desktop.tools.conversation_document import markdown_of
from qhub_desktop.tools.conversation_files import json_of

if TYPE_CHECKING:
    from qhub_desktop.data.workspace import Workspace
    from qhub_desktop.tools.agent_catalogue import AgentCatalogue


class PersonServices(Protocol):
    """Parts of the program that an export reads from."""

    store: Store

    @property
    def workspace(self) -> Workspace:
        """Workspace of the data sets."""
        ...

    @property
    def agent_catalogue(self) -> AgentCatalogue:
        """All agents."""
        ...


async def export_person(services: PersonServices, name: str, target: Path) -> int:
    """Write everything that is a person's to a ZIP; return the count of conversations.

    Each conversation as Markdown and JSON, the files that were dropped (as they came where a copy
    is kept, else their rows as CSV), and what else is kept of the person. Raises UserError.
    """
    check_writable(target)
    data, catalogue = services.store.personal_data, services.agent_catalogue
    conversations = await data.begin_export(name, target.name)
    files: set[str] = set()
    with os_errors_as_user_errors(target), scratch_folder() as folder:
        for kind in ("conversations", "files"):
            (folder / kind).mkdir()
        for each in conversations:
            messages, pins = await data.said_in(name, each.id)
            agent = catalogue.name_of(each.agent)
            lines = markdown_of(each, messages, agent=agent, tools=catalogue.tools)
            at = folder / "conversations" / each.id
            _put(at.with_suffix(".md"), "\n".join([*lines, ""]))
            _put(at.with_suffix(".json"), json_of(each, messages, pins))
            files.update(pin.dataset_id for pin in pins)
        for dataset_id in sorted(files):
            await _put_file(services.workspace, dataset_id, folder / "files")
        other = json.dumps(await data.rows_of(name), ensure_ascii=False, indent=1, default=str)
        _put(folder / "person.json", other + "\n")
        await asyncio.to_thread(_pack, folder, target)
    return len(conversations)


def _pack(folder: Path, target: Path) -> None:
    """Pack a folder as a ZIP that is there whole or not at all."""
    with atomic_write(target) as draft, zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as out:
        for made in sorted(folder.rglob("*")):
            if made.is_file():
                out.write(made, made.relative_to(folder).as_posix())


async def _put_file(workspace: Workspace, dataset_id: str, folder: Path) -> None:
    """Put a data set's file into a folder, as it came or its rows; nothing for one that is gone."""
    try:
        profile = await workspace.profile(dataset_id)
        kept = workspace.original(profile.sha256)
        if kept is not None:
            shutil.copyfile(kept, folder / f"{dataset_id[:12]} {file_name(profile.file, '')}")
        else:
            name = file_name(f"{dataset_id} {Path(profile.file).stem}", ".csv")
            await workspace.export(dataset_id, folder / name)
    except QHubError:
        return


def _put(target: Path, text: str) -> None:
    target.write_text(text, encoding="utf-8", errors="replace", newline="\n")
