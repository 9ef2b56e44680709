"""The question as it is typed: read when typing pauses, its readings shown, completed and sent."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from typing_extensions import override

from qhub_desktop.core.errors import QHubError
from qhub_desktop.ui.chat.completion import CompletionList
from qhub_desktop.ui.chat.composer import ENTER_KEYS, Composer
from qhub_desktop.ui.desktop import is_saving_power
from qhub_desktop.ui.tasks import LatestTask, Tasks

if TYPE_CHECKING:
    from qhub_desktop.core.ids import ConversationId
    from qhub_desktop.core.readings import Completion, ReadingSource

LOG = logging.getLogger(__name__)
PAUSE_S = 0.12  # after the last key
LONGEST_QUESTION = 1_000  # characters; what is longer is no question to the data
_TYPED_AT_ONCE = 2  # characters of one key, with its accent; more were pasted
_LIST_GAP_PX = 4
_ALT, _CTRL = Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier
_NONE, _KEYPAD = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier
_STEPS: Mapping[int, int] = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}


class QuestionReading(QObject):
    """Has what stands in the composer read whenever typing pauses; nothing of it is stored.

    `source` returns what reads questions, None where that is switched off, and `has_model` whether
    an engine other than the offline one would answer what is sent.

    Signals:
        taken: the question as it was typed, and the plan that the person chose for it.
    """

    taken = Signal(str, object)

    def __init__(
        self,
        composer: Composer,
        conversation: Callable[[], ConversationId | None],
        tasks: Tasks,
    ) -> None:
        super().__init__(composer)
        self.source: Callable[[], ReadingSource | None] = lambda: None
        self.has_model: Callable[[], bool] = lambda: False
        self._composer = composer
        self._box, self._strip = composer.question_box, composer.strip
        self.conversation = conversation
        self._reading = LatestTask(tasks)
        self._list: CompletionList | None = None
        self._completed: int | None = None  # the row of the list that Tab took last
        self._completed_end = 0  # where its text ends
        self._is_completing = False
        self._change_end = 0  # as Qt counts
        self._cursor = 0  # where it is after the last change
        self._is_typed = False  # the last change was of a key
        self._is_dismissed = False  # for this question
        self._box.takes_key = self._takes_key
        self._box.takes_tab = self._takes_tab
        self._box.document().contentsChange.connect(self._on_contents_change)
        self._box.cursorPositionChanged.connect(self._on_cursor_moved)
        composer.changed.connect(self._on_changed)
        composer.installEventFilter(self)
        self._box.installEventFilter(self)
        self._strip.taken.connect(self._take)

    def refresh(self) -> None:
        """Read the question anew: its data, or what is under way, have changed."""
        self._is_typed = False
        self._on_changed(self._composer.text)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        match event.type():
            case QEvent.Type.FocusOut if watched is self._box:
                self._close_list()
            case QEvent.Type.Move | QEvent.Type.Resize if watched is self._composer:
                self._place_list()
        return False

    @property
    def _can_read(self) -> bool:
        """Whether the text is a question that may be read."""
        return (
            0 < len(self._composer.text.strip()) <= LONGEST_QUESTION
            and not self._composer.is_blocked
            and not self._is_dismissed
            and self.conversation() is not None
            and self.source() is not None
        )

    def _on_contents_change(self, place: int, _removed: int, added: int) -> None:
        self._is_typed = added <= _TYPED_AT_ONCE
        self._change_end = place + added

    def _on_changed(self, text: str) -> None:
        self._cursor = self._box.cursor_place
        if not self._is_completing:
            self._completed = None
            if self._list is not None:
                self._list.narrow(text[: self._cursor])
        if not text.strip():
            self._is_dismissed = False
        if self._can_read:
            self._strip.set_stale()
            self._reading.start_after(PAUSE_S, self._read)
        else:
            self._stop()

    def _on_cursor_moved(self) -> None:
        # After a key Qt tells of the text, of the cursor, and of the end of both.
        if not self._is_completing and self._box.textCursor().position() != self._change_end:
            self._close_list()

    def _stop(self) -> None:
        """Read nothing, and show nothing."""
        self._reading.cancel()
        self._close_list()
        self._strip.clear()
        self._box.show_marks(())
        self._box.setAccessibleDescription("")

    async def _read(self) -> None:
        source, conversation = self.source(), self.conversation()
        if source is None or conversation is None or not self._can_read or is_saving_power():
            self._stop()
            return
        text, self._cursor = self._composer.text, self._box.cursor_place
        try:
            if self._is_typed and self._completed is None:
                self._offer(await source.complete(conversation, text, self._cursor))
            readings = await source.read(conversation, text)
            self._strip.show_readings(readings, is_local=self.has_model())
            self._box.show_marks(readings.marks)
            self._box.setAccessibleDescription(self._strip.spoken)
            for at, reading in enumerate(readings.readings):
                self._strip.show_value(at, await source.value(conversation, reading.plan))
                self._box.setAccessibleDescription(self._strip.spoken)
        except QHubError as error:
            # The answer tells what is wrong, once it is asked for.
            LOG.info("a question that is being typed could not be read: %s", error)
            self._stop()

    def _offer(self, completions: Sequence[Completion]) -> None:
        """Show how the word at the cursor may go on."""
        self._close_list()
        if not completions or self._composer.window().focusWidget() is not self._box:
            return
        if self._list is None:
            self._list = CompletionList(self._composer.window())
            self._list.taken.connect(self._complete)
        self._list.show_completions(completions, least_px=self._strip.least_px)
        self._place_list()

    def _place_list(self) -> None:
        """Place the list above the box, where the word begins that it completes."""
        if self._list is None or self._list.isHidden():
            return
        left = self._box.left_of(self._list.rows[0].completion.start)
        window, frame = self._composer.window(), self._composer.input_frame
        x = self._box.viewport().mapTo(window, QPoint(left, 0)).x()
        top_right = frame.mapTo(window, QPoint(frame.width(), -_LIST_GAP_PX))
        self._list.place_at(QPoint(x, top_right.y()), top_right.x())

    def _close_list(self) -> None:
        self._completed = None
        if self._list is not None:
            self._list.hide()

    def _complete(self, index: int) -> None:
        """Put a way to go on in the place of what was typed of it, or of the one taken before."""
        assert self._list is not None
        completion = self._list.rows[index].completion
        end = self._cursor if self._completed is None else self._completed_end
        self._is_completing, self._completed = True, index
        self._box.replace_text(completion.start, end, completion.text)
        self._is_completing = False
        self._cursor = self._completed_end = completion.start + len(completion.text)
        self._list.mark(index)

    def _takes_tab(self, step: int) -> bool:
        """Take the way to go on that is marked; pressed again, the next one."""
        if self._list is None or self._list.isHidden():
            return False
        if self._completed is None and step < 0:
            self._close_list()
            return False
        rows = len(self._list.rows)
        self._complete(0 if self._completed is None else (self._completed + step) % rows)
        return True

    def _takes_key(self, event: QKeyEvent) -> bool:
        # Enter of the number block is an Enter; with Alt its digits write characters.
        is_plain, key = event.modifiers() & ~_KEYPAD == _NONE, event.key()
        if key == Qt.Key.Key_Escape:
            return self._dismiss()
        if is_plain and key in _STEPS:
            return self._move_choice(_STEPS[key])
        if is_plain and key in ENTER_KEYS:
            return self._take(self._strip.chosen)
        if key in ENTER_KEYS and event.modifiers() & ~_KEYPAD == _CTRL:
            return self._take(self._strip.chosen or 0)
        if event.modifiers() == _ALT and Qt.Key.Key_1 <= key <= Qt.Key.Key_9:
            return self._take(key - Qt.Key.Key_0)
        return False

    def _dismiss(self) -> bool:
        """Hide the list, then the strip until the next question; return whether one was there."""
        if self._list is not None and not self._list.isHidden():
            self._close_list()
            return True
        if self._strip.isHidden():
            return False
        self._is_dismissed = True
        self._stop()
        return True

    def _move_choice(self, step: int) -> bool:
        """Choose another reading, where the key does not move the cursor or recall a question."""
        is_inside = self._strip.chosen is not None
        if self._box.can_recall or not (is_inside or (step > 0 and self._box.is_in_last_line)):
            return False
        is_taken = self._strip.move_choice(step)
        self._close_list()
        self._box.setAccessibleDescription(self._strip.spoken)
        return is_taken

    def _take(self, index: int | None) -> bool:
        """Send the question with a reading's plan; return whether there is such a reading."""
        found = self._strip.readings.readings
        if index is None or self._strip.is_stale or index >= len(found):
            return False
        self.taken.emit(self._composer.text.strip(), found[index].plan)
        return True
