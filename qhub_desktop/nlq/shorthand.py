r"""Shorthand of questions written out: 'hj' is 'hoje', 'wk' is 'week', 'w/o' is 'without'.

The words stand in `resources/lexicon_questions.toml`, by language; the question's own goes first.
What a column or a value of the table is called by stays as it is, and so does what stands in
capitals in a question that is not all in capitals: that is rather a code or a name.

Wordings: what is said in several ways, put into the one that both ways of reading know.

'p90', 'o 90.º percentil' and 'the 90th pctl' are one thing, as are 'maximum minus minimum' and a
range. Each language's file has them under `[wordings]`, as a pattern over text without accents and
the words that take its place, in which `\1` is what stood in the first group. A wording is left
alone where one of its own words is a name in the data: 'P90' of a machine, 'máximo' of a stock;
one that is called a phrase only where all are, for 'fim de semana' is no column 'Fim'.

What words lose of a question is given back to its plan: the sign of a number.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache
from typing import TypeGuard, TypeVar

from qhub_desktop.core.text import (
    Language,
    fold_in_place,
    lexicons,
    month_names,
    word_table,
    words_of,
)
from qhub_desktop.nlq.lexicon import in_full, role_pattern, words_by_role
from qhub_desktop.nlq.query_ast import PER_THOUSAND, Filter, Measure, rebuilt
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.tokenizer import (
    Place,
    normalize,
    normalize_in_place,
    stem,
    tokenize,
    without_unit,
)
from qhub_desktop.nlq.verbs import question_words

_Plan = TypeVar("_Plan")
_RANGE_ENDS = 2  # of a range
_NEGATIVE = re.compile(r"(?:^|(?<=[\s(=<>]))[-\N{MINUS SIGN}](\d+(?:[.,]\d+)?)(?![\w/-])")
_POSITIVE = re.compile(r"(?<![\w.,\N{MINUS SIGN}-])\d+(?:[.,]\d+)?(?![\w/-])")
_WORD_OR_SHORT_FORM = re.compile(r"(?<![\w/.@-])[^\W\d_]+\.?(?![\w/@-])")
_GROUP = re.compile(r"\\(\d)")
_PLUS = re.compile(r"(?<=[^\W\d_]) *\+ *(?=[^\W\d_])")  # between words: 'peças + mão de obra'
_DIVIDED = re.compile(role_pattern("cue", "divided"))
_ADDED = min(words_by_role("adds"))
_PART = re.compile(r"\w+")
_MULTIPLES = word_table("multiple")
_MULTIPLE = "|".join(  # a letter stands at its figure: '302 K' is a temperature
    rf"(?<=\d){each}" if len(each) == 1 else re.escape(each)
    for each in sorted(_MULTIPLES, key=len, reverse=True)
)
_MONEY_WORDS = role_pattern("amounts", "money")
_MULTIPLIED = re.compile(
    r"(?<![\w.,/-])(?:(?P<first>\d+(?:[.,]\d{1,2})?)"
    rf"(?P<join> (?:{role_pattern('amounts', 'joined')}|-|–) ))?"
    rf"(?:(?P<last>\d+(?:[.,]\d+)?) ?)(?P<word>{_MULTIPLE})"
    rf"(?: {role_pattern('amounts', 'of')}(?= {_MONEY_WORDS}))?(?!\w)"
)
_MONEY_BEFORE = re.compile(r"(?<!\w)[Rr]\$ ?(?P<figure>\d[\d.,]*\d|\d)")
_REAIS = next(iter(words_of("amounts", "brazilian")))
_PER_THOUSAND = re.compile(rf"(?<!\w){role_pattern('words', 'per_thousand')}(?!\w)")
_ONE_THOUSAND = role_pattern("amounts", "thousand")
_THOUSAND_ALONE = re.compile(
    rf"(?<!\d )(?<!\w){_ONE_THOUSAND} (?={_MONEY_WORDS}|{role_pattern('amounts', 'counted')})"
)
# Thousands with decimals behind them, which leave no doubt what is which.
_GROUPED = re.compile(r"(?<![\d.,/])\d{1,3}(?:(?:\.\d{3})+,\d{1,2}|(?:,\d{3})+\.\d{1,2})(?![\d.,])")
_LONGEST_LITTLE = 2  # letters: 'de', 'os', 'nº'
_LEAST_RANGE = 3  # columns
_LAST_OF_RANGE = min(words_by_role("and"), key=len)
_TO = "|".join(sorted(map(re.escape, words_by_role("to")), key=len, reverse=True))
# Columns of one name with numbers, the first and the last of which are said.
_RANGE = re.compile(
    r"\b(?P<name>[^\W\d_]{1,20} ?)(?P<first>\d{1,2}) ?"
    rf"(?:\.\.+|…|-|–| (?:{_TO}) ) ?(?P<again>[^\W\d_]{{1,20}} ?)?(?P<last>\d{{1,2}})\b",
    re.IGNORECASE,
)
_LAST_COLUMN = {"month": "%m/%Y", "year": "%Y"}  # how a unit of time is written
_SHORT_MONTH = 4  # letters of a name that is none in a name: 'mar'
_LONGEST_CAPITALS = 3  # letters that may be a code


def written_out_question(question: str, index: SchemaIndex, language: Language) -> str:
    """Return a question with its short words in full, as far as the table has no such word."""
    question = _without_units_of_names(question, index)
    if not _DIVIDED.search(normalize_in_place(question)):  # and not 'nok / (ok + nok)'
        question = _PLUS.sub(f" {_ADDED} ", question)
    names = " ".join(each.name for each in index.profile.columns).lower()
    question = in_full(question, "shortened", but_in=names)
    table = _table(language)
    own = {word.normalized for each in index.profile.columns for word in tokenize(each.name)}
    called = {normalize(each.name) for each in index.profile.columns}
    all_capitals = question.isupper()

    def written_out(said: re.Match[str]) -> str:
        word = said[0]
        dotted, plain = normalize(word), normalize(word.removesuffix("."))
        full = table.get(dotted)
        end = ""
        if full is None and (full := table.get(plain)) is not None and dotted != plain:
            end = "."
        is_name = plain in called or (
            len(plain) > 1 and (plain in own or stem(plain) in index.known)
        )
        if full is None or is_name:
            return word
        is_code = word.isupper() and not all_capitals and len(plain) <= _LONGEST_CAPITALS
        return word if is_code else full + end

    question = _with_ranges(_WORD_OR_SHORT_FORM.sub(written_out, question), index)
    return _with_years(_with_last_column(question, index), index)


def _without_units_of_names(question: str, index: SchemaIndex) -> str:
    """Return a question with names typed as in the header, but for their units: 'NO2(GT)'."""
    bare = {each.name: without_unit(each.name).strip() for each in index.profile.columns}
    alone = Counter(bare.values())
    for name, short in bare.items():
        if short != name and alone[short] == 1:
            question = re.sub(re.escape(name), short, question, flags=re.IGNORECASE)
    return question


def _with_ranges(question: str, index: SchemaIndex) -> str:
    """Return a question with each column of a range named: 'P1 a P8', 'M1-M12', 'zona 1 a 3'."""
    columns = {normalize(each.name): each.name for each in index.profile.columns}

    def named(said: re.Match[str]) -> str:
        start, first, again, last = said.group("name", "first", "again", "last")
        if again and normalize(again).strip() != normalize(start).strip():
            return said[0]
        found = [
            columns.get(f"{normalize(start).strip()}{join}{number}")
            for join in ("", " ", "_")
            for number in range(int(first), int(last) + 1)
        ]
        kept = [each for each in found if each is not None]
        if len(kept) < _LEAST_RANGE or len(kept) != int(last) - int(first) + 1:
            return said[0]
        return f"{', '.join(kept[:-1])} {_LAST_OF_RANGE} {kept[-1]}"

    return _RANGE.sub(named, question)


def _with_last_column(question: str, index: SchemaIndex) -> str:
    """Return a question in which the last month of a wide table with months is that month."""
    wide = index.wide
    if wide is None or wide.grain not in _LAST_COLUMN:
        return question
    last = max(day for _, day in wide.days)
    said = re.search(role_pattern("words", f"last_{wide.grain}"), fold_in_place(question))
    if said is None:
        return question
    start, end = said.span()
    return question[:start] + last.strftime(_LAST_COLUMN[wide.grain]) + question[end:]


def _with_years(question: str, index: SchemaIndex) -> str:
    """Return a question with the whole years of a wide table's months: 'jan 26' is 'jan 2026'."""
    wide = index.wide
    if wide is None or wide.grain != "month":
        return question
    years = {day.strftime("%y"): str(day.year) for _, day in wide.days}

    def whole(said: re.Match[str]) -> str:
        return f"{said[1]} {years[said[2]]}" if said[2] in years else said[0]

    return _month_and_number().sub(whole, question)


@cache
def _month_and_number() -> re.Pattern[str]:
    names = "|".join(sorted(map(re.escape, month_names()), key=len, reverse=True))
    return re.compile(rf"\b({names})\.?[ /-]?'?(\d\d)\b", re.IGNORECASE)


@cache
def _table(language: Language) -> dict[str, str]:
    """Return what is written for what, in any language, the question's own before the others."""
    listed = question_words()["shorthand"]
    order = sorted(listed, key=lambda each: each != language)
    found: dict[str, str] = {}
    for each in order:
        for pair in listed[each]["words"]:
            short, _, full = pair.partition(" ")
            found.setdefault(short, full)
    return found


def numbers_in_full(question: str, known: frozenset[str]) -> str:
    """Return a question with its numbers in figures: '10 mil', '2k', 'R$ 1.500,00', '5 to 10k'."""
    plain = fold_in_place(question)
    parts: list[str] = []
    end = 0
    for said in _MULTIPLIED.finditer(plain):
        word = said["word"]
        if stem(word) in known or stem(normalize(said[0].strip())) in known:
            continue
        by = _MULTIPLES[word]
        last = _figure(said["last"]) * by if said["last"] else by
        first, parts_of_first = said["first"], ""
        if first and _figure(first) < last / by:
            parts_of_first = _written(_figure(first) * by) + said["join"]
        elif first:
            parts_of_first = first + said["join"]
        parts += [question[end : said.start()], parts_of_first, _written(last)]
        end = said.end()
    written = "".join([*parts, question[end:]])
    written = _THOUSAND_ALONE.sub("1000 ", written)
    written = _GROUPED.sub(lambda said: re.sub(r"[.,](?=\d{3})", "", said[0]), written)
    return _MONEY_BEFORE.sub(_after_number, written)


def signed(plan: _Plan, question: str) -> _Plan:
    """Return a plan whose numbers have the sign that they have in a question: 'abaixo de -15'.

    Words have none. Of a number that stands there with and without it, only the lower end of a
    range gets it: 'entre -5 e 5'. A rate that is asked for per thousand is told so.
    """
    negative = {_figure(said[1]) for said in _NEGATIVE.finditer(question)}
    positive = {_figure(said[0]) for said in _POSITIVE.finditer(question)}

    def with_signs(part: object) -> object:
        if not isinstance(part, Filter):
            return part
        values = [
            -each if _is_number(each) and each in negative and each not in positive else each
            for each in part.values
        ]
        numbers = sorted(each for each in values if _is_number(each))
        if part.relation == "between" and len(numbers) == len(values) == _RANGE_ENDS:
            low, high = numbers
            values = [-low if low == high and low in negative else low, high]
        return replace(part, values=tuple(values))

    if _PER_THOUSAND.search(normalize_in_place(question)):
        plan = rebuilt(plan, _per_thousand)
    return rebuilt(plan, with_signs) if negative else plan


def _per_thousand(part: object) -> object:
    """Return a rate per thousand, for 'por mil', which the words of a rate leave out."""
    if isinstance(part, Measure) and part.kind == "rate":
        return replace(part, per=PER_THOUSAND)
    return part


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _figure(said: str) -> float:
    return float(said.replace(",", "."))


def _written(number: float) -> str:
    rounded = round(number, 6)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)


def _after_number(said: re.Match[str]) -> str:
    """Return an amount with its currency behind it, without signs between thousands."""
    figure = said["figure"]
    if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+,\d\d|\d+,\d\d|\d{1,3}(?:\.\d{3})+", figure):
        figure = figure.replace(".", "").removesuffix(",00")
    return f"{figure} {_REAIS}"


def names_with_months(text: str, index: SchemaIndex) -> list[Place]:
    """Return where names stand in a text that say a month, and mean none: 'Rio de Janeiro'."""
    folded = fold_in_place(text)
    return [
        said.span()
        for name in _names_with_months(index)
        for said in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", folded)
    ]


@lru_cache(maxsize=32)
def _names_with_months(index: SchemaIndex) -> tuple[str, ...]:
    months = {fold_in_place(name) for name in month_names() if len(name) > _SHORT_MONTH}
    values = (
        fold_in_place(value)
        for each in index.profile.columns
        if each.type in ("category", "text")
        for value in each.known
        if isinstance(value, str) and " " in value
    )
    return tuple(each for each in values if not months.isdisjoint(each.split()))


@lru_cache(maxsize=256)
def in_a_language_read(question: str, indexes: tuple[SchemaIndex, ...]) -> str:
    """Return a question with the small words of a language that is not read in one that is.

    So 'cuántas paradas hubo en abril' is 'quantas paradas houve em abril'. What is a name in some
    data stays, and so does a question without a word that shows the language.
    """
    said = {normalize(word[0]) for word in _PART.finditer(question)}
    shown = [
        (
            words,
            {stem(each) for each in marks & said} | {each for each in signs if each in question},
        )
        for marks, signs, words in _read_as()
    ]
    if not any(own for _, own in shown):
        return question
    names = frozenset[str]().union(*map(_names_in, indexes))
    for words, own in shown:
        kept = {word for word in said if stem(word) in names and len(word) > _LONGEST_LITTLE}
        read = {word: other for word, other in words.items() if word not in kept}
        if not own <= names:
            question = _PART.sub(_reading_of(read), question)
    return question


def _reading_of(words: dict[str, str]) -> Callable[[re.Match[str]], str]:
    return lambda said: words.get(normalize(said[0]), said[0])


@cache
def _read_as() -> tuple[tuple[frozenset[str], frozenset[str], dict[str, str]], ...]:
    """Return of each such language the words and signs that show it, and what words are read as."""
    declared = [file["read_as"] for file in lexicons().values() if "read_as" in file]
    return tuple(
        (
            frozenset(each["marks"]),
            frozenset(each["signs"]),
            dict(pair.split(" ") for pair in each["words"]),
        )
        for each in declared
    )


@lru_cache(maxsize=256)
def plainly(question: str, indexes: tuple[SchemaIndex, ...]) -> str:
    """Return a question in plain wordings, but for words that are names in some data."""
    if any(map(str.isdigit, question)) or _THOUSAND_ALONE.search(question):
        known = frozenset().union(*(each.known for each in indexes))
        question = numbers_in_full(question, known)
    names: frozenset[str] | None = None
    folded = fold_in_place(question)
    for pattern, plain, is_phrase in _wordings():
        said = pattern.search(folded)
        if said is None:
            continue
        if names is None:
            names = frozenset().union(*map(_names_in, indexes))
        own = _own_words(question, said)
        if names.isdisjoint(own) or (is_phrase and not own <= names):
            parts = [question[: said.start()], _filled(plain, question, said)]
            question = "".join([*parts, question[said.end() :]])
            folded = fold_in_place(question)
    return question


@cache
def _wordings() -> tuple[tuple[re.Pattern[str], str, bool], ...]:
    tables = (file.get("wordings", {}) for file in lexicons().values())
    return tuple(
        (re.compile(pattern), plain, name.endswith("_phrase"))
        for table in tables
        for name, (pattern, plain) in table.items()
    )


def _filled(plain: str, question: str, said: re.Match[str]) -> str:
    """Return the plain words with what stood in the groups, as it was written."""
    return _GROUP.sub(lambda group: question[slice(*said.span(int(group[1])))], plain)


def _own_words(question: str, said: re.Match[str]) -> frozenset[str]:
    """Return the stems of the words that a wording replaces, without those that it keeps."""
    kept = [said.span(group) for group in range(1, (said.re.groups or 0) + 1)]
    return frozenset(
        stem(normalize(word[0]))
        for word in _PART.finditer(question, said.start(), said.end())
        if (len(word[0]) > _LONGEST_LITTLE or any(map(str.isdigit, word[0])))
        and not any(first <= word.start() and word.end() <= last for first, last in kept)
    )


@lru_cache(maxsize=64)
def _names_in(index: SchemaIndex) -> frozenset[str]:
    """Return the stems of words in names of columns and in values that are named whole."""
    profile = index.profile
    values = (
        value
        for each in profile.columns
        if each.type == "category"
        for value in each.known
        if isinstance(value, str)
    )
    texts = (*(each.name for each in profile.columns), *values)
    return frozenset(stem(word.normalized) for text in texts for word in tokenize(text))
