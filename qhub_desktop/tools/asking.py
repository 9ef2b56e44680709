"""Asking toolbox: a question to the person in the middle of an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from qhub_desktop.core.asking import reply_content, state_of
from qhub_desktop.core.errors import ToolError
from qhub_desktop.core.message import Choice, Clarification
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.core.tool import ToolContext, ToolOutput, tool

if TYPE_CHECKING:
    from qhub_desktop.store.questions import QuestionRepository

MOST_QUESTIONS = 3  # in one answer: more is an interrogation
MOST_OPTIONS = 6
LONGEST_WAIT_S = 900

Option = Annotated[str, Field(min_length=1, max_length=80)]


class AskingTools:
    """Toolbox that asks the person, where the ability is on."""

    def __init__(self, questions: QuestionRepository, settings: Callable[[], Settings]) -> None:
        self._questions = questions
        self._settings = settings

    def is_there(self) -> bool:
        """Whether models may ask."""
        return self._settings().questions

    @tool(
        label=gettext_noop("Asking you…"),
        category="ask",
        risk="read",
        gives="nothing",
    )
    async def perguntar_pessoa(
        self,
        context: ToolContext,
        *,
        pergunta: Annotated[str, Field(min_length=1, max_length=300)],
        opcoes: Annotated[list[Option], Field(max_length=MOST_OPTIONS)] = [],  # noqa: B006  pydantic copies it
        varias: bool = False,
        texto_livre: bool = True,
        prazo_s: Annotated[int, Field(ge=15, le=LONGEST_WAIT_S)] = LONGEST_WAIT_S,
    ) -> ToolOutput:
        """Pergunta à pessoa o que falta para responder, se nem os dados nem a conversa o dizem.

        Até 300 caracteres, 6 opções de 80 e 3 perguntas por resposta. `sem_resposta` não é
        consentimento nem escolha: não suponhas nenhuma opção; diz o que ficou por saber e faz só o
        que não depende disso. Não autoriza gravar.
        """
        if not opcoes and not texto_livre:
            raise ToolError("Sem opções nem texto livre ninguém pode responder.")
        if len(set(opcoes)) < len(opcoes):
            raise ToolError("Há opções iguais.")
        assert context.message is not None
        question = Clarification(
            pergunta,
            tuple(Choice(each, {}) for each in opcoes),
            call_id=context.call,
            is_multiple=varias,
            takes_text=texto_livre,
            wait_s=prazo_s,
        )
        asked = await self._questions.add(
            context.conversation, context.message, question, most=MOST_QUESTIONS
        )
        if asked is None:
            raise ToolError(
                f"Já fez {MOST_QUESTIONS} perguntas nesta resposta. Responda com o que sabe."
            )
        try:
            reply = await context.ask(question)
        except asyncio.CancelledError:  # stopped: the card can still be answered
            await asyncio.shield(self._questions.close(asked, "expired"))
            raise
        await self._questions.close(asked, state_of(reply))
        return ToolOutput(reply_content(reply))
