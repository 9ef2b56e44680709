"""Readers of documents, one module a format: blocks with their places, in reading order."""
