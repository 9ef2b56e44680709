"""Set up, run and check QHub Desktop from nothing."""
