"""The names that SQL knows data sets by, and what lasts of the names of files."""

import re
import unicodedata

LONGEST = 40
# Words that SQL would read as something else.
RESERVED = {"all", "and", "as", "by", "case", "from", "group", "in", "join", "limit", "not", "null"}
RESERVED |= {"on", "or", "order", "select", "table", "union", "where", "with", "having", "end"}
# What copies, later versions and other months add to a name.
_PASSING = {
    *("copia", "copy", "of", "de", "novo", "nova", "new", "final", "v", "rev", "versao", "version"),
    *("jan", "janeiro", "january", "fev", "fevereiro", "feb", "february", "mar", "marco", "march"),
    *("abr", "abril", "apr", "april", "mai", "maio", "may", "jun", "junho", "june", "jul"),
    *("julho", "july", "ago", "agosto", "aug", "august", "set", "setembro", "sep", "september"),
    *("out", "outubro", "oct", "october", "nov", "novembro", "november", "dez", "dezembro"),
    *("dec", "december", "pasted", "colado"),
}


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


def lasting(name: str) -> str:
    """A name without what differs from version to version."""
    words = re.findall(r"[a-z]+", slug(name))
    return " ".join(word for word in words if word not in _PASSING)
