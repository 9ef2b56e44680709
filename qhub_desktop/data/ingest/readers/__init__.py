"""Readers of files, one module a format; `catalogue` loads them all."""
