"""What can be asked on the command line."""

import argparse
import codecs
from collections.abc import Sequence
from pathlib import Path

from qhub_desktop.core.text import gettext as _

AGENTS = ("qualidade", "analise")
ENGINES = ("auto", "offline", "claude")
SQL_ROWS = 1000


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The call, read. Exits with 2 and the usage on standard error when it can't be."""
    parser = argparse.ArgumentParser(
        prog="qhub", description=_("Computed answers about a plant's quality data.")
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    ask = commands.add_parser("ask", help=_("ask a question and watch the answer"))
    ask.add_argument("--agent", choices=AGENTS, help=_("who answers (default: analise)"))
    ask.add_argument("--engine", choices=ENGINES, help=_("what answers (default: the setting)"))
    ask.add_argument(
        "--file", action="append", type=Path, default=[], metavar="PATH", help=_("a file to load")
    )
    ask.add_argument("--sheet", metavar="NAME", help=_("only this sheet of the files"))
    ask.add_argument("--conversation", metavar="ID", help=_("go on with this conversation"))
    ask.add_argument(
        "--queue", action="store_true", help=_("let it wait for Claude until there is a network")
    )
    ask.add_argument("question", metavar="QUESTION")

    profile = commands.add_parser("profile", help=_("what a file holds"))
    profile.add_argument("path", type=Path, metavar="PATH")
    profile.add_argument("--sheet", metavar="NAME", help=_("this sheet (default: the first)"))

    sql = commands.add_parser("sql", help=_("a SELECT over a file"))
    sql.add_argument("path", type=Path, metavar="PATH")
    sql.add_argument("select", metavar="SELECT")
    sql.add_argument("--sheet", metavar="NAME", help=_("only this sheet"))
    sql.add_argument("--limit", type=_positive, default=SQL_ROWS, metavar="N", help=_("most rows"))

    export = commands.add_parser("export", help=_("a file's data as .xlsx or .csv"))
    export.add_argument("path", type=Path, metavar="PATH")
    export.add_argument("target", type=Path, metavar="TARGET", help=_("ends in .xlsx or .csv"))
    export.add_argument("--sheet", metavar="NAME", help=_("this sheet (default: the first)"))
    export.add_argument("--sql", metavar="SELECT", help=_("only what this SELECT gives"))

    for each in (profile, sql, export):
        each.add_argument("--header", type=_row, metavar="N", help=_("the names' row; 0: none"))
        each.add_argument(
            "--separator", type=_separator, metavar="C", help=_("what parts the cells; or tab")
        )
        each.add_argument("--encoding", type=_encoding, metavar="NAME", help=_("of a text file"))
    for each in (ask, profile, sql, export):
        each.add_argument("--password", metavar="WORD", help=_("of a protected workbook"))

    defects = commands.add_parser("defects", help=_("a file's defects into the station's log"))
    doing = defects.add_subparsers(dest="doing", required=True, metavar="DOING")
    append = doing.add_parser("append", help=_("add a file's defects to the log, each once"))
    append.add_argument("path", type=Path, metavar="PATH")
    append.add_argument("--sheet", metavar="NAME", help=_("this sheet (default: the first)"))
    append.add_argument("--yes", action="store_true", help=_("the columns shown are right"))
    append.add_argument("--password", metavar="WORD", help=_("of a protected workbook"))
    undo = doing.add_parser("undo", help=_("take out what an append has added"))
    undo.add_argument("number", type=_positive, metavar="N", help=_("as the append told"))

    outbox = commands.add_parser("outbox", help=_("the questions that wait for Claude"))
    doing = outbox.add_subparsers(dest="doing", metavar="DOING")
    withdraw = doing.add_parser("withdraw", help=_("take a question back"))
    withdraw.add_argument("number", type=_positive, metavar="ID", help=_("as the list tells"))
    send = doing.add_parser("send", help=_("send now what waits"))

    dashboards = commands.add_parser("dashboards", help=_("the dashboards, newest first"))
    dashboards.add_argument("--search", default="", metavar="WORDS", help=_("with these words"))
    doing = dashboards.add_subparsers(dest="doing", metavar="DOING")
    written = doing.add_parser("export", help=_("a dashboard as a file"))
    written.add_argument("id", metavar="ID")
    written.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FILE",
        help=_("ends in .html, .pdf, .png, .xlsx"),
    )
    refresh = doing.add_parser("refresh", help=_("run a dashboard's queries again"))
    refresh.add_argument("id", metavar="ID")

    for each in (withdraw, send, written, refresh):
        # Left alone where it is not given, so that it may stand before the DOING, too.
        each.add_argument(
            "--json", action="store_true", default=argparse.SUPPRESS, help=_("for programs")
        )

    commands.add_parser("agents", help=_("the agents"))
    conversations = commands.add_parser("conversations", help=_("the conversations, newest first"))
    conversations.add_argument("--search", default="", metavar="WORDS", help=_("with these words"))
    show = commands.add_parser("show", help=_("a conversation, whole"))
    show.add_argument("id", metavar="ID")
    others = (append, undo, commands.choices["agents"])
    for each in (ask, profile, sql, export, outbox, dashboards, conversations, show, *others):
        each.add_argument("--json", action="store_true", help=_("for programs"))
    words = commands.add_parser("vocabulary", help=_("the plant's own words"))
    words.add_argument(
        "--check", action="store_true", help=_("fail where something in the file is wrong")
    )
    words.add_argument("--json", action="store_true", help=_("for programs"))
    commands.add_parser("version", help=_("the program's version"))
    return parser.parse_args(arguments)


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


def _row(text: str) -> int:
    value = int(text)
    if value < 0:
        raise ValueError(text)
    return value


def _separator(text: str) -> str:
    value = {"tab": "\t", "\\t": "\t", "space": " "}.get(text, text)
    if len(value) != 1:
        raise ValueError(text)
    return value


def _encoding(text: str) -> str:
    try:
        return codecs.lookup(text).name
    except LookupError as error:
        raise ValueError(text) from error
