"""SQL over data sets, in a process of its own."""
