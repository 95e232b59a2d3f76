"""The findings loop: fingerprints, answers, progress, escalation and statistics."""
