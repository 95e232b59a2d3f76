"""Findings, answers and rulings."""
