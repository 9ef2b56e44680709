"""The child processes of this program: reading, querying, writing and comparing data sets."""

from qhub_desktop.core.processes.child import Parent


def main(mode: str, arguments: list[str]) -> int:
    """Be the child that `--child MODE` asks for, until its work is done or its parent goes."""
    parent = Parent()
    match mode, arguments:
        case "import", []:
            from qhub_desktop.data.ingest.worker import import_file

            return import_file(parent)
        case "query", []:
            from qhub_desktop.data.query.worker import answer_queries

            return answer_queries(parent)
        case "export", []:
            from qhub_desktop.data.export_worker import write_rows

            return write_rows(parent)
        case "versions", []:
            from qhub_desktop.data.query.diff_worker import compare_or_append

            return compare_or_append(parent)
        case _:
            return 2
