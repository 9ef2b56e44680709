"""What a screen reader meets in a window: a walk over Qt's accessibility tree."""

from collections.abc import Iterator
from typing import cast

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAbstractScrollArea, QLabel, QWidget

Role = QAccessible.Role

CONTROLS = {
    *(Role.Button, Role.CheckBox, Role.RadioButton, Role.ComboBox, Role.EditableText),
    *(Role.SpinBox, Role.Slider, Role.List, Role.Table, Role.Tree, Role.MenuItem, Role.Link),
    *(Role.PageTab, Role.Graphic, Role.Canvas, Role.Chart, Role.ProgressBar),
}
# What Qt makes inside of its own widgets, and names by itself or leaves to the whole.
_PARTS = {"qt_spinbox_lineedit", "qt_scrollarea_viewport", "qt_toolbar_ext_button"}
_FRAMES = {"ArtifactStage"}  # around a page, which has a tree of its own
# Rows of a table are read by their model, thousands of them: a few of each are enough.
MOST_CHILDREN = 30
ORNAMENT_PX = 48


def unnamed_controls(window: QWidget) -> list[str]:
    """List what can have the focus, or is a picture, and has no name; or no sensible role."""
    return sorted(set(_unnamed(QAccessible.queryAccessibleInterface(window), "")))


def _unnamed(node: QAccessibleInterface, path: str) -> Iterator[str]:
    state, role = node.state(), node.role()
    widget = cast("QObject | None", node.object())  # the stubs leave None out
    if state.invisible and path:  # closed pages, hidden bars
        return
    kind = type(widget).__name__ if widget is not None else ""
    here = f"{path}/{kind or role.name}"
    name = node.text(QAccessible.Text.Name).strip()
    is_part = widget is not None and (widget.objectName() in _PARTS or _is_viewport(widget))
    is_focusable = bool(state.focusable) and isinstance(widget, QWidget) and path != ""
    if isinstance(widget, QLabel) and not widget.text() and _is_ornament(widget):
        return
    if not name and not is_part and (role in CONTROLS or is_focusable):
        yield f"{here}: {role.name} without a name"
    # A named area that scrolls is a client: Qt has no better role for it.
    is_area = (isinstance(widget, QAbstractScrollArea) or kind in _FRAMES) and bool(name)
    if is_focusable and role in {Role.Client, Role.NoRole} and not (is_part or is_area):
        yield f"{here}: can have the focus, but is {role.name}"
    for place in range(min(node.childCount(), MOST_CHILDREN)):
        child = cast("QAccessibleInterface | None", node.child(place))
        if child is not None and child.isValid():
            yield from _unnamed(child, here)


def _is_viewport(widget: QObject) -> bool:
    around = widget.parent()
    return isinstance(around, QAbstractScrollArea) and around.viewport() is widget


def _is_ornament(label: QLabel) -> bool:
    """Whether a label is empty, or a sign beside its words, which say the same."""
    return label.pixmap().deviceIndependentSize().height() <= ORNAMENT_PX
