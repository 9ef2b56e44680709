"""Files in, SQL out: every data set behind one asynchronous door."""
