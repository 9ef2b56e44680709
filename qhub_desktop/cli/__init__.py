"""Command line of the same engine: text for people, JSON lines for programs. No Qt here."""
