"""Checks: commands of the quality pipeline in throwaway checkouts, and the reports that they write (D5)."""
