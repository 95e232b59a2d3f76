"""Sprints (X): planned, started, looked at, stopped, reported, taken back."""
