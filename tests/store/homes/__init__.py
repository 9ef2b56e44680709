"""Data folders as released versions left them, one for each schema of the database."""
