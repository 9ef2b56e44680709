"""Start of the program: its window, or one of its own child processes."""

import sys

# What each child does, as `module:function`: one more mode is one more line here. They are called
# with their Parent (`core/processes/child.py`), and what they return is the reply.
CHILDREN = {
    "import": "qhub_desktop.data.ingest.import_worker:import_file",
    "query": "qhub_desktop.data.query.query_worker:answer_queries",
    "export": "qhub_desktop.data.export_worker:write_rows",
    "versions": "qhub_desktop.data.query.diff_worker:compare_or_append",
    "python": "qhub_desktop.sandbox.sandbox_worker:answer_runs",
    "documents": "qhub_desktop.tools.document_worker:answer_requests",
    "model": "qhub_desktop.chat.local.model_worker:serve_model",
    "prepare-python": "qhub_desktop.sandbox.sandbox_worker:prepare_engine",
    "print": "qhub_desktop.ui.web.offscreen:print_page",
}


def main() -> int:
    """Run `qhub-desktop`: its window, a rendering, the self-test, help, or one of its children."""
    # Before any import of Qt: in the packaged program a child is this same executable.
    if _is_child():
        return _serve()
    from qhub_desktop.core.processes.child import close_environment
    from qhub_desktop.ui.web.web_engine import exit_process

    close_environment()
    if "--render" in sys.argv[1:]:
        from qhub_desktop.ui.web import offscreen

        return exit_process(offscreen.render(sys.argv[1:]))
    if "--self-test" in sys.argv[1:]:
        from qhub_desktop import app, self_test

        return exit_process(self_test.main(sys.argv[1:], app.Program))
    if {"-h", "--help", "--version"}.intersection(sys.argv[1:]):
        from qhub_desktop.cli import tell_about_window

        return tell_about_window(sys.argv[1:])
    from qhub_desktop.app import run_window

    return exit_process(run_window())


def command_line() -> int:
    """Run `qhub`: one verb, or one of the program's own children."""
    if _is_child():
        return _serve()
    from qhub_desktop import app

    return app.command_line()


def _is_child() -> bool:
    return sys.argv[1:2] == ["--child"]


def _serve() -> int:
    from qhub_desktop.core.processes.child import serve

    return serve(sys.argv[2], CHILDREN)


if __name__ == "__main__":
    raise SystemExit(main())
