"""Guard: reads a question before anything else does, by rules and without a model."""
