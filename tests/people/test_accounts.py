"""Signing in with real hashes and a real store; only the clock is played."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.person import Person, account_name, kind_of_secret
from qhub_desktop.people.accounts import SESSION_HOURS, Accounts, Sessions, made_secret
from qhub_desktop.store import Store

SECRET = "uma frase longa"


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.moment = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.moment


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def accounts(store: Store, clock: Clock) -> Accounts:
    """A station with one administrator, Ana, and one operator, Rui, with a PIN."""
    made = Accounts(store.people, now=clock)

    async def fill() -> None:
        await made.add("Ana", "admin", None, secret=SECRET)
        await made.add("rui", "operador", ["qualidade"], secret="4071")

    asyncio.run(fill())
    return made


async def test_who_has_an_account_signs_in_whatever_the_case_of_the_name(
    accounts: Accounts,
) -> None:
    assert (await accounts.sign_in(" ANA ", SECRET)).role == "admin"
    rui = await accounts.sign_in("Rui", "4071")
    assert (rui.agents, rui.kind) == (("qualidade",), "pin")


def test_no_secret_is_in_the_file(accounts: Accounts, folder: Path) -> None:
    made = asyncio.run(accounts.add("eva", "responsavel", None))
    assert made.secret is not None
    assert made.person.must_change
    stored = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    for secret in (SECRET, "4071", made.secret):
        assert secret.encode() not in stored
        assert f"{secret!r}".encode() not in stored


@pytest.mark.parametrize("name", ["ana", "nobody", "no body; --"])
async def test_a_wrong_name_and_a_wrong_secret_are_told_alike(
    accounts: Accounts, name: str
) -> None:
    with pytest.raises(UserError, match="name or the password is wrong"):
        await accounts.sign_in(name, "not this one")


async def test_a_name_without_an_account_takes_as_long(accounts: Accounts) -> None:
    async def took(name: str) -> float:
        began = time.process_time()  # the hash's work, whatever else the machine does
        with pytest.raises(UserError):
            await accounts.sign_in(name, "not this one")
        return time.process_time() - began

    known = median([await took("ana") for _try in range(2)])
    unknown = median([await took(f"nobody{number}") for number in range(2)])
    assert 0.2 < unknown / known < 5


@pytest.mark.parametrize(("name", "secret"), [("ana", SECRET), ("nobody", "x"), ("rui", "4071")])
async def test_wrong_secrets_cost_ever_longer_waits_for_accounts_and_others_alike(
    accounts: Accounts, store: Store, clock: Clock, name: str, secret: str
) -> None:
    waits = []
    for _try in range(12):
        with pytest.raises(UserError, match="is wrong"):
            await accounts.sign_in(name, "wrong one")
        waits.append(max(0, ((await store.people.failures(name)).until - clock()).total_seconds()))
        if waits[-1] > 1:
            with pytest.raises(UserError, match="Too many wrong tries"):
                await accounts.sign_in(name, secret)  # not even the right one
        clock.moment += timedelta(seconds=waits[-1] + 1)
    assert waits[0] < 1
    assert sorted(waits) == waits
    assert 899 < waits[-1] <= 901
    if name != "nobody":
        await accounts.sign_in(name, secret)
        assert (await store.people.failures(name)).count == 0


async def test_whoever_is_disabled_stays_out_until_let_in(accounts: Accounts, store: Store) -> None:
    await store.people.set_disabled("rui", is_disabled=True)
    with pytest.raises(UserError, match="is wrong"):
        await accounts.sign_in("rui", "4071")
    await store.people.set_disabled("rui", is_disabled=False)
    assert (await accounts.sign_in("rui", "4071")).name == "rui"


async def test_the_last_administrator_stays_one(accounts: Accounts, store: Store) -> None:
    with pytest.raises(UserError, match="last administrator"):
        await store.people.set_disabled("ana", is_disabled=True)
    with pytest.raises(UserError, match="last administrator"):
        await store.people.change("ana", "operador", None)
    await accounts.add("eva", "admin", None, secret=SECRET)
    assert (await store.people.change("ana", "operador", None)).role == "operador"


async def test_a_reset_secret_is_replaced_by_its_person(accounts: Accounts, store: Store) -> None:
    made = await accounts.reset(await store.people.find("rui"))
    assert made.secret is not None
    with pytest.raises(UserError):
        await accounts.sign_in("rui", "4071")
    rui = await accounts.sign_in("rui", made.secret)
    assert rui.must_change
    changed = await accounts.change_own(rui, old=made.secret, new="905318")
    assert not changed.must_change
    assert (await accounts.sign_in("rui", "905318")).kind == "pin"


async def test_only_an_operator_has_a_pin(accounts: Accounts) -> None:
    with pytest.raises(UserError, match="PIN is for operators"):
        await accounts.add("eva", "responsavel", None, secret="4071")


@pytest.mark.parametrize("secret", ["1234", "0000", "98765", "short", "7" * 8, "x" * 500, ""])
def test_a_secret_that_anybody_tries_first_is_none(secret: str) -> None:
    with pytest.raises(UserError):
        kind_of_secret(secret)


@given(st.text(max_size=120))
def test_a_name_is_kept_in_one_form_or_refused(written: str) -> None:
    try:
        name = account_name(written)
    except UserError:
        return
    assert account_name(name) == name
    assert account_name(f" {written.upper()} ") in (name, account_name(written.upper()))


def test_secrets_that_are_chosen_differ() -> None:
    made = {made_secret() for _time in range(200)}
    assert len(made) == 200
    assert {kind_of_secret(each) for each in made} == {"password"}


RUI = Person(7, "rui", "operador", ("qualidade",), generation=3)


def test_a_session_ends_with_the_shift(tmp_path: Path, clock: Clock) -> None:
    sessions = Sessions(tmp_path, now=clock)
    token = sessions.issue(RUI)
    assert sessions.holder(token) == (7, 3)
    clock.moment += timedelta(hours=SESSION_HOURS, seconds=1)
    assert sessions.holder(token) is None


def test_a_clock_that_was_put_back_makes_no_session(tmp_path: Path, clock: Clock) -> None:
    sessions = Sessions(tmp_path, now=clock)
    token = sessions.issue(RUI)
    clock.moment -= timedelta(hours=1)
    assert sessions.holder(token) is None


def test_a_session_that_was_written_by_somebody_else_is_none(tmp_path: Path) -> None:
    sessions = Sessions(tmp_path / "one")
    token = sessions.issue(RUI)
    head, body, seal = token.split(".")
    assert Sessions(tmp_path / "other").holder(token) is None
    for forged in (
        f"{head}.{body}.",
        f"{head}.{body[:-2]}xx.{seal}",
        f"{head}.{body}.{seal[:-3]}abc",
        "eyJhbGciOiJub25lIn0." + body + ".",
        "",
        "no token",
        token + "é",
    ):
        assert sessions.holder(forged) is None
