"""Words without case and accents: how what was typed is compared with what is written."""

import unicodedata


def fold(text: str) -> str:
    """The text in lower case, without accents and the blanks around it; 'ª' and 'ﬁ' are letters.

    May be of another length: for words that are compared as a whole.
    """
    apart = unicodedata.normalize("NFKD", text.strip()).lower()
    return "".join(each for each in apart if not unicodedata.combining(each))


def fold_name(text: str) -> str:
    """The folded name of a column or a value, to which a space and an underscore are the same."""
    return fold(text).replace(" ", "_")


def fold_in_place(text: str) -> str:
    """The text in lower case, without accents and with plain spaces, letter for letter.

    What is found in it is found in `text` at the same place. Signs such as 'º' and '²' stay what
    they are, as databases leave them that take accents away (FTS5, DuckDB).
    """
    return text.lower() if text.isascii() else text.translate(_FOLDED)


class _Folded(dict[int, int]):
    """Characters without accent and capital, each worked out when it is first met."""

    def __missing__(self, code: int) -> int:
        character = chr(code)
        if unicodedata.category(character) == "Zs":
            folded = ord(" ")
        else:
            folded = ord(unicodedata.normalize("NFD", character)[0].lower()[0])
        self[code] = folded
        return folded


_FOLDED = _Folded()
