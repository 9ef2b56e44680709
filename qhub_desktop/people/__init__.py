"""People who sign in: their secrets, the tries that failed, and sessions that end."""
