"""Child processes, threads and their limits: the only way off the event loop."""
