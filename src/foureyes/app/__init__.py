"""Use cases: one public verb per use case, grouped by noun."""
