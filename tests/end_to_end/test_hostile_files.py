"""Every door for files that others may have written, against every hostile kind of file.

Each is refused with a sentence that names it, or left aside; none is a bug, and none is waited for.
"""

import json
import os
import shutil
import socket
import ssl
import sys
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

import qhub_desktop.charts.catalogue  # noqa: F401  publishes the charts' words
from qhub_desktop.chat.agent_files import load_agents, read_folder, write_folder
from qhub_desktop.chat.claude.pricing import load_prices
from qhub_desktop.chat.claude.proxies import add_certificates
from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.packs import SAFE_PYTHON
from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.secret_file import SecretFile
from qhub_desktop.core.settings import Settings, read_policy
from qhub_desktop.data.ingest.dataset_store import DatasetStore, load_presets
from qhub_desktop.data.workspace import Workspace
from qhub_desktop.nlq.lexicon import shipped_words
from qhub_desktop.nlq.user_lexicon import read_user_lexicon
from qhub_desktop.people.file import read_people
from qhub_desktop.tools.conversation_files import read_file
from qhub_desktop.ui.web import offscreen
from qhub_desktop.updates import CONTEXT, OFFER_FILE, read_release
from qhub_desktop.updates.updater import KEPT_OFFER, Updater, WindowsInstallation
from tests.updates.offers import signing

JSON = {
    "cut": b'{"format": "qhub", "files": {"a": [1, ',
    "empty": b"",
    "blank": b" \r\n",
    "two": b"{}{}",
    "a comment": b"{} // so",
    "a list": b"[]",
    "a text": b'"files"',
    "a number": b"1",
    "null": b"null",
    "an empty object": b"{}",
    "lists 100,000 deep": b"[" * 100_000,
    "objects 100,000 deep": b'{"a":' * 100_000,
    "lists 900 deep, and whole": b"[" * 900 + b"]" * 900,
    "lists 150 deep in a field": b'{"files": ' + b"[" * 150 + b"]" * 150 + b"}",
    "a NUL": b'{"format": "\0"}',
    "only NULs": bytes(1000),
    "UTF-16": '{"format": "qhub"}'.encode("utf-16"),
    "UTF-32": '{"format": "qhub"}'.encode("utf-32"),
    "another encoding": '{"format": "ção"}'.encode("cp1252"),
    "two marks": b"\xef\xbb\xbf\xef\xbb\xbf{}",
    "NaN": b'{"format": NaN}',
    "Infinity": b'{"files": {"a": [Infinity, "a"]}, "archive": "a"}',
    "-Infinity": b"-Infinity",
    "an infinite number": b'{"files": {"a": [1e999, "a"]}, "archive": "a"}',
    "5,000 digits": b'{"format": ' + b"9" * 5_000 + b"}",
    "4,000 digits": b'{"rows": ' + b"9" * 4_000 + b"}",
    "a name twice": b'{"format": 1, "\\u0066ormat": 2}',
    "half characters": b'{"\\ud800": "\\udfff", "format": "\\udc00"}',
    "other types": b'{"format": [], "version": {}, "n": "1", "files": 1, "manifest": 1}',
}
# What a page may be given is any object.
SOUND_DATA = {"an empty object", "4,000 digits", "half characters", "other types"}
TOML = {
    "cut": b'[settings]\nstation = "',
    "a name twice": b"name = 1\nname = 2",
    "no TOML": b"<settings/>",
    "lists 100,000 deep": b"a = " + b"[" * 100_000,
    "lists 150 deep, and whole": b"settings = " + b"[" * 150 + b"]" * 150,
    "tables 10,000 deep": b"a = " + b"{a = " * 10_000,
    "a key of 100,000 parts": b".".join([b"a"] * 100_000) + b" = 1",
    "a quoted key of 50,000 parts": b".".join([b'"a b"'] * 50_000) + b" = 1",
    "a header of 100,000 parts": b"[" + b".".join([b"a"] * 100_000) + b"]",
    "a NUL": b'station = "\0"',
    "only NULs": bytes(1000),
    "UTF-16": "[settings]\nstation = 'a'".encode("utf-16"),
    "another encoding": '[settings]\nstation = "ção"'.encode("cp1252"),
    "not a number": b"[settings]\nheartbeat_s = nan",
    "an infinite number": b"checked = 1e999",
    "5,000 digits": b"[settings]\nrounds = " + b"9" * 5_000,
    "400 digits": b"[settings]\nrounds = " + b"9" * 400,
    "half characters": b'station = "\\ud800"',
    "100,000 quotation marks": b'"' * 100_001,
    "an unclosed text of escapes": b'a = "' + b"\\" * 100_001,
}


@dataclass(frozen=True, slots=True)
class Door:
    """A way in; `opens` calls it, and returns what was said where that is no error."""

    name: str  # of the file
    opens: Callable[[Path], object]
    is_quiet: bool = False  # whether such a file is left aside
    names_file: bool = True


def _sentence(door: Door, file: Path) -> str:
    try:
        told = door.opens(file)
    except UserError as error:
        return str(error)
    assert door.is_quiet, f"{told!r} was taken"
    assert not told, f"{told!r} was taken"
    return ""


def check(door: Door, file: Path, kind: str) -> None:
    """Fail unless a door refuses a file with a sentence, or leaves it aside."""
    try:
        said = _sentence(door, file)
    except Exception as error:  # noqa: BLE001  any other is the bug that is looked for
        pytest.fail(f"{kind}: {type(error).__name__}: {error}")
    if said:
        assert said.endswith("."), (kind, said)
        assert not door.names_file or file.name in said, (kind, said)
        for word in ("Traceback", "Errno", "object is not"):
            assert word not in said, (kind, said)


def agent(file: Path) -> object:
    """Import the agent whose folder has this file."""
    return read_folder(file.parent)


def vocabulary(file: Path) -> object:
    """Read the plant's own words; a problem is a sentence of its own."""
    words = read_user_lexicon(file, shipped_words())
    if not words.problems:
        return words
    raise UserError(f"{file.name}: {words.problems[0]}")


def page_data(file: Path) -> object:
    """Draw a page with data from a file; what is printed is what is said."""
    page = file.with_name("page.html")
    page.write_text("<p>x", encoding="utf-8")
    arguments = ["--render", str(page), "--data", str(file), "--out", str(file.parent / "x.png")]
    assert offscreen.render(arguments) == 1
    return None


def offer(file: Path) -> object:
    """Read an offer of an update that nobody has signed."""
    return read_release(file.read_bytes()[:64_000], "a" * 64)


def signed_offer(file: Path) -> object:
    """Read an offer whose manifest is the file, signed by whoever looks after updates."""
    key = Ed25519PrivateKey.generate()
    manifest = file.read_bytes()[:30_000].decode("utf-8", "replace")
    signature = key.sign(CONTEXT + manifest.encode()).hex()
    envelope = json.dumps({"manifest": manifest, "signature": signature}).encode()
    return read_release(envelope, signing.public_key(key))


def kept_offer(file: Path) -> object:
    """Look for an update that waits."""
    home = file.parent / "home"
    (home / "updates").mkdir(parents=True, exist_ok=True)
    kept = home / "updates" / KEPT_OFFER
    kept.unlink(missing_ok=True)
    kept.symlink_to(file)
    settings = Settings(updates="tell", update_folder=str(file.parent), update_key="a" * 64)
    return Updater(
        home,
        settings=lambda: settings,
        back_up=lambda _version: None,
        installation=WindowsInstallation(),
    ).prepared()


def certificates(file: Path) -> object:
    """Trust the certificates of a file."""
    add_certificates(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), str(file))
    return file


JSON_DOORS = [
    Door("keys.locked", lambda file: SecretFile(file, "zyx-21-wvu-43")),
    Door("conversation.json", read_file),
    Door("data.json", page_data, is_quiet=True),
    Door("offer.json", offer, names_file=False),
    Door("manifest.json", signed_offer, names_file=False),
    Door("kept.json", kept_offer, is_quiet=True),
    Door("pack.json", lambda _file: SAFE_PYTHON.found(), is_quiet=True),
]
TOML_DOORS = [
    Door("policy.toml", lambda file: read_policy([file])),
    Door("prices.toml", lambda file: load_prices(RESOURCES, file.parent)),
    Door("vocabulary.toml", vocabulary),
    Door("agent.toml", agent),
]
FILE_DOORS = [
    *JSON_DOORS[:2],
    Door("policy.toml", lambda file: read_policy([file])),
    Door("vocabulary.toml", vocabulary),
    Door("agent.toml", agent),
    Door("prompt.md", agent),
    Door("icon.svg", agent),
    Door("pack.zip", SAFE_PYTHON.add),
    Door("pack.json", lambda _file: SAFE_PYTHON.found(), is_quiet=True),
    Door("people.csv", read_people),
    Door("company.pem", certificates),
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an agent in it, in a program that wants a pack of the safe Python."""
    folder = tmp_path / "place"
    write_folder(load_agents(RESOURCES / "agents")["qualidade"], folder)
    wanted = tmp_path / "wanted.json"
    wanted.write_text('{"archive": "python.zip", "files": {"a": [1, "0"]}}', encoding="utf-8")
    monkeypatch.setattr(SAFE_PYTHON, "shipped", wanted)
    monkeypatch.setenv(SAFE_PYTHON.variable, str(folder))
    return folder


@pytest.mark.parametrize("door", JSON_DOORS, ids=lambda door: door.name)
def test_hostile_json_is_a_sentence_at_every_door(place: Path, door: Door) -> None:
    for kind, content in JSON.items():
        (place / door.name).write_bytes(content)
        if door.opens is not page_data or kind not in SOUND_DATA:
            check(door, place / door.name, kind)


@pytest.mark.parametrize("door", TOML_DOORS, ids=lambda door: door.name)
def test_hostile_toml_is_a_sentence_at_every_door(place: Path, door: Door) -> None:
    for kind, content in TOML.items():
        (place / door.name).write_bytes(content)
        check(door, place / door.name, kind)


def _make_large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(500_000_000)


def _link_to(place: Path | str) -> Callable[[Path], object]:
    return lambda path: path.symlink_to(place)


def _irregular(folder: Path) -> Iterator[tuple[str, Callable[[Path], object]]]:
    """Yield what is no file, or one without an end, each with what puts it at a path."""
    yield "a folder", Path.mkdir
    yield "500 MB", _make_large
    yield "a link to nothing", _link_to(folder / "gone")
    yield "a link to itself", lambda path: path.symlink_to(path)
    if sys.platform != "win32":
        pipe, listening = folder / "pipe", folder / "s"
        os.mkfifo(pipe)
        yield "a pipe", os.mkfifo
        yield "a link to a pipe", _link_to(pipe)
        for device in ("/dev/zero", "/dev/full", "/dev/tty", "/dev/stdin"):
            yield device, _link_to(device)
        if os.geteuid() == 0:
            yield "a device", lambda path: os.mknod(path, 0o020666, os.makedev(1, 5))
        with socket.socket(socket.AF_UNIX) as opened:
            opened.bind(str(listening))
            yield "a socket", lambda path: os.link(listening, path)
    if sys.platform == "linux":
        yield "a file of the system that is waited for", _link_to("/proc/kmsg")


# Some need not be there, and some may be empty, as a file of the system says that it is.
OFTEN_SOUND = {
    "keys.locked": ["a link to nothing"],
    "policy.toml": ["a link to nothing", "a file of the system that is waited for"],
    "vocabulary.toml": ["a link to nothing", "a file of the system that is waited for"],
}


@pytest.mark.parametrize("door", FILE_DOORS, ids=lambda door: door.name)
def test_what_is_no_file_is_a_sentence_at_every_door(
    place: Path, tmp_path: Path, door: Door
) -> None:
    for kind, put in _irregular(tmp_path):
        file = place / door.name
        file.unlink(missing_ok=True)
        put(file)
        if kind not in OFTEN_SOUND.get(door.name, ()):
            check(door, file, kind)
        if file.is_dir() and not file.is_symlink():
            file.rmdir()


@pytest.mark.parametrize(
    "content", [b'"' + b"x" * 200_000, b"\0" * 1000, b"\xff\xfe", b"", b"name,role\n" * 200_000]
)
def test_a_hostile_list_of_people_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "people.csv"
    file.write_bytes(content)
    check(Door("people.csv", read_people), file, "hostile")


@pytest.mark.parametrize("name", ["agent.toml", "prompt.md", "icon.svg"])
def test_a_link_in_an_agents_folder_is_not_followed(place: Path, tmp_path: Path, name: str) -> None:
    secret = tmp_path / "secret"
    shutil.copy(place / name, secret)
    (place / name).unlink()
    (place / name).symlink_to(secret)

    with pytest.raises(UserError, match=f"{name}: it is a link"):
        read_folder(place)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace in a folder of its own."""
    opened = Workspace(tmp_path / "datasets", query_s=10)
    yield opened
    opened.close()


async def test_hostile_files_of_data_sets_are_read_again(
    workspace: Workspace, tmp_path: Path
) -> None:
    source = tmp_path / "medidas.csv"
    source.write_text("n;valor\n1;2,5\n2;3,5\n", encoding="utf-8")
    (before,) = await workspace.load(source)
    kept = tmp_path / "datasets"
    files = [kept / before.id / "profile.json", kept / before.id / "head.json"]
    files += [*kept.glob("*.json"), kept / "choices.json"]
    store = DatasetStore(kept)
    contents = [*JSON.values(), *_other_profiles((kept / before.id / "profile.json").read_bytes())]
    whole = {file: file.read_bytes() for file in files if file.exists()}

    for file in files:
        for content in contents:
            file.write_bytes(content)
            seen: list[DatasetProfile | None] = [store.profile(before.id)]
            assert seen in ([before], [None]), (file.name, content[:80])
            store.head(before.id)
            store.profiles_of(before.sha256)
            load_presets(kept)
        if file in whole:
            file.write_bytes(whole[file])
    (kept / before.id / "profile.json").write_bytes(JSON["lists 100,000 deep"])
    assert await workspace.load(source) == (before,)


def _other_profiles(sound: bytes) -> Iterator[bytes]:
    """Yield a profile whose values are of other types, or no number that a column can hold."""
    for before, after in (
        (b'"rows": 2', b'"rows": "2"'),
        (b'"rows": 2', b'"rows": ' + b"9" * 60),
        (b'"rows": 2', b'"rows": null'),
        (b'"columns": [', b'"columns": [1, '),
        (b'"file": "medidas.csv"', b'"file": ["medidas.csv"]'),
    ):
        assert before in sound
        yield sound.replace(before, after)


def test_a_pack_whose_parts_are_links_is_none(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "pack.json").write_bytes((tmp_path / "wanted.json").read_bytes())
    (tmp_path / "a").write_bytes(b"x")
    (place / "a").symlink_to(tmp_path / "a")
    assert SAFE_PYTHON.found() is None
    (place / "a").unlink()
    shutil.copy(tmp_path / "a", place / "a")
    assert SAFE_PYTHON.found() == place


@pytest.mark.parametrize("kind", ["a bomb", "under a password", "cut", "deep", "in no known way"])
def test_a_hostile_archive_is_no_pack(place: Path, kind: str) -> None:
    archive = place / "pack.zip"
    content = {"a bomb": bytes(20_000_000), "deep": JSON["lists 100,000 deep"]}.get(kind, b"{}")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("python/pack.json", content)
    packed = bytearray(archive.read_bytes())
    central = packed.rindex(b"PK\x01\x02")
    if kind == "under a password":
        packed[6] |= 1
        packed[central + 8] |= 1
    if kind == "in no known way":
        packed[8], packed[central + 10] = 99, 99
    archive.write_bytes(packed[: len(packed) // 2] if kind == "cut" else packed)

    with pytest.raises(UserError, match=r"pack\.zip is not the pack of this version"):
        SAFE_PYTHON.add(archive)


@pytest.mark.skipif(sys.platform == "win32", reason="its pipes are elsewhere")
async def test_a_pipe_in_the_folder_of_updates_is_told_at_once(tmp_path: Path) -> None:
    if sys.platform != "win32":
        os.mkfifo(tmp_path / OFFER_FILE)
    settings = Settings(updates="tell", update_folder=str(tmp_path), update_key="a" * 64)
    updater = Updater(
        tmp_path / "home",
        settings=lambda: settings,
        back_up=lambda _version: None,
        installation=WindowsInstallation(),
    )
    with pytest.raises(Exception, match=r"it is a device or a pipe, not a file"):
        await updater.check()
