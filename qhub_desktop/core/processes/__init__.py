"""Child processes, threads and their limits: the one door off the event loop."""
