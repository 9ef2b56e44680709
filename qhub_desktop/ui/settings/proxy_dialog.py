"""Dialog that asks who signs in to the proxy on the way to the service."""

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QLineEdit, QWidget
from shiboken6 import isValid

from qhub_desktop.core.errors import QHubError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.ui.controls.buttons import TextButton, reveal_button
from qhub_desktop.ui.controls.layouts import make_label, row_layout
from qhub_desktop.ui.controls.popup import DetailWindow
from qhub_desktop.ui.services import Network
from qhub_desktop.ui.tasks import Tasks, cancel_with
from qhub_desktop.ui.theme import GRID_PX


class ProxyDialog(DetailWindow):
    """Asks for the name and the password, which go to the key store.

    Signals:
        kept: they are there; what was asked can be asked again.
    """

    kept = Signal()

    def __init__(self, network: Network, *, tasks: Tasks, owner: QWidget | None) -> None:
        super().__init__(
            owner,
            _("Sign in to the proxy"),
            subtitle=_("They are kept in the key store, and sent to the proxy alone."),
            size=QSize(440, 340),
        )
        self._network = network
        self._tasks = tasks
        self.sentence = make_label(is_wrapped=True)
        self.user = QLineEdit()
        self.password = QLineEdit()
        self.password.setEchoMode(QLineEdit.EchoMode.Password)
        self.problem = make_label(role="bad", is_wrapped=True)
        self.problem.hide()
        self.save_button = TextButton(_("Keep, and ask again"), kind="primary")
        self.save_button.clicked.connect(self._on_submitted)
        cancel = TextButton(_("Cancel"))
        cancel.setAutoDefault(False)
        cancel.clicked.connect(self.close)
        self.column.addWidget(self.sentence)
        for field, name in ((self.user, _("Name")), (self.password, _("Password"))):
            field.setAccessibleName(name)
            field.setAcceptDrops(False)
            label = make_label(name, role="small")
            label.setBuddy(field)
            self.column.addWidget(label)
            line = row_layout(spacing=4)
            line.addWidget(field, 1)
            if field is self.password:
                line.addWidget(reveal_button(field))
            self.column.addLayout(line)
        self.column.addWidget(self.problem)
        self.column.addStretch(1)
        foot = row_layout(spacing=GRID_PX)
        foot.addStretch(1)
        foot.addWidget(cancel)
        foot.addWidget(self.save_button)
        self.column.addLayout(foot)
        self.save_button.setDefault(True)  # it must be in the dialog by now
        self.user.setFocus()
        cancel_with(self, tasks.start(self._load(), on_error=self._on_error))

    async def _load(self) -> None:
        proxy, has_login = await self._network.proxy()
        if not isValid(self):
            return
        said = _("The proxy {proxy} wants a name and a password.")
        if has_login:
            said = _("The proxy {proxy} does not take this name and password.")
        self.sentence.setText(said.format(proxy=proxy.shown))

    def _on_submitted(self) -> None:
        name = self.user.text().strip()
        empty = self.user if not name else self.password if not self.password.text() else None
        if empty is not None:  # as when Enter follows the name
            empty.setFocus()
            return
        self.save_button.setEnabled(False)
        self.problem.hide()
        # Not ended with the dialog: what has begun is kept whole.
        self._tasks.start(self._save(name, self.password.text()), on_error=self._on_error)

    async def _save(self, user: str, password: str) -> None:
        await self._network.save_login(user, password)
        if isValid(self):
            self.kept.emit()
            self.close()

    def _on_error(self, error: QHubError) -> None:
        if isValid(self):
            self.problem.setText(str(error))
            self.problem.show()
            self.save_button.setEnabled(True)
