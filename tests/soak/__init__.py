"""The program for hours: a real window at work, killed again and again, and what that costs."""
