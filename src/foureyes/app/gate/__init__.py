"""From hand-in to merge: attempts, checks, what settles, the merge queue."""
