"""Fields of the Q-DAS ASCII transfer format: their keys, and what they are called here.

Q-DAS ASCII Transfer Format, version 12: a key is K and four digits. K1 are of the part, K2 of a
characteristic, K00 of a value. In a line without keys the fields of a value stand in the order of
`IN_LINE`, and those of the characteristics one behind the other.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from qhub_desktop.core.text import fold_name, gettext, gettext_noop, words_of

OF_CHARACTERISTIC, OF_FIELD, OF_LIST = "\x0f", "\x14", "\x10"  # what they are parted by

VALUE, MARK, MOMENT, EVENT, BATCH = "K0001", "K0002", "K0004", "K0005", "K0006"
OPERATOR = "K0008"
INSPECTED, DEFECTIVE = "K0020", "K0021"
# In a line without keys, of a characteristic that is measured and of one that is counted.
IN_LINE = (
    VALUE, MARK, MOMENT, EVENT, BATCH, "K0007", OPERATOR, "K0010", "K0011", "K0012",
)  # fmt: skip
IN_COUNTED_LINE = (INSPECTED, DEFECTIVE, "", *IN_LINE[1:])
COUNTED_KINDS = {"1", "5", "6"}  # K2004: attributes and error logs
MARK_EMPTY = "255"  # of a field that holds no value

# Entries of catalogues, and reasons: numbers in any case.
NUMBERED = {"K0007", OPERATOR, "K0010", "K0012", "K0015", MARK}

KIND, CLASS, NOMINAL, UNIT = "K2004", "K2005", "K2101", "K2142"
LOWER, UPPER = "K2110", "K2111"
# What is added to the nominal value where the limits are not given; and what sort of limit it is.
ALLOWANCES = {LOWER: "K2112", UPPER: "K2113"}
SORTS = {LOWER: "K2120", UPPER: "K2121"}
NATURAL = {"2", "3"}  # a boundary by nature, as 0 is of roundness: no part fails it
CLASSES: Mapping[str, str] = {
    "0": gettext_noop("unimportant"),
    "1": gettext_noop("less important"),
    "2": gettext_noop("important"),
    "3": gettext_noop("significant"),
    "4": gettext_noop("critical"),
}
LIMITS: Mapping[str, str] = {
    LOWER: gettext_noop("LSL"),
    UPPER: gettext_noop("USL"),
    NOMINAL: gettext_noop("Nominal"),
}
NATURALS: Mapping[str, str] = {
    LOWER: gettext_noop("Lower natural boundary"),
    UPPER: gettext_noop("Upper natural boundary"),
}
INSPECTED_NAME = gettext_noop("Inspected {name}")  # the column of how many were inspected
SPOKEN = ("pt", "en")  # what columns are named in
OWN_FIELD = " · "  # between a field and the one characteristic that it is of

# Of each value, in the order of the columns.
OF_VALUES: Mapping[str, str] = {
    MOMENT: gettext_noop("Date and time"),
    BATCH: gettext_noop("Batch"),
    "K0007": gettext_noop("Cavity"),
    OPERATOR: gettext_noop("Operator"),
    "K0010": gettext_noop("Machine"),
    "K0012": gettext_noop("Gauge"),
    "K0014": gettext_noop("Part ident"),
    "K0053": gettext_noop("Order"),
    EVENT: gettext_noop("Event"),
    "K0011": gettext_noop("Process parameter"),
    "K0015": gettext_noop("Reason for test"),
    "K0016": gettext_noop("Production number"),
    "K0017": gettext_noop("Fixture"),
    "K0009": gettext_noop("Text"),
    MARK: gettext_noop("Mark"),
}
OF_PART: Mapping[str, str] = {
    "K1001": gettext_noop("Part number"),
    "K1002": gettext_noop("Part"),
    "K1004": gettext_noop("Amendment"),
    "K1041": gettext_noop("Drawing"),
    "K1053": gettext_noop("Order"),
    "K1081": gettext_noop("Machine"),
    "K1086": gettext_noop("Operation"),
}

# A day with its time, and what the signs between their numbers say of their order.
_MOMENTS: Mapping[str, Sequence[str]] = {
    ".": ("%d.%m.%Y/%H:%M:%S", "%d.%m.%y/%H:%M:%S", "%d.%m.%Y/%H:%M", "%d.%m.%y/%H:%M"),
    "/": ("%m/%d/%Y/%H:%M:%S", "%m/%d/%y/%H:%M:%S", "%m/%d/%Y/%H:%M", "%m/%d/%y/%H:%M"),
    "-": ("%Y-%m-%d/%H:%M:%S", "%y-%m-%d/%H:%M:%S", "%Y-%m-%d/%H:%M", "%y-%m-%d/%H:%M"),
}


def moment_of(text: str) -> datetime | str:
    """Read a moment such as '05.03.2026/10:00:00'; what is none stays a text."""
    joined = text.strip().replace("T", "/").replace(" ", "/")
    sign = next((each for each in joined if not each.isdigit()), "")
    for form in _MOMENTS.get(sign, ()):
        try:
            return datetime.strptime(joined, form)
        except ValueError:
            continue
    return text


def written_moment(moment: datetime) -> str:
    """Write a moment as the format has it."""
    day = f"{moment.day:02}.{moment.month:02}.{moment.year:04}"
    return f"{day}/{moment.hour:02}:{moment.minute:02}:{moment.second:02}"


def field_called(column: str) -> str | None:
    """Return the key of the field that a column of this name holds; None if it names none."""
    said = fold_name(column)
    for key, name in OF_VALUES.items():
        own = (gettext(name, language=each) for each in SPOKEN)
        if said in {fold_name(each) for each in (*own, *words_of("qdas", key))}:
            return key
    return None
