import pytest

from qhub_desktop.ui.controls.code_colours import PYTHON, SQL, CodeLanguage, read_line


def coloured(text: str, language: CodeLanguage) -> list[tuple[str, str]]:
    state, found = 0, []
    for line in text.splitlines():
        spans, state = read_line(line, language, state)
        found += [(line[start : start + length], kind) for start, length, kind in spans]
    return found


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (
            "select 12 -- tudo\n\"select\" WHERE turno = 'o''noite'",
            SQL,
            [
                ("select", "word"),
                ("12", "number"),
                ("-- tudo", "comment"),
                ("WHERE", "word"),
                ("'o''noite'", "text"),
            ],
        ),
        (
            "a /* um\ndois */ as b",
            SQL,
            [("/* um", "comment"), ("dois */", "comment"), ("as", "word")],
        ),
        (
            "def f():\n    '''um\n    dois''' # x",
            PYTHON,
            [("def", "word"), ("'''um", "text"), ("    dois'''", "text"), ("# x", "comment")],
        ),
    ],
)
def test_words_texts_numbers_and_comments_are_told_apart(
    text: str, language: CodeLanguage, expected: list[tuple[str, str]]
) -> None:
    assert coloured(text, language) == expected
