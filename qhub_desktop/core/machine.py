"""What this computer has to give just now: its cores, free memory and battery."""

from contextlib import suppress

from qhub_desktop.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Machine:
    """What a computer has: its own cores, bytes that are free, and the battery's charge from 0 to
    1 where it runs on it.
    """

    cores: int
    free_bytes: int
    battery: float | None


def this_machine() -> Machine:
    """Return what this computer has just now."""
    import psutil

    cores = None
    with suppress(psutil.Error, OSError, RuntimeError):
        cores = psutil.cpu_count(logical=False) or psutil.cpu_count()
    return Machine(cores or 1, psutil.virtual_memory().available, battery_share())


def battery_share() -> float | None:
    """Return the charge of the battery, 0 to 1, where the computer runs on it, else None."""
    import psutil

    with suppress(psutil.Error, OSError, RuntimeError):  # of a system that does not tell
        battery = psutil.sensors_battery()
        if battery is not None and battery.power_plugged is False:
            return battery.percent / 100
    return None
