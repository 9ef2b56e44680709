"""From a share to the installer that is run: every step on real files, with real keys."""

import asyncio
import json
import os
import shutil
import threading
import time
from collections.abc import Callable
from io import BufferedReader, BytesIO
from pathlib import Path

import pytest
from typing_extensions import override

from qhub_desktop.core.errors import QHubError, ServiceError, UserError
from qhub_desktop.core.paths import hold_folder
from qhub_desktop.core.processes.threads import AbandonedError, SignOfLife
from qhub_desktop.core.untrusted_files import open_regular
from qhub_desktop.store import Store
from qhub_desktop.store.backups import listed
from qhub_desktop.store.database import connect
from qhub_desktop.updates import Offered, Release, UpToDate, read_release
from qhub_desktop.updates.updater import Updater, WindowsInstallation, install_command
from tests.updates.offers import INSTALLER, Administrator, Station, signing

KEPT = ["offer.json", "qhub-desktop-setup.exe"]


@pytest.fixture
def administrator(tmp_path: Path) -> Administrator:
    return Administrator(tmp_path / "partilha ção")


@pytest.fixture
def station(administrator: Administrator, tmp_path: Path) -> Station:
    return Station.of(administrator, tmp_path / "home")


async def offered(updater: Updater) -> Release:
    status = await updater.check()
    assert isinstance(status, Offered)
    return status.release


async def prepared(updater: Updater) -> Release:
    release = await offered(updater)
    await updater.prepare(release)
    return release


async def refusal(updater: Updater) -> str:
    """Return the sentence with which a look or a preparation ends."""
    with pytest.raises(QHubError) as caught:
        await prepared(updater)
    return str(caught.value)


async def test_an_update_is_found_kept_and_installed_at_the_next_start_once(
    administrator: Administrator, station: Station
) -> None:
    administrator.offer("9.0.0", notes="Mais rápido.")
    heard: list[float] = []
    first = station.started_as()

    release = await offered(first)
    assert station.kept == []
    await first.prepare(release, on_share=heard.append)

    assert station.kept == KEPT
    assert station.started == []
    assert heard[-1] == 1.0
    assert await first.check() == Offered(release, is_prepared=True)

    assert station.started_as().begin_installation()
    assert station.started == [INSTALLER]
    assert station.backed_up == ["9.0.0"]

    third = station.started_as("9.0.0")
    assert not third.begin_installation()
    assert third.note == "QHub Desktop was updated to version 9.0.0."
    assert third.trouble is None
    assert station.kept == []
    assert station.started == [INSTALLER]


@pytest.mark.parametrize("version", ["0.9.9", "1.0.0", "0.10.0"])
async def test_an_older_or_equal_version_is_told_and_left(
    administrator: Administrator, station: Station, version: str
) -> None:
    administrator.offer(version)
    updater = station.started_as("1.0.0")

    status = await updater.check()

    assert status == UpToDate("1.0.0", version)
    assert ("older" in status.sentence) == (version != "1.0.0")
    downgrade = Release(version, f"QHub-Desktop-{version}-setup.exe", 1, "0" * 64)
    with pytest.raises(UserError):
        await updater.prepare(downgrade)
    assert station.kept == []


async def test_versions_are_compared_as_numbers(
    administrator: Administrator, station: Station
) -> None:
    administrator.offer("0.10.0")

    assert isinstance(await station.started_as("0.9.12").check(), Offered)


Offering = Callable[[Administrator], object]


def re_signed(**changes: object) -> Offering:
    """Return an administrator's way to sign the offer with other facts in it."""
    return lambda administrator: administrator.change(lambda it: it.update(changes))


@pytest.mark.parametrize(
    ("before", "then", "is_older"),
    [
        ({}, re_signed(version="8.9.9"), True),
        ({}, re_signed(version="2.0.0"), True),
        ({}, re_signed(version="8.10.10"), True),
        ({}, re_signed(version="0.9.0"), True),  # no newer than the program: also told
        ({}, re_signed(version="8.9.9", made=2_000_000_000), True),
        ({"made": 1_800_000_000}, re_signed(made=1_799_999_999), True),
        ({"made": 1_800_000_000}, re_signed(made=0), True),
        ({}, lambda it: it.change(lambda manifest: manifest.pop("made")), True),
        ({"made": 1_800_000_000}, re_signed(version="9.0.1", made=1_799_999_999), True),
        ({"version": "9.10.0"}, re_signed(version="9.9.0"), True),
        ({}, re_signed(version="9.0.1"), False),
        ({}, re_signed(version="10.0.0"), False),
        ({"made": 1_800_000_000}, re_signed(made=1_800_000_001), False),
        ({"made": 0}, re_signed(notes="again"), False),
        ({"made": 0}, re_signed(version="9.0.1"), False),
        ({}, lambda it: it.offer_file.touch(), False),
        ({}, lambda it: it.offer("9.0.0", data=INSTALLER + b"!"), False),
        ({}, lambda it: it.offer("9.0.1"), False),
    ],
)
async def test_an_offer_that_is_older_than_one_seen_before_is_refused(
    administrator: Administrator,
    station: Station,
    before: dict[str, object],
    then: Offering,
    is_older: bool,
) -> None:
    administrator.offer("9.0.0")
    administrator.change(lambda it: it.update(before))
    seen = await offered(station.started_as())
    then(administrator)

    for _start in range(2):
        updater = station.started_as()
        if not is_older:
            assert isinstance(await updater.check(), Offered)
            continue
        with pytest.raises(UserError, match="older than the one seen there before") as caught:
            await updater.check()
        assert seen.version in str(caught.value)
        with pytest.raises(UserError):
            await updater.prepare(seen)
        assert station.kept == []


async def test_an_older_offer_takes_back_nothing_that_was_kept(
    administrator: Administrator, station: Station
) -> None:
    administrator.offer("8.0.0")
    old = administrator.offer_file.read_bytes()
    administrator.offer("9.0.0")
    await prepared(station.started_as())
    administrator.offer_file.write_bytes(old)
    station.set(updates="install")

    told = await station.started_as().news()

    assert "8.0.0" in told
    assert "9.0.0" in told
    assert station.kept == KEPT
    assert station.started_as().begin_installation()
    assert station.backed_up == ["9.0.0"]


async def test_what_was_seen_counts_for_its_key_and_outlives_damage_to_its_file(
    administrator: Administrator, station: Station, tmp_path: Path
) -> None:
    administrator.offer("9.0.0")
    await offered(station.started_as())
    other = Administrator(tmp_path / "other")
    other.offer("8.0.0")

    station.set(update_folder=str(other.folder), update_key=f" {other.public_key.upper()}")
    assert (await offered(station.started_as())).version == "8.0.0"
    station.set(update_folder=str(administrator.folder), update_key=administrator.public_key)
    re_signed(version="8.5.0")(administrator)
    with pytest.raises(UserError, match="older than the one"):
        await station.started_as().check()

    seen = station.home / "updates" / "seen.json"
    assert len(json.loads(seen.read_text(encoding="utf-8"))) == 2
    for damaged in (
        b"",
        b"[]",
        b"{",
        b'{"a": 1}',
        b"\xff",
        b"[" * 50_000,
        b'{"a": {"version": 9}}',
    ):
        seen.write_bytes(damaged)
        assert (await offered(station.started_as())).version == "8.5.0"


def test_who_signs_is_told_that_an_older_version_would_be_refused(
    administrator: Administrator, monkeypatch: pytest.MonkeyPatch
) -> None:
    administrator.offer("9.0.0")
    first = read_release(administrator.offer_file.read_bytes(), administrator.public_key)

    with pytest.raises(SystemExit, match=r"have seen it refuse 8\.9\.0"):
        administrator.offer("8.9.0")
    monkeypatch.setattr(signing.time, "time", lambda: 1_000_000_000.0)  # the clock was put back
    administrator.offer("9.0.0", notes="again")

    second = read_release(administrator.offer_file.read_bytes(), administrator.public_key)
    assert second.made == first.made + 1


async def test_a_folder_without_an_offer_offers_nothing(
    administrator: Administrator, station: Station
) -> None:
    administrator.folder.mkdir()

    assert await station.started_as().check() == UpToDate("1.0.0", "")


async def test_a_folder_that_is_not_there_is_a_trouble_of_the_network(
    administrator: Administrator, station: Station
) -> None:
    with pytest.raises(ServiceError, match="cannot be read") as caught:
        await station.started_as().check()

    assert str(administrator.folder) in str(caught.value)


async def test_a_file_in_place_of_the_folder_is_said(
    administrator: Administrator, station: Station
) -> None:
    administrator.folder.write_bytes(b"")

    with pytest.raises(ServiceError, match="cannot be read"):
        await station.started_as().check()


async def test_what_is_missing_in_the_settings_is_said(
    administrator: Administrator, station: Station
) -> None:
    administrator.offer()
    for changes, sentence in (
        ({"updates": "off"}, "turned off"),
        ({"update_folder": ""}, "belong in Settings"),
        ({"update_key": ""}, "belong in Settings"),
        ({"update_folder": "share"}, "whole path"),
        ({"update_folder": "https://example.com/QHub"}, "whole path"),
        ({"update_key": "12"}, "public key"),
    ):
        before = station.settings
        station.set(**changes)
        assert sentence in await refusal(station.started_as())
        station.settings = before
    assert station.kept == []


async def test_a_bad_signature_is_told_and_nothing_is_kept(
    administrator: Administrator, station: Station, tmp_path: Path
) -> None:
    administrator.offer()
    station.set(update_key=Administrator(tmp_path).public_key)

    assert "does not bear the signature" in await refusal(station.started_as())
    assert station.kept == []


@pytest.mark.parametrize("size", [None, 0, 1, len(INSTALLER) - 1])
async def test_a_half_copied_installer_is_told(
    administrator: Administrator, station: Station, size: int | None
) -> None:
    installer = administrator.offer()
    if size is None:
        installer.unlink()
    else:
        installer.write_bytes(INSTALLER[:size])

    assert "not whole" in await refusal(station.started_as())
    assert station.kept == []


@pytest.mark.parametrize("data", [b"x" * len(INSTALLER), INSTALLER + b"x"])
async def test_an_installer_that_was_exchanged_is_told(
    administrator: Administrator, station: Station, data: bytes
) -> None:
    administrator.offer().write_bytes(data)

    assert "not the one that was signed" in await refusal(station.started_as())
    assert station.kept == []


async def test_what_was_agreed_to_is_what_is_fetched(
    administrator: Administrator, station: Station
) -> None:
    administrator.offer("9.0.0")
    updater = station.started_as()
    release = await offered(updater)

    administrator.offer("9.0.0", data=b"another")
    with pytest.raises(UserError, match="Something else is offered"):
        await updater.prepare(release)
    administrator.offer("9.0.1")
    with pytest.raises(UserError, match="Something else is offered"):
        await updater.prepare(release)

    assert station.kept == []


async def test_what_the_folder_takes_back_is_not_installed(
    administrator: Administrator, station: Station
) -> None:
    for replace in (administrator.offer_file.unlink, lambda: administrator.offer("9.0.1")):
        administrator.offer("9.0.0")
        updater = station.started_as()
        await prepared(updater)

        replace()
        await updater.check()

        assert station.kept == []
        assert not station.started_as().begin_installation()
    assert station.started == []


async def test_a_copy_that_was_changed_here_is_not_installed(
    administrator: Administrator, station: Station
) -> None:
    administrator.offer()
    await prepared(station.started_as())
    kept = station.home / "updates" / "qhub-desktop-setup.exe"
    kept.write_bytes(b"x" * len(INSTALLER))

    updater = station.started_as()
    assert not updater.begin_installation()

    assert "not the one that was signed" in str(updater.trouble)
    assert (station.started, station.backed_up, station.kept) == ([], [], [])


async def test_a_kept_offer_of_another_key_is_not_installed(
    administrator: Administrator, station: Station, tmp_path: Path
) -> None:
    administrator.offer()
    await prepared(station.started_as())
    station.set(update_key=Administrator(tmp_path).public_key)

    updater = station.started_as()
    assert not updater.begin_installation()

    assert "does not bear the signature" in str(updater.trouble)
    assert (station.started, station.kept) == ([], [])


async def test_what_was_installed_by_hand_meanwhile_is_not_installed_again(
    administrator: Administrator, station: Station
) -> None:
    administrator.offer("9.0.0")
    await prepared(station.started_as())

    updater = station.started_as("9.0.0")
    assert not updater.begin_installation()

    assert (updater.trouble, station.started, station.kept) == (None, [], [])


async def test_nothing_is_installed_once_updates_are_turned_off_or_it_was_withdrawn(
    administrator: Administrator, station: Station
) -> None:
    administrator.offer()
    updater = station.started_as()
    release = await prepared(updater)
    await updater.withdraw()
    assert updater.status == Offered(release, is_prepared=False)
    assert not station.started_as().begin_installation()

    await prepared(updater)
    station.set(updates="off")
    assert not station.started_as().begin_installation()

    assert (station.started, station.kept) == ([], [])


async def test_an_installation_that_fails_is_told_once_and_not_tried_at_every_start(
    administrator: Administrator, station: Station
) -> None:
    administrator.offer("9.0.0")
    await prepared(station.started_as())
    assert station.started_as().begin_installation()

    second = station.started_as("1.0.0")  # the installer has given up
    assert not second.begin_installation()
    assert "could not be installed" in str(second.trouble)
    third = station.started_as("1.0.0")
    assert not third.begin_installation()

    assert third.trouble is None
    assert station.kept == []
    assert isinstance(await third.check(), Offered)


async def test_an_installer_that_does_not_start_is_told(
    administrator: Administrator, station: Station
) -> None:
    administrator.offer("9.0.0")
    await prepared(station.started_as())
    station.is_broken = True

    updater = station.started_as()
    assert not updater.begin_installation()

    assert "could not be installed" in str(updater.trouble)


async def test_without_a_backup_nothing_is_installed_and_it_is_tried_again(
    administrator: Administrator, station: Station
) -> None:
    def no_room(_version: str) -> None:
        raise UserError("There is no room.")

    administrator.offer("9.0.0")
    await prepared(station.started_as())
    updater = Updater(
        station.home,
        settings=lambda: station.settings,
        back_up=no_room,
        installation=station,
        version="1.0.0",
    )

    assert not updater.begin_installation()
    assert str(updater.trouble) == "There is no room."
    assert station.started == []

    assert station.started_as().begin_installation()


async def test_a_program_that_can_not_be_replaced_fetches_nothing(
    administrator: Administrator, station: Station
) -> None:
    administrator.offer()
    station.refusal = "Installed for everybody."

    assert await refusal(station.started_as()) == "Installed for everybody."
    assert station.kept == []


async def test_elsewhere_than_on_windows_all_is_done_but_the_last_step(
    administrator: Administrator, station: Station
) -> None:
    administrator.offer()
    station.obstacle = "It can only be installed on Windows."
    await prepared(station.started_as())
    assert station.kept == KEPT

    updater = station.started_as()
    assert not updater.begin_installation()

    assert "only be installed on Windows" in str(updater.trouble)
    assert (station.started, station.backed_up, station.kept) == ([], [], [])


async def test_two_programs_do_not_fetch_at_once(
    administrator: Administrator, station: Station
) -> None:
    administrator.offer()
    folder = station.home / "updates"
    folder.mkdir(parents=True)
    held = hold_folder(folder)
    assert held is not None
    try:
        assert "Another QHub program" in await refusal(station.started_as())
    finally:
        os.close(held)

    await prepared(station.started_as())
    assert station.kept == KEPT


async def test_a_share_that_never_answers_holds_up_nobody(
    administrator: Administrator, station: Station, monkeypatch: pytest.MonkeyPatch
) -> None:
    administrator.folder.mkdir()
    is_back = threading.Event()

    def open_when_it_is_back(file: Path) -> BufferedReader | BytesIO:
        is_back.wait()
        return open_regular(file)

    monkeypatch.setattr("qhub_desktop.updates.updater.open_regular", open_when_it_is_back)
    updater = station.started_as(silence_s=0.3)

    with pytest.raises(ServiceError, match="does not answer"):
        await updater.check()
    began = time.monotonic()
    with pytest.raises(ServiceError, match="does not answer"):  # and no second thread waits there
        await updater.check()
    assert time.monotonic() - began < 0.2

    administrator.offer()
    is_back.set()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            assert isinstance(await updater.check(), Offered)
            break
        except ServiceError:
            await asyncio.sleep(0.01)
    else:
        pytest.fail("the folder was not read again")


class Leaving(SignOfLife):
    """Whoever waits leaves once the copy has begun."""

    @override
    def beat(self, share: float = 0.0) -> None:
        super().beat(share)
        self.is_abandoned = share > 0


async def test_a_copy_that_nobody_waits_for_ends_and_leaves_nothing(
    administrator: Administrator, station: Station
) -> None:
    administrator.offer()
    updater = station.started_as()
    release = await offered(updater)

    with pytest.raises(AbandonedError):
        updater._fetch(release, station.settings, Leaving())

    assert station.kept == []


async def test_what_a_killed_program_has_left_of_a_copy_goes_with_the_next(
    administrator: Administrator, station: Station
) -> None:
    administrator.offer()
    folder = station.home / "updates"
    folder.mkdir(parents=True)
    (folder / "qhub-desktop-setup.exe.part").write_bytes(b"half")

    updater = station.started_as()
    await updater.withdraw()

    assert station.kept == []


async def test_each_news_is_told_once_and_installed_only_where_that_was_chosen(
    administrator: Administrator, station: Station, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("qhub_desktop.updates.updater.NEXT_CHECK_S", 0.0)
    updater = station.started_as()
    station.set(updates="off")
    assert await updater.news() == ""
    station.set(updates="tell")
    assert await updater.news() == ""  # the folder is not there yet, which is nothing to tell
    administrator.offer("0.9.0")
    assert await updater.news() == ""

    administrator.offer("9.0.0")
    assert await updater.news() == "Version 9.0.0 is available (1 MB)."
    assert await updater.news() == ""
    assert station.kept == []

    station.set(updates="install")
    assert "9.0.0 is verified and kept" in await updater.news()
    assert await updater.news() == ""
    assert station.kept == KEPT

    administrator.offer_file.write_bytes(b"{}")
    assert "not whole" in await updater.news()
    assert await updater.news() == ""


async def test_the_folder_is_not_looked_into_all_the_time(
    administrator: Administrator, station: Station
) -> None:
    updater = station.started_as()
    administrator.folder.mkdir()
    assert await updater.news() == ""

    administrator.offer("9.0.0")
    assert await updater.news() == ""
    assert updater.status == UpToDate("1.0.0", "")


def test_the_copy_before_an_update_is_whole_or_there_is_no_update(
    store: Store, folder: Path
) -> None:
    copy = store.back_up_before("9.0.0")

    (told,) = listed(folder / "qhub.db")
    assert (told.path, told.reason, told.detail) == (copy, "update", "9.0.0")
    db = connect(copy)
    assert db.execute("SELECT count(*) FROM defects").fetchone() == (200,)
    db.close()

    shutil.rmtree(folder / "backups")
    (folder / "backups").touch()  # something that is no folder
    with pytest.raises(UserError, match="no sound copy"):
        store.back_up_before("9.0.0")


def test_only_a_program_that_was_installed_for_a_person_updates_itself(tmp_path: Path) -> None:
    folder = tmp_path / "QHub Desktop"
    folder.mkdir()
    installation = WindowsInstallation(folder, system="win32")
    with pytest.raises(UserError, match="not installed by its installer"):
        installation.check()
    with pytest.raises(UserError, match="not installed by its installer"):
        WindowsInstallation(system="win32").check()

    (folder / "uninstall.exe").touch()
    installation.check()
    assert installation.obstacle == ""
    assert [each.name for each in folder.iterdir()] == ["uninstall.exe"]

    with pytest.raises(UserError, match="for everybody"):
        WindowsInstallation(tmp_path / "gone", system="win32")._check_writable()

    here = WindowsInstallation(folder, system="linux")
    here.check()
    assert "only be installed on Windows" in here.obstacle


def test_the_installer_gets_its_folder_last_and_unquoted() -> None:
    command = install_command(Path("home of Zé/setup.exe"), Path("Programs/QHub Desktop"))

    folder = Path("Programs/QHub Desktop")
    assert command.startswith('"home of Zé')
    assert command.endswith(f'setup.exe" /S /RESTART /D={folder}')
