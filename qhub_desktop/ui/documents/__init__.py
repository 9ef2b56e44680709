"""Documents in the window: their panel, and the viewer of a page with its passage marked."""
