"""Runs agent programs and sets them up in a repository."""
