"""People who sign in: secrets (their rules: `core/secret_rules.py`), failed tries, sessions."""
