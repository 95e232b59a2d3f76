"""The runner: a snapshot, the pure plan, and its steps executed through ports."""
