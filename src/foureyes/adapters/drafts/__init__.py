"""Drafts of people, in files."""
