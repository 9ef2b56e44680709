"""First lines of `qhub`, and of the children it starts."""

from qhub_desktop.__main__ import command_line

raise SystemExit(command_line())
