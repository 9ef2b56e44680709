"""What a station remembers of its wall."""

import pytest

from qhub_desktop.core.codec import Json
from qhub_desktop.store import Store
from qhub_desktop.ui.dashboards.wall import (
    STATE_KEY,
    TIMES_S,
    ZOOMS,
    WallPreferences,
    change_preferences,
    read_preferences,
)


async def test_a_change_is_there_the_next_time_and_leaves_the_rest(store: Store) -> None:
    await change_preferences(
        store.settings, lambda preferences: preferences.with_hung("a", is_hung=True)
    )
    await change_preferences(
        store.settings, lambda preferences: preferences.with_hung("b", is_hung=True)
    )
    await change_preferences(store.settings, lambda preferences: preferences.slower(2))
    await change_preferences(
        store.settings, lambda preferences: preferences.with_hung("a", is_hung=False).larger(-1)
    )

    assert await read_preferences(store.settings) == WallPreferences(("b",), 120, 0.9)


def test_at_an_end_of_what_is_offered_it_stays() -> None:
    assert WallPreferences().slower(100).each_s == TIMES_S[-1]
    assert WallPreferences().slower(-100).each_s == TIMES_S[0]
    assert WallPreferences().larger(100).zoom == ZOOMS[-1]
    assert WallPreferences().larger(-100).zoom == ZOOMS[0]


@pytest.mark.parametrize("kept", [None, 7, {}, {"hung": 3, "each_s": 31, "zoom": "large"}])
async def test_what_makes_no_sense_is_as_at_first(store: Store, kept: Json) -> None:
    await store.settings.save_state(STATE_KEY, kept)

    assert await read_preferences(store.settings) == WallPreferences()
