"""Documents toolbox: passages of what the plant has written, which an answer may cite."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.documents import (
    Citation,
    Document,
    DocumentHit,
    DocumentSearchResult,
    Passage,
)
from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.core.text import fold, gettext_noop
from qhub_desktop.core.tool import ToolContext, ToolOutput, tool
from qhub_desktop.core.untrusted import one_line, sanitize
from qhub_desktop.knowledge.words import asked_codes, terms

if TYPE_CHECKING:
    from qhub_desktop.store.documents import DocumentRepository
    from qhub_desktop.tools.document_service import DocumentService

CALL_CHARACTERS = 9_000  # of all passages of a search
PAGE_CHARACTERS = 2_000
_NAMED = 10  # documents that a wrong name is answered with


class DocumentTools:
    """Toolbox that searches the plant's documents, where there are any."""

    def __init__(
        self, repository: DocumentRepository, documents: Callable[[], DocumentService]
    ) -> None:
        """Nothing of `documents` is made before the first search."""
        self._repository = repository
        self._documents = documents

    async def is_there(self) -> bool:
        """Whether the person may read any document."""
        return await self._repository.has_any()

    @tool(
        label=gettext_noop("Searching the documents…"),
        category="data",
        risk="read",
    )
    async def procurar_documentos(
        self,
        context: ToolContext,
        *,
        pergunta: str,
        colecao: str = "",
        documento: Annotated[
            str, Field(description="código ('IT-PIN-014', 'IT-PIN-014 rev. 5') ou ficheiro")
        ] = "",
        n: Annotated[int, Field(ge=1, le=12, description="até 12")] = 6,
    ) -> ToolOutput:
        """Passagens do que a fábrica escreveu: instruções, normas, fichas. Responde só com o que
        nelas está e cita cada frase; se nenhuma responde, di-lo.
        """
        try:
            chosen = await self._find(documento, context) if documento.strip() else None
            codes = asked_codes(pergunta)
            if chosen is None and codes and not colecao:
                chosen = await self._of_code(codes, context)
            asked, result = pergunta, DocumentSearchResult("words", 0, 0, ())
            if chosen is not None:
                asked = _without_code(pergunta, chosen.facts.code)
                result = await self._documents().search(
                    asked,
                    document=chosen.id,
                    count=n,
                    with_superseded=chosen.state == "superseded",
                    agent=context.agent,
                    message=context.message,
                )
            if not result.hits and not documento.strip():
                asked = pergunta
                result = await self._documents().search(
                    asked,
                    collection=colecao,
                    count=n,
                    agent=context.agent,
                    message=context.message,
                )
            waiting = 0 if result.hits else await self._waiting(context)
        except UserError as error:
            raise ToolError(str(error)) from error
        passages = [(hit.document, hit.passage) for hit in result.hits]
        cited = _bounded(passages, most=CALL_CHARACTERS)
        told: list[Json] = [_told(hit) for hit in result.hits[: len(cited)]]
        content: JsonObject = {"encontradas": result.found, "passagens": told}
        if waiting:  # else nothing would be taken for a no
            content["adiados"] = waiting
        if codes := asked_codes(asked):
            content["codigos"] = [*codes]
        return ToolOutput(content, passages=tuple(cited))

    @tool(
        label=gettext_noop("Reading a page…"),
        category="data",
        risk="read",
    )
    async def ler_pagina(
        self,
        context: ToolContext,
        *,
        documento: str,
        pagina: Annotated[int, Field(ge=1)],
    ) -> ToolOutput:
        """Uma página ou diapositivo de um documento: o que está à volta de uma passagem."""
        try:
            document = await self._find(documento, context)
            found = await self._documents().page(document, pagina)
        except UserError as error:
            raise ToolError(str(error)) from error
        if not found:
            pages = document.pages
            has = f"tem {pages} páginas; esta não tem texto" if pages else "não tem páginas"
            raise ToolError(f"{_named(document)} {has}.")
        cited = _bounded([(document, each) for each in found], most=PAGE_CHARACTERS)
        content: JsonObject = {"documento": _named(document), "pagina": pagina}
        if len(cited) < len(found):
            content["cortado"] = f"só o início, até {PAGE_CHARACTERS} caracteres"
        return ToolOutput(content, passages=tuple(cited))

    async def _waiting(self, context: ToolContext) -> int:
        """Count the documents that are not read yet, of which nothing can be found."""
        known = await self._documents().documents(agent=context.agent)
        return sum(each.state == "queued" for each in known)

    async def _of_code(self, codes: Sequence[str], context: ToolContext) -> Document | None:
        """Return the document in force that a question names by its code, if it names one."""
        known = await self._documents().documents(include_superseded=False, agent=context.agent)
        found = [each for each in known if set(asked_codes(each.facts.code)).intersection(codes)]
        return found[0] if len(found) == 1 else None

    async def _find(self, name: str, context: ToolContext) -> Document:
        """Find a document by its code, with or without its revision, or its file; the one in force
        goes first.
        """
        known = await self._documents().documents(agent=context.agent)
        wanted = _key(name)
        found = [
            each
            for each in known
            if wanted in map(_key, (each.name, each.facts.code, each.file, each.title))
        ]
        found.sort(key=lambda each: each.state == "superseded")
        if not found:
            names = ", ".join(_named(each) for each in known[:_NAMED])
            more = ", …" if len(known) > _NAMED else ""
            raise ToolError(f"Não há '{one_line(name)}'. Há: {names}{more}.")
        return found[0]


def _without_code(question: str, code: str) -> str:
    """Return a question without the code of the document that it is put to, if words are left."""
    groups = re.findall(r"[^\W\d_]+|\d+", code)
    pattern = r"[\W_]*".join(map(re.escape, groups))
    rest = re.sub(rf"\b{pattern}\b", " ", question, flags=re.IGNORECASE) if groups else question
    return rest if terms(rest) else question


def _key(name: str) -> str:
    return "".join(filter(str.isalnum, fold(name)))


def _named(document: Document) -> str:
    return one_line(document.name)


def _bounded(found: Sequence[tuple[Document, Passage]], *, most: int) -> list[Citation]:
    """Return the passages that fit, whole, in so many characters; the first in any case."""
    cited: list[Citation] = []
    left = most
    for document, passage in found:
        text = sanitize(passage.text)[:most]
        left -= len(text)
        if left < 0:
            break
        cited.append(
            Citation(
                document=document.id,
                sha256=document.sha256,
                file=document.file,
                code=document.facts.code,
                revision=document.facts.revision,
                place=passage.place,
                quote=text,
                is_superseded=document.state == "superseded",
                certainty=passage.certainty,
            )
        )
    return cited


def _told(hit: DocumentHit) -> JsonObject:
    """Return what is told of a hit besides its words: how far it fits what was asked."""
    told: JsonObject = {"documento": _named(hit.document), "palavras": round(hit.share, 2)}
    if hit.is_exact:
        told["literal"] = True
    return told
