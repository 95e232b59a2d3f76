"""What you can do: one public verb per use case, grouped by noun."""
