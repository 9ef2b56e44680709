"""Files into the program: dropped, chosen or pasted, read, and pinned to a conversation."""

from __future__ import annotations  # the workspace is imported after the first paint

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QRect, QRectF, Qt, Signal
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
from qhub_desktop.core.documents import Document
from qhub_desktop.core.errors import (
    FileChangedError,
    PasswordNeededError,
    QHubError,
    UserError,
    data_folder_error,
)
from qhub_desktop.core.ids import ConversationId
from qhub_desktop.core.paths import PASTED
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.store.conversations import Conversation
from qhub_desktop.store.datasets import DatasetRepository
from qhub_desktop.ui.chat.composer import is_table as is_pasted_table
from qhub_desktop.ui.chat.composer import local_paths
from qhub_desktop.ui.controls.buttons import pixmap
from qhub_desktop.ui.controls.notices import Remedy
from qhub_desktop.ui.documents.panel import KINDS, OLD_KINDS
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


def is_table(path: Path) -> bool:
    """Return whether the path has the suffix of a table."""
    return path.suffix.lower() in suffixes()


def is_document(path: Path) -> bool:
    """Return whether the path has the suffix of a document."""
    return path.suffix.lower() in KINDS


def is_accepted(path: Path) -> bool:
    """Return whether the path is a folder or has the suffix of a readable type."""
    return is_table(path) or is_document(path) or path.is_dir()


def rejection(paths: Sequence[Path], *, as_documents: bool = False) -> str:
    """Return why none of the paths can be used, or an empty string if one can."""
    if any(
        is_document(path) or path.is_dir() if as_documents else is_accepted(path) for path in paths
    ):
        return ""
    for path in paths:
        if newer := OLD_KINDS.get(path.suffix.lower()):
            return _("{file}: save it as {suffix}, and drop that file.").format(
                file=path.name, suffix=newer
            )
    kinds = sorted({path.suffix.lower().removeprefix(".") or path.name for path in paths})
    return _("{kinds}: only tables and documents can be read, as {accepted}.").format(
        kinds=", ".join(kinds), accepted=file_types_text(as_documents=as_documents)
    )


def file_types_text(*, as_documents: bool = False) -> str:
    """Return the supported file types as text for the user."""
    kinds = KINDS if as_documents else dict.fromkeys((*suffixes(), *KINDS))
    return ", ".join(suffix.removeprefix(".") for suffix in kinds)


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
            inside = sorted(each for each in path.iterdir() if each.is_file() and is_table(each))
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

    What is dropped on the panel of documents, while it is shown, is a document.

    Signals:
        dropped, documents_dropped: the paths of the dropped files and folders.
    """

    dropped = Signal(list)
    documents_dropped = Signal(list)

    def __init__(self, window: QWidget, documents: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._documents = documents
        self._is_over_documents = False
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
        self._look_at(paths, event.position().toPoint())
        self.setGeometry(self._window.rect())
        self.raise_()
        self.show()
        self.update()
        # Accept even a refused drag: otherwise Qt ends it and the reason disappears.
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()

    @override
    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self._look_at(local_paths(event.mimeData()), event.position().toPoint())
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
        self._look_at(paths, event.position().toPoint())
        if not paths or self._rejection:
            event.ignore()
            return
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        (self.documents_dropped if self._is_over_documents else self.dropped).emit(paths)

    @property
    def words(self) -> str:
        """What is written below the title: what may be dropped here, in a few words, or why not."""
        if self._rejection:
            return self._rejection
        if self._is_over_documents:
            return _("PDF, Word, PowerPoint, e-mails. Several at once, or a folder.")
        return _("Tables, texts, documents. Several at once, or a folder.")

    @property
    def _zone(self) -> QRect:
        """Where the panel of documents is, empty while it is not shown."""
        panel = self._documents
        if not panel.isVisible():
            return QRect()
        return QRect(panel.mapTo(self._window, QPoint(0, 0)), panel.size())

    def _look_at(self, paths: Sequence[Path], place: QPoint) -> None:
        """Tell what would become of a drop at a place."""
        is_over = self._zone.contains(place)
        refused = rejection(paths, as_documents=is_over)
        if (is_over, refused) != (self._is_over_documents, self._rejection):
            self._is_over_documents, self._rejection = is_over, refused
            self.update()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        palette = theme().palette
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = QColor(palette.page)
        veil.setAlphaF(0.8)
        painter.fillRect(self.rect(), veil)
        tone = QColor(palette.bad if self._rejection else palette.accent)
        whole = self._zone if self._is_over_documents else self.rect()
        frame = QRectF(whole.adjusted(16, 16, -16, -16))
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
        if self._is_over_documents and not self._rejection:
            title = _("Drop to keep as a document")
        below = self.words
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


KeepDocuments = Callable[[Sequence[Path]], Awaitable[Sequence[Document]]]
OnPinned = Callable[[Conversation, tuple[DatasetProfile, ...]], Awaitable[None]]


class Toaster(Protocol):
    """What shows a message in passing, as `Toast.tell` does."""

    def __call__(self, sentence: str, *remedies: Remedy) -> object:
        """Show the message and what can be done."""
        ...


class FileImporter:
    """Importer of files into the open conversation, or into a new one.

    `add_chip` shows a file being imported; `conversation` returns the open one, or creates one if
    there is none; `on_pinned` is called for every imported file, with a profile for each sheet.
    What is no table is kept by `keep_documents`, as is a table that the person wants there, too.
    What came in is told by `tell`, with `open_` and with undo, after which `on_undone` is called.
    `keep_pending` is called with what is under way, and where, whenever that changes: what is not
    read to its end when the program ends is offered again.
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
        keep_documents: KeepDocuments,
        tell: Toaster,
        open_: Callable[[DatasetProfile | Document], object],
        on_undone: Callable[[], Awaitable[None]],
        keep_pending: Callable[[Sequence[Path], ConversationId | None], object],
    ) -> None:
        self._datasets = datasets
        self._workspace = workspace
        self._conversation_datasets = conversation_datasets
        self._tasks = tasks
        self._home = home
        self._add_chip = add_chip
        self._conversation = conversation
        self._on_pinned = on_pinned
        self._keep_documents = keep_documents
        self._tell = tell
        self._open = open_
        self._on_undone = on_undone
        self._keep_pending = keep_pending
        self._pending: dict[FileChip, Path] = {}
        self._slots = asyncio.Semaphore(MAX_CONCURRENT)

    @property
    def pending(self) -> tuple[Path, ...]:
        """The files that are being read."""
        return tuple(self._pending.values())

    def import_paths(self, paths: Sequence[Path]) -> None:
        """Start to import these files, and the readable files in these folders."""
        self._tasks.start(self._import_all(paths))

    def import_pasted(self, mime: QMimeData) -> bool:
        """Import pasted files or a pasted table; return whether there was one."""
        if paths := local_paths(mime):
            self.import_paths(paths)
            return True
        if not is_pasted_table(mime.text()):
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
            if is_table(file) and is_document(file):
                chip.offer(_("Keep as a document"), partial(self._also_keep, file, chip))

        work = self._keep_one if is_document(file) and not is_table(file) else self._import_one
        task = self._tasks.start(work(file, chip), on_error=on_error)
        self._pending[chip] = file
        self._on_pending_changed()
        chip.moved.connect(self._on_pending_changed)
        # A cancelled chip is deleted and must not be updated any more.
        chip.cancelled.connect(task.cancel)
        chip.cancelled.connect(lambda: self._end_pending(chip))
        # Not what is cancelled because the window closes.
        task.add_done_callback(lambda done: None if done.cancelled() else self._end_pending(chip))
        task.add_done_callback(lambda done: _show_bug(done, chip))

    def _end_pending(self, chip: FileChip) -> None:
        if self._pending.pop(chip, None) is not None:
            self._on_pending_changed()

    def _on_pending_changed(self) -> None:
        conversation = next((chip.conversation for chip in self._pending), None)
        self._keep_pending(self.pending, conversation)

    async def _keep_one(self, file: Path, chip: FileChip) -> None:
        kept = await self._keep_documents([file])
        chip.dismiss()
        names = ", ".join(each.name for each in kept)
        opening = [Remedy(_("Open"), partial(self._open, each)) for each in kept[:1]]
        self._tell(_("Kept as a document: {name}").format(name=names), *opening)

    def _also_keep(self, file: Path, chip: FileChip) -> None:
        chip.resume()
        self._tasks.start(self._keep_one(file, chip), on_error=lambda error: chip.fail(str(error)))

    async def _import_one(self, file: Path, chip: FileChip) -> None:
        began = asyncio.get_running_loop().time()
        conversation = await self._conversation()
        chip.move_to(conversation.id)
        before = await self._datasets.pinned(conversation.id, include_unused=True)
        held = {pin.dataset_id for pin in before}
        profiles = await self._read(conversation, file, chip)
        chip.dismiss()
        self._tell_imported(file, conversation, profiles, held)
        if asyncio.get_running_loop().time() - began > ALERT_AFTER_S:
            QApplication.alert(chip.window())
        await self._on_pinned(conversation, profiles)

    def _tell_imported(
        self,
        file: Path,
        conversation: Conversation,
        profiles: Sequence[DatasetProfile],
        held: AbstractSet[str],
    ) -> None:
        rows = sum(profile.rows for profile in profiles)
        counted = ngettext("{count} row", "{count} rows", rows)
        remedies = [Remedy(_("Open"), partial(self._open, each)) for each in profiles[:1]]
        if new := [each.id for each in profiles if each.id not in held]:
            undo = partial(self._take_out, conversation, new)
            remedies.append(Remedy(_("Undo"), lambda: self._tasks.start(undo())))
        if is_document(file):
            keep = partial(self._keep_another, file)
            remedies.append(Remedy(_("Also as a document"), keep))
        self._tell(f"{file.name}: {counted.format(count=number(rows, digits=0))}", *remedies)

    def _keep_another(self, file: Path) -> None:
        chip = self._add_chip(file.name)
        self._also_keep(file, chip)

    async def _take_out(self, conversation: Conversation, datasets: Sequence[str]) -> None:
        for each in datasets:
            await self._datasets.unpin(conversation.id, each)
        await self._on_undone()

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
