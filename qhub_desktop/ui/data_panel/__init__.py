"""Right column of the window: the data sets of the open conversation."""
