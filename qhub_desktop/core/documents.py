"""Documents of the plant: where a passage stands, what a search found, what an answer cites."""

from typing import Literal

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.person import Role
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.values import dataclass

EMBEDDINGS_PATH = "/v1/embeddings"  # of a service that is sent texts, for their vectors
SEARCH_TOOL = "procurar_documentos"  # of agents
SearchEngine = Literal["hybrid", "words"]
OcrUse = Literal["auto", "never", "always"]
# Waiting to be read, searchable by words, by meaning too; replaced by a newer revision; its file is
# gone from the watched folder; not readable.
DocumentState = Literal["queued", "words", "ready", "superseded", "gone", "failed"]

# Left, top, right, bottom of a line: shares of the page's width and height, from its top left.
Rectangle = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class DocumentPlace:
    """Where a passage stands in its document. What is not known is left out, never guessed.

    `page` counts from 1; `label` is the number printed on it, where it differs. A .docx has no
    pages: `headings` lead to the passage, `paragraph` counts from 1. `cells` is a range as in
    'A3:D9', `part` a part of an e-mail.
    """

    page: int | None = None
    label: str = ""
    slide: int | None = None
    sheet: str = ""
    cells: str = ""
    part: str = ""
    headings: tuple[str, ...] = ()
    paragraph: int | None = None
    rectangles: tuple[Rectangle, ...] = ()

    @property
    def label_text(self) -> str:
        """The place as it stands in a citation: 'p. 3', 'slide 2', 'Plano!A3:D9', '4.2 Polir, §7';
        'A3:D9' where a table has no sheets.

        Empty where nothing is known.
        """
        if self.page is not None:
            text = _("p. {page}").format(page=self.page)
            return f"{text} ({self.label})" if self.label else text
        if self.slide is not None:
            return _("slide {number}").format(number=self.slide)
        if self.sheet or self.cells:
            return "!".join(filter(None, (self.sheet, self.cells)))
        words = [self.part, *self.headings[-1:]]
        if self.paragraph is not None:
            words.append(f"§{self.paragraph}")
        return ", ".join(word for word in words if word)


@dataclass(frozen=True, slots=True)
class Passage:
    """Some 300 to 900 characters of a document, never across a heading.

    `certainty` is that of the OCR that read it, 0 to 1; None where the text stood in the file.
    """

    text: str
    place: DocumentPlace
    certainty: float | None = None


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    """What a document says of itself on its first page and in its headers; empty if it does not.

    `issued` is a date in ISO form.
    """

    code: str = ""
    revision: str = ""
    issued: str = ""
    customer: str = ""

    def name_or(self, file: str) -> str:
        """Return the code with its revision, 'IT-PIN-014 rev. 6', or the file's name."""
        if self.code and self.revision:
            return _("{code} rev. {revision}").format(code=self.code, revision=self.revision)
        return self.code or file


@dataclass(frozen=True, slots=True)
class DocumentText:
    """All that was read of one file: its passages, in order, and what was noticed.

    `pages` is the number of pages or slides where the format has any. `attachments` are the names
    of files that lay in it, read as documents of their own.
    """

    format: str
    title: str
    facts: DocumentFacts
    passages: tuple[Passage, ...]
    pages: int | None = None
    warnings: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A stored document. `path` is where it was taken from; `sha256` names the kept copy.

    `parent` is the document that it was attached to, `replaced_by` the newer revision.
    """

    id: int
    file: str
    sha256: str
    format: str
    title: str
    facts: DocumentFacts
    collection: str
    state: DocumentState
    added: str
    pages: int | None = None
    passages: int = 0
    embedded: int = 0  # passages that have their vector
    path: str = ""
    parent: int | None = None
    replaced_by: int | None = None
    error: str = ""
    warnings: tuple[str, ...] = ()  # of what was not read of it

    @property
    def name(self) -> str:
        """What people call it: 'IT-PIN-014 rev. 6', or its file."""
        return self.facts.name_or(self.file)


@dataclass(frozen=True, slots=True)
class DocumentHit:
    """A passage that a search found, best first. `score` compares hits of one search only.

    `is_exact` says that a code of the question stands in it; `share` is the share of the
    question's content words that do, 0 to 1.
    """

    document: Document
    passage: Passage
    score: float
    is_exact: bool = False
    share: float = 0.0


@dataclass(frozen=True, slots=True)
class DocumentSearchResult:
    """Hits of one search, and how they were found. `found` counts them before the limit."""

    engine: SearchEngine
    ms: float
    found: int
    hits: tuple[DocumentHit, ...]


def search_input(question: str, document: str = "") -> JsonObject:
    """Return the input of a call of the tool that searches, of one document where it is named."""
    return {"pergunta": question, **({"documento": document} if document else {})}


def searched_words(given: JsonObject) -> str:
    """Return what a call of the tool searches for."""
    return str(given["pergunta"])


@dataclass(frozen=True, slots=True)
class Citation:
    """In an answer: the quoted words, and where they stand.

    Stored whole, so that it comes back as it was when the document has changed or is gone. Of a
    tool's result it quotes a whole passage. `certainty` is that of the OCR that read the passage.
    """

    document: int
    sha256: str
    file: str
    code: str
    revision: str
    place: DocumentPlace
    quote: str
    is_superseded: bool = False
    certainty: float | None = None

    @property
    def label(self) -> str:
        """What stands between brackets in an answer: 'IT-PIN-014 rev. 6, p. 3'."""
        name = DocumentFacts(self.code, self.revision).name_or(self.file)
        if self.is_superseded:
            name = _("{document} (superseded)").format(document=name)
        return ", ".join(part for part in (name, self.place.label_text) if part)


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection of documents: roles that may read it, agents that use it; empty for all."""

    name: str
    roles: tuple[Role, ...] = ()
    agents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WatchedFolder:
    """A folder whose files are documents of a collection. It is never written to.

    `files` were seen in it, `waiting` of them are not read yet.
    """

    id: int
    path: str
    collection: str
    files: int = 0
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class DocumentReading:
    """What a reading found of a whole file: all but its passages, which stand in the index."""

    format: str
    title: str
    facts: DocumentFacts
    pages: int | None = None
    warnings: tuple[str, ...] = ()
