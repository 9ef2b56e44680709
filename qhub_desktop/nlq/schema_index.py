"""Index of a data set's columns and values by the words that name them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import date, datetime
from functools import cached_property, lru_cache

from qhub_desktop.core.dataset import (
    ColumnProfile,
    DatasetProfile,
    DefectMapping,
)
from qhub_desktop.core.table import Cell, is_numeric, quoted
from qhub_desktop.core.text import words_of
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.column_roles import (
    FIRST,
    LIMITING,
    ROWS_PER_CODE,
    Role,
    is_grouping,
    meanings_of,
    measured_first,
    named_by,
    own_words,
    results_of,
    role_of,
    roots_of,
    unless_limits,
    with_meanings,
    words_over_several,
)
from qhub_desktop.nlq.domain_lexicon import (
    Phrase,
    columns_by_concept,
    domain_lexicon,
    meant_by,
    values_by_concept,
    written_out,
)
from qhub_desktop.nlq.lexicon import (
    MOST_NAME_WORDS,
    Lexicon,
    RareNames,
    Token,
    boolean_phrases,
    concepts_at,
    current_lexicon,
    in_full,
    named_texts,
    value_parts_of,
    value_phrases,
)
from qhub_desktop.nlq.row_names import (
    event_columns,
    is_cut_row_name,
    is_done_on,
    is_row_name,
    means_rows,
    row_names_of,
    tells_of_rows,
)
from qhub_desktop.nlq.tokenizer import (
    root,
    stem,
    tokenize,
    unit,
    unit_behind,
    without_number,
    without_unit,
)
from qhub_desktop.nlq.wide_tables import Unpivoted, unpivoted

LOG = "defeitos"  # SQL name of the station's defect log
_TYPE_WORDS = frozenset(stem(word) for word in words_of("field", "type"))
# Words that add nothing to a name.
_GENERIC = frozenset(["quantity", "code", "number", "n", "name", "minute", "total"])
# What columns of lengths of time write for units that have a word of their own.
_TIME_UNITS = {
    "minute": {*words_of("files", "minutes")} - {"m"},  # which is a metre
    "#grain_hour": {*words_of("files", "hours")},
    "#grain_month": {*words_of("date_words", "months")},
    "#grain_year": {*words_of("date_words", "years")},
}
_PLAIN_AMOUNTS = ("money", "amount", "total_amount", "net_amount", "gross_amount", "value")
_TELLING = 4  # columns that tell which row one is


@dataclass(frozen=True, eq=False)
class SchemaIndex:
    """Index of one data set: its columns and values by their lemmas. Compared by identity."""

    profile: DatasetProfile
    meanings: Mapping[str, Mapping[str, str]]  # by column, what its values are called here
    name: Phrase
    columns: dict[Phrase, str]
    parts: dict[str, tuple[str, ...]]
    values: dict[Phrase, tuple[tuple[str, str | bool], ...]]
    value_parts: dict[str, tuple[tuple[str, str], ...]]
    lemmas: dict[str, Phrase]
    known: frozenset[str]
    units: frozenset[str]  # said with a column's name, without a meaning of their own
    roles: dict[str, Role]
    concepts: dict[str, tuple[str, ...]]  # columns by what their names mean, in any language
    value_concepts: dict[str, tuple[tuple[str, str], ...]]  # values, likewise
    row_names: frozenset[str]  # stems of the words that name the file and its sheet
    rare: RareNames
    exact: dict[Phrase, str]  # words of values that mean little by themselves, and their lemma
    wide: Unpivoted | None  # a table with a column a day or month, which is read as a long one
    roots: dict[str, tuple[tuple[str, bool], ...]]  # columns by the roots of their names' words
    results: tuple[str, str] | None  # the column that names what a row measures, and its result

    def column(self, name: str) -> ColumnProfile:
        """Return a column that is known to exist."""
        found = self.profile.column(name)
        if found is None and self.wide is not None:
            found = self.wide.source.column(name)
        assert found is not None
        return found

    def has_columns(self, names: Iterable[str]) -> bool:
        """Return whether there is a column of each name."""
        source = self.wide.source if self.wide is not None else self.profile
        return all(self.profile.column(each) or source.column(each) for each in names)

    def is_number(self, name: str) -> bool:
        """Return whether a column is numeric."""
        return is_numeric(self.column(name).type)

    def columns_at(self, tokens: Sequence[Token], place: int) -> tuple[tuple[str, ...], int] | None:
        """Return the columns that may be named from `place` on, and how many tokens name them."""
        lemmas = [token.lemma for token in tokens[place : place + MOST_NAME_WORDS]]
        for length in range(len(lemmas), 0, -1):
            found = self.columns.get(tuple(sorted(lemmas[:length])))
            if found is not None and (length > 1 or not lemmas[0].startswith("#")):
                return (found,), length
        return self._columns_in_part(lemmas)

    def column_at(self, tokens: Sequence[Token], place: int) -> tuple[str, int] | None:
        """Return the one column named from `place` on, if there is one."""
        found = self.columns_at(tokens, place)
        return (found[0][0], found[1]) if found is not None and len(found[0]) == 1 else None

    def column_by_cue(self, lemma: str) -> str | None:
        """Return a column that is called as some cue is: 'Mês', 'Total'."""
        return self.columns.get((lemma,))

    def _columns_in_part(self, lemmas: Sequence[str]) -> tuple[tuple[str, ...], int] | None:
        candidates: tuple[str, ...] = ()
        length = 0
        if not lemmas or lemmas[0].isdigit():  # a number alone names no column: 'Sensor 51'
            return None
        for place, lemma in enumerate(lemmas):
            holders = self.parts.get(lemma, ()) if lemma not in lemmas[:place] else ()
            narrowed = tuple(each for each in candidates if each in holders)
            if length and not narrowed:
                break
            if not length and not holders:
                return None
            candidates, length = narrowed or holders, length + 1
        if not candidates:
            return None
        said = {*lemmas[:length], *_GENERIC}
        whole = tuple(name for name in candidates if said.issuperset(self.lemmas[name]))
        meant = (name for each in lemmas[:length] for name in self.concepts.get(each, ()))
        return unless_limits(whole or candidates, lemmas[:length], [*meant]), length

    def columns_meant(
        self, tokens: Sequence[Token], place: int
    ) -> tuple[tuple[str, ...], int] | None:
        """Return the columns whose names mean, maybe in another language, what stands here."""
        for concept, length in concepts_at(tokens, place):
            for near in (concept, *current_lexicon().similar.get(concept, ())):
                if found := self.concepts.get(near):
                    return unless_limits(found, (near,)), length
        return None

    def columns_derived(self, token: Token) -> tuple[str, ...]:
        """Return the columns that a word is derived from, or with: 'abertura' of 'Aberta em'."""
        if token.is_cue or not token.words[0].normalized.isalpha():
            return ()
        said, has_ending = root(token.words[0].normalized)
        found = self.roots.get(said, ())
        return tuple(dict.fromkeys(name for name, has in found if has or has_ending))

    def columns_of_verb(self, token: Token) -> tuple[str, ...]:
        """Return the columns that a verb is about, maybe in another language: 'criou'."""
        own, _ = root(token.words[0].normalized)
        derived = domain_lexicon().derived_from(own)
        concepts = [
            near for each in derived for near in (each, *current_lexicon().similar.get(each, ()))
        ]
        meant = (
            name
            for concept in concepts
            for name in (*self.concepts.get(concept, ()), *self.parts.get(concept, ()))
        )
        return tuple(dict.fromkeys([*self.columns_derived(token), *meant]))

    def is_called_rows(self, name: str) -> bool:
        """Return whether a column is called as the file calls its rows: 'Tinta', not its 'Tipo'."""
        stems = {stem(word.normalized) for word in tokenize(name)}
        return bool(stems & self.row_names) and not stems & _TYPE_WORDS

    def values_meant(
        self, tokens: Sequence[Token], place: int
    ) -> tuple[tuple[tuple[str, str | bool], ...], int] | None:
        """Return the values that mean, maybe in another language, what stands here."""
        for concept, length in concepts_at(tokens, place):
            if found := self.value_concepts.get(concept):
                return found, length
        return None

    def values_at(
        self, tokens: Sequence[Token], place: int
    ) -> tuple[tuple[tuple[str, str | bool], ...], int] | None:
        """Return the values named from `place` on, with their columns, and the number of tokens."""
        window = tokens[place : place + MOST_NAME_WORDS]
        lemmas = tuple(token.lemma for token in window)
        rare = self.rare.phrases(window)
        for length in range(len(lemmas), 0, -1):
            found = (*self.values.get(lemmas[:length], ()), *rare.get(lemmas[:length], ()))
            if found and not all(lemma.startswith("#") for lemma in lemmas[:length]):
                return found, length
        return None

    def values_with(self, token: Token) -> tuple[tuple[str, str], ...]:
        """Return the values that contain a word, if all are of one column and it names none."""
        if token.is_cue:
            return ()
        found = self.value_parts.get(token.lemma) or self.rare.with_word(token)
        is_clear = len({column for column, _ in found}) == 1 and token.lemma not in self.parts
        return found if is_clear else ()

    @property
    def type_column(self) -> str | None:
        """The column of types of defect."""
        if self.profile.defects is not None:
            return self.profile.defects.column("tipo_defeito")
        return self.columns.get(("defect", "type")) or next(
            (name for name in self.parts.get("defect", ()) if is_grouping(self.column(name))),
            None,
        )

    @property
    def is_of_defects(self) -> bool:
        """Whether the columns are mapped to the plant's fields of a defect."""
        return self.profile.defect_column("tipo_defeito") is not None

    @property
    def shift_column(self) -> str | None:
        """The column of shifts."""
        if (known := self._known("turno")) is not None:
            return known
        return self.columns.get(("shift",)) or next(iter(self.parts.get("shift", ())), None)

    @cached_property
    def date_column(self) -> str | None:
        """The first column of days or moments."""
        if (known := self._known("data")) is not None:
            return known
        if self.wide is not None:
            return self.wide.day
        moments = [each.name for each in self.profile.columns if each.type in ("date", "datetime")]
        happened = event_columns(moments)
        of_rows = (name for name in happened if tells_of_rows(name, self.row_names))
        return next(of_rows, next(iter(happened or moments), None))

    @property
    def place_column(self) -> str | None:
        """The first column that says where: a city, an airport, a machine."""
        places = current_lexicon().places
        return next(
            (
                each.name
                for concept in places
                for each in self.profile.columns
                if not is_numeric(each.type)
                and (
                    concept in self.lemmas[each.name] or each.name in self.concepts.get(concept, ())
                )
            ),
            None,
        )

    @property
    def text_column(self) -> str | None:
        """The column of the longest texts, which are sentences rather than names."""
        texts = [each for each in self.profile.columns if each.type in ("text", "category")]
        lengths = {
            each.name: sum(len(str(value)) for value, _ in each.top) / max(1, len(each.top))
            for each in texts
            if each.distinct > 2 and not self.is_identity(each.name)
        }
        return max(lengths, key=lambda name: lengths[name], default=None)

    @property
    def hour_column(self) -> str | None:
        """The column with times of day: that of dates, else that of times."""
        column = self.date_column
        if column is not None and self.column(column).type == "datetime":
            return column
        times = [each.name for each in self.profile.columns if each.type == "time"]
        return times[0] if len(times) in (1, 2) else None  # of two, when it began

    def _known(self, field: str) -> str | None:
        """Return the column of one of the plant's fields, where the data set is one of defects."""
        return None if self.profile.defects is None else self.profile.defects.column(field)

    @property
    def first_day(self) -> date | None:
        """The earliest day in the data."""
        return None if self.date_column is None else _day_of(self.column(self.date_column).min)

    def moment_of(self, span: tuple[date | None, date | None]) -> str | None:
        """Return the one column of dates that reaches some days, where the first does not."""
        first, last = span[0] or date.min, span[1] or date.max
        reaching = [
            each.name
            for each in self.profile.columns
            if (low := _day_of(each.min)) and (high := _day_of(each.max))
            if low <= last and first <= high
        ]
        return reaching[0] if len(reaching) == 1 and self.date_column not in reaching else None

    @property
    def last_day(self) -> date | None:
        """The latest day in the data."""
        return None if self.date_column is None else _day_of(self.column(self.date_column).max)

    @property
    def categories(self) -> tuple[str, ...]:
        """The columns worth grouping by, the most informative first."""
        chosen = [each for each in self.profile.columns if is_grouping(each)]
        preferred = [self.shift_column, self.type_column]
        chosen.sort(key=lambda each: each.name in preferred and -preferred.index(each.name) - 1)
        return tuple(each.name for each in chosen)

    def is_amount(self, name: str) -> bool:
        """Return whether a column's numbers are added up rather than averaged."""
        return self.roles[name] == "amount"

    def is_measure(self, name: str) -> bool:
        """Return whether a column's numbers are quantities, and not what things are called by."""
        return self.roles[name] in ("amount", "level")

    def is_moment(self, name: str) -> bool:
        """Return whether a column holds dates, moments or times."""
        return self.roles[name] == "moment"

    def is_identity(self, name: str) -> bool:
        """Return whether a column tells the rows apart: each value stands in one row."""
        column, rows = self.column(name), self.profile.rows
        is_key = column.distinct == rows - column.missing > ROWS_PER_CODE
        first = [each.name for each in self.profile.columns[:FIRST]]
        return is_key and name in first and not self.is_measure(name)

    @property
    def telling(self) -> tuple[str, ...]:
        """The columns that tell which row one is: what it is called, when, where, of what kind."""
        called = [
            each.name
            for each in self.profile.columns
            if self.is_identity(each.name) or self.is_row_number(each.name)
        ]
        others = [self.date_column, self.place_column, *self.categories]
        return tuple(dict.fromkeys([*called[:2], *filter(None, others)]))[:_TELLING]

    def is_flag(self, name: str) -> bool:
        """Return whether a column says yes or no of each row, in words or as 1 and 0."""
        return self.roles[name] == "flag"

    @property
    def relation(self) -> str:
        """What is selected from, in SQL: the table, or a wide one as a long one."""
        return self.wide.relation if self.wide else quoted(self.profile.dataset)

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """The columns worth an average."""
        return tuple(each.name for each in self.profile.columns if self.is_measure(each.name))

    def measures_of(self, concept: str) -> tuple[str, ...]:
        """Return the columns of numbers that measure a concept: 'cost', 'time', 'age'."""
        for near in (concept, *current_lexicon().similar.get(concept, ())):
            named = dict.fromkeys([*self.concepts.get(near, ()), *self.parts.get(near, ())])
            measured = [name for name in named if self.is_measure(name)]
            measured = [*(measured if near in LIMITING else measured_first(measured))]
            if concept == "money":
                measured = [name for name in measured if self.is_amount(name)]
                measured = [name for name in measured if not _counts_pieces(name)]
            whole = self.columns.get(("#total",), "")
            comes_first = near in _PLAIN_AMOUNTS and bool(whole) and self.is_measure(whole)
            if measured:
                return tuple(dict.fromkeys([*[whole] * comes_first, *measured]))
        return ()

    def measures_in(self, token: Token) -> tuple[str, ...]:
        """Return the columns of numbers in a unit that their names tell: 'minutos', 'EUR'."""
        said = token.words[0].normalized
        written = [(name, unit(name).strip("()[] ").casefold()) for name in self.measures]
        return measured_first(
            name for name, own in written if own == said
        ) or self.measures_in_unit(token.lemma)

    def measures_in_unit(self, lemma: str) -> tuple[str, ...]:
        """Return the columns of numbers in a unit of time that a lemma means."""
        written = ((name, unit(name).strip("()[] ").casefold()) for name in self.measures)
        said = _TIME_UNITS.get(lemma, ())
        return measured_first(name for name, own in written if own and own in said)

    def is_in_file_name(self, token: Token) -> bool:
        """Return whether a word stands in the name of the file or the sheet."""
        return is_row_name(token.words[0].normalized, self.row_names)

    def is_code(self, said: str) -> bool:
        """Return whether 'q2' or 't2' may name something in the data, rather than a quarter."""
        named = said in self.known or bool(self.rare.known(tokenize(said)))
        return named or (said[0] == "t" and self.shift_column is not None)

    def means_something(self, token: Token) -> bool:
        """Return whether a word stands for a concept of the trades, though no column does."""
        return bool(concepts_at((token,), 0))

    def is_measured(self, token: Token) -> bool:
        """Return whether a column of numbers measures what a word means: 'consumo', in kWh."""
        return any(self.measures_of(concept) for concept, _ in concepts_at((token,), 0))

    def is_unit(self, name: str) -> bool:
        """Return whether a column tells the unit of another's numbers: 'UM', 'ME'."""
        return any(name in self.concepts.get(each, ()) for each in ("unit_of_measure", "unit"))

    def means_number(self, token: Token) -> bool:
        """Return whether a word stands for something that is measured: 'consumo', 'weight'."""
        kinds = {domain_lexicon().kind(concept) for concept, _ in concepts_at((token,), 0)}
        return bool({"amount", "level"} & kinds)

    def is_gain(self, name: str) -> bool | None:
        """Return whether more of a column is better, None where that is not known."""
        lexicon = current_lexicon()
        said = {*self.lemmas[name], *(key for key, names in self.concepts.items() if name in names)}
        if name in (self.wide.value if self.wide else "", *self.concepts.get("value", ())):
            named = (domain_lexicon().concepts_at((word,), 0) for word in self.row_names)
            said |= {concept for found in named for concept, _ in found}  # "Valor", of sales
        if said & lexicon.gains:
            return True
        return False if said & (lexicon.amounts - lexicon.neutral) else None

    def is_one_name(self, first: Token, second: Token) -> bool:
        """Return whether two words are one name of a row: 'ordens de trabalho', 'order lines'."""
        if self.is_in_file_name(second):
            return True
        stems = [stem(each.words[-1].normalized) for each in (first, second)]
        return any(length > 1 for _, length in domain_lexicon().concepts_at(stems, 0))

    def names_rows(self, token: Token) -> bool:
        """Return whether a word says what a row is, as the name of the file or sheet does."""
        if self.is_in_file_name(token):
            return True
        if len(token.words) > 1:
            return False
        said = stem(token.words[0].normalized)
        if is_cut_row_name(token.words[0].normalized, self.row_names):
            return True
        meant = {concept for concept, _ in domain_lexicon().concepts_at((said,), 0)}
        day = self.date_column
        is_filled = day is not None and not self.column(day).missing
        is_done = is_filled and is_done_on(token.words[0].normalized, meant, day or "")
        return is_done or means_rows(meant, self.row_names)

    def is_year(self, number: float) -> bool:
        """Return whether a number is a year that the dates of the data reach."""
        ends = [(_day_of(each.min), _day_of(each.max)) for each in self.profile.columns]
        return any(low and high and low.year <= number <= high.year for low, high in ends)

    def is_row_number(self, name: str) -> bool:
        """Return whether a column only numbers the rows."""
        column = self.column(name)
        is_key = column.distinct == self.profile.rows > 1
        return self.roles.get(name) == "id" and is_key


def _day_of(value: Cell) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    return value if isinstance(value, date) else None


def _counts_pieces(name: str) -> bool:
    """Return whether a column holds pieces, though it names money: 'Qtd. vendas'."""
    concepts = domain_lexicon().concepts_of_name(name)
    return bool({"quantity", "quantity_sold"} & {*concepts})


def schema_index_of(profile: DatasetProfile) -> SchemaIndex:
    """Return a profile's index; cached while its rows and their meanings stay the same."""
    # The station's log may change its rows without their number; a file's id tells its content.
    columns = () if profile.sha256 else profile.columns
    words = current_lexicon()
    return _indexed(
        _Key(profile.id, profile.dataset, profile.rows, columns, profile.defects, words, profile)
    )


@dataclass(frozen=True, slots=True)
class _Key:
    """Cache key of a profile: hashing thousands of values for each question takes too long."""

    id: str
    dataset: str
    rows: int
    columns: tuple[ColumnProfile, ...]
    defects: DefectMapping | None
    words: Lexicon
    profile: DatasetProfile = field(compare=False)


@lru_cache(maxsize=32)
def _indexed(key: _Key) -> SchemaIndex:
    meanings, words = meanings_of(key.profile), key.words
    profile = with_meanings(key.profile, meanings)
    wide = unpivoted(profile)
    profile = wide.profile if wide else profile
    lemmas = {
        each.name: written_out(each.name, words.lemmas(without_unit(each.name)))
        or (each.name.lower(),)
        for each in profile.columns
    }
    if wide is not None:
        lemmas[wide.value] = ("quantity",)
    columns, parts = _column_phrases(profile, words, lemmas, wide)
    meant = {each.name: meant_by(each, profile) for each in profile.columns}
    values, exact = _value_phrases(profile, words, lemmas, meant)
    known = {lemma for phrase in (*lemmas.values(), *values) for lemma in phrase}
    heads = words_over_several([each.name for each in profile.columns])
    roles = {
        each.name: role_of(
            each,
            place,
            lemmas[each.name],
            meant[each.name],
            profile.rows,
            levels=words.levels,
            amounts=words.amounts,
            heads=heads,
        )
        for place, each in enumerate(profile.columns)
    }
    return SchemaIndex(
        profile=profile,
        meanings=meanings,
        name=words.lemmas(profile.dataset),
        columns=columns,
        parts=parts,
        values=values,
        value_parts=value_parts_of(profile),
        lemmas=lemmas,
        known=frozenset(known),
        units=frozenset(
            lemma
            for each in profile.columns
            if not unit_behind(each.name)
            for lemma in words.lemmas(unit(each.name))
        ),
        roles=roles,
        concepts=columns_by_concept(
            {name: named_by(name, own) for name, own in meant.items()}, profile
        ),
        value_concepts=values_by_concept(profile),
        row_names=row_names_of(profile.dataset, profile.sheet or ""),
        rare=RareNames(profile, frozenset(parts)),
        exact=exact,
        wide=wide,
        roots=roots_of(profile),
        results=results_of(
            profile, meant, [name for name, role in roles.items() if role in ("amount", "level")]
        ),
    )


def _column_phrases(
    profile: DatasetProfile,
    words: Lexicon,
    lemmas: Mapping[str, Phrase],
    wide: Unpivoted | None,
) -> tuple[dict[Phrase, str], dict[str, tuple[str, ...]]]:
    """Return the columns by the lemmas of their names, and by each of these lemmas."""
    columns: dict[Phrase, str] = {}
    parts: dict[str, tuple[str, ...]] = {}
    if wide is not None:
        parts |= dict.fromkeys(("produced", "part", "value"), (wide.value,))
    for name, phrase in lemmas.items():
        columns.setdefault(tuple(sorted(phrase)), name)
        numbered = [words.lemmas(without_number(each)) for each in phrase]
        behind = words.lemmas(unit_behind(name))  # 'quantos kg?'
        for lemma in dict.fromkeys((*phrase, *behind, *(e for own in numbered for e in own))):
            if not lemma.startswith("#"):
                parts[lemma] = (*parts.get(lemma, ()), name)
    for each, column_name in profile.defects.columns if profile.defects else ():
        # The plant's names of the mapped columns: 'tipo de defeito', 'rack'.
        if phrase := tuple(sorted(words.lemmas(each.replace("_", " ")))):
            columns.setdefault(phrase, column_name)
    return columns, parts


def _value_phrases(
    profile: DatasetProfile,
    words: Lexicon,
    lemmas: Mapping[str, Phrase],
    meant: Mapping[str, Collection[str]],
) -> tuple[dict[Phrase, tuple[tuple[str, str | bool], ...]], dict[Phrase, str]]:
    """Return the columns and values by the lemmas of values, and the lemma of each in full.

    In full is kept what the lexicon has no words for, or only one: 'Em uso'.
    """
    values: dict[Phrase, tuple[tuple[str, str | bool], ...]] = {}
    exact: dict[Phrase, str] = {}
    shifts = profile.defect_column("turno")
    for column in profile.columns:
        if column.type == "boolean":
            for phrase, value in boolean_phrases(lemmas[column.name]):
                values.setdefault(phrase, ((column.name, value),))
        if column.type in ("text", "category"):
            is_shift = "shift" in (*lemmas[column.name], *meant[column.name])
            is_shift = is_shift or column.name == shifts
            for said in named_texts(column):
                own = words.lemmas(in_full(said, "shortened"))  # 'c/ baixa'
                spelled = tuple(word.normalized for word in tokenize(said))
                is_little = all(lemma.startswith("#") for lemma in own)  # 'Em uso'
                is_cut = len(own) == 1 and own[0].isalpha()  # 'Em calibração', 'Operador I'
                if len(spelled) > 1 and (is_little or is_cut):
                    own = (f"={said}",)
                    exact[spelled] = own[0]
                for phrase in value_phrases(said, own, is_shift=is_shift):
                    values[phrase] = (*values.get(phrase, ()), (column.name, said))
    for column_name, word, meaning in own_words(profile):
        for said in (word, meaning):
            for phrase in value_phrases(said, words.lemmas(said), is_shift=False):
                values.setdefault(phrase, ((column_name, meaning),))
    return values, exact
