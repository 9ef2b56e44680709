"""What the engine without a model needs to have been loaded by the program around it."""

import qhub_desktop.charts.catalogue  # noqa: F401  the kinds of chart, which are words too
