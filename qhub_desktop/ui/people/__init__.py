"""People in the window: signing in, one's own password, locking, and the accounts of a station."""
