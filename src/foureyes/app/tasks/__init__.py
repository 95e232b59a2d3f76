"""Tasks, plans, notes, sprint records and escalation."""
