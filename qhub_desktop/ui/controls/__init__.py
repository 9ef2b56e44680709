"""Shared small widgets of the user interface."""
