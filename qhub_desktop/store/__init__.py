"""Everything remembered between runs, in one SQLite file."""
