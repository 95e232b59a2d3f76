"""Stores people's drafts in files."""
