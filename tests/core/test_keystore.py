"""Secrets by account in a key store, whatever its size limit, locked or not there at all."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

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
