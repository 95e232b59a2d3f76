"""Where the work lies: claims, branches, worktrees, checkpoints, feedback files."""
