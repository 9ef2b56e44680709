"""Import of files as data sets: read, typed and reconciled row by row."""
