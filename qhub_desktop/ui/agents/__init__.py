"""The agents: their window, for administrators."""
