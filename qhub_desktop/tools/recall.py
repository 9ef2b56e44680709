"""Recall toolbox: words that were said in the person's earlier conversations."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.core.ids import NO_CONVERSATION, ConversationId, MessageId
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.core.tool import ToolContext, ToolOutput, tool

if TYPE_CHECKING:
    from qhub_desktop.store.recall import RecalledMessage, RecallRepository

EXCERPT_CHARACTERS = 300


class RecallTools:
    """Toolbox that looks in the person's own conversations, where the ability is on."""

    def __init__(self, recall: RecallRepository, settings: Callable[[], Settings]) -> None:
        self._recall = recall
        self._settings = settings

    async def is_there(self) -> bool:
        """Whether models may look."""
        return self._settings().session_search

    @tool(
        label=gettext_noop("Searching the conversations…"),
        category="ask",
        risk="read",
    )
    async def procurar_conversas(
        self,
        context: ToolContext,
        *,
        palavras: str = "",
        de: date | None = None,
        ate: date | None = None,
        agente: str = "",
        conversa: ConversationId = NO_CONVERSATION,
        a_volta_de: Annotated[
            MessageId | None, Field(description="mensagem, com as vizinhas")
        ] = None,
        limite: Annotated[int, Field(ge=1, le=10)] = 5,
    ) -> ToolOutput:
        """O que se disse em conversas anteriores da pessoa, e nesta antes do que já vês."""
        try:
            if a_volta_de is not None:
                if not conversa:
                    raise ToolError("Com a_volta_de diz também a conversa.")
                near = await self._recall.around(conversa, a_volta_de)
                return ToolOutput({"mensagens": [_told(each) for each in near]})
            recall = await self._recall.find(
                palavras,
                first=de,
                last=ate,
                agent=agente,
                conversation=conversa,
                before=context.message,
                limit=limite,
                characters=EXCERPT_CHARACTERS,
            )
        except UserError as error:
            raise ToolError(str(error)) from error
        content: JsonObject = {"mensagens": [_told(each) for each in recall.found]}
        if recall.is_partial:
            content["parcial"] = True
        return ToolOutput(content)


def _told(each: RecalledMessage) -> JsonObject:
    return {
        "conversa": each.conversation,
        "mensagem": each.message,
        "data": each.created.isoformat(timespec="minutes"),
        "agente": each.agent,
        "titulo": each.title,
        "de": "pessoa" if each.role == "user" else "assistente",
        "excerto": each.text,
    }
