"""Dialogs of a document: what is known of it, with its collection, and its password."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import date
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QComboBox, QWidget
from shiboken6 import isValid
from typing_extensions import override

from qhub_desktop.core.documents import Document, DocumentFacts
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.forms import FormDialog, caption, set_editor_name, text_field
from qhub_desktop.ui.controls.layouts import add_to
from qhub_desktop.ui.controls.plain_text import entered, one_line
from qhub_desktop.ui.tasks import Tasks

if TYPE_CHECKING:
    from qhub_desktop.tools.document_service import DocumentService

LONGEST_FACT = 80


class FactsDialog(FormDialog):
    """Asks for what a document says of itself, where it was read wrongly or not found.

    Signals:
        saved: the document was changed.
    """

    saved = Signal()

    def __init__(
        self,
        document: Document,
        documents: DocumentService,
        *,
        tasks: Tasks,
        owner: QWidget | None,
    ) -> None:
        super().__init__(
            owner,
            document.name,
            subtitle=_(
                "As found on the first page. A newer revision of a code replaces the older."
            ),
            size=QSize(420, 430),
            done=_("Save"),
            tasks=tasks,
        )
        self._document = document
        self._service = documents
        facts = document.facts
        self.code = text_field(most=LONGEST_FACT)
        self.revision = text_field(most=LONGEST_FACT)
        self.issued = text_field(placeholder=_("dd/mm/yyyy"), most=LONGEST_FACT)
        self.customer = text_field(most=LONGEST_FACT)
        self.collection = QComboBox()
        self.collection.setEditable(True)
        set_editor_name(self.collection, _("Collection"))
        self._shown_date = _shown(facts.issued)
        for field, words, value in (
            (self.code, _("Code"), facts.code),
            (self.revision, _("Revision"), facts.revision),
            (self.issued, _("Date"), self._shown_date),
            (self.customer, _("Customer"), facts.customer),
        ):
            field.setText(one_line(value, limit=LONGEST_FACT))
            add_to(self.column, caption(field, words), field)
        self.collection.setEditText(one_line(document.collection))
        add_to(self.column, caption(self.collection, _("Collection")), self.collection)
        self._end_form()
        self._work.start(self._load_collections())
        self.code.setFocus()

    async def _load_collections(self) -> None:
        names = [each.name for each in await self._service.collections()]
        written = self.collection.currentText()
        self.collection.addItems([one_line(name) for name in names if name])
        self.collection.setEditText(one_line(written))

    @override
    def _on_submitted(self) -> None:
        before = self._document.facts
        typed = self.issued.text().strip()
        try:
            issued = before.issued if typed == self._shown_date else _iso(typed)
        except ValueError:
            self.problem.tell_error(
                UserError(_("Write the date as in 31/12/2026, or leave it out."))
            )
            return
        facts = DocumentFacts(
            entered(self.code.text(), before.code, limit=LONGEST_FACT),
            entered(self.revision.text(), before.revision, limit=LONGEST_FACT),
            issued,
            entered(self.customer.text(), before.customer, limit=LONGEST_FACT),
        )
        self._keep(self._save(facts, self.collection.currentText().strip()))

    async def _save(self, facts: DocumentFacts, collection: str) -> None:
        await self._service.edit(self._document.id, facts=facts, collection=collection)
        if isValid(self):
            self.saved.emit()
            self.close()


class DocumentPasswordDialog(FormDialog):
    """Asks for the password of a document, which is then read again."""

    def __init__(
        self,
        document: Document,
        read: Callable[[str], Coroutine[Any, Any, object]],
        *,
        tasks: Tasks,
        owner: QWidget | None,
    ) -> None:
        """`read` reads the document by a password."""
        super().__init__(
            owner,
            document.name,
            subtitle=_("Its password opens it as long as the program runs, and is kept nowhere."),
            size=QSize(420, 230),
            done=_("Read it again"),
            tasks=tasks,
        )
        self._read = read
        self.password = text_field(is_secret=True)
        add_to(self.column, caption(self.password, _("Password")), self.password)
        self._end_form()
        self.password.setFocus()

    @override
    def _on_submitted(self) -> None:
        if word := self.password.text():
            self._keep(self._open(word))

    async def _open(self, word: str) -> None:
        await self._read(word)
        if isValid(self):
            self.close()


def _shown(issued: str) -> str:
    """Return a date as people write it, or what else stands there."""
    try:
        return f"{date.fromisoformat(issued):%d/%m/%Y}"
    except ValueError:
        return issued


def _iso(typed: str) -> str:
    """Return a typed date in ISO form, "" for none. Raises ValueError."""
    if not typed:
        return ""
    if "/" not in typed:
        return date.fromisoformat(typed).isoformat()
    day, month, year = map(int, typed.split("/"))
    return date(year, month, day).isoformat()
