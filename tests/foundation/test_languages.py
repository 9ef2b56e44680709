"""Words of people's languages stand in `resources/lexicon/`, not in the code that reads by them."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import chain

import pytest

from qhub_desktop.core.dataset import DEFECT_FIELDS, DEFECT_TYPES, SHIFTS
from qhub_desktop.core.text import lexicons
from tests.foundation.scratch import SOURCE

_WORD = re.compile(r"[^\W\d_]{3,}")
_TRANSLATED = {"_", "gettext", "gettext_noop", "ngettext"}
# The plant's own names of fields, types and shifts, which are stored.
_OWN = {word for name in (*DEFECT_FIELDS, *SHIFTS, *DEFECT_TYPES) for word in name.split("_")}
# In names of tools, their fields and choices, which the model and stored conversations know; and
# the log's.
_OF_TOOLS = {
    *("ate", "colunas", "conjunto", "contar", "dados", "defeitos", "exportar", "grafico", "limite"),
    *("linhas", "nome", "perfil", "por", "registar", "sem", "tabela", "valor"),
    *("alvo", "amostragem", "avisos", "capacidade", "carta", "coluna", "conclusao", "controlo"),
    *("defeituosas", "dia", "estudo", "hipotese", "lie", "lote", "lse", "mes", "nivel", "nqa"),
    *("onde", "periodo", "plano", "rendimento", "semana", "severidade", "subgrupo", "teste"),
    *("peca", "volume", "apertada", "qui", "quadrado", "erro", "unidade"),
    *("amostra", "amplitudes", "aninhado", "atributos", "bom", "confianca", "congelar", "desvio"),
    *(
        "diferenca",
        "emparelhado",
        "etapas",
        "excluir",
        "intervalo",
        "largura",
        "linearidade",
        "mau",
    ),
    *("metodo", "modelo", "motivo", "normalidade", "oportunidades", "ordem", "par", "passos"),
    *("peso", "ponto", "potencia", "proporcao", "proporcoes", "referencia", "regras", "serie"),
    *("tamanho", "tolerancia"),
}
# In an address, 'microsoft-com'; prefixes of the metre; a function of SQL; an English word, too;
# an element of HTML.
_NO_WORDS = {
    "com",
    "mcdkµμun",
    "µμu",
    "trim",
    "actual",
    "meta",
    "era",
    "tag",
    "alias",
    "gen",
    "tDs",
}
_NO_WORDS |= {"notas", "parcial", "tom"}  # fields of tools, a section of the context
_NO_WORDS |= {"una", "sin"}  # a segment of a message, a function of angles
_NO_WORDS |= {"regressao", "reduzida", "maquina", "inicial"}  # fields of studies


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            yield from chain.from_iterable(map(_strings, value.values()))
        case list():
            yield from chain.from_iterable(map(_strings, value))


@cache
def _foreign_words() -> set[str]:
    """Return the words of all languages but English, in which the code is written."""
    words = {
        language: {
            word
            for text in _strings(file)
            if not text.startswith("#")  # an error of a formula
            for word in _WORD.findall(text.lower())
        }
        for language, file in lexicons().items()
    }
    english = words.pop("en")
    return set().union(*words.values()) - english - _OWN - _OF_TOOLS


def _literals(code: str) -> Iterator[ast.Constant]:
    """Yield the string literals, but docstrings and texts for the catalogue."""
    tree = ast.parse(code)
    ignored: set[ast.AST] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant() as docstring):
                ignored.add(docstring)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
                if name in _TRANSLATED:
                    ignored.update(ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in ignored:
            yield node


def _words_in_code(code: str) -> Iterator[tuple[int, str]]:
    foreign = _foreign_words()
    for literal in _literals(code):
        for word in _WORD.findall(str(literal.value)):
            # Capitals are SQL's. An alphabet has no plain letters, a word has some.
            is_accented = not word.isascii() and bool(re.search("[a-z]", word))
            is_foreign = word.lower() in foreign and not word.isupper()
            if (is_accented or is_foreign) and word not in _NO_WORDS:
                yield literal.lineno, word


@pytest.mark.parametrize("layer", ["data", "nlq"])
def test_no_word_of_a_language_stands_in_code(layer: str) -> None:
    modules = sorted((SOURCE / "qhub_desktop" / layer).rglob("*.py"))

    found = [
        f"{module.relative_to(SOURCE)}:{line}: {word}"
        for module in modules
        for line, word in _words_in_code(module.read_text(encoding="utf-8"))
    ]

    assert modules
    assert found == []


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ('MONTHS = ("janeiro", "may")', ["janeiro"]),
        ('TOTAL = re.compile(r"tota(?:l|is)|soma")', ["soma"]),
        ('YES = {"sim", "ação"}', ["sim", "ação"]),
        ('"""Janeiro."""\nsaid = _("A soma")\nby = "ORDER BY 1 DESC"', []),
    ],
)
def test_words_in_code_are_found(code: str, words: list[str]) -> None:
    assert [word for _line, word in _words_in_code(code)] == words
