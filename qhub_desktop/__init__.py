"""QHub Desktop: computed answers for the quality stations of a plant."""

__version__ = "0.3.0"
