"""What is looked at: lists and pages. Nothing here writes."""
