"""Foureyes: the four-eyes gate for coding agents."""

__version__ = "0.1.0"
