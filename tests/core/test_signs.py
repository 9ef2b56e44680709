"""Signs for characters that are not seen: on terminals, and in what a person agrees to."""

import unicodedata

import pytest

from qhub_desktop.core.untrusted import line_with_signs, with_escapes, with_signs

# Formats that are seen: signs of Arabic and others that stand over or before a number.
SEEN = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
BLANK = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180f\u2800\u3164\ufe00\ufe0e\uffa0\U000e0100\U000e01ef"
)


def test_no_character_that_is_not_seen_is_left() -> None:
    unseen = [
        chr(code)
        for code in range(0x110000)
        if unicodedata.category(chr(code)) in ("Cc", "Cf", "Cs", "Zl", "Zp") and code not in SEEN
    ]
    for character in (*unseen, *BLANK):
        shown = line_with_signs(f"a{character}b")
        assert len(shown) == 3, hex(ord(character))
        assert unicodedata.category(shown[1]) == "So", hex(ord(character))
        assert with_escapes(f"'a{character}b'").isprintable() or character in "\n\r\t"


@pytest.mark.parametrize(
    "text",
    [
        "São 4,5 µm — “lixo”; peça n.º 12\t≥ 3 €\n",
        "1\xa0000\u202f000",
        "缺陷 Дефект تعمیر שלום",
        "e\u0301 nao\u0303",
        "⚠\ufe0f ✔\ufe0f 🏭 👩\u200d🔧 🏳\ufe0f\u200d🌈 1\ufe0f\u20e3 👍🏽",
    ],
)
def test_what_is_seen_stays_as_it_is(text: str) -> None:
    assert with_signs(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("lixo\u200d", "lixo\ufffd"),
        ("lixo\ufe0f", "lixo\ufffd"),
        ("a\u200db", "a\ufffdb"),
        ("⚠\ufe0f\ufe0f", "⚠\ufe0f\ufffd"),
        ("⚠\u200d", "⚠\ufffd"),
        ("\u200d⚠", "\ufffd⚠"),
        ("exe\u202egpj", "exe\ufffdgpj"),
        ("a\x1b[2K\x7f\r", "a␛[2K␡␍"),
    ],
)
def test_what_hides_in_a_text_is_told(text: str, shown: str) -> None:
    assert with_signs(text) == shown


@pytest.mark.parametrize(
    "code",
    [
        "'a\u202eb'",
        "'\u200b\xa0\U000e0041'",
        "f'{1}\u2066'",
        "'⚠\ufe0f'",
        "'''a\r\nb\rc'''",
        "'tab\tx'",
        "'\u3000'.isspace()",
    ],
)
def test_code_with_escapes_computes_the_same(code: str) -> None:
    assert eval(with_escapes(code)) == eval(code)
