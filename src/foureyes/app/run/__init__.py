"""The runner: a snapshot, the pure plan, and performing its steps through ports."""
