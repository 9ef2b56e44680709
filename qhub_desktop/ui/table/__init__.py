"""The table window: all rows of a data set."""
