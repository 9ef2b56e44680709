"""Settings dialog and its fields."""
