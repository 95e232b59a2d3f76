"""How the world is touched: one folder per outside system."""
