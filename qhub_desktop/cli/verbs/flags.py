"""Flag verbs: which abilities are on, and switching them."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from qhub_desktop.cli.printing import print_json
from qhub_desktop.cli.verbs import CommandServices, Verbs, add_json_option
from qhub_desktop.core.codec import JsonObject
from qhub_desktop.core.settings import FLAGS, flag_word, read_flag, setting_infos
from qhub_desktop.core.text import gettext as _


def declare(verbs: Verbs) -> None:
    """Declare `flags`."""
    flags = verbs.add_parser("flags", help=_("which abilities are on"))
    flags.set_defaults(run=_list)
    doing = flags.add_subparsers(dest="doing", metavar="DOING")
    setting = doing.add_parser("set", help=_("switch an ability"))
    setting.set_defaults(run=_set)
    setting.add_argument("name", choices=FLAGS, metavar="NAME", help=", ".join(FLAGS))
    setting.add_argument("value", metavar="VALUE", help=_("on, off, or one of its choices"))
    add_json_option(setting, is_nested=True)
    add_json_option(flags)


async def _list(services: CommandServices, asked: argparse.Namespace) -> None:
    settings = services.chosen.settings
    values: JsonObject = {name: flag_word(getattr(settings, name)) for name in FLAGS}
    if asked.json:
        print_json(values)
        return
    for name, value in values.items():
        print(f"{name}: {value} ({_(setting_infos()[name].label)})")


async def _set(services: CommandServices, asked: argparse.Namespace) -> None:
    value = read_flag(asked.name, asked.value)
    services.chosen.check(asked.name, value)
    changed: dict[str, Any] = {asked.name: value}
    services.chosen.replace(replace(services.chosen.settings, **changed))
    await services.store.settings.save(services.chosen.to_store())
    await _list(services, asked)
