"""How this station looks at its wall: which dashboards, how long each, how large."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TypeVar

from qhub_desktop.core.json_values import Json
from qhub_desktop.store.store import Store

STATE = "wall"
TIMES_S = (5, 10, 15, 30, 60, 120, 300)
ZOOMS = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
Offered = TypeVar("Offered", int, float)


@dataclass(frozen=True, slots=True)
class WallHabits:
    """`hung` are the ids of those chosen for the wall; `each_s` and `zoom` one of the offered."""

    hung: tuple[str, ...] = ()
    each_s: int = 30
    zoom: float = 1.0

    def slower(self, steps: int) -> "WallHabits":
        """So many of the offered times longer; at an end it stays there."""
        return replace(self, each_s=_further(TIMES_S, self.each_s, steps))

    def larger(self, steps: int) -> "WallHabits":
        """So many of the offered sizes larger; at an end it stays there."""
        return replace(self, zoom=_further(ZOOMS, self.zoom, steps))

    def with_hung(self, id_: str, *, is_hung: bool) -> "WallHabits":
        """One more on the wall, or one less."""
        others = tuple(each for each in self.hung if each != id_)
        return replace(self, hung=(*others, id_) if is_hung else others)


async def read_habits(store: Store) -> WallHabits:
    """As they were kept; what makes no sense is as at first."""
    return _habits(await store.state(STATE))


async def change_habits(store: Store, change: Callable[[WallHabits], WallHabits]) -> WallHabits:
    """Change them and remember them for the next time."""
    habits = change(await read_habits(store))
    await store.save_state(STATE, {**asdict(habits), "hung": [*habits.hung]})
    return habits


def _habits(kept: Json) -> WallHabits:
    first = WallHabits()
    if not isinstance(kept, dict):
        return first
    hung, each_s, zoom = kept.get("hung"), kept.get("each_s"), kept.get("zoom")
    return WallHabits(
        tuple(str(each) for each in hung) if isinstance(hung, list) else first.hung,
        next((each for each in TIMES_S if each == each_s), first.each_s),
        next((each for each in ZOOMS if each == zoom), first.zoom),
    )


def _further(offered: Sequence[Offered], now: Offered, steps: int) -> Offered:
    place = offered.index(now) + steps
    return offered[min(max(place, 0), len(offered) - 1)]
