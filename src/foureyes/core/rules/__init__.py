"""Rules: the rights of each caller under a policy, given the facts."""
