"""The plant's own words, on the command line: what is read of them, and what is wrong."""

from __future__ import annotations  # the lighter commands do not load what reads words

import argparse
from typing import TYPE_CHECKING

from qhub_desktop.cli.desk import CommandDesk
from qhub_desktop.cli.printing import print_json

if TYPE_CHECKING:
    from qhub_desktop.nlq.user_lexicon import UserLexicon


async def tell(_desk: CommandDesk, asked: argparse.Namespace) -> str | None:
    """Print where the file is and what is read of it; with --check, fail where it is wrong."""
    from qhub_desktop.nlq.lexicon import shipped
    from qhub_desktop.nlq.user_lexicon import describe, own_file, read_own_words

    file = own_file()
    words = read_own_words(file, shipped())
    if asked.json:
        print_json(
            {
                "file": str(file),
                "is_there": words.is_there,
                "phrases": words.phrase_count,
                "problems": [
                    {"line": each.line or None, "text": each.problem} for each in words.complaints
                ],
            }
        )
    else:
        print(file)
        print(describe(words))
        for complaint in () if asked.check else words.complaints:
            print(f"! {complaint}")
    return _problems(words) if asked.check else None


def _problems(words: UserLexicon) -> str | None:
    return "\n".join(map(str, words.complaints)) or None
