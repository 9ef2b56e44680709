"""Recognition of defect tables: which column holds which field, under any common name."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from qhub_desktop.core.dataset import (
    DEFECT_FIELDS,
    DEFECT_WORDS,
    ColumnProfile,
    DatasetProfile,
    DefectMapping,
    named_as,
)
from qhub_desktop.core.text import fold, lexicons, words_of
from qhub_desktop.core.values import dataclass

# Stop words of names and values ('turno da manhã').
_JOINING = frozenset(words_of("defects", "joining"))
_SHORTEST_STEM = 3  # a word up to this length keeps its s: 'pos'
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_HOURS = {(6, 14): "manha", (14, 22): "tarde", (22, 6): "noite"}
_HOURS_WRITTEN = re.compile(r"\D*(\d{1,2})(?:[h:]\d{0,2})?\D{1,4}(\d{1,2})(?:[h:]\d{0,2})?\D*")


@lru_cache(maxsize=8192)
def tokens(text: str) -> tuple[str, ...]:
    """Split a name into stemmed words without accents, case, punctuation and stop words."""
    apart = _CAMEL.sub(" ", text)
    found = re.findall(r"[a-z0-9]+", fold(apart))
    kept = tuple(_stem(each) for each in found if each not in _JOINING)
    return kept or tuple(found)


@lru_cache(maxsize=8192)
def meaning_of(field: str, word: str) -> str | None:
    """Return the canonical type of defect or shift of a word, or None if it is unknown."""
    if field == "turno":
        return _shift(word)
    # '03 - Casca de laranja (CL3)': codes beside the words are ignored.
    said = tuple(each for each in tokens(word.partition("(")[0]) if each.isalpha())
    if not said:
        return None
    if said in _KNOWN_TYPES:
        return _KNOWN_TYPES[said]
    shortened = {meaning for phrase, meaning in _KNOWN_TYPES.items() if _is_short_for(said, phrase)}
    return shortened.pop() if len(shortened) == 1 else None


def meanings_of(field: str, words: Iterable[str]) -> tuple[tuple[str, str, str], ...]:
    """Return the known words as (field, word, meaning), as a mapping keeps them."""
    found = ((word.strip(), meaning_of(field, word)) for word in words)
    return tuple((field, word, meaning) for word, meaning in found if meaning is not None)


def name_score(field: str, name: str) -> float:
    """Score how well a column's name fits a field, from 0 (not at all) to below 1."""
    said = tokens(name)
    if not said:
        return 0.0
    known = _NAMES[field].get(said) or _NAMES[field].get(tuple(sorted(said)))
    return known if known is not None else _score_in_part(field, said)


def _score_in_part(field: str, said: tuple[str, ...]) -> float:
    """Score a name that contains the field's main word among others: 'Turno (pintura)'."""
    heads = _HEADS[field]
    others = {head for each, words in _HEADS.items() if each != field for head in words}
    named = [each for each in said if each in heads]
    if not named or any(each in _COUNTING for each in said):
        return 0.0
    return 0.3 if any(each in others for each in said) else 0.6


def _shift(word: str) -> str | None:
    if hours := _HOURS_WRITTEN.fullmatch(word.strip().lower()):
        return _HOURS.get((int(hours[1]), int(hours[2])))
    said = tuple(each for each in tokens(word.partition("(")[0]) if each not in _SHIFT_ITSELF)
    # Folding turns the ordinal sign into a letter: '1.º' and '1º' become '1o'.
    said = tuple(re.sub(r"^([123])[oa]$", r"\1", each) for each in said)
    # '1 - Manhã' repeats itself; words that contradict each other are unknown.
    meanings = {_KNOWN_SHIFTS.get((each,)) for each in said}
    return meanings.pop() if len(meanings) == 1 else None


def _is_short_for(said: tuple[str, ...], phrase: tuple[str, ...]) -> bool:
    """Return whether words abbreviate a phrase: 'C. laranja', 'Falta tint'; never one word."""
    return (
        1 < len(said) == len(phrase)
        and sum(map(len, said)) >= 5
        and all(whole.startswith(part) for part, whole in zip(said, phrase, strict=True))
    )


def _stem(word: str) -> str:
    return word[:-1] if len(word) > _SHORTEST_STEM and word.endswith("s") else word


# Of a column's name alone, by how sure it is; a language's first name of a field scores highest.
_NAME_SCORES = {"sure": 0.9, "likely": 0.84, "vague": 0.4}
_LAST_PLACE = 20  # what comes later in a list scores no lower


def _by_tokens(table: str, meanings: Iterable[str]) -> dict[tuple[str, ...], str]:
    """Return the meanings by the tokens of the words that the lexicons list for each."""
    return {
        tokens(each): meaning
        for meaning in meanings
        for each in (*_listed(table, meaning), meaning)
    }


def _listed(table: str, key: str) -> list[str]:
    return [word for words in _by_language(table, key) for word in words]


def _by_language(table: str, key: str) -> Iterator[Sequence[str]]:
    """Yield what each language's lexicon lists under a key of one of the tables on defects."""
    for lexicon in lexicons("defects").values():
        yield lexicon.get("defects", {}).get(table, {}).get(key, ())


def _names(field: str) -> dict[tuple[str, ...], float]:
    """Return the names of a field's column as tokens, in any order, with their scores."""
    found: dict[tuple[str, ...], float] = {}
    for certainty, score in _NAME_SCORES.items():
        for names in _by_language(certainty, field):
            for place, name in enumerate(names):
                lowered = 0 if certainty == "vague" else min(place, _LAST_PLACE) / 400
                for key in (tokens(name), tuple(sorted(tokens(name)))):
                    found[key] = max(found.get(key, 0), score - lowered)
    return found


_KNOWN_TYPES = _by_tokens("types", DEFECT_WORDS["tipo_defeito"])
_KNOWN_SHIFTS = _by_tokens("shifts", DEFECT_WORDS["turno"])
_SHIFT_ITSELF = frozenset(_listed("shifts", "shift_itself"))
_COUNTING = frozenset(words_of("defects", "counting"))
_NAMES: Mapping[str, Mapping[tuple[str, ...], float]] = {
    field: _names(field) for field in DEFECT_FIELDS
}
_HEADS: Mapping[str, frozenset[str]] = {
    field: frozenset(_listed("head", field)) for field in DEFECT_FIELDS
}


SURE = 0.85  # score of a column whose name and values both fit the field
MOST_COLUMNS = 200  # of a list of defects: a wider table is none
MOST_TYPES = 200  # a column with more distinct words is free text
# Types that only painting has; dirt, oil and grease occur in other tables, too.
PAINT = {"falta_tinta", "casca_laranja", "descasque", "escorrido", "crateras"}
_LARGEST_POSITION = 1_000  # a number beyond is no position on a rack
_SMALL_RANGE = 60  # numbers from 1 to this, beside a rack, may be the positions on it
_MANY = 20  # in at least this many rows, distinct values are a key and no coincidence
_RACK = re.compile(r"R\W?\d{1,4}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MappingProposal:
    """Proposed mapping of a data set to the fields of a defect table.

    `unknown` are the words for types and shifts that were not recognised, as (field, word): they
    are kept unchanged unless the person gives their meaning. `is_certain` means that the mapping
    may be used without asking.
    """

    mapping: DefectMapping
    confidence: float
    missing: tuple[str, ...]
    unknown: tuple[tuple[str, str], ...] = ()
    is_certain: bool = False
    is_confirmed: bool = False  # by the person, for files with these columns


def propose(profile: DatasetProfile) -> MappingProposal | None:
    """Propose the most likely mapping to a defect table; None for any other table."""
    if len(profile.columns) > MOST_COLUMNS:
        return None
    scores = [
        (score, field, column)
        for field in DEFECT_FIELDS
        for column in profile.columns
        if (score := _score(field, column, profile.rows)) > 0
    ]
    chosen: dict[str, tuple[float, ColumnProfile]] = {}
    taken: set[str] = set()
    # The highest score first; among equals, the order of the columns decides.
    scores.sort(key=lambda each: -each[0])
    for score, field, column in scores:
        if field not in chosen and column.name not in taken:
            chosen[field] = (score, column)
            taken.add(column.name)
    _find_position(profile, chosen, taken)
    if not _is_defect_table(chosen):
        return None
    mapping = _mapping({field: column for field, (_, column) in chosen.items()})
    unknown = unknown_words(profile, mapping)
    confidence = sum(score for score, _ in chosen.values()) / len(chosen)
    return MappingProposal(
        mapping=mapping,
        confidence=round(confidence, 3),
        missing=tuple(field for field in DEFECT_FIELDS if field not in chosen),
        unknown=unknown,
        is_certain=_is_certain(chosen, scores) and not unknown,
    )


def certain_mapping(profile: DatasetProfile) -> DefectMapping | None:
    """Return the mapping that may be used without asking, or None."""
    proposal = propose(profile)
    if proposal is not None and proposal.is_certain:
        return proposal.mapping
    # A table with the plant's own column names needs no confirmation, whatever its words.
    columns = {
        field: column
        for field in DEFECT_FIELDS
        for column in profile.columns
        if named_as(field, column.name)
    }
    return _mapping(columns) if "tipo_defeito" in columns else None


def with_known_words(mapping: DefectMapping, words: Mapping[str, Sequence[str]]) -> DefectMapping:
    """Return the mapping with the generally known words of a file added."""
    settled = {(field, word) for field, word, _ in mapping.words}
    more = tuple(
        (field, word, meaning)
        for field in DEFECT_WORDS
        for field, word, meaning in meanings_of(field, words.get(field, ()))
        if (field, word) not in settled
    )
    return DefectMapping(mapping.columns, (*mapping.words, *dict.fromkeys(more)))


def unknown_words(profile: DatasetProfile, mapping: DefectMapping) -> tuple[tuple[str, str], ...]:
    """Return the words for types and shifts without a meaning, as (field, word)."""
    return tuple(
        (field, word)
        for field, words in frequent_words(profile, mapping).items()
        for word in words
        if (field, word) not in {(each, known) for each, known, _ in mapping.words}
    )


def frequent_words(profile: DatasetProfile, mapping: DefectMapping) -> dict[str, list[str]]:
    """Return the words for types and shifts by field, as far as the profile lists them."""
    found: dict[str, list[str]] = {}
    for field in DEFECT_WORDS:
        column = profile.column(mapping.column(field) or "")
        if column is not None:
            found[field] = list(dict.fromkeys(_words(column)))
    return found


def _mapping(columns: Mapping[str, ColumnProfile]) -> DefectMapping:
    words = [
        word
        for field in DEFECT_WORDS
        if field in columns
        for word in meanings_of(field, _words(columns[field]))
    ]
    pairs = tuple((field, columns[field].name) for field in DEFECT_FIELDS if field in columns)
    return DefectMapping(pairs, tuple(dict.fromkeys(words)))


def _score(field: str, column: ColumnProfile, rows: int) -> float:
    """Score how well a column fits a field, by its name and its values."""
    if column.missing == rows:
        return 0.0
    by_name = 1.0 if named_as(field, column.name) else name_score(field, column.name)
    return _SCORES[field](column, by_name, rows)


def _score_id(column: ColumnProfile, by_name: float, rows: int) -> float:
    is_key = column.distinct == rows and column.type in ("integer", "text", "category")
    return by_name if is_key else 0.0


def _score_date(column: ColumnProfile, by_name: float, _rows: int) -> float:
    if column.type not in ("date", "datetime"):
        return 0.0
    return by_name or 0.2  # dates are rare: any column of them is a candidate


def _score_shift(column: ColumnProfile, by_name: float, _rows: int) -> float:
    words = list(_words(column))
    if column.type not in ("text", "category", "integer") or column.distinct > 12:
        return 0.0
    known = [word for word in words if meaning_of("turno", word)]
    if by_name >= 0.5:
        return by_name
    # Single letters and digits mean a shift only if the column's name says so.
    is_plain = len(known) == len(words) > 1 and all(len(word) > 3 for word in words)
    return 0.5 + by_name / 2 if is_plain else 0.0


def _score_operator(column: ColumnProfile, by_name: float, rows: int) -> float:
    is_fit = column.type in ("text", "category", "integer") and not _is_key(column, rows)
    return by_name if is_fit else 0.0


def _score_type(column: ColumnProfile, by_name: float, _rows: int) -> float:
    if column.type == "integer":  # only if the name says that it is a code
        is_code = by_name >= 0.8 and any(
            each in column.name.lower() for each in words_of("files", "codes")
        )
        return 0.5 if is_code and column.distinct <= MOST_TYPES else 0.0
    if column.type not in ("text", "category") or column.distinct > MOST_TYPES:
        return 0.0
    share, kinds = _known_types(column)
    if share >= 0.5 and len(kinds) >= 2:
        return 0.7 + 0.2 * share + 0.1 * by_name
    return 0.0 if 0 < by_name < 0.5 and not kinds else by_name * (0.8 if not kinds else 0.9)


def _score_text(column: ColumnProfile, by_name: float, rows: int) -> float:
    is_fit = column.type in ("text", "category", "integer") and not _is_key(column, rows)
    return by_name if is_fit else 0.0


def _score_rack(column: ColumnProfile, by_name: float, rows: int) -> float:
    words = list(_words(column))
    if words and all(_RACK.fullmatch(word) for word in words):
        return max(by_name, 0.7)
    return _score_text(column, by_name, rows)


def _score_position(column: ColumnProfile, by_name: float, _rows: int) -> float:
    is_fit = (
        column.type == "integer"
        and isinstance(column.min, int)
        and isinstance(column.max, int)
        and column.min >= 0
        and column.max <= _LARGEST_POSITION
    )
    return by_name if is_fit else 0.0


_SCORES: Mapping[str, Callable[[ColumnProfile, float, int], float]] = {
    "id": _score_id,
    "data": _score_date,
    "turno": _score_shift,
    "operador": _score_operator,
    "tipo_defeito": _score_type,
    "material": _score_text,
    "rack": _score_rack,
    "posicao": _score_position,
}


def _find_position(
    profile: DatasetProfile, chosen: dict[str, tuple[float, ColumnProfile]], taken: set[str]
) -> None:
    """Choose the only column of small integers beside a rack as the position on it."""
    if "posicao" in chosen or "rack" not in chosen:
        return
    small = [
        column
        for column in profile.columns
        if column.name not in taken
        and column.type == "integer"
        and column.distinct > 2
        and isinstance(column.min, int)
        and isinstance(column.max, int)
        and 1 <= column.min <= column.max <= _SMALL_RANGE
    ]
    if len(small) == 1:
        chosen["posicao"] = (0.3, small[0])
        taken.add(small[0].name)


def _is_defect_table(chosen: Mapping[str, tuple[float, ColumnProfile]]) -> bool:
    """Return whether types of defect are found together with a time or place."""
    if "tipo_defeito" not in chosen:
        return False
    _, column = chosen["tipo_defeito"]
    _share, kinds = _known_types(column)
    is_named = name_score("tipo_defeito", column.name) >= 0.5
    others = {field for field, (score, _) in chosen.items() if score >= 0.2} - {"tipo_defeito"}
    if (len(kinds) >= 2 and kinds & PAINT) or (kinds and is_named):
        return bool(others & {"data", "turno", "rack"}) or {"operador", "posicao"} <= others
    # By its name alone it needs a place: a list of software bugs has types and dates, too.
    return is_named and bool(others & {"turno", "rack", "posicao"}) and len(others) >= 2


def _is_certain(
    chosen: Mapping[str, tuple[float, ColumnProfile]],
    scores: Sequence[tuple[float, str, ColumnProfile]],
) -> bool:
    """Return whether every column is sure and no other column fits nearly as well."""
    if "data" not in chosen or any(score < SURE for score, _ in chosen.values()):
        return False
    if any(column.distinct > len(column.top) for column in _word_columns(chosen)):
        return False  # the profile does not list all words
    return not any(
        score >= SURE and column.name != chosen[field][1].name
        for score, field, column in scores
        if all(column.name != each.name for _, each in chosen.values())
    )


def _word_columns(chosen: Mapping[str, tuple[float, ColumnProfile]]) -> Iterator[ColumnProfile]:
    return (
        chosen[field][1]
        for field in DEFECT_WORDS
        if field in chosen and chosen[field][1].type != "integer"
    )


def _known_types(column: ColumnProfile) -> tuple[float, set[str]]:
    """Return the share of the frequent words that is known, and their meanings."""
    words = list(_words(column))
    known = [meaning for word in words if (meaning := meaning_of("tipo_defeito", word))]
    kinds = {each for each in known if each != "outros"}
    return (len(known) / len(words) if words else 0.0), kinds


def _is_key(column: ColumnProfile, rows: int) -> bool:
    return rows >= _MANY and column.distinct == rows


def _words(column: ColumnProfile) -> Iterator[str]:
    """Yield the frequent values as text; for few integers, all from minimum to maximum."""
    if column.top:
        yield from (str(value).strip() for value, _ in column.top if value is not None)
    elif isinstance(column.min, int) and isinstance(column.max, int) and column.distinct <= 12:
        yield from (str(each) for each in range(column.min, min(column.max, column.min + 12) + 1))
