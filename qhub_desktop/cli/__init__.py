"""The same engine on the command line: text for people, JSON lines for programs. No Qt here."""
