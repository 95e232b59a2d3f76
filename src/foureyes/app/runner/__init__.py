"""The runner: it takes a snapshot, plans in pure code, and performs the steps through ports."""
