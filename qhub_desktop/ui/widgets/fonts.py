"""Fonts in the theme's sizes, as large as the person has made the application's own."""

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication

from qhub_desktop.ui.theme import BODY_PT


def points(size_pt: float) -> float:
    """One of the theme's sizes at the zoom in use."""
    return QApplication.font().pointSizeF() * size_pt / BODY_PT


def sized(size_pt: float, *, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The application's font in one of the theme's sizes."""
    font = QFont(QApplication.font())
    font.setPointSizeF(points(size_pt))
    font.setWeight(weight)
    return font
