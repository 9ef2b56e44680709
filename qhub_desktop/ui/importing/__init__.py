"""Import of files: the report, the choices, and the password of a protected file."""
