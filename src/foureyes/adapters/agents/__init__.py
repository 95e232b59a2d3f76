"""Agent programs: what they read from a repository."""
