"""The parser of a question over one data set: dates first, then entities and cues in order."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache

from qhub_desktop.core.text import Language
from qhub_desktop.nlq.lexicon import Token, current_lexicon, words_by_role
from qhub_desktop.nlq.parser.comparisons import (
    COMPARED,
    RELATIONS,
    Comparison,
    ComparisonReader,
    TimeReader,
    apply_token_rules,
    as_follow_up,
    number_of,
    without_glossed,
)
from qhub_desktop.nlq.parser.entity_linking import ColumnLinker, ValueLinker
from qhub_desktop.nlq.parser.slots import RANKING, Cursor, Part, QuestionFrame, SlotCollector
from qhub_desktop.nlq.query_ast import Filter, Relation
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.temporal import Calendar, find_days, find_hours, says_relatively
from qhub_desktop.nlq.tokenizer import normalize, stem, tokenize

_VERB = re.compile(rf".{{2,}}(?:{'|'.join(words_by_role('verb_ending'))})")
_COUNTABLE = frozenset(
    (*RANKING, "#rows", "line", "#list", "#last", "#first", "#descending", "#ascending")
)
_JOINED = words_by_role("or") | words_by_role("and")
_PARTS = words_by_role("part")
_BY = ("#by", "#again", "#count")
_SHORTEST_NOUN = 3  # letters
# '50.000' and '50 000', or in English '50,000', are 50000.
_THOUSANDS = (
    re.compile(r"(?<![\d.,/])[1-9]\d{0,2}(?:[.\N{NO-BREAK SPACE} ]\d{3})+(?![\d.,/])"),
    re.compile(r"(?<![\d.,/])[1-9]\d{0,2}(?:,\d{3})+(?![\d.,/])"),
)
_WHOLE = 100  # percent
_SUPERLATIVE = frozenset(
    [
        *("#max", "#min", "#first", "#last"),
        *(f"#{edge}_{what}" for edge in ("max", "min") for what in ("cost", "time", "date")),
    ]
)
_MEASURED = ("cost", "time", "weight", "quantity")  # what says numbers rather than names
_PARTICIPLE = re.compile(rf"(?:{'|'.join(sorted(words_by_role('participle_ending')))})$")
_COPULAS = words_by_role("copula")
_IN_TIME: dict[str, Relation] = {"#after": "above", "#before": "below"}
_ASKED = words_by_role("where") | words_by_role("when")
_RANKED = frozenset((*RANKING, "#first", "#last"))
_BEFORE_ROWS_OF = (
    "#count",
    "#percent",
    "#part_of",
    "#trend",
    "#rate",
    "#cumulative",
    "#chart",
    "#dashboard",
    "#compare",
)
_BEFORE_ROWS = (
    *_BEFORE_ROWS_OF,
    *(each for each in RANKING if each not in ("#worst", "#best")),
    "#list",
    "#everything",
    "#first",
    "#last",
)
_ASKING = ("#which", "#top", "#most", "#least", "#distinct", "#by", "#table")


def parse(
    question: str,
    index: SchemaIndex,
    *,
    language: Language,
    today: date,
    chosen: dict[str, str] | None = None,
    recent: str | None = None,
) -> QuestionFrame:
    """Parse a question over one data set; `chosen` maps ambiguous words to their resolutions.

    `recent` is the column of numbers that was last compared: 'e abaixo de 22?' is about it.

    Results are cached, since a conversation is interpreted anew with each round.
    """
    return _parse(question, index, language, today, tuple((chosen or {}).items()), recent)


@lru_cache(maxsize=512)
def _parse(
    question: str,
    index: SchemaIndex,
    language: Language,
    today: date,
    chosen: tuple[tuple[str, str], ...],
    recent: str | None,
) -> QuestionFrame:
    calendar = Calendar(today=today, last=index.last_day or today)
    question = _THOUSANDS[language == "en"].sub(lambda said: re.sub(r"\D", "", said[0]), question)
    question = as_follow_up(question)
    rest, hours = find_hours(question)
    if hours is not None and hours.relation == "is" and index.hour_column is None:
        rest, hours = question, None  # it may be a name
    timed, (rest, span) = rest, find_days(rest, calendar)
    said = _blanked(timed, rest) if calendar.is_old and says_relatively(timed, rest) else ""
    rest, second = find_days(rest, calendar)
    words = tokenize(without_glossed(rest, index, language))
    known = index.known | index.rare.known(words)
    tokens = current_lexicon().tokens(words, language, known=known)
    slots = Parser(index, tokens, dict(chosen), recent, has_days=span is not None).read()
    if hours is not None and not slots.take_hours(hours):
        slots.unknown.append(_blanked(question, timed))
    if span is not None and (column := slots.moment or index.date_column) is not None:
        slots.take_days(column, span, second, said=said)
    elif slots.years and (column := slots.moment or index.date_column) is not None:
        first, *others = [(date(year, 1, 1), date(year, 12, 31)) for year in slots.years]
        slots.take_days(column, first, others[0] if others else None, said="")
    elif span is not None:
        slots.unknown.append(_blanked(question, rest))
    return slots.frame()


def _blanked(question: str, rest: str) -> str:
    return "".join(a for a, b in zip(question, rest, strict=True) if a != b or a == " ").strip()


class Parser:
    """One pass over the tokens of a question, over one data set.

    `chosen` maps ambiguous words to their resolutions.
    `recent` is the column of numbers that was last compared.
    """

    def __init__(
        self,
        index: SchemaIndex,
        words: Sequence[Token],
        chosen: Mapping[str, str],
        recent: str | None = None,
        *,
        has_days: bool = False,
    ) -> None:
        self._index = index
        self._has_days = has_days
        self._cursor = Cursor(words, apply_token_rules(index, words))
        self._slots = SlotCollector(index, self._cursor, chosen)
        self._values = ValueLinker(self._cursor, self._slots)
        self._comparisons = ComparisonReader(self._cursor, self._slots, recent)
        self._columns = ColumnLinker(self._cursor, self._slots, self._values, self._comparisons)
        times = TimeReader(self._cursor, self._slots)
        self._cues = CueReader(self._cursor, self._slots, times, self._comparisons)

    def read(self) -> SlotCollector:
        """Read all tokens and return the slots."""
        while not self._cursor.is_at_end:
            self._cursor.at += self._step()
        self._columns.take_implied()
        self._columns.take_signs()
        self._comparisons.link_remaining()
        self._reject_or_between_columns()
        return self._slots

    def _step(self) -> int:
        """Consume what stands here; return how many tokens that took."""
        cursor, token = self._cursor, self._cursor.here
        if isinstance(token, Comparison):
            return self._comparisons.take(token)
        if length := self._take_dataset():
            return length
        # A preposition ends 'por': in 'por operador na posição 3' the position is a filter.
        if cursor.is_by and cursor.before not in _BY and cursor.is_after_of:
            cursor.is_by = False
        if length := self._values.take_before_column(token):
            return length
        if self._take_content(token):
            return 1
        if self._take_row_name(token):
            return 1
        if length := self._take_moment():
            return length
        if length := self._take_value(token):
            return length
        named = self._index.column_by_cue(token.lemma) if token.is_cue else None
        if named is not None and self._index.is_flag(named) and not cursor.is_by:
            return self._columns.take((named,), 1)
        if named is not None and token.lemma == "#why" and self._is_called(named):
            return self._columns.take((named,), 1)
        reasons = self._index.concepts.get("reason", ())
        if token.lemma == "#why" and reasons and not _RANKED.isdisjoint(self._slots.cues):
            return self._columns.take(reasons[:1], 1)
        names, length = self._columns_here()
        if token.words[0].normalized in words_by_role("rows_or_lines") and not cursor.is_by:
            return self._take_lines(token, names, length)
        is_by = cursor.is_by and not self._is_ranking_criterion()
        if token.lemma == "defect" and length <= 1 and not is_by:
            return self._columns.take_defect(names, length)
        if token.words[0].normalized in words_by_role("when") and cursor.at:
            # A condition, not a date: 'when humidity is above 65'; but 'highest NOx, and when?'
            if not _RANKED.isdisjoint(self._slots.cues) and self._is_at_end_of_clause():
                self._slots.add_column(self._index.date_column)
            return 1
        if token.words[0].normalized in words_by_role("who") and cursor.is_after_of:
            return 1  # 'de quem tem internet'
        if token.words[0].normalized in words_by_role("where") and not names:
            self._slots.add_column(self._index.place_column)
            return 1
        if token.words[0].normalized in _PARTS and self._counts_pieces(names, length):
            self._slots.has_subject = self._slots.counts_parts = True
            return 1
        if names:
            return self._columns.take(names, length)
        return self._cues.take(token)

    def _take_content(self, token: Token) -> bool:
        """Link a word that a text is to contain: 'quantas falam em "bucket"'."""
        slots = self._slots
        is_said = "#contains" in slots.cues and not slots.compared
        is_word = not token.is_cue and (token.words[0].is_quoted or not self._columns_here()[0])
        column = self._index.text_column
        if not is_said or not is_word or column is None:
            return False
        slots.compared.append(Filter(column, (token.text,), "contains"))
        slots.parts.append(Part("filter", column))
        slots.coverage += 1
        return True

    def _is_called(self, name: str) -> bool:
        """Return whether the word here is a column's name, not only a cue of the same meaning."""
        return stem(self._cursor.here.words[-1].normalized) == stem(normalize(name))

    def _take_row_name(self, token: Token) -> bool:
        """Read the name of the file or the sheet as what a row is called: 'quantas ações'."""
        cursor, slots = self._cursor, self._slots
        if token.is_cue or token.lemma == "defect" or not self._index.names_rows(token):
            return False
        if self._index.values_at(cursor.tokens, cursor.at):
            return False
        names, length = self._index.columns_at(cursor.tokens, cursor.at) or ((), 0)
        said = stem(token.words[0].normalized)
        is_own = any(said in self._index.lemmas[name] for name in names)
        measured = any(self._index.is_measure(name) for name in names)
        if length > 1 or (measured and (is_own or not self._index.is_in_file_name(token))):
            return False  # 'Order Date', in a file of orders
        if cursor.is_by:
            if names or not (slots.has_measure_said or slots.implied):
                return False
            slots.add_cue("#per_row")  # 'revenue per order line'
            cursor.is_by = False
        before = cursor.before
        is_counted = before in _BEFORE_ROWS or before in ("", "#mean", "#by", COMPARED)
        follows_noun = bool(slots.nouns) and cursor.tokens[cursor.at - 1] is slots.nouns[-1]
        is_ranked = any(each.lemma in _SUPERLATIVE for each in cursor.tokens)
        is_of = cursor.is_after_of and slots.has_measure_said
        is_row = is_ranked or is_of or (is_counted and (cursor.is_plural or before == "#count"))
        if names and not is_row:
            return False
        if not (names or is_counted or follows_noun or is_ranked):
            return True  # 'o custo da sucata', in a file of scrap
        slots.add_noun(token)
        slots.has_subject = True
        slots.is_subject_plural = cursor.is_plural
        slots.coverage += 1
        return True

    def _take_moment(self) -> int:
        """Link a column of dates to the days that are said, or compare it with another.

        As in 'abertas em março' and 'concluídas depois do prazo'.
        """
        cursor, index, slots = self._cursor, self._index, self._slots
        names, length = self._columns_here()
        moments = [name for name in names if index.is_moment(name)]
        if not moments or cursor.is_by:
            return 0
        at = cursor.at + length
        while cursor.meaning(at) == "#noise":
            at += 1
        if (relation := _IN_TIME.get(cursor.meaning(at))) is not None:
            others = index.columns_at(cursor.tokens, at + 1) or index.columns_meant(
                cursor.tokens, at + 1
            )
            other = [name for name in (others[0] if others else ()) if index.is_moment(name)]
            if others is not None and other:
                slots.compared.append(Filter(moments[0], (), relation, other=other[0]))
                slots.parts.append(Part("filter", moments[0]))
                slots.coverage += length + others[1]
                return at + 1 + others[1] - cursor.at
        is_asked = cursor.before in ("#which", *RANKING, "#first", "#last", "#missing")
        if self._has_days and not is_asked and not cursor.is_except:
            slots.moment = slots.moment or moments[0]
            slots.coverage += length
            return length
        return 0

    def _is_at_end_of_clause(self) -> bool:
        """Return whether nothing that means a part of the data follows."""
        rest = self._cursor.tokens[self._cursor.at + 1 :]
        return all(each.is_cue or each.words[0].normalized in _ASKED for each in rest)

    def _columns_here(self) -> tuple[tuple[str, ...], int]:
        """Return the columns that may be named here, and by how many tokens."""
        tokens, at = self._cursor.tokens, self._cursor.at
        named = self._index.columns_at(tokens, at) or ((), 0)
        meant = self._index.columns_meant(tokens, at) or ((), 0)
        found = meant if meant[1] > named[1] else named
        if found[1] == 1 and not any(self._index.is_number(name) for name in found[0]):
            concept = tokens[at].lemma
            measured = self._index.measures_of(concept) if concept in _MEASURED else ()
            whole = any(len(self._index.lemmas[name]) == 1 for name in found[0])
            if measured and not whole:  # 'custo', where there are a cost centre and an amount
                return measured, 1
        return found

    def _take_dataset(self) -> int:
        """Consume the name of the data set itself."""
        cursor, slots, name = self._cursor, self._slots, self._index.name
        here = tuple(token.lemma for token in cursor.tokens[cursor.at : cursor.at + len(name)])
        if here != name or name == ("defect",) or "#by" in name:
            return 0
        if len(name) == 1 and name[0] in self._index.parts and cursor.before != "#data":
            return 0  # a column and the file have this name; the column is meant
        slots.names_dataset = True
        if "#rows" in name:  # of 'medições', a measurement is a row
            slots.has_subject = True
            slots.is_subject_plural = cursor.is_plural
            slots.add_cue("#rows")
        slots.coverage += 1
        return len(name)

    def _take_value(self, token: Token) -> int:
        """Consume a value that stands alone, unless a column is meant rather than it."""
        cursor = self._cursor
        value = self._index.values_at(cursor.tokens, cursor.at)
        names, length = self._columns_here()
        follows = cursor.meaning(cursor.at + length)
        is_compared = bool(names) and follows in ("#equal", COMPARED)
        if value and not (names and (cursor.is_by or length > value[1] or is_compared)):
            self._values.take(value[0])
            self._slots.coverage += value[1]
            return value[1]
        if value is None and not names:
            meant = self._index.values_meant(cursor.tokens, cursor.at)
            if meant is not None:
                self._values.take(meant[0])
                self._slots.coverage += meant[1]
                return meant[1]
        # 'que cliente' asks for a column, not for 'cliente avisado'.
        asks_column = bool(names) or cursor.before in ("#which", "#by")
        parts = () if value is not None or asks_column else self._index.values_with(token)
        return self._values.take_by_part(parts) if parts else 0

    def _take_lines(self, token: Token, names: tuple[str, ...], length: int) -> int:
        """Read 'linhas' as rows, unless a column of production lines was chosen."""
        slots = self._slots
        is_bare = all(each.is_cue or each is token for each in self._cursor.tokens)
        if names and is_bare and not slots.names_dataset and "linhas" not in slots.chosen:
            slots.add_ambiguity("linhas", ((token.text, "@rows"), (names[0], names[0])))
        if slots.chosen.get("linhas") in names:
            return self._columns.take(names[:1], length)
        return self._cues.take(token)

    def _is_ranking_criterion(self) -> bool:
        """Return whether a plural after 'by' is what ranks: 'top 5 racks by defects'."""
        ranks = any(cue in RANKING for cue in self._slots.cues)
        return ranks and bool(self._slots.columns) and self._cursor.is_plural

    def _counts_pieces(self, names: tuple[str, ...], length: int) -> bool:
        """Return whether pieces are what is counted, not a column: 'quantas peças'."""
        cursor = self._cursor
        if length > 1 or cursor.is_by:
            return False
        ranks = any(each.lemma in RANKING for each in cursor.tokens)
        is_asked = cursor.before in _ASKING or (ranks and not cursor.is_plural)
        is_distinct = cursor.meaning(cursor.at + 1) == "#distinct"
        return not is_asked and not is_distinct and not self._is_valued(names)

    def _is_valued(self, names: tuple[str, ...]) -> bool:
        """Return whether a value of the column follows its name: 'peça 004512'."""
        found = self._index.values_at(self._cursor.tokens, self._cursor.at + 1)
        return found is not None and any(name in names for name, _ in found[0])

    def _reject_or_between_columns(self) -> None:
        """Record an 'or' between two columns as unknown: filters cannot say it."""
        for place, word in enumerate(self._cursor.words_said):
            if word.words[0].normalized not in words_by_role("or"):
                continue
            before = [column for at, column in self._slots.filter_places if at < place]
            after = [column for at, column in self._slots.filter_places if at > place]
            if before and after and before[-1] != after[0]:
                self._slots.unknown.append(word.text)


class CueReader:
    """Reader of every word that names no part of the data."""

    def __init__(
        self, cursor: Cursor, slots: SlotCollector, times: TimeReader, comparisons: ComparisonReader
    ) -> None:
        self._index = slots.index
        self._cursor = cursor
        self._slots = slots
        self._times = times
        self._comparisons = comparisons

    def take(self, token: Token) -> int:
        """Consume the token here; return how many tokens that took."""
        if length := self._times.take(token):
            return length
        # 'quantas linhas', where no column is called so
        is_rows = token.lemma == "line" and self._cursor.is_plural
        lemma = "#rows" if is_rows else token.lemma
        if lemma.startswith("#"):
            self._take_cue(lemma)
        elif (number := number_of(token)) is not None:
            self._take_number(token, number)
        else:
            self._take_unknown(token)
        return 1

    def _take_cue(self, lemma: str) -> None:
        cursor, slots = self._cursor, self._slots
        match lemma:
            case "#by":
                cursor.is_by = True
                return
            case "#noise":
                return
            case "#again":
                if not slots.cues:
                    slots.add_cue(lemma)
                return
            case "#except":
                cursor.begin_exception()
            case "#only":
                cursor.is_except = False
            case "#part_of":
                slots.add_cue("#percent")
            case "#max_cost" | "#min_cost" | "#max_time" | "#min_time" | "#max_date" | "#min_date":
                lemma, _, concept = lemma.partition("_")
                slots.implied = "money" if concept == "cost" else concept
            case "#min_age":
                lemma, slots.implied = "#min", "age"
            case "#percentile":
                self._take_quantile()
            case "#forget":
                slots.is_forgetting = True
            case "#count":
                cursor.is_by = False  # 'top 5 airports by number of strikes'
            case "#money":
                slots.implied = slots.implied or "money"
                return
            case "#duration":
                slots.implied = slots.implied or "time"
            case "#instead":
                slots.is_forgetting = cursor.is_except = False
                lemma = "#again"
            case "#zero" | "#negative":
                slots.signs.append(lemma)
            case "#rows":
                slots.has_subject = slots.is_subject_plural = True
            case "#data":
                slots.is_subject_plural = True
            case _:
                cursor.relation = RELATIONS.get(lemma, cursor.relation)
        slots.add_cue(lemma)

    def _take_quantile(self) -> None:
        """Read the number of a percentile, before or after the word: '95th percentile'."""
        cursor = self._cursor
        for at in (cursor.at - 1, cursor.at + 1):
            number = number_of(cursor.tokens[at]) if 0 <= at < len(cursor.tokens) else None
            if number is not None and 0 < number < _WHOLE:
                self._slots.quantile = number / _WHOLE
                return

    def _take_number(self, token: Token, number: float) -> None:
        around = [self._cursor.meaning(at) for at in (self._cursor.at - 1, self._cursor.at + 1)]
        if "#percentile" in around:
            return  # taken with the word
        is_figure = token.words[0].text.isdigit()
        is_first = number == 1 and not is_figure  # 'a primeira medição'
        if is_first:
            self._slots.add_cue("#first")
        if is_figure and self._index.is_year(number):
            self._slots.years.append(int(number))
            return
        if number == int(number) and self._is_limit():
            self._slots.number = int(number)
            self._slots.parts.append(Part("number", token.text))
            return
        if is_first or self._extends_comparison(number):
            return
        if is_figure:
            self._comparisons.link_number(token.text, [number])
        else:
            self._take_unknown(token)

    def _is_limit(self) -> bool:
        """Return whether a number here is a limit: 'top 5'."""
        after = (each.lemma for each in self._cursor.tokens[self._cursor.at + 1 :])
        return not _COUNTABLE.isdisjoint((self._cursor.before, *after))

    def _extends_comparison(self, number: float) -> bool:
        """Add a further value to the comparison just made: 'gravidade 1 ou 2'."""
        values = self._slots.filters.get((self._cursor.last_column or "", "is"), [])
        is_joined = self._cursor.joined_by(self._cursor.here) in _JOINED
        if not values or not is_joined or isinstance(values[-1], str | bool):
            return False
        values.append(number)
        return True

    def _take_row_noun(self, token: Token, *, is_by: bool) -> bool:
        """Read a noun that names nothing in the data as what a row is called: 'how many strikes'.

        It stands where rows are counted, listed or ranked, or is what an amount is divided by:
        'custo por colisão'. There is one such noun in a question, of one word or several.
        """
        cursor, slots = self._cursor, self._slots
        word = token.words[0]
        is_noun = word.text.isalpha() and not word.is_quoted and len(word.text) > _SHORTEST_NOUN
        is_first = bool(cursor.words_said) and token is cursor.words_said[0]
        is_thing = token.lemma in current_lexicon().things - current_lexicon().rows
        if slots.nouns and slots.index.is_one_name(slots.nouns[-1], token):
            is_thing = False  # 'ordens de trabalho'
        is_distinct = cursor.meaning(cursor.at + 1) == "#distinct"
        if not is_noun or is_thing or is_distinct or (word.is_name and not is_first):
            return False
        if slots.nouns:
            last = slots.nouns[-1]
            is_said_again = any(each.lemma == token.lemma for each in slots.nouns)
            is_next = cursor.tokens[cursor.at - 1] is last
            is_one = is_next and slots.index.is_one_name(last, token)
            if not is_said_again and not is_one:
                return False  # 'paragens de manutenção' are not all
            if not is_said_again:
                slots.add_noun(token)
            if is_by:
                slots.add_cue("#per_row")
            return True
        if slots.has_subject or self._index.type_column is not None:
            return False  # 'defeitos de ferrugem': what is counted was named, or is known
        numbers = any(slots.index.is_measure(each.column) for each in slots.columns)
        if is_by and (numbers or slots.has_measure) and not cursor.is_plural:
            slots.add_cue("#per_row")
        elif is_by or not self._is_where_rows_are(token):
            return False
        slots.add_noun(token)
        slots.has_subject = True
        slots.is_subject_plural = cursor.is_plural
        return True

    def _is_where_rows_are(self, token: Token) -> bool:
        """Return whether what is counted, listed or ranked stands here."""
        cursor = self._cursor
        is_participle = _PARTICIPLE.search(token.words[0].normalized) is not None
        if is_participle and cursor.joined_by(token) in _COPULAS:
            return False  # 'foi ultrapassado'
        if _VERB.fullmatch(token.words[0].normalized) or self._slots.ignored:
            return False
        if cursor.before == COMPARED or not cursor.before:
            return True  # also the first word: 'paragens por máquina'
        said = [each for each in self._slots.parts if each.kind not in ("filter", "number")]
        before = said[-1].name if said and said[-1].kind == "cue" else ""
        if before.startswith("#kind_"):
            before = "#chart"
        return before in _BEFORE_ROWS and (not cursor.is_after_of or before in _BEFORE_ROWS_OF)

    def _take_unknown(self, token: Token) -> None:
        """Record a word as unknown, or as ignored if it looks like a verb."""
        cursor, slots = self._cursor, self._slots
        is_by, cursor.is_by = cursor.is_by, False
        if self._index.measures_in(token) and not is_by and len(cursor.tokens) > 1:
            slots.units.append(token)
            return
        if token.lemma in self._index.units | current_lexicon().vague | {"defect", "ok", "minute"}:
            return
        is_unit = bool(self._index.measures_in(token))
        if not is_unit and self._take_row_noun(token, is_by=is_by):
            return
        if is_by:
            slots.unknown_dimension.append(token.text)
            return
        word = token.words[0]
        is_first = bool(cursor.words_said) and token is cursor.words_said[0]
        is_named = word.is_quoted or (word.is_name and not is_first) or cursor.is_after_of
        is_thing = token.lemma in current_lexicon().things - {"passed", "went"}
        is_thing = is_thing or self._index.means_something(token)
        if not is_named and not is_thing and _VERB.fullmatch(word.normalized):
            slots.ignored.append(token.text)
        else:
            slots.unknown.append(token.text)
