"""Network verbs: what was sent to a service."""

from __future__ import annotations  # most commands ask no service

import argparse
from typing import TYPE_CHECKING

from qhub_desktop.cli.printing import one_line, print_json
from qhub_desktop.cli.verbs import CommandServices, Verbs, add_json_option, positive
from qhub_desktop.core.text import gettext as _

if TYPE_CHECKING:
    from qhub_desktop.core.codec import JsonObject
    from qhub_desktop.store.sent import SentRequest

LISTED = 20


def declare(verbs: Verbs) -> None:
    """Declare `sent`."""
    sent = verbs.add_parser("sent", help=_("what was sent to the service, the latest first"))
    sent.set_defaults(run=_sent)
    sent.add_argument(
        "--last",
        type=positive,
        default=LISTED,
        metavar="N",
        help=_("so many requests (default: {count})").format(count=LISTED),
    )
    add_json_option(sent)


async def _sent(services: CommandServices, asked: argparse.Namespace) -> None:
    """List the latest requests; with --json, whole."""
    kept = services.store.sent
    for each in await kept.latest(limit=asked.last):
        if asked.json:
            print_json({**_object(each), "body": await kept.body(each.id)})
        else:
            print(one_line(f"{each.created:%Y-%m-%d %H:%M:%S}  {each.address} · {each.amount}"))


def _object(request: SentRequest) -> JsonObject:
    took = request.usage
    return {
        "id": request.id,
        "created": request.created.isoformat(timespec="seconds"),
        "message": request.message,
        "host": request.host,
        "path": request.path,
        "model": request.model,
        "bytes": request.size,
        "usage": None
        if took is None
        else {
            "input_tokens": took.input_tokens,
            "output_tokens": took.output_tokens,
            "cache_read_tokens": took.cache_read_tokens,
            "cache_write_tokens": took.cache_write_tokens,
            "cost_usd": took.cost_usd,
        },
    }
