"""Sprints: planning, running, reporting and undoing them (X)."""
