"""What is wrong with work so often that nobody should have to type it (F1)."""

from __future__ import annotations

QUICK_ISSUES = (
    "Tests incomplete",
    "Code style issues",
    "Missing error handling",
    "Performance concerns",
    "Security issues",
)
"""F1: what is wrong so often that nobody should have to type it."""
