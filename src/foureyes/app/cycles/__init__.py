"""Review cycles in the store: open, ask, decide (V)."""
