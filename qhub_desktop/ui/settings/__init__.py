"""The settings dialog and its fields."""
