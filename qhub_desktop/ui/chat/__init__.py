"""The conversation page: its messages, the answer under way, and the composer."""
