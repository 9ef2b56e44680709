"""The command line as `python -m qhub_desktop.cli`, where `qhub` is not on the path."""

from pkgutil import resolve_name

if __name__ == "__main__":
    # By its name: the start of the program stands above the command line.
    raise SystemExit(resolve_name("qhub_desktop.__main__:command_line")())
