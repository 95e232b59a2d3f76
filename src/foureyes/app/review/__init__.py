"""Other eyes decide: reviews, decisions, feedback, the lead."""
