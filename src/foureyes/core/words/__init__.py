"""Basic values: ids, texts, globs, statuses, decisions."""
