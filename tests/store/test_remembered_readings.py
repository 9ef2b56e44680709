"""What words mean in data of certain columns: kept by the columns, replaced, and still there."""

from pathlib import Path

from qhub_desktop.store import Store

COLUMNS = ["Turno", "Temp_Estufa_1", "Temp_Estufa_2"]


async def test_a_reading_is_known_by_the_columns_whatever_their_order(folder: Path) -> None:
    store = Store.open(folder)
    await store.datasets.keep_reading(COLUMNS, "temperatura", "Temp_Estufa_1")
    await store.datasets.keep_reading(COLUMNS, "pp", "PP_Negro")
    await store.datasets.keep_reading(COLUMNS, "temperatura", "Temp_Estufa_2")
    store.close()

    store = Store.open(folder)
    try:
        assert dict(await store.datasets.readings(reversed(COLUMNS))) == {
            "temperatura": "Temp_Estufa_2",
            "pp": "PP_Negro",
        }
        assert await store.datasets.readings([*COLUMNS, "Skid"]) == ()
    finally:
        store.close()
