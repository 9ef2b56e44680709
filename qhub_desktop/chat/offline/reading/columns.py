"""Columns in a question: by their names, or by a word that several have in their names."""

from qhub_desktop.chat.offline.lining import number_of
from qhub_desktop.chat.offline.plan import Dimension
from qhub_desktop.chat.offline.reading.comparisons import ComparisonReader
from qhub_desktop.chat.offline.reading.findings import Findings
from qhub_desktop.chat.offline.reading.place import Place
from qhub_desktop.chat.offline.reading.values import ValueReader
from qhub_desktop.chat.offline.vocabulary import Token


class ColumnReader:
    """Takes what is said about a column with its name: a value, a comparison, or nothing else."""

    def __init__(
        self, place: Place, found: Findings, values: ValueReader, comparisons: ComparisonReader
    ) -> None:
        self._index = found.index
        self._place = place
        self._found = found
        self._values = values
        self._comparisons = comparisons

    def take(self, names: tuple[str, ...], length: int) -> int:
        """What is named here by so many words; gives how many words that took."""
        if len(names) == 1:
            return self._take_column(names[0], length)
        return self._take_one_of(names, length)

    def take_defect(self, names: tuple[str, ...], length: int) -> int:
        """'defeitos': what is counted, unless a column of numbers is called so."""
        index, found = self._index, self._found
        if len(names) == 1 and index.is_number(names[0]):
            return self._take_column(names[0], length)
        found.has_subject = True
        found.is_subject_plural = self._place.is_plural
        if index.type_column is not None:
            found.coverage += 2  # rows of other data are not defects, whatever else they have
            found.plural_by[index.type_column] = found.is_subject_plural
        elif not names:
            found.ignored.append(self._place.here.text)
        return 1

    def _take_one_of(self, names: tuple[str, ...], length: int) -> int:
        """A word that several columns have in their names."""
        at = self._place.at
        words = " ".join(each.text for each in self._place.tokens[at : at + length])
        following = self._place.tokens[at + length : at + length + 1]
        if following and _is_mark(following[0]):
            self._found.coverage += length
            self._found.unknown.append(f"{words} {following[0].text}")
            return length + 1
        if length == 1 and self._is_said_already(""):
            self._found.coverage += 1
            return 1
        if (chosen := self._found.chosen.get(words)) in names:
            return self._take_column(chosen or names[0], length)
        self._found.doubt(words, tuple((name, name) for name in names))
        return self._take_column(names[0], length)

    def _take_column(self, name: str, length: int) -> int:
        place, found = self._place, self._found
        found.coverage += length
        if length == 1 and self._is_said_already(name):
            return 1
        was_last = place.last_column == name
        found.plural_by[name] = place.is_plural
        if taken := self._values.take_after_column(name, place.at + length):
            return length + taken
        if self._comparisons.take_waiting(name):
            return length
        if was_last and not place.is_by:  # 'night shift', 'turno da noite'
            return length
        if place.is_except and place.before == "#except" and not place.is_by:
            found.add_filter(name, "missing")  # 'sem operador'
            place.is_except = False
            return length
        if place.before == "#count":
            found.counted.add(name)
        is_day = self._index.column(name).type in ("date", "datetime")
        found.add_dimension(Dimension(name, "day" if is_day else ""))
        found.column_places[name] = place.at + length - 1
        place.last_column = name
        return length

    def _is_said_already(self, name: str) -> bool:
        """'a bomba C tem a pressão mais baixa': a word of the column that was just named."""
        last = self._place.last_column
        is_named = any(each.column == last for each in self._found.columns)
        return (
            last is not None
            and last != name
            and is_named
            and len(self._index.lemmas[last]) > 1
            and self._place.here.lemma in self._index.lemmas[last]
            and not self._place.is_by
        )


def _is_mark(token: Token) -> bool:
    """A number or a letter that tells one column of several, and here tells none."""
    text = token.words[0].text
    return (number_of(token) is not None and text.isdigit()) or (len(text) == 1 and text.isupper())
