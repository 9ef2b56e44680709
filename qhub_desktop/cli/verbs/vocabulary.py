"""Vocabulary verb: shows what is read from the file of the plant's own words, and its errors."""

from __future__ import annotations  # the lighter commands do not load what reads words

import argparse
from typing import TYPE_CHECKING

from qhub_desktop.cli.printing import print_json
from qhub_desktop.cli.verbs import CommandServices, Verbs, add_json_option
from qhub_desktop.core.text import gettext as _

if TYPE_CHECKING:
    from qhub_desktop.nlq.user_lexicon import UserLexicon


def declare(verbs: Verbs) -> None:
    """Declare `vocabulary`."""
    words = verbs.add_parser("vocabulary", help=_("the plant's own words"))
    words.set_defaults(run=_tell)
    words.add_argument(
        "--check", action="store_true", help=_("fail where something in the file is wrong")
    )
    add_json_option(words)


async def _tell(_desk: CommandServices, asked: argparse.Namespace) -> str | None:
    """Print the path and contents of the vocabulary file; with --check, return its errors."""
    import qhub_desktop.charts.catalogue  # noqa: F401  publishes the charts' words
    from qhub_desktop.nlq.lexicon import shipped_words
    from qhub_desktop.nlq.user_lexicon import describe, read_user_lexicon, user_lexicon_file

    file = user_lexicon_file()
    words = read_user_lexicon(file, shipped_words())
    if asked.json:
        print_json(
            {
                "file": str(file),
                "is_there": words.is_there,
                "phrases": words.phrase_count,
                "problems": [
                    {"line": each.line or None, "text": each.problem} for each in words.problems
                ],
            }
        )
    else:
        print(file)
        print(describe(words))
        for complaint in () if asked.check else words.problems:
            print(f"! {complaint}")
    return _problems(words) if asked.check else None


def _problems(words: UserLexicon) -> str | None:
    return "\n".join(map(str, words.problems)) or None
