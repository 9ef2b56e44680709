"""Artifacts in a text that comes in any pieces."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qhub_desktop.core.artifact import (
    FENCE_OPENING,
    Artifact,
    ArtifactDelta,
    ArtifactEnded,
    ArtifactEvent,
    ArtifactParser,
    ArtifactStarted,
    TextDelta,
    split_artifacts,
)

TEXT = """Veja:

```html
<p>olá</p>
```

E em Python:

```python
print("```")
```
fim"""


def fed(*pieces: str) -> list[ArtifactEvent]:
    parser = ArtifactParser()
    found = [each for piece in pieces for each in parser.feed(piece)]
    return [*found, *parser.finish()]


def outline(pieces: list[ArtifactEvent]) -> list[str | Artifact]:
    """Words run together, and what came whole between them."""
    found: list[str | Artifact] = []
    for piece in pieces:
        match piece:
            case TextDelta(text) if found and isinstance(found[-1], str):
                found[-1] += text
            case TextDelta(text):
                found.append(text)
            case ArtifactEnded(artifact):
                found.append(artifact)
            case ArtifactStarted() | ArtifactDelta():
                pass
    return found


def test_a_page_is_found_between_the_words() -> None:
    before, page, after = split_artifacts(TEXT)
    assert before == "Veja:\n\n"
    assert page == Artifact("html", "<p>olá</p>")
    assert isinstance(after, str)
    assert 'print("```")' in after
    assert after.endswith("fim")


@given(st.lists(st.integers(0, len(TEXT)), max_size=12))
def test_the_pieces_in_which_a_text_comes_make_no_difference(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(TEXT)]
    pieces = [TEXT[a:b] for a, b in itertools.pairwise(places)]
    assert outline(fed(*pieces)) == outline(fed(TEXT))


@given(st.lists(st.sampled_from(["```", "   ```", "    ```", "\t```", "```\xa0", "````", "x"])))
def test_a_text_is_split_alike_letter_by_letter(lines: list[str]) -> None:
    text = "\n".join(["```html", *lines])
    assert outline(fed(*text)) == outline(fed(text))


@given(st.text(alphabet="`~ \nhtmlsvgjx<p", max_size=80))
def test_no_character_is_lost(text: str) -> None:
    found = [each if isinstance(each, str) else each.source for each in split_artifacts(text)]
    assert letters("\n".join(found)) == letters(text)


def letters(text: str) -> str:
    """What stands on lines that are no fences."""
    lines = [line for line in text.split("\n") if not FENCE_OPENING.match(line)]
    return "".join("".join(lines).split())


def test_words_are_given_out_as_they_come_but_for_what_may_be_a_fence() -> None:
    parser = ArtifactParser()
    assert parser.feed("Ol") == [TextDelta("Ol")]
    assert parser.feed("á\n``") == [TextDelta("á\n")]
    assert parser.feed("`sv") == []
    assert parser.feed("g\n<svg>") == [ArtifactStarted("svg"), ArtifactDelta("<svg>")]
    assert parser.feed("</svg>\n```") == [ArtifactDelta("</svg>\n")]
    assert parser.feed("\nfim") == [ArtifactEnded(Artifact("svg", "<svg></svg>")), TextDelta("fim")]


def test_code_within_a_sentence_is_not_held_back() -> None:
    assert ArtifactParser().feed("`x` é") == [TextDelta("`x` é")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("~~~svg\n<svg/>\n~~~", [Artifact("svg", "<svg/>")]),
        ("````html\n```\n````", [Artifact("html", "```")]),
        ("   ```JSX\nx\n   ```  ", [Artifact("jsx", "x")]),
        ("```html title\nx\n```\r\n", [Artifact("html", "x")]),
        ("```html\r\nx\r\n```", [Artifact("html", "x")]),
        ("```html\nx", [Artifact("html", "x", is_closed=False)]),
        ("```html\n```", [Artifact("html", "")]),
        ("    ```html\nx\n", ["    ```html\nx\n"]),
        ("```html``` dentro da frase", ["```html``` dentro da frase"]),
        ("````markdown\n```html\nx\n```\n````\n", ["````markdown\n```html\nx\n```\n````\n"]),
        ("```html\n~~~\n```", [Artifact("html", "~~~")]),
        ("```xml\n<svg/>\n```", ["```xml\n<svg/>\n```"]),
        ("```html\n    ```\n\xa0```\n```", [Artifact("html", "    ```\n\xa0```")]),
    ],
)
def test_fences(text: str, expected: list[str | Artifact]) -> None:
    assert list(split_artifacts(text)) == expected


@pytest.mark.parametrize("source", ["<p>", "```\nx\n```", "````"])
def test_an_artifact_survives_its_own_markdown(source: str) -> None:
    assert list(split_artifacts(Artifact("html", source).markdown)) == [Artifact("html", source)]
