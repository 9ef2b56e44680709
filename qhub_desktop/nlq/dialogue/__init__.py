"""Questions in their conversation: follow-ups, clarifications, small talk, forms."""
