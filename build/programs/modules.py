"""First line of both programs: the modules that they share lie in a file beside the libraries."""

import sys

# What PyInstaller's own first lines, which come next, read them from.
vars(sys)["_pyinstaller_pyz"] = f"{vars(sys)['_MEIPASS']}/modules.pyz"
