"""The conversation page: what was said, what is being said, and the box for the next question."""
