"""Tests of the documents in the window."""
