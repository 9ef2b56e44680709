"""The catalogues of texts: what the code says, what the translators made of it, what is shipped.

    update   add to each catalogue what the code says, keep what is translated, compile
    check    fail if a text is missing, changed, untranslated or badly translated

Nothing that is written depends on the day or the machine, so that only changes make a difference.
"""

import argparse
import io
import string
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parents[1]
# What marks a text, and which of its arguments are texts where not the first alone.
KEYWORDS: dict[str, tuple[int, ...] | None] = {
    "_": None,
    "gettext": None,
    "ngettext": (1, 2),
    "gettext_noop": None,
    "Sentence": (2,),
    "CountedSentence": (2, 3),
}
LANGUAGES = ("pt",)  # English is what the code says
CATALOGUE = Path("LC_MESSAGES/qhub.po")
HEADER = """\
# The texts of QHub Desktop. The order and the list of texts are made by `python dev.py translate`;
# the translations are written here by hand.
#"""
# Always the same, and no line numbers: a catalogue changes only when a text does.
SOME_DAY = datetime(2026, 1, 1, tzinfo=UTC)
DROPPED_HEADERS = (  # they name a day, a version or nobody
    '"Project-Id-Version',
    '"Report-Msgid-Bugs-To',
    '"POT-Creation-Date',
    '"PO-Revision-Date',
    '"Last-Translator',
    '"Language-Team',
    '"Generated-By',
)


def said(source: Path) -> Catalog:
    """Every text in the code, with the files that say it."""
    catalogue = Catalog()
    for file in sorted(source.rglob("*.py")):
        place = file.relative_to(source.parent).as_posix()
        for _line, text, _comments, _context in extract_from_file("python", file, KEYWORDS):
            if text:
                catalogue.add(text, locations=[(place, 0)])
    return catalogue


def load(file: Path) -> Catalog:
    """A catalogue as its translators left it; an empty one if there is none yet."""
    locale = file.parents[1].name
    if not file.exists():
        return Catalog(locale=locale)
    with file.open(encoding="utf-8") as stream:
        return read_po(stream, locale=locale)


def updated(catalogue: Catalog, template: Catalog) -> bytes:
    """The catalogue's file with exactly the template's texts, in their order.

    Translations of texts that are gone stay at the end, and return with their texts.
    """
    for gone in list(catalogue.obsolete.values()):
        catalogue[gone.id] = gone
    catalogue.obsolete.clear()
    catalogue.update(template, no_fuzzy_matching=True)
    for message in catalogue:
        # One mention a file: a text that is said twice there is still one text.
        message.locations = sorted(set(message.locations))
    for gone in [each for each in catalogue.obsolete.values() if not is_translated(each)]:
        catalogue.obsolete.pop(gone.id if isinstance(gone.id, str) else gone.id[0])
    catalogue.fuzzy = False
    catalogue.header_comment = HEADER
    written = io.BytesIO()
    write_po(written, catalogue, width=100, sort_output=True, include_lineno=False)
    lines = written.getvalue().decode("utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(DROPPED_HEADERS)]
    return "".join(kept).encode("utf-8")


def compiled(catalogue: Catalog) -> bytes:
    """What the program reads."""
    shipped = Catalog(
        locale=catalogue.locale,
        project="qhub",
        version="1",
        creation_date=SOME_DAY,
        revision_date=SOME_DAY,
        fuzzy=False,
    )
    for message in texts(catalogue):
        if is_translated(message) and not message.fuzzy:
            shipped.add(message.id, message.string)
    written = io.BytesIO()
    write_mo(written, shipped)
    return written.getvalue()


def complaints(file: Path, template: Catalog) -> Iterator[str]:
    """All that keeps this catalogue from being shipped."""
    catalogue = load(file)
    for message in texts(catalogue):
        if message.fuzzy:
            yield f"{shown(message)}: marked as uncertain (fuzzy)"
        if not is_translated(message):
            yield f"{shown(message)}: not translated"
        elif not keeps_placeholders(message):
            yield f"{shown(message)}: the {{placeholders}} of the translation differ"
    if not file.exists() or file.read_bytes() != updated(load(file), template):
        known = {message.id for message in texts(catalogue)}
        wanted = {message.id for message in texts(template)}
        for message in texts(template):
            if message.id not in known:
                yield f"{shown(message)}: not in the catalogue"
        for message in texts(catalogue):
            if message.id not in wanted:
                yield f"{shown(message)}: no longer in the code"
        yield "not as the code has it: run python dev.py translate"
    binary = file.with_suffix(".mo")
    if not binary.exists() or binary.read_bytes() != compiled(catalogue):
        yield f"{binary.name} is not made from it: run python dev.py translate"


def texts(catalogue: Catalog) -> list[Message]:
    """The messages without the header, which is an empty one."""
    return [message for message in catalogue if message.id]


def shown(message: Message) -> str:
    """A message as it can be found again."""
    return repr(message.id if isinstance(message.id, str) else message.id[0])


def is_translated(message: Message) -> bool:
    """Whether there are words for every form."""
    return bool(message.string) and all(_forms(message.string))


def keeps_placeholders(message: Message) -> bool:
    """Whether each form can be filled with what the code fills the original with.

    The form for one may leave out the count, as 'one file' does.
    """
    originals, forms = _forms(message.id), _forms(message.string)
    if len(originals) == 1:
        return _placeholders(forms[0]) == _placeholders(originals[0])
    one, many = _placeholders(originals[0]), _placeholders(originals[1])
    return _placeholders(forms[0]) in (one, many) and all(
        _placeholders(form) == many for form in forms[1:]
    )


def _forms(text: str | Iterable[str] | None) -> list[str]:
    return [text] if isinstance(text, str) else list(text or ())


def _placeholders(text: str) -> set[str] | None:
    try:
        return {name for _text, name, _spec, _as in string.Formatter().parse(text) if name}
    except ValueError:  # a brace too many: equal to no other
        return None


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("action", choices=["update", "check"])
    parser.add_argument("--source", type=Path, default=ROOT / "qhub_desktop")
    parser.add_argument("--catalogues", type=Path, default=ROOT / "resources" / "translations")
    given = parser.parse_args()
    template = said(given.source)
    failed = False
    for language in LANGUAGES:
        file = given.catalogues / language / CATALOGUE
        if given.action == "update":
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(updated(load(file), template))
            file.with_suffix(".mo").write_bytes(compiled(load(file)))
            missing = [each for each in texts(load(file)) if not is_translated(each)]
            print(
                f"{language}: {len(texts(template))} texts, {len(missing)} to translate in {file}"
            )
            for message in missing:
                print(f"  {message.id!r}")
        else:
            for complaint in complaints(file, template):
                failed = True
                sentence = f"{language}: {complaint}"
                print(sentence.encode("ascii", "backslashreplace").decode("ascii"))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
