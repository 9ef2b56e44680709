"""The network in the settings: the proxy's password, the diagnosis and its report."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QWidget

from qhub_desktop.core.settings import EngineChoice, Settings
from qhub_desktop.ui.chat.answer import AnswerView
from qhub_desktop.ui.chat.answer_footer import ErrorNotice
from qhub_desktop.ui.settings.network_fields import DiagnosisField, ProxyDialog, ProxyField
from tests.keyrings import MemoryStore, using
from tests.ui_shell.window_harness import opened
from tests.waiting import PATIENCE_S, until
from tests.wire import WireServer, answer
from tests.wire.proxy import PlantProxy

PASSWORD = "geheim-77-wort"


@pytest.fixture(autouse=True)
def store() -> Iterator[MemoryStore]:
    """A key store of this test's own."""
    yield from using(MemoryStore())


async def test_a_password_is_kept_the_way_is_tried_and_the_report_is_saved(
    qapp: QApplication,
    home: Path,
    tmp_path: Path,
    store: MemoryStore,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with WireServer([answer("olá")]) as server, PlantProxy(login=f"carla:{PASSWORD}") as proxy:
        monkeypatch.setenv("ALL_PROXY", proxy.address)
        host = f"gateway.plant.test:{server.url.rpartition(':')[2]}"
        settings = Settings(
            language="en",
            engine="claude",
            theme="light",
            endpoint=f"http://{host}",
            unencrypted_host=host,
        )
        async with opened(qapp, settings=settings) as harness:
            await harness.program.save_key("gw_planted-key-0123456789")
            dialog = harness.window.controller.open_settings("network")
            login, field = dialog.part(ProxyField), dialog.part(DiagnosisField)
            await until(lambda: proxy.address in login.sentence.text(), "the proxy")
            field.start_button.click()
            await until(lambda: "marked above" in field.result.text(), "the first walk")
            asked = field.lines["key"].text.text()
            login.user.setText("carla")
            login.password.setText(PASSWORD)
            login.save_button.click()
            await until(lambda: "key store" in login.sentence.text(), "the login")
            assert login.password.text() == ""
            field.start_button.click()
            await until(lambda: "answers" in field.result.text(), "the second walk")
            assert field.cancel_button.isHidden()
            assert "passages by meaning" in field.models.text()
            await field.save_report(tmp_path / "report.txt")
            await field.save_report(tmp_path / "report.json")

    assert "name and a password" in asked
    assert [*store.kept.values()].count(f"carla\n{PASSWORD}") == 1
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert [each["state"] for each in report["steps"]] == ["good"] * 5
    for file in ("report.txt", "report.json"):
        written = (tmp_path / file).read_text(encoding="utf-8")
        assert host in written
        assert PASSWORD not in written
        assert "planted-key" not in written


@pytest.mark.parametrize("engine", ["claude", "auto"])
async def test_a_proxy_that_wants_a_password_is_told_it_and_the_question_is_asked_again(
    qapp: QApplication, engine: EngineChoice, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with WireServer([answer("São 62.")]) as server, PlantProxy(login=f"c:{PASSWORD}") as proxy:
        monkeypatch.setenv("ALL_PROXY", proxy.address)
        host = f"gateway.plant.test:{server.url.rpartition(':')[2]}"
        settings = Settings(
            language="en",
            engine=engine,
            theme="light",
            endpoint=f"http://{host}",
            unencrypted_host=host,
        )
        async with opened(qapp, settings=settings) as harness:
            await harness.program.save_key("gw_planted-key-0123456789")
            centre = harness.window.frame.centre
            page = centre.page
            page.ask("Quantos defeitos há?")
            await until(lambda: centre.proxy_dialog, "the question for the password")
            dialog = centre.proxy_dialog
            assert dialog is not None
            await until(lambda: "wants a name" in dialog.sentence.text(), "the proxy")
            await answered(dialog, "wrong-word")
            # Refused, it is asked for again, and says so.
            await until(lambda: centre.proxy_dialog not in (None, dialog), "the next dialog")
            again = centre.proxy_dialog
            assert again is not None
            await until(lambda: "does not take" in again.sentence.text(), "the proxy")
            await answered(again, PASSWORD)
            await until(lambda: "São 62." in said(page), "the answer")

            assert len(server.requests) == 1
            assert not page.findChildren(ErrorNotice)
    assert len(proxy.refused) == 2  # a domain locks who tries too often
    assert [*store.kept.values()].count(f"c\n{PASSWORD}") == 1


def said(page: QWidget) -> list[str]:
    return [each.text for each in page.findChildren(AnswerView)]


async def answered(dialog: ProxyDialog, password: str) -> None:
    """Type a name and a password, and press Enter."""
    dialog.user.setText("c")
    dialog.password.setText(password)
    dialog.save_button.click()


async def test_who_does_not_answer_is_not_asked_again_but_offered_it(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with PlantProxy(login=f"carla:{PASSWORD}") as proxy:
        monkeypatch.setenv("ALL_PROXY", proxy.address)
        settings = Settings(
            language="en", engine="claude", theme="light", endpoint="https://gateway.plant.test"
        )
        async with opened(qapp, settings=settings) as harness:
            await harness.program.save_key("gw_planted-key-0123456789")
            centre = harness.window.frame.centre
            page = centre.page
            ended = asyncio.Event()
            page.running_changed.connect(lambda _id, runs: None if runs else ended.set())
            page.ask("Quantos defeitos há?")
            await until(lambda: centre.proxy_dialog, "the question for the password")
            dialog = centre.proxy_dialog
            assert dialog is not None
            dialog.close()
            await until(lambda: centre.proxy_dialog is None, "the end of the dialog")
            ended.clear()
            page.ask("E ontem?")
            await asyncio.wait_for(ended.wait(), PATIENCE_S)
            await until(lambda: len(page.findChildren(ErrorNotice)) == 2, "the error")

            assert not centre.findChildren(ProxyDialog)
            notice = page.findChildren(ErrorNotice)[-1]
            assert "wants a name and a password" in notice.text
            assert notice.button is not None
            notice.button.click()
            assert centre.findChildren(ProxyDialog)
