"""Secrets and personal numbers in a text: keys, passwords, cards, bank accounts, tax numbers."""

import re
from collections.abc import Collection, Iterator, Sequence

from qhub_desktop.chat.guard.folding import plain_words
from qhub_desktop.core.guard import HIDDEN_PERSON
from qhub_desktop.core.text import fold_in_place
from qhub_desktop.core.untrusted import HIDDEN, hide_secrets

Span = tuple[int, int, str]  # from, to, and the rule that found it

# Keys of known shapes, by what every one of them holds: looked for only where that stands.
_KEYS: Sequence[tuple[str, re.Pattern[str]]] = [
    ("sk-", re.compile(r"(?<![A-Za-z0-9])sk-[A-Za-z0-9_-]{16,}")),
    ("AKIA", re.compile(r"(?<![A-Za-z0-9])AKIA[0-9A-Z]{16}(?![A-Za-z0-9])")),
    ("ASIA", re.compile(r"(?<![A-Za-z0-9])ASIA[0-9A-Z]{16}(?![A-Za-z0-9])")),
    *(
        (f"gh{kind}_", re.compile(rf"(?<![A-Za-z0-9])gh{kind}_[A-Za-z0-9]{{30,}}"))
        for kind in "pousr"
    ),
    ("github_pat_", re.compile(r"github_pat_[A-Za-z0-9_]{22,}")),
    ("glpat-", re.compile(r"glpat-[A-Za-z0-9_-]{20,}")),
    ("xox", re.compile(r"xox[abeoprs]-[A-Za-z0-9-]{10,}")),
    ("AIza", re.compile(r"AIza[A-Za-z0-9_-]{35}")),
    ("hf_", re.compile(r"(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}")),
    ("npm_", re.compile(r"(?<![A-Za-z0-9])npm_[A-Za-z0-9]{30,}")),
    ("_live_", re.compile(r"(?<![A-Za-z0-9])[rs]k_live_[A-Za-z0-9]{16,}")),
    ("eyJ", re.compile(r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}")),
    (
        "PRIVATE KEY",
        re.compile(
            r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----.*?"
            r"(?:-----END [A-Z ]*KEY[A-Z ]*-----|\Z)",
            re.DOTALL,
        ),
    ),
]
# What is named a secret, in folded words; after 'is' only what is no word, as 'Verao2026!'.
_NAMES = (
    r"palavras?[- ]?(?:-\s?)?passe|senha|password|passwd|passphrase|pwd|contrasena|mot de passe"
    r"|codigo de acesso|access code|passwort|kennwort|api[ _-]?key|secret[ _-]key|chave de api"
    r"|chave da api|client[ _-]secret|access[ _-]token|auth[ _-]token|pin"
)
_B = r"[^\S\n]+"  # blanks of one line
_OF = rf"(?:{_B}(?:do|da|de|del|du|of|for|to)(?:{_B}[\w-]+){{1,5}}?)?"  # 'da base de dados'
_NAMED = re.compile(
    rf"(?<![a-z])(?:{_NAMES})(?![a-z])[\"']?"
    rf"(?:{_OF}[^\S\n]*[:=][^\S\n]*"
    rf"|{_OF}{_B}(?:e|is|es|est|ist|sera){_B}(?=[^\s,;]*[\d!#$%&*+=@^])(?=[^\s,;]*[^\W\d])"
    rf"|{_OF}{_B}(?:e|is|es|est){_B}(?=\d{{4,}}\b))"
    r"[\"'«]?((?<=[\"'])[^\"'\n]{4,80}(?=[\"'])|[^\s\"'«»,;]{4,})"
)
_NAMED_HINTS = (
    *("pass", "senha", "pwd", "contrase", "acces", "kennwort", "key", "token", "api", "secret"),
    *("pin ", "pin:", "pin="),
)
_URL = re.compile(r"(?<=://)[^\s/:@]{1,64}:([^\s/@]{3,128})(?=@)")

_CARD = re.compile(r"\d(?<![\w-]\d)(?:[ -]?\d){12,18}(?![\w-])")
_CARD_FORMS = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}"
    r"|6(?:011|5\d\d)\d{12}|35\d{14}|5[06-8]\d{10,17}"
)
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?: ?[A-Za-z0-9]){11,36}")
_IBAN_LENGTHS = {  # by country
    country: int(length)
    for country, length in re.findall(
        r"(..)(..) ?",
        "AD24 AT20 BE16 BG22 CH21 CY28 CZ24 DE22 DK18 EE20 ES24 FI18 FR27 GB22 GR27 HR21 HU28 IE22 "
        "IT27 LT20 LU20 LV21 MA28 MC27 MT31 NL18 NO15 PL28 PT25 RO24 SE24 SI19 SK24 TR26 UA29",
    )
}
_NIF = re.compile(r"[1235689](?:(?<![\w-].)|(?<=PT.))\d{2}[ .]?\d{3}[ .]?\d{3}(?![\w-])")
_NIF_CUES = {
    "nif",
    "contribuinte",
    "fiscal",
    "contribuintes",
    "nifs",
    "tax",
    "nie",
    "tin",
    "steuer",
}
# Beside such a word a number is one of the plant's, whatever its digits add up to.
_PART_CUES = {
    *("referencia", "ref", "peca", "lote", "serie", "serial", "codigo", "etiqueta", "encomenda"),
    *("part", "batch", "lot", "code", "order", "label", "reference", "of", "barcode", "rack"),
}
_PARTICLES = ("da", "de", "do", "das", "dos")
_CUE_WORDS = 4
_AROUND = 60  # characters in which so many words stand


TAX_NUMBER = "personal.nif"


def _secrets_in(text: str) -> list[Span]:
    """Find what must neither be stored nor sent, in order."""
    found = [
        (*each.span(), "secret.key")
        for mark, key in _KEYS
        if mark in text
        for each in key.finditer(text)
    ]
    if "://" in text:
        found += [(*each.span(1), "secret.password") for each in _URL.finditer(text)]
    lowered = text.lower()
    if any(hint in lowered for hint in _NAMED_HINTS):
        lowered = fold_in_place(text)  # letter for letter
        found += [(*each.span(1), "secret.password") for each in _NAMED.finditer(lowered)]
    found += [
        (*each.span(), "secret.card") for each in _CARD.finditer(text) if _is_card(each, text)
    ]
    found += [(*span, "secret.iban") for span in _ibans(text)]
    return sorted(found)


def without_secrets(text: str, *, off: Collection[str] = ()) -> tuple[str, str]:
    """Return a text with its secrets hidden, and the rule that found the first; "" for none.

    The keys in use are hidden, too, wherever they stand; by rules that are `off`, nothing is.
    """
    clean = hide_secrets(text)
    spans = [each for each in _secrets_in(clean) if each[2] not in off]
    rule = spans[0][2] if spans else "secret.key" if clean != text else ""
    return _replaced(clean, spans, HIDDEN), rule


def tax_numbers_in(text: str) -> list[Span]:
    """Find tax numbers: by their check digit, and a word that says so beside them."""
    return [
        (*each.span(), TAX_NUMBER)
        for each in _NIF.finditer(text)
        if _is_tax_number(each[0]) and _NIF_CUES & _words_around(each, text)
    ]


def without_people(text: str, names: frozenset[str]) -> str:
    """Return a text with its tax numbers and these names hidden, with the surnames after them."""
    hidden = _replaced(text, tax_numbers_in(text), HIDDEN_PERSON)
    spans: list[Span] = []
    for each in re.finditer(r"[^\W\d_]+(?: (?:d[aeo]s? )?[^\W\d_]+){0,3}", hidden):
        words = each[0].split(" ")
        first = next((at for at, word in enumerate(words) if _is_name(word, names)), None)
        if first is None:
            continue
        last = first
        while last + 1 < len(words) and (
            words[last + 1][0].isupper() or _is_particle(words, last + 1)
        ):
            last += 1
        start = each.start() + len(" ".join([*words[:first], ""]))
        spans.append((start, start + len(" ".join(words[first : last + 1])), ""))
    return _replaced(hidden, spans, HIDDEN_PERSON)


def _is_name(word: str, names: frozenset[str]) -> bool:
    return word[0].isupper() and not names.isdisjoint(plain_words(word))


def _is_particle(words: Sequence[str], at: int) -> bool:
    return (
        words[at] in ("da", "de", "do", "das", "dos")
        and words[at + 1 : at + 2] != []
        and words[at + 1][0].isupper()
    )


def _replaced(text: str, spans: Sequence[Span], sign: str) -> str:
    kept, done = [], 0
    for start, end, _rule in spans:
        if start >= done:
            kept += [text[done:start], sign]
        done = max(done, end)
    return "".join([*kept, text[done:]])


def _words_around(found: re.Match[str], text: str) -> set[str]:
    lead = text[max(0, found.start() - _AROUND) : found.start()].removesuffix("PT")
    before = plain_words(lead)[-_CUE_WORDS:]
    return {*before, *plain_words(text[found.end() : found.end() + _AROUND])[:_CUE_WORDS]}


def _is_card(found: re.Match[str], text: str) -> bool:
    digits = re.sub(r"\D", "", found[0])
    return (
        _CARD_FORMS.fullmatch(digits) is not None
        and _is_luhn(digits)
        and not _PART_CUES & _words_around(found, text)
    )


def _is_luhn(digits: str) -> bool:
    doubled = (2 * int(each) for each in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(n - 9 if n > 9 else n for n in doubled)) % 10 == 0


def _ibans(text: str) -> Iterator[tuple[int, int]]:
    for found in _IBAN.finditer(text):
        wanted = _IBAN_LENGTHS.get(found[0][:2].upper(), 0)
        end, count = found.start(), 0
        while end < found.end() and count < wanted:
            count += text[end] != " "
            end += 1
        written = text[found.start() : end].replace(" ", "").upper()
        if wanted and count == wanted and not text[end : end + 1].isalnum():
            number = "".join(str(int(each, 36)) for each in written[4:] + written[:4])
            if int(number) % 97 == 1:
                yield found.start(), end


def _is_tax_number(written: str) -> bool:
    digits = [int(each) for each in written if each.isdigit()]
    rest = sum(weight * digit for weight, digit in zip(range(9, 1, -1), digits, strict=False)) % 11
    return digits[8] == (0 if rest < 2 else 11 - rest)
