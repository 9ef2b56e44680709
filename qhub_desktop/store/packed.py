"""Values in a column: as JSON, with the version of the packing beside it."""

import json
from typing import TypeVar

from qhub_desktop.core import codec
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _

Value = TypeVar("Value")


def packed(value: object) -> tuple[int, str]:
    """Pack a value: the packing's version, and its JSON."""
    # ASCII only: a half character, as some pastes hold, is not text to SQLite.
    data = json.dumps(codec.pack(value), ensure_ascii=True, separators=(",", ":"))
    return codec.VERSION, data


def unpacked(kind: type[Value], form: int, data: str) -> Value:
    """Unpack a value. Raises UserError for one that a newer program has packed."""
    try:
        if form > codec.VERSION:
            raise ValueError(form)
        return codec.unpack(kind, json.loads(data))
    except ValueError as error:
        raise UserError(
            _("This can not be read by this version of QHub. Install the newest one; it was kept.")
        ) from error
