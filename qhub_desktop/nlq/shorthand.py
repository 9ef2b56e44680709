r"""Shorthand of questions written out: 'hj' is 'hoje', 'wk' is 'week', 'w/o' is 'without'.

The words stand in `resources/lexicon_questions.toml`, by language; the question's own goes first.
What a column or a value of the table is called by stays as it is, and so does what stands in
capitals in a question that is not all in capitals: that is rather a code or a name.

Wordings: what is said in several ways, put into the one that both ways of reading know.

'p90', 'o 90.º percentil' and 'the 90th pctl' are one thing, as are 'maximum minus minimum' and a
range. Each language's file has them under `[wordings]`, as a pattern over text without accents and
the words that take its place, in which `\1` is what stood in the first group. A wording is left
alone where one of its own words is a name in the data: 'P90' of a machine, 'máximo' of a stock.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from qhub_desktop.core.text import Language, fold_in_place, lexicons
from qhub_desktop.nlq.lexicon import in_full
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.tokenizer import normalize, stem, tokenize
from qhub_desktop.nlq.verbs import question_words

_WORD = re.compile(r"(?<![\w/.@-])[^\W\d_]+\.?(?![\w/@-])")
_GROUP = re.compile(r"\\(\d)")
_PART = re.compile(r"\w+")
_LONGEST_LITTLE = 2  # letters: 'de', 'os', 'nº'
_LONGEST_CAPITALS = 3  # letters that may be a code


def written_out_question(question: str, index: SchemaIndex, language: Language) -> str:
    """Return a question with its short words in full, as far as the table has no such word."""
    names = " ".join(each.name for each in index.profile.columns).lower()
    question = in_full(question, "shortened", but_in=names)
    table = _table(language)
    own = {word.normalized for each in index.profile.columns for word in tokenize(each.name)}
    all_capitals = question.isupper()

    def written_out(said: re.Match[str]) -> str:
        word = said[0]
        dotted, plain = normalize(word), normalize(word.removesuffix("."))
        full = table.get(dotted)
        end = ""
        if full is None and (full := table.get(plain)) is not None and dotted != plain:
            end = "."
        if full is None or plain in own or stem(plain) in index.known:
            return word
        is_code = word.isupper() and not all_capitals and len(plain) <= _LONGEST_CAPITALS
        return word if is_code else full + end

    return _WORD.sub(written_out, question)


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


def plainly(question: str, indexes: Sequence[SchemaIndex]) -> str:
    """Return a question in plain wordings, but for words that are names in some data."""
    names: frozenset[str] | None = None
    for pattern, plain in _wordings():
        said = pattern.search(fold_in_place(question))
        if said is None:
            continue
        if names is None:
            names = frozenset().union(*map(_names_in, indexes))
        if names.isdisjoint(_own_words(question, said)):
            parts = [question[: said.start()], _filled(plain, question, said)]
            question = "".join([*parts, question[said.end() :]])
    return question


@cache
def _wordings() -> tuple[tuple[re.Pattern[str], str], ...]:
    tables = (file.get("wordings", {}) for file in lexicons().values())
    return tuple(
        (re.compile(pattern), plain) for table in tables for pattern, plain in table.values()
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
