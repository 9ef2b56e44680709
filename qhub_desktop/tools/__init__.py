"""Tools of the agents: one toolbox per subject."""
