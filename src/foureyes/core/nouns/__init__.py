"""The nouns: task, session, attempt, check, finding, feedback."""
