"""What a card offers to do about its data set."""

from PySide6.QtWidgets import QApplication, QWidget

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.table import Table
from qhub_desktop.ui.controls.layouts import FlowLayout
from qhub_desktop.ui.data_panel.dataset_card import DatasetCard
from qhub_desktop.ui.theme import DARK, theme

PROFILE = DatasetProfile(
    id="aa-1",
    dataset="turno",
    file="turno.xlsx",
    sheet=None,
    sheets=(),
    rows=3,
    sha256="aa",
    columns=(),
    preview=Table((), ()),
)


def card() -> DatasetCard:
    return DatasetCard(PROFILE, part="file", is_open=True)


def test_an_offer_that_is_taken_does_its_work_and_goes(qapp: QApplication) -> None:
    done: list[str] = []
    shown = card()
    box = shown.offer(
        "This looks like a table of defects.",
        [("Add", lambda: done.append("added")), ("Look", lambda: done.append("looked"))],
    )

    assert box.text == "This looks like a table of defects."
    assert not shown.extra.isHidden()
    box.buttons[1].click()

    assert done == ["looked"]
    assert shown.offers == []
    assert shown.extra.isHidden()


def test_an_offer_that_is_turned_down_goes_and_leaves_the_others(qapp: QApplication) -> None:
    shown = card()
    first = shown.offer("One.", [("Yes", lambda: None)])
    second = shown.offer("Two.", [])

    first.dismiss()
    first.dismiss()
    theme().set_palette(DARK)

    assert shown.offers == [second]
    assert not shown.extra.isHidden()


def test_what_has_no_room_beside_goes_on_below(qapp: QApplication) -> None:
    host = QWidget()
    row = FlowLayout(spacing_px=6)
    host.setLayout(row)
    for _place in range(3):
        block = QWidget()
        block.setFixedSize(100, 30)
        row.addWidget(block)

    assert row.heightForWidth(400) == 30
    assert row.heightForWidth(250) == 66
    assert row.heightForWidth(110) == 102
