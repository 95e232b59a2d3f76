"""Reviews, decisions, feedback, and decisions of the lead."""
