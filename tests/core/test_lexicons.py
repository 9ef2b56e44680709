"""The words of every language, read whole or one table of each."""

import pytest

from qhub_desktop.core.text import lexicons


@pytest.mark.parametrize("table", ["calendar", "files", "defects"])
def test_a_table_read_alone_is_the_one_in_the_whole_file(table: str) -> None:
    alone = lexicons(table)

    assert list(alone) == list(lexicons())
    assert alone == {
        language: {table: lexicon[table]} if table in lexicon else {}
        for language, lexicon in lexicons().items()
    }


def test_the_first_language_is_the_plants() -> None:
    assert next(iter(lexicons())) == "pt"
