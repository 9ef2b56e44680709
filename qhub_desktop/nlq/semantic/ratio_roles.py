"""Ratios of a question, each read as a whole: one amount by another, whatever words say so.

'A por B', 'A a dividir por B', 'A sobre B' and 'A em % de B' name two amounts with a divisor
between them. What they are by their types decides that they are divided: no rows are grouped by an
amount, and a price is not shared out. Both sums are taken over the same rows, so that a ratio is
that of the totals and no mean of the ratios of rows.
"""

from typing import Literal

from qhub_desktop.nlq.domain_lexicon import domain_lexicon
from qhub_desktop.nlq.grouping import is_part_amount, rate_of_part
from qhub_desktop.nlq.lexicon import words_by_role
from qhub_desktop.nlq.query_ast import Measure
from qhub_desktop.nlq.semantic.column_meaning import is_edge, is_price
from qhub_desktop.nlq.semantic.mention_context import MentionContext
from qhub_desktop.nlq.semantic.slots import Mention
from qhub_desktop.nlq.tokenizer import normalize, stem, tokenize, unit

Sign = Literal["", "by", "divided", "percent"]
_SAID_BETWEEN = ("#mean", "#money", "#noise", "#total", "#sum")  # beside an amount of a ratio
_SAID_AS_UNIT = 0.1  # what an amount costs that a ratio tells apart from others
_PASSED_OVER, _SAID_AGAIN = 0.1, 0.3
_DIVIDES, _OF, _TO = (words_by_role(each) for each in ("divides", "of", "to"))
_PERCENT = ("#percent", "#part_of", "#rate")


class RatioRoles(MentionContext):
    """Binds the two amounts of a ratio before any other mention gets its role."""

    def _bind_ratios(self) -> None:
        """Bind each ratio that is said; one that is said twice is surer."""
        for at in range(len(self._items)):
            sign, begin = self._sign_at(at)
            place = self._amount_before(at) if sign else None
            if place is None or not {at, place, begin}.isdisjoint(self._used):
                continue
            made = self._ratio(place, begin, sign)
            if made is None or self.slots.ratio not in (None, made[0]):
                continue
            ratio, end = made
            surer = self._means_amount(end) or self._is_told_as_ratio(end)
            for each in (place, end) if surer else ():
                if self._items[each].kind != "cue":
                    self.slots.cost -= max(0.0, self._items[each].cost - _SAID_AS_UNIT)
            if self.slots.ratio is None:
                self.slots.ratio = ratio
                self.slots.cues.append("#divided")
                self.slots.order.append(("measure", ratio.column))
                self._take_name(place)
            else:
                self.slots.cost -= _SAID_AGAIN  # 'custo por hora (custo a dividir por horas)'
            self._used.update(range(place, end + 1))
            self._pass_over_kind(end)

    def _take_name(self, place: int) -> None:
        """Take what a rate is called by, where it is said, too: 'taxa de rejeição (A / B)'."""
        for at, item in enumerate(self._items[:place]):
            name = self._items[at + 1]
            if item.lemma == "#rate" and name.kind == "noun" and at not in self._used:
                self.slots.cost -= name.cost + _SAID_AGAIN
                self._used.add(at + 1)

    def _sign_at(self, at: int) -> tuple[Sign, int]:
        """Return how what stands before a mention is divided, and the place of the divisor."""
        item = self._items[at]
        if item.lemma == "#divided":
            return "divided", at + 1
        if item.lemma == "#by":
            return "by", at + 1
        if item.lemma in ("#percent", "#part_of") and at:
            return "percent", at + 1
        if self._before(at) & _TO and self._is_told_as_ratio(at):
            return "divided", at
        return ("divided", at) if self._before(at) & _DIVIDES else ("", at)

    def _is_told_as_ratio(self, at: int) -> bool:
        """Return whether a word for a ratio stands before or behind two amounts: 'A to B ratio'."""
        near = [*self._items[max(0, at - 2) : at - 1], *self._items[at + 1 : at + 2]]
        return any(map(self._is_plain, near))

    def _is_plain(self, item: Mention) -> bool:
        """Return whether a word asks for a plain ratio, and not for per cent: 'rácio'."""
        said = normalize(item.text).split()[:1]
        return item.lemma == "#rate" and not words_by_role("plain_ratio").isdisjoint(said)

    def _amount_before(self, at: int) -> int | None:
        """Return the place of the column that is divided."""
        for place in range(at - 1, -1, -1):
            item = self._items[place]
            if item.kind == "column" and self._index.is_measure(item.column):
                return place
            if item.lemma not in (*_SAID_BETWEEN, "#rate"):
                return None  # 'litros aos 100 km' is said as a rate by km
        return None

    def _ratio(self, place: int, begin: int, sign: Sign) -> tuple[Measure, int] | None:
        """Return the ratio of an amount to what stands from a place on, and where that ends."""
        index, part = self._index, self._items[place].column
        says_percent = any(
            each.lemma in _PERCENT and (is_part_amount(index, part) or not self._is_plain(each))
            for each in self._items
        )
        if index.wide is not None or is_price(index, part):
            return None
        if sign != "divided" and not index.is_amount(part):
            return None
        end = begin
        while end < len(self._items) and self._items[end].lemma in _SAID_BETWEEN:
            end += 1
        if end == len(self._items):
            return None
        item = self._items[end]
        if item.kind in ("noun", "unknown") and self._items[end - 1].lemma == "#total":
            rate = rate_of_part(index, part) if sign == "divided" else None
            return None if rate is None else (rate, end)  # 'nok sobre o total produzido'
        edges = [name for name in index.measures if is_edge(name) == item.lemma == "#max"]
        whole = edges[0] if len(edges) == 1 else item.column
        if not whole or whole == part or not index.is_measure(whole) or is_price(index, whole):
            return None
        if sign == "by" and not (index.is_amount(whole) or self._says_unit(end)):
            return None
        if sign == "percent" and not self._is_of(end):
            return None  # 'quanto por cento no valor total'
        rest = self._items[end + 1] if end + 1 < len(self._items) else None
        is_divided = self._items[begin - 1].lemma == "#divided"
        if rest is not None and rest.column == part and is_divided and not self._before(end + 1):
            return Measure("rate", part, whole, amount=part), end + 1  # 'nok / (ok + nok)'
        return Measure("rate" if says_percent else "ratio", part, whole), end

    def _is_of(self, at: int) -> bool:
        """Return whether a mention is what a percentage is of: 'em % do orçamento'."""
        return bool(self._before(at) & _OF) or self._items[at - 1].lemma == "#part_of"

    def _says_unit(self, at: int) -> bool:
        """Return whether a mention names the unit that a column is counted in: 'por dia'."""
        item = self._items[at]
        said = {stem(each.normalized) for each in self._words[item.start : item.end]}
        own = {stem(each.normalized) for each in tokenize(unit(item.column))} - {""}
        return bool(said & own)

    def _means_amount(self, at: int) -> bool:
        """Return whether a mention's words are a unit or what is measured: 'litro', not 'turno'."""
        item = self._items[at]
        told = [each.text for each in self._words[item.start : item.end]]
        meant = {concept for each in told for concept in domain_lexicon().concepts_of_name(each)}
        kinds = {domain_lexicon().kind(each) for each in meant}
        is_unit = any(map(domain_lexicon().concept_of_unit, told)) or self._says_unit(at)
        return is_unit or not kinds.isdisjoint(("amount", "level"))

    def _pass_over_kind(self, at: int) -> None:
        """Pass over what a divisor is of, which groups nothing: 'custo por hora de formação'."""
        item = self._items[at + 1] if at + 1 < len(self._items) else None
        if item is None or item.kind not in ("column", "noun") or not self._before(at + 1) & _OF:
            return
        if item.kind == "noun" or not self._index.is_measure(item.column):
            self._used.add(at + 1)
            self.slots.cost += _PASSED_OVER
