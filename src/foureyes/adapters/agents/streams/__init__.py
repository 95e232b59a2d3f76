"""Parses the output of agent programs while they work, with one module per format."""
