"""Slots to query plans."""
