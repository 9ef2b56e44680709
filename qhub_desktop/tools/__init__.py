"""What agents can do: one toolbox a subject."""
