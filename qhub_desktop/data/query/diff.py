"""Comparison of two versions of a data set, and their union, through a child process."""

import hashlib
from pathlib import Path
from typing import Any, Literal, cast

from qhub_desktop.core.codec import Json, JsonObject, unpack
from qhub_desktop.core.dataset import ColumnProfile, DatasetProfile, Finding, ImportReport
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.processes.child import Child
from qhub_desktop.core.processes.supervisor import ChildRunner
from qhub_desktop.core.processes.threads import Worker
from qhub_desktop.core.table import Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.core.values import dataclass
from qhub_desktop.data.columns import versionless_name
from qhub_desktop.data.defect_recognition import name_score
from qhub_desktop.data.ingest.dataset_store import DatasetStore, write_profile

MOST_SECONDS = 120.0

Mode = Literal["new", "all"]


@dataclass(frozen=True, slots=True)
class Changes:
    """Differences between two versions of a data set.

    Rows are compared as multisets over the columns of both versions:
    rows_same + rows_added + rows_changed is the number of the newer version's rows. A row with the
    same `key` and other cells counts as changed; without a key it counts as removed and added.
    `ignored` is a column that only numbers the rows, and was left out of the comparison.
    """

    rows_added: int
    rows_removed: int
    rows_same: int
    rows_changed: int = 0
    key: str | None = None
    ignored: str | None = None
    columns_added: tuple[str, ...] = ()
    columns_removed: tuple[str, ...] = ()
    types_changed: tuple[str, ...] = ()

    @property
    def is_nothing(self) -> bool:
        """Whether the versions are equal."""
        return not (
            self.rows_added
            or self.rows_removed
            or self.rows_changed
            or self.columns_added
            or self.columns_removed
            or self.types_changed
        )

    @property
    def sentence(self) -> str:
        """The differences in one or more sentences, in the person's language."""
        counted = (
            (ngettext("{count} new row", "{count} new rows", self.rows_added), self.rows_added),
            (
                ngettext("{count} row changed", "{count} rows changed", self.rows_changed),
                self.rows_changed,
            ),
            (
                ngettext("{count} row gone", "{count} rows gone", self.rows_removed),
                self.rows_removed,
            ),
            (
                ngettext("{count} row the same", "{count} rows the same", self.rows_same),
                self.rows_same,
            ),
        )
        told = [words.format(count=number(count, digits=0)) for words, count in counted if count]
        said = [", ".join(told) + "." if told else _("No rows.")]
        columns = (
            (_("New columns: {names}."), self.columns_added),
            (_("Columns gone: {names}."), self.columns_removed),
            (_("Columns of another type: {names}."), self.types_changed),
        )
        said += [words.format(names=", ".join(names)) for words, names in columns if names]
        return " ".join(said)


def is_same_export(old: DatasetProfile, new: DatasetProfile) -> bool:
    """Return whether two data sets have the same columns and names that differ by version only.

    Digits, months, '(1)' and ' - Cópia' are ignored in the names of file and sheet.
    """
    if old.id == new.id or {each.name for each in old.columns} != {
        each.name for each in new.columns
    }:
        return False
    names = ((each.file, each.sheet or "") for each in (old, new))
    before, after = (
        (versionless_name(Path(file).stem), versionless_name(sheet)) for file, sheet in names
    )
    return before == after


class DiffService:
    """Compares and joins data sets in child processes, which it owns until closed."""

    def __init__(self, store: DatasetStore, files: Worker) -> None:
        self._store = store
        self._files = files
        self._children = ChildRunner(lambda: Child("versions"), limit_s=MOST_SECONDS)

    async def compare(self, old: DatasetProfile, new: DatasetProfile) -> Changes:
        """Return the changes from old to new. Raises UserError if they cannot be compared."""
        folder = await self._files.run(self._store.begin)
        try:
            reply = await self._do({**self._request("compare", old, new), "folder": str(folder)})
        finally:
            await self._files.run(self._store.abandon, folder)
        return _changes_from(reply, old, new)

    async def append(self, old: DatasetProfile, new: DatasetProfile, mode: Mode) -> DatasetProfile:
        """Create a data set of the old rows, then the new ones that the old version lacks.

        With the mode `all`, every row of the newer. Nothing is left behind where it is cancelled or
        fails.
        """
        joined = hashlib.sha256(f"{old.id}\n{new.id}\n{mode}".encode()).hexdigest()
        id_ = f"{joined[:12]}-1"
        if (known := await self._files.run(self._store.profile, id_)) is not None:
            return known
        folder = await self._files.run(self._store.begin)
        try:
            request = {**self._request("append", old, new), "folder": str(folder)}
            reply = await self._do({**request, "mode": mode, "id": id_})
            profile = _appended_profile(reply, old, new, sha256=joined, id_=id_)
            await self._files.run(write_profile, folder / id_, profile)
            await self._files.run(self._store.finish, folder)
        finally:
            await self._files.run(self._store.abandon, folder)
        return profile

    def close(self) -> None:
        """End every process."""
        self._children.close()

    def _request(self, what: str, old: DatasetProfile, new: DatasetProfile) -> JsonObject:
        return {
            "do": what,
            "old": str(self._rows(old)),
            "new": str(self._rows(new)),
            "key": _key_column(old, new),
        }

    def _rows(self, profile: DatasetProfile) -> Path:
        rows = self._store.rows(profile.id)
        if rows is None:
            raise UserError(
                _("The data set {name} is no longer there. Drop its file again.").format(
                    name=profile.file
                )
            )
        return rows

    async def _do(self, request: JsonObject) -> dict[str, Json]:
        return cast(
            "dict[str, Json]",
            await self._children.run(
                request,
                failure=_(
                    "The two files could not be compared: the process that compares them ended"
                    " without a reason. Try again."
                ),
                out_of_memory=_(
                    "The two files could not be compared: that needs more memory than there is."
                    " Close other programs, and try again."
                ),
                out_of_time=_(
                    "The two files could not be compared within {seconds} s. Export fewer columns"
                    " or rows, and try again."
                ).format(seconds=round(MOST_SECONDS)),
            ),
        )


def _changes_from(reply: dict[str, Json], old: DatasetProfile, new: DatasetProfile) -> Changes:
    before = {each.name: each.type for each in old.columns}
    after = {each.name: each.type for each in new.columns}
    return Changes(
        rows_added=cast("int", reply["added"]),
        rows_removed=cast("int", reply["removed"]),
        rows_same=cast("int", reply["same"]),
        rows_changed=cast("int", reply["changed"]),
        key=cast("str | None", reply["key"]),
        ignored=cast("str | None", reply["ignored"]),
        columns_added=tuple(name for name in after if name not in before),
        columns_removed=tuple(name for name in before if name not in after),
        types_changed=tuple(
            name
            for name, type_ in after.items()
            if name in before and _kind(before[name]) != _kind(type_)
        ),
    )


def _appended_profile(
    reply: dict[str, Json], old: DatasetProfile, new: DatasetProfile, *, sha256: str, id_: str
) -> DatasetProfile:
    rows, taken = cast("int", reply["rows"]), cast("int", reply["taken"])
    words = ngettext(
        "{count} row of {new} was added to those of {old}.",
        "{count} rows of {new} were added to those of {old}.",
        taken,
    ).format(count=number(taken, digits=0), new=new.file, old=old.file)
    found = [Finding("appended", words, taken)]
    if left := new.rows - taken:
        words = ngettext(
            "{count} row of {new} was there already, and was not added again.",
            "{count} rows of {new} were there already, and were not added again.",
            left,
        ).format(count=number(left, digits=0), new=new.file)
        found.append(Finding("known_rows", words, left))
    doubtful: list[Finding] = []
    if changed := cast("int", reply["changed"]):
        words = ngettext(
            "{count} row has the same {key} as an older one, and other values: both are kept.",
            "{count} rows have the same {key} as older ones, and other values: both are kept.",
            changed,
        ).format(count=number(changed, digits=0), key=reply["key"])
        doubtful.append(Finding("same_key", words, changed))
    name = old.file if old.file == new.file else f"{old.file} + {new.file}"
    return DatasetProfile(
        id=id_,
        dataset=old.dataset,
        file=name,
        sheet=new.sheet if new.sheet == old.sheet else None,
        sheets=(),
        rows=rows,
        sha256=sha256,
        columns=unpack(cast("Any", tuple[ColumnProfile, ...]), reply["columns"]),
        preview=unpack(Table, reply["preview"]),
        warnings=tuple(each.text for each in doubtful),
        report=ImportReport(
            format=old.report.format if old.report else "",
            rows_present=rows,
            rows_read=rows,
            header_rows=0,
            repaired=tuple(found),
            doubtful=tuple(doubtful),
        ),
        duplicate_rows=cast("int", reply["duplicates"]),
    )


def _key_column(old: DatasetProfile, new: DatasetProfile) -> str | None:
    """Return the column that identifies rows in both versions, or None."""
    candidates = [
        (each, other)
        for each in old.columns
        if (other := new.column(each.name)) is not None
        and _is_key(each, old.rows)
        and _is_key(other, new.rows)
        and _kind(each.type) == _kind(other.type)
    ]
    named = [each.name for each, _ in candidates if name_score("id", each.name) > 0]
    texts = [each.name for each, _ in candidates if each.type != "integer"]
    # Integers may be distinct by chance: they are a key only in the first column.
    first = [each.name for each, _ in candidates if each is old.columns[0]]
    return next(iter([*named, *texts, *first]), None)


def _is_key(column: ColumnProfile, rows: int) -> bool:
    is_fit = column.type in ("integer", "text", "category")
    return is_fit and column.distinct == rows and not column.missing


def _kind(type_: str) -> str:
    return "text" if type_ == "category" else type_
