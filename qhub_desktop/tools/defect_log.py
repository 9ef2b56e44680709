"""From a dropped file into the station's defect log, and back out."""

from collections.abc import Mapping

from qhub_desktop.core.dataset import DatasetProfile
from qhub_desktop.core.defect import COLUMNS, LOG_ID, WORDS, Appended, DefectMapping
from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.core.sql_text import quoted
from qhub_desktop.core.table import Table
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext, number
from qhub_desktop.core.tool import ToolContext
from qhub_desktop.data.defect_recognition import (
    Proposal,
    certain_mapping,
    propose,
    with_known_words,
)
from qhub_desktop.store.defects import DefectRepository
from qhub_desktop.tools.conversation_datasets import ConversationDatasets
from qhub_desktop.tools.datasets import text_of, translated

MOST_ROWS = 1_000_000
MOST_WORDS = 1_000


class DefectLog:
    """Reads files as defects, the way the person confirmed, and adds them to the log."""

    def __init__(self, defects: DefectRepository, shelf: ConversationDatasets) -> None:
        self._defects = defects
        self._shelf = shelf

    async def proposal(self, profile: DatasetProfile) -> Proposal | None:
        """How a data set may be read as defects, with every word in it; nothing if it is none.

        What the person has confirmed for files with these columns comes before any guess.
        """
        if profile.id == LOG_ID:
            return None
        guessed = propose(profile)
        confirmed = await self._defects.mapping(each.name for each in profile.columns)
        mapping = confirmed or (guessed.mapping if guessed else certain_mapping(profile))
        if mapping is None:
            return None
        words = {field: await self.words(profile, mapping, field) for field in WORDS}
        whole = with_known_words(mapping, words)
        settled = {(field, word) for field, word, _meaning in whole.words}
        return Proposal(
            mapping=whole,
            confidence=guessed.confidence if guessed else 1.0,
            missing=tuple(field for field in COLUMNS if mapping.column(field) is None),
            unknown=tuple(
                (field, word)
                for field, said in words.items()
                for word in said
                if (field, word) not in settled
            ),
            is_certain=guessed is not None and guessed.is_certain,
            is_confirmed=confirmed is not None,
        )

    async def words(
        self, profile: DatasetProfile, mapping: DefectMapping, field: str
    ) -> tuple[str, ...]:
        """A file's own words for a field, the most frequent first."""
        column = mapping.column(field)
        if column is None:
            return ()
        text = text_of(column)
        found = await self._query(
            profile,
            f"SELECT {text} AS word FROM {quoted(profile.dataset)}"  # noqa: S608  quoted names
            f" WHERE {text} <> '' GROUP BY 1 ORDER BY count(*) DESC, 1",
            limit=MOST_WORDS,
        )
        return tuple(str(word) for (word,) in found.rows)

    async def confirm(self, profile: DatasetProfile, mapping: DefectMapping) -> None:
        """Remember this for files with the same columns. Raises UserError for one of no use."""
        _check(profile, mapping)
        await self._defects.keep_mapping((each.name for each in profile.columns), mapping)

    async def append(self, profile: DatasetProfile, mapping: DefectMapping) -> Appended:
        """Add the file's defects to the log, each once. Raises UserError, and adds nothing."""
        _check(profile, mapping)
        if profile.rows > MOST_ROWS:
            raise UserError(
                _(
                    "{file} has {rows} rows, and at most {most} can be added at a time. Export a"
                    " shorter period, and add that."
                ).format(
                    file=profile.file,
                    rows=number(profile.rows, digits=0),
                    most=number(MOST_ROWS, digits=0),
                )
            )
        rows = await self._query(profile, _rows_sql(profile, mapping), limit=MOST_ROWS)
        appended = await self._defects.append(
            rows,
            dataset_id=profile.id,
            file=profile.file,
            columns=(each.name for each in profile.columns),
        )
        if appended.added:
            self._shelf.log_changed()
        return appended

    async def take_back(self, appended: int) -> int:
        """Take out what one `append` has added; how many rows."""
        taken = await self._defects.take_back(appended)
        self._shelf.log_changed()
        return taken

    async def _query(self, profile: DatasetProfile, sql: str, *, limit: int) -> Table:
        try:
            found = await self._shelf.query(
                ToolContext("", (profile,)), sql, limit=limit, about=profile
            )
        except ToolError as error:
            raise UserError(
                _(
                    "{file} can not be read as defects: {reason} Check which column holds what,"
                    " and try again."
                ).format(file=profile.file, reason=str(error))
            ) from error
        return found.table


def describe(came: Appended) -> str:
    """What came of an append, in the person's words; every row is in it."""
    counted = (
        (ngettext("{count} defect added", "{count} defects added", came.added), came.added),
        (
            ngettext(
                "{count} was in the log already", "{count} were in the log already", came.known
            ),
            came.known,
        ),
    )
    apart = (
        (ngettext("{count} without a date", "{count} without a date", came.undated), came.undated),
        (ngettext("{count} without a type", "{count} without a type", came.untyped), came.untyped),
        (
            ngettext(
                "{count} with a position that is not a whole number",
                "{count} with a position that is not a whole number",
                came.unplaced,
            ),
            came.unplaced,
        ),
        (
            ngettext(
                "{count} whose number the log has with other values",
                "{count} whose numbers the log has with other values",
                came.contradicted,
            ),
            came.contradicted,
        ),
    )
    said = [
        words.format(count=number(count, digits=0))
        for words, count in counted
        if count or words is counted[0][0]
    ]
    left = [words.format(count=number(count, digits=0)) for words, count in apart if count]
    sentence = ", ".join(said) + "."
    left_out = _("Left out: {reasons}.").format(reasons=", ".join(left))
    return f"{sentence} {left_out}" if left else sentence


def _check(profile: DatasetProfile, mapping: DefectMapping) -> None:
    """Without a type and a date a row is no defect."""
    for field in ("tipo_defeito", "data"):
        column = profile.column(mapping.column(field) or "")
        if column is None:
            raise UserError(
                _(
                    "{file} can not be added without a column for {field}. Say which one it is, or"
                    " export the file with it."
                ).format(file=profile.file, field=field)
            )
        if field == "data" and column.type not in ("date", "datetime"):
            raise UserError(
                _(
                    "The column {column} of {file} does not hold dates. Choose another one, or"
                    " read the file again with that column as dates."
                ).format(column=column.name, file=profile.file)
            )


def _rows_sql(profile: DatasetProfile, mapping: DefectMapping) -> str:
    """Every row as the log takes it: `store.defects.FILE_COLUMNS`."""
    cells = {field: _cell(mapping, field) for field in COLUMNS}
    position = mapping.column("posicao")
    if position is None:
        cells["posicao"] = written = "CAST(NULL AS VARCHAR)"
    else:
        written = _text(position)
        figure = f"TRY_CAST({written} AS DOUBLE)"
        # Cast straight to a whole number, 3.5 would become 4.
        cells["posicao"] = (
            f"CASE WHEN {figure} = floor({figure}) AND abs({figure}) < 1e9"
            f" THEN CAST({figure} AS BIGINT) END"
        )
    selected = ", ".join(f"{cells[field]} AS {field}" for field in COLUMNS)
    return (
        f"SELECT row_number() OVER () AS linha, {selected}, {written} AS posicao_escrita"  # noqa: S608
        f" FROM {quoted(profile.dataset)}"
    )


def _cell(mapping: DefectMapping, field: str) -> str:
    column = mapping.column(field)
    if column is None:
        return "CAST(NULL AS VARCHAR)"
    if field == "data":
        return f"CAST({quoted(column)} AS DATE)"
    meanings: Mapping[str, str] = mapping.meanings(field)
    return translated(_text(column), meanings) if meanings else _text(column)


def _text(column: str) -> str:
    return f"nullif({text_of(column)}, '')"
