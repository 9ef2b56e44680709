"""A language model of the plant's own, in a process of this program."""
