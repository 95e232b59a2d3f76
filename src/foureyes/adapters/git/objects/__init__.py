"""What the gate writes: commits, refs, exported trees, checkpoints."""
