"""QHub Desktop: computed answers for the quality stations of a plant."""

from qhub_desktop.core import clock

__version__ = "0.3.0"

# Here, before anything of the standard library that takes the time as it is imported.
clock.use_zone_of_computer()
if not clock.is_readable():
    clock.refuse_start()
