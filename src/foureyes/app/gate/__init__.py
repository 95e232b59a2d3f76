"""From submission to merge: attempts, checks, the merge queue."""
