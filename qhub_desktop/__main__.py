"""Starts the program: its window, or one of its own child processes."""

import sys

# What each child does, as `module:function`: one more mode is one more line here. They are called
# with their Parent (`core/processes/child.py`), and what they return is the reply.
CHILDREN = {
    "import": "qhub_desktop.data.ingest.worker:import_file",
    "query": "qhub_desktop.data.query.worker:answer_queries",
    "export": "qhub_desktop.data.export_worker:write_rows",
    "versions": "qhub_desktop.data.query.diff_worker:compare_or_append",
    "print": "qhub_desktop.ui.web.offscreen:print_page",
}


def main() -> int:
    """Show the window, render a page, or be the child process that the command line asks for."""
    # Before any import of Qt: in the packaged program a child is this same executable.
    if sys.argv[1:2] == ["--child"]:
        from qhub_desktop.core.processes.child import serve

        return serve(sys.argv[2], CHILDREN)
    from qhub_desktop.ui.web.web_engine import exit_process

    if "--render" in sys.argv[1:]:
        from qhub_desktop.ui.web import offscreen

        return exit_process(offscreen.render(sys.argv[1:]))
    from qhub_desktop.app import run_window

    return exit_process(run_window())


if __name__ == "__main__":
    raise SystemExit(main())
