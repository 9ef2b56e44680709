"""Artifacts in a conversation, with real pages in the web engine."""
