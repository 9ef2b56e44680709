"""The local model in the settings: what the file is, the others beside it, and a trial."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from qhub_desktop.core.settings import Settings
from qhub_desktop.ui.chat.answer_footer import AnswerNote
from qhub_desktop.ui.settings.local_model import LocalModelField
from tests.chat.local.tiny_model import DONE, make_model
from tests.ui_shell.window_harness import opened
from tests.waiting import until


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_model(tmp_path / "Modelos" / "a.gguf", name="Primeiro")
    make_model(tmp_path / "Modelos" / "b.gguf", name="Segundo")
    (tmp_path / "Modelos" / "c.gguf").write_bytes(b"nada")
    return tmp_path / "Modelos"


async def test_a_model_is_chosen_described_and_tried(
    qapp: QApplication, home: Path, folder: Path
) -> None:
    settings = Settings(language="en", engine="offline", theme="light")
    async with opened(qapp, settings=settings) as harness:
        dialog = harness.window.controller.open_settings("engine")
        field = dialog.part(LocalModelField)
        assert field.isHidden()

        dialog.fields["local_model"].type_in(str(folder / "a.gguf"))
        await until(lambda: "Primeiro" in field.sentence.text())
        assert "apache-2.0" in field.sentence.text()
        assert "knows tools" in field.sentence.text()
        assert field.others.count() == 3

        field.try_button.click()
        await until(lambda: "by a tool" in field.result.text())
        assert "tokens a second" in field.result.text()
        assert field.try_button.isEnabled()


async def test_another_of_the_folder_is_chosen_from_the_list_and_a_bad_one_says_why(
    qapp: QApplication, home: Path, folder: Path
) -> None:
    settings = Settings(
        language="en", engine="offline", theme="light", local_model=str(folder / "a.gguf")
    )
    async with opened(qapp, settings=settings) as harness:
        field = harness.window.controller.open_settings("engine").part(LocalModelField)
        await until(lambda: field.others.count() == 3)

        field.others.setCurrentIndex(1)
        field.others.activated.emit(1)
        await until(lambda: "Segundo" in field.sentence.text())
        field.others.setCurrentIndex(2)
        field.others.activated.emit(2)
        await until(lambda: "is not a model file" in field.result.text())
        assert not field.try_button.isEnabled()
        assert harness.program.settings.local_model.endswith("c.gguf")


async def test_a_question_goes_from_the_window_to_the_model_and_back(
    qapp: QApplication, home: Path, folder: Path
) -> None:
    settings = Settings(
        language="en", engine="local", theme="light", local_model=str(folder / "a.gguf")
    )
    async with opened(qapp, settings=settings) as harness:
        page = harness.window.frame.centre.page
        pill = harness.window.frame.top_bar.pill
        await until(lambda: "a" in pill.text() and "Local" in pill.text())

        page.ask("porque mudaram tanto os defeitos com a tinta nova do fornecedor?")
        await until(lambda: page.view is not None and page.view.last_answer is not None)
        assert page.view is not None
        await until(lambda: page.view is not None and not page.view.is_running)

        answer = page.view.last_answer
        assert answer is not None
        assert DONE in answer.text
        assert len(answer.tool_lines) == 1
        await until(lambda: "Primeiro" in pill.text() and "tok/s" in pill.text())

        page.ask("how many defects are there?")
        await until(lambda: page.view is not None and page.view.is_running)
        await until(lambda: page.view is not None and not page.view.is_running)
        notes = page.view.last_answer.findChildren(AnswerNote) if page.view.last_answer else []
        (button,) = [each.button for each in notes if each.action == "local"]
        assert button is not None
        button.click()
        await until(lambda: page.view is not None and page.view.is_running)
        await until(lambda: page.view is not None and not page.view.is_running)
        assert page.view.last_answer is not None
        assert DONE in page.view.last_answer.text
