"""How git is called."""
