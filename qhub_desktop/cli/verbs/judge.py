"""Judge verb: stored answers judged again, at no cost or by a model."""

from __future__ import annotations

import argparse
import asyncio

from qhub_desktop.cli.printing import print_json
from qhub_desktop.cli.verbs import CommandServices, Verbs, add_json_option, positive
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext

JUDGED = 100  # answers, where no limit is given


def declare(verbs: Verbs) -> None:
    """Declare `judge`."""
    judge = verbs.add_parser("judge", help=_("stored answers, judged again"))
    doing = judge.add_subparsers(dest="doing", metavar="DOING", required=True)
    run = doing.add_parser("run", help=_("judge them now"))
    run.set_defaults(run=_run)
    run.add_argument("--engine", choices=("offline",), default="offline")
    run.add_argument("--limit", type=positive, default=JUDGED, metavar="N", help=_("at most"))
    add_json_option(run, is_nested=True)
    add_json_option(judge)


async def _run(services: CommandServices, asked: argparse.Namespace) -> None:
    from qhub_desktop.chat.judge import judge_offline

    cases = await services.store.reviews.judgements.answers(limit=asked.limit)
    items: list[JsonObject] = []
    for case in cases:
        verdict, numbers = await asyncio.to_thread(judge_offline, case)
        items.append(
            {
                "message": verdict.message,
                "numbers": numbers.counts,
                "verdict": "good" if verdict.is_good else "flagged",
                "why": verdict.why,
            }
        )
    flagged = [each for each in items if each["verdict"] == "flagged"]
    if asked.json:
        print_json({"judged": len(items), "flagged": len(flagged), "items": [*items]})
        return
    for each in flagged:
        print(f"{each['message']}  {each['why']}")
    print(
        ngettext(
            "{count} answer judged, {flagged} flagged.",
            "{count} answers judged, {flagged} flagged.",
            len(items),
        ).format(count=len(items), flagged=len(flagged))
    )
