"""Signing in, in a window."""
