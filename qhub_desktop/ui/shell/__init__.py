"""The window itself: its bars, its columns, and the controller that joins them."""
