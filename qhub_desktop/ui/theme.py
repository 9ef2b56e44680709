"""Theme: colours, sizes, fonts and the style sheet generated from them."""

# Why it is so: decisions/window.md

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from types import MethodType
from typing import cast
from weakref import WeakMethod

import shiboken6
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QWidget

from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.values import dataclass

SHEET = """
QMainWindow, QDialog {{ background: {page}; }}
QToolTip {{
    color: {text}; background: {card}; border: 1px solid {line}; padding: 4px 8px;
}}

QLabel {{ background: transparent; }}
QLabel[role="title"] {{ font-size: {title}; font-weight: 600; }}
QLabel[role="heading"] {{ font-size: {heading}; font-weight: 600; }}
QLabel[role="quiet"] {{ color: {quiet}; }}
QLabel[role="small"] {{ color: {quiet}; font-size: {small}; }}
QLabel[role="accent"] {{ color: {accent}; }}
QLabel[role="good"] {{ color: {good}; }}
QLabel[role="warn"] {{ color: {warn}; }}
QLabel[role="bad"] {{ color: {bad}; }}

QFrame[kind="card"], QFrame[card="true"] {{
    background: {card}; border: 1px solid {line}; border-radius: {card_radius};
}}
QFrame[kind="panel"] {{ background: {panel}; border: none; }}
QFrame[kind="popover"] {{
    background: {card}; border: 1px solid {line}; border-radius: {card_radius};
}}
QFrame[kind="banner"] {{
    background: {bad_tint}; border: none; border-bottom: 1px solid {bad};
}}
QFrame[kind="note"] {{
    background: {accent_tint}; border: none; border-bottom: 1px solid {line};
}}
QFrame[kind="offer"] {{
    background: {accent_tint}; border: none; border-radius: {radius};
}}
QFrame[kind="chip"] {{
    background: {panel}; border: 1px solid {line}; border-radius: {radius};
}}
QFrame[kind="line"] {{ background: {line}; border: none; }}

QPushButton {{
    color: {text}; background: {card}; border: 1px solid {rim}; border-radius: {radius};
    padding: 0 14px; min-height: {inner};
}}
QPushButton:hover {{ background: {hover}; }}
QPushButton:pressed {{ background: {down}; }}
QPushButton:disabled {{ color: {disabled}; border-color: {line}; background: {panel}; }}
QPushButton:focus {{
    border: 2px solid {accent}; padding: 0 13px; min-height: {inner}; outline: none;
}}
QPushButton[kind="primary"] {{
    color: {on_accent}; background: {accent}; border: 1px solid {accent}; font-weight: 600;
}}
QPushButton[kind="primary"]:hover {{ background: {accent_hover}; border-color: {accent_hover}; }}
QPushButton[kind="primary"]:pressed {{ background: {accent_down}; border-color: {accent_down}; }}
QPushButton[kind="primary"]:focus {{ border: 2px solid {text}; padding: 0 13px; }}
QPushButton[kind="primary"]:disabled {{
    color: {disabled}; background: {hover}; border-color: {hover};
}}
QPushButton[kind="danger"] {{ color: {bad}; }}
QPushButton[kind="danger"]:disabled {{ color: {disabled}; }}
QPushButton[kind="pad"], QPushButton[kind="pad"]:focus {{ min-height: 54px; font-size: {heading}; }}
QPushButton[kind="flat"] {{
    background: transparent; border: 1px solid transparent; padding: 0 8px;
}}
QPushButton[kind="flat"]:hover {{ background: {hover}; }}
QPushButton[kind="flat"]:pressed {{ background: {down}; }}
QPushButton[kind="flat"]:checked {{ background: {chosen}; }}
QPushButton[kind="flat"]:focus {{ border: 2px solid {accent}; padding: 0 7px; }}
QPushButton[kind="tab"] {{
    background: transparent; border: 1px solid transparent; padding: 0 10px; color: {quiet};
    font-weight: 600;
}}
QPushButton[kind="tab"]:hover {{ background: {hover}; }}
QPushButton[kind="tab"]:checked {{ background: {chosen}; color: {text}; }}
QPushButton[kind="tab"]:focus {{ border: 2px solid {accent}; padding: 0 9px; }}
QPushButton[kind="link"] {{
    color: {accent}; background: transparent; border: 1px solid transparent; padding: 0 4px;
    text-align: left;
}}
QPushButton[kind="link"]:hover {{ text-decoration: underline; }}
QPushButton[kind="link"]:focus {{ border: 2px solid {accent}; padding: 0 3px; }}
QPushButton[kind="pill"] {{
    color: {text}; background: {card}; border: 1px solid {line}; border-radius: {pill_radius};
    padding: 0 14px; min-height: {pill_inner}; max-height: {pill_inner}; font-size: {small};
}}
QPushButton[kind="pill"]:hover {{ background: {hover}; }}
QPushButton[kind="pill"]:focus {{ border: 2px solid {accent}; padding: 0 13px; }}
QPushButton[kind="part"] {{ font-size: {small}; }}
QPushButton[kind="tile"] {{
    background: {card}; border: 1px solid {line}; border-radius: {card_radius};
    padding: 0 16px; text-align: left; min-height: {inner};
}}
QPushButton[kind="tile"]:hover {{ border-color: {accent}; background: {accent_tint}; }}
QPushButton[kind="tile"][checkable="true"]:hover:!checked {{
    border-color: {edge}; background: {card};
}}
QPushButton[kind="tile"]:focus {{ border: 2px solid {accent}; padding: 0 15px; }}
QPushButton[kind="tile"]:checked {{
    border: 2px solid {accent}; padding: 0 15px; background: {accent_tint};
}}
QPushButton[kind="choice"] {{ border-radius: {card_radius}; padding: 0; text-align: left; }}
QPushButton[kind="choice"]:hover {{ border-color: {accent}; background: {accent_tint}; }}
QPushButton[kind="choice"]:checked {{ border: 2px solid {accent}; background: {accent_tint}; }}
QPushButton[kind="choice"]:focus {{ border: 2px solid {text}; padding: 0; }}
QPushButton[kind="icon"], QToolButton, QToolButton[kind="icon"] {{
    background: transparent; border: 1px solid transparent; border-radius: {radius};
    padding: 0; min-width: {inner}; min-height: {inner};
}}
QPushButton[kind="icon"]:hover, QToolButton:hover {{ background: {hover}; }}
QPushButton[kind="icon"]:pressed, QToolButton:pressed {{ background: {down}; }}
QPushButton[kind="icon"]:checked, QToolButton:checked {{ background: {chosen}; }}
QPushButton[kind="icon"]:focus, QToolButton:focus {{ border: 2px solid {accent}; padding: 0; }}
QLineEdit QToolButton {{
    background: transparent; border: none; min-width: 0; min-height: 0; padding: 0;
}}
QToolButton::menu-indicator {{ image: none; width: 0; }}

QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDoubleSpinBox, QComboBox {{
    color: {text}; background: {card}; border: 1px solid {edge}; border-radius: {radius};
    selection-background-color: {accent}; selection-color: {on_accent};
}}
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox {{ padding: 0 9px; min-height: {inner}; }}
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus,
QComboBox:focus {{ border: 2px solid {accent}; }}
QLineEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus {{ padding: 0 8px; }}
QLineEdit:disabled, QComboBox:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled {{
    color: {disabled}; background: {panel}; border-color: {line};
}}
QLineEdit[state="bad"], QSpinBox[state="bad"], QDoubleSpinBox[state="bad"],
QComboBox[state="bad"] {{
    border: 2px solid {bad}; padding: 0 8px;
}}
QComboBox::drop-down {{ border: none; width: 28px; }}
QComboBox::down-arrow {{
    image: url("{icons}/chevron-down-{tone}.svg"); width: 16px; height: 16px;
}}
QComboBox QAbstractItemView {{
    color: {text}; background: {card}; border: 1px solid {line}; padding: 4px; outline: none;
    selection-background-color: {chosen}; selection-color: {text};
}}
QComboBox QAbstractItemView::item {{ min-height: {inner}; padding: 0 6px; }}
QCheckBox {{ spacing: 8px; min-height: {inner}; }}
QCheckBox::indicator {{
    width: {tick}; height: {tick}; border: 1px solid {edge}; border-radius: 4px;
    background: {card};
}}
QCheckBox::indicator:hover {{ border-color: {accent}; }}
QCheckBox::indicator:checked {{
    background: {accent}; border-color: {accent}; image: url("{icons}/check-{tone}.svg");
}}
QCheckBox:focus {{ outline: none; }}
QCheckBox::indicator:focus {{ border: 2px solid {accent}; }}
QCheckBox::indicator:checked:focus {{ border: 2px solid {text}; }}

QWidget[kind="roomy"] QLineEdit, QWidget[kind="roomy"] QPushButton,
QWidget[kind="roomy"] QToolButton[kind="icon"] {{
    min-height: {roomy};
}}
QWidget[kind="roomy"] QLineEdit:focus, QWidget[kind="roomy"] QPushButton:focus,
QWidget[kind="roomy"] QPushButton:checked {{
    min-height: {roomy_inside};
}}

QTreeView[kind="choices"] {{ background: transparent; border: none; }}
QTreeView[kind="choices"]::item {{
    color: {text}; min-height: 28px; border: none; padding: 0 5px;
}}
QTreeView[kind="choices"]::item:hover {{ background: {hover}; }}
QTreeView[kind="choices"]::item:selected {{ background: {chosen}; color: {text}; }}
QTreeView[kind="choices"]::indicator {{
    width: {tick}; height: {tick}; border: 1px solid {edge}; border-radius: 4px;
    background: {card};
}}
QTreeView[kind="choices"]::indicator:checked {{
    background: {accent}; border-color: {accent}; image: url("{icons}/check-{tone}.svg");
}}
QTreeView[kind="choices"]::indicator:indeterminate {{
    background: {accent}; border-color: {accent}; image: url("{icons}/dash-{tone}.svg");
}}

QMenu {{
    color: {text}; background: {card}; border: 1px solid {line}; padding: 4px;
}}
QMenu::item {{ padding: 7px 28px 7px 12px; border-radius: 4px; background: transparent; }}
QMenu[kind="choices"]::item {{ padding: {choice_pad} 28px {choice_pad} 12px; }}
QMenu::item:selected {{ background: {hover}; color: {text}; }}
QMenu::item:disabled {{ color: {disabled}; }}
QMenu::icon {{ padding-left: 8px; }}
QMenu::separator {{ height: 1px; background: {line}; margin: 4px 8px; }}

QAbstractScrollArea {{ border: none; }}
QPlainTextEdit[kind="field"] {{ border: 1px solid {edge}; padding: 4px; }}
QPlainTextEdit[kind="field"]:focus {{ border: 2px solid {accent}; padding: 3px; }}
QScrollArea {{ background: transparent; }}
QListView, QTreeView, QTableView {{ outline: none; }}
QTableView {{
    background: {card}; alternate-background-color: {panel}; gridline-color: {line};
    selection-background-color: {chosen}; selection-color: {text};
}}
QHeaderView::section {{
    color: {quiet}; background: {panel}; border: none; border-bottom: 1px solid {line};
    border-right: 1px solid {line}; padding: 5px 8px; font-weight: 600;
}}
QTableCornerButton::section {{ background: {panel}; border: none; }}
QScrollBar:vertical {{ background: transparent; width: 12px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 12px; margin: 0; }}
QScrollBar::handle {{ background: {grip}; border-radius: 3px; margin: 3px; }}
QScrollBar::handle:vertical {{ min-height: 32px; }}
QScrollBar::handle:horizontal {{ min-width: 32px; }}
QScrollBar::handle:hover {{ background: {grip_hover}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}

QListWidget[kind="choices"] {{ background: transparent; border: none; }}
QListWidget[kind="choices"]::item {{
    color: {text}; border-radius: {radius}; padding: 0 8px; min-height: {inner};
}}
QListWidget[kind="choices"]::item:hover {{ background: {hover}; }}
QListWidget[kind="choices"]::item:selected {{ background: {chosen}; color: {text}; }}
QListWidget[kind="sections"] {{
    background: {panel}; border: none; padding: 12px 8px; border-right: 1px solid {line};
}}
QListWidget[kind="sections"]::item {{
    color: {text}; border-radius: {radius}; padding: 0 8px; min-height: {inner}; margin: 1px 0;
}}
QListWidget[kind="sections"]::item:hover {{ background: {hover}; }}
QListWidget[kind="sections"]::item:selected {{ background: {chosen}; color: {text}; }}
QListWidget[kind="sections"]::item:focus {{ border: 2px solid {accent}; }}

QSplitter::handle {{ background: {line}; }}
QSplitter::handle:hover {{ background: {accent}; }}
QStatusBar {{
    color: {quiet}; background: {panel}; border-top: 1px solid {line}; font-size: {small};
}}
QStatusBar::item {{ border: none; }}
QStatusBar QLabel {{ color: {quiet}; font-size: {small}; }}
QProgressBar {{
    background: {hover}; border: none; border-radius: 2px; max-height: 4px; min-height: 4px;
}}
QProgressBar::chunk {{ background: {accent}; border-radius: 2px; }}
"""


GRID_PX = 8
RADIUS_PX = 6
CARD_RADIUS_PX = 10
TEXT_WIDTH_PX = 760
BODY_PT = 10.5
SMALL_PT = 9.0
TITLE_PT = 14.0
KPI_PT = 28.0
TARGET_PX = 32  # height of a control
OPERATOR_TARGET_PX = 44
OPERATOR_SCALE = 1.25


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours of one theme, as #RRGGBB."""

    is_dark: bool
    page: str
    panel: str
    card: str
    line: str
    text: str
    quiet: str
    accent: str
    good: str
    warn: str
    bad: str
    series: tuple[str, ...]

    @property
    def on_accent(self) -> str:
        """Colour of text and icons on the accent colour."""
        return "#FFFFFF" if not self.is_dark else "#0B1A22"

    @property
    def user_message(self) -> str:
        """Background of the user's messages."""
        return mix(self.page, self.accent, 0.12)

    @property
    def edge(self) -> str:
        """Border of text fields and check boxes."""
        return mix(self.card, self.text, 0.48)

    @property
    def hover(self) -> str:
        """Background of hovered items on the page or a panel."""
        return mix(self.panel, self.text, 0.07)

    @property
    def chosen(self) -> str:
        """Background of selected items on a panel."""
        return mix(self.panel, self.accent, 0.12)


LIGHT = Palette(
    is_dark=False,
    page="#FFFFFF",
    panel="#F5F6F8",
    card="#FFFFFF",
    line="#E2E5EA",
    text="#1B1D21",
    quiet="#5B6470",
    accent="#0B6E99",
    good="#1E7F4F",
    warn="#9A6700",
    bad="#C0362C",
    series=("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#F0E442", "#6B7280"),
)

DARK = Palette(
    is_dark=True,
    page="#1B1D21",
    panel="#23262B",
    card="#262A30",
    line="#373C44",
    text="#ECEEF1",
    quiet="#A3ABB7",
    accent="#4CB3DD",
    good="#4CC38A",
    warn="#E2B340",
    bad="#FF7A70",
    series=("#4C9FD0", "#F0BC52", "#3FC29B", "#EE8A4A", "#86CBF0", "#DDA0C4", "#F5EC7A", "#9BA3AF"),
)

Restyle = Callable[[], None]


class Theme:
    """Palette in use, and the registered restyle methods of widgets.

    Methods are held weakly, so that the theme keeps no view alive and forms no reference cycle;
    one whose Qt object is deleted, while Python still holds it, is not called.
    """

    def __init__(self) -> None:
        self._palette = LIGHT
        self._restyles: dict[WeakMethod[Restyle], None] = {}  # in the order of registration

    @property
    def palette(self) -> Palette:
        """Palette in use, light until another is set."""
        return self._palette

    def register(self, restyle: Restyle) -> None:
        """Call a widget's method now and on every theme change."""
        self.on_change(restyle)
        restyle()

    def on_change(self, restyle: Restyle) -> None:
        """Call a widget's method on every later theme change."""
        self._restyles[WeakMethod(restyle, self._unregister)] = None

    def set_palette(self, palette: Palette) -> None:
        """Set the palette and restyle all registered widgets; also if only sizes have changed."""
        self._palette = palette
        # A method may replace widgets, which adds and removes registrations meanwhile.
        for reference in tuple(self._restyles):
            restyle = reference()
            if restyle is not None and shiboken6.isValid(cast("MethodType", restyle).__self__):
                restyle()

    @contextmanager
    def on_paper(self) -> Iterator[None]:
        """Have what is made meanwhile drawn light, as on paper; what is shown stays as it is."""
        shown, self._palette = self._palette, LIGHT
        try:
            yield
        finally:
            self._palette = shown

    def _unregister(self, reference: WeakMethod[Restyle]) -> None:
        self._restyles.pop(reference, None)


@cache
def theme() -> Theme:
    """Return the application's theme."""
    return Theme()


def mix(first: str, second: str, share: float) -> str:
    """Mix two colours; `share` is the weight of the second (0 to 1)."""
    parts = zip(_channels(first), _channels(second), strict=True)
    return "#" + "".join(f"{round(one + (other - one) * share):02X}" for one, other in parts)


def contrast(first: str, second: str) -> float:
    """Return the WCAG contrast ratio of two colours: 1 to 21, text needs 4.5."""
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@cache
def style_sheet(palette: Palette, scale: float, *, target_px: int = TARGET_PX) -> str:
    """Return the application's style sheet; `scale` multiplies every text size."""
    values = {
        "page": palette.page,
        "panel": palette.panel,
        "card": palette.card,
        "line": palette.line,
        "text": palette.text,
        "quiet": palette.quiet,
        "accent": palette.accent,
        "accent_hover": mix(palette.accent, palette.text, 0.14),
        "accent_down": mix(palette.accent, palette.text, 0.26),
        "accent_tint": mix(palette.card, palette.accent, 0.12),
        "on_accent": palette.on_accent,
        "good": palette.good,
        "warn": palette.warn,
        "bad": palette.bad,
        "bad_tint": mix(palette.card, palette.bad, 0.10),
        "edge": palette.edge,
        "rim": mix(palette.card, palette.text, 0.2),
        "hover": palette.hover,
        "down": mix(palette.panel, palette.text, 0.13),
        "chosen": palette.chosen,
        "disabled": mix(palette.page, palette.text, 0.42),
        "grip": mix(palette.page, palette.text, 0.24),
        "grip_hover": mix(palette.page, palette.text, 0.42),
        "radius": f"{RADIUS_PX}px",
        "card_radius": f"{CARD_RADIUS_PX}px",
        "small": f"{SMALL_PT * scale:.2f}pt",
        "heading": f"{(BODY_PT + 1) * scale:.2f}pt",
        "title": f"{TITLE_PT * scale:.2f}pt",
        "inner": f"{target_px - 2}px",  # height of a control inside its 1 px border
        "roomy": f"{max(target_px, OPERATOR_TARGET_PX) - 2}px",
        "roomy_inside": f"{max(target_px, OPERATOR_TARGET_PX) - 4}px",  # of a border of 2 px
        "pill_inner": f"{target_px - 6}px",
        "choice_pad": f"{target_px // 2 - 7}px",  # padding above and below an item of a choice menu
        "pill_radius": f"{(target_px - 4) // 2}px",
        "tick": f"{round(18 * scale)}px",
        "icons": (RESOURCES / "icons").as_posix(),
        "tone": "dark" if palette.is_dark else "light",
    }
    return SHEET.format_map(values)


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))


def _luminance(colour: str) -> float:
    shares = (channel / 255 for channel in _channels(colour))
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def scaled_pt(size_pt: float) -> float:
    """Return a theme size at the current zoom, in points."""
    return QApplication.font().pointSizeF() * size_pt / BODY_PT


def theme_font(size_pt: float, *, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Return the application's font in one of the theme's sizes."""
    font = QFont(QApplication.font())
    font.setPointSizeF(scaled_pt(size_pt))
    font.setWeight(weight)
    return font


def small_font(font: QFont) -> QFont:
    """Return a font in the size of small text."""
    small = QFont(font)
    small.setPointSizeF(font.pointSizeF() * SMALL_PT / BODY_PT)
    return small


def bold_font(font: QFont) -> QFont:
    """Return a font in the weight of headings."""
    bold = QFont(font)
    bold.setWeight(QFont.Weight.DemiBold)
    return bold


def set_style_property(widget: QWidget, name: str, value: str) -> None:
    """Set a property that the style sheet selects by, and style the widget again."""
    widget.setProperty(name, value)
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)
