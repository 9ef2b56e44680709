"""Main window: its bars, its columns, and the controller that connects them."""
