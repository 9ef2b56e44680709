"""Figures, tables and single numbers on the screen, each on a card."""
