"""Who is calling: read from the process tree and the environment (I). A guard-rail, not a wall (I9)."""
