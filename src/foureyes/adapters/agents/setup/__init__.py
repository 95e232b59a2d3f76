"""Writes, checks and removes the files that agent programs read from a repository: instructions, tool servers and
hooks."""
