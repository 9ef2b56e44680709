"""Signing in with real hashes and a real store; only the clocks are played."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qhub_desktop.core.errors import SessionOverError, UserError
from qhub_desktop.core.person import (
    Person,
    Role,
    SecretKind,
    account_name,
    new_account_name,
)
from qhub_desktop.core.secret_rules import is_pin, is_tried_first, kind_of_secret, password_rules
from qhub_desktop.people.accounts import (
    SESSION_HOURS,
    Accounts,
    Sessions,
    made_secret,
    make_first_account,
)
from qhub_desktop.store import Store
from qhub_desktop.store.database import as_us

SECRET = "uma frase longa"


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.moment = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.moment


class Uptime:
    """The time since the computer's start, which a test lets pass."""

    def __init__(self, seconds: float = 50_000.0) -> None:
        self.seconds = seconds

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def uptime() -> Uptime:
    return Uptime()


@pytest.fixture
def accounts(store: Store, uptime: Uptime) -> Accounts:
    """A station with one administrator, Ana, and one operator, Rui, with a PIN."""
    made = Accounts(store.people, uptime_s=uptime)

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


async def left_s(store: Store, name: str, now_s: float) -> float:
    """What is left of the wait for a name, as it stands in the file."""
    rows = await store.people.database.run(
        lambda db: db.execute(
            "SELECT wait_us, uptime_us FROM failures WHERE name = ?", (name,)
        ).fetchall()
    )
    return max((wait_us / 1e6 - (now_s - at_us / 1e6) for wait_us, at_us in rows), default=0.0)


@pytest.mark.parametrize(("name", "secret"), [("ana", SECRET), ("nobody", "x"), ("rui", "4071")])
async def test_wrong_secrets_cost_ever_longer_waits_for_accounts_and_others_alike(
    accounts: Accounts, store: Store, uptime: Uptime, name: str, secret: str
) -> None:
    waits = []
    for _try in range(12):
        with pytest.raises(UserError, match="is wrong"):
            await accounts.sign_in(name, "wrong one")
        waits.append(max(0.0, await left_s(store, name, uptime())))
        if waits[-1] > 1:
            with pytest.raises(UserError, match="Too many wrong tries"):
                await accounts.sign_in(name, secret)  # not even the right one
        uptime.seconds += waits[-1] + 1
    assert waits[0] < 1
    assert sorted(waits) == waits
    assert 899 < waits[-1] <= 901
    if name != "nobody":
        await accounts.sign_in(name, secret)
        assert await left_s(store, name, uptime()) == 0


async def locked_out(accounts: Accounts, name: str = "rui") -> None:
    """Give as many wrong secrets as it takes for a wait."""
    for _try in range(3):
        with pytest.raises(UserError, match="is wrong"):
            await accounts.sign_in(name, "wrong one")
    with pytest.raises(UserError, match="Too many wrong tries"):
        await accounts.sign_in(name, "4071")


async def test_no_clock_shortens_a_wait_or_makes_it_longer(
    accounts: Accounts, uptime: Uptime, monkeypatch: pytest.MonkeyPatch
) -> None:
    await locked_out(accounts)
    for year in (1970, 2031, 9999):
        moment = datetime(year, 6, 1, tzinfo=UTC)
        monkeypatch.setattr(time, "time", moment.timestamp)
        monkeypatch.setattr(time, "time_ns", lambda at=moment: 1_000 * as_us(at))
        with pytest.raises(UserError, match="Too many wrong tries"):
            await accounts.sign_in("rui", "4071")
    uptime.seconds += 6
    assert (await accounts.sign_in("rui", "4071")).name == "rui"


async def test_a_wait_goes_on_after_the_computer_was_started_again(store: Store) -> None:
    async def left(seconds: float) -> float | None:
        return await store.people.begin_try(
            "rui", wait_after_s=lambda _count: 640.0, uptime_s=lambda: seconds
        )

    assert await left(50_000) == 0
    await store.people.refuse("rui", why="secret")
    assert await left(50_040) == 600
    assert await left(3) == 597  # of which the computer tells that 3 s have passed
    assert await left(403) == 197
    assert await left(100) == 97
    assert await left(201) == 0


async def test_what_stands_in_the_file_keeps_nobody_out_for_more_than_an_hour(
    accounts: Accounts, store: Store, uptime: Uptime
) -> None:
    await store.people.database.run(
        lambda db: db.execute("INSERT INTO failures VALUES ('rui', 9, 0, 9e18, 5e10)")
    )
    with pytest.raises(UserError, match="Too many wrong tries"):
        await accounts.sign_in("rui", "4071")
    uptime.seconds += 3_601
    assert (await accounts.sign_in("rui", "4071")).name == "rui"


async def test_clocks_of_two_programs_that_differ_a_little_buy_no_try(
    accounts: Accounts, uptime: Uptime
) -> None:
    await locked_out(accounts)
    uptime.seconds -= 0.02
    with pytest.raises(UserError, match="Too many wrong tries"):
        await accounts.sign_in("rui", "4071")


async def test_of_tries_at_once_no_more_are_compared_than_one_after_the_other(
    accounts: Accounts, store: Store, folder: Path
) -> None:
    others = [Store.open(folder) for _program in range(3)]
    compared = 0

    async def guess(program: Store, secret: str) -> None:
        nonlocal compared
        with pytest.raises(UserError) as refused:
            await Accounts(program.people, uptime_s=lambda: 50_000.0).sign_in("rui", secret)
        compared += "is wrong" in str(refused.value)

    tries = [guess(program, f"50{n:02}") for program in (store, *others) for n in range(6)]
    await asyncio.gather(*tries)
    assert compared == 3
    for each in others:
        each.close()


async def test_right_secrets_at_once_wait_for_one_another(
    accounts: Accounts, store: Store, folder: Path
) -> None:
    other = Store.open(folder)
    programs = [Accounts(each.people, uptime_s=lambda: 50_000.0) for each in (store, other)]
    signed = await asyncio.gather(*(each.sign_in("rui", "4071") for each in programs * 3))
    assert {person.name for person in signed} == {"rui"}
    other.close()


async def test_a_program_that_was_ended_while_it_compared_has_had_its_try(
    accounts: Accounts, store: Store, uptime: Uptime
) -> None:
    for _killed in range(3):
        assert (
            await store.people.begin_try("rui", wait_after_s=lambda n: n * 2.0, uptime_s=uptime)
            == 0
        )
        uptime.seconds += 7
    uptime.seconds += 4
    assert (await accounts.sign_in("rui", "4071")).name == "rui"


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


@pytest.mark.parametrize("role", ["responsavel", "admin"])
async def test_a_pin_is_replaced_before_its_person_has_rights_over_others(
    accounts: Accounts, store: Store, role: Role
) -> None:
    with pytest.raises(UserError, match="Reset their password first"):
        await store.people.change("rui", role, None)
    made = await accounts.reset(await store.people.find("rui"))
    assert made.secret is not None
    await store.people.change("rui", role, None)
    rui = await accounts.sign_in("rui", made.secret)
    with pytest.raises(UserError, match="PIN is for operators"):
        await accounts.change_own(rui, old=made.secret, new="905318")
    assert (await accounts.change_own(rui, old=made.secret, new=SECRET)).role == role


async def give(store: Store, name: str, role: Role, kind: SecretKind) -> None:
    """Give an account a role as an earlier version did, whatever its secret is."""
    await store.people.database.run(
        lambda db: db.execute(
            "UPDATE people SET role = ?, kind = ? WHERE name = ?", (role, kind, name)
        )
    )


async def test_a_pin_that_has_outlived_a_promotion_is_no_way_in(
    accounts: Accounts, store: Store
) -> None:
    for role in ("responsavel", "admin"):
        await give(store, "rui", role, "pin")
        with pytest.raises(UserError, match="has to reset its password"):
            await accounts.sign_in("rui", "4071")
    await give(store, "ana", "operador", "password")  # nobody is left who could
    rui = await accounts.sign_in("rui", "4071")
    assert rui.must_change
    changed = await accounts.change_own(rui, old="4071", new=SECRET)
    assert (changed.kind, changed.must_change) == ("password", False)


async def test_a_reset_wins_over_a_change_by_whoever_knew_the_old_one(
    accounts: Accounts, store: Store
) -> None:
    rui = await accounts.sign_in("rui", "4071")
    await accounts.reset(rui)
    with pytest.raises(SessionOverError, match="changed just now"):
        await store.people.replace_own_secret(rui, secret="hash", kind="pin")


TRIED_FIRST = """1234 0000 98765 123456789 987654321 12345678901234 111111 0123 2468 1357 7418
    121212 6969 123123 112233 11223344 1234512345 123321 abcd1234 1234abcd abcdefgh zyxwvuts
    aaaaaaaa aaaabbbb qwerqwer 1990 2026 3112 1231 311299 991231 31121999 19991231 Password1!
    P@ssw0rd p4ssw0rd2026 PASSWORDPASSWORD Qualidade2026 4dmin2026 !qwertyuiop Verão2026 1q2w3e4r
    julia2026 Julia123! julia@demo.com juliajulia ju1ia2026 2027-julia
    1234567891 123456789a 1234567a 123-456-789 1020304050 a1b2c3d4 aaaaaaab 1999-12-31 918273645
    2580 0852 7410 147258 159357 1379 12345687 13572468 135792468 123456789\u200b
    \uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18"""
HONEST = """4071 905318 7350 8264 2589 50718263 uma-frase-longa jardim-verde-42 t4Bz9wQx
    a7k2-m9qz-r4pp x12y12z12 anabela77x maracuja+limao 27182818"""


def test_a_secret_that_anybody_tries_first_is_none() -> None:
    assert [
        each for each in TRIED_FIRST.split() if not is_tried_first(each, "julia@demo.com")
    ] == []
    assert [each for each in HONEST.split() if is_tried_first(each, "julia@demo.com")] == []
    for secret in ("short", "1234", "123456789", "x" * 500, ""):
        with pytest.raises(UserError):
            kind_of_secret(secret)
    guessable = sum(is_tried_first(f"{number:04}") for number in range(10_000))
    assert guessable < 1_100  # what is left is nine in ten


@given(st.text(max_size=40))
def test_the_rules_that_are_shown_are_those_that_hold(secret: str) -> None:
    try:
        is_password = kind_of_secret(secret, "ana") == "password"
    except UserError:
        is_password = False
    assert is_password == all(is_met for _words, is_met in password_rules(secret, "ana"))
    assert not (is_password and is_pin(secret))


NAMES = {
    "José": "josé",
    "Łukasz": "łukasz",
    "Иван": "иван",
    "O'Neill": "o'neill",
    "O\u2019Neill": "o'neill",
    "Ana-Maria": "ana-maria",
    "Αλέξης": "αλέξησ",
    "佐藤": "佐藤",
    "さとう健": "さとう健",
    "김철수": "김철수",
    "julia.silva+qa@demo.com": "julia.silva+qa@demo.com",
}
MIXED = [
    *("\u0430na", "ru\u0456", "\u03b1na", "\u03c1ui", "an\u0430@demo.com", "ana\u09ea"),
    *("\uff52\uff55\uff49", "\U0001d41ana", "ana\xaa", "ana\xb2", "\u2460"),
    *("ru\u200bi", "ru\xadi", "ru\u202ei", "\u3164ana", "ana\u115f", "jose\ufe0f", ""),
]


async def test_a_name_that_can_pass_for_another_is_none(accounts: Accounts) -> None:
    assert {written: new_account_name(written) for written in NAMES} == NAMES
    for written in MIXED:
        with pytest.raises(UserError):
            await accounts.add(written, "operador", None)
        with pytest.raises(UserError):
            await make_first_account(written, SECRET)
    await accounts.add("pepe", "operador", None)
    for alike in ("\u0440\u0435\u0440\u0435", "pepe".replace("e", "\u1d07")):
        with pytest.raises(UserError, match="looks the same as"):
            await accounts.add(alike, "operador", None)


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
