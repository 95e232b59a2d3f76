"""The socket of a run: how its commands reach the runner, which has the store."""
