"""Stands in for `PySide6.QtOpenGL` in the packaged program: pyqtgraph imports that by name.

Nothing of it is used, since charts are drawn without OpenGL; the bindings have 9 MB.
"""
