"""Window loop: runs the window until it is closed for good, and makes it anew after a restore."""

from __future__ import annotations  # the window and its parts are imported when they are needed

import asyncio
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from qhub_desktop.core import crash, text
from qhub_desktop.core.errors import DamagedStoreError, UserError
from qhub_desktop.core.paths import home
from qhub_desktop.core.person import reading_notice

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from qhub_desktop.core.crash import CrashReporter
    from qhub_desktop.core.person import Person
    from qhub_desktop.core.settings import Settings
    from qhub_desktop.people.accounts import Accounts, Sessions
    from qhub_desktop.store import Store
    from qhub_desktop.store.recovery import Restored
    from qhub_desktop.tools.first_run import FirstRun
    from qhub_desktop.ui.appearance import Appearance
    from qhub_desktop.ui.people.session import Session
    from qhub_desktop.ui.services import AppServices
    from qhub_desktop.ui.shell.main_window import MainWindow
    from qhub_desktop.ui.shell.recovery import Wanted
    from qhub_desktop.ui.shell.single_instance import SingleInstance


class WindowProgram(Protocol):
    """The program behind one window, until it is closed."""

    store: Store
    trouble: UserError | None
    needs_sign_in: bool
    person: Person | None
    wanted_restore: Wanted | None
    on_restore_wanted: Callable[[], object]

    @property
    def settings(self) -> Settings:
        """Current settings."""
        ...

    @property
    def accounts(self) -> Accounts:
        """The way in for people with an account."""
        ...

    @property
    def sessions(self) -> Sessions:
        """Sessions kept on this computer."""
        ...

    def enter(self, person: Person) -> None:
        """Let this person use the program. Blocks."""
        ...

    def services(self) -> AppServices:
        """Return the services of the window."""
        ...

    def begin_update(self) -> bool:
        """Begin the installation of an update that waits; return whether to end for it."""
        ...

    async def hide_stored_secrets(self) -> None:
        """Take out of the database what an earlier version let in."""
        ...

    async def warm(self) -> None:
        """Load ahead of the next question."""
        ...

    async def close(self) -> None:
        """Close everything."""
        ...


def run_application(
    open_program: Callable[[], WindowProgram | DamagedStoreError],
    *,
    first_run: Callable[[], FirstRun | None],
    crash_reports: Callable[[], CrashReporter],
    show_error: Callable[[UserError], object],
) -> int:
    """Run Qt and its loop with one window after another; return the exit code.

    What `first_run` returns is asked before the program is opened, which would make its data
    folder.
    """
    import qasync
    from PySide6.QtWidgets import QApplication

    leave_sources_unread()
    from qhub_desktop.ui.desktop import identify
    from qhub_desktop.ui.shell.single_instance import SingleInstance, files_among

    application = QApplication(sys.argv)
    identify(application)
    # Closing a last open dialog must not end the loop under a running coroutine.
    application.setQuitOnLastWindowClosed(False)
    with ExitStack() as stack:
        try:
            crashes = stack.enter_context(crash_reports())
            files = files_among(application.arguments()[1:])
            instance = stack.enter_context(closing(SingleInstance(home())))
            if not instance.is_first and instance.hand_over(files):
                return 0
            asked = first_run()
            program = None if asked else open_program()
            # A file that was opened with the program is not lost to an installation.
            if (
                program is not None
                and not isinstance(program, DamagedStoreError)
                and instance.is_first
                and not files
                and program.begin_update()
            ):
                asyncio.run(program.close())
                return 0
        except UserError as error:
            show_error(error)
            return 1
        with qasync.QEventLoop(application) as loop:
            crash.watch(loop)
            asyncio.set_event_loop(loop)
            loop.run_until_complete(
                run_windows(
                    program,
                    asked=asked,
                    open_program=open_program,
                    application=application,
                    crashes=crashes,
                    instance=instance,
                    files=files,
                )
            )
    return 0


def leave_sources_unread() -> None:
    """Keep PySide from reading the source of each module that is imported after it.

    It looks there for who may want its features (names in snake case, properties), which nothing
    here does; for 600 modules that took 0.1 s and kept all their lines (PYSIDE-2029).
    """
    with suppress(ImportError):  # another version may have it elsewhere
        feature: Any = import_module("shibokensupport.feature")
        feature._mod_uses_pyside = lambda _module: False  # noqa: SLF001  there is no public switch


async def run_windows(
    program: WindowProgram | DamagedStoreError | None,
    *,
    asked: FirstRun | None,
    open_program: Callable[[], WindowProgram | DamagedStoreError],
    application: QApplication,
    crashes: CrashReporter,
    instance: SingleInstance,
    files: list[Path],
) -> None:
    """Run the window, and another one after each restore, until one is closed for good.

    Where the data do not open, their repair is offered instead of a window. Where people sign in,
    it is one person's window after another's. Without a program yet, `asked` comes first.
    """
    shown = ShownWindow()
    loop = asyncio.get_running_loop()
    # The crash hook is called on the thread that crashed.
    crashes.listen(lambda report: loop.call_soon_threadsafe(shown.show_crash, report))
    # Slots are called by Qt, outside every coroutine.
    application.commitDataRequest.connect(lambda _session: shown.close_now())
    restored: Restored | UserError | None = None
    person: Person | None = None
    if asked is not None:
        name = await _answered(asked, application, instance, files)
        if name is None:
            return
        program = open_program()
        if name and not isinstance(program, DamagedStoreError):
            person = await program.store.people.find(name)
    assert program is not None
    while True:
        if isinstance(program, DamagedStoreError):
            from qhub_desktop.ui.shell.recovery import offer_repair

            restored = await offer_repair(program)
            if restored is None:
                return
        else:
            if not await _entered(program, person, application):
                return
            session = await run_one(program, application, shown, instance, files, restored)
            person, files = None, []
            if (wanted := program.wanted_restore) is not None:
                from qhub_desktop.ui.shell.recovery import restore_alone

                actor = program.person
                by = actor.name if actor is not None and actor.is_admin else None
                restored = await restore_alone(program.store.path, wanted, by=by)
            elif session is not None and session.is_over:
                restored, person = None, session.successor
            else:
                return
        program = open_program()


async def _answered(
    asked: FirstRun, application: QApplication, instance: SingleInstance, files: list[Path]
) -> str | None:
    """Ask how to begin; return the administrator's name, None if the person leaves.

    The files of a later start are taken over.
    """
    from qhub_desktop.ui.people.first_run import FirstRunWindow

    with _styled(application, asked.settings) as appearance:
        window = FirstRunWindow(asked, set_language=appearance.set_language)

        def receive(later: list[Path]) -> bool:
            files.extend(later)
            window.raise_()
            window.activateWindow()
            return True

        instance.listen(receive)
        try:
            return await window.until_begun()
        finally:
            instance.listen(lambda _later: False)
            await asked.close()


@contextmanager
def _styled(application: QApplication, settings: Settings) -> Iterator[Appearance]:
    """Show what comes before the main window as it will look, in the language that is chosen."""
    from qhub_desktop.ui.appearance import Appearance
    from qhub_desktop.ui.gui_thread import GcGuard

    collector = GcGuard()
    appearance = Appearance(application, settings)
    appearance.set_language(settings.language)
    try:
        yield appearance
    finally:
        appearance.close()
        collector.close()


async def _entered(
    program: WindowProgram, person: Person | None, application: QApplication
) -> bool:
    """Let this person use the program, or whoever signs in; return whether somebody does."""
    if not program.needs_sign_in:
        return True
    if person is None:
        from qhub_desktop.ui.people.session import sign_in_at_start

        with _styled(application, program.settings):
            person = await sign_in_at_start(
                program.accounts,
                program.sessions,
                program.store.people,
                station=program.settings.station,
                notice=reading_notice() if program.settings.is_audited_reading else "",
            )
    if person is None:
        await program.close()
        return False
    program.enter(person)
    return True


class ShownWindow:
    """The window that there is now: a restore makes another."""

    def __init__(self) -> None:
        self.window: MainWindow | None = None

    def show_crash(self, report: Path) -> None:
        """Tell of a crash report."""
        if self.window is not None:
            _show_crash(report, self.window)

    def close_now(self) -> None:
        """Close it, for the person is being logged off."""
        if self.window is not None:
            self.window.close_now()

    def receive(self, files: list[Path]) -> bool:
        """Take over the files of a later start; return whether they were."""
        if self.window is None or self.window.is_closing:
            return False
        self.window.bring_to_front()
        self.window.controller.files.import_files(files)
        return True


def _show_crash(report: Path, window: MainWindow) -> None:
    sentence = text.gettext(
        "Something went wrong inside the program; what is stored is safe. The report {file}, which"
        " holds no data, helps whoever maintains it: it is in {folder}."
    )
    window.controller.show_error(UserError(sentence.format(file=report.name, folder=report.parent)))


async def run_one(
    program: WindowProgram,
    application: QApplication,
    shown: ShownWindow,
    instance: SingleInstance,
    files: list[Path],
    restored: Restored | UserError | None,
) -> Session | None:
    """Run one window until it is closed, and close its program; return the session it had."""
    from qhub_desktop.ui.appearance import Appearance
    from qhub_desktop.ui.gui_thread import GcGuard, until_loaded
    from qhub_desktop.ui.shell.main_window import MainWindow

    collector = GcGuard()
    appearance = Appearance(application, program.settings)
    window = MainWindow(program.services(), appearance)
    gone = asyncio.ensure_future(window.until_closed())
    program.on_restore_wanted = window.close
    shown.window = window
    await window.open()
    until_loaded()
    instance.listen(shown.receive)
    if files:
        window.controller.files.import_files(files)
    if program.trouble is not None:
        window.controller.show_error(program.trouble)
    if restored is not None:
        window.controller.tell_restored(restored)
    cleaning = asyncio.ensure_future(program.hide_stored_secrets())
    window.tasks.start(window.controller.keep_safe())
    await program.warm()
    await gone
    cleaning.cancel()
    with suppress(asyncio.CancelledError):
        await cleaning
    await program.close()
    collector.close()
    shown.window = None
    appearance.close()
    window.deleteLater()
    return window.session
