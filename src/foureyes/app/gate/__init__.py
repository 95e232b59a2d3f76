"""From submission to merge: attempts, checks, what settles, the merge queue."""
