"""Asking toolbox: a question to the person in the middle of an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from qhub_desktop.core.asking import ANSWERED_ELSEWHERE, Reply, Unanswered, reply_content
from qhub_desktop.core.errors import ToolError, UserError
from qhub_desktop.core.message import Choice, Clarification
from qhub_desktop.core.settings import Settings
from qhub_desktop.core.text import gettext_noop
from qhub_desktop.core.tool import ToolContext, ToolOutput, tool

if TYPE_CHECKING:
    from qhub_desktop.store.questions import QuestionRepository

MOST_QUESTIONS = 3  # in one answer: more is an interrogation
MOST_OPTIONS = 6
LONGEST_WAIT_S = 900
HANDED_S = 0.5  # until an answer learns that another program was given what it waits for

Option = Annotated[str, Field(min_length=1, max_length=80)]


class AskingTools:
    """Toolbox that asks the person, where the ability is on."""

    def __init__(self, questions: QuestionRepository, settings: Callable[[], Settings]) -> None:
        self._questions = questions
        self._settings = settings

    async def is_there(self) -> bool:
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
        """Pergunta à pessoa o que nem os dados nem a conversa dizem; até 3 vezes, com 6 opções.

        `sem_resposta` não é consentimento: não suponhas nenhuma opção; faz só o que não depende
        disso. Não autoriza gravar.
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
            reply = await self._first_reply(asked, context.ask(question))
        except BaseException:  # stopped, as a rule: the card can still be answered
            await asyncio.shield(self._questions.give_up(asked))
            raise
        first = await self._questions.settle(asked, reply)
        if first is None:
            raise ToolError(ANSWERED_ELSEWHERE)
        return ToolOutput(reply_content(first))

    async def _first_reply(self, asked: int, wait: Awaitable[Reply]) -> Reply:
        """Wait for the person here, and for what another program may be told by them."""
        here = asyncio.ensure_future(wait)
        elsewhere = asyncio.ensure_future(self._until_handed(asked))
        try:
            await asyncio.wait((here, elsewhere), return_when=asyncio.FIRST_COMPLETED)
            # What was handed on is read as the question is settled.
            return await here if here.done() else Unanswered("ninguem")
        finally:
            elsewhere.cancel()
            here.cancel()
            await asyncio.wait((here, elsewhere))

    async def _until_handed(self, asked: int) -> None:
        while True:
            await asyncio.sleep(HANDED_S)
            with suppress(UserError):  # another program is busy
                if await self._questions.is_handed(asked):
                    return
