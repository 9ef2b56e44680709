"""The domain lexicon: its file, and words of headers and questions linked over the languages."""

import tomllib
from collections import Counter

import pytest

from qhub_desktop.core.text import WordTables, lexicons, read_word_tables
from qhub_desktop.nlq.domain_lexicon import (
    DOMAIN_FILE,
    LANGUAGES,
    DomainLexicon,
    domain_lexicon,
    prepare,
)
from qhub_desktop.nlq.tokenizer import normalize, stem, tokenize

TEXT = DOMAIN_FILE.read_text(encoding="utf-8")
CONCEPTS: WordTables = tomllib.loads(TEXT)["concept"]


def _words(language: str) -> list[tuple[str, str]]:
    return [(name, word) for name, said in CONCEPTS.items() for word in said.get(language, ())]


def _stems(phrase: str) -> tuple[str, ...]:
    return tuple(stem(word.normalized) for word in tokenize(phrase))


def _named(phrase: str) -> tuple[tuple[str, int], ...]:
    return domain_lexicon().concepts_at(_stems(phrase), 0)


def test_the_file_is_read_as_toml_is() -> None:
    assert read_word_tables(TEXT) == tomllib.loads(TEXT)


def test_it_holds_thousands_of_words_for_many_concepts() -> None:
    counts = {language: len(_words(language)) for language in LANGUAGES}

    assert sum(counts.values()) >= 15000
    assert min(counts.values()) >= 3000
    assert len(CONCEPTS) >= 1400


def test_a_concept_has_words_of_every_language_and_nothing_unknown() -> None:
    known = {*LANGUAGES, "short", "also", "kind", "unit"}

    assert {name for name, said in CONCEPTS.items() if not said.keys() <= known} == set()
    assert {said["kind"] for said in CONCEPTS.values() if "kind" in said} == {
        *("amount", "level", "id")
    }
    fields = {name for file in lexicons().values() for name in file.get("field", ())}
    for name, said in CONCEPTS.items():
        missing = [language for language in LANGUAGES if not said.get(language)]
        assert name in fields or not missing, (name, missing)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_word_is_plain_and_stands_in_two_concepts_at_most(language: str) -> None:
    written = [(name, word) for name, word in _words(language) if word != _plain(word)]
    short = [word for _, word in _words(language) if len(word) < 2]
    own = {
        name: [_stems(word) for word in file.get("field", {}).get(name, ())]
        for name in CONCEPTS
        for file in [lexicons()[language]]
    }
    concepts = Counter(
        key
        for name, said in CONCEPTS.items()
        for key in {_stems(w) for w in said.get(language, ())}
    )
    for words in lexicons()[language].get("field", {}).values():
        concepts.update({_stems(word) for word in words})

    assert written == []
    assert short == []
    assert [key for key, count in concepts.items() if count > 2] == []
    # What a language's own file lists is not repeated, and nothing stands twice in a concept.
    for name, said in CONCEPTS.items():
        keys = [*own[name], *map(_stems, said.get(language, ()))]
        repeated = [_stems(word) for word in said.get(language, ()) if keys.count(_stems(word)) > 1]
        assert repeated == [], name


def _plain(word: str) -> str:
    return " ".join(each.normalized for each in tokenize(word)).replace("ß", "ss")


def test_no_word_is_a_function_word() -> None:
    for language in LANGUAGES:
        function = set(lexicons()[language].get("function", ()))
        assert [word for _, word in _words(language) if word in function] == []


@pytest.mark.parametrize("key", ["short", "unit"])
def test_an_abbreviation_or_unit_tells_one_concept(key: str) -> None:
    said = Counter(normalize(each) for table in CONCEPTS.values() for each in table.get(key, ()))

    assert [each for each, count in said.items() if count > 1] == []
    if key == "short":
        assert [each for each in said if len(each) < 2 or " " in each] == []


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("custo", "Kosten EUR"),
        ("cliente", "Lief./Kunde"),
        ("equipamento", "Asset"),
        ("desgaste da ferramenta", "Tool wear [min]"),
        ("sucata", "Ausschuss"),
        ("fornecedores", "LIEF_NR"),
        ("Ausschuss", "Qtd. sucata"),
        ("centros de custo", "Kostenstelle"),
        ("cost centre", "Centro Custo"),
        ("data de fecho", "ClosedOn"),
        ("órdenes de compra", "Purchase order"),
        ("usinagem", "Machining"),
        ("Kundenreklamation", "Reclamações"),
        ("empregados de mesa", "Waiter"),
        ("talões", "Receipt No"),
        ("apólices", "Policy"),
        ("chamadas", "Anrufe"),
        ("colheita", "Cosecha (kg)"),
        ("internamentos", "Admissions"),
        ("despesas", "Expenses"),
        ("resolvidas", "Solved"),
        ("fecharam", "Closed"),
        ("mulheres", "Female"),
        ("espanhóis", "Spain"),
        ("Menge", "Qtdd."),
    ],
)
def test_a_word_and_a_header_in_another_language_share_a_concept(asked: str, name: str) -> None:
    of_question = {concept for concept, _ in _named(asked)}

    assert of_question & set(domain_lexicon().concepts_of_name(name))


@pytest.mark.parametrize(
    ("phrase", "concept", "length"),
    [
        ("ordens de compra", "purchase_order", 3),
        ("Reclamações", "complaint", 1),
        ("categories", "type", 1),
        ("Ausfälle", "breakdown", 1),
        ("Lieferanten", "supplier", 1),
        ("proveedores", "supplier", 1),
        ("Stueckpreis", "unit_price", 1),
        ("Prüfer", "inspector", 1),
        ("tempo de ciclo médio", "cycle_time", 3),
        ("resolvidas", "resolved", 1),
        ("brasileiras", "brazil", 1),
    ],
)
def test_plurals_genders_accents_and_umlauts_make_no_difference(
    phrase: str, concept: str, length: int
) -> None:
    assert (concept, length) in _named(phrase)


def test_the_longest_phrase_comes_first() -> None:
    lengths = [length for _, length in _named("tempo de paragem por linha")]

    assert lengths[0] == 3
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[-1] == 1


@pytest.mark.parametrize(
    ("compound", "concepts"),
    [
        ("Materialmenge", ["quantity", "material"]),
        ("Fertigungsauftragsstatus", ["status", "order"]),
        ("Wartungsintervallkosten", []),  # of a part that is not known
        ("Prüfmenge", ["inspected_quantity"]),  # a word itself
        ("Ladezeit", ["time"]),
        ("Maschinenstillstände", ["stop", "machine"]),
        ("diversion", []),  # 'di' begins no compound, though 'version' is a word
        ("uniforme", []),
        ("maschinen" * 12 + "stillstand", []),  # nobody's word: its length is squared in time
    ],
)
def test_a_german_compound_has_the_concepts_of_its_parts(
    compound: str, concepts: list[str]
) -> None:
    assert [concept for concept, _ in _named(compound)] == concepts


def test_an_abbreviation_counts_as_a_whole_word_of_a_header_alone() -> None:
    lexicon = domain_lexicon()

    assert lexicon.abbreviations["qtde"] == "quantity"
    assert lexicon.concepts_of_name("Qtde") == ("quantity",)
    assert lexicon.concepts_of_name("MatNr") == ("material", "number")
    assert lexicon.concepts_of_name("Matinas") == ()
    assert lexicon.concepts_at(["nr"], 0) == ()


def test_a_unit_tells_a_concept_where_words_do_not() -> None:
    lexicon = domain_lexicon()

    assert lexicon.concept_of_unit("[kg]") == "weight"
    assert lexicon.concept_of_unit("°C") == "temperature"
    assert lexicon.concept_of_unit("µm") == "thickness"
    assert lexicon.concept_of_unit("furlong") == ""
    assert lexicon.concepts_of_name("XYZ (kWh)") == ("energy",)
    assert lexicon.concepts_of_name("XYZ kg") == ("weight",)


@pytest.mark.parametrize(
    ("concept", "codes", "meant"),
    [
        ("gender", ["M", "F"], {"M": "male", "F": "female"}),
        ("gender", ["H", "M"], {"H": "male", "M": "female"}),  # 'hombre', 'mujer'
        ("gender", ["M", "A", "B", "C"], {}),
        ("result", ["V", "E", "D"], {"V": "win", "E": "draw_result", "D": "defeat"}),
        ("country", ["PT", "XX"], {"PT": "portugal"}),
        ("colour", ["M", "F"], {}),
    ],
)
def test_codes_are_told_by_those_beside_them(
    concept: str, codes: list[str], meant: dict[str, str]
) -> None:
    assert domain_lexicon().concepts_of_codes([concept], codes) == meant


def test_codes_are_of_concepts() -> None:
    words = [line.split() for line in tomllib.loads(TEXT)["codes"]]

    assert {len(line) % 2 for line in words} == {1}
    assert {each for line in words for each in (line[0], *line[2::2])} <= set(CONCEPTS)


def test_a_concept_tells_how_its_numbers_are_put_together() -> None:
    lexicon = domain_lexicon()

    assert [lexicon.kind(each) for each in ("cost", "temperature", "serial_number")] == [
        *("amount", "level", "id")
    ]
    assert lexicon.kind("colour") == lexicon.kind("no such concept") == ""


@pytest.mark.parametrize(
    ("concept", "broader"),
    [
        ("unit_price", "price"),
        ("start_date", "date"),
        ("price", ""),
        ("unit_of_measure", ""),
        ("work_in_process", ""),
        ("no such concept", ""),
    ],
)
def test_a_special_concept_tells_the_broader_one(concept: str, broader: str) -> None:
    assert domain_lexicon().broader(concept) == broader


def test_a_header_names_the_broader_concept_last() -> None:
    assert domain_lexicon().concepts_of_name("Materialkosten") == ("material_cost", "cost")


def test_a_phrase_is_found_in_the_middle_and_not_across_the_end() -> None:
    stems = _stems("quanto é o custo unitário")

    declared = {"concept": {"unit_cost": {"pt": ["custo unitario"]}, "cost": {"pt": ["custo"]}}}
    assert DomainLexicon(prepare(declared)).concepts_at(stems, 3) == (("unit_cost", 2), ("cost", 1))
    assert domain_lexicon().concepts_at(stems, len(stems)) == ()
