"""Secrets by account in a key store, whatever its size limit, locked or not there at all."""

import json
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import pytest

from qhub_desktop.core import keystore
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.keystore import NoKeyStoreError, forget_secret, read_secret, save_secret
from tests.keyrings import FORGETFUL_STORE, NO_STORE, LockedStore, SmallStore, StuckStore, using

TOKEN = "".join(f"{number:05}." for number in range(700))  # 4,200 characters, none like another


@pytest.fixture
def store() -> Iterator[SmallStore]:
    """A key store with the limit of Windows' Credential Manager."""
    yield from using(SmallStore())


@pytest.mark.parametrize("length", [1, 1199, 1200, 1201, 2400, 2401, 4200])
def test_a_secret_longer_than_the_store_takes_comes_back_whole(
    store: SmallStore, length: int
) -> None:
    save_secret("gateway", TOKEN[:length])

    assert read_secret("gateway") == TOKEN[:length]
    assert TOKEN[:length] not in [*store.kept.values()] or length <= 1200


@pytest.mark.parametrize("lengths", list(pairwise([4200, 5, 2401, 1200, 4000, 4200])))
def test_a_secret_in_the_place_of_another_leaves_nothing_of_it(
    store: SmallStore, lengths: tuple[int, int]
) -> None:
    save_secret("gateway", TOKEN[: lengths[0]])
    save_secret("other", "x")
    save_secret("gateway", TOKEN[-lengths[1] :])

    assert read_secret("gateway") == TOKEN[-lengths[1] :]
    assert read_secret("other") == "x"
    forget_secret("gateway")
    assert store.kept == {("QHub Desktop", "other"): "x"}


def test_a_secret_of_which_a_part_is_another_ones_is_none(store: SmallStore) -> None:
    save_secret("gateway", TOKEN)
    store.kept["QHub Desktop", "gateway#2"] = "half of an earlier one"

    assert read_secret("gateway") is None


@pytest.mark.parametrize("secret", ["", "x" * 100_000])
def test_what_no_store_can_take_is_told(store: SmallStore, secret: str) -> None:
    with pytest.raises(UserError, match="too long, or too short"):
        save_secret("gateway", secret)

    assert store.kept == {}


@pytest.mark.parametrize("backend", [NO_STORE, FORGETFUL_STORE, LockedStore()])
def test_without_a_store_nothing_is_read_and_saving_is_refused(backend: Any) -> None:
    for _ in using(backend):
        assert read_secret("gateway") is None
        with pytest.raises(NoKeyStoreError, match="no key store"):
            save_secret("gateway", "secret")


def test_a_store_that_waits_for_somebody_is_left_behind() -> None:
    for backend in using(StuckStore()):
        assert read_secret("gateway", patience_s=0.05) is None
        with pytest.raises(NoKeyStoreError, match="does not answer"):
            forget_secret("gateway", patience_s=0.05)
        backend.released.set()


PASSPHRASE = "açafrão e três chaves"


@pytest.fixture
def without_store() -> Iterator[None]:
    """A computer without a key store, on which nothing was chosen yet."""
    for _backend in using(NO_STORE):
        yield
        keystore.leave()


@pytest.mark.usefixtures("without_store")
def test_an_encrypted_file_serves_where_there_is_no_key_store(tmp_path: Path) -> None:
    file = tmp_path / "home" / "keys.locked"
    told = [keystore.place(file)]
    keystore.unlock(file, PASSPHRASE)
    told.append(keystore.place(file))
    save_secret("gateway", TOKEN)
    save_secret("proxy", "carla\ngeheim-77")
    forget_secret("proxy")
    forget_secret("never there")
    keystore.leave()  # the end of the program
    told.append(keystore.place(file))
    assert read_secret("gateway") is None
    keystore.unlock(file, PASSPHRASE)

    assert (read_secret("gateway"), read_secret("proxy")) == (TOKEN, None)
    assert told == ["none", "file", "locked"]
    written = b"".join(each.read_bytes() for each in tmp_path.rglob("*") if each.is_file())
    for secret in (TOKEN[:20], "geheim", PASSPHRASE, "gateway"):
        assert secret.encode() not in written
    assert len({keystore.place_sentence(each) for each in get_args(keystore.KeyPlace)}) == 5
    if sys.platform != "win32":
        assert file.stat().st_mode & 0o077 == 0


@pytest.mark.usefixtures("without_store")
@pytest.mark.parametrize("passphrase", ["short", "", PASSPHRASE + "."])
def test_a_wrong_passphrase_opens_nothing_and_changes_nothing(
    tmp_path: Path, passphrase: str
) -> None:
    file = tmp_path / "keys.locked"
    keystore.unlock(file, PASSPHRASE)
    save_secret("gateway", TOKEN)
    keystore.leave()
    before = file.read_bytes()

    with pytest.raises(UserError, match="passphrase"):
        keystore.unlock(file, passphrase)

    assert keystore.place(file) == "locked"
    assert file.read_bytes() == before


@pytest.mark.usefixtures("without_store")
@pytest.mark.parametrize("field", ["salt", "nonce", "data", "n", "r", "format", "cipher"])
def test_a_file_that_was_tampered_with_is_not_opened(tmp_path: Path, field: str) -> None:
    file = tmp_path / "keys.locked"
    keystore.unlock(file, PASSPHRASE)
    save_secret("gateway", TOKEN)
    head = json.loads(file.read_text(encoding="utf-8"))
    old = head[field]
    head[field] = old + 1 if isinstance(old, int) else ("B" if old[0] == "A" else "A") + old[1:]
    file.write_text(json.dumps(head), encoding="utf-8")

    assert read_secret("gateway") is None
    with pytest.raises(UserError):
        keystore.unlock(file, PASSPHRASE)


@pytest.mark.usefixtures("without_store")
@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff\xfe", b'{"format": 1}'])
def test_a_damaged_file_is_told_with_its_remedy(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "keys.locked"
    file.write_bytes(content)

    with pytest.raises(UserError, match="Delete it"):
        keystore.unlock(file, PASSPHRASE)


@pytest.mark.usefixtures("without_store")
def test_a_secret_for_the_session_is_written_nowhere(tmp_path: Path) -> None:
    file = tmp_path / "keys.locked"
    keystore.keep_for_session()
    save_secret("gateway", TOKEN)

    assert (keystore.place(file), read_secret("gateway")) == ("session", TOKEN)
    forget_secret("gateway")
    assert read_secret("gateway") is None
    assert [*tmp_path.iterdir()] == []


def test_a_system_with_a_key_store_keeps_its_secrets_there(
    store: SmallStore, tmp_path: Path
) -> None:
    assert keystore.place(tmp_path / "keys.locked") == "system"
    assert store.kept == {}
