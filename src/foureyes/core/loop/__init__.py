"""The findings loop: recognising, answering, progress, escalation, figures."""
