"""Import of one sheet into a database of its own, with a report that accounts for every row."""

from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path

import duckdb

from qhub_desktop.core.dataset import (
    ApartKind,
    ColumnProfile,
    DatasetProfile,
    Finding,
    ImportReport,
    SetApart,
    numbered_alike,
)
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.table import is_numeric, quoted, sql_literal
from qhub_desktop.core.text import fold_name, words_of
from qhub_desktop.core.text import gettext as _
from qhub_desktop.data.columns import aggregates, dataset_name
from qhub_desktop.data.ingest import findings, layout_recognition, row_classification
from qhub_desktop.data.ingest.dataset_store import ROWS_FILE, id_of
from qhub_desktop.data.ingest.findings import LISTED, CountedSentence, Sentence, listed
from qhub_desktop.data.ingest.header_detection import Heading
from qhub_desktop.data.ingest.limits_above import limit_facts
from qhub_desktop.data.ingest.loader import (
    READ_SHARE,
    Head,
    Loaded,
    Row,
    Sheet,
    load,
)
from qhub_desktop.data.ingest.raw_table import (
    GROUPS,
    TEXT_CHARACTERS,
    RawTable,
    as_text,
    texts_of,
    untagged,
)
from qhub_desktop.data.ingest.readers.preamble import MOST_FACTS, facts_of
from qhub_desktop.data.ingest.readers.sheet import address, unread_finding
from qhub_desktop.data.ingest.rows_between import lines_of_records, names_in_comment
from qhub_desktop.data.ingest.table_regions import (
    fill_down,
    find_regions,
    group_columns,
    range_address,
)
from qhub_desktop.data.ingest.type_conversion import ColumnConversion, decide_conversions
from qhub_desktop.data.profile import summarize
from qhub_desktop.data.qdas_fields import OPERATOR

MOST_GAPS = 50  # of blank rows in a long sheet, under which other tables may begin
AROUND = 30  # rows around a gap, looked at
WIDE_COLUMNS = 400
NAMED = 12  # names in a sentence
TITLE_CELLS = 2  # of a title that says a fact; more may be labels of columns
FEWEST_JUDGED = 4  # rows of a gauge study
GAUGE_FORM = CountedSentence(
    "gauge_form",
    "{count} column holds a trial of {others}: {cells}.",
    "{count} columns hold the trials of {others}: {cells}. A gauge study (R&R) takes them as"
    " readings of the same parts, without any change to the file.",
)
# A column of text takes 14 MB of addresses while it is made, however few rows it has: a hundred at
# once took all there are. In parts every cell is written twice, so few columns stay together.
MADE_AT_ONCE = 50
PART_COLUMNS = 25
DECIDED_SHARE = 0.85  # how far an import is when the types are known


def import_sheet(
    sheet: Sheet, folder: Path, db: duckdb.DuckDBPyConnection
) -> tuple[DatasetProfile, Head] | None:
    """Import one sheet into a folder of its own under `folder`; return None if it is empty.

    `db` is a database in memory without any table; those that are made in it are not dropped.
    """
    sheet_ = sheet.from_first_cell()
    if sheet_ is None:
        return None
    if sheet.choices.transposed:
        sheet_ = sheet_.transposed()
    id_ = id_of(sheet_.sha256, sheet_.raw.number, sheet_.choices, table=sheet_.table)
    target = folder / id_
    target.mkdir()
    if max(map(len, sheet_.head)) > WIDE_COLUMNS:
        db.execute("SET threads = 1")  # each thread holds 32 KB of every column
    loaded = load(db, sheet_, target / ROWS_FILE)
    with ThreadPoolExecutor(1, "summarizing") as beside:
        profile = _import_loaded(loaded, id_, target, beside)
    return profile, loaded.shown_head()


def _import_loaded(loaded: Loaded, id_: str, folder: Path, beside: Executor) -> DatasetProfile:
    """Set rows apart, convert the columns and store the typed table; return its profile.

    What is stored already is summarized `beside` that: it nearly always turns out to be right.
    """
    sheet, raw, heading = loaded.sheet, loaded.sheet.raw, loaded.heading
    db = loaded.table.db
    summing = beside.submit(summarize, db.cursor(), "kept.rows") if loaded.table.stored else None
    above = rows_above_body(loaded)
    width = loaded.table.width
    below, said = row_classification.set_apart(
        loaded.table,
        heading.names,
        totals=sheet.choices.totals,
        titles=[each.text for each in above if each.kind == "title"],
        lines=_header_lines(loaded) if heading.header_rows > 1 else [],
        has_group_column=sheet.choices.filled_down is not False,
    )
    heading, titled = _group_titles(loaded, below, width)
    said = [*said, *_tables_further_down(loaded, below), *_unlike_records(loaded)]
    apart = (*above, *below)
    check_body(loaded, apart)
    sheet.tell(_("Working out what each column is"), READ_SHARE)
    positions = _kept_columns(loaded, heading.names)
    names, named = unique_names(
        heading.names, positions, row=loaded.header_row, first_column=raw.first_column
    )
    grouped, asked = _group_labels(loaded, dict(zip(positions, names, strict=True)))
    named, said = [*titled, *named, *grouped], [*said, *asked]
    decided, errors = decide_conversions(
        loaded.table,
        names,
        positions=positions,
        decimal=raw.decimal,
        is_text=raw.is_text,
        chosen=dict(sheet.choices.types),
    )
    if summing is None:
        rows = _write_table(loaded.table, decided, names, folder / ROWS_FILE)
        summing = beside.submit(summarize, db, "kept.rows")
    elif not below and loaded.table.stored == tuple(each.expression for each in decided):
        rows = loaded.table.rows
    else:
        wait([summing])  # what it found is of no use, nor why it failed
        loaded.table.unpack()
        return _import_loaded(loaded, id_, folder, beside)
    sheet.tell(_("Counting"), DECIDED_SHARE)
    summary = summing.result()
    kept = [rows - each.missing for each in summary.columns]
    unread = _unread(loaded, positions, decided, kept)
    db.execute("DETACH kept")
    report = build_report(
        loaded,
        rows=rows,
        apart=apart,
        positions=positions,
        named=named,
        decided=decided,
        errors=errors,
        said=[*said, *unread, *summary.doubtful, *_gauge_form(summary.columns, rows)],
    )
    return DatasetProfile(
        id=id_,
        dataset=dataset_name(
            Path(sheet.source.name).stem, sheet=raw.name, number=raw.number, table=sheet.table
        ),
        file=sheet.source.name,
        sheet=raw.name,
        sheets=sheet.sheets,
        rows=rows,
        sha256=sheet.sha256,
        columns=summary.columns,
        preview=summary.preview,
        warnings=sentences(report),
        report=report,
        duplicate_rows=summary.duplicate_rows,
        area=sheet.areas[sheet.table - 1] if sheet.table and sheet.areas else "",
    )


def _gauge_form(columns: Sequence[ColumnProfile], rows: int) -> list[Finding]:
    """Offer a gauge study of AIAG's form: parts and operators, and a column for each trial."""
    trials = numbered_alike(each.name for each in columns if is_numeric(each.type))
    others = [each for each in columns if each.name not in trials]
    operators = {fold_name(word) for word in words_of("qdas", OPERATOR)}
    if len(trials) < 2 or len(others) != 2 or rows < FEWEST_JUDGED:
        return []
    is_crossed = others[0].distinct * others[1].distinct == rows
    if not is_crossed or operators.isdisjoint(fold_name(each.name) for each in others):
        return []
    names = [each.name for each in others]
    return [GAUGE_FORM.finding(len(trials), [*trials], others=listed(names, of=2))]


def _header_lines(loaded: Loaded) -> list[list[str]]:
    """Return the rows of a header as they stand in the file, those with several names."""
    start, rows = loaded.heading.header or 0, loaded.heading.header_rows
    lines = [[as_text(cell).strip() for cell in row] for row in loaded.sheet.head[start:][:rows]]
    return [line for line in lines if len([*filter(None, line)]) > 1]


def _group_titles(
    loaded: Loaded, apart: Sequence[SetApart], width: int
) -> tuple[Heading, list[Finding]]:
    """Return the heading with a name for the column of the titles of groups; report the titles.

    `width` is that of the table in the file.
    """
    heading, raw = loaded.heading, loaded.table
    titles = [each for each in apart if each.kind == "group"]
    if not titles:
        return heading, []
    cells = tuple(address(each.row - 1, raw.first_column) for each in titles[:LISTED])
    if loaded.sheet.choices.filled_down is False:
        return heading, [findings.GROUPS_SET_APART.finding(len(titles), cells)]
    names = [*heading.names, *[""] * raw.width][: raw.width]
    place = 0 if raw.width == width else width
    if not names[place] or names[place] in names[place + 1 : place + 2]:
        names[place] = _("group")  # a name that is merged over two columns is the second one's
    told = findings.GROUPS_AS_COLUMN.finding(len(titles), cells, name=names[place])
    return replace(heading, names=tuple(names)), [told]


def _kept_columns(loaded: Loaded, names: Sequence[str]) -> list[int]:
    """Return the columns that have a name or at least one value; one at least."""
    raw = loaded.table
    every = range(raw.width)
    unnamed = [position for position in every if position >= len(names) or not names[position]]
    counted = raw.count_filled(unnamed)
    empty = {position for position, count in zip(unnamed, counted, strict=True) if not count}
    return [position for position in every if position not in empty] or [0]


def unique_names(
    header: Sequence[str], positions: Sequence[int], *, row: int | None, first_column: int
) -> tuple[list[str], list[Finding]]:
    """Return a different name for each of these columns, and what was changed for that.

    `row` is where in the file the header is, from 0.
    """
    named: list[str] = []
    taken: set[str] = set()
    # No column takes a name that the file gives to another one.
    theirs = {name.casefold() for name in header}
    unnamed: list[tuple[int, str]] = []
    repeated: list[tuple[int, str]] = []
    for position in positions:
        given = header[position] if position < len(header) else ""
        if given.startswith('="') and given.endswith('"'):
            given = given[2:-1]  # a text as a formula, as it keeps the zeros of codes
        wanted = given or _("column_{number}").format(number=position + 1)
        name, number = wanted, 2
        while name.casefold() in taken or (name != wanted and name.casefold() in theirs):
            name, number = f"{wanted}_{number}", number + 1
        if not given:
            unnamed.append((position, name))
        elif name != given:
            repeated.append((position, f"{given} → {name}"))
        taken.add(name.casefold())
        named.append(name)
    found: list[Finding] = []
    if unnamed and row is not None:
        found.append(_renamed_finding(findings.NAMES_GIVEN, unnamed, row, first_column))
    if repeated:
        sentence = findings.NAMES_TOLD_APART
        found.append(_renamed_finding(sentence, repeated, row or 0, first_column))
    return named, found


def _renamed_finding(
    sentence: Sentence, found: Sequence[tuple[int, str]], row: int, first_column: int
) -> Finding:
    names = listed([name for _position, name in found[:NAMED]], of=len(found))
    cells = [address(row, first_column + position) for position, _name in found[:LISTED]]
    return sentence.finding(len(found), cells, names=names)


def _write_table(
    raw: RawTable,
    decided: Sequence[ColumnConversion],
    names: Sequence[str],
    target: Path,
) -> int:
    """Create the typed table, some columns at a time, as each holds memory until the last step."""
    db = raw.db
    selected = [
        f"{each.expression} AS {quoted(name)}" for each, name in zip(decided, names, strict=True)
    ]
    size = MADE_AT_ONCE if len(selected) <= MADE_AT_ONCE else PART_COLUMNS
    parts = [selected[start : start + size] for start in range(0, len(selected), size)]
    db.execute(f"ATTACH {sql_literal(str(target))} AS kept {GROUPS}")
    if len(parts) == 1:
        db.execute(f"CREATE TABLE kept.rows AS SELECT {', '.join(selected)} FROM {raw.body}")
    else:
        for number, part in enumerate(parts):
            db.execute(f"CREATE TABLE part{number} AS SELECT {', '.join(part)} FROM {raw.body}")
        joined = " POSITIONAL JOIN ".join(f"part{number}" for number in range(len(parts)))
        db.execute(f"CREATE TABLE kept.rows AS SELECT * FROM {joined}")
    (rows,) = aggregates(db, ["count(*)"], "kept.rows")
    return int(rows)


def rows_above_body(loaded: Loaded) -> list[SetApart]:
    """Return the titles and blank rows above the header, and the numbers of columns under it."""
    first, heading = loaded.sheet.raw.first_row + 1, loaded.heading
    head = loaded.sheet.head
    kinds: tuple[tuple[ApartKind, Sequence[int]], ...] = (
        ("title", heading.titles),
        ("blank", heading.blanks),
        ("numbering", heading.numbering),
    )
    return sorted(
        (
            SetApart(kind, first + place, first + place, _text_of(head[place]))
            for kind, places in kinds
            for place in places
        ),
        key=lambda each: each.row,
    )


def check_body(loaded: Loaded, apart: Sequence[SetApart]) -> None:
    """Raise UserError unless every row that was read is in the view `body` or set apart."""
    raw = loaded.table
    (kept,) = aggregates(raw.db, ["count(*)"], raw.body)
    (stored,) = aggregates(raw.db, ["count(*)"], "raw")
    below = sum(each.last_row - each.row + 1 for each in apart if each.row > raw.first_row)
    if stored != raw.rows or kept + below != stored:
        raise _rows_lost(loaded)


def _unread(
    loaded: Loaded,
    positions: Sequence[int],
    decided: Sequence[ColumnConversion],
    kept: Sequence[int],
) -> list[Finding]:
    """Report cells that lost their value when they were converted; no conversion may lose any.

    `kept` counts the values that are stored. What was stored typed at once was proven by cell.
    """
    raw, unread = loaded.table, list[str]()
    if raw.stored:
        return []
    for position, each, count in zip(positions, decided, kept, strict=True):
        texts = each.texts
        if texts is None and each.filled:
            (texts,) = aggregates(raw.db, [f"count({each.filled})"], "body")
        if texts is not None and texts > count:
            is_lost = f"({each.filled}) IS NOT NULL AND ({each.expression}) IS NULL"
            found = raw.db.execute(f"SELECT place FROM body WHERE {is_lost}").fetchall()
            row, column = raw.first_row, raw.first_column + position
            unread += [address(row + place, column) for (place,) in found]
    return unread_finding(unread)


def build_report(
    loaded: Loaded,
    *,
    rows: int,
    apart: tuple[SetApart, ...],
    positions: Sequence[int],
    named: Sequence[Finding],
    decided: Sequence[ColumnConversion],
    errors: Sequence[Finding],
    said: Sequence[Finding],
) -> ImportReport:
    """Return the report on a sheet of which `rows` are stored. Raises UserError if rows were lost.

    `positions` are those of the columns that were kept, `named` tells how they were named, and
    `said` what is doubtful about the rows.
    """
    raw, heading, sheet = loaded.sheet.raw, loaded.heading, loaded.sheet
    # Where the format itself knows the names, they are no row of the file.
    header_rows = 0 if raw.has_names else heading.header_rows
    header_row = loaded.header_row
    report = ImportReport(
        format=sheet.format,
        rows_present=heading.body + loaded.table.rows - (heading.header_rows - header_rows),
        rows_read=rows,
        encoding=raw.encoding,
        separator=raw.separator,
        decimal=raw.decimal if raw.is_text else None,
        header_row=header_row + 1 if header_rows and header_row is not None else None,
        header_rows=header_rows,
        set_apart=apart,
        repaired=(
            *(
                [_on_areas(findings.TABLES_READ_APART, sheet.areas)]
                if sheet.table and sheet.areas
                else []
            ),
            *([findings.TRANSPOSED.finding()] if sheet.choices.transposed else []),
            *raw.repaired,
            *named,
            *_blank_columns(loaded, positions),
            *_merged(loaded),
            *errors,
            *_shorter(loaded, apart),
            *(finding for each in decided for finding in each.repaired),
        ),
        doubtful=findings.gravest_first(
            (
                *([findings.HIDDEN_SHEET.finding(sheet=raw.name or "")] if raw.is_hidden else []),
                *(
                    [_on_areas(findings.SEVERAL_TABLES, sheet.areas)]
                    if sheet.areas and not sheet.table
                    else []
                ),
                *raw.doubtful,
                *heading.findings,
                *_comment_as_names(loaded),
                *said,
                *_remainder(loaded, apart),
                *_longer(loaded, apart),
                *(finding for each in decided for finding in each.doubtful),
                *([] if rows else [findings.NO_ROWS.finding()]),
            )
        ),
        choices=sheet.choices,
        facts=_facts(loaded, apart),
    )
    if report.rows_present != rows + report.header_rows + report.rows_apart:
        raise _rows_lost(loaded)
    return report


def _on_areas(sentence: Sentence, areas: Sequence[str]) -> Finding:
    shown = areas[:LISTED]
    return sentence.finding(len(areas), shown, areas=listed(shown, of=len(areas)))


def _facts(loaded: Loaded, apart: Sequence[SetApart]) -> tuple[tuple[str, str], ...]:
    """Return what the rows above the header say of the data, limits under it that were set apart,
    and what the reader knows of it.
    """
    raw, head = loaded.sheet.raw, [*map(texts_of, loaded.sheet.head)]
    titles = [head[place] for place in loaded.heading.titles if place >= raw.preamble]
    names = loaded.heading.names
    notes = [each.row - raw.first_row - 1 for each in apart if each.kind == "note"]
    under = [head[place] for place in notes if loaded.heading.body <= place < len(head)]
    told = (
        *facts_of(head[: raw.preamble]),
        *(fact for title in titles for fact in _facts_in(title, names)),
        *(fact for row in under for fact in limit_facts(row, names)),
        *raw.facts,
    )
    return told[:MOST_FACTS]


def _facts_in(title: Sequence[str], names: Sequence[str]) -> Sequence[tuple[str, str]]:
    return limit_facts(title, names) or facts_of([title], most_cells=TITLE_CELLS)


def _comment_as_names(loaded: Loaded) -> list[Finding]:
    raw, heading = loaded.sheet.raw, loaded.heading
    if heading.header is None or heading.header_rows > 1 or not raw.is_text:
        return []
    at = address(raw.first_row + heading.header, raw.first_column)
    return names_in_comment(loaded.sheet.head[heading.header], at)


def _tables_further_down(loaded: Loaded, apart: Sequence[SetApart]) -> list[Finding]:
    """Report tables that seem to begin under blank rows of a sheet too long to be searched."""
    raw, sheet = loaded.table, loaded.sheet
    blanks = [each for each in apart if each.kind == "blank"]
    if sheet.is_searched or sheet.table or sheet.choices.table == 0 or len(blanks) > MOST_GAPS:
        return []
    names = [*loaded.heading.names, *[""] * raw.width][: raw.width]
    cells = ", ".join(untagged(place, form) for place, form in enumerate(raw.column_kinds))
    starts = [raw.first_row + 1 - loaded.heading.header_rows]
    for each in blanks:
        place = each.last_row - raw.first_row
        between = f"rowid BETWEEN {place - AROUND} AND {place + AROUND}"
        around = raw.db.execute(f"SELECT {cells} FROM raw WHERE {between}").fetchall()
        if len(find_regions([names, *around]).tables) > 1:
            starts.append(each.last_row + 1)
    if len(starts) < 2:
        return []
    last = [start - 1 for start in starts[1:]] + [raw.first_row + raw.rows]
    column = raw.first_column
    areas = [
        f"{address(start - 1, column)}:{address(end - 1, column + raw.width - 1)}"
        for start, end in zip(starts, last, strict=True)
    ]
    return [_on_areas(findings.SEVERAL_TABLES, areas)]


def _group_labels(loaded: Loaded, names: dict[int, str]) -> tuple[list[Finding], list[Finding]]:
    """Fill the labels of groups down if the person chose so; return what was, or could be."""
    raw = loaded.table
    columns = group_columns(raw)
    if not columns:
        return [], []
    blanks = " OR ".join(raw.is_blank(each) for each in columns)
    (count,) = aggregates(raw.db, [f"count(*) FILTER ({blanks})"], "body")
    told = ", ".join(names[each] for each in columns)
    cells = tuple(address(raw.first_row - 1, raw.first_column + each) for each in columns)
    if not loaded.sheet.choices.filled_down:
        return [], [findings.LABELS_ONCE.finding(count, cells, names=told)]
    fill_down(raw, columns)
    return [findings.LABELS_FILLED.finding(count, cells, names=told)], []


def _unlike_records(loaded: Loaded) -> list[Finding]:
    """Report a sheet that seems to be no list of records; of a long one its beginning is seen."""
    raw, heading, head = loaded.sheet.raw, loaded.heading, loaded.sheet.head_below
    corner = (raw.first_row, raw.first_column)
    if loaded.sheet.choices.transposed:
        return []
    found = lines_of_records(head, corner, body=heading.body)
    if found or heading.body + loaded.table.rows > len(head):
        return found
    return layout_recognition.unlike_records(head, corner, header=heading.header, body=heading.body)


def _remainder(loaded: Loaded, apart: Sequence[SetApart]) -> list[Finding]:
    """Report rows under the table that are unlike those of it, and were kept as data."""
    gone = {row for each in apart for row in range(each.row, each.last_row + 1)}
    rows = [row for row in loaded.sheet.remainder if row + 1 not in gone]
    if not rows:
        return []
    cells = tuple(address(row, loaded.sheet.raw.first_column) for row in rows[:LISTED])
    return [findings.ROWS_UNLIKE.finding(len(rows), cells)]


def _rows_lost(loaded: Loaded) -> UserError:
    return UserError(
        _("Some rows of {file} were lost while reading, so it was not used.").format(
            file=loaded.sheet.source.name
        )
    )


def _text_of(row: Row) -> str:
    return " ".join(filter(None, (as_text(cell).strip() for cell in row)))[:TEXT_CHARACTERS]


def _blank_columns(loaded: Loaded, positions: Sequence[int]) -> list[Finding]:
    """Report empty columns between, or before, those that hold something."""
    first, kept = loaded.sheet.raw.first_column, set(positions)
    missing = [place for place in range(max(positions)) if place not in kept]
    letters = [address(0, first + place)[:-1] for place in missing]
    shown = letters[:LISTED]
    told = listed(shown, of=len(letters))
    return [findings.BLANK_COLUMNS.finding(len(letters), shown, columns=told)] if letters else []


def _merged(loaded: Loaded) -> list[Finding]:
    raw, filled = loaded.sheet.raw, loaded.filled
    cells = tuple(
        range_address(merge, first_row=raw.first_row, first_column=raw.first_column)
        for merge in filled[:LISTED]
    )
    return [findings.MERGED_FILLED.finding(len(filled), cells)] if filled else []


def _shorter(loaded: Loaded, apart: Sequence[SetApart]) -> list[Finding]:
    places = _without_set_apart(loaded, loaded.uneven.shorter, apart)
    return [findings.SHORTER_ROWS.finding(len(places), _rows_at(loaded, places))] if places else []


def _longer(loaded: Loaded, apart: Sequence[SetApart]) -> list[Finding]:
    places = _without_set_apart(loaded, loaded.uneven.longer, apart)
    return [findings.LONGER_ROWS.finding(len(places), _rows_at(loaded, places))] if places else []


def _without_set_apart(
    loaded: Loaded, places: Sequence[int], apart: Sequence[SetApart]
) -> list[int]:
    gone = {row for each in apart for row in range(each.row, each.last_row + 1)}
    return [place for place in places if loaded.table.first_row + place + 1 not in gone]


def _rows_at(loaded: Loaded, places: Sequence[int]) -> tuple[str, ...]:
    raw = loaded.table
    return tuple(address(raw.first_row + place, raw.first_column) for place in places[:LISTED])


def sentences(report: ImportReport) -> tuple[str, ...]:
    """Return the report as sentences for a person or a model."""
    said: list[str] = []
    for kind in ("title", "numbering", "total", "note", "group", "repeated_header", "blank"):
        found = [each for each in report.set_apart if each.kind == kind]
        count = sum(each.last_row - each.row + 1 for each in found)
        if kind == "note":
            said += _note_sentences(report, found)
        elif count:
            titles = [each for each in found if kind != "title" or not _is_fact(each, report)]
            said.append(_apart_sentence(kind, count, titles).rstrip(": "))
    said += [finding.text for finding in (*report.repaired, *report.doubtful)]
    return tuple(said)


def _is_fact(row: SetApart, report: ImportReport) -> bool:
    """Return whether a row holds a fact, which may be a name that no model has to know."""
    text = _letters(row.text)
    return any(_letters(name + value) in text for name, value in report.facts)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _note_sentences(report: ImportReport, found: Sequence[SetApart]) -> list[str]:
    """Return the sentences about notes among the rows, and below the table."""
    gone = {row for each in report.set_apart for row in range(each.row, each.last_row + 1)}
    end = report.rows_present
    while end in gone:
        end -= 1
    below = [each for each in found if each.row > end]
    among = [each for each in found if each.row <= end]
    said = []
    if among:
        rows = listed([str(each.row) for each in among[:LISTED]], of=len(among))
        said.append(findings.NOTES_AMONG.text(len(among), rows=rows, texts=_texts(among)))
    if below:
        said.append(_apart_sentence("note", len(below), below))
    return said


def _apart_sentence(kind: str, count: int, found: Sequence[SetApart]) -> str:
    return findings.APART[kind].text(count, texts=_texts(found))


def _texts(found: Sequence[SetApart]) -> str:
    return " / ".join(each.text for each in found if each.text)[:TEXT_CHARACTERS]
