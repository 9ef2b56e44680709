"""Names of sheets as Excel takes them."""

import re
from collections.abc import Iterable

from qhub_desktop.core.text import gettext as _

LONGEST = 31  # in units of UTF-16
RESERVED = {"history", "histórico"}  # Excel's own, in its languages
_FORBIDDEN = re.compile(r"[\[\]:*?/\\\x00-\x1f\ud800-\udfff\ufffe\uffff]+")


def sheet_name(wanted: str, taken: Iterable[str] = ()) -> str:
    """A name like the wanted one that Excel takes, and that no other sheet has."""
    bare = " ".join(_FORBIDDEN.sub(" ", wanted).split()).strip("' ")
    if not bare or bare.casefold() in RESERVED:
        bare = f"{bare}_" if bare else _("Sheet")
    used = {name.casefold() for name in taken}
    name = _shortened(bare, LONGEST)
    count = 1
    while name.casefold() in used:
        count += 1
        ending = f" ({count})"
        name = f"{_shortened(bare, LONGEST - len(ending))}{ending}"
    return name


def _shortened(name: str, longest: int) -> str:
    while len(name.encode("utf-16-le")) // 2 > longest:
        name = name[:-1]
    return name.strip("' ")
