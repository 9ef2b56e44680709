"""What makes files of every kind for the tests, from plain rows."""
