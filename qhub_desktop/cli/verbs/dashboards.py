"""Dashboard verbs: list, export to files, and refresh."""

import argparse
from pathlib import Path

from qhub_desktop.cli.printing import print_json
from qhub_desktop.cli.verbs import (
    CommandServices,
    Verbs,
    add_json_option,
    add_overwrite_option,
    add_search_option,
    check_free,
)
from qhub_desktop.core.codec import Json, JsonObject
from qhub_desktop.core.dashboard import Dashboard, id_in, may_see, not_shown, schedule_words
from qhub_desktop.core.errors import UserError
from qhub_desktop.core.text import gettext as _
from qhub_desktop.core.text import moment, ngettext, number


def declare(verbs: Verbs) -> None:
    """Declare `dashboards`, with `export` and `refresh`."""
    dashboards = verbs.add_parser("dashboards", help=_("the dashboards, newest first"))
    dashboards.set_defaults(run=_list)
    add_search_option(dashboards)
    doing = dashboards.add_subparsers(dest="doing", metavar="DOING")
    export = doing.add_parser("export", help=_("a dashboard as a file"))
    export.set_defaults(run=_export)
    export.add_argument("id", metavar="ID")
    export.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FILE",
        help=_("ends in .html, .pdf, .png, .xlsx"),
    )
    refresh = doing.add_parser("refresh", help=_("run a dashboard's queries again"))
    refresh.set_defaults(run=_refresh)
    refresh.add_argument("id", metavar="ID")
    add_overwrite_option(export)
    for each in (export, refresh):
        add_json_option(each, is_nested=True)
    add_json_option(dashboards)


async def _list(services: CommandServices, asked: argparse.Namespace) -> None:
    found = await services.store.dashboards.listed(viewer=services.viewer, search=asked.search)
    if asked.json:
        print_json([_object(each) for each in found])
        return
    for each in found:
        print(f"{each.id}  {moment(each.updated.replace(second=0))}  {each.title}")
    if not found:
        print(_("There are no dashboards."))


async def _export(services: CommandServices, asked: argparse.Namespace) -> None:
    found = await _found(services, asked.id)
    check_free(asked.out, asked)
    filled = await services.dashboard_files.export(found.id, asked.out.absolute())
    told = [*filled.problems, *filled.warnings]
    if asked.json:
        print_json({"id": found.id, "file": str(asked.out), "warnings": told})
        return
    print(f"{found.title} · {asked.out}")
    for each in told:
        print(f"! {each}")


async def _refresh(services: CommandServices, asked: argparse.Namespace) -> str | None:
    """Run the queries of a dashboard again; return a sentence about those that fail, or None."""
    found = await _found(services, asked.id)
    filled = await services.dashboards.refresh(found.id)
    if asked.json:
        queries: list[Json] = [
            {
                "name": each.name,
                "rows": each.row_count,
                "taken": each.taken.isoformat(),
                "problem": each.problem,
                "warnings": [*each.source.warnings] if each.source else [],
            }
            for each in filled.rows
        ]
        print_json({**_object(filled.dashboard), "results": queries})
    else:
        for each in filled.rows:
            count = ngettext("{count} row", "{count} rows", each.row_count)
            print(f"{each.name}: {count.format(count=number(each.row_count, digits=0))}")
        for warning in filled.warnings:
            print(f"! {warning}")
    return "\n".join(filled.problems) or None


async def _found(services: CommandServices, address: str) -> Dashboard:
    found = await services.store.dashboards.find(id_in(address))
    if not may_see(found, services.viewer):
        raise UserError(not_shown())
    return found


def _object(dashboard: Dashboard) -> JsonObject:
    return {
        "id": dashboard.id,
        "url": dashboard.url,
        "title": dashboard.title,
        "author": dashboard.author,
        "agent": dashboard.agent,
        "conversation": dashboard.conversation,
        "created": dashboard.created.isoformat(),
        "updated": dashboard.updated.isoformat(),
        "refreshed": dashboard.refreshed.isoformat() if dashboard.refreshed else None,
        "version": dashboard.version,
        "visibility": dashboard.visibility,
        "schedule": schedule_words(dashboard.schedule),
        "queries": dashboard.query_count,
    }
