"""The runner's plan: a project snapshot in, the next steps out. Pure functions."""
