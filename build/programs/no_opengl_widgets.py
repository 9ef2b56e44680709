"""Stands in for `PySide6.QtOpenGLWidgets`, of which pyqtgraph makes a class that it never uses."""

from PySide6.QtWidgets import QWidget


class QOpenGLWidget(QWidget):
    """Widget that draws nothing: no view here asks for OpenGL."""
