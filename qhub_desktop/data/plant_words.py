"""The words that other programs have for the plant's defects, shifts and columns."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache

from qhub_desktop.core.defect import WORDS

# What joins words, and what a value says of its own kind ('turno da manhã', '1.º shift').
_JOINING = {"de", "do", "da", "dos", "das", "o", "a", "os", "as", "e", "of", "the", "por", "by"}
_SHORTEST_STEM = 3  # a word this short keeps its s: 'pos'
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_HOURS = {(6, 14): "manha", (14, 22): "tarde", (22, 6): "noite"}
_HOURS_WRITTEN = re.compile(r"\D*(\d{1,2})(?:[h:]\d{0,2})?\D{1,4}(\d{1,2})(?:[h:]\d{0,2})?\D*")

_TYPES: Mapping[str, tuple[str, ...]] = {
    "lixo": (
        *("lixo", "sujidade", "sujeira", "poeira", "particula", "grao", "cisco", "fibra"),
        *("inclusao", "inclusoes", "graos", "dirt", "dust", "inclusion", "foreign particle"),
        *("dirt inclusion", "particle", "fiber", "fibre", "lint", "impureza", "pontos lixo"),
    ),
    "falta_tinta": (
        *("falta tinta", "sem tinta", "tinta insuficiente", "falta cobertura", "pouca tinta"),
        *("missing paint", "lack paint", "no paint", "thin paint", "low film", "bare spot"),
        *("insufficient paint", "light paint", "paint missing", "falta pintura"),
    ),
    "casca_laranja": ("casca laranja", "pele laranja", "orange peel", "orangepeel"),
    "gordura": (
        *("gordura", "oleo", "mancha gordura", "mancha oleo", "contaminacao oleo"),
        *("grease", "oil", "oil stain", "grease stain", "oil contamination"),
    ),
    "descasque": (
        *("descasque", "descascado", "descasca", "descolamento", "delaminacao", "lascado"),
        *("falta aderencia", "peeling", "peel", "flaking", "delamination", "adhesion loss"),
        *("loss adhesion", "poor adhesion"),
    ),
    "escorrido": (
        *("escorrido", "escorrimento", "escorrencia", "escorrida", "lagrima", "run", "sag"),
        *("paint run", "run sag", "sag run", "drip", "sagging"),
    ),
    "crateras": (
        *("cratera", "olho peixe", "olhos peixe", "crater", "cratering", "fish eye", "fisheye"),
    ),
    "outros": ("outro", "outra", "other", "diverso", "misc", "miscellaneous", "restante"),
}
_SHIFTS: Mapping[str, tuple[str, ...]] = {
    "manha": ("manha", "m", "morning", "early", "am", "1", "t1", "s1", "primeiro", "first", "1st"),
    "tarde": (
        *("tarde", "t", "afternoon", "evening", "late", "pm", "2", "t2", "s2", "segundo"),
        *("second", "2nd"),
    ),
    "noite": (
        *("noite", "n", "night", "nocturno", "noturno", "madrugada", "3", "t3", "s3"),
        *("terceiro", "third", "3rd"),
    ),
}
_SHIFT_ITSELF = {"turno", "shift", "turma", "periodo"}

# Names of columns, the surest first. A name alone in its column says it for certain.
NAMES: Mapping[str, tuple[str, ...]] = {
    "id": (
        *("id", "id defeito", "defect id", "id registo", "n registo", "no registo", "nr registo"),
        *("num registo", "numero registo", "record id", "record no", "record number", "registo"),
        *("n", "no", "nr", "num", "numero", "number", "seq", "sequencia", "chave", "key"),
        *("n ocorrencia", "ocorrencia id", "row id", "line no", "n ordem"),
    ),
    "data": (
        *("data", "date", "data registo", "dt registo", "data hora", "data defeito", "dt"),
        *("data ocorrencia", "dt ocorrencia", "data detecao", "data deteccao", "data inspecao"),
        *("data producao", "data pintura", "dia", "day", "timestamp", "datetime", "date time"),
        *("defect date", "inspection date", "record date", "recorded", "recorded at", "entry date"),
        *("date recorded", "data registro", "data lancamento", "posting date", "quando", "created"),
        *("created on", "created at", "dt hora", "data criacao", "production date"),
    ),
    "turno": ("turno", "shift", "turma", "trn", "work shift", "shift name", "cod turno", "periodo"),
    "operador": (
        *("operador", "operator", "colaborador", "employee", "funcionario", "worker", "pintor"),
        *("painter", "inspetor", "inspector", "tecnico", "technician", "registado", "reported"),
        *("operator name", "nome operador", "utilizador", "user", "oper", "nome colaborador"),
        *("n mecanografico", "matricula", "recorded", "responsavel", "nome", "name"),
    ),
    "tipo_defeito": (
        *("tipo defeito", "defeito", "defect", "defect type", "cod defeito", "codigo defeito"),
        *("defect code", "desc defeito", "descricao defeito", "defect description", "tp defeito"),
        *("defect name", "nome defeito", "nao conformidade", "tipo nao conformidade", "tipo nc"),
        *("modo falha", "failure mode", "fault", "fault type", "motivo rejeicao", "causa rejeicao"),
        *("reject reason", "rejection reason", "scrap reason", "motivo sucata", "nc", "anomalia"),
        *("ocorrencia", "falha", "tipo", "type", "motivo", "reason", "causa", "descricao"),
        *("description", "categoria", "category", "problema", "problem"),
    ),
    "material": (
        *("material", "peca material", "peca", "part", "part number", "part no", "substrato"),
        *("substrate", "material peca", "referencia", "ref", "ref peca", "referencia peca"),
        *("artigo", "article", "produto", "product", "item", "modelo", "model", "part name"),
        *("cod material", "codigo material", "material code", "designacao", "mat"),
    ),
    "rack": (
        *("rack", "suporte", "gancheira", "bastidor", "skid", "jig", "hanger", "carrier"),
        *("n rack", "rack no", "rack number", "nr rack", "cod rack", "rack id", "carrinho"),
        *("n suporte", "pendura", "gancho", "hook", "estante"),
    ),
    "posicao": (
        *("posicao", "pos", "position", "n posicao", "posicao rack", "pos rack", "rack position"),
        *("position no", "slot", "lugar", "posic", "posicao suporte"),
    ),
}
# Of these names a table of anything may have one.
VAGUE = {
    *("tipo", "type", "motivo", "reason", "causa", "descricao", "description", "categoria"),
    *("category", "problema", "problem", "ocorrencia", "falha", "fault", "anomalia"),
    *("nome", "name", "responsavel", "user", "utilizador", "registo", "numero", "number"),
    *("n", "no", "nr", "num", "item", "produto", "product", "modelo", "model", "periodo"),
    *("designacao", "ref", "referencia", "artigo", "article", "recorded", "created", "estante"),
}


@lru_cache(maxsize=8192)
def tokens(text: str) -> tuple[str, ...]:
    """The words of a name without accents, case and punctuation; 'ShiftName' is two."""
    apart = _CAMEL.sub(" ", text)
    bare = unicodedata.normalize("NFKD", apart).lower()
    letters = "".join(each for each in bare if not unicodedata.combining(each))
    found = re.findall(r"[a-z0-9]+", letters)
    kept = tuple(_stem(each) for each in found if each not in _JOINING)
    return kept or tuple(found)


@lru_cache(maxsize=8192)
def meaning_of(field: str, word: str) -> str | None:
    """The plant's word for a type of defect or a shift, if this is a known way to write it."""
    if field == "turno":
        return _shift(word)
    # '03 - Casca de laranja (CL3)': a code beside the words says nothing more.
    said = tuple(each for each in tokens(word.partition("(")[0]) if each.isalpha())
    if not said:
        return None
    if said in _KNOWN_TYPES:
        return _KNOWN_TYPES[said]
    shortened = {meaning for phrase, meaning in _KNOWN_TYPES.items() if _is_short_for(said, phrase)}
    return shortened.pop() if len(shortened) == 1 else None


def meanings_of(field: str, words: Iterable[str]) -> tuple[tuple[str, str, str], ...]:
    """The words that are known, as a mapping keeps them."""
    found = ((word.strip(), meaning_of(field, word)) for word in words)
    return tuple((field, word, meaning) for word, meaning in found if meaning is not None)


def name_score(field: str, name: str) -> float:
    """How surely a column's name says that it holds a field: 1 for the field's own, 0 for not."""
    said = tokens(name)
    if not said:
        return 0.0
    place = _NAMES[field].get(said)
    if place is None:
        place = _NAMES[field].get(tuple(sorted(said)))
    if place is None:
        return _score_in_part(field, said)
    return 0.9 - place / 400 if " ".join(said) not in VAGUE else 0.4


def _score_in_part(field: str, said: tuple[str, ...]) -> float:
    """A name that has the field's own word among others: 'Turno (pintura)'."""
    heads = _HEADS[field]
    others = {head for each, words in _HEADS.items() if each != field for head in words}
    named = [each for each in said if each in heads]
    if not named or any(each in _COUNTING for each in said):
        return 0.0
    return 0.3 if any(each in others for each in said) else 0.6


def _shift(word: str) -> str | None:
    if hours := _HOURS_WRITTEN.fullmatch(word.strip().lower()):
        return _HOURS.get((int(hours[1]), int(hours[2])))
    said = tuple(each for each in tokens(word.partition("(")[0]) if each not in _SHIFT_ITSELF)
    # The ordinal sign becomes a letter of its own or of the digit: '1.º', '1º'.
    said = tuple(re.sub(r"^([123])[oa]$", r"\1", each) for each in said)
    # '1 - Manhã' says it twice; what contradicts itself says nothing.
    meanings = {_KNOWN_SHIFTS.get((each,)) for each in said}
    return meanings.pop() if len(meanings) == 1 else None


def _is_short_for(said: tuple[str, ...], phrase: tuple[str, ...]) -> bool:
    """'C. laranja' and 'Falta tint' are; one word alone is not shortened."""
    return (
        1 < len(said) == len(phrase)
        and sum(map(len, said)) >= 5
        and all(whole.startswith(part) for part, whole in zip(said, phrase, strict=True))
    )


def _stem(word: str) -> str:
    return word[:-1] if len(word) > _SHORTEST_STEM and word.endswith("s") else word


def _by_tokens(words: Mapping[str, tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    return {tokens(each): meaning for meaning, said in words.items() for each in (*said, meaning)}


_KNOWN_TYPES = _by_tokens(_TYPES)
_KNOWN_SHIFTS = _by_tokens(_SHIFTS)
_NAMES: Mapping[str, Mapping[tuple[str, ...], int]] = {
    field: {
        key: place
        for place, name in reversed(list(enumerate(names)))
        for key in (tokens(name), tuple(sorted(tokens(name))))
    }
    for field, names in NAMES.items()
}
_HEADS: Mapping[str, frozenset[str]] = {
    "id": frozenset({"id"}),
    "data": frozenset({"data", "date", "dt"}),
    "turno": frozenset({"turno", "shift"}),
    "operador": frozenset({"operador", "operator", "colaborador", "employee"}),
    "tipo_defeito": frozenset({"defeito", "defect"}),
    "material": frozenset({"material", "peca"}),
    "rack": frozenset({"rack", "gancheira", "skid"}),
    "posicao": frozenset({"posicao", "position", "pos"}),
}
_COUNTING = {
    *("qtd", "qtde", "quantidade", "total", "count", "qty", "number", "numero", "num", "taxa"),
    *("rate", "percentagem", "percent", "custo", "cost", "soma", "sum", "media", "average"),
}
assert set(_TYPES) == set(WORDS["tipo_defeito"])
assert set(_SHIFTS) == set(WORDS["turno"])
