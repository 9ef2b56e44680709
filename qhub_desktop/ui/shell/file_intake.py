"""Files into the program: dropped, chosen or pasted, read, and pinned to a conversation."""

from __future__ import annotations  # the workspace is imported after the first paint

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMimeData, QObject, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFont,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from typing_extensions import override

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.errors import (
    FileChangedError,
    PasswordNeededError,
    QHubError,
    UserError,
    data_folder_error,
)
from qhub_desktop.core.paths import PASTED
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.store.conversations import Conversation
from qhub_desktop.store.datasets import DatasetRepository
from qhub_desktop.ui.chat.composer import is_table, local_paths
from qhub_desktop.ui.controls.buttons import pixmap
from qhub_desktop.ui.tasks import Tasks
from qhub_desktop.ui.theme import BODY_PT, CARD_RADIUS_PX, TITLE_PT, theme

if TYPE_CHECKING:
    from qhub_desktop.data.workspace import Progress, Workspace
    from qhub_desktop.tools.conversation_datasets import ConversationDatasets
    from qhub_desktop.ui.chat.attachments import FileChip


MAX_FILES = 50  # taken from one folder
MAX_CONCURRENT = 2  # concurrent imports; each file is read in its own process
MAX_SELECTED_SHEETS = 12  # sheets of one file that are selected by default
ALERT_AFTER_S = 10.0  # imports longer than this alert a user who is in another window


@cache
def suffixes() -> tuple[str, ...]:
    """Return the suffixes of readable file types, each with its dot."""
    from qhub_desktop.data.ingest.readers.catalogue import SUFFIXES  # imported on the first drag

    return SUFFIXES


def is_accepted(path: Path) -> bool:
    """Return whether the path is a folder or has the suffix of a readable type."""
    return path.suffix.lower() in suffixes() or path.is_dir()


def rejection(paths: Sequence[Path]) -> str:
    """Return why none of the paths can be used, or an empty string if one can."""
    if any(is_accepted(path) for path in paths):
        return ""
    kinds = sorted({path.suffix.lower().removeprefix(".") or path.name for path in paths})
    return _("{kinds}: only tables can be read, as {accepted}.").format(
        kinds=", ".join(kinds), accepted=file_types_text()
    )


def file_types_text() -> str:
    """Return the supported file types as text for the user."""
    return ", ".join(suffix.removeprefix(".") for suffix in suffixes())


def expand_folders(paths: Sequence[Path]) -> list[Path]:
    """Return the files, with each folder replaced by the readable files in it.

    Raises UserError for a folder that cannot be looked into.
    """
    files: list[Path] = []
    for path in paths:
        if not path.is_dir():
            files.append(path)
            continue
        try:
            inside = sorted(each for each in path.iterdir() if each.is_file() and is_accepted(each))
        except OSError as error:
            raise UserError(
                _("The folder {folder} cannot be opened. Drop the files that are in it.").format(
                    folder=path.name
                )
            ) from error
        # Excel creates the lock file '~$book.xlsx' beside an open workbook.
        files.extend([each for each in inside if not each.name.startswith("~$")][:MAX_FILES])
    return files


_DROP_ICON_PX = 40


class DropOverlay(QWidget):
    """Overlay that covers the window during a drag and accepts the drop.

    Signals:
        dropped: the paths of the dropped files and folders.
    """

    dropped = Signal(list)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._rejection = ""
        self.setAcceptDrops(True)
        self.hide()
        window.installEventFilter(self)

    @property
    def rejection(self) -> str:
        """Reason why the dragged files cannot be used; empty if they can."""
        return self._rejection

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # The window receives a drag's first events; the overlay receives the later ones.
        match event:
            case QDragEnterEvent():
                self.dragEnterEvent(event)
            case QDragMoveEvent():
                self.dragMoveEvent(event)
            case QDropEvent():
                self.dropEvent(event)
            case QDragLeaveEvent():
                self.dragLeaveEvent(event)
            case _:
                if event.type() == QEvent.Type.Resize:
                    self.setGeometry(self._window.rect())
                return False
        return True

    @override
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        paths = local_paths(event.mimeData())
        if not paths:
            event.ignore()
            return
        self._rejection = rejection(paths)
        self.setGeometry(self._window.rect())
        self.raise_()
        self.show()
        self.update()
        # Accept even a refused drag: otherwise Qt ends it and the reason disappears.
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()

    @override
    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if self._rejection:
            event.ignore()
        else:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()

    @override
    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.hide()

    @override
    def dropEvent(self, event: QDropEvent) -> None:
        self.hide()
        paths = local_paths(event.mimeData())
        if not paths or rejection(paths):
            event.ignore()
            return
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        self.dropped.emit(paths)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme().palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = QColor(palette.page)
        veil.setAlphaF(0.8)
        painter.fillRect(self.rect(), veil)
        tone = QColor(palette.bad if self._rejection else palette.accent)
        frame = QRectF(self.rect().adjusted(16, 16, -16, -16))
        painter.setPen(QPen(tone, 2, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(frame, CARD_RADIUS_PX, CARD_RADIUS_PX)
        self._draw_message(painter, tone)

    def _draw_message(self, painter: QPainter, tone: QColor) -> None:
        palette = theme().palette
        large = QFont(self.font())
        large.setPointSizeF(self.font().pointSizeF() * TITLE_PT * 1.25 / BODY_PT)
        large.setWeight(QFont.Weight.DemiBold)
        title = _("This cannot be analysed") if self._rejection else _("Drop to analyse")
        below = self._rejection or _("{kinds}. Several at once, or a folder.").format(
            kinds=file_types_text()
        )
        width = min(560, self.width() - 96)
        flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
        wrapped = int(flags) | int(Qt.TextFlag.TextWordWrap)
        room = QRect(0, 0, width - 48, self.height())
        below_px = QFontMetrics(self.font()).boundingRect(room, wrapped, below).height()
        height = 28 + _DROP_ICON_PX + 14 + QFontMetrics(large).height() + 8 + below_px + 28
        card = QRect(0, 0, width, height)
        card.moveCenter(self.rect().center())
        painter.setPen(QColor(palette.line))
        painter.setBrush(QColor(palette.card))
        painter.drawRoundedRect(card, CARD_RADIUS_PX, CARD_RADIUS_PX)
        top = card.top() + 28
        name = "forbidden" if self._rejection else "drop"
        sign = pixmap(name, tone.name(), size_px=_DROP_ICON_PX, ratio=self.devicePixelRatioF())
        painter.drawPixmap((self.width() - _DROP_ICON_PX) // 2, top, sign)
        left, inner = card.left() + 24, card.width() - 48
        line = QRect(left, top + _DROP_ICON_PX + 14, inner, QFontMetrics(large).height())
        painter.setFont(large)
        painter.setPen(QColor(palette.text))
        painter.drawText(line, int(Qt.AlignmentFlag.AlignCenter), title)
        rest = QRect(left, line.bottom() + 8, inner, below_px + 8)
        painter.setFont(self.font())
        painter.setPen(tone if self._rejection else QColor(palette.quiet))
        painter.drawText(rest, wrapped, below)


OnPinned = Callable[[Conversation, tuple[DatasetProfile, ...]], Awaitable[None]]


class FileImporter:
    """Importer of files into the open conversation, or into a new one.

    `add_chip` shows a file being imported; `conversation` returns the open one, or creates one if
    there is none; `on_pinned` is called for every imported file, with a profile for each sheet.
    """

    def __init__(
        self,
        *,
        datasets: DatasetRepository,
        workspace: Callable[[], Workspace],
        conversation_datasets: Callable[[], ConversationDatasets],
        tasks: Tasks,
        home: Path,
        add_chip: Callable[[str], FileChip],
        conversation: Callable[[], Awaitable[Conversation]],
        on_pinned: OnPinned,
    ) -> None:
        self._datasets = datasets
        self._workspace = workspace
        self._conversation_datasets = conversation_datasets
        self._tasks = tasks
        self._home = home
        self._add_chip = add_chip
        self._conversation = conversation
        self._on_pinned = on_pinned
        self._slots = asyncio.Semaphore(MAX_CONCURRENT)

    def import_paths(self, paths: Sequence[Path]) -> None:
        """Start to import these files, and the readable files in these folders."""
        self._tasks.start(self._import_all(paths))

    def import_pasted(self, mime: QMimeData) -> bool:
        """Import pasted files or a pasted table; return whether there was one."""
        if paths := local_paths(mime):
            self.import_paths(paths)
            return True
        if not is_table(mime.text()):
            return False
        self.import_table(mime.text())
        return True

    def import_table(self, text: str) -> None:
        """Import tab-separated text as copied from a spreadsheet."""
        self._tasks.start(self._import_table(text))

    async def _import_all(self, paths: Sequence[Path]) -> None:
        # Listing a folder on a network share can be slow.
        worker = Worker("folders")
        try:
            files = await worker.run(expand_folders, list(paths))
        finally:
            worker.close()
        for file in files:
            self._start(file, self._chip_of(file))

    async def _import_table(self, text: str) -> None:
        worker = Worker("pasting")
        try:
            file = await worker.run(_write_table, self._home / PASTED, text)
        finally:
            worker.close()
        await self._import_all([file])

    def _chip_of(self, file: Path) -> FileChip:
        def on_retried() -> None:
            chip.resume()
            self._start(file, chip)

        chip = self._add_chip(file.name)
        chip.retried.connect(on_retried)
        return chip

    def _start(self, file: Path, chip: FileChip) -> None:
        def on_error(error: QHubError) -> None:
            chip.fail(str(error), may_retry=isinstance(error, FileChangedError))

        task = self._tasks.start(self._import_one(file, chip), on_error=on_error)
        # A cancelled chip is deleted and must not be updated any more.
        chip.cancelled.connect(task.cancel)
        task.add_done_callback(lambda done: _show_bug(done, chip))

    async def _import_one(self, file: Path, chip: FileChip) -> None:
        began = asyncio.get_running_loop().time()
        conversation = await self._conversation()
        profiles = await self._read(conversation, file, chip)
        rows = sum(profile.rows for profile in profiles)
        said = ngettext("{count} row", "{count} rows", rows).format(count=number(rows, digits=0))
        chip.finish(said)
        if asyncio.get_running_loop().time() - began > ALERT_AFTER_S:
            QApplication.alert(chip.window())
        await self._on_pinned(conversation, profiles)

    async def _read(
        self, conversation: Conversation, file: Path, chip: FileChip
    ) -> tuple[DatasetProfile, ...]:
        """Read a file, prompting for passwords; questions asked meanwhile wait for it."""
        password: str | None = None
        while True:
            try:
                with self._conversation_datasets().importing(conversation.id):
                    return await self._read_once(conversation, file, chip, password)
            except PasswordNeededError as error:
                password = await chip.ask_password(str(error))
                chip.resume()

    async def _read_once(
        self, conversation: Conversation, file: Path, chip: FileChip, password: str | None
    ) -> tuple[DatasetProfile, ...]:
        def on_progress(progress: Progress) -> None:
            chip.set_progress(progress.text, progress.share)

        async with self._slots:
            profiles = await self._workspace().load(
                file, password=password, on_progress=on_progress
            )
        for position, profile in enumerate(profiles):
            await self._datasets.pin(
                conversation.id, profile.id, profile.dataset, is_used=position < MAX_SELECTED_SHEETS
            )
        return profiles


def _show_bug(task: asyncio.Task[None], chip: FileChip) -> None:
    """Show an unexpected error on a chip; the loop's exception handler writes the report."""
    if task.cancelled() or task.exception() is None or not chip.is_busy:
        return
    chip.fail(
        _(
            "{file} could not be read because of a mistake in QHub. A report of it is in the folder"
            " of crash reports. Save the file as .xlsx or .csv, and drop that one."
        ).format(file=chip.name)
    )


def _write_table(folder: Path, text: str) -> Path:
    # No colons: Windows does not allow them in file names.
    stamped = datetime.now().astimezone().strftime("%Y-%m-%d %H.%M.%S")
    file = folder / "{name} {stamped}.tsv".format(name=_("Pasted"), stamped=stamped)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise data_folder_error(error, folder) from error
    return file


def choose_files(parent: QWidget, on_chosen: Callable[[list[Path]], object]) -> QFileDialog:
    """Open the system's file dialog without blocking; `on_chosen` gets the result."""
    dialog = QFileDialog(parent, _("Choose files"))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    kinds = " ".join(f"*{suffix}" for suffix in suffixes())
    tables, everything = _("Tables"), _("All files")
    dialog.setNameFilters([f"{tables} ({kinds})", f"{everything} (*)"])
    dialog.filesSelected.connect(lambda names: on_chosen([Path(name) for name in names]))
    dialog.open()
    return dialog
