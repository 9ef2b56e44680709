"""The dashboards behind the store's door."""

from __future__ import annotations  # what they hold is imported with the first of them

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from qhub_desktop.store.on_worker import OnWorker

if TYPE_CHECKING:
    from qhub_desktop.core.dashboard import (
        Dashboard,
        DashboardSpec,
        QueryRows,
        Schedule,
        Version,
        Viewer,
        Visibility,
    )

MOST = 1_000  # listed at once


class DashboardTable:
    """Every dashboard, its versions and its rows. What was awaited is on the disk.

    All but `listed` and `create` raise UserError for an id that is not there.
    """

    def __init__(self, do: OnWorker) -> None:
        self._do = do

    async def create(
        self,
        contents: DashboardSpec,
        rows: Sequence[QueryRows] = (),
        *,
        author: str = "",
        agent: str = "",
        conversation: str = "",
    ) -> Dashboard:
        """A new one with its first version, and what its queries have given."""
        from qhub_desktop.store import dashboards

        return await self._do(
            dashboards.create,
            contents,
            rows,
            author=author,
            agent=agent,
            conversation=conversation,
        )

    async def find(self, id_: str) -> Dashboard:
        """One by its id."""
        from qhub_desktop.store import dashboards

        return await self._do(dashboards.find, id_)

    async def made_in(self, conversation: str, title: str) -> Dashboard | None:
        """The one of this title that a conversation has made, if it is still there."""
        from qhub_desktop.store import dashboards

        return await self._do(dashboards.made_in, conversation, title)

    async def listed(
        self, *, viewer: Viewer | None = None, search: str = "", limit: int = MOST
    ) -> list[Dashboard]:
        """The latest first: those that `viewer` may see, or all of the station's.

        A search keeps those that have all its words in the title or on the page, whatever their
        accents and case.
        """
        from qhub_desktop.store import dashboards

        return await self._do(dashboards.listed, viewer=viewer, search=search, limit=limit)

    async def contents(self, id_: str, *, version: int | None = None) -> DashboardSpec:
        """What it holds, now or in an earlier version."""
        from qhub_desktop.store import dashboards

        return await self._do(dashboards.contents, id_, version=version)

    async def change(self, id_: str, contents: DashboardSpec, *, author: str = "") -> Dashboard:
        """Let it hold this from now on, as its next version."""
        from qhub_desktop.store import dashboards

        return await self._do(dashboards.change, id_, contents, author=author)

    async def versions(self, id_: str) -> list[Version]:
        """Every version, the latest first."""
        from qhub_desktop.store import dashboards

        return await self._do(dashboards.versions, id_)

    async def duplicate(self, id_: str, title: str, *, author: str = "") -> Dashboard:
        """Another one that holds the same, with the same rows, seen by its author alone."""
        from qhub_desktop.store import dashboards

        return await self._do(dashboards.duplicate, id_, title, author=author)

    async def delete(self, id_: str) -> None:
        """Take it out of every list; `undelete` brings it back."""
        from qhub_desktop.store import dashboards

        await self._do(dashboards.mark_deleted, id_, is_deleted=True)

    async def undelete(self, id_: str) -> None:
        """Bring a deleted one back as it was."""
        from qhub_desktop.store import dashboards

        await self._do(dashboards.mark_deleted, id_, is_deleted=False)

    async def show_to(self, id_: str, visibility: Visibility) -> None:
        """Who may see it from now on."""
        from qhub_desktop.store import dashboards

        await self._do(dashboards.show_to, id_, visibility)

    async def set_schedule(self, id_: str, schedule: Schedule) -> None:
        """When its queries run by themselves, while it is open."""
        from qhub_desktop.store import dashboards

        await self._do(dashboards.set_schedule, id_, schedule)

    async def keep_rows(self, id_: str, rows: Sequence[QueryRows]) -> None:
        """What its queries gave just now, in place of what they gave before."""
        from qhub_desktop.store import dashboards

        await self._do(dashboards.keep_rows, id_, rows)

    async def rows(self, id_: str) -> list[QueryRows]:
        """What its queries gave last, in their order."""
        from qhub_desktop.store import dashboards

        return await self._do(dashboards.rows, id_)

    async def keep_thumbnail(self, id_: str, picture: bytes) -> None:
        """A small picture of it, as PNG."""
        from qhub_desktop.store import dashboards

        await self._do(dashboards.keep_thumbnail, id_, picture)

    async def thumbnail(self, id_: str) -> bytes | None:
        """The small picture, if one was taken."""
        from qhub_desktop.store import dashboards

        return await self._do(dashboards.thumbnail, id_)

    async def state_of_data(self, conversations: Iterable[str]) -> str:
        """Words that change when the data of these conversations does, or the log of defects."""
        from qhub_desktop.store import dashboards

        return await self._do(dashboards.state_of_data, tuple(conversations))
