"""The user lexicon: the plant's own words, in `vocabulary.toml` in the data folder.

It has the shape of the shipped words. What is right is used, what is wrong is reported with its
line; nothing in it can stop the engine.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any

from typing_extensions import override

from qhub_desktop.core.errors import UserError, reason_of
from qhub_desktop.core.paths import RESOURCES, home, write_file
from qhub_desktop.core.text import WordTables, ngettext, number
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted_files import MalformedContentError, parse_toml, read_regular
from qhub_desktop.core.values import dataclass
from qhub_desktop.nlq.tokenizer import tokenize

VOCABULARY_FILE = "vocabulary.toml"
MOST_BYTES = 2_000_000  # ten times the words that ship
EXAMPLE = RESOURCES / "vocabulary.example.toml"
_PLACE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")
_CONCEPT = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class LexiconProblem:
    """A problem in the user's file, with its line from 1; 0 where that is not known."""

    problem: str
    line: int = 0

    @override
    def __str__(self) -> str:
        if not self.line:
            return self.problem
        return _("Line {line}: {problem}").format(line=self.line, problem=self.problem)


@dataclass(frozen=True, slots=True)
class UserLexicon:
    """The words of the user's file, in the shape of the shipped ones, and its problems."""

    declared: WordTables = field(default_factory=dict)
    problems: tuple[LexiconProblem, ...] = ()
    is_there: bool = True  # whether the file exists

    @property
    def phrase_count(self) -> int:
        """Number of words and phrases that are added."""
        return sum(
            len(phrases)
            for kind in ("cue", "field")
            for said in self.declared.get(kind, {}).values()
            for phrases in said.values()
        )


def user_lexicon_file() -> Path:
    """Return the path of the user's file, which may not exist."""
    return home() / VOCABULARY_FILE


def create_user_lexicon() -> Path:
    """Return the user's file, created with examples if missing.

    Raises UserError if it cannot be written.
    """
    file = user_lexicon_file()
    try:
        if not os.path.lexists(file):
            write_file(file, EXAMPLE.read_bytes())
    except OSError as error:
        text = _("{path} cannot be written. Check that you may write there.")
        raise UserError(text.format(path=file)) from error
    return file


def read_user_lexicon(file: Path, shipped_words: Mapping[str, Any]) -> UserLexicon:
    """Read a user's file; empty if there is none."""
    try:
        text = read_regular(file, most_bytes=MOST_BYTES).decode("utf-8-sig")
    except FileNotFoundError:
        return UserLexicon(is_there=False)
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        return UserLexicon(problems=(LexiconProblem(_("Save the file as UTF-8."), line),))
    except (OSError, MalformedContentError) as error:
        reason = _("It cannot be read: {error}.").format(error=reason_of(error))
        return UserLexicon(problems=(LexiconProblem(reason),))
    try:
        declared = parse_toml(text)
    except MalformedContentError as error:
        return UserLexicon(problems=(_syntax(str(error), text),))
    reading = _LexiconReader(text, shipped_words)
    return UserLexicon(reading.checked(declared), tuple(reading.problems))


def describe(words: UserLexicon) -> str:
    """Describe what was read in one sentence."""
    if not words.is_there:
        return _("There are no own words yet.")
    count = words.phrase_count
    return ngettext("{count} own word is read.", "{count} own words are read.", count).format(
        count=number(count, digits=0)
    )


def _syntax(said: str, text: str) -> LexiconProblem:
    place = _PLACE.search(said)
    line = 0
    if place is not None:
        line = int(place[1]) if place[1] else len(text.splitlines())
    reason = _PLACE.sub("", said)
    return LexiconProblem(
        _("Nothing is read: this is not TOML ({reason}).").format(reason=reason), line
    )


class _LexiconReader:
    """Check of a file's tables: what is right is kept, the rest is noted."""

    def __init__(self, text: str, shipped_words: Mapping[str, Any]) -> None:
        self._lines = text.splitlines()
        self._shipped = shipped_words
        self._languages = {language for said in shipped_words["cue"].values() for language in said}
        self.problems: list[LexiconProblem] = []

    def checked(self, declared: WordTables) -> WordTables:
        """Return the tables that are right."""
        found: WordTables = {}
        for name, table in declared.items():
            match name:
                case "cue" | "field":
                    found[name] = dict(self._concepts(name, table))
                case "similar" | "amounts":
                    pass  # checked below, once all fields are known
                case _:
                    text = _("[{name}] is not read: there are cue, field, similar and amounts.")
                    self._complain(text.format(name=name), name)
        known = {*self._shipped["field"], *found.get("field", {})}
        found["similar"] = dict(self._similar(declared.get("similar", {}), known))
        found["amounts"] = self._amounts(declared.get("amounts", {}), known)
        return found

    def _concepts(self, kind: str, table: Any) -> Iterator[tuple[str, dict[str, list[str]]]]:
        for concept, said in table.items() if isinstance(table, dict) else ():
            if kind == "cue" and concept not in self._shipped["cue"]:
                text = _("There is no cue “{name}”. New ones cannot be made, only new fields.")
                self._complain(text.format(name=concept), f"{kind}.{concept}")
            elif not _CONCEPT.fullmatch(concept):
                text = _("“{name}”: a field is named with small letters, digits and _.")
                self._complain(text.format(name=concept), f"{kind}.{concept}")
            else:
                yield concept, dict(self._phrases(f"{kind}.{concept}", said))

    def _phrases(self, header: str, said: Any) -> Iterator[tuple[str, list[str]]]:
        if not isinstance(said, dict):
            self._complain(
                _('Write pt = ["…"] or en = ["…"] under [{name}].').format(name=header), header
            )
            return
        for language, phrases in said.items():
            if language not in self._languages or not _is_words(phrases):
                text = _('Write pt = ["…"] or en = ["…"] under [{name}].')
                self._complain(text.format(name=header), header, language)
                continue
            # Normalized as questions are: without accents and capitals.
            plain = [" ".join(word.normalized for word in tokenize(phrase)) for phrase in phrases]
            if "" in plain:
                text = _("A word under [{name}] has no letters or digits.")
                self._complain(text.format(name=header), header, language)
            yield language, [phrase for phrase in plain if phrase]

    def _similar(self, table: Any, known: set[str]) -> Iterator[tuple[str, list[str]]]:
        for name, others in table.items() if isinstance(table, dict) else ():
            if not _is_words(others):
                text = _('Write {name} = ["…"] with the names of fields.')
                self._complain(text.format(name=name), "similar", name)
            elif self._are_known([name, *others], known, "similar", name):
                yield name, others

    def _amounts(self, table: Any, known: set[str]) -> dict[str, list[str]]:
        fields = table.get("fields", []) if isinstance(table, dict) else None
        if not _is_words(fields):
            text = _('Write {name} = ["…"] with the names of fields.')
            self._complain(text.format(name="fields"), "amounts", "fields")
            return {"fields": []}
        assert isinstance(fields, list)
        is_known = self._are_known(fields, known, "amounts", "fields")
        return {"fields": fields if is_known else [each for each in fields if each in known]}

    def _are_known(self, names: Sequence[str], known: set[str], header: str, key: str) -> bool:
        unknown = [name for name in names if name not in known]
        for name in unknown:
            text = _("There is no field “{name}”. Make it with [field.{name}].")
            self._complain(text.format(name=name), header, key)
        return not unknown

    def _complain(self, problem: str, header: str, key: str = "") -> None:
        self.problems.append(LexiconProblem(problem, self._line(header, key)))

    def _line(self, header: str, key: str) -> int:
        """Return the line of a key, else of its header, else 0."""
        under, table = 0, ""
        for place, line in enumerate(self._lines, start=1):
            bare = re.sub(r"[\s\"']", "", line.split("#", 1)[0])
            if bare.startswith("["):
                table = path = bare.strip("[]")
            else:
                path = ".".join(filter(None, (table, bare.split("=", 1)[0])))
            if key and path == f"{header}.{key}":
                return place
            if path == header or path.startswith(f"{header}."):
                under = under or place
        return under


def _is_words(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
