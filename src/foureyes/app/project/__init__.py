"""Who is here, and by which rules: the project, sessions, keys, policy, audit."""
