"""Lists and pages. Nothing here writes."""
