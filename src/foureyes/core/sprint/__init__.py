"""Sprints as pure rules (X): when they end, how long tasks take, how far they are, why they pause."""
