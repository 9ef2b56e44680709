"""Tone verbs: what the program reads from the words of a question."""

from __future__ import annotations

import argparse

from qhub_desktop.cli.printing import print_json
from qhub_desktop.cli.verbs import CommandServices, Verbs, add_json_option
from qhub_desktop.core.text import gettext as _


def declare(verbs: Verbs) -> None:
    """Declare `tone`."""
    tone = verbs.add_parser("tone", help=_("the tone that is read from a question's words"))
    doing = tone.add_subparsers(dest="doing", metavar="DOING", required=True)
    check = doing.add_parser("check", help=_("read a text, and keep nothing of it"))
    check.set_defaults(run=_check)
    check.add_argument("text", metavar="TEXT")
    add_json_option(check)


async def _check(_services: CommandServices, asked: argparse.Namespace) -> None:
    from qhub_desktop.core.tone import tone_of

    tone = tone_of(asked.text)
    if asked.json:
        print_json({"tone": tone})
    else:
        print(tone)
