"""What the runner does next: a snapshot of the project in, steps out. Pure."""
