"""Judge verb: stored answers judged again, at no cost or by a model."""

from __future__ import annotations

import argparse
import asyncio

from qhub_desktop.cli.printing import print_json
from qhub_desktop.cli.verbs import CommandServices, Verbs, add_json_option, positive
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import ngettext

JUDGED = 100  # answers, where no limit is given
WAIT_S, LOOK_S = 600.0, 2.0  # for a batch
MOST_ASKED_USD = 1_000


def declare(verbs: Verbs) -> None:
    """Declare `judge`."""
    judge = verbs.add_parser("judge", help=_("stored answers, judged again"))
    doing = judge.add_subparsers(dest="doing", metavar="DOING", required=True)
    run = doing.add_parser("run", help=_("judge them now"))
    run.set_defaults(run=_run)
    run.add_argument(
        "--engine", choices=("offline", "claude"), help=_("what judges (default: the ability)")
    )
    run.add_argument("--dry-run", action="store_true", help=_("tell the price, and ask nothing"))
    run.add_argument("--max-usd", type=_usd, metavar="USD", help=_("at most (default: 0.50)"))
    run.add_argument("--limit", type=positive, default=JUDGED, metavar="N", help=_("at most"))
    add_json_option(run, is_nested=True)
    add_json_option(judge)


def _usd(text: str) -> float:
    """Parse an amount of money. Raises ValueError for none."""
    value = float(text)
    if not 0 < value <= MOST_ASKED_USD:
        raise ValueError(text)
    return value


async def _run(services: CommandServices, asked: argparse.Namespace) -> None:
    is_default = services.chosen.settings.judge and services.chosen.settings.engine != "offline"
    engine = asked.engine or ("claude" if is_default or asked.dry_run else "offline")
    if engine == "claude":
        await _run_model(services, asked)
    else:
        await _run_offline(services, asked)


async def _run_model(services: CommandServices, asked: argparse.Namespace) -> None:
    from qhub_desktop.chat.model_judge import MOST_USD

    judge = services.judge
    if asked.dry_run or not await judge.is_under_way():
        plan = await judge.plan(limit=asked.limit, most_usd=asked.max_usd or MOST_USD)
        if asked.dry_run:
            told = _("{count} answers, about {tokens} tokens, {usd} US$").format(**plan.object)
            print_json(plan.object) if asked.json else print(told)
            return
        await judge.run(plan)
    waited_s = 0.0
    while (verdicts := await judge.collect()) is None and waited_s < WAIT_S:
        await asyncio.sleep(LOOK_S)
        waited_s += LOOK_S
    flagged = [each for each in verdicts or () if not each.is_good]
    agreed, thumbs = await judge.agreement()
    if asked.json:
        items: list[Json] = [
            {
                "message": each.message,
                "votes": each.votes,
                "verdict": "good" if each.is_good else "flagged",
                "why": each.why,
            }
            for each in verdicts or ()
        ]
        told_: JsonObject = {"judged": len(items), "flagged": len(flagged), "items": items}
        told_ |= {"waiting": verdicts is None, "agreed": agreed, "thumbs": thumbs}
        print_json(told_)
        return
    for each in flagged:
        print(f"{each.message}  {each.why}")
    if verdicts is None:
        print(_("The batch is not done yet: run it again later, nothing is lost."))
        return
    _print_sum(len(verdicts), len(flagged))
    if thumbs:
        words = _("It agrees with {agreed} of {count} thumbs.")
        print(words.format(agreed=agreed, count=thumbs))


async def _run_offline(services: CommandServices, asked: argparse.Namespace) -> None:
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
    _print_sum(len(items), len(flagged))


def _print_sum(count: int, flagged: int) -> None:
    words = ngettext(
        "{count} answer judged, {flagged} flagged.",
        "{count} answers judged, {flagged} flagged.",
        count,
    )
    print(words.format(count=count, flagged=flagged))
