"""The parser of a question over one data set: dates first, then entities and cues in order."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from qhub_desktop.nlq.date_units import whole_months
from qhub_desktop.nlq.lexicon import Token, words_by_role
from qhub_desktop.nlq.parser.comparisons import (
    COMPARED,
    ComparisonReader,
    ComparisonToken,
    TimeReader,
    apply_token_rules,
)
from qhub_desktop.nlq.parser.cues import BEFORE_ROWS, SHORTEST_NOUN, CueReader
from qhub_desktop.nlq.parser.entity_linking import ColumnLinker, ValueLinker
from qhub_desktop.nlq.parser.slots import Cursor, Part, QuestionFrame, SlotCollector
from qhub_desktop.nlq.query_ast import Filter, Relation
from qhub_desktop.nlq.question import Question
from qhub_desktop.nlq.rules import step_rule
from qhub_desktop.nlq.schema_index import SchemaIndex
from qhub_desktop.nlq.tokenizer import normalize, stem, tokenize, without_unit
from qhub_desktop.nlq.word_meanings import (
    ENDS,
    MEASURED_EXTREMES,
    RANKED,
    RANKING,
    VERB,
    ranks_causes,
)

_PARTS = words_by_role("part")
_BY_CUES = ("#by", "#again", "#count")
_OF_ROWS = frozenset(["#max", "#min", *ENDS]) | MEASURED_EXTREMES  # 'a entrega mais recente'
_MEASURED = ("cost", "time", "weight", "quantity")  # what says numbers rather than names
_IN_TIME: dict[str, Relation] = {"#after": "above", "#before": "below"}
_ASKED = words_by_role("where") | words_by_role("when")
_ASKING = ("#which", "#top", "#most", "#least", "#distinct", "#by", "#table")


def parse(
    question: Question, *, chosen: dict[str, str] | None = None, recent: str | None = None
) -> QuestionFrame:
    """Parse a question over one data set; `chosen` maps ambiguous words to their resolutions.

    `recent` is the column of numbers that was last compared: 'e abaixo de 22?' is about it.

    Results are cached, since a conversation is interpreted anew with each round.
    """
    return _parse(question, tuple((chosen or {}).items()), recent)


@lru_cache(maxsize=512)
def _parse(
    question: Question, chosen: tuple[tuple[str, str], ...], recent: str | None
) -> QuestionFrame:
    index, (span, second) = question.index, (*question.days, None, None)[:2]
    parser = Parser(index, question.tokens, dict(chosen), recent, has_days=span is not None)
    slots = parser.read()
    if (hours := question.hours_on(each.column for each in slots.columns)) is not None:
        slots.take_hours(hours)
    elif question.hours is not None:
        slots.unknown.append(question.said_hours)
    if span is not None:
        slots.dated_by = slots.moment or ""
        slots.moment = index.moment_of(span) or slots.moment
    if span is not None and (column := slots.moment or index.date_column) is not None:
        if second is None and slots.years and "#compare" in slots.cues:
            second = whole_months(
                slots.years.pop(), 1, 12
            )  # 'de janeiro a maio de 2008 contra 2007'
        slots.unheeded.extend(str(year) for year in slots.years)
        slots.take_days(column, span, second, said=question.relative)
    elif slots.years and (column := slots.moment or index.date_column) is not None:
        first, *others = [whole_months(year, 1, 12) for year in slots.years]
        slots.take_days(column, first, others[0] if others else None, said="")
    elif span is not None:
        slots.unknown.append(question.said_days)
    return slots.frame()


def _is_said_in(token: Token, value: str) -> bool:
    """Return whether a value has a word itself, and not only one that means the same: 'quem'."""
    said = {stem(word.normalized) for word in token.words}
    return any(stem(word.normalized) in said for word in tokenize(value))


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
        if isinstance(token, ComparisonToken):
            return self._comparisons.take(token)
        if length := self._take_dataset():
            return length
        # A preposition ends 'por': in 'por operador na posição 3' the position is a filter.
        if cursor.is_by and cursor.before not in _BY_CUES and cursor.is_after_of:
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
        if token.lemma == "#percent" and (name := self._called(token)) is not None:
            return self._columns.take((name,), 1)  # 'peso por destino', where a column has it
        if token.lemma == "#why" and (reasons := self._reasons(token)):
            return self._columns.take(reasons[:1], 1)
        names, length = self._columns_here()
        if token.words[0].normalized in words_by_role("rows_or_lines") and not cursor.is_by:
            return self._take_lines(token, names, length)
        is_by = cursor.is_by and not self._is_ranking_criterion()
        if token.lemma == "defect" and length <= 1 and not is_by:
            return self._columns.take_defect(names, length)
        if token.words[0].normalized in words_by_role("when") and cursor.at:
            # A condition, not a date: 'when humidity is above 65'; but 'highest NOx, and when?'
            if not RANKED.isdisjoint(self._slots.cues) and self._is_at_end_of_clause():
                self._slots.add_column(self._index.date_column)
            return 1
        if token.words[0].normalized in words_by_role("who") and cursor.is_after_of:
            return 1  # 'de quem tem internet'
        if token.words[0].normalized in words_by_role("where") and not names:
            if self._asks_where():
                place = self._index.place_column
                if place is None:
                    self._slots.unknown.append(token.text)
                self._slots.add_column(place)
            return 1
        if token.words[0].normalized in _PARTS and self._counts_pieces(names, length):
            self._slots.has_subject = self._slots.counts_parts = True
            return 1
        if names:
            return self._columns.take(names, length)
        return self._cues.take(token)

    @step_rule
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

    def _reasons(self, token: Token) -> tuple[str, ...]:
        """Return the columns of causes, where those are ranked and none is asked for."""
        index = self._index
        if ranks_causes(token.text, (each.lemma for each in self._cursor.tokens)):
            return (*index.concepts.get("cause", ()), *index.concepts.get("reason", ()))
        is_ranked = not RANKED.isdisjoint(self._slots.cues)
        return tuple(index.concepts.get("reason", ())) if is_ranked else ()

    def _called(self, token: Token) -> str | None:
        """Return the column whose name, but for a unit, is a word here: 'o peso de'."""
        said = {stem(word.normalized) for word in token.words}
        for column in self._index.profile.columns:
            if stem(normalize(without_unit(column.name)).strip()) in said:
                return column.name
        return None

    @step_rule
    def _take_row_name(self, token: Token) -> bool:
        """Read the name of the file or the sheet as what a row is called: 'quantas ações'."""
        cursor, slots = self._cursor, self._slots
        if token.is_cue or token.lemma == "defect" or not self._index.names_rows(token):
            return False
        if self._index.is_measured(token) and not cursor.is_plural:
            return False  # 'consumo', in a file of consumption
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
        is_counted = before in BEFORE_ROWS or before in ("", "#mean", "#by", COMPARED)
        follows_noun = bool(slots.nouns) and cursor.tokens[cursor.at - 1] is slots.nouns[-1]
        is_ranked = any(each.lemma in _OF_ROWS for each in cursor.tokens)
        is_of = cursor.is_after_of and bool(slots.has_measure_said or slots.units or slots.implied)
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

    @step_rule
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
        is_asked = cursor.before in ("#which", *RANKED, "#missing")
        if self._has_days and not is_asked and not cursor.is_except:
            slots.moment = slots.moment or moments[0]
            slots.coverage += length
            return length
        return 0

    def _asks_where(self) -> bool:
        """Return whether a place is asked for, and 'onde' does not join a clause: 'casos onde'."""
        cursor = self._cursor
        if any(each.lemma == "#missing" for each in cursor.tokens):
            return False  # 'onde é que faltam dados?'
        at = cursor.position_of(cursor.here)
        before = cursor.words_said[at - 1].words[-1].normalized if at else ""
        joins = words_by_role("and") | words_by_role("copula") | words_by_role("when")
        is_asked_too = before in joins or before in _ASKED
        return not at or is_asked_too or cursor.at == len(cursor.tokens) - 1

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
        if not found[1] and self._index.values_at(tokens, at) is None:
            derived = self._index.columns_derived(tokens[at])
            is_verb = VERB.fullmatch(tokens[at].words[0].normalized)
            if derived and not is_verb:
                return derived, 1
        if found[1] == 1 and not any(self._index.is_number(name) for name in found[0]):
            concept = tokens[at].lemma
            measured = self._index.measures_of(concept) if concept in _MEASURED else ()
            whole = any(len(self._index.lemmas[name]) == 1 for name in found[0])
            if measured and not whole:  # 'custo', where there are a cost centre and an amount
                return measured, 1
        return found

    @step_rule
    def _take_dataset(self) -> int:
        """Read the name of the data set itself: 'vendas por loja', of the file of sales."""
        cursor, slots, name = self._cursor, self._slots, self._index.name
        here = tuple(token.lemma for token in cursor.tokens[cursor.at : cursor.at + len(name)])
        if here != name or name == ("defect",) or "#by" in name:
            return 0
        values = self._index.values_at(cursor.tokens, cursor.at) or ((), 0)
        is_value = any(self._index.column(each).type == "category" for each, _ in values[0])
        is_other = is_value or (len(name) == 1 and name[0] in self._index.parts)
        if is_other and cursor.before != "#data":
            return 0  # a column and the file have this name; the column is meant
        slots.names_dataset = True
        if cursor.is_by and (slots.has_measure_said or slots.implied):
            slots.add_cue("#per_row")  # 'revenue per order line'
            cursor.is_by = False
        if "#rows" in name:  # of 'medições', a measurement is a row
            slots.has_subject = True
            slots.is_subject_plural = cursor.is_plural
            slots.add_cue("#rows")
        slots.coverage += 1
        return len(name)

    @step_rule
    def _take_value(self, token: Token) -> int:
        """Select rows by a value, unless a column is meant rather than it."""
        cursor = self._cursor
        value = self._index.values_at(cursor.tokens, cursor.at)
        names, length = self._columns_here()
        follows = cursor.meaning(cursor.at + length)
        is_compared = bool(names) and follows in ("#equal", COMPARED)
        is_amount = bool(value) and self._is_amount_called(names, value[0] if value else ())
        if value and not (
            names and (cursor.is_by or length > value[1] or is_compared or is_amount)
        ):
            if cursor.before == "#count" and any(self._index.is_unit(each) for each, _ in value[0]):
                self._slots.implied = "quantity"  # 'quantos kg', where a column tells the unit
            self._values.take(value[0])
            self._slots.coverage += value[1]
            return value[1]
        said = stem(token.words[0].normalized)
        named_as_cue = self._index.values.get((token.lemma,), ()) if token.is_cue else ()
        called = stem(normalize(str(named_as_cue[0][1]))) if len(named_as_cue) == 1 else ""
        if said == called and len(said) > SHORTEST_NOUN:
            at = range(len(cursor.tokens))
            others = [self._index.column_at(cursor.tokens, each) for each in at]
            if not any(each and self._index.is_measure(each[0]) for each in others):
                self._values.take(named_as_cue)  # 'as menores', of a severity that is called so
                self._slots.coverage += 1
                return 1
        if value is None and (not names or self._tells_a_state(names)):
            meant = self._index.values_meant(cursor.tokens, cursor.at)
            if meant is not None:
                self._values.take(meant[0])
                self._slots.coverage += meant[1]
                return meant[1]
        # 'que cliente' asks for a column, not for 'cliente avisado'.
        asks_column = bool(names) or cursor.before in ("#which", "#by")
        is_thing = self._index.is_in_file_name(token) or bool(self._index.columns_derived(token))
        is_other = value is not None or asks_column or is_thing
        parts = () if is_other else self._index.values_with(token)
        parts = tuple(each for each in parts if _is_said_in(token, each[1]))
        return self._values.take_by_part(parts) if parts else 0

    def _is_amount_called(self, names: Sequence[str], values: Iterable[tuple[str, object]]) -> bool:
        """Return whether words are the whole name of an amount, which a value is called by, too."""
        is_amount = len(names) == 1 and self._index.is_amount(names[0])
        return is_amount and any(
            normalize(str(value)) == normalize(names[0]) for _, value in values
        )

    def _tells_a_state(self, names: tuple[str, ...]) -> bool:
        """Return whether a word means a state and, without days, no column of dates: 'fecharam'."""
        cursor, index = self._cursor, self._index
        is_moment = all(index.is_moment(name) for name in names)
        is_named = index.columns_at(cursor.tokens, cursor.at) is not None
        is_asked = cursor.is_by or cursor.before in ("#which", *RANKED)
        return is_moment and not (is_named or is_asked or self._has_days)

    @step_rule
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
        """Return whether a plural behind 'by' says what ranks: 'top 5 racks by defects'."""
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

    @step_rule
    def _reject_or_between_columns(self) -> bool:
        """Record an 'or' between two columns as unknown: filters cannot say it."""
        found = False
        for place, word in enumerate(self._cursor.words_said):
            if word.words[0].normalized not in words_by_role("or"):
                continue
            before = [column for at, column in self._slots.filter_places if at < place]
            after = [column for at, column in self._slots.filter_places if at > place]
            if before and after and before[-1] != after[0]:
                self._slots.unknown.append(word.text)
                found = True
        return found
