"""Tests, pictures and measurements. A new data folder opens on demo data for all of them."""

import os

os.environ["QHUB_FIRST_RUN"] = "skip"
