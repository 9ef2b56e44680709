"""Fields of the settings dialog: settings, the plant's vocabulary, the safe Python, updates."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, get_type_hints

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QWidget,
)
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.paths import licences_page
from qhub_desktop.core.processes.supervisor import OnProgress, Progress
from qhub_desktop.core.settings import SettingInfo, Settings
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import number, percent
from qhub_desktop.core.values import dataclass
from qhub_desktop.ui.controls.buttons import TextButton
from qhub_desktop.ui.controls.file_dialogs import open_file_dialog, open_folder_dialog
from qhub_desktop.ui.controls.forms import button_row, caption, choice_box, number_to_type
from qhub_desktop.ui.controls.layouts import add_to, column_of, make_label, row_of
from qhub_desktop.ui.controls.plain_text import set_caption
from qhub_desktop.ui.controls.status import StatusLabel
from qhub_desktop.ui.desktop import open_file
from qhub_desktop.ui.settings.pages import SettingsContext, settings_part
from qhub_desktop.ui.tasks import WidgetTasks
from qhub_desktop.ui.theme import set_style_property
from qhub_desktop.updates import Offered, Release, Status, prepared_sentence
from qhub_desktop.updates.updater import check_settings

_NUMBER_PX = 120


class SettingField(QWidget):
    """Input widget chosen by a setting's declaration.

    Signals:
        edited: the setting's name and its new, not yet validated value.
    """

    edited = Signal(str, object)

    def __init__(
        self, name: str, about: SettingInfo, value: object, *, is_fixed: bool = False
    ) -> None:
        super().__init__()
        self.name = name
        self._type = get_type_hints(Settings)[name]
        self._value = value
        self.dialog: QFileDialog | None = None
        self._column = column_of(owner=self, spacing=4)
        self.control = self._make_control(about, value)
        self.control.setAccessibleDescription(_(about.help) if about.help else "")
        if isinstance(self.control, QCheckBox):
            self.control.setAccessibleName(_(about.label))
            set_caption(self.control, _(about.label))
        else:
            self._column.addWidget(caption(self.control, _(about.label), role=""))
        beside = self._browse_button(about) if about.path else None
        together = _with_unit(self.control, about, beside)
        self._column.addWidget(together, 0, Qt.AlignmentFlag.AlignLeft)
        if about.help:
            help_ = make_label(_(about.help), role="small", is_wrapped=True)
            self._column.addWidget(help_)
        if is_fixed:
            together.setEnabled(False)
            fixed = make_label(
                _("Fixed by whoever looks after this computer."), role="small", is_wrapped=True
            )
            self._column.addWidget(fixed)
            self.control.setEnabled(False)
            self.control.setAccessibleDescription(fixed.text())
        self._error_label = StatusLabel(role="bad")
        self._column.addWidget(self._error_label)

    @property
    def error_text(self) -> str:
        """Validation message shown; empty if there is none."""
        return "" if self._error_label.isHidden() else self._error_label.text()

    def type_in(self, typed: str) -> None:
        """Enter text as if typed and committed by the user."""
        if isinstance(self.control, QLineEdit) and self.control.isEnabled():
            self.control.setText(typed)
            self.control.editingFinished.emit()

    def show_error(self, sentence: str) -> None:
        """Show a validation message; an empty one clears it."""
        self._error_label.tell(sentence)
        set_style_property(self.control, "state", "bad" if sentence else "")

    def _make_control(self, about: SettingInfo, value: object) -> QWidget:
        if about.choices:
            return self._make_combo_box(about, value)
        if self._type is bool:
            box = QCheckBox()
            box.setChecked(bool(value))
            box.toggled.connect(self._emit_if_changed)
            return box
        line = QLineEdit(_edit_text(value))
        line.setCursorPosition(0)  # of what is too long, the beginning is shown
        line.setAcceptDrops(False)
        if self._type in (int, float):
            line.setFixedWidth(_NUMBER_PX)
            line.setAlignment(Qt.AlignmentFlag.AlignRight)
        else:
            line.setMinimumWidth(260 if about.path else 360)  # beside a path is a button
        line.editingFinished.connect(
            lambda: self._emit_if_changed(self._parse(line.text().strip()))
        )
        return line

    def _browse_button(self, about: SettingInfo) -> TextButton:
        """Return a button that chooses a path in the system's dialog and types it in."""

        def browse() -> None:
            if about.path == "folder":
                self.dialog = open_folder_dialog(self, _(about.label), self._on_chosen)
            else:
                self.dialog = open_file_dialog(self, _(about.label), on_selected=self._on_chosen)

        button = TextButton(_("Browse…"), on_click=browse)
        button.setAccessibleDescription(_(about.label))
        button.setAutoDefault(False)
        return button

    def _on_chosen(self, path: Path) -> None:
        self.type_in(str(path))

    def _make_combo_box(self, about: SettingInfo, value: object) -> QComboBox:
        box = choice_box(choices=((each, _(label)) for each, label in about.choices))
        box.setMinimumWidth(220)
        box.setCurrentIndex(box.findData(value))
        box.currentIndexChanged.connect(lambda: self._emit_if_changed(box.currentData()))
        return box

    def _parse(self, typed: str) -> Any:
        """Parse the text as the setting's type; return the text itself if that fails."""
        if self._type not in (int, float):
            return typed
        try:
            # The locale's decimal separator may be a comma; the setting expects a point.
            return self._type(typed.replace(",", "."))
        except ValueError:
            return typed

    def _emit_if_changed(self, value: object) -> None:
        if value != self._value:
            self._value = value
            self.edited.emit(self.name, value)


def _edit_text(value: object) -> str:
    """Format a value for editing: no digit grouping, the locale's decimal separator."""
    return number_to_type(value) if isinstance(value, float) else str(value)


def _with_unit(control: QWidget, about: SettingInfo, beside: QWidget | None) -> QWidget:
    if beside is None and not about.unit and about.lower is None:
        return control
    together = QWidget()
    if beside is not None:
        row_of(control, beside, owner=together)
        return together
    bounds = _("{lower} to {upper}").format(
        lower=number(about.lower or 0), upper=number(about.upper or 0)
    )
    said = make_label(" · ".join(filter(None, (about.unit, bounds))), role="small")
    row_of(control, said, owner=together)
    return together


_MAX_PROBLEMS = 5


@settings_part("engine")
class VocabularyField(QWidget):
    """Button to edit the vocabulary file, and its status, refreshed on window activation."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__()
        self.result = StatusLabel(is_selectable=True)
        self._work = WidgetTasks(self, context.tasks, self.result.tell_error)
        label = make_label(_("Vocabulary"))
        self.open_button = TextButton(_("Open the file"))
        self.open_button.setAccessibleDescription(_("The plant's own words"))
        self.open_button.clicked.connect(lambda: self._work.start(self._open()))
        help_ = make_label(
            _(
                "Your plant's own words for the local engine: columns, machines, defects. They "
                "count from the next question on."
            ),
            role="small",
            is_wrapped=True,
        )
        label.setBuddy(self.open_button)
        column_of(label, button_row(self.open_button), help_, self.result, owner=self, spacing=4)
        self._work.start(self.refresh())

    async def refresh(self) -> None:
        """Show which entries of the file were read and which were rejected."""
        said, problems = await asyncio.to_thread(_read_vocabulary)
        shown = problems[:_MAX_PROBLEMS]
        if len(problems) > len(shown):
            shown.append(_("And {count} more.").format(count=len(problems) - len(shown)))
        self.result.tell("\n".join([said, *shown]), role="bad" if problems else "quiet")

    @override
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.WindowActivate:
            self._work.start(self.refresh())
        return super().event(event)

    async def _open(self) -> None:
        file = await asyncio.to_thread(_create_vocabulary)
        await self.refresh()
        if not open_file(file):
            open_file(file.parent)


@dataclass(frozen=True, slots=True)
class PackWork:
    """Work on a pack: whether it is missing, and why; a trial; adding it from its archive.

    The last two return a sentence, or raise QHubError.
    """

    missing: Callable[[], Awaitable[str | None]]
    check: Callable[[OnProgress], Awaitable[str]]
    add: Callable[[Path, OnProgress], Awaitable[str]]


class PackField(QWidget):
    """Button that tries what a pack adds; where the packaged program lacks the pack, another one
    adds it from its archive.
    """

    def __init__(
        self,
        context: SettingsContext,
        work: Callable[[], PackWork],
        *,
        check: str,
        add: str,
        heading: str = "",
        about: str = "",
    ) -> None:
        """`check` and `add` are what the buttons say; the other two stand above them."""
        super().__init__()
        self._pack = work
        self._title = add
        self.check_button = TextButton(check)
        self.add_button = TextButton(f"{add}…", on_click=self.choose_pack)
        self.add_button.hide()
        self.dialog: QFileDialog | None = None
        self.result = StatusLabel(is_selectable=True)
        self._work = WidgetTasks(self, context.tasks, self.result.tell_error)
        self.check_button.clicked.connect(lambda: self._try(self._check()))
        column = column_of(owner=self, spacing=4)
        if heading:
            add_to(column, make_label(heading, role="heading"))
            add_to(column, make_label(about, role="small", is_wrapped=True))
        add_to(column, button_row(self.check_button, self.add_button), self.result)
        context.tasks.start(self._look())

    def choose_pack(self) -> None:
        """Open the system's file dialog for the archive of the pack, without blocking."""
        self.dialog = open_file_dialog(self, self._title, kind="ZIP", on_selected=self.add_pack)

    def add_pack(self, archive: Path) -> None:
        """Add the pack from this archive."""
        self._try(self._add(archive))

    def _try(self, work: Coroutine[Any, Any, None]) -> None:
        self.result.tell(_("Trying it…"))
        self._work.start_kept(work, self.check_button, self.add_button)

    async def _look(self) -> None:
        why = await self._pack().missing()
        if not isValid(self):  # the dialog may be closed meanwhile
            return
        self.check_button.setVisible(why is None)
        self.add_button.setVisible(why is not None)
        if why is not None:
            self.result.tell(why)

    async def _check(self) -> None:
        self.result.tell(await self._pack().check(self._show_progress), role="good")

    async def _add(self, archive: Path) -> None:
        self.result.tell(await self._pack().add(archive, self._show_progress), role="good")
        await self._look()

    def _show_progress(self, progress: Progress) -> None:
        share = "" if progress.share is None else f" {percent(progress.share, digits=0)}"
        self.result.tell(f"{progress.text}{share}")


@settings_part("engine", after="python")
class PythonField(PackField):
    """Field of the safe Python: it is tried, made where it is missing, and tells its walls."""

    def __init__(self, context: SettingsContext) -> None:
        def work() -> PackWork:
            tools = context.services.python_tools()
            return PackWork(tools.missing, tools.check, tools.add_pack)

        super().__init__(
            context, work, check=_("Try the safe Python"), add=_("Add the safe Python")
        )


@settings_part("documents")
class OcrField(PackField):
    """Field of what reads scanned pages and pictures."""

    def __init__(self, context: SettingsContext) -> None:
        def work() -> PackWork:
            documents = context.services.documents()
            return PackWork(
                documents.ocr_missing, lambda _tell: documents.try_ocr(), documents.add_ocr
            )

        super().__init__(
            context,
            work,
            check=_("Try the reading of scans"),
            add=_("Add the reading of scans"),
            heading=_("Scanned pages"),
            about=_("Pages that hold a picture in place of text are read on this computer."),
        )


@settings_part("updates")
class UpdateField(QWidget):
    """Field of updates: the present version, what the folder offers, and the word to install it."""

    def __init__(self, context: SettingsContext) -> None:
        super().__init__()
        self._updates = context.services.updates()
        self._live_settings = context.services.live_settings
        self._work = WidgetTasks(self, context.tasks, self._on_error)
        self._offered: Release | None = None
        label = make_label(_("Version"))
        self.look_button = TextButton(_("Check now"))
        self.install_button = TextButton(_("Install at the next start"), kind="primary")
        self.withdraw_button = TextButton(_("Do not install"))
        self.look_button.clicked.connect(lambda: self._work.start(self._look()))
        self.install_button.clicked.connect(lambda: self._work.start_kept(self._prepare()))
        self.withdraw_button.clicked.connect(lambda: self._work.start(self._withdraw()))
        label.setBuddy(self.look_button)
        self.result = StatusLabel(is_selectable=True)
        self.notes = make_label(role="small", is_wrapped=True)
        doing = button_row(self.look_button, self.install_button, self.withdraw_button)
        # As plain as the version: the licences of the parts ask for it.
        self.licences_button = TextButton(_("Licences of the parts"))
        self.licences_button.setAutoDefault(False)
        page = licences_page()
        self.licences_button.setVisible(page is not None)
        if page is not None:
            self.licences_button.clicked.connect(lambda: open_file(page))
        doing.addWidget(self.licences_button)
        column_of(label, self.result, self.notes, 4, doing, owner=self, spacing=4)
        self._show(self._updates.status)
        self._work.start(self._refresh())
        stop = self._live_settings.listen(lambda _settings: self._work.start(self._refresh()))
        self.destroyed.connect(lambda _gone: stop())

    async def _refresh(self) -> None:
        """Show what waits for the next start, and what can be done with these settings."""
        told = self.result.text()
        release = await asyncio.to_thread(self._updates.prepared)
        if self.result.text() != told:
            return  # the person has looked meanwhile: what came of it is newer
        self._show(Offered(release, is_prepared=True) if release else self._updates.status)

    async def _look(self) -> None:
        self._show_busy(_("Checking the folder…"))
        self._show(await self._updates.check())

    async def _prepare(self) -> None:
        if (release := self._offered) is None:
            return
        text = _("Fetching and verifying version {version}… {share}")

        def show_share(share: float) -> None:
            if isValid(self):  # the dialog may be closed meanwhile; the copy goes on
                said = text.format(version=release.version, share=percent(share, digits=0))
                self._show_busy(said)

        show_share(0.0)
        await self._updates.prepare(release, on_share=show_share)
        if isValid(self):
            self._show(self._updates.status)

    async def _withdraw(self) -> None:
        await self._updates.withdraw()
        self._show(self._updates.status)

    def _show(self, status: Status | None) -> None:
        """Show what is offered, or what keeps from looking; and the buttons that make sense."""
        is_prepared = isinstance(status, Offered) and status.is_prepared
        self._offered = status.release if isinstance(status, Offered) else None
        sentence = _("This is version {version}.").format(version=self._updates.version)
        role = "quiet"
        settings = self._live_settings.settings
        try:
            check_settings(settings)
            can_look = True
        except QHubError as error:
            can_look = False
            if settings.updates != "off" and settings.update_folder and settings.update_key:
                sentence, role = str(error), "bad"  # else the fields above say enough
        if can_look and status is not None:
            role = "good" if is_prepared else "quiet"
            sentence = status.sentence
            if isinstance(status, Offered) and is_prepared and self._updates.obstacle:
                version = status.release.version
                sentence, role = prepared_sentence(version, self._updates.obstacle), "bad"
        self.result.tell(sentence, role=role)
        self.notes.setText(self._offered.notes if self._offered and can_look else "")
        self.notes.setVisible(bool(self.notes.text()))
        self.look_button.setEnabled(can_look)
        self.install_button.setVisible(can_look and self._offered is not None and not is_prepared)
        self.install_button.setEnabled(True)
        # Where all are installed, it would come back with the next look.
        self.withdraw_button.setVisible(can_look and is_prepared and settings.updates == "tell")

    def _show_busy(self, sentence: str) -> None:
        self.result.tell(sentence)
        self.look_button.setEnabled(False)
        self.install_button.setEnabled(False)

    def _on_error(self, error: QHubError) -> None:
        self._show(self._updates.status)
        self.result.tell_error(error)


def _read_vocabulary() -> tuple[str, list[str]]:
    # The engine's vocabulary is loaded with the first question; load it off the GUI thread here.
    import qhub_desktop.charts.catalogue  # noqa: F401  registers the charts' vocabulary
    from qhub_desktop.nlq.lexicon import shipped_words
    from qhub_desktop.nlq.user_lexicon import describe, read_user_lexicon, user_lexicon_file

    words = read_user_lexicon(user_lexicon_file(), shipped_words())
    return describe(words), [str(each) for each in words.problems]


def _create_vocabulary() -> Path:
    from qhub_desktop.nlq.user_lexicon import create_user_lexicon

    return create_user_lexicon()
