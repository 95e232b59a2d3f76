"""The socket of a run, through which its commands reach the runner and its store."""
