"""Text from outside is never markup: every text that Qt could read so goes through one door."""

import ast
from collections.abc import Iterator

import pytest

from tests.foundation.scratch import SOURCE

_UI = SOURCE / "qhub_desktop" / "ui"
_PLAIN = _UI / "controls" / "plain_text.py"
_LABELS = "controls/layouts.py"
_TRANSLATED = {"_", "gettext", "ngettext"}

# Methods that take a text in which Qt looks for markup, mnemonics or places, and their doors.
_GUESSING = {
    "setToolTip": "set_tooltip",
    "showText": "show_tooltip",
    "setStatusTip": "set_tooltip",
    "setWhatsThis": "set_tooltip",
    "setWindowTitle": "set_title",
    "setTextFormat": "make_label",
    "setInformativeText": "a box of plain text",
    "setLabelText": "a box of plain text",
    "setDetailedText": "a box of plain text",
    "addTab": "without_mnemonic",
    "setTabText": "without_mnemonic",
    "addAction": "add_action",
    "addMenu": "without_mnemonic",
    "addSection": "without_mnemonic",
    "insertHtml": "insertPlainText",
    "elidedText": "elided",  # of a painted line, where Qt would turn words around
}
# Fields and lists, where Qt would turn words around; what the person wrote stays as it is.
_FIELDS = {"QLineEdit", "QPlainTextEdit", "QTextEdit", "QTextBrowser", "QTableWidgetItem"}
_FIELDS |= {"QListWidgetItem", "QTreeWidgetItem"}
_FILLING = {"setTextValue", "setPlainText", "setCurrentText", "setEditText", "setItemText"}
_SHOWN = {"one_line", "visible", "elided", "number", "with_signs", "with_escapes"}
_OWN_WORDS = {
    "chat/composer.py": "what the person types",
    "chat/question.py": "what the person asked",
    "chat/find.py": "what the person looks for",
    "table/filters.py": "what the person filters by",
    "dashboards/dashboard_window.py": "a time of day",
    "settings/fields.py": "what the person or the administrator has set",
}
_LABELLED = {"QLabel": "make_label", "QStaticText": "QPainter.drawText"}
# Their text is a constant of ours, or set through `set_caption`.
_CAPTIONED = {"QPushButton", "QToolButton", "QCheckBox", "QRadioButton", "QAction", "QGroupBox"}
_BOXES = {"critical", "warning", "information", "question", "about"}
_NO_TEXTS = {"self", "parent", "owner", "window", "menu", "LeadingPosition"}

# Where HTML is meant, in which every text from outside is escaped (see tests/ui_shell).
MARKUP = {
    "charts/kpi_view.py": "a number and its unit in two sizes",
    "data_panel/dataset_card.py": "links to the import report",
    "importing/receipt.py": "tables, and links to cells",
}


def _is_constant(node: ast.expr) -> bool:
    """Whether a text stands in the code or in the catalogue, with nothing filled in."""
    match node:
        case ast.Constant():
            return True
        case ast.Call(func=ast.Name(id=name)) if name in _TRANSLATED:
            return True
        case ast.Call(
            func=ast.Attribute(value=ast.Call() as text, attr="format"), keywords=keywords
        ):
            return _is_constant(text) and all(_is_constant(each.value) for each in keywords)
    return False


def _is_text(node: ast.expr) -> bool:
    """Whether an argument may be a text, other than a widget, an icon or an action."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name not in _NO_TEXTS and not name.endswith("action")
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name not in {"icon", "_icon", "make_action", "viewport"}
    return not isinstance(node, ast.Constant) or isinstance(node.value, str)


def _closed_ways(code: str, file: str) -> Iterator[str]:
    """Yield each way to Qt, past the doors, of a text that is not a constant."""
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.Call):
            continue
        texts = [each for each in node.args if _is_text(each) and not _is_constant(each)]
        match node.func:
            case ast.Attribute(attr="setTextFormat") if file == _LABELS:
                pass
            case ast.Name(id="QLabel") if file == _LABELS:
                pass
            case ast.Attribute(attr=name) if name in _GUESSING and texts:
                if not (name == "setToolTip" and _is_door(texts[-1], {"tooltip"})):
                    yield f"{file}:{node.lineno}: {name}, not {_GUESSING[name]}"
            case ast.Name(id=name) if name in _LABELLED:
                yield f"{file}:{node.lineno}: {name}, not {_LABELLED[name]}"
            case ast.Name(id=name) if name in _CAPTIONED and texts:
                yield f"{file}:{node.lineno}: {name} with a text, not set_caption"
            case ast.Name(id="make_markup_label") if file not in MARKUP:
                yield f"{file}:{node.lineno}: make_markup_label"
            case ast.Attribute(value=ast.Name(id="QMessageBox"), attr=name) if name in _BOXES:
                yield f"{file}:{node.lineno}: QMessageBox.{name}, which guesses"
            case ast.Attribute(attr="setText", value=target) if texts and _is_button(target):
                yield f"{file}:{node.lineno}: setText of a button, not set_caption"
            case _ if file not in _OWN_WORDS and _fills_a_field(node):
                shown = [each for each in _texts_of(node) if not _is_door(each, _SHOWN)]
                if any(_is_text(each) and not _is_constant(each) for each in shown):
                    yield f"{file}:{node.lineno}: a field or a list, not one_line or visible"


def _fills_a_field(call: ast.Call) -> bool:
    match call.func:
        case ast.Name(id=name):
            return name in _FIELDS
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))):
            return False  # whoever calls the method is looked at
        case ast.Attribute(attr="setText", value=target):
            return ast.unparse(target).endswith(("edit", "field"))
        case ast.Attribute(attr="addItem"):
            return len(call.args) == 2  # of a list to choose from: a text, and what it stands for
        case ast.Attribute(attr=name):
            return name in _FILLING
    return False


def _texts_of(call: ast.Call) -> list[ast.expr]:
    given = call.args[:1] if ast.unparse(call.func).endswith("addItem") else call.args
    lists = [each.elts if isinstance(each, ast.List) else [each] for each in given]
    return [text for each in lists for text in each]


def _is_button(target: ast.expr) -> bool:
    """Whether a text is set of what is called a button, an action or a box to tick."""
    name = ast.unparse(target).rpartition(".")[2]
    return name.endswith(("button", "action", "chip", "check", "tick", "link"))


def _is_door(node: ast.expr, doors: set[str]) -> bool:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name in doors
        case ast.IfExp(body=body, orelse=rest):
            return _is_door(body, doors) and (_is_door(rest, doors) or _is_constant(rest))
    return False


def _unguarded_tooltips(code: str, file: str) -> Iterator[str]:
    """Yield what models return as a tool tip without `tooltip`."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.If(test=test, body=body) if "ToolTipRole" in ast.unparse(test):
                pass
            case ast.match_case(pattern=pattern, body=body) if "ToolTipRole" in ast.unparse(
                pattern
            ):
                pass
            case _:
                continue
        for statement in body:
            if isinstance(statement, ast.Return) and statement.value is not None:
                value = statement.value
                if not (_is_door(value, {"tooltip"}) or _is_constant(value)):
                    yield f"{file}:{statement.lineno}: a tool tip of a model, not tooltip"


def test_every_text_from_outside_goes_through_a_door() -> None:
    found = [
        way
        for module in sorted(_UI.rglob("*.py"))
        if module != _PLAIN
        for check in (_closed_ways, _unguarded_tooltips)
        for way in check(module.read_text(encoding="utf-8"), module.relative_to(_UI).as_posix())
    ]

    assert found == []


def test_no_message_box_outside_the_window_guesses_either() -> None:
    application = (SOURCE / "qhub_desktop" / "app.py").read_text(encoding="utf-8")

    boxes = [way for way in _closed_ways(application, "app.py") if "QMessageBox" in way]
    assert boxes == []


@pytest.mark.parametrize(
    "line",
    [
        "self.setToolTip(name)",
        'chip.setToolTip(f"{name} rows")',
        'box.setToolTip(_("Open {name}").format(name=name))',
        "item.setToolTip(0, name)",
        "QToolTip.showText(place, name, self)",
        "label = QLabel(name)",
        "label = QLabel()",
        "label.setTextFormat(kind)",
        "button = QPushButton(name)",
        "box = QCheckBox(name, self)",
        "action = QAction(name, self)",
        "menu.addAction(name)",
        "menu.addAction(icon(sign), name)",
        "menu.addMenu(name)",
        "self.setWindowTitle(name)",
        "tabs.addTab(page, name)",
        "QMessageBox.critical(None, name, name)",
        "self.more_button.setText(name)",
        "label = make_markup_label(name)",
        "field = QLineEdit(card.title)",
        "self.name_edit.setText(name)",
        "dialog.setTextValue(name)",
        "view.setPlainText(cut(name))",
        "box.addItem(name, number)",
        "item = QListWidgetItem(icon(sign), name)",
        "item = QTreeWidgetItem([one_line(name), name])",
        "if role == ToolTipRole:\n    return name",
        "match role:\n    case Role.ToolTipRole:\n        return name if name else None",
    ],
)
def test_the_check_finds_every_other_way(line: str) -> None:
    assert [*_closed_ways(line, "x.py"), *_unguarded_tooltips(line, "x.py")] != []


@pytest.mark.parametrize(
    "line",
    [
        'self.setToolTip(_("Close"))',
        'self.setToolTip(_("Close ({key})").format(key="Esc"))',
        "set_tooltip(self, name)",
        "item.setToolTip(0, tooltip(name))",
        "menu.addAction(action)",
        'button = QPushButton(_("Close"))',
        "box = QCheckBox()",
        "field = QLineEdit()",
        "self.name_edit.setText(one_line(name))",
        "view.setPlainText(visible(cut(name)))",
        "layout.addItem(item)",
        "box.addItem(one_line(name), name)",
        "item = QTreeWidgetItem([one_line(name), number(3)])",
        "if role == ToolTipRole:\n    return tooltip(name) if name else None",
    ],
)
def test_the_check_lets_constants_and_doors_pass(line: str) -> None:
    assert [*_closed_ways(line, "x.py"), *_unguarded_tooltips(line, "x.py")] == []


@pytest.mark.parametrize("file", MARKUP)
def test_html_is_allowed_only_where_it_is_made_and_escaped(file: str) -> None:
    code = (_UI / file).read_text(encoding="utf-8")

    assert "make_markup_label(" in code
    assert "escape(" in code
