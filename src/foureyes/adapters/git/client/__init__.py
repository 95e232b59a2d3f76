"""Calls git and reads its files."""
