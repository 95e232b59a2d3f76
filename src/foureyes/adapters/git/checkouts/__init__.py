"""Files of people and tasks: worktrees, their state, hooks, patches."""
