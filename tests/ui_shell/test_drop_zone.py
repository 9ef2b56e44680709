"""What may be dropped or pasted on the window, and what is refused by name."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QWidget

from qhub_desktop.core.errors import UserError
from qhub_desktop.ui.chat.composer import is_table
from qhub_desktop.ui.shell.file_intake import DropOverlay, expand_folders, rejection


def test_a_pasted_table_is_told_from_a_pasted_sentence() -> None:
    assert is_table("turno\ttotal\nmanha\t73\n")
    assert not is_table("turno\ttotal\n")
    assert not is_table("Dear all,\nplease find attached")
    assert not is_table("a\tb\nno tab here")


def test_a_folder_gives_its_tables_and_nothing_else(tmp_path: Path) -> None:
    for name in ("b.csv", "a.xlsx", "photo.png", "~$a.xlsx"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "deeper").mkdir()

    assert [file.name for file in expand_folders([tmp_path])] == ["a.xlsx", "b.csv"]


def test_a_file_is_refused_by_name_unless_another_beside_it_can_be_used() -> None:
    assert "mp4" in rejection([Path("line.mp4")])
    assert "xlsx" in rejection([Path("line.mp4")])
    assert rejection([Path("line.mp4"), Path("export.XLSX")]) == ""


def test_a_folder_that_can_not_be_looked_into_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(folder: Path) -> Iterator[Path]:
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr(Path, "iterdir", refused)

    with pytest.raises(UserError, match=tmp_path.name):
        expand_folders([tmp_path])


def test_what_may_be_dropped_is_said_in_a_few_words(qapp: QApplication) -> None:
    window = QWidget()
    overlay = DropOverlay(window, QWidget())

    assert overlay.words == "Tables, texts, documents. Several at once, or a folder."
