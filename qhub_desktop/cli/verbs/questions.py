"""Question verbs: what answers have asked the person, and answering it late."""

from __future__ import annotations

import argparse
from typing import get_args

from qhub_desktop.cli.printing import one_line, print_json
from qhub_desktop.cli.verbs import CommandServices, Verbs, add_json_option, positive
from qhub_desktop.cli.verbs.conversations import add_answer_option, answer_question
from qhub_desktop.core.asking import StoredQuestion, numbered_options, quoted_answer, read_answer
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.errors import UsageError
from qhub_desktop.core.settings import EngineChoice
from qhub_desktop.core.text import gettext as _


def declare(verbs: Verbs) -> None:
    """Declare `questions` and `answer`."""
    questions = verbs.add_parser("questions", help=_("what answers have asked you"))
    questions.set_defaults(run=_list)
    add_json_option(questions)

    answer = verbs.add_parser("answer", help=_("answer such a question, and watch what follows"))
    answer.set_defaults(run=_answer)
    answer.add_argument("number", type=positive, metavar="ID", help=_("as the list tells"))
    answer.add_argument(
        "text", nargs="?", metavar="TEXT", help=_("words, an option, or its number")
    )
    answer.add_argument(
        "--option",
        type=positive,
        nargs="+",
        action="extend",
        metavar="N",
        help=_("an option by its number; repeatable"),
    )
    answer.add_argument(
        "--engine",
        choices=get_args(EngineChoice),
        help=_("what answers (default: the setting)"),
    )
    add_answer_option(answer)
    add_json_option(answer)


async def _list(services: CommandServices, asked: argparse.Namespace) -> None:
    found = await services.store.questions.listed()
    if asked.json:
        print_json([_question_object(each) for each in found])
        return
    for each in found:
        print(f"{each.id:>4}  {each.conversation}  {one_line(each.question.text)}")
        for number, choice in enumerate(each.question.choices, start=1):
            print(f"      {number}. {one_line(choice.label)}")
    if not found:
        print(_("No question waits for your answer."))


async def _answer(services: CommandServices, asked: argparse.Namespace) -> str | None:
    """Answer a question; return what failed, or None.

    The answer that waits for it in another program goes on there; else it is the next message.
    """
    if (asked.text is None) == (asked.option is None):
        raise UsageError(_("Give an answer: either words, or --option N."))
    found = await services.store.questions.find(asked.number)
    if asked.option is None:
        answer = read_answer(found.question, asked.text)
    else:
        answer = numbered_options(found.question, asked.option)
    is_awaited = await services.store.questions.answer(asked.number, answer)
    if asked.json:
        print_json({"type": "conversation", "id": found.conversation})
    if is_awaited:
        told = _("The answer that waits for this goes on where it was asked.")
        if asked.json:
            print_json({"type": "status", "kind": "handed", "text": told})
        else:
            print(told)
        return None
    return await answer_question(
        services, found.conversation, quoted_answer(found.question, answer), asked
    )


def _question_object(each: StoredQuestion) -> JsonObject:
    return {
        "id": each.id,
        "conversation": each.conversation,
        "text": each.question.text,
        "options": [choice.label for choice in each.question.choices],
        "state": each.state,
    }
