"""People in the window: signing in, one's own password, locking; what administrators manage."""
