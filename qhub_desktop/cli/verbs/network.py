"""Network verbs: what was sent to a service, and the diagnosis of the way there."""

from __future__ import annotations  # most commands ask no service

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from qhub_desktop.cli.keyboard import is_terminal, terminal, typed, typed_secret
from qhub_desktop.cli.printing import one_line, print_json
from qhub_desktop.cli.verbs import (
    CommandServices,
    Verbs,
    add_json_option,
    add_overwrite_option,
    check_free,
    positive,
)
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.untrusted import sanitize

if TYPE_CHECKING:
    from qhub_desktop.core.codec import JsonObject
    from qhub_desktop.store.sent import SentRequest

LISTED = 20
PASSWORD_VARIABLE = "QHUB_PROXY_PASSWORD"  # noqa: S105  its name


def declare(verbs: Verbs) -> None:
    """Declare `diagnose` and `sent`."""
    diagnose = verbs.add_parser("diagnose", help=_("test the way to the service, step by step"))
    diagnose.set_defaults(run=_diagnose)
    diagnose.add_argument(
        "--to", type=Path, metavar="FILE", help=_("write the report, which holds no secret")
    )
    add_overwrite_option(diagnose)
    add_json_option(diagnose)
    proxy = verbs.add_parser("proxy", help=_("the proxy on the way, and who signs in there"))
    proxy.set_defaults(run=_proxy)
    doing = proxy.add_mutually_exclusive_group()
    doing.add_argument(
        "--user",
        metavar="NAME",
        help=_("keep this name; the password is asked for, or taken from {variable}").format(
            variable=PASSWORD_VARIABLE
        ),
    )
    doing.add_argument("--forget", action="store_true", help=_("forget the name and the password"))
    add_json_option(proxy)
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


async def _diagnose(services: CommandServices, asked: argparse.Namespace) -> str | None:
    """Print each step as it is tried; return what to ask for where one fails."""
    from qhub_desktop.chat.claude.diagnosis import STEPS, report_text
    from qhub_desktop.data.export.output import atomic_write

    if asked.to is not None:
        check_free(asked.to, asked)
    network = services.network
    findings = []
    async for each in network.diagnose():
        if each.state == "running":
            continue
        findings.append(each)
        if not asked.json:
            states = {"good": _("well"), "bad": _("failed")}
            state = states.get(each.state, _("not tried"))
            print(one_line(f"{_(STEPS[each.step])}: {state} ({each.ms} ms) {each.text}".rstrip()))
    report = await network.report(findings)
    if asked.json:
        print_json(report)
    else:
        print(await network.models())
    if asked.to is not None:
        is_json = asked.to.suffix.lower() == ".json"
        text = json.dumps(report, ensure_ascii=False, indent=2) if is_json else report_text(report)
        with atomic_write(asked.to) as draft:
            draft.write_text(text, encoding="utf-8")
    return next((each.ask or each.text for each in findings if each.state == "bad"), None)


async def _proxy(services: CommandServices, asked: argparse.Namespace) -> None:
    """Tell which proxy is on the way; keep or forget who signs in there, if that is asked."""
    if asked.user is not None:
        await services.network.save_login(asked.user.strip(), await _password(asked.user))
    elif asked.forget:
        await services.network.save_login("", "")
    choice, has_login = await services.network.proxy()
    if asked.json:
        print_json({"proxy": choice.shown or None, "from": choice.origin, "login": has_login})
        return
    if not choice.address:
        said = _("No proxy leads to the service, by the system's settings.")
        print(f"{said} {choice.trouble}".rstrip())
        return
    print(_("{proxy} leads to the service.").format(proxy=choice.shown))
    print(_("Its name and password are kept.") if has_login else _("Nobody signs in there."))


async def _password(name: str) -> str:
    """Return the password for a name at the proxy: the variable's, or what is typed."""
    # Out of the environment, which child processes are given.
    if given := sanitize(os.environ.pop(PASSWORD_VARIABLE, "")):
        return given
    prompt = _("Password of {name} at the proxy: ").format(name=name)
    if is_terminal(sys.stdin) and name.strip() and (secret := await typed_secret(prompt)):
        return secret
    raise UserError(
        _("There is no password. Set the environment variable {variable}.").format(
            variable=PASSWORD_VARIABLE
        )
    )


async def ask_proxy_login(services: CommandServices, *, why: str) -> bool:
    """Ask at the terminal who signs in to the proxy, and keep it; return whether it was told."""
    if terminal() is None:
        return False
    print(one_line(why), file=sys.stderr)
    name = (await typed(_("Name at the proxy: "))).strip()
    if not name:
        return False
    secret = await typed_secret(_("Password of {name} at the proxy: ").format(name=name))
    if not secret:
        return False
    await services.network.save_login(name, secret)
    return True


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
