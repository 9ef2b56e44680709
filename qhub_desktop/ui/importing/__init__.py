"""How a file was read: the report of it, the choices about it, and what a protected one asks."""
