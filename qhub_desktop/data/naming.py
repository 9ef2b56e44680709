"""The names that SQL knows data sets by."""

import re
import unicodedata

LONGEST = 40
# Words that SQL would read as something else.
RESERVED = {"all", "and", "as", "by", "case", "from", "group", "in", "join", "limit", "not", "null"}
RESERVED |= {"on", "or", "order", "select", "table", "union", "where", "with", "having", "end"}


def dataset_name(stem: str, *, sheet: str | None = None, number: int = 1) -> str:
    """A file's name, and its sheet's from the second on, as lower case ASCII words."""
    name = slug(stem) or "dados"
    if number > 1 and sheet is not None and slug(sheet):
        name = f"{name}_{slug(sheet)}"
    if name[0].isdigit() or name in RESERVED:
        name = f"t_{name}"
    return name


def slug(words: str) -> str:
    """Lower case letters without accents, digits and underscores."""
    plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode("ascii").lower()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:LONGEST].strip("_")
