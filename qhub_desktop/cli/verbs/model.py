"""Model verbs: the local model, chosen, tried and left."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from qhub_desktop.cli.printing import print_json
from qhub_desktop.cli.verbs import CommandServices, Verbs, add_json_option
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _


def declare(verbs: Verbs) -> None:
    """Declare `model`."""
    model = verbs.add_parser("model", help=_("the local model, inside this program"))
    model.set_defaults(run=_show)
    doing = model.add_subparsers(dest="doing", metavar="DOING")
    for name, run, help_ in (
        ("list", _list, _("the model files beside the chosen one")),
        ("use", _use, _("choose a model file, or a folder of them")),
        ("test", _test, _("load it, ask it once, and time it")),
        ("off", _off, _("choose none")),
    ):
        verb = doing.add_parser(name, help=help_)
        verb.set_defaults(run=run)
        if name == "use":
            verb.add_argument("path", type=Path, metavar="PATH")
        add_json_option(verb, is_nested=True)
    add_json_option(model)


def _chosen(services: CommandServices) -> Path:
    chosen = services.chosen.settings.local_model
    if not chosen:
        raise UserError(_("No local model is chosen. Choose one: qhub model use PATH"))
    return Path(chosen)


async def _show(services: CommandServices, asked: argparse.Namespace) -> None:
    from qhub_desktop.tools.model_trial import header_line, tools_sentence

    if not services.chosen.settings.local_model:
        print_json({"path": ""}) if asked.json else print(_("No local model is chosen."))
        return
    place = _chosen(services)
    header = await services.model_trials.header(place)
    if asked.json:
        print_json({"path": str(place), **header.as_object()})
        return
    print(f"{place}\n{header_line(header)}\n{tools_sentence(header)}")
    print(await services.model_trials.needs(place))


async def _list(services: CommandServices, asked: argparse.Namespace) -> None:
    from qhub_desktop.tools.model_trial import header_line

    rows = []
    for file in await services.model_trials.files(_chosen(services)):
        try:
            header = await services.model_trials.header(file)
            rows.append((file, {**header.as_object()}, header_line(header)))
        except UserError as error:
            rows.append((file, {"error": str(error)}, str(error)))
    if asked.json:
        print_json([{"path": str(file), **told} for file, told, _line in rows])
        return
    for file, _told, line in rows:
        print(f"{file.name}: {line}")


async def _use(services: CommandServices, asked: argparse.Namespace) -> None:
    place = asked.path.absolute()
    await services.model_trials.header(place)
    await _save(services, str(place))
    await _show(services, asked)


async def _off(services: CommandServices, asked: argparse.Namespace) -> None:
    await _save(services, "")
    await _show(services, asked)


async def _save(services: CommandServices, value: str) -> None:
    services.chosen.check("local_model", value)
    services.chosen.replace(replace(services.chosen.settings, local_model=value))
    await services.store.settings.save(services.chosen.to_store())


async def _test(services: CommandServices, asked: argparse.Namespace) -> None:
    from qhub_desktop.tools.model_trial import header_line, trial_object, trial_sentence

    place = _chosen(services)
    header = await services.model_trials.header(place)
    trial = await services.model_trials.run(place)
    if asked.json:
        print_json(trial_object(header, trial))
        return
    print(f"{header_line(header)}\n{trial_sentence(trial)}")
