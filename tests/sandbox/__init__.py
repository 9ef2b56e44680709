"""Code that a model could have written, hostile and benign, run in the sandbox."""
