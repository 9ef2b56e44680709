"""Safety copies: their page, and what is shown when the data turn out to be damaged."""

import shutil
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from qhub_desktop.core.errors import DamagedStoreError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.people.accounts import Accounts
from qhub_desktop.store import Store
from qhub_desktop.store.backups import make, make_at
from qhub_desktop.store.copy_seal import unseal
from qhub_desktop.store.database import connect
from qhub_desktop.store.recovery import newest_sound, what_changes
from qhub_desktop.ui.settings.safety_copies import SafetyCopyField
from qhub_desktop.ui.shell.recovery import RecoveryDialog, repair_sentence, signs_in_sentence
from tests.gallery.shell import opened, opened_with_program
from tests.waiting import until


def keep_copies(folder: Path) -> None:
    """Lay down safety copies of some days, one damaged since, one of a version without seals."""
    shutil.rmtree(folder / "backups", ignore_errors=True)
    made = make(folder / "qhub.db", "daily")
    for name in (
        "20260228T140000Z.daily",
        "20260227T091500Z.version-6",
        "20260226T063000Z.manual",
        "20260222T150000Z.daily",
        "20260215T150000Z.update-0.3.0",
    ):
        shutil.copy(made.path, made.path.with_name(f"qhub.{name}.db"))
    damaged = made.path.with_name("qhub.20260222T150000Z.daily.db")
    damaged.write_bytes(damaged.read_bytes()[:-9000])
    with closing(connect(made.path.with_name("qhub.20260227T091500Z.version-6.db"))) as db:
        unseal(db)
    made.path.unlink()


async def safety_copies() -> QWidget:
    """The page of safety copies, one of them selected and what going back to it would change."""
    program, window = await opened_with_program()
    keep_copies(program.home)
    dialog = window.controller.open_settings("backups")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    field = dialog.part(SafetyCopyField)
    await until(lambda: field.list.topLevelItemCount() == 5)
    first = field.list.topLevelItem(0)
    assert first is not None
    first.setSelected(True)
    field.restore_button.click()
    await until(lambda: not field.question.isHidden())
    field.make_button.setFocus()
    return dialog


async def no_safety_copies() -> QWidget:
    """The page before the first copy."""
    program, window = await opened_with_program()
    shutil.rmtree(program.home / "backups", ignore_errors=True)
    dialog = window.controller.open_settings("backups")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    return dialog


async def damaged_start() -> QWidget:
    """A start that finds the data damaged: what can be done."""
    program, window = await opened_with_program()
    keep_copies(program.home)
    window.close()
    path = program.store.path
    backup = newest_sound(path)
    assert backup is not None
    place = Path("C:/Users/Julia/AppData/Local/QHub/qhub.db")
    words = f"{repair_sentence(place, backup)} {what_changes(path, backup)}"
    shown = RecoveryDialog()
    shown.show_choice(_("The data are damaged"), words, repair=_("Repair now"))
    return shown


async def damaged_start_of_people() -> QWidget:
    """The same where people have accounts: an administrator of the copy signs in."""
    program, window = await opened_with_program()
    window.close()
    folder = program.home.with_name("of-people")  # other scenes have no accounts
    folder.mkdir(exist_ok=True)
    path = folder / "qhub.db"
    path.unlink(missing_ok=True)
    make_at(program.store.path, path)
    store = Store.open(folder)
    await Accounts(store.people).add("ana", "admin", None, secret="uma frase longa")
    store.close()
    keep_copies(folder)
    backup = newest_sound(path)
    assert backup is not None
    place = Path("C:/Users/Julia/AppData/Local/QHub/qhub.db")
    words = [repair_sentence(place, backup), what_changes(path, backup), signs_in_sentence()]
    shown = RecoveryDialog()
    wrong = _(
        "The name or the password is wrong. It is that of an administrator when the safety copy was"
        " made."
    )
    shown.show_choice(
        _("The data are damaged"),
        " ".join(words),
        repair=_("Repair now"),
        asks_who=True,
        problem=wrong,
    )
    shown.name.setText("ana")
    return shown


async def being_repaired() -> QWidget:
    """While the data are repaired."""
    shown = RecoveryDialog()
    shown.show_busy(_("The data are being restored…"), "")
    return shown


async def damaged_at_work() -> QWidget:
    """A part of the data turned out to be damaged."""
    window = await opened()
    window.controller.show_error(DamagedStoreError("", path=Path("qhub.db")))
    return window


SCENES: dict[str, Callable[[], QWidget | Awaitable[QWidget]]] = {
    "settings": safety_copies,
    "settings_none": no_safety_copies,
    "damaged_start": damaged_start,
    "damaged_start_of_people": damaged_start_of_people,
    "being_repaired": being_repaired,
    "damaged_at_work": damaged_at_work,
}
