"""The findings loop: fingerprints, answers, progress, escalation, figures."""
