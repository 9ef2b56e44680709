"""What a model file says of itself, and what is no model file."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from gguf.constants import GGML_QUANT_SIZES

from qhub_desktop.chat.local.gguf_header import BLOCKS, read_header
from qhub_desktop.core.errors import UserError
from tests.chat.local.tiny_model import CONTEXT, TEMPLATE, make_model


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("modelos") / "São João 1B.gguf", name="São João 1B")


def test_a_header_tells_name_size_context_licence_and_tools(model: Path) -> None:
    header = read_header(model)

    assert header.name == "São João 1B"
    assert (header.architecture, header.licence) == ("llama", "apache-2.0")
    assert (header.context, header.size) == (CONTEXT, model.stat().st_size)
    assert header.knows_tools
    assert header.parameters == (2 * 263 + 1) * 64 + 2 * 64 + 7 * 64 * 64
    # Keys and values of four heads of 16, two bytes each, in one layer.
    assert header.memory(1_000) - header.memory(0) == 1_000 * 2 * (64 + 64)


def test_a_template_without_tools_is_told(tmp_path: Path) -> None:
    plain = "{% for m in messages %}{{ m.content }}{% endfor %}"

    assert not read_header(make_model(tmp_path / "a.gguf", template=plain)).knows_tools
    assert "tools" in TEMPLATE


def test_sizes_of_blocks_are_those_of_the_format() -> None:
    known = {int(kind): sizes for kind, sizes in GGML_QUANT_SIZES.items()}

    assert {kind: known[kind] for kind in BLOCKS} == BLOCKS


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda file: file.write_bytes(b"PK\3\4" + bytes(100)), "is not a model file"),
        (lambda file: file.write_bytes(b""), "is not a model file"),
        (lambda file: file.write_bytes(b"GGUF" + bytes(8)), "is not a model file"),
        (lambda file: file.write_bytes(b"GGUF" + b"\xff" * 60), "is damaged"),
        (lambda file: make_model(file, architecture="bert"), "does not hold a model"),
        (lambda file: make_model(file, more={"general.type": "mmproj"}), "does not hold a model"),
        (lambda file: make_model(file, more={"llama.pooling_type": 1}), "does not hold a model"),
        (lambda file: make_model(file, more={"split.count": 3}), "one part of a model in 3 files"),
    ],
)
def test_what_is_no_model_is_refused_with_its_cause(
    tmp_path: Path, make: Callable[[Path], object], said: str
) -> None:
    make(file := tmp_path / "modelo.gguf")

    with pytest.raises(UserError, match=said):
        read_header(file)


def test_another_suffix_and_a_file_that_has_gone_are_refused(tmp_path: Path) -> None:
    (other := tmp_path / "modelo.bin").write_bytes(b"GGUF")

    with pytest.raises(UserError, match="is not a model file"):
        read_header(other)
    with pytest.raises(UserError, match="is not there any more"):
        read_header(tmp_path / "modelo.gguf")


def test_a_file_cut_anywhere_is_said_to_be_cut_short(model: Path, tmp_path: Path) -> None:
    whole = model.read_bytes()
    file = tmp_path / "modelo.gguf"
    for length in (*range(30, len(whole), len(whole) // 40), len(whole) - 1):
        file.write_bytes(whole[:length])
        with pytest.raises(UserError, match="is cut short"):
            read_header(file)


def test_a_split_model_needs_all_its_parts(tmp_path: Path) -> None:
    first = make_model(tmp_path / "m-00001-of-00002.gguf", more={"split.count": 2})

    with pytest.raises(UserError, match=r"A part of this model is missing: m-00002-of-00002\.gguf"):
        read_header(first)

    second = make_model(tmp_path / "m-00002-of-00002.gguf", more={"split.no": 1})
    assert read_header(first).size == first.stat().st_size + second.stat().st_size
    with pytest.raises(UserError, match="not the first part"):
        read_header(second)


def test_five_hundred_mutated_headers_give_a_header_or_a_sentence(
    model: Path, tmp_path: Path
) -> None:
    whole = model.read_bytes()
    header = whole.index(b"blk.0.ffn_down.weight")
    chance = random.Random(43)
    file = tmp_path / "modelo.gguf"
    refused = 0
    for _mutation in range(500):
        changed = bytearray(whole)
        for _byte in range(chance.randint(1, 8)):
            changed[chance.randrange(4, header)] = chance.choice((0, 0xFF, chance.randrange(256)))
        file.write_bytes(changed)
        try:
            read_header(file)
        except UserError:
            refused += 1
    assert 50 < refused < 500
