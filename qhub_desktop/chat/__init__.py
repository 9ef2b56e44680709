"""Talking to a model: turns, tools, agents. Knows no data and no Qt."""
