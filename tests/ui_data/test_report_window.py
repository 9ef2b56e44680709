"""The report of an import in words and on the screen, on what a reader may have found."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QApplication, QLabel
from typing_extensions import override

from qhub_desktop.core.dataset import (
    DatasetProfile,
    Finding,
    ImportChoices,
    ImportReport,
    TypeOffer,
)
from qhub_desktop.core.errors import QHubError, UserError
from qhub_desktop.data.ingest.readers.encoding import PRIORS
from qhub_desktop.ui.importing import receipt
from qhub_desktop.ui.importing.head_view import (
    cells_in_range,
    column_letters,
    names_by_column,
    parse_address,
)
from qhub_desktop.ui.importing.report_window import OnProgress, ReportActions, ReportWindow
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import DARK, theme
from tests.gallery._imports import HEAD, REPORT, profile
from tests.waiting import until


class Desk:
    """Somebody who reads files, and remembers what was wished."""

    def __init__(self) -> None:
        self.wishes: list[ImportChoices] = []
        self.refusal = ""
        self.told: list[QHubError] = []

    async def head(self, _profile: DatasetProfile) -> Sequence[Sequence[str]]:
        return HEAD

    async def read_again(
        self, old: DatasetProfile, choices: ImportChoices, _tell: OnProgress
    ) -> DatasetProfile:
        self.wishes.append(choices)
        if self.refusal:
            raise UserError(self.refusal)
        assert old.report is not None
        return replace(old, id="again", report=replace(old.report, choices=choices))


class SlowDesk(Desk):
    """Somebody who reads until he is stopped."""

    is_stopped = False

    @override
    async def read_again(
        self, old: DatasetProfile, choices: ImportChoices, _tell: OnProgress
    ) -> DatasetProfile:
        self.wishes.append(choices)
        try:
            await asyncio.Event().wait()
        finally:
            self.is_stopped = True
        return old


async def opened(desk: Desk) -> ReportWindow:
    """A report that shows the head of its file."""
    shown = profile()
    assert shown.report is not None
    window = ReportWindow(
        shown,
        shown.report,
        ReportActions(head=desk.head, read_again=desk.read_again, sheets=lambda each: [each]),
        tasks=Tasks(desk.told.append),
        parent=None,
    )
    await until(window.head.head_model.rowCount)
    return window


def said(window: ReportWindow) -> str:
    """Every word of the receipt."""
    return "\n".join(label.text() for label in window.receipt.findChildren(QLabel))


def test_every_encoding_that_a_doubt_may_name_can_be_chosen() -> None:
    missing = [each for each in PRIORS if each not in receipt.encoding_name(each)]
    assert [each for each in PRIORS if each not in receipt.ENCODINGS] == []
    assert missing == []


def test_a_report_in_a_line_counts_repairs_rows_and_doubts() -> None:

    assert receipt.summary(REPORT) == ("5 repairs · 8 rows set apart", "2 doubts")
    assert receipt.summary(ImportReport("CSV", rows_present=3, rows_read=2)) == ("", "")


def test_the_sum_says_whether_every_row_is_accounted_for() -> None:
    taken, is_sound = receipt.balance_lines(REPORT)
    _taken, is_lossy = receipt.balance_lines(replace(REPORT, rows_read=REPORT.rows_read - 1))

    assert is_sound
    assert not is_lossy
    assert sum(line.rows for line in taken) == REPORT.rows_present - REPORT.rows_read


def test_a_file_without_a_header_has_none_to_take_away() -> None:
    report = ImportReport("CSV", rows_present=7, rows_read=7, header_row=None)

    assert receipt.balance_lines(report) == ([], True)
    assert receipt.header_name(report) == "none; the columns were numbered"


def test_the_copied_report_has_all_of_it() -> None:
    shown = profile()
    copied = receipt.report_text(shown, REPORT)

    assert shown.sha256 in copied
    assert "rows present: 12,417" in copied
    assert "= rows read: 12,407" in copied
    assert "Exportado em 03/03/2026 06:12 por SAP QM" in copied
    for finding in (*REPORT.repaired, *REPORT.doubtful):
        assert finding.text in copied
        assert all(cell in copied for cell in finding.cells)


def test_cells_are_found_by_their_addresses() -> None:
    assert parse_address("B7") == (7, 1)
    assert parse_address("XFD1048576") == (1048576, 16383)
    assert parse_address("row 7") is None
    assert column_letters(16383) == "XFD"
    assert list(cells_in_range("A2:B900", rows=3, columns=2)) == [(2, 0), (2, 1), (3, 0), (3, 1)]


def test_columns_are_found_in_the_file_past_empty_ones() -> None:
    names = names_by_column(HEAD, profile(), REPORT)

    assert names[0] == "Data"
    assert names[5] == "Espessura µm"
    assert 4 not in names


async def test_the_receipt_shows_the_sum_the_doubts_and_what_was_set_apart(
    qapp: QApplication,
) -> None:
    window = await opened(Desk())
    words = said(window)

    assert "12,417" in words
    assert "Every row is accounted for." in words
    assert "Every date fits day/month and month/day; day/month was taken." in words
    assert "Total · · · · 287 614,2" in words
    assert "F12" in words
    theme().set_palette(DARK)
    assert "Every row is accounted for." in said(window)
    window.close()


async def test_rows_that_do_not_add_up_are_never_called_sound(qapp: QApplication) -> None:
    window = await opened(Desk())

    window.show_profile(profile(), replace(REPORT, rows_read=12_000))

    assert "do not add up" in said(window)
    window.close()


async def test_the_report_is_copied_whole(qapp: QApplication) -> None:
    window = await opened(Desk())

    window.copy_button.click()

    assert QGuiApplication.clipboard().text() == window.receipt.text
    assert "clipboard" in window.message
    window.close()


async def test_a_cell_of_the_report_leads_to_it_or_says_that_it_is_further_down(
    qapp: QApplication,
) -> None:
    window = await opened(Desk())

    window.receipt.cell_clicked.emit("F12")
    assert (window.head.currentIndex().row(), window.head.currentIndex().column()) == (11, 5)
    window.receipt.cell_clicked.emit("F77")

    assert "further down" in window.message
    window.close()


async def test_the_header_moves_by_a_click_by_a_key_and_by_the_list(qapp: QApplication) -> None:
    desk = Desk()
    window = await opened(desk)
    assert not window.import_button.isEnabled()
    assert window.head.head_model.header == (4, 5)

    window.head.verticalHeader().sectionClicked.emit(3)
    assert window.current_choices().header_row == 4
    assert window.head.head_model.header == (4, 4)
    window.head.setCurrentIndex(window.head.head_model.index(4, 0))
    QApplication.sendEvent(window.head, key(Qt.Key.Key_H))
    assert window.current_choices().header_row == 5
    window.choices.header.setCurrentIndex(1)
    assert window.current_choices().header_row == 0
    assert window.head.head_model.header == (0, 0)
    window.import_button.click()
    await until(lambda: window.profile.id == "again")

    assert [wish.header_row for wish in desk.wishes] == [0]
    assert "Read again" in window.message
    assert not window.import_button.isEnabled()
    window.close()


async def test_a_column_gets_another_type_and_the_program_may_decide_again(
    qapp: QApplication,
) -> None:
    window = await opened(Desk())

    window.head.open_types(2)
    assert window.head.menu is not None
    (text_,) = [each for each in window.head.menu.actions() if each.text() == "text"]
    text_.trigger()
    assert dict(window.current_choices().types) == {"Lote": "text", "Peça código": "text"}
    assert window.import_button.isEnabled()
    window.head.menu.actions()[0].trigger()

    assert dict(window.current_choices().types) == {"Lote": "text"}
    assert not window.import_button.isEnabled()
    window.head.open_types(4)  # a column that was left out has no type
    window.head.menu.close()
    window.close()


async def test_separator_and_encoding_can_be_chosen_for_text(qapp: QApplication) -> None:
    window = await opened(Desk())

    window.choices.separator.setCurrentIndex(window.choices.separator.findData("\t"))
    window.choices.encoding.setCurrentIndex(window.choices.encoding.findData("utf-8"))
    assert (window.current_choices().separator, window.current_choices().encoding) == (
        "\t",
        "utf-8",
    )
    window.choices.separator.setCurrentIndex(window.choices.separator.count() - 1)
    assert window.current_choices().separator is None
    window.choices.other.setText("#")

    assert window.current_choices().separator == "#"
    window.close()


async def test_a_file_that_can_not_be_read_that_way_says_so_and_stays_as_it_was(
    qapp: QApplication,
) -> None:
    desk = Desk()
    desk.refusal = "The file is no longer there. Drop it again."
    window = await opened(desk)

    window.choices.choose_header(4)
    window.import_button.click()
    await until(lambda: desk.refusal in window.message)

    assert window.profile.id != "again"
    assert window.import_button.isEnabled()
    window.close()


def key(name: Qt.Key) -> QKeyEvent:
    """A key that is pressed."""
    return QKeyEvent(QKeyEvent.Type.KeyPress, name, Qt.KeyboardModifier.NoModifier)


async def test_a_finding_offers_another_way_to_read_the_file() -> None:
    desk = Desk()
    window = await opened(desk)
    asked = Finding("totals_kept", "1 row was kept.", cells=("A9",))
    window.show_profile(window.profile, replace(REPORT, doubtful=(asked,)))

    assert "Set them apart" in said(window)
    press(window, "Set them apart")

    await until(lambda: desk.wishes == [replace(REPORT.choices, totals="apart")])
    await until(lambda: "totals set apart" in said(window))
    press(window, "Let the program decide")
    await until(lambda: desk.wishes[1:] == [REPORT.choices])
    window.close()


async def test_what_a_file_says_of_its_data_is_shown_and_copied(qapp: QApplication) -> None:
    window = await opened(Desk())
    facts = (("Operador", "Rui Sá"), ("Intervalo <s>", "0,5"))
    window.show_profile(window.profile, replace(REPORT, facts=facts))

    assert "Rui Sá" in said(window)
    assert "- Intervalo <s>: 0,5" in window.receipt.text
    window.close()


def press(window: ReportWindow, words: str) -> None:
    """Follow the link with these words."""
    for label in window.receipt.findChildren(QLabel):
        for link, shown in re.findall(r'<a href="([^"]+)"[^>]*>([^<]+)</a>', label.text()):
            if shown == words:
                label.linkActivated.emit(link)
                return
    raise AssertionError(words)


def test_a_mixed_column_is_offered_as_the_type_of_most_of_its_cells() -> None:
    asked = Finding("mixed_column", "", offer=TypeOffer("Valor", "number", 3))
    before = ImportChoices(types=(("a", "text"), ("Valor", "text")))

    ((words, choices),) = receipt.offers(asked, before)

    assert dict(choices.types) == {"a": "text", "Valor": "number"}
    assert "3 cells" in words


def test_each_of_several_tables_can_be_read_alone() -> None:
    asked = Finding("several_tables", "", cells=("A1:C9", "A12:D20"))

    offered = receipt.offers(asked, ImportChoices(types=(("a", "text"),)))

    assert [choices.table for _words, choices in offered] == [1, 2]
    assert all(choices.types for _words, choices in offered)
    assert "A12:D20" in offered[1][0]


def test_titles_of_groups_are_offered_with_and_without_their_column() -> None:
    added, apart = (Finding(kind, "") for kind in ("groups_as_column", "groups_set_apart"))

    without = [each for _words, each in receipt.offers(added, ImportChoices())]
    again = [each for _words, each in receipt.offers(apart, without[0])]

    assert without == [ImportChoices(filled_down=False)]
    assert again == [ImportChoices()]


def test_a_header_of_one_row_is_offered_where_several_were_read() -> None:
    asked = Finding("header_rows", "", cells=("B5",))

    assert [choices.header_row for _words, choices in receipt.offers(asked, ImportChoices())] == [4]


async def test_a_report_closed_while_the_file_is_read_again_lets_go_of_it(
    qapp: QApplication,
) -> None:
    qapp.setQuitOnLastWindowClosed(False)
    bugs: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: bugs.append(context))
    desk = SlowDesk()
    window = await opened(desk)
    gone: list[bool] = []
    window.destroyed.connect(lambda: gone.append(True))
    window.show()
    window.receipt.offer_clicked.emit(ImportChoices(header_row=2))
    await until(lambda: desk.wishes)

    window.close()
    await until(lambda: gone and desk.is_stopped)
    await asyncio.sleep(0)

    assert not bugs
