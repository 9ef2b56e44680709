"""Widgets of an answer: figures, tables and single numbers, each on a card."""
