"""The plant's own words: added, read again at the next question, and never in the way."""

import logging
import os
from datetime import date
from pathlib import Path

import pytest

from qhub_desktop.nlq.dialogue.candidates import candidates
from qhub_desktop.nlq.lexicon import current_lexicon, reload_lexicon, shipped_words
from qhub_desktop.nlq.query_ast import Dimension, GroupBy, RowSelection
from qhub_desktop.nlq.question import question_over
from qhub_desktop.nlq.schema_index import schema_index_of
from qhub_desktop.nlq.user_lexicon import LexiconProblem, create_user_lexicon, read_user_lexicon
from tests.nlq.conftest import Talks
from tests.nlq.profiles import data

OVENS = data(
    "fornos",
    {
        "Skid": ("category", ["SK1", "SK2", "SK1"]),
        "Turno": ("category", ["Manhã", "Noite", "Noite"]),
        "Carga": ("integer", [10, 20, 40]),
    },
)
CARTS = '[field.skid]\npt = ["Carrinho de Transporte", "skid"]\nen = ["cart"]\n'


@pytest.fixture(autouse=True)
def _folder(home: Path) -> None:
    home.mkdir(exist_ok=True)


def write(home: Path, words: str) -> None:
    """As an editor does; the file's time is another, however quickly it was written again."""
    file = home / "vocabulary.toml"
    before = file.stat().st_mtime_ns if file.exists() else 0
    file.write_text(words, encoding="utf-8")
    os.utime(file, ns=(before + 10**9, before + 10**9))


async def test_words_count_from_the_next_question_on_and_no_longer_than_they_stand_there(
    talks: Talks, home: Path
) -> None:
    talk = talks(OVENS)
    question = "quantas linhas por carrinho de transporte?"

    before = await talk.ask(question)
    write(home, CARTS)
    after = await talk.ask(question)
    english = await talk.ask("how many rows per cart?")
    (home / "vocabulary.toml").unlink()
    gone = await talk.ask(question)

    assert not before.calls
    assert "SK1" in after.text
    assert '"Skid"' in str(after.calls[0].input["sql"])
    assert '"Skid"' in str(english.calls[0].input["sql"])
    assert not gone.calls


async def test_a_word_of_several_parts_names_its_column_in_a_whole_plan(home: Path) -> None:
    write(home, CARTS)
    reload_lexicon()
    said = "quantas linhas por carrinho de transporte?"

    question = question_over(said, schema_index_of(OVENS.profile), "pt", date(2026, 5, 4))
    (first, *_) = candidates(question, lambda frame, plan: None)

    assert first.plan == GroupBy(RowSelection("fornos"), Dimension("Skid"))
    assert first.cost < 1


async def test_an_own_word_goes_before_a_shipped_one(home: Path) -> None:
    assert current_lexicon().lemmas("máquina") == ("machine",)

    write(home, '[field.shift]\npt = ["maquina"]\n')

    assert reload_lexicon().lemmas("Máquinas") == ("shift",)


async def test_what_is_added_up_and_what_is_alike_can_be_added_too(
    talks: Talks, home: Path
) -> None:
    talk = talks(OVENS)
    write(
        home,
        '[field.load]\npt = ["carga"]\n[amounts]\nfields = ["load"]\n'
        '[field.cart]\npt = ["carrinho"]\n[field.skid]\npt = ["skid"]\n'
        '[similar]\ncart = ["skid"]\n',
    )

    answer = await talk.ask("carga por carrinho")

    assert 'sum("Carga")' in str(answer.calls[0].input["sql"])
    assert '"Skid"' in str(answer.calls[0].input["sql"])


async def test_a_broken_file_is_noted_and_changes_nothing(
    talks: Talks, home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(home, "[field.skid\npt = 3")
    with caplog.at_level(logging.WARNING):
        answer = await talks(OVENS).ask("quantas linhas por turno?")

    assert "**2** de 3 linhas" in answer.text
    assert [record.levelname for record in caplog.records] == ["WARNING"]


@pytest.mark.parametrize(
    ("written", "line", "problem"),
    [
        ("[field.skid]\npt = [\n", 2, "Nothing is read: this is not TOML"),
        ("[field.skid]\npt = []\npt = []\n", 3, "Nothing is read: this is not TOML"),
        ("[field.skid]\n# pt\npt = 'cart'\n", 3, "under [field.skid]"),
        ("[field.skid]\nfr = ['chariot']\n", 2, "under [field.skid]"),
        ("\n[field]\nskid = ['cart']\n", 3, "under [field.skid]"),
        ("[field.skid]\npt = ['?']\n", 2, "has no letters"),
        ("[field.Skid]\npt = ['cart']\n", 1, "small letters"),
        ("[cue.shout]\npt = ['grita']\n", 1, "There is no cue “shout”"),
        ("\n[fields.skid]\npt = ['cart']\n", 2, "[fields] is not read"),
        ("[similar]\nmachine = ['rocket']\n", 2, "There is no field “rocket”"),
        ("[amounts]\n\nfields = ['rocket']\n", 3, "There is no field “rocket”"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    home: Path, written: str, line: int, problem: str
) -> None:
    write(home, written)

    problems = read_user_lexicon(home / "vocabulary.toml", shipped_words()).problems

    assert [each.line for each in problems] == [line]
    assert problem in problems[0].problem


def test_what_is_right_beside_something_wrong_is_used(home: Path) -> None:
    write(home, CARTS + "\n[cue.shout]\npt = ['grita']\n")

    words = read_user_lexicon(home / "vocabulary.toml", shipped_words())

    assert words.phrase_count == 3
    assert len(words.problems) == 1
    assert reload_lexicon().lemmas("carrinhos de transporte") == ("skid",)


def test_a_file_of_another_encoding_says_so(home: Path) -> None:
    (home / "vocabulary.toml").write_bytes('[field.a]\npt = ["mesa", "pá"]\n'.encode("cp1252"))

    words = read_user_lexicon(home / "vocabulary.toml", shipped_words())

    assert words.problems == (LexiconProblem("Save the file as UTF-8.", 2),)


def test_the_mark_that_notepad_writes_is_no_mistake(home: Path) -> None:
    (home / "vocabulary.toml").write_text(CARTS, encoding="utf-8-sig")

    words = read_user_lexicon(home / "vocabulary.toml", shipped_words())

    assert (words.phrase_count, words.problems) == (3, ())


def test_the_example_is_made_once_and_every_line_of_it_is_right(home: Path) -> None:
    made = create_user_lexicon()
    assert read_user_lexicon(made, shipped_words()).phrase_count == 0
    lines = made.read_text(encoding="utf-8").splitlines()
    # Its examples are what remains of the comments when the marks are taken away.
    examples = [line[2:] for line in lines if line.startswith("# [") or " = [" in line]
    made.write_text("\n".join(examples), encoding="utf-8")

    assert create_user_lexicon() == made
    words = read_user_lexicon(made, shipped_words())

    assert words.problems == ()
    assert words.phrase_count > 5


def test_an_own_word_is_another_for_the_same_thing(home: Path) -> None:
    write(home, CARTS)
    groups = reload_lexicon().synonyms(("pt", "en"))

    assert any({"carrinho de transporte", "skid", "cart"} <= set(group) for group in groups)
    assert any({"sujidade", "lixo", "cisco"} <= set(group) for group in groups)
    assert any({"operador", "technician"} <= set(group) for group in groups)
