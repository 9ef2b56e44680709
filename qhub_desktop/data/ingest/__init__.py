"""Files to data sets: read, typed, reconciled row by row."""
