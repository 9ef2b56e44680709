"""All rows of a data set in a window of their own."""
