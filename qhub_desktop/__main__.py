"""Starts the program: its window, or one of its own child processes."""

import sys
from pathlib import Path


def main() -> int:
    """Show the window, render a page, or be the child process that the command line asks for."""
    # Before any import of Qt: in the packaged program a child is this same executable.
    if sys.argv[1:2] == ["--child"]:
        from qhub_desktop.data import children

        return children.main(sys.argv[2], sys.argv[3:])
    from qhub_desktop.ui.pages.engine import leave

    if sys.argv[1:2] == ["--print-page"]:
        from qhub_desktop.ui.dashboards.printing import print_page

        return leave(print_page(Path(sys.argv[2]), Path(sys.argv[3])))
    if "--render" in sys.argv[1:]:
        from qhub_desktop.ui.pages import render

        return leave(render.main(sys.argv[1:]))
    from qhub_desktop.app import run_window

    return leave(run_window())


if __name__ == "__main__":
    raise SystemExit(main())
