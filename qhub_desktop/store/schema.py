"""Schema of a database file, held against the one that our migrations make."""

import re
import sqlite3
from contextlib import closing
from functools import cache

from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.core.untrusted import one_line
from qhub_desktop.store.migrations import MIGRATIONS, version_of

KINDS = {
    "table": gettext_noop("the table {name}"),
    "index": gettext_noop("the index {name}"),
    "trigger": gettext_noop("the trigger {name}"),
    "view": gettext_noop("the view {name}"),
}
_NAME_CHARACTERS = 40
# A text, a name in quotes, a word, or any other sign: what is between them is blank.
_TOKEN = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|\w+|\S""")

Part = tuple[str, str]  # a kind and a name
Schema = dict[Part, tuple[str, tuple[str, ...]]]  # the table that it is of, and its statement


def schema_problems(db: sqlite3.Connection) -> list[str]:
    """Say what differs from the schema that our migrations make at this file's version.

    Nothing of the file's own is run to find out: a view or a trigger may be anybody's.
    """
    version = version_of(db)
    if version > len(MIGRATIONS):
        return [_("it was written by a newer version of QHub")]
    ours, found = _ours(version), _schema_of(db)
    return [
        *(_("{part} is gone").format(part=_words(each)) for each in ours if each not in found),
        *(
            _("{part} is not as QHub makes it").format(part=_words(each))
            for each in ours
            if each in found and found[each] != ours[each]
        ),
        *(
            _("{part} is not QHub's").format(part=_words(each))
            for each in found
            if each not in ours
        ),
    ]


@cache
def _ours(version: int) -> Schema:
    """Make the schema anew; 40 ms, most of it the search indexes."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        for step in MIGRATIONS[:version]:
            step(db)
        return _schema_of(db)


def _schema_of(db: sqlite3.Connection) -> Schema:
    rows = db.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")
    found: Schema = {}
    for kind, name, table, sql in rows:
        part = (str(kind), str(name))
        # Token by token: the statements of some versions were laid out otherwise, and they stand in
        # the files that those have made.
        tokens = tuple(_TOKEN.findall(str(sql or "")))
        found[part] = (str(table), tokens) if part not in found else ("", ())  # twice: not ours
    return found


def _words(part: Part) -> str:
    kind, name = part
    words = KINDS.get(kind, "{name}")
    return _(words).format(name=one_line(name, most=_NAME_CHARACTERS))
