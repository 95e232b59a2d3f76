"""Work on tasks: claims, branches, worktrees, checkpoints, and attempts at the remote."""
