"""Cues that code asks for: each is declared in a lexicon or made by a reader, none misspelt."""

import ast
import importlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import qhub_desktop.nlq
from qhub_desktop.nlq.lexicon import shipped_words

FOLDER = Path(qhub_desktop.nlq.__file__).parent
CUE = re.compile("#[a-z][a-z_]*")
# What readers make of concepts, of pronouns, and of words side by side.
MADE = frozenset(
    [
        *("#compared", "#on_weekday", "#open", "#over", "#overdue", "#per_row", "#repeated"),
        *("#when", "#where", "#who"),
    ]
)


def asked(code: str, constants: Mapping[str, Any]) -> Iterator[str]:
    """Yield the cues that a module names: in its texts, in its constants, and without their sign
    where it asks whether they were said.
    """
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Constant(value=str(text)) if CUE.fullmatch(text):
                yield text
            case ast.Call(func=ast.Attribute(attr="has"), args=args):
                for each in args:
                    match each:
                        case ast.Constant(value=str(text)):
                            yield f"#{text}"
                        case ast.Starred(value=ast.Name(id=name)):
                            yield from (f"#{text}" for text in constants.get(name, ()))
    for constant in constants.values():
        if isinstance(constant, (tuple, list, dict, set, frozenset)):
            yield from (text for text in constant if isinstance(text, str) and CUE.fullmatch(text))


def unknown(code: str, constants: Mapping[str, Any]) -> set[str]:
    """The cues of a module that nothing gives; a beginning of some has to be that of one."""
    known = MADE | {f"#{name}" for name in shipped_words()["cue"]}
    return {
        cue
        for cue in asked(code, constants)
        if cue not in known
        and not (cue.endswith("_") and any(each.startswith(cue) for each in known))
    }


def test_every_cue_that_code_asks_for_is_declared_or_made() -> None:
    found: dict[str, set[str]] = {}
    for file in sorted(FOLDER.rglob("*.py")):
        name = ".".join(file.relative_to(FOLDER.parent.parent).with_suffix("").parts)
        module = importlib.import_module(name.removesuffix(".__init__"))
        found[name] = unknown(file.read_text(encoding="utf-8"), vars(module))

    assert {name: cues for name, cues in found.items() if cues} == {}


def test_a_misspelt_cue_is_found_wherever_it_is_named() -> None:
    code = 'frame.has("mean", "maen", *_WORDS) or lemma in ("#most", "#mots") or lemma == "#kidn_"'

    found = unknown(code, {"_WORDS": ("top", "tpo"), "_CUES": frozenset(["#min", "#mni"])})

    assert found == {"#maen", "#mots", "#kidn_", "#tpo", "#mni"}
